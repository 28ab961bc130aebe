// bench/engines/engine_run.c
// The engines of a comparison and what is measured of them; see engine.h.
#include "bench/engines/engine.h"

#include "bench/bench.h"
#include "support/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENGINE_TAIL 0.9      // share of the run after which it counts as settled
#define ENGINE_TEXT 4096     // what a peer may print
#define ENGINE_FRAMES 100000 // states of a peer's run that are read at most

double engine_speed(const engine_result *result) {
    return result->cpu_s > 0.0 ? result->simulated / result->cpu_s : (double)NAN;
}

// ---- what is seen on the way ----

// Residuals of the tail of a run, for their median.
typedef struct engine_watch {
    double *residuals;
    int32_t count, room;
} engine_watch;

static void watch_residual(engine_watch *watch, double residual) {
    if (watch->count == watch->room) {
        watch->room = 2 * watch->room + 64;
        watch->residuals = reallocate(watch->residuals, watch->room, sizeof(double));
    }
    watch->residuals[watch->count++] = residual;
}

static double watch_median(engine_watch *watch) {
    double median = (double)NAN;
    if (watch->count > 0) {
        qsort(watch->residuals, (size_t)watch->count, sizeof(double), compare_reals);
        median = watch->residuals[watch->count / 2];
    }
    free(watch->residuals);
    return median;
}

static void engine_sample(const engine_world *world, const engine_case *scene_case, double t,
                          const double *states, engine_result *result) {
    double overlap = engine_overlap(world, states);
    result->overlap_worst = fmax(result->overlap_worst, overlap);
    if (t > ENGINE_TAIL * scene_case->until) {
        result->overlap_settled = fmax(result->overlap_settled, overlap);
    }
}

static void engine_distance(const engine_world *world, const double *states,
                            engine_result *result) {
    for (int32_t i = 0; i < world->count; i++) {
        double sum = 0.0;
        for (int32_t k = 0; k < 3; k++) {
            double off = states[ENGINE_FREE * (int64_t)i + k] - world->bodies[i].start[k];
            sum += off * off;
        }
        result->moved = world->bodies[i].is_free ? fmax(result->moved, sqrt(sum)) : result->moved;
    }
}

// ---- ours ----

// Peers are given driven bodies by their velocities: noted here when they change.
static void engine_note_driven(engine_world *world, const cn_sim *sim, double t) {
    double *v = ALLOCATE(double, 6 * (int64_t)world->count);
    cn_sim_velocities(sim, v);
    for (int32_t i = 0; i < world->count; i++) {
        const double *now = v + 6 * (int64_t)i, *last = (const double[3]){0.0, 0.0, 0.0};
        for (int32_t c = 0; c < world->change_count; c++) {
            last = world->changes[c].body == i ? world->changes[c].velocity : last;
        }
        if (world->bodies[i].is_driven && memcmp(now, last, 3 * sizeof *now) != 0) {
            world->changes =
                reallocate(world->changes, world->change_count + 1, sizeof *world->changes);
            velocity_change *change = &world->changes[world->change_count++];
            *change = (velocity_change){.body = i, .t = t};
            memcpy(change->velocity, now, sizeof change->velocity);
        }
    }
    free(v);
}

static void engine_add(engine_result *result, const cn_step_report *report) {
    const double cpu[PHASES] = {report->cpu_detect, report->cpu_assemble, report->cpu_solve,
                                report->cpu_advance};
    for (int32_t i = 0; i < PHASES; i++) {
        result->phases[i] += cpu[i];
    }
    result->contacts += report->contacts;
    result->iterations += report->iterations;
    result->missed += report->outcome != CN_SOLVED;
    result->residual_worst = fmax(result->residual_worst, report->residual);
}

static cn_status engine_steps(const engine_case *scene_case, engine_world *world, cn_sim *sim,
                              double *states, engine_result *result, cn_error *error) {
    int64_t steps = (int64_t)(scene_case->until / world->step + 0.5);
    bool driven = false, noted = world->change_count > 0;
    for (int32_t i = 0; i < world->count; i++) {
        driven = driven || world->bodies[i].is_driven;
    }
    engine_watch tail = {.count = 0};
    cn_status status = CN_OK;
    while (status == CN_OK && result->steps < steps && result->cpu_s < scene_case->limit &&
           !interrupted()) {
        cn_step_report report;
        double start = cpu_clock();
        status = cn_sim_step(sim, &report, error);
        result->cpu_s += cpu_clock() - start;
        if (status != CN_OK) {
            break;
        }
        result->steps++;
        result->simulated = report.t;
        engine_add(result, &report);
        if (driven && !noted) {
            engine_note_driven(world, sim, report.t - world->step);
        }
        if (report.t > ENGINE_TAIL * scene_case->until) {
            watch_residual(&tail, report.residual);
        }
        if (result->steps % scene_case->every == 0 || result->steps == steps) {
            engine_world_states(world, sim, states);
            engine_sample(world, scene_case, report.t, states, result);
        }
    }
    result->residual_settled = watch_median(&tail);
    return status;
}

bool engine_run_cairn(const engine_case *scene_case, engine_world *world, engine_result *result) {
    cn_error error = {.status = CN_OK};
    cn_sim *sim = NULL;
    double *states = ALLOCATE(double, ENGINE_FREE *(int64_t)world->count), potential;
    cn_status status = cn_sim_create(world->model, NULL, &sim, &error);
    if (status == CN_OK) {
        status = engine_steps(scene_case, world, sim, states, result, &error);
    }
    if (status == CN_OK) {
        engine_world_states(world, sim, states);
        engine_distance(world, states, result);
        cn_sim_energy(sim, &result->kinetic, &potential);
        result->contacts /= (double)(result->steps > 0 ? result->steps : 1);
        result->iterations /= (double)(result->steps > 0 ? result->steps : 1);
        result->momentum = (double)NAN;
        result->ran = !interrupted();
    } else {
        report_error(&error);
    }
    cn_sim_destroy(sim);
    free(states);
    return result->ran;
}

// ---- theirs ----

const peer_engine peer_engines[] = {
    {"ODE", "ode_run"}, {"Bullet", "bullet_run"}, {"MuJoCo", "mujoco_run"}};
const int32_t peer_engine_count = sizeof peer_engines / sizeof peer_engines[0];

static double engine_kinetic(const engine_world *world, const double *states) {
    double sum = 0.0;
    for (int32_t i = 0; i < world->count; i++) {
        const engine_body *body = &world->bodies[i];
        const double *q = states + ENGINE_FREE * (int64_t)i + 3, *v = q + 4, *w = v + 3;
        // Components of w along the principal axes: columns of the rotation.
        const double axes[3][3] = {
            {1 - 2 * (q[2] * q[2] + q[3] * q[3]), 2 * (q[1] * q[2] + q[0] * q[3]),
             2 * (q[1] * q[3] - q[0] * q[2])},
            {2 * (q[1] * q[2] - q[0] * q[3]), 1 - 2 * (q[1] * q[1] + q[3] * q[3]),
             2 * (q[2] * q[3] + q[0] * q[1])},
            {2 * (q[1] * q[3] + q[0] * q[2]), 2 * (q[2] * q[3] - q[0] * q[1]),
             1 - 2 * (q[1] * q[1] + q[2] * q[2])}};
        for (int32_t k = 0; body->is_free && k < 3; k++) {
            double spin = axes[k][0] * w[0] + axes[k][1] * w[1] + axes[k][2] * w[2];
            sum += 0.5 * body->mass * v[k] * v[k] + 0.5 * body->inertia[k] * spin * spin;
        }
    }
    return sum;
}

static bool read_reals(FILE *file, double *values, int64_t count) {
    return fread(values, sizeof *values, (size_t)count, file) == (size_t)count;
}

// The frames of the file that a peer wrote: peer_scene.h has their layout.
static void engine_read(const engine_case *scene_case, const engine_world *world, FILE *file,
                        engine_result *result) {
    int64_t size = ENGINE_FREE * (int64_t)world->count;
    double *states = ALLOCATE(double, 2 * size), head[2];
    peer_contact_row *contacts = NULL;
    engine_watch tail = {.count = 0};
    for (int32_t i = 0; i < ENGINE_FRAMES && read_reals(file, head, 2) &&
                        read_reals(file, states, 2 * size) && !interrupted();
         i++) {
        int32_t count = (int32_t)head[1];
        contacts = reallocate(contacts, count + 1, sizeof *contacts);
        if (fread(contacts, sizeof *contacts, (size_t)count, file) != (size_t)count) {
            break;
        }
        double momentum,
            residual = engine_grade(world, states, states + size, contacts, count, &momentum);
        if (isfinite(residual)) {
            result->residual_worst = fmax(result->residual_worst, residual);
            result->momentum = fmax(result->momentum, momentum);
            if (head[0] > ENGINE_TAIL * scene_case->until) {
                watch_residual(&tail, residual);
            }
        }
        engine_sample(world, scene_case, head[0], states + size, result);
    }
    result->residual_settled = watch_median(&tail);
    result->kinetic = engine_kinetic(world, states + size);
    engine_distance(world, states + size, result);
    free(contacts);
    free(states);
}

static bool engine_start_peer(const char *program, const char *scene, const char *states,
                              engine_result *result) {
    char text[ENGINE_TEXT];
    char *const argv[] = {(char *)program, (char *)scene, (char *)states, NULL};
    double steps;
    if (!peer_capture(argv, text, sizeof text) || !peer_field(text, "\"cpu_s\":", &result->cpu_s) ||
        !peer_field(text, "\"steps\":", &steps) ||
        !peer_field(text, "\"contacts\":", &result->contacts)) {
        return false;
    }
    const char *setting = strstr(text, "\"setting\":\"");
    setting = setting ? setting + strlen("\"setting\":\"") : "";
    snprintf(result->setting, sizeof result->setting, "%.*s", (int)strcspn(setting, "\""), setting);
    result->steps = (int64_t)steps;
    return true;
}

void engine_run_peer(const engine_case *scene_case, const engine_world *world,
                     const peer_engine *engine, engine_result *result) {
    char *program = peer_find(engine->program);
    char folder[] = "/tmp/cairn-engine-XXXXXX";
    *result = (engine_result){.missed = -1, .found = program != NULL};
    snprintf(result->name, sizeof result->name, "%s", engine->name);
    if (!program || !mkdtemp(folder)) {
        free(program);
        return;
    }
    char *scene = format_text("%s/scene", folder), *states = format_text("%s/states", folder);
    if (engine_world_write(world, scene_case, scene) &&
        engine_start_peer(program, scene, states, result)) {
        result->simulated = (double)result->steps * world->step;
        FILE *file = fopen(states, "rb");
        if (file) {
            engine_read(scene_case, world, file, result);
            fclose(file);
            result->ran = !interrupted();
        }
    }
    remove(scene);
    remove(states);
    rmdir(folder);
    free(scene);
    free(states);
    free(program);
}
