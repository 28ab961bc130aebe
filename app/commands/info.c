// app/commands/info.c
// cairn info: what a file holds; for a problem, the facts that show how hard it is.
#include "commands/info.h"
#include "commands/problem_facts.h"
#include "support/arguments.h"
#include "support/facts.h"
#include "support/file_kind.h"
#include "support/problem_file.h"
#include "support/support.h"

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

// ---- the list ----

static const fact_line head_lines[] = {{"kind", "{kind_text}", false},
                                       {"format", "{format}, {bytes} bytes", false},
                                       {NULL, NULL, false}};

static const fact_line lcp_lines[] = {{"unknowns", "{unknowns}", false}, {NULL, NULL, false}};

static const fact_line lcp_matrix_lines[] = {
    {"M",
     "{entries} entries, density {percent} %, entries a row {blocks_per_row} (at most "
     "{blocks_per_row_max})",
     false},
    {"symmetry", "|A - A'| / |A| = {asymmetry}", false},
    {"diagonal", "{diagonal_min} to {diagonal_max}", false},
    {"islands", "{islands} (unknowns in the largest: {island_max})", false},
    {"|q|", "{q_norm}, {pressing} of {contacts} entries negative", false},
    {NULL, NULL, false}};

static const fact_line friction_lines[] = {
    {"contacts", "{contacts} ({unknowns} unknowns)", false},
    {"M", "{dofs} x {dofs}, {mass_entries} entries, |f| {f_norm}", false},
    {"H", "{map_rows} x {map_columns}, {map_entries} entries, |w| {w_norm}", false},
    {NULL, NULL, false}};

static const fact_line friction_matrix_lines[] = {
    {"W",
     "{entries} entries, density {percent} %, blocks a row {blocks_per_row} (at most "
     "{blocks_per_row_max})",
     false},
    {"symmetry", "|A - A'| / |A| = {asymmetry}", false},
    {"diagonal", "{diagonal_min} to {diagonal_max}", false},
    {"islands", "{islands} (contacts in the largest: {island_max})", false},
    {"|q|", "{q_norm}, {pressing} of {contacts} contacts pressing (q_N < 0)", false},
    {"mu", "{mu_min} to {mu_max}", false},
    {NULL, NULL, false}};

static const fact_line stored_lines[] = {{"stored", "{solution}; {guess}", false},
                                         {"title", "{title}", true},
                                         {"about", "{description}", true},
                                         {"math", "{math_info}", true},
                                         {NULL, NULL, false}};

static void put_global(fact_list *list, const cn_friction_global *g) {
    fact_int(list, "dofs", g->dofs);
    fact_int(list, "mass_entries", g->M.start[g->dofs]);
    fact_int(list, "map_entries", g->H.start[g->dofs]);
    fact_say(list, "f_norm", "%.4g", max_norm(g->f, g->dofs));
    fact_say(list, "w_norm", "%.4g", max_norm(g->w, g->H.cols));
    fact_say(list, "map_rows", "%d", (int)g->H.rows);
    fact_say(list, "map_columns", "%d", (int)g->H.cols);
}

static void put_matrix(fact_list *list, const matrix_facts *m) {
    fact_int(list, "entries", m->nonzeros);
    fact_say(list, "percent", "%.3g", 100.0 * m->density);
    fact_real(list, "density", 3, m->density);
    fact_real(list, "blocks_per_row", 3, m->blocks_mean);
    fact_int(list, "blocks_per_row_max", m->blocks_max);
    fact_real(list, "asymmetry", 3, m->asymmetry);
    fact_real(list, "diagonal_min", 4, m->diagonal_min);
    fact_real(list, "diagonal_max", 4, m->diagonal_max);
    fact_int(list, "islands", m->islands);
    fact_int(list, "island_max", m->island_max);
}

static void put_problem(fact_list *list, const problem_file *c, const info_facts *facts) {
    static const char *const kinds[] = {"lcp", "friction", "friction-global"};
    const cn_problem *p = c->problem;
    fact_text(list, "problem", c->name);
    fact_text(list, "file", c->path);
    fact_int(list, "bytes", facts->bytes);
    fact_text(list, "kind", kinds[p->kind]);
    fact_say(list, "kind_text", "%s", problem_kind_text(p));
    fact_text(list, "format", p->format);
    fact_int(list, "dim", c->dim);
    fact_int(list, "contacts", c->contacts);
    fact_int(list, "unknowns", c->unknowns);
    if (p->kind == CN_PROBLEM_FRICTION_GLOBAL) {
        put_global(list, &p->global);
    }
    put_matrix(list, &facts->matrix);
    fact_real(list, "q_norm", 4, facts->q_norm);
    fact_int(list, "pressing", facts->pressing);
    fact_real(list, "mu_min", 4, facts->mu_min);
    fact_real(list, "mu_max", 4, facts->mu_max);
    fact_bool(list, "solution", p->r != NULL, "a solution", "no solution");
    fact_bool(list, "guess", p->guess != NULL, "a first guess", "no first guess");
    fact_text(list, "title", p->title);
    fact_text(list, "description", p->description);
    fact_text(list, "math_info", p->math_info);
}

static void info_problem_write(const problem_file *c, bool json, const info_facts *facts) {
    bool lcp = problem_file_is_lcp(c);
    fact_list list = facts_start(stdout, json);
    put_problem(&list, c, facts);
    facts_title(&list, c->path);
    facts_print(&list, 14, head_lines);
    facts_print(&list, 14, lcp ? lcp_lines : friction_lines);
    if (c->contacts > 0) {
        facts_print(&list, 14, lcp ? lcp_matrix_lines : friction_matrix_lines);
    }
    facts_print(&list, 14, stored_lines);
    facts_end(&list);
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
    } else {
        info_problem_write(&c, json, &facts);
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
