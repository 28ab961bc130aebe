// bench/cold.c
// How the time to solve a step from r = 0 to 1e-3 grows with the packing. Spheres settle in a box;
// the box stays, and from a row to the next there are ten times as many spheres and 2.15 times as
// many layers of them. Two problems of each packing:
//     moving   the step after 1 s as it is: the heap still falls and compacts
//     packing  gravity on spheres at rest, after 2 s, and swollen until there are three contacts a
//              sphere: every contact that is nearer than the gap which leaves so many is closed
#include "bench/bench.h"
#include "run/steps.h"
#include "support/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLD_TOLERANCE 1e-3
#define COLD_MOVING 1.0   // [s] that the spheres have fallen
#define COLD_PACKED 2.0   // [s] until they are at rest
#define COLD_CONTACTS 3   // closed ones a sphere: each has six neighbours
#define COLD_TIME 60.0    // [s] of CPU that a solve may take
#define COLD_ENOUGH 0.2   // [s] of CPU that repeated solves take, after which they are enough
#define COLD_EXPONENT 1.4 // asked of the packing, from the smallest to the largest
#define COLD_ROW 6        // velocities of a body

typedef struct cold_case {
    const char *count, *radius, *gap, *alert;
} cold_case;

// The same heap of ever smaller spheres: as wide and as high, its gaps and the distance at which a
// pair is looked at the same share of a radius.
static const cold_case cold_cases[] = {{"1000", "0.4642", "0.0232", "0.139"},
                                       {"10000", "0.2154", "0.0108", "0.0646"},
                                       {"100000", "0.1", "0.005", "0.03"}};

typedef enum cold_kind { COLD_IS_MOVING, COLD_IS_PACKING, COLD_KINDS } cold_kind;
static const char *const cold_kind_name[COLD_KINDS] = {"moving", "packing"};

// Size and time of a solved problem; 0 spheres: none.
typedef struct cold_mark {
    double spheres, cpu_s;
} cold_mark;

typedef struct cold_run {
    const bench_job *job;
    row_table table;
    double spheres;
    cold_mark first[COLD_KINDS], last[COLD_KINDS];
    int code;
} cold_run;

static double cold_exponent(const cold_mark *from, const cold_mark *to) {
    return from->spheres > 0.0 && to->spheres > from->spheres
               ? log(to->cpu_s / from->cpu_s) / log(to->spheres / from->spheres)
               : (double)NAN;
}

static const row_column cold_columns[] = {{"problem", "problem", -7, 0, 0.0},
                                          {"spheres", "spheres", 7, 7, 0.0},
                                          {"contacts", "contacts", 8, 0, 0.0},
                                          {"outcome", "outcome", -9, 0, 0.0},
                                          {"iterations", "iterations", 10, 0, 0.0},
                                          {"cpu_s", "CPU [s]", 8, 3, 0.0},
                                          {"residual", "residual", 9, 3, 0.0},
                                          {"exponent", "exponent", 8, 3, 0.0},
                                          {NULL, NULL, 0, 0, 0.0}};

static void cold_print(cold_run *run, cold_kind kind, const cn_friction *p,
                       const cn_solve_report *report, double exponent) {
    row_table *table = &run->table;
    row_text(table, cold_kind_name[kind]);
    row_real(table, run->spheres);
    row_int(table, p->contacts);
    row_ink(table, report->outcome == CN_SOLVED ? INK_GOOD : INK_BAD);
    row_text(table, cn_outcome_text(report->outcome));
    row_int(table, report->iterations);
    row_real(table, report->cpu_s);
    row_real(table, report->grade.residual);
    row_real(table, exponent);
}

// The shortest of some solves, which are all the same but for their time.
static cn_status cold_solve(const cold_run *run, const cn_friction *p, double *r, double *u,
                            cn_arena *scratch, cn_solve_report *best, cn_error *error) {
    const cn_friction_solver *solver = cn_friction_solver_find("auto");
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    double spent = 0.0;
    opts.tolerance = COLD_TOLERANCE;
    opts.time_limit = COLD_TIME;
    for (int32_t i = 0; i < run->job->repeats && spent < COLD_ENOUGH && !interrupted(); i++) {
        cn_solve_report report;
        memset(r, 0, sizeof *r * (size_t)p->dim * (size_t)p->contacts);
        CN_TRY(cn_friction_solve(p, solver, &opts, scratch, r, u, &report, error));
        *best = i == 0 || report.cpu_s < best->cpu_s ? report : *best;
        spent += report.cpu_s;
    }
    return CN_OK;
}

static void cold_measure(cold_run *run, cold_kind kind, const cn_friction *p) {
    int64_t size = (int64_t)p->dim * p->contacts;
    double *r = ALLOCATE(double, size), *u = ALLOCATE(double, size);
    cn_solve_report report = {.outcome = CN_LIMIT};
    cn_error error = {.status = CN_OK};
    cn_arena *scratch = cn_arena_create(NULL);
    if (!scratch || cold_solve(run, p, r, u, scratch, &report, &error) != CN_OK) {
        run->code = scratch ? report_error(&error) : report_failure("out of memory");
    } else if (!interrupted()) {
        cold_mark now = {run->spheres, report.cpu_s};
        cold_print(run, kind, p, &report, cold_exponent(&run->last[kind], &now));
        bool solved = report.outcome == CN_SOLVED;
        run->code = exit_join(run->code, solved ? EXIT_DONE : EXIT_TOLERANCE);
        run->last[kind] = solved ? now : (cold_mark){0.0, 0.0};
        run->first[kind] = run->first[kind].spheres > 0.0 ? run->first[kind] : run->last[kind];
    }
    cn_arena_destroy(scratch);
    free(r);
    free(u);
}

// The gap that leaves COLD_CONTACTS closed contacts a sphere.
static double cold_swelling(const cold_run *run, const double *gap, int32_t contacts) {
    int64_t closed = COLD_CONTACTS * (int64_t)run->spheres;
    double *sorted = ALLOCATE(double, contacts);
    memcpy(sorted, gap, sizeof *gap * (size_t)contacts);
    qsort(sorted, (size_t)contacts, sizeof *sorted, compare_reals);
    double swelling = sorted[(closed < contacts ? closed : contacts) - 1];
    free(sorted);
    return swelling;
}

// q of gravity alone: H' (g h), and for contacts that stay open the speed that closes them.
static void cold_gravity(const cold_run *run, const cn_sim *sim, const cn_friction *p, double *q) {
    double h = cn_sim_time(sim) / (double)cn_sim_step_index(sim);
    cn_steering steering = cn_sim_steering(sim);
    const cn_body_map *body = &p->W.body;
    double *gap = ALLOCATE(double, p->contacts);
    for (int32_t a = 0; a < p->contacts; a++) {
        cn_contact_record contact;
        cn_sim_contact(sim, a, &contact);
        gap[a] = contact.gap;
    }
    double swelling = cold_swelling(run, gap, p->contacts);
    for (int32_t a = 0; a < p->contacts; a++) {
        double *own = q + (int64_t)p->dim * a;
        memset(own, 0, sizeof *own * (size_t)p->dim);
        own[0] = gap[a] > swelling ? (gap[a] - swelling) / h : 0.0;
        for (int64_t k = body->start[a]; k < body->start[a + 1]; k++) {
            int32_t axis = body->dof[k] % COLD_ROW;
            double falls = axis < 3 ? steering.gravity[axis] * h : 0.0;
            for (int32_t i = 0; i < p->dim; i++) {
                own[i] += body->H[p->dim * k + i] * falls;
            }
        }
    }
    free(gap);
}

static bool cold_visit(void *user, cn_sim *sim, const cn_step_report *report) {
    cold_run *run = user;
    const double *r, *u;
    bool moving = fabs(report->t - COLD_MOVING) < STEPS_SLACK,
         packed = fabs(report->t - COLD_PACKED) < STEPS_SLACK;
    const cn_friction *p = moving || packed ? cn_sim_problem(sim, &r, &u) : NULL;
    if (moving && p) {
        cold_measure(run, COLD_IS_MOVING, p);
    } else if (packed && p) {
        cn_friction still = *p;
        still.q = ALLOCATE(double, (int64_t)p->dim * p->contacts);
        cold_gravity(run, sim, p, still.q);
        cold_measure(run, COLD_IS_PACKING, &still);
        free(still.q);
    }
    return run->code == EXIT_DONE || run->code == EXIT_TOLERANCE;
}

int bench_cold(const bench_job *job) {
    cold_run run = {.job = job,
                    .table = row_table_start(stdout, job->json, "cold", cold_columns),
                    .code = EXIT_DONE};
    for (size_t i = 0; i < sizeof cold_cases / sizeof *cold_cases && !interrupted(); i++) {
        const cold_case *c = &cold_cases[i];
        if (job->sizes && !bench_wants(job, c->count)) {
            continue;
        }
        const cn_override set[] = {{"generate.packing.count", c->count},
                                   {"generate.packing.radius", c->radius},
                                   {"generate.packing.gap", c->gap},
                                   {"detection.alert", c->alert}};
        run.spheres = strtod(c->count, NULL);
        run.code =
            exit_join(run.code, steps_run("settling-large", set, 4, COLD_PACKED, cold_visit, &run));
    }
    double exponent = cold_exponent(&run.first[COLD_IS_PACKING], &run.last[COLD_IS_PACKING]);
    if (!job->json && isfinite(exponent)) {
        printf("  packing, exponent from the smallest to the largest: %.2f, asked below %g%s\n",
               exponent, COLD_EXPONENT, exponent < COLD_EXPONENT ? "" : " (short of it)");
    }
    return run.code;
}
