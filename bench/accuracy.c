// bench/accuracy.c
// What a tolerance means for what a user sees: spheres poured into a box, and structures that
// should stay where they are. docs/guide/accuracy.md has the table that this prints.
#include "bench/bench.h"
#include "run/steps.h"
#include "support/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ACCURACY_TAIL 0.1 // [s] at the end, over which the force on what is fixed is averaged
#define ACCURACY_ROWS 6

typedef struct accuracy_case {
    const char *scene;
    double until; // [s]
    const char *tolerance[ACCURACY_ROWS], *settle[ACCURACY_ROWS];
} accuracy_case;

static const accuracy_case accuracy_cases[] = {
    {.scene = "pouring",
     .until = 3.0,
     .tolerance = {"1e-2", "1e-3", "1e-3", "1e-4"},
     .settle = {"30", "0", "30", "30"}},
    {.scene = "masonry-wall",
     .until = 60.0,
     .tolerance = {"1e-2", "1e-2", "1e-3", "1e-3", "1e-4", "1e-6"},
     .settle = {"0", "30", "0", "30", "30", "0"}},
    {.scene = "masonry-arch",
     .until = 60.0,
     .tolerance = {"1e-2", "1e-2", "1e-3", "1e-3", "1e-6", "1e-8"},
     .settle = {"0", "30", "0", "30", "0", "0"}},
};
#define ACCURACY_CASES ((int32_t)(sizeof accuracy_cases / sizeof *accuracy_cases))

typedef struct accuracy_run {
    double until;
    int32_t bodies, pose; // pose: numbers of a body
    bool *fixed;
    double *start, *now; // poses after the first step, and at the end
    double weight;       // [N] of what is free
    int64_t steps, unsolved, iterations;
    double cpu, penetration, kinetic;
    double impulse, tail; // [N s] upwards from what is fixed, in the last so many [s]
    double moved;         // [m] largest displacement of a body
    double height;        // [m] mean of what is free
} accuracy_run;

// false: no memory.
static bool accuracy_begin(accuracy_run *a, cn_sim *sim) {
    const cn_model *model = cn_sim_model(sim);
    int32_t dim = cn_model_dim(model);
    a->bodies = cn_model_body_count(model);
    a->pose = dim == 3 ? 7 : 3;
    size_t numbers = (size_t)a->pose * (size_t)a->bodies;
    a->start = calloc(2 * numbers, sizeof *a->start);
    a->fixed = calloc((size_t)a->bodies, sizeof *a->fixed);
    if (!a->start || !a->fixed) {
        return false;
    }
    a->now = a->start + numbers;
    for (int32_t b = 0; b < a->bodies; b++) {
        cn_body_info info;
        cn_model_body(model, (cn_body_id)(b + 1), &info);
        a->fixed[b] = strcmp(info.kind, "rigid") != 0;
        a->weight += a->fixed[b] ? 0.0 : 9.81 * info.mass;
    }
    cn_sim_poses(sim, a->start);
    return true;
}

static void accuracy_force(accuracy_run *a, const cn_sim *sim) {
    int32_t up = a->pose == 7 ? 2 : 1;
    for (int32_t i = 0; i < cn_sim_contact_count(sim); i++) {
        cn_contact_record contact;
        cn_sim_contact(sim, i, &contact);
        bool below = a->fixed[contact.antagonist - 1], above = a->fixed[contact.candidate - 1];
        a->impulse += (below - above) * contact.impulse[up];
    }
}

static bool accuracy_note(void *user, cn_sim *sim, const cn_step_report *report) {
    accuracy_run *a = user;
    if (!a->start && !accuracy_begin(a, sim)) {
        return false;
    }
    a->steps++;
    a->unsolved += report->outcome != CN_SOLVED;
    a->iterations += report->iterations;
    a->cpu += report->cpu_detect + report->cpu_assemble + report->cpu_solve + report->cpu_advance;
    a->penetration = report->penetration_max;
    a->kinetic = report->kinetic;
    if (report->t > a->until - ACCURACY_TAIL) {
        accuracy_force(a, sim);
        a->tail += a->steps > 0 ? report->t / (double)a->steps : 0.0;
        cn_sim_poses(sim, a->now);
    }
    return true;
}

static void accuracy_end(accuracy_run *a) {
    int32_t dim = a->pose == 7 ? 3 : 2, count = 0;
    for (int32_t b = 0; b < a->bodies; b++) {
        double square = 0.0;
        for (int32_t i = 0; i < dim; i++) {
            double d = a->now[a->pose * b + i] - a->start[a->pose * b + i];
            square += d * d;
        }
        a->moved = a->fixed[b] ? a->moved : fmax(a->moved, sqrt(square));
        a->height += a->fixed[b] ? 0.0 : a->now[a->pose * b + dim - 1];
        count += !a->fixed[b];
    }
    a->height /= count > 0 ? count : 1;
}

static const row_column accuracy_columns[] = {{"scene", "scene", -13, 0, 0.0},
                                              {NULL, "t [s]", 5, 0, 0.0},
                                              {"tolerance", "tolerance", 9, 0, 0.0},
                                              {"settle", "settle", 6, 0, 0.0},
                                              {"penetration", "overlap [m]", 11, 2, 0.0},
                                              {"moved", "moved [m]", 9, 2, 0.0},
                                              {"height", "mean height [m]", 15, 5, 0.0},
                                              {"kinetic", "E_kin [J]", 9, 1, 0.0},
                                              {"force_error", "force/weight-1", 14, 2, 0.0},
                                              {"unsolved", "unsolved", 8, 0, 0.0},
                                              {"steps", "of steps", 8, 0, 0.0},
                                              {"iterations_mean", "iterations", 10, 3, 0.0},
                                              {"cpu_s", "CPU [s]", 7, 3, 0.0},
                                              {NULL, NULL, 0, 0, 0.0}};

static void accuracy_print(row_table *table, const accuracy_case *c, int32_t row,
                           const accuracy_run *a) {
    row_text(table, c->scene);
    row_real(table, a->until);
    row_text(table, c->tolerance[row]);
    row_text(table, c->settle[row]);
    row_real(table, a->penetration);
    row_real(table, a->moved);
    row_real(table, a->height);
    row_real(table, a->kinetic);
    row_real(table,
             a->tail > 0.0 && a->weight > 0.0 ? a->impulse / (a->tail * a->weight) - 1.0 : 0.0);
    row_int(table, a->unsolved);
    row_int(table, a->steps);
    row_real(table, (double)a->iterations / (double)(a->steps > 0 ? a->steps : 1));
    row_real(table, a->cpu);
}

int bench_accuracy(const bench_job *job) {
    int code = EXIT_DONE;
    row_table table = row_table_start(stdout, job->json, "accuracy", accuracy_columns);
    for (int32_t k = 0; k < ACCURACY_ROWS * ACCURACY_CASES && !interrupted(); k++) {
        const accuracy_case *c = &accuracy_cases[k / ACCURACY_ROWS];
        int32_t row = k % ACCURACY_ROWS;
        if (!c->tolerance[row] || (job->sizes && !bench_wants(job, c->scene))) {
            continue;
        }
        const cn_override set[] = {{"solver.tolerance", c->tolerance[row]},
                                   {"solver.settle", c->settle[row]}};
        accuracy_run a = {.until = job->until > 0.0 ? job->until : c->until};
        int ran = steps_run(c->scene, set, 2, a.until, accuracy_note, &a);
        if (ran == EXIT_DONE && a.start && !interrupted()) {
            accuracy_end(&a);
            accuracy_print(&table, c, row, &a);
        }
        free(a.start);
        free(a.fixed);
        code = exit_join(code, ran);
    }
    return code;
}
