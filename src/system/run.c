// system/run.c
// Runs of systems: the table of integrators, settings, and the step that all share.
#include "base/error.h"
#include "base/memory.h"
#include "base/rows.h"
#include "system/system.h"

#include <float.h>
#include <math.h>
#include <string.h>

// To add an integrator: its file, its line in system.h, its row here.
static const sys_system_scheme_row system_scheme_table[] = {
    {.scheme = {.name = "moreau-jean",
                .about = "time stepping, geometry at the end of the step; any number of impacts"},
     .step = sys_moreau_jean_step},
    {.scheme = {.name = "event-driven",
                .about = "smooth phases to a given accuracy, impacts located; few events"},
     .step = sys_event_driven_step,
     .start = sys_event_driven_start},
    {.scheme = {.name = "newmark", .about = "Newmark's scheme with Moreau's impacts"},
     .step = sys_newmark_step,
     .start = sys_alpha_start},
    {.scheme = {.name = "hht", .about = "Hilber, Hughes and Taylor, with Moreau's impacts"},
     .step = sys_hht_step,
     .start = sys_alpha_start},
    {.scheme = {.name = "generalized-alpha",
                .about = "second order with damping of high frequencies only, Moreau's impacts"},
     .step = sys_generalized_alpha_step,
     .start = sys_alpha_start},
    {.scheme = {.name = "euler-moreau",
                .about = "theta-scheme with implicit multipliers, for first-order systems",
                .first_order = true},
     .step = sys_first_order_step,
     .start = sys_first_order_start},
};
#define SYSTEM_SCHEMES ((int32_t)(sizeof system_scheme_table / sizeof *system_scheme_table))

int32_t cn_system_scheme_count(void) {
    return SYSTEM_SCHEMES;
}

const cn_system_scheme *cn_system_scheme_at(int32_t index) {
    return index >= 0 && index < SYSTEM_SCHEMES ? &system_scheme_table[index].scheme : NULL;
}

const sys_system_scheme_row *sys_system_scheme_row_find(const char *name) {
    return BASE_ROW_FIND(system_scheme_table, sys_system_scheme_row, scheme.name, name);
}

const cn_system_scheme *cn_system_scheme_find(const char *name) {
    const sys_system_scheme_row *row = sys_system_scheme_row_find(name);
    return row ? &row->scheme : NULL;
}

cn_system_opts cn_system_opts_default(void) {
    return (cn_system_opts){.step = 1e-3,
                            .theta = 0.5,
                            .theta_multiplier = 1.0,
                            .activation = 0.5,
                            .newton_tolerance = 1e-12,
                            .newton_max = 50,
                            .differences = true,
                            .spectral_radius = 0.8,
                            .damping = 0.05,
                            .newmark_beta = 0.25,
                            .newmark_gamma = 0.5,
                            .accuracy = 1e-12,
                            .accumulate = 20,
                            .solver = "lemke",
                            .tolerance = 1e-10};
}

// ---- making ----

static cn_status opts_check(const cn_system_opts *opts, cn_error *error) {
    const struct {
        const char *name;
        double value, low, high;
    } ranges[] = {{"step", opts->step, DBL_MIN, DBL_MAX},
                  {"theta", opts->theta, 0.5, 1.0},
                  {"theta_multiplier", opts->theta_multiplier, 0.5, 1.0},
                  {"activation", opts->activation, 0.0, 1.0},
                  {"newton_tolerance", opts->newton_tolerance, DBL_EPSILON, 1.0},
                  {"newton_most", opts->newton_max, 1.0, 1e6},
                  {"error", opts->error, 0.0, 1.0},
                  {"projection", opts->projection, 0.0, DBL_MAX},
                  {"step_least", opts->step_min, 0.0, opts->step},
                  {"spectral_radius", opts->spectral_radius, 0.0, 1.0},
                  {"damping", opts->damping, 0.0, 1.0 / 3.0},
                  {"newmark_beta", opts->newmark_beta, DBL_MIN, 1.0},
                  {"newmark_gamma", opts->newmark_gamma, 0.5, 1.0},
                  {"accuracy", opts->accuracy, 1e-14, 1e-2},
                  {"accumulate", opts->accumulate, 2.0, 1e6},
                  {"tolerance", opts->tolerance, DBL_EPSILON, 1.0}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        if (!(ranges[i].value >= ranges[i].low && ranges[i].value <= ranges[i].high)) {
            return base_fail(error, CN_ERR_ARGUMENT, "%s is %g; it must be in [%g, %g]",
                             ranges[i].name, ranges[i].value, ranges[i].low, ranges[i].high);
        }
    }
    return CN_OK;
}

// Joints at position level need a scheme that damps at infinite frequency: without, an error of
// their forces grows from step to step.
static cn_status joints_damped(const cn_system_run *run, cn_error *error) {
    const cn_system_opts *opts = &run->opts;
    const char *name = run->scheme->scheme.name;
    bool newmark = run->scheme->step == sys_newmark_step && !(opts->newmark_gamma > 0.5);
    bool hht = run->scheme->step == sys_hht_step && !(opts->damping > 0.0);
    bool alpha = run->scheme->step == sys_generalized_alpha_step && !(opts->spectral_radius < 1.0);
    if (run->system->lagrangian.joints == 0 || !(newmark || hht || alpha)) {
        return CN_OK;
    }
    base_fail(error, CN_ERR_ARGUMENT, "%s without damping is unstable under joints", name);
    base_fail_hint(error, newmark ? "generalized-alpha, or newmark_gamma above 0.5"
                          : hht   ? "damping above 0"
                                  : "spectral_radius below 1");
    return CN_ERR_ARGUMENT;
}

static cn_status run_choose(cn_system_run *run, cn_error *error) {
    const cn_system *system = run->system;
    const char *name = run->opts.scheme;
    name = name ? name : system->is_first_order ? "euler-moreau" : "moreau-jean";
    run->scheme = sys_system_scheme_row_find(name);
    if (!run->scheme) {
        return base_fail(error, CN_ERR_ARGUMENT, "there is no integrator named %s", name);
    }
    if (run->scheme->scheme.first_order != system->is_first_order) {
        return base_fail(error, CN_ERR_ARGUMENT, "%s is not for %s systems", name,
                         system->is_first_order ? "first-order" : "Lagrangian");
    }
    run->friction = cn_friction_solver_find(run->opts.solver);
    run->lcp = cn_lcp_solver_find("lemke");
    run->mixed = cn_mcp_solver_find("lemke");
    if (!run->friction || !run->lcp || !run->mixed) {
        return base_fail(error, CN_ERR_ARGUMENT, "there is no friction solver named %s",
                         run->opts.solver ? run->opts.solver : "(none)");
    }
    cn_status status = opts_check(&run->opts, error);
    for (int32_t c = 0;
         run->scheme->step == sys_event_driven_step && c < cn_system_contacts(system); c++) {
        if (system->lagrangian.tangents == 2 && system->lagrangian.contact[c].friction > 0.0) {
            return base_fail(error, CN_ERR_UNSUPPORTED,
                             "event-driven has no friction with two tangents (contact %d)",
                             (int)c + 1);
        }
    }
    if (status == CN_OK && run->opts.error > 0.0 && run->scheme->step != sys_moreau_jean_step) {
        base_fail(error, CN_ERR_ARGUMENT, "error adapts the steps of moreau-jean, not of %s", name);
        base_fail_hint(error, "event-driven has accuracy, the others a fixed step");
        return CN_ERR_ARGUMENT;
    }
    return status == CN_OK && !system->is_first_order ? joints_damped(run, error) : status;
}

static bool run_allocate(cn_system_run *run) {
    const cn_system *system = run->system;
    const cn_lagrangian *def = &system->lagrangian;
    bool first = system->is_first_order;
    int32_t n = first ? system->first_order.n : def->n, m = first ? system->first_order.m : 0;
    int64_t contacts = def->contacts;
    run->memory = cn_arena_create(&run->env);
    run->scratch = cn_arena_create(&run->env);
    if (!run->memory || !run->scratch) {
        return false;
    }
    cn_arena *memory = run->memory;
    double **vectors[] = {&run->q,        &run->v,     &run->a, &run->acceleration,
                          &run->residual, &run->change};
    bool good = true;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = BASE_TAKE_ZERO(memory, double, n);
        good = good && *vectors[i];
    }
    run->lambda = BASE_TAKE_ZERO(memory, double, m);
    run->y = BASE_TAKE_ZERO(memory, double, m);
    run->memory_of_scheme = BASE_TAKE_ZERO(memory, double, SYS_SCHEME_MEMORY);
    run->mode = BASE_TAKE_ZERO(memory, double, contacts);
    run->impulse = BASE_TAKE_ZERO(memory, double, CN_CONTACT_PARTS *contacts);
    run->set =
        (sys_contact_set){.active = BASE_TAKE_ZERO(memory, bool, contacts),
                          .shift = BASE_TAKE_ZERO(memory, double, CN_CONTACT_PARTS *contacts),
                          .p = BASE_TAKE_ZERO(memory, double, CN_CONTACT_PARTS *contacts),
                          .before = BASE_TAKE_ZERO(memory, double, CN_CONTACT_PARTS *contacts),
                          .u = BASE_TAKE_ZERO(memory, double, CN_CONTACT_PARTS *contacts)};
    run->F_q = BASE_TAKE_ZERO(memory, double, (int64_t)n *n);
    run->F_v = BASE_TAKE_ZERO(memory, double, (int64_t)n *n);
    run->d = BASE_TAKE_ZERO(memory, double, def->joints);
    run->direction = BASE_TAKE_ZERO(memory, double, (int64_t)def->joints *n);
    good = good && run->lambda && run->y && run->memory_of_scheme && run->mode && run->impulse &&
           run->set.active && run->set.shift && run->set.p && run->set.before && run->set.u &&
           run->F_q && run->F_v && run->d && run->direction &&
           sys_response_allocate(n, def->joints, memory, &run->response);
    if (good && !first) {
        good = sys_instant_allocate(system, memory, &run->old) &&
               sys_instant_allocate(system, memory, &run->now) &&
               sys_instant_allocate(system, memory, &run->spare);
    }
    return good;
}

// What the system's functions are called with in this run. false: no memory.
static bool run_choose_user(cn_system_run *run) {
    const cn_system_hooks *hooks = sys_system_hooks_of(run->system);
    if (!hooks->run_begin) {
        return true;
    }
    run->own = *run->system;
    bool first = run->own.is_first_order;
    void **user = first ? &run->own.first_order.user : &run->own.lagrangian.user;
    cn_system_hooks *own = first ? &run->own.first_order.hooks : &run->own.lagrangian.hooks;
    own->end = NULL;
    *user = hooks->run_begin(*user, &run->env, &own->memory);
    if (*user) {
        run->system = &run->own;
    }
    return *user != NULL;
}

cn_status cn_system_run_create(const cn_system *system, const cn_system_opts *opts,
                               const cn_env *env, cn_system_run **out, cn_error *error) {
    *out = NULL;
    cn_env own = env ? *env : cn_env_default();
    cn_system_run *run = base_env_resize(&own, NULL, 0, sizeof *run);
    if (!run) {
        return base_fail_memory(error);
    }
    *run = (cn_system_run){.system = system, .env = own, .opts = *opts};
    cn_status status = run_choose(run, error);
    if (status == CN_OK && (!run_choose_user(run) || !run_allocate(run))) {
        status = base_fail_memory(error);
    }
    if (status == CN_OK) {
        bool first = system->is_first_order;
        int32_t n = first ? system->first_order.n : system->lagrangian.n;
        memcpy(run->q, first ? system->first_order.x : system->lagrangian.q,
               sizeof(double) * (size_t)n);
        if (!first) {
            memcpy(run->v, system->lagrangian.v, sizeof(double) * (size_t)n);
        }
        status = run->scheme->start ? run->scheme->start(run, NULL, error) : CN_OK;
    }
    if (status != CN_OK) {
        cn_system_run_destroy(run);
        return status;
    }
    *out = run;
    return CN_OK;
}

void cn_system_run_destroy(cn_system_run *run) {
    if (!run) {
        return;
    }
    if (run->system == &run->own && sys_system_hooks_of(run->system)->run_end) {
        sys_system_hooks_of(run->system)->run_end(sys_system_user(run->system));
    }
    cn_arena_destroy(run->scratch);
    cn_arena_destroy(run->memory);
    cn_env env = run->env;
    base_env_resize(&env, run, sizeof *run, 0);
}

// ---- stepping ----

cn_status cn_system_run_step(cn_system_run *run, cn_system_report *report, cn_error *error) {
    const cn_system *system = run->system;
    *report = (cn_system_report){.outcome = CN_SOLVED};
    memset(run->impulse, 0,
           sizeof(double) * CN_CONTACT_PARTS * (size_t)system->lagrangian.contacts);
    base_arena_mark mark = base_arena_get_mark(run->scratch);
    int64_t size = cn_system_run_state_size(run);
    double *kept = BASE_TAKE(run->scratch, double, size);
    if (!kept) {
        return base_fail_memory(error);
    }
    cn_system_run_save(run, kept);
    const cn_system_hooks *hooks = sys_system_hooks_of(system);
    if (hooks->step_begin) {
        hooks->step_begin(sys_system_user(system), cn_system_run_time(run), run->opts.step, run->q,
                          run->v);
    }
    cn_status status = run->scheme->step(run, report, error);
    if (status == CN_OK) {
        run->step++;
        if (hooks->step_end) {
            hooks->step_end(sys_system_user(system), cn_system_run_time(run), run->q, run->v,
                            system->is_first_order ? run->lambda : run->impulse);
        }
    } else {
        cn_system_run_load(run, kept);
    }
    base_arena_release(run->scratch, mark);
    report->step = run->step;
    report->t = cn_system_run_time(run);
    report->balance_error += report->dissipated_impact + report->dissipated_friction +
                             report->dissipated_numerical - report->work;
    cn_system_run_energy(run, &report->kinetic, &report->potential);
    return status;
}

// ---- looking ----

double cn_system_run_time(const cn_system_run *run) {
    return (double)run->step * run->opts.step;
}

int64_t cn_system_run_index(const cn_system_run *run) {
    return run->step;
}

const double *cn_system_run_q(const cn_system_run *run) {
    return run->q;
}

const double *cn_system_run_v(const cn_system_run *run) {
    return run->v;
}

const double *cn_system_run_multiplier(const cn_system_run *run) {
    return run->system->is_first_order ? run->lambda : NULL;
}

const double *cn_system_run_output(const cn_system_run *run) {
    return run->system->is_first_order ? run->y : NULL;
}

bool cn_system_run_contact(const cn_system_run *run, int32_t contact, double *gap,
                           double shift[CN_CONTACT_PARTS], cn_system_impact *out) {
    if (run->system->is_first_order || run->scheme->step == sys_event_driven_step ||
        !run->set.active[contact]) {
        return false;
    }
    const sys_contact_set *set = &run->set;
    *gap = run->old.gap[contact];
    *out = (cn_system_impact){.t = cn_system_run_time(run), .contact = contact};
    for (int32_t i = 0; i < CN_CONTACT_PARTS; i++) {
        int64_t k = CN_CONTACT_PARTS * (int64_t)contact + i;
        shift[i] = set->shift[k];
        out->impulse[i] = set->p[k];
        out->velocity_before[i] = set->before[k];
        out->velocity[i] = set->u[k];
    }
    return true;
}

void cn_system_run_impulse(const cn_system_run *run, int32_t contact,
                           double impulse[CN_CONTACT_PARTS]) {
    memcpy(impulse, run->impulse + CN_CONTACT_PARTS * (int64_t)contact,
           sizeof(double) * CN_CONTACT_PARTS);
}

void cn_system_run_energy(const cn_system_run *run, double *kinetic, double *potential) {
    const cn_lagrangian *def = &run->system->lagrangian;
    *kinetic = *potential = 0.0;
    if (!run->system->is_first_order) {
        def->mass(def->user, run->q, run->spare.M);
        *kinetic = sys_kinetic(run->system, run->spare.M, run->v);
        *potential = sys_potential(run->system, cn_system_run_time(run), run->q);
    }
}

// ---- the state as numbers ----

typedef struct state_part {
    double *numbers;
    int64_t count;
} state_part;
#define STATE_PARTS 9

static void state_parts(const cn_system_run *run, state_part parts[STATE_PARTS]) {
    const cn_system *system = run->system;
    int64_t n = system->is_first_order ? system->first_order.n : system->lagrangian.n;
    int64_t m = system->is_first_order ? system->first_order.m : 0;
    parts[0] = (state_part){run->q, n};
    parts[1] = (state_part){run->v, n};
    parts[2] = (state_part){run->a, n};
    parts[3] = (state_part){run->acceleration, n};
    parts[4] = (state_part){run->lambda, m};
    parts[5] = (state_part){run->y, m};
    parts[6] = (state_part){run->memory_of_scheme, SYS_SCHEME_MEMORY};
    const cn_system_hooks *hooks = sys_system_hooks_of(system);
    parts[8] = (state_part){hooks->memory, hooks->memory ? hooks->memory_count : 0};
    parts[7] = (state_part){run->mode, system->is_first_order ? 0 : system->lagrangian.contacts};
}

int64_t cn_system_run_state_size(const cn_system_run *run) {
    state_part parts[STATE_PARTS];
    state_parts(run, parts);
    int64_t size = 1;
    for (int32_t i = 0; i < STATE_PARTS; i++) {
        size += parts[i].count;
    }
    return size;
}

void cn_system_run_save(const cn_system_run *run, double *state) {
    state_part parts[STATE_PARTS];
    state_parts(run, parts);
    *state++ = (double)run->step;
    for (int32_t i = 0; i < STATE_PARTS; i++) {
        if (parts[i].count > 0) {
            memcpy(state, parts[i].numbers, sizeof(double) * (size_t)parts[i].count);
        }
        state += parts[i].count;
    }
}

void cn_system_run_load(cn_system_run *run, const double *state) {
    state_part parts[STATE_PARTS];
    state_parts(run, parts);
    run->step = (int64_t)*state++;
    for (int32_t i = 0; i < STATE_PARTS; i++) {
        if (parts[i].count > 0) {
            memcpy(parts[i].numbers, state, sizeof(double) * (size_t)parts[i].count);
        }
        state += parts[i].count;
    }
}
