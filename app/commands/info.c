// app/commands/info.c
// cairn info: what a file holds; for a problem, the facts that show how hard it is.
#include "commands/info.h"
#include "commands/problem_facts.h"
#include "support/arguments.h"
#include "support/file_kind.h"
#include "support/json.h"
#include "support/problem_file.h"
#include "support/support.h"
#include "support/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef struct info_job {
    bool json;
    word_list paths;
} info_job;

static const command_option info_options[] = {JSON_LINES_OPTION(info_job), {0}};

static const command_line info_line = {
    .options = info_options,
    .args_doc = "FILE...",
    ALL_ARGUMENTS(info_job, paths),
    .missing = "no file given; see cairn info --help",
    .doc = "Print what a run, scene or problem file holds, and where it comes from."};

// ---- gathering ----

typedef struct info_facts {
    matrix_facts matrix; // of W, or of the M of an LCP
    double q_norm;
    int32_t pressing; // contacts with q_N < 0
    double mu_min, mu_max;
    int64_t bytes; // size of the file
} info_facts;

static void info_q(info_facts *facts, const problem_file *c, const double *q, const double *mu) {
    facts->q_norm = max_norm(q, c->unknowns);
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

int64_t file_bytes(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 ? (int64_t)about.st_size : 0;
}

static cn_status info_gather(problem_file *c, info_facts *facts, cn_error *error) {
    *facts = (info_facts){.bytes = file_bytes(c->path)};
    if (problem_file_is_lcp(c)) {
        cn_bsr M = bsr_view(&c->problem->lcp.M);
        matrix_facts_find(&M, &facts->matrix);
        info_q(facts, c, c->problem->lcp.q, NULL);
        return CN_OK;
    }
    const cn_friction *p = problem_file_friction(c, CN_TAKES_ASSEMBLED, error);
    if (!p) {
        return error->status;
    }
    matrix_facts_find(&p->W.assembled, &facts->matrix);
    info_q(facts, c, p->q, p->mu);
    return CN_OK;
}

// ---- for people ----

static void info_print_global(const cn_friction_global *g) {
    int64_t mass = g->M.start[g->dofs], map = g->H.start[g->dofs];
    printf("  M           %d x %d, %lld entries, |f| %.4g\n", (int)g->dofs, (int)g->dofs,
           (long long)mass, max_norm(g->f, g->dofs));
    printf("  H           %d x %d, %lld entries, |w| %.4g\n", (int)g->H.rows, (int)g->H.cols,
           (long long)map, max_norm(g->w, g->H.cols));
}

static void info_print(const problem_file *c, const info_facts *facts) {
    const cn_problem *p = c->problem;
    const matrix_facts *m = &facts->matrix;
    bool lcp = problem_file_is_lcp(c);
    print_safe(stdout, c->path);
    printf("\n  kind        %s\n", problem_kind_text(p));
    printf("  format      %s, %lld bytes\n", p->format ? p->format : "unknown",
           (long long)facts->bytes);
    if (lcp) {
        printf("  unknowns    %d\n", (int)c->contacts);
    } else {
        printf("  contacts    %d (%lld unknowns)\n", (int)c->contacts, (long long)c->unknowns);
    }
    if (p->kind == CN_PROBLEM_FRICTION_GLOBAL) {
        info_print_global(&p->global);
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
            print_wrapped(stdout, labels[i], 14, texts[i]);
        }
    }
}

// ---- as JSON ----

static void info_print_json(const problem_file *c, const info_facts *facts) {
    static const char *const kinds[] = {"lcp", "friction", "friction-global"};
    const cn_problem *p = c->problem;
    const matrix_facts *m = &facts->matrix;
    json_writer json = put_start(stdout);
    put_open(&json, NULL, '{');
    put_text(&json, "problem", c->name);
    put_text(&json, "file", c->path);
    put_int(&json, "bytes", facts->bytes);
    put_text(&json, "kind", kinds[p->kind]);
    put_text(&json, "format", p->format);
    put_int(&json, "dim", c->dim);
    put_int(&json, "contacts", c->contacts);
    put_int(&json, "unknowns", c->unknowns);
    if (p->kind == CN_PROBLEM_FRICTION_GLOBAL) {
        put_int(&json, "dofs", p->global.dofs);
        put_int(&json, "mass_entries", p->global.M.start[p->global.dofs]);
        put_int(&json, "map_entries", p->global.H.start[p->global.dofs]);
    }
    put_int(&json, "entries", m->nonzeros);
    put_real(&json, "density", m->density);
    put_real(&json, "blocks_per_row", m->blocks_mean);
    put_int(&json, "blocks_per_row_max", m->blocks_max);
    put_real(&json, "asymmetry", m->asymmetry);
    put_real(&json, "diagonal_min", m->diagonal_min);
    put_real(&json, "diagonal_max", m->diagonal_max);
    put_int(&json, "islands", m->islands);
    put_int(&json, "island_max", m->island_max);
    put_real(&json, "q_norm", facts->q_norm);
    put_int(&json, "pressing", facts->pressing);
    put_real(&json, "mu_min", facts->mu_min);
    put_real(&json, "mu_max", facts->mu_max);
    put_bool(&json, "solution", p->r != NULL);
    put_bool(&json, "guess", p->guess != NULL);
    put_text(&json, "title", p->title);
    put_text(&json, "description", p->description);
    put_text(&json, "math_info", p->math_info);
    put_close(&json, '}');
    put_end(&json);
}

static int info_problem(const char *path, bool json) {
    problem_file c;
    cn_error error;
    info_facts facts;
    if (problem_file_open(NULL, path, FORM_ASSEMBLED, &c, &error) != CN_OK) {
        return report_error(&error);
    }
    int code = EXIT_DONE;
    if (info_gather(&c, &facts, &error) != CN_OK) {
        code = report_error(&error);
    } else if (json) {
        info_print_json(&c, &facts);
    } else {
        info_print(&c, &facts);
    }
    problem_file_close(&c);
    return code;
}

static int info_known(const char *path, bool json) {
    switch (file_kind(path)) {
    case FILE_RUN:
        return info_run(path, json);
    case FILE_SCENE:
        return info_scene(path, json);
    default:
        return info_problem(path, json);
    }
}

static int info_file(const char *input, bool json) {
    char *gallery;
    const char *path = file_or_gallery(input, &gallery);
    int code = file_refuse(path, FILE_RUN | FILE_SCENE | FILE_PROBLEM);
    code = code == EXIT_DONE ? info_known(path, json) : code;
    free(gallery);
    return code;
}

int command_info(int argc, char **argv) {
    info_job job = {.json = false};
    parse_arguments(&info_line, argc, argv, &job);
    int code = EXIT_DONE;
    for (int32_t i = 0; i < job.paths.count; i++) {
        code = exit_join(code, info_file(job.paths.words[i], job.json));
    }
    free(job.paths.words);
    return code;
}
