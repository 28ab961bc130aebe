// The problems that ship in corpus/: the default solver solves each, and the checker agrees.
#include "check.h"

#include <cairn/cairn.h>
#include <glob.h>
#include <stdlib.h>

#define CN_CORPUS_TOLERANCE 1e-8

// What the files have shown.
typedef struct cn_corpus_count {
    int32_t files, plane, space, stored;
} cn_corpus_count;

static void check_residual(const char *path, const char *what, double residual) {
    if (!(residual <= CN_CORPUS_TOLERANCE)) {
        print_error("%s: %s has residual %.3g, above %g\n", path, what, residual,
                    CN_CORPUS_TOLERANCE);
        fail();
    }
}

// Solves the problem from zero; the stored solution, where there is one, is graded beside it.
static void cn_check_file(const char *path, cn_corpus_count *count) {
    cn_problem *problem = NULL;
    cn_arena *scratch = cn_arena_create(NULL);
    assert_int_equal(cn_problem_read(NULL, path, &problem, NULL), CN_OK);
    assert_int_equal(problem->kind, CN_PROBLEM_FRICTION);
    const cn_friction *p = &problem->friction;
    cn_grade grade;
    if (problem->r) {
        assert_int_equal(cn_friction_grade(p, problem->r, problem->u, scratch, &grade), CN_OK);
        check_residual(path, "the stored solution", grade.residual);
        count->stored++;
    }

    const cn_friction_solver *solver = cn_friction_solver_find("auto");
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    opts.tolerance = CN_CORPUS_TOLERANCE;
    cn_solve_report report;
    double *r = calloc((size_t)p->dim * (size_t)p->contacts, sizeof *r);
    double *u = calloc((size_t)p->dim * (size_t)p->contacts, sizeof *u);
    assert_int_equal(cn_friction_solve(p, solver, &opts, scratch, r, u, &report, NULL), CN_OK);
    assert_int_equal(report.outcome, CN_SOLVED);
    assert_int_equal(cn_friction_grade(p, r, u, scratch, &grade), CN_OK);
    check_residual(path, "the answer of auto", grade.residual);
    count->files++;
    count->plane += p->dim == 2;
    count->space += p->dim == 3;
    free(r);
    free(u);
    cn_arena_destroy(scratch);
    cn_problem_destroy(problem);
}

CN_TEST(auto_solves_every_shipped_problem) {
    glob_t found;
    cn_corpus_count count = {.files = 0};
    assert_int_equal(glob(CAIRN_SOURCE_DIR "/corpus/*.hdf5", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        cn_check_file(found.gl_pathv[i], &count);
    }
    globfree(&found);
    assert_int_equal(count.files, 18);
    assert_int_equal(count.stored, 18);
    CN_CHECK_TRUE(count.plane >= 4 && count.space >= 14);
}

// Steps of deformable bodies: a wall of elastic blocks, stacked cubes, a sheet between tools.
CN_TEST(auto_solves_steps_of_deformable_bodies) {
    const char *corpus = getenv("CAIRN_CORPUS");
    if (!corpus) {
        CN_SKIP("CAIRN_CORPUS is not set");
    }
    glob_t found;
    cn_corpus_count count = {.files = 0};
    char pattern[600];
    snprintf(pattern, sizeof pattern, "%s/deformable/*.hdf5", corpus);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        cn_check_file(found.gl_pathv[i], &count);
    }
    globfree(&found);
    CN_CHECK_TRUE(count.files >= 5 && count.plane >= 3 && count.space >= 2);
}
