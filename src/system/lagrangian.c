// system/lagrangian.c
// Lagrangian systems: what a user's functions say at an instant, and the copy of a description.
#include "base/error.h"
#include "base/memory.h"
#include "system/system.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Step of differences over the size of the coordinate: error and rounding are then about 1e-10.
#define DIFFERENCE_STEP 1e-6

cn_lagrangian cn_lagrangian_default(int32_t n) {
    return (cn_lagrangian){.n = n};
}

// ---- an instant ----

bool sys_instant_allocate(const cn_system *system, cn_arena *memory, sys_instant *out) {
    int64_t n = system->lagrangian.n, contacts = system->lagrangian.contacts;
    int64_t joints = system->lagrangian.joints, rows = sys_contact_parts(system) * contacts;
    *out = (sys_instant){.q = BASE_TAKE_ZERO(memory, double, n),
                         .v = BASE_TAKE_ZERO(memory, double, n),
                         .M = BASE_TAKE_ZERO(memory, double, n *n),
                         .F = BASE_TAKE_ZERO(memory, double, n),
                         .gap = BASE_TAKE_ZERO(memory, double, contacts),
                         .rows = BASE_TAKE_ZERO(memory, double, rows *n),
                         .rate = BASE_TAKE_ZERO(memory, double, rows),
                         .theta = BASE_TAKE_ZERO(memory, double, joints),
                         .joint_rows = BASE_TAKE_ZERO(memory, double, joints *n),
                         .joint_rate = BASE_TAKE_ZERO(memory, double, joints)};
    return out->q && out->v && out->M && out->F && out->gap && out->rows && out->rate &&
           out->theta && out->joint_rows && out->joint_rate;
}

static cn_status check_finite(const cn_system *system, const sys_instant *at, const char *what,
                              const double *x, int64_t count, int64_t columns, cn_error *error) {
    for (int64_t k = 0; k < count; k++) {
        if (!(fabs(x[k]) <= DBL_MAX)) {
            if (columns > 1) {
                base_fail(error, CN_ERR_NUMERIC, "%s: entry (%d, %d) of %s is %g at t = %g",
                          system->name, (int)(k / columns) + 1, (int)(k % columns) + 1, what, x[k],
                          at->t);
            } else {
                base_fail(error, CN_ERR_NUMERIC, "%s: entry %d of %s is %g at t = %g", system->name,
                          (int)k + 1, what, x[k], at->t);
            }
            base_fail_hint(error, "q1 = %g, v1 = %g there", at->q[0], at->v[0]);
            return CN_ERR_NUMERIC;
        }
    }
    return CN_OK;
}

static cn_status instant_check(const cn_system *system, const sys_instant *at, cn_error *error) {
    int64_t n = system->lagrangian.n, contacts = system->lagrangian.contacts;
    int64_t joints = system->lagrangian.joints, rows = sys_contact_parts(system) * contacts;
    const struct {
        const char *what;
        const double *x;
        int64_t count, columns;
    } parts[] = {{"the coordinates", at->q, n, 1},
                 {"the velocities", at->v, n, 1},
                 {"the mass matrix", at->M, n * n, n},
                 {"the force", at->F, n, 1},
                 {"the gaps", at->gap, contacts, 1},
                 {"the normal rows", at->rows, contacts * n, n},
                 {"the tangential rows", at->rows + contacts * n, (rows - contacts) * n, n},
                 {"the rates of the contacts", at->rate, rows, 1},
                 {"the joints", at->theta, joints, 1},
                 {"the joint rows", at->joint_rows, joints * n, n},
                 {"the rates of the joints", at->joint_rate, joints, 1}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        CN_TRY(check_finite(system, at, parts[i].what, parts[i].x, parts[i].count, parts[i].columns,
                            error));
    }
    return CN_OK;
}

cn_status sys_instant_evaluate(const cn_system *system, sys_instant *at, cn_error *error) {
    const cn_lagrangian *def = &system->lagrangian;
    int64_t n = def->n, contacts = def->contacts, joints = def->joints;
    int64_t rows = sys_contact_parts(system) * contacts;
    def->mass(def->user, at->q, at->M);
    def->force(def->user, at->t, at->q, at->v, at->F);
    if (contacts > 0) {
        memset(at->rows, 0, sizeof(double) * (size_t)(rows * n));
        memset(at->rate, 0, sizeof(double) * (size_t)rows);
        def->gap(def->user, at->t, at->q, at->gap);
        def->contact_rows(def->user, at->t, at->q, at->rows, at->rows + contacts * n, at->rate,
                          at->rate + contacts);
    }
    if (joints > 0) {
        memset(at->joint_rows, 0, sizeof(double) * (size_t)(joints * n));
        memset(at->joint_rate, 0, sizeof(double) * (size_t)joints);
        def->joint(def->user, at->t, at->q, at->theta);
        def->joint_rows(def->user, at->t, at->q, at->joint_rows, at->joint_rate);
    }
    return instant_check(system, at, error);
}

double sys_instant_velocity(const cn_system *system, const sys_instant *at, int32_t c, int32_t i,
                            const double *v) {
    int32_t n = system->lagrangian.n;
    int64_t row = (int64_t)system->lagrangian.contacts * i + c;
    double u = at->rate[row];
    for (int32_t k = 0; k < n; k++) {
        u += at->rows[row * n + k] * v[k];
    }
    return u;
}

double sys_kinetic(const cn_system *system, const double *M, const double *v) {
    int32_t n = system->lagrangian.n;
    double twice = 0.0;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            twice += v[i] * M[(int64_t)n * i + j] * v[j];
        }
    }
    return 0.5 * twice;
}

double sys_potential(const cn_system *system, double t, const double *q) {
    const cn_lagrangian *def = &system->lagrangian;
    return def->potential ? def->potential(def->user, t, q) : 0.0;
}

// ---- force gradients ----

// Column j of the gradient by central differences in x, which is the q or the v of work.
static void force_column(const cn_system *system, sys_instant *work, double *x, int32_t j,
                         double *gradient) {
    const cn_lagrangian *def = &system->lagrangian;
    int32_t n = def->n;
    double kept = x[j], step = DIFFERENCE_STEP * fmax(1.0, fabs(kept));
    x[j] = kept + step;
    double after = x[j];
    def->force(def->user, work->t, work->q, work->v, work->F);
    for (int32_t i = 0; i < n; i++) {
        gradient[(int64_t)n * i + j] = work->F[i];
    }
    x[j] = kept - step;
    double width = after - x[j];
    def->force(def->user, work->t, work->q, work->v, work->F);
    for (int32_t i = 0; i < n; i++) {
        gradient[(int64_t)n * i + j] = (gradient[(int64_t)n * i + j] - work->F[i]) / width;
    }
    x[j] = kept;
}

cn_status sys_force_gradient(const cn_system *system, const sys_instant *at, sys_instant *work,
                             double *F_q, double *F_v, cn_error *error) {
    const cn_lagrangian *def = &system->lagrangian;
    int64_t n = def->n;
    if (def->force_gradient) {
        def->force_gradient(def->user, at->t, at->q, at->v, F_q, F_v);
    } else {
        work->t = at->t;
        memcpy(work->q, at->q, sizeof(double) * (size_t)n);
        memcpy(work->v, at->v, sizeof(double) * (size_t)n);
        for (int32_t j = 0; j < def->n; j++) {
            force_column(system, work, work->q, j, F_q);
            force_column(system, work, work->v, j, F_v);
        }
    }
    CN_TRY(check_finite(system, at, "dF/dq", F_q, n * n, n, error));
    return check_finite(system, at, "dF/dv", F_v, n * n, n, error);
}

// ---- making ----

static cn_status copy_numbers(cn_arena *memory, const double **numbers, int64_t count,
                              cn_error *error) {
    double *copy = BASE_TAKE_ZERO(memory, double, count);
    if (!copy) {
        return base_fail_memory(error);
    }
    if (*numbers) {
        memcpy(copy, *numbers, sizeof(double) * (size_t)count);
    }
    *numbers = copy;
    return CN_OK;
}

static cn_status system_begin(const cn_env *env, const char *name, cn_system **out,
                              cn_error *error) {
    cn_env own = env ? *env : cn_env_default();
    cn_system *system = base_env_resize(&own, NULL, 0, sizeof *system);
    if (!system) {
        return base_fail_memory(error);
    }
    *system = (cn_system){.env = own, .memory = cn_arena_create(&own)};
    const char *text = name ? name : "system";
    system->name = system->memory ? base_arena_text(system->memory, text, strlen(text)) : NULL;
    if (!system->name) {
        cn_system_destroy(system);
        return base_fail_memory(error);
    }
    *out = system;
    return CN_OK;
}

static cn_status lagrangian_lawful(const cn_lagrangian *def, cn_error *error) {
    if (def->n < 1 || def->contacts < 0 || def->joints < 0 || def->tangents < 0 ||
        def->tangents > 2) {
        return base_fail(error, CN_ERR_ARGUMENT,
                         "a system of %d coordinates, %d contacts, %d joints", (int)def->n,
                         (int)def->contacts, (int)def->joints);
    }
    if (!def->mass || !def->force || (def->contacts > 0 && (!def->gap || !def->contact_rows)) ||
        (def->joints > 0 && (!def->joint || !def->joint_rows))) {
        return base_fail(error, CN_ERR_ARGUMENT, "a function of the system is missing");
    }
    for (int32_t c = 0; c < def->contacts; c++) {
        const cn_lagrangian_contact *contact = &def->contact[c];
        if (!(contact->friction >= 0.0 && contact->friction <= DBL_MAX &&
              contact->restitution >= 0.0 && contact->restitution <= 1.0 &&
              contact->restitution_tangent >= -1.0 && contact->restitution_tangent <= 1.0)) {
            return base_fail(error, CN_ERR_ARGUMENT,
                             "contact %d: friction %g, restitution %g, tangential restitution %g",
                             (int)c + 1, contact->friction, contact->restitution,
                             contact->restitution_tangent);
        }
    }
    return CN_OK;
}

cn_status cn_system_create(const cn_env *env, const cn_lagrangian *def, cn_system **out,
                           cn_error *error) {
    *out = NULL;
    cn_system *system = NULL;
    cn_status status = lagrangian_lawful(def, error);
    if (status == CN_OK) {
        status = system_begin(env, def->name, &system, error);
    }
    CN_TRY(status);
    cn_lagrangian *own = &system->lagrangian;
    *own = *def;
    own->name = system->name;
    status = copy_numbers(system->memory, &own->q, def->n, error);
    if (status == CN_OK) {
        status = copy_numbers(system->memory, &own->v, def->n, error);
    }
    cn_lagrangian_contact *contact =
        BASE_TAKE(system->memory, cn_lagrangian_contact, def->contacts);
    if (status == CN_OK && !contact) {
        status = base_fail_memory(error);
    }
    for (int32_t c = 0; status == CN_OK && c < def->contacts; c++) {
        const char *name = def->contact[c].name ? def->contact[c].name : "";
        contact[c] = def->contact[c];
        contact[c].name = base_arena_text(system->memory, name, strlen(name));
        status = contact[c].name ? CN_OK : base_fail_memory(error);
    }
    own->contact = system->law = contact;
    if (status == CN_OK) {
        status = sys_lagrangian_check(system, error);
    }
    if (status != CN_OK) {
        own->hooks.end = NULL; // what failed has not taken over the user's things
        cn_system_destroy(system);
        return status;
    }
    *out = system;
    return CN_OK;
}

cn_status cn_system_create_first_order(const cn_env *env, const cn_first_order *def,
                                       cn_system **out, cn_error *error) {
    *out = NULL;
    if (def->n < 1 || def->m < 0 || (def->m > 0 && (!def->lower || !def->upper))) {
        return base_fail(error, CN_ERR_ARGUMENT, "a system of %d states and %d rows%s", (int)def->n,
                         (int)def->m, def->m > 0 && def->n > 0 ? " without bounds" : "");
    }
    cn_system *system = NULL;
    cn_status status = system_begin(env, def->name, &system, error);
    CN_TRY(status);
    system->is_first_order = true;
    cn_first_order *own = &system->first_order;
    *own = *def;
    own->name = system->name;
    int64_t n = def->n, m = def->m;
    const struct {
        const double **numbers;
        int64_t count;
    } parts[] = {{&own->A, n * n}, {&own->B, n * m}, {&own->C, m * n}, {&own->D, m * m},
                 {&own->x, n},     {&own->lower, m}, {&own->upper, m}};
    for (size_t i = 0; status == CN_OK && i < sizeof parts / sizeof *parts; i++) {
        status = copy_numbers(system->memory, parts[i].numbers, parts[i].count, error);
    }
    if (status == CN_OK) {
        status = sys_first_order_check(system, error);
    }
    if (status != CN_OK) {
        own->hooks.end = NULL;
        cn_system_destroy(system);
        return status;
    }
    *out = system;
    return CN_OK;
}

void cn_system_destroy(cn_system *system) {
    if (!system) {
        return;
    }
    const cn_system_hooks *hooks = sys_system_hooks_of(system);
    if (hooks->end) {
        hooks->end(sys_system_user(system));
    }
    cn_arena_destroy(system->memory);
    cn_env env = system->env;
    base_env_resize(&env, system, sizeof *system, 0);
}

// ---- looking ----

void *sys_system_user(const cn_system *system) {
    return system->is_first_order ? system->first_order.user : system->lagrangian.user;
}

const cn_system_hooks *sys_system_hooks_of(const cn_system *system) {
    return system->is_first_order ? &system->first_order.hooks : &system->lagrangian.hooks;
}

int32_t cn_system_size(const cn_system *system) {
    return system->is_first_order ? system->first_order.n : system->lagrangian.n;
}

int32_t cn_system_contacts(const cn_system *system) {
    return system->is_first_order ? system->first_order.m : system->lagrangian.contacts;
}

double cn_system_friction(const cn_system *system, int32_t contact) {
    return system->is_first_order ? 0.0 : system->lagrangian.contact[contact].friction;
}

cn_lagrangian_contact *sys_system_law(cn_system *system, int32_t contact) {
    return &system->law[contact];
}

bool cn_system_is_first_order(const cn_system *system) {
    return system->is_first_order;
}

const char *cn_system_name(const cn_system *system) {
    return system->name;
}
