// bench/deformable.c
// Deformable bodies: time of a step by phases, and whether every step reached its tolerance.
// Walls of elastic blocks of 8 triangles, suddenly loaded by their weight (Jean 1999, section 8): that
// of the paper to 1e-5 for 200 steps, and one of 1e4 blocks to 1e-4 for 100. Four stacked cubes of 4 x
// 4 x 4 h8 to 1e-6. A cube of 1e5 degrees of freedom on a foot, after the steps in which columns of
// its compliance are first asked for. A heap of 1000 small cubes that fall on one another for 1 s.
// Beside the walls the operator of the small one made the plain way (bench/condensation.c), which assembly
// and factorisation must beat.
#include "bench/bench.h"
#include "bench/condensation.h"

#include "support/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct deformable_case {
    const char *label, *mark, *tolerance, *scene;
    int32_t warm, steps; // not timed, and timed
    bool condensed;      // the plain operator too
} deformable_case;

#define WALL(courses)                                                                              \
    "cairn: 1\ndimension: 2\ntime: {step: 1e-4, until: 1}\nintegrator: {theta: 1}\n"               \
    "materials: {brick: {density: 500, young: 1.0e6, poisson: 0.3}, ground: {density: 1}}\n"       \
    "contacts: [{between: [\"*\", \"*\"], friction: 0.5}]\nbodies:\n"                              \
    "  - {fixed: true, material: ground, shape: {line: {normal: [0, 1]}}}\n"                       \
    "generate:\n"                                                                                  \
    "  - wall: {courses: " courses ", bricks: " courses ", size: [0.1, 0.05], ends: shifted,\n"    \
    "      material: brick, deformable: {strain: small, candidates: midpoints, mesh: {box:\n"      \
    "        {cells: [2, 2], element: t3, pattern: union-jack}}}}\n"
#define SPACE                                                                                      \
    "cairn: 1\ntime: {step: 1e-3, until: 9}\n"                                                     \
    "materials: {m: {density: 1000, young: 1.0e7, poisson: 0.3}, g: {density: 1}}\n"               \
    "contacts: [{between: [\"*\", \"*\"], friction: 0.5}]\nbodies:\n"
#define PLANE "  - {material: g, fixed: true, shape: {plane: {normal: [0, 0, 1]}}}\n"
#define CUBE(z, cells)                                                                             \
    "  - {material: m, position: [0, 0, " z "], deformable: {mesh: {box: {size: [1, 1, 1], "       \
    "cells: [" cells ", " cells ", " cells "]}}}}\n"

static const deformable_case deformable_cases[] = {
    {"wall of 144 blocks", "wall-144", "1e-5", WALL("12"), 0, 200, true},
    {"wall of 10000 blocks", "wall-10000", "1e-4", WALL("100"), 0, 100, false},
    {"4 cubes of 64 h8", "cubes-4", "1e-6",
     SPACE PLANE CUBE("0.5", "4") CUBE("1.5", "4") CUBE("2.5", "4") CUBE("3.5", "4"), 5, 200,
     false},
    {"cube of 32768 h8", "cube-1e5", "1e-6",
     SPACE "  - {material: g, fixed: true, position: [0, 0, -0.5],\n"
           "     shape: {box: {size: [0.55, 0.55, 1]}}}\n" CUBE("0.5", "32"),
     2, 5, false},
    {"heap of 1000 cubes", "heap-1000", "1e-4",
     SPACE PLANE
     "generate:\n"
     "  - grid: {count: [10, 10, 10], spacing: [0.13, 0.13, 0.13], position: [0, 0, 0.1],\n"
     "      jitter: 0.5, material: m, shape: {box: {size: [0.1, 0.1, 0.1]}},\n"
     "      deformable: {mesh: {box: {cells: [2, 2, 2]}}}}\n",
     0, 1000, false},
};

// The shortest times of a step, and what the rounds have in common.
typedef struct deformable_time {
    double step, detect, assemble, solve, advance; // [s] of CPU, means over the steps
    double iterations, residual;
    int32_t contacts, unsolved;
    condensation plain;
} deformable_time;

static cn_status deformable_read(const deformable_case *c, cn_model **model, cn_error *error) {
    char *text = format_text("%ssolver: {tolerance: %s}\n", c->scene, c->tolerance);
    cn_status status =
        cn_scene_read_text(NULL, c->label, text, strlen(text), NULL, 0, model, error);
    free(text);
    return status;
}

static cn_status deformable_run(const deformable_case *c, deformable_time *best, cn_error *error) {
    cn_model *model = NULL;
    cn_sim *sim = NULL;
    deformable_time sum = {.step = 0.0, .plain = {(double)NAN, (double)NAN}};
    cn_status status = deformable_read(c, &model, error);
    status = status == CN_OK ? cn_sim_create(model, NULL, &sim, error) : status;
    for (int32_t i = 0; i < c->warm && status == CN_OK && !interrupted(); i++) {
        cn_step_report report;
        status = cn_sim_step(sim, &report, error);
    }
    double cpu = cpu_clock(), share = 1.0 / c->steps;
    for (int32_t i = 0; i < c->steps && status == CN_OK && !interrupted(); i++) {
        cn_step_report report;
        status = cn_sim_step(sim, &report, error);
        sum.detect += share * report.cpu_detect;
        sum.assemble += share * report.cpu_assemble;
        sum.solve += share * report.cpu_solve;
        sum.advance += share * report.cpu_advance;
        sum.iterations += share * report.iterations;
        sum.residual = fmax(sum.residual, report.residual);
        sum.unsolved += report.outcome != CN_SOLVED;
        sum.contacts = report.contacts;
    }
    sum.step = share * (cpu_clock() - cpu);
    if (status == CN_OK && c->condensed && !interrupted()) {
        status = condensation_of(sim, &sum.plain, error);
    }
    if (sum.step < best->step) {
        *best = sum;
    }
    cn_sim_destroy(sim);
    cn_model_destroy(model);
    return status;
}

static const row_column deformable_columns[] = {{"scene", "scene", -22, 0, 0.0},
                                                {"contacts", "contacts", 8, 0, 0.0},
                                                {"step_s", "step [ms]", 9, 3, 1e-3},
                                                {"detect_s", "detect", 8, 3, 1e-3},
                                                {"assemble_s", "assemble", 8, 3, 1e-3},
                                                {"solve_s", "solve", 8, 3, 1e-3},
                                                {"advance_s", "advance", 8, 3, 1e-3},
                                                {"iterations", "iterations", 10, 3, 0.0},
                                                {"residual", "residual", 9, 2, 0.0},
                                                {"plain_s", "plain W", 8, 3, 1e-3},
                                                {"plain_difference", "differs", 9, 1, 0.0},
                                                {"unsolved", "unsolved", 8, 0, 0.0},
                                                {NULL, NULL, 0, 0, 0.0}};

int bench_deformable(const bench_job *job) {
    cn_error error = {.status = CN_OK};
    cn_status status = CN_OK;
    row_table table = row_table_start(stdout, job->json, "deformable", deformable_columns);
    for (size_t i = 0; i < sizeof deformable_cases / sizeof deformable_cases[0]; i++) {
        const deformable_case *c = &deformable_cases[i];
        deformable_time best = {.step = HUGE_VAL};
        if (job->sizes && !bench_wants(job, c->mark)) {
            continue;
        }
        for (int32_t round = 0; round < job->repeats && status == CN_OK && !interrupted();
             round++) {
            status = deformable_run(c, &best, &error);
        }
        if (status != CN_OK || interrupted()) {
            break;
        }
        row_text(&table, c->label);
        row_int(&table, best.contacts);
        row_real(&table, best.step);
        row_real(&table, best.detect);
        row_real(&table, best.assemble);
        row_real(&table, best.solve);
        row_real(&table, best.advance);
        row_real(&table, best.iterations);
        row_real(&table, best.residual);
        row_real(&table, best.plain.time);
        row_real(&table, best.plain.difference);
        row_ink(&table, best.unsolved == 0 ? INK_GOOD : INK_BAD);
        row_int(&table, best.unsolved);
    }
    return status == CN_OK ? EXIT_DONE : report_error(&error);
}
