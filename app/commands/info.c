// app/commands/info.c
// cairn info: what a file holds; for a problem, the facts that tell how hard it is.
#include "commands/info.h"
#include "commands/problem_facts.h"
#include "support/file_kind.h"
#include "support/json.h"
#include "support/problem_file.h"
#include "support/support.h"
#include "support/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef struct cn_info_job {
    bool json;
    cn_word_list paths;
} cn_info_job;

static const struct argp_option cn_info_options[] = {
    {"json", 'j', NULL, 0, "One JSON object a line on standard output", 0}, {0}};

static error_t cn_info_option(int key, char *value, struct argp_state *state) {
    cn_info_job *job = state->input;
    switch (key) {
    case 'j':
        job->json = true;
        break;
    case ARGP_KEY_ARG:
        cn_word_list_add(&job->paths, value);
        break;
    case ARGP_KEY_NO_ARGS:
        cn_usage_error("info", "no file given; see cairn info --help");
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp cn_info_argp = {
    .options = cn_info_options,
    .parser = cn_info_option,
    .args_doc = "FILE...",
    .doc = "Tell what a run, scene or problem file holds, and where it comes from."};

// ---- gathering ----

typedef struct cn_info_facts {
    cn_matrix_facts matrix; // of W, or of the M of an LCP
    double q_norm;
    int32_t pressing; // contacts with q_N < 0
    double mu_min, mu_max;
    int64_t bytes; // size of the file
} cn_info_facts;

static void cn_info_q(cn_info_facts *facts, const cn_case *c, const double *q, const double *mu) {
    facts->q_norm = cn_norm(q, c->unknowns);
    facts->mu_min = HUGE_VAL;
    facts->mu_max = -HUGE_VAL;
    for (int32_t a = 0; a < c->contacts; a++) {
        facts->pressing += q[(int64_t)c->dim * a] < 0.0;
        if (mu) {
            facts->mu_min = fmin(facts->mu_min, mu[a]);
            facts->mu_max = fmax(facts->mu_max, mu[a]);
        }
    }
}

int64_t cn_file_bytes(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 ? (int64_t)about.st_size : 0;
}

static cn_status cn_info_gather(cn_case *c, cn_info_facts *facts, cn_error *error) {
    *facts = (cn_info_facts){.bytes = cn_file_bytes(c->path)};
    if (cn_case_is_lcp(c)) {
        cn_bsr M = cn_bsr_view(&c->problem->lcp.M);
        cn_matrix_facts_find(&M, &facts->matrix);
        cn_info_q(facts, c, c->problem->lcp.q, NULL);
        return CN_OK;
    }
    const cn_friction *p = cn_case_friction(c, CN_TAKES_ASSEMBLED, error);
    if (!p) {
        return error->status;
    }
    cn_matrix_facts_find(&p->W.assembled, &facts->matrix);
    cn_info_q(facts, c, p->q, p->mu);
    return CN_OK;
}

// ---- for people ----

static void cn_info_print_global(const cn_friction_global *g) {
    int64_t mass = g->M.start[g->dofs], map = g->H.start[g->dofs];
    printf("  M           %d x %d, %lld entries, |f| %.4g\n", (int)g->dofs, (int)g->dofs,
           (long long)mass, cn_norm(g->f, g->dofs));
    printf("  H           %d x %d, %lld entries, |w| %.4g\n", (int)g->H.rows, (int)g->H.cols,
           (long long)map, cn_norm(g->w, g->H.cols));
}

static void cn_info_print(const cn_case *c, const cn_info_facts *facts) {
    const cn_problem *p = c->problem;
    const cn_matrix_facts *m = &facts->matrix;
    bool lcp = cn_case_is_lcp(c);
    cn_print_safe(stdout, c->path);
    printf("\n  kind        %s\n", cn_problem_kind_text(p));
    printf("  format      %s, %lld bytes\n", p->format ? p->format : "unknown",
           (long long)facts->bytes);
    if (lcp) {
        printf("  unknowns    %d\n", (int)c->contacts);
    } else {
        printf("  contacts    %d (%lld unknowns)\n", (int)c->contacts, (long long)c->unknowns);
    }
    if (p->kind == CN_PROBLEM_FRICTION_GLOBAL) {
        cn_info_print_global(&p->global);
    }
    if (c->contacts > 0) {
        printf("  %s           %lld entries, density %.3g %%, %s a row %.3g (at most %lld)\n",
               lcp ? "M" : "W", (long long)m->nonzeros, 100.0 * m->density,
               lcp ? "entries" : "blocks", m->blocks_mean, (long long)m->blocks_max);
        printf("  symmetry    |A - A'| / |A| = %.3g\n", m->asymmetry);
        printf("  diagonal    %.4g to %.4g\n", m->diagonal_min, m->diagonal_max);
        printf("  islands     %d (%s in the largest: %d)\n", (int)m->islands,
               lcp ? "unknowns" : "contacts", (int)m->island_max);
        printf("  |q|         %.4g, %d of %d %s\n", facts->q_norm, (int)facts->pressing,
               (int)c->contacts, lcp ? "entries negative" : "contacts pressing (q_N < 0)");
    }
    if (!lcp && c->contacts > 0) {
        printf("  mu          %.4g to %.4g\n", facts->mu_min, facts->mu_max);
    }
    printf("  stored      %s; %s\n", p->r ? "a solution" : "no solution",
           p->guess ? "a first guess" : "no first guess");
    const char *const labels[] = {"  title", "  about", "  math"};
    const char *const texts[] = {p->title, p->description, p->math_info};
    for (int32_t i = 0; i < 3; i++) {
        if (texts[i] && texts[i][0]) {
            cn_print_wrapped(stdout, labels[i], 14, texts[i]);
        }
    }
}

// ---- as JSON ----

static void cn_info_print_json(const cn_case *c, const cn_info_facts *facts) {
    static const char *const kinds[] = {"lcp", "friction", "friction-global"};
    const cn_problem *p = c->problem;
    const cn_matrix_facts *m = &facts->matrix;
    cn_json json = cn_put_start(stdout);
    cn_put_open(&json, NULL, '{');
    cn_put_text(&json, "problem", c->name);
    cn_put_text(&json, "file", c->path);
    cn_put_int(&json, "bytes", facts->bytes);
    cn_put_text(&json, "kind", kinds[p->kind]);
    cn_put_text(&json, "format", p->format);
    cn_put_int(&json, "dim", c->dim);
    cn_put_int(&json, "contacts", c->contacts);
    cn_put_int(&json, "unknowns", c->unknowns);
    if (p->kind == CN_PROBLEM_FRICTION_GLOBAL) {
        cn_put_int(&json, "dofs", p->global.dofs);
        cn_put_int(&json, "mass_entries", p->global.M.start[p->global.dofs]);
        cn_put_int(&json, "map_entries", p->global.H.start[p->global.dofs]);
    }
    cn_put_int(&json, "entries", m->nonzeros);
    cn_put_real(&json, "density", m->density);
    cn_put_real(&json, "blocks_per_row", m->blocks_mean);
    cn_put_int(&json, "blocks_per_row_max", m->blocks_max);
    cn_put_real(&json, "asymmetry", m->asymmetry);
    cn_put_real(&json, "diagonal_min", m->diagonal_min);
    cn_put_real(&json, "diagonal_max", m->diagonal_max);
    cn_put_int(&json, "islands", m->islands);
    cn_put_int(&json, "island_max", m->island_max);
    cn_put_real(&json, "q_norm", facts->q_norm);
    cn_put_int(&json, "pressing", facts->pressing);
    cn_put_real(&json, "mu_min", facts->mu_min);
    cn_put_real(&json, "mu_max", facts->mu_max);
    cn_put_bool(&json, "solution", p->r != NULL);
    cn_put_bool(&json, "guess", p->guess != NULL);
    cn_put_text(&json, "title", p->title);
    cn_put_text(&json, "description", p->description);
    cn_put_text(&json, "math_info", p->math_info);
    cn_put_close(&json, '}');
    cn_put_end(&json);
}

static int cn_info_problem(const char *path, bool json) {
    cn_case c;
    cn_error error;
    cn_info_facts facts;
    if (cn_case_open(NULL, path, CN_FORM_ASSEMBLED, &c, &error) != CN_OK) {
        return cn_report_error(&error);
    }
    int code = CN_EXIT_DONE;
    if (cn_info_gather(&c, &facts, &error) != CN_OK) {
        code = cn_report_error(&error);
    } else if (json) {
        cn_info_print_json(&c, &facts);
    } else {
        cn_info_print(&c, &facts);
    }
    cn_case_close(&c);
    return code;
}

static int cn_info_file(const char *path, bool json) {
    switch (cn_file_kind(path)) {
    case CN_FILE_RUN:
        return cn_info_run(path, json);
    case CN_FILE_SCENE:
        return cn_info_scene(path, json);
    default:
        return cn_info_problem(path, json);
    }
}

int cn_command_info(int argc, char **argv) {
    cn_info_job job = {.json = false};
    cn_parse_arguments(&cn_info_argp, argc, argv, &job);
    int code = CN_EXIT_DONE;
    for (int32_t i = 0; i < job.paths.count; i++) {
        code = cn_exit_join(code, cn_info_file(job.paths.words[i], job.json));
    }
    free(job.paths.words);
    return code;
}
