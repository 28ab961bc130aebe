// bench/accuracy.c
// What a tolerance means for what a user sees: spheres poured into a box, and structures that
// should stay where they are. docs/accuracy.md has the table that this prints.
#include "bench/bench.h"
#include "run/steps.h"
#include "support/json.h"
#include "support/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CN_ACCURACY_TAIL 0.1 // [s] at the end, over which the force on what is fixed is averaged
#define CN_ACCURACY_ROWS 6

typedef struct cn_accuracy_case {
    const char *scene;
    double until; // [s]
    const char *tolerance[CN_ACCURACY_ROWS], *settle[CN_ACCURACY_ROWS];
} cn_accuracy_case;

static const cn_accuracy_case cn_accuracy_cases[] = {
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
#define CN_ACCURACY_CASES ((int32_t)(sizeof cn_accuracy_cases / sizeof *cn_accuracy_cases))

typedef struct cn_accuracy {
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
} cn_accuracy;

// false: no memory.
static bool cn_accuracy_begin(cn_accuracy *a, cn_sim *sim) {
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

static void cn_accuracy_force(cn_accuracy *a, const cn_sim *sim) {
    int32_t up = a->pose == 7 ? 2 : 1;
    for (int32_t i = 0; i < cn_sim_contact_count(sim); i++) {
        cn_contact_record contact;
        cn_sim_contact(sim, i, &contact);
        bool below = a->fixed[contact.antagonist - 1], above = a->fixed[contact.candidate - 1];
        a->impulse += (below - above) * contact.impulse[up];
    }
}

static bool cn_accuracy_note(void *user, cn_sim *sim, const cn_step_report *report) {
    cn_accuracy *a = user;
    if (!a->start && !cn_accuracy_begin(a, sim)) {
        return false;
    }
    a->steps++;
    a->unsolved += report->outcome != CN_SOLVED;
    a->iterations += report->iterations;
    a->cpu += report->cpu_detect + report->cpu_assemble + report->cpu_solve + report->cpu_advance;
    a->penetration = report->penetration_max;
    a->kinetic = report->kinetic;
    if (report->t > a->until - CN_ACCURACY_TAIL) {
        cn_accuracy_force(a, sim);
        a->tail += a->steps > 0 ? report->t / (double)a->steps : 0.0;
        cn_sim_poses(sim, a->now);
    }
    return true;
}

static void cn_accuracy_end(cn_accuracy *a) {
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

static void cn_accuracy_tell(const cn_bench_job *job, const cn_accuracy_case *c, int32_t row,
                             const cn_accuracy *a) {
    double force =
        a->tail > 0.0 && a->weight > 0.0 ? a->impulse / (a->tail * a->weight) - 1.0 : 0.0;
    double mean = (double)a->iterations / (double)(a->steps > 0 ? a->steps : 1);
    if (!job->json) {
        printf(
            "| %s, %g s | %s | %s | %.1e | %.1e | %.4f | %.0e | %+.1e | %lld of %lld | %.1f | %.1f "
            "|\n",
            c->scene, a->until, c->tolerance[row], c->settle[row], a->penetration, a->moved,
            a->height, a->kinetic, force, (long long)a->unsolved, (long long)a->steps, mean,
            a->cpu);
        fflush(stdout);
        return;
    }
    cn_json out = cn_put_start(stdout);
    cn_put_open(&out, NULL, '{');
    cn_put_text(&out, "bench", "accuracy");
    cn_put_text(&out, "scene", c->scene);
    cn_put_text(&out, "tolerance", c->tolerance[row]);
    cn_put_text(&out, "settle", c->settle[row]);
    cn_put_real(&out, "penetration", a->penetration);
    cn_put_real(&out, "moved", a->moved);
    cn_put_real(&out, "height", a->height);
    cn_put_real(&out, "kinetic", a->kinetic);
    cn_put_real(&out, "force_error", force);
    cn_put_int(&out, "unsolved", a->unsolved);
    cn_put_int(&out, "steps", a->steps);
    cn_put_real(&out, "iterations_mean", mean);
    cn_put_real(&out, "cpu_s", a->cpu);
    cn_put_close(&out, '}');
    cn_put_end(&out);
}

int cn_bench_accuracy(const cn_bench_job *job) {
    int code = CN_EXIT_DONE;
    if (!job->json) {
        puts("| scene | tolerance | settle | penetration at the end [m] | moved [m] | mean height "
             "[m] "
             "| kinetic energy [J] | force / weight - 1 | unsolved | iterations per step | CPU [s] "
             "|\n|---|---|---|---|---|---|---|---|---|---|---|");
    }
    for (int32_t k = 0; k < CN_ACCURACY_ROWS * CN_ACCURACY_CASES && !cn_interrupted(); k++) {
        const cn_accuracy_case *c = &cn_accuracy_cases[k / CN_ACCURACY_ROWS];
        int32_t row = k % CN_ACCURACY_ROWS;
        if (!c->tolerance[row] || (job->sizes && !cn_bench_wants(job, c->scene))) {
            continue;
        }
        const cn_override set[] = {{"solver.tolerance", c->tolerance[row]},
                                   {"solver.settle", c->settle[row]}};
        cn_accuracy a = {.until = job->until > 0.0 ? job->until : c->until};
        int ran = cn_steps_run(c->scene, set, 2, a.until, cn_accuracy_note, &a);
        if (ran == CN_EXIT_DONE && a.start && !cn_interrupted()) {
            cn_accuracy_end(&a);
            cn_accuracy_tell(job, c, row, &a);
        }
        free(a.start);
        free(a.fixed);
        code = cn_exit_join(code, ran);
    }
    return code;
}
