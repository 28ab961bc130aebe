// step/systems/system.c
// Running a model with a system: its own integrator does the step, and what it says becomes the
// step's report, contacts and checkpoint.
//
// Contacts of a system have no place in the world: they are recorded in their own frame, normal
// along x and tangent along y, with the system's first body on both sides, so that their law can be
// checked from the run file.
#include "step/systems/rigid_system.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define SYSTEM_MAGIC 0x3453595352494143u   // "CAIRSYS4"
#define SYSTEM_STEP_MAX 9007199254740992.0 // steps that doubles can count
#define SYSTEM_INNER 1e-2                  // of the tolerance, for problems inside Newton's method
#define SYSTEM_SLIDING 1e-9                // |p_T| this near to mu p_N, relatively, is sliding

// The state becomes that of the system's run. moved: by a step.
static cn_status system_copy(cn_sim *sim, bool moved) {
    if (sim->rigid) {
        return step_rigid_system_end(sim->rigid, sim->system, moved);
    }
    size_t bytes = sizeof(double) * (size_t)cn_system_size(sim->model->system);
    memcpy(sim->state.q, cn_system_run_q(sim->system), bytes);
    memcpy(sim->state.v, cn_system_run_v(sim->system), bytes);
    return CN_OK;
}

cn_status sim_system_create(cn_sim *sim, cn_error *error) {
    const cn_settings *settings = &sim->model->settings;
    cn_system_opts opts = cn_system_opts_default();
    const cn_system *system = sim->rigid ? sim->rigid->system : sim->model->system;
    bool first = cn_system_is_first_order(system);
    bool usual = strcmp(settings->scheme, "moreau-jean") == 0;
    opts.scheme = first && usual ? NULL : settings->scheme;
    opts.step = settings->step;
    opts.theta = settings->theta;
    opts.activation = settings->activation;
    opts.error = settings->error;
    opts.step_min = settings->step_min;
    opts.accuracy = settings->accuracy;
    opts.spectral_radius = settings->spectral_radius;
    opts.damping = settings->damping;
    opts.newmark_beta = settings->newmark_beta;
    opts.newmark_gamma = settings->newmark_gamma;
    opts.theta_multiplier = settings->theta_multiplier;
    opts.accumulate = settings->accumulate;
    opts.projection = settings->projection;
    opts.tolerance = opts.newton_tolerance = settings->tolerance;
    bool space = system->lagrangian.tangents == 2;
    // Pivoting is exact in the plane; in space the cone is a curved one. Newton's method needs more
    // digits of the problems inside it than it is asked for.
    bool pivots = strcmp(settings->solver, "auto") == 0 && !space;
    opts.solver = pivots ? opts.solver : settings->solver;
    opts.tolerance *= space ? SYSTEM_INNER : 1.0;
    cn_status status = cn_system_run_create(system, &opts, &sim->env, &sim->system, error);
    if (status == CN_OK && system_copy(sim, false) != CN_OK) {
        status = base_fail_memory(error);
    }
    return status == CN_ERR_ARGUMENT ? CN_ERR_INPUT : status;
}

cn_status sim_system_step(cn_sim *sim, cn_step_report *report, cn_error *error) {
    cn_system_report own;
    double start = base_clock_cpu();
    cn_status status = CN_OK;
    if (sim->rigid) {
        own = (cn_system_report){.outcome = CN_SOLVED};
        status = step_rigid_system_begin(sim->rigid, sim->system, error);
    }
    if (status == CN_OK) {
        status = cn_system_run_step(sim->system, &own, error);
    }
    if (status == CN_OK && sim->rigid && sim->rigid->status != CN_OK) {
        *error = sim->rigid->error;
        status = sim->rigid->status;
    }
    report->cpu_advance = base_clock_cpu() - start;
    report->contacts = own.contacts;
    report->sticking = own.sticking;
    report->sliding = own.sliding;
    report->solver = sim->system->friction->info.name;
    report->iterations = own.iterations;
    report->substeps = own.substeps;
    report->residual = own.residual;
    report->outcome = own.outcome;
    report->penetration_max = own.penetration_max;
    report->joint_error_max = own.joint_error_max;
    report->kinetic = own.kinetic;
    report->potential = own.potential;
    report->work_external = own.work;
    report->dissipated_friction = own.dissipated_friction;
    report->dissipated_impact = own.dissipated_impact;
    report->dissipated_numerical = own.dissipated_numerical;
    report->balance_error = own.balance_error;
    return status == CN_OK ? system_copy(sim, true) : status;
}

// ---- contacts ----

uint8_t sim_system_status(double mu, const double impulse[CN_CONTACT_PARTS]) {
    double limit = mu * impulse[0] * (1.0 - SYSTEM_SLIDING);
    bool slides = impulse[1] * impulse[1] + impulse[2] * impulse[2] >= limit * limit;
    return (uint8_t)(!(impulse[0] > 0.0) ? 0 : slides ? 2 : 1);
}

int32_t sim_system_contact_count(const cn_sim *sim) {
    if (sim->rigid) {
        return step_rigid_contact_count(sim);
    }
    int32_t count = 0;
    for (int32_t c = 0; c < cn_system_contacts(sim->model->system); c++) {
        double gap, shift[CN_CONTACT_PARTS];
        cn_system_impact impact;
        count += cn_system_run_contact(sim->system, c, &gap, shift, &impact);
    }
    return count;
}

void sim_system_contact(const cn_sim *sim, int32_t index, cn_contact_record *out) {
    if (sim->rigid) {
        step_rigid_contact(sim, index, out);
        return;
    }
    double gap = 0.0, shift[CN_CONTACT_PARTS] = {0.0, 0.0, 0.0};
    cn_system_impact impact = {.contact = 0};
    for (int32_t c = 0; c < cn_system_contacts(sim->model->system); c++) {
        if (cn_system_run_contact(sim->system, c, &gap, shift, &impact) && index-- == 0) {
            break;
        }
    }
    double mu = cn_system_friction(sim->model->system, impact.contact);
    *out = (cn_contact_record){
        .candidate = 1, .antagonist = 1, .normal = {1.0}, .gap = gap, .friction = mu};
    for (int32_t i = 0; i < 2; i++) {
        out->impulse[i] = impact.impulse[i];
        out->velocity[i] = impact.velocity[i];
        out->velocity_before[i] = impact.velocity_before[i];
        out->shift[i] = shift[i];
    }
    out->status = sim_system_status(mu, impact.impulse);
}

// ---- checkpoints ----

// Head of a system's checkpoint.
typedef struct system_head {
    uint64_t magic;
    uint64_t checksum; // XXH3 of all of it, this one read as 0
    uint64_t count;    // numbers that follow
} system_head;

static uint64_t system_checksum(system_head head, const void *numbers) {
    head.checksum = 0;
    const base_hash_part parts[] = {{&head, sizeof head}, {numbers, sizeof(double) * head.count}};
    return base_hash_parts(parts, 2);
}

cn_status sim_system_save(const cn_sim *sim, void **bytes, size_t *size) {
    system_head head = {.magic = SYSTEM_MAGIC,
                        .count = (uint64_t)cn_system_run_state_size(sim->system)};
    size_t numbers;
    if (!base_size_multiply((int64_t)head.count, sizeof(double), &numbers)) {
        return CN_ERR_MEMORY;
    }
    unsigned char *block = base_env_resize(&sim->env, NULL, 0, sizeof head + numbers);
    if (!block) {
        return CN_ERR_MEMORY;
    }
    if (sim->rigid) {
        step_rigid_keep(sim->rigid);
    }
    cn_system_run_save(sim->system, (double *)(void *)(block + sizeof head));
    head.checksum = system_checksum(head, block + sizeof head);
    memcpy(block, &head, sizeof head);
    *bytes = block;
    *size = sizeof head + numbers;
    return CN_OK;
}

// The step, then positions and velocities; what comes after is the integrator's own, and may be
// anything.
static bool system_state_is_sound(const cn_sim *sim, const double *state) {
    const cn_system *system = sim->rigid ? sim->rigid->system : sim->model->system;
    int64_t numbers = 2 * (int64_t)cn_system_size(system);
    bool sound = *state >= 0.0 && *state <= SYSTEM_STEP_MAX;
    for (int64_t i = 1; i <= numbers; i++) {
        sound = sound && isfinite(state[i]);
    }
    if (sound && sim->rigid) { // its own part comes last
        sound = step_rigid_kept_is_sound(sim->rigid, state + cn_system_run_state_size(sim->system) -
                                                         sim->rigid->kept_count);
    }
    return sound;
}

cn_status sim_system_load(cn_sim *sim, const void *bytes, size_t size, cn_error *error) {
    system_head head;
    int64_t count = cn_system_run_state_size(sim->system);
    const unsigned char *numbers = (const unsigned char *)bytes + sizeof head;
    if (size != sizeof head + sizeof(double) * (size_t)count) {
        return base_fail(error, CN_ERR_INPUT, "the checkpoint is of another system or cut short");
    }
    memcpy(&head, bytes, sizeof head);
    if (head.magic != SYSTEM_MAGIC || head.count != (uint64_t)count) {
        return base_fail(error, CN_ERR_INPUT, "the checkpoint is of another system");
    }
    if (system_checksum(head, numbers) != head.checksum) {
        return base_fail(error, CN_ERR_INPUT,
                         "the checkpoint is damaged: its checksum does not fit");
    }
    base_arena_mark mark = base_arena_get_mark(sim->scratch);
    double *state = BASE_TAKE(sim->scratch, double, count);
    if (!state) {
        return base_fail_memory(error);
    }
    memcpy(state, numbers, sizeof(double) * (size_t)count);
    bool sound = system_state_is_sound(sim, state);
    if (sound) {
        cn_system_run_load(sim->system, state);
    }
    base_arena_release(sim->scratch, mark);
    if (!sound) {
        return base_fail(
            error, CN_ERR_INPUT,
            "the checkpoint is damaged: its step, position or velocity is out of range");
    }
    sim->state.step = cn_system_run_index(sim->system);
    return system_copy(sim, false) == CN_OK ? CN_OK : base_fail_memory(error);
}
