// system/script_lagrangian.c
// Lagrangian systems given as texts. Rows that are not given are differences of four points,
//     g'(x) = (8 (g(x+d) - g(x-d)) - (g(x+2d) - g(x-2d))) / (12 d),
// good to about 1e-11 for functions that are smooth over 0.01. Give rows where a gap has a kink
// nearby, or for many digits from the event-driven scheme.
#include "system/script.h"

#include "base/arena.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

#define STENCIL_STEP 1e-5 // over the size of the coordinate

typedef struct scripted {
    sys_script *script;
    int32_t n, contacts, joints;
    sys_script_cell *mass, *force, *potential;
    sys_script_cell *gap, *rate, *slide; // contacts
    sys_script_cell *normal, *tangent;   // contacts x n
    bool *has_normal, *has_tangent, *has_slide, *has_rate;
    sys_script_cell *equation, *rows; // joints; joints x n
    bool *has_rows;
    double *moved; // n
} scripted;

// ---- the functions ----

static void scripted_mass(void *user, const double *q, double *M) {
    scripted *s = user;
    sys_script_place(s->script, *s->script->t, q, NULL);
    for (int64_t k = 0; k < (int64_t)s->n * s->n; k++) {
        M[k] = sys_script_value(s->script, &s->mass[k]);
    }
}

static void scripted_force(void *user, double t, const double *q, const double *v, double *F) {
    scripted *s = user;
    sys_script_place(s->script, t, q, v);
    for (int32_t i = 0; i < s->n; i++) {
        F[i] = sys_script_value(s->script, &s->force[i]);
    }
}

static double scripted_potential(void *user, double t, const double *q) {
    scripted *s = user;
    sys_script_place(s->script, t, q, NULL);
    return sys_script_value(s->script, s->potential);
}

static void scripted_gap(void *user, double t, const double *q, double *g) {
    scripted *s = user;
    sys_script_place(s->script, t, q, NULL);
    for (int32_t c = 0; c < s->contacts; c++) {
        g[c] = sys_script_value(s->script, &s->gap[c]);
    }
}

static void scripted_joint(void *user, double t, const double *q, double *theta) {
    scripted *s = user;
    sys_script_place(s->script, t, q, NULL);
    for (int32_t j = 0; j < s->joints; j++) {
        theta[j] = sys_script_value(s->script, &s->equation[j]);
    }
}

// One scalar, with where its derivatives go.
typedef struct sys_slope {
    const sys_script_cell *cell;
    double *row, *rate;
} sys_slope;

// Derivatives of count scalars to the coordinates (row NULL: not wanted) and to t.
static void scripted_slopes(scripted *s, double t, const double *q, const sys_slope *slopes,
                            int32_t count) {
    static const double weights[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
    static const double places[4] = {-2.0, -1.0, 1.0, 2.0};
    bool rows = false, timed = false;
    for (int32_t c = 0; c < count; c++) {
        rows = rows || slopes[c].row;
        timed = timed || slopes[c].cell->timed;
    }
    for (int32_t i = rows ? 0 : s->n; i < s->n + timed; i++) {
        double at = i < s->n ? q[i] : t, step = STENCIL_STEP * fmax(1.0, fabs(at));
        for (int32_t k = 0; k < 4; k++) {
            double moved = at + places[k] * step;
            memcpy(s->moved, q, sizeof(double) * (size_t)s->n);
            if (i < s->n) {
                s->moved[i] = moved;
            }
            sys_script_place(s->script, i < s->n ? t : moved, s->moved, NULL);
            for (int32_t c = 0; c < count; c++) {
                double part = weights[k] / step * sys_script_value(s->script, slopes[c].cell);
                if (i == s->n) {
                    *slopes[c].rate += part;
                } else if (slopes[c].row) {
                    slopes[c].row[i] += part;
                }
            }
        }
    }
}

// Rows that are given as texts.
static void scripted_given(const scripted *s, const sys_script_cell *cells, double *row) {
    for (int32_t i = 0; i < s->n; i++) {
        row[i] = sys_script_value(s->script, &cells[i]);
    }
}

static void scripted_rows(void *user, double t, const double *q, double *normal, double *tangent,
                          double *normal_rate, double *tangent_rate) {
    scripted *s = user;
    int64_t n = s->n;
    for (int32_t c = 0; c < s->contacts; c++) {
        sys_slope slope[2] = {
            {&s->gap[c], s->has_normal[c] ? NULL : normal + n * c, &normal_rate[c]},
            {&s->slide[c], tangent + n * c, &tangent_rate[c]}};
        scripted_slopes(s, t, q, slope, s->has_slide[c] ? 2 : 1);
    }
    sys_script_place(s->script, t, q, NULL);
    for (int32_t c = 0; c < s->contacts; c++) {
        if (s->has_rate[c]) {
            normal_rate[c] = sys_script_value(s->script, &s->rate[c]);
        }
        if (s->has_normal[c]) {
            scripted_given(s, s->normal + n * c, normal + n * c);
        }
        if (s->has_tangent[c]) {
            scripted_given(s, s->tangent + n * c, tangent + n * c);
        }
    }
}

static void scripted_joint_rows(void *user, double t, const double *q, double *rows, double *rate) {
    scripted *s = user;
    int64_t n = s->n;
    for (int32_t j = 0; j < s->joints; j++) {
        sys_slope slope = {&s->equation[j], s->has_rows[j] ? NULL : rows + n * j, &rate[j]};
        scripted_slopes(s, t, q, &slope, 1);
    }
    sys_script_place(s->script, t, q, NULL);
    for (int32_t j = 0; j < s->joints; j++) {
        if (s->has_rows[j]) {
            scripted_given(s, s->rows + n * j, rows + n * j);
        }
    }
}

static void scripted_sample(void *user, double t, double h, const double *q, const double *v) {
    sys_script_sample(((scripted *)user)->script, t, h, q, v);
}

static void scripted_feel(void *user, double t, const double *q, const double *v,
                          const double *impulse) {
    sys_script_feel(((scripted *)user)->script, t, q, v, impulse);
}

static void scripted_end(void *user) {
    sys_script_destroy(((scripted *)user)->script); // whose memory user lies in
}

static void *scripted_run_begin(const void *user, const cn_env *env, double **memory) {
    const scripted *from = user;
    sys_script *script = sys_script_copy(from->script, env);
    scripted *s = script ? BASE_TAKE(script->memory, scripted, 1) : NULL;
    double *moved = s ? BASE_TAKE_ZERO(script->memory, double, from->n) : NULL;
    if (!moved) {
        sys_script_destroy(script);
        return NULL;
    }
    *s = *from; // the cells are shared
    s->script = script;
    s->moved = moved;
    *memory = script->held;
    return s;
}

// ---- making ----

static cn_status scripted_contacts(scripted *s, const sys_script_lagrangian *def,
                                   cn_lagrangian_contact *law, cn_error *error) {
    sys_script *script = s->script;
    int64_t n = s->n;
    cn_status status = CN_OK;
    for (int32_t c = 0; status == CN_OK && c < s->contacts; c++) {
        const sys_script_contact *contact = &def->contact[c];
        const sys_script_list *lists[2] = {&contact->normal, &contact->tangent};
        sys_script_cell *cells[2] = {s->normal + n * c, s->tangent + n * c};
        law[c] = contact->law;
        s->has_normal[c] = contact->normal.count > 0;
        s->has_tangent[c] = contact->tangent.count > 0;
        s->has_slide[c] = contact->slide.text != NULL;
        s->has_rate[c] = contact->rate.text != NULL;
        status = sys_script_compile(script, &contact->gap, &s->gap[c], error);
        if (status == CN_OK) {
            status = sys_script_compile(script, &contact->rate, &s->rate[c], error);
        }
        if (status == CN_OK) {
            status = sys_script_compile(script, &contact->slide, &s->slide[c], error);
        }
        for (int32_t part = 0; part < 2; part++) {
            for (int32_t i = 0; status == CN_OK && i < lists[part]->count; i++) {
                status = sys_script_compile(script, &lists[part]->of[i], &cells[part][i], error);
            }
        }
        if (status == CN_OK && law[c].friction > 0.0 && !s->has_tangent[c] && !s->has_slide[c]) {
            status = base_fail(error, CN_ERR_INPUT, "a contact with friction needs a tangent");
            base_fail_hint(error, "give \"tangent\", a row, or \"slide\", a length along it");
            base_fail_at(error, contact->source.file, contact->source.line, contact->source.column);
        }
    }
    return status;
}

static cn_status scripted_joints(scripted *s, const sys_script_lagrangian *def, cn_error *error) {
    for (int32_t j = 0; j < s->joints; j++) {
        const sys_script_joint *joint = &def->joint[j];
        s->has_rows[j] = joint->rows.count > 0;
        CN_TRY(sys_script_compile(s->script, &joint->equation, &s->equation[j], error));
        for (int32_t i = 0; i < joint->rows.count; i++) {
            CN_TRY(sys_script_compile(s->script, &joint->rows.of[i],
                                      &s->rows[(int64_t)s->n * j + i], error));
        }
    }
    return CN_OK;
}

static bool scripted_allocate(scripted *s) {
    cn_arena *memory = s->script->memory;
    int64_t n = s->n, contacts = s->contacts, joints = s->joints;
    s->potential = BASE_TAKE_ZERO(memory, sys_script_cell, 1);
    s->gap = BASE_TAKE_ZERO(memory, sys_script_cell, contacts);
    s->rate = BASE_TAKE_ZERO(memory, sys_script_cell, contacts);
    s->slide = BASE_TAKE_ZERO(memory, sys_script_cell, contacts);
    s->normal = BASE_TAKE_ZERO(memory, sys_script_cell, contacts * n);
    s->tangent = BASE_TAKE_ZERO(memory, sys_script_cell, contacts * n);
    s->has_normal = BASE_TAKE_ZERO(memory, bool, contacts);
    s->has_tangent = BASE_TAKE_ZERO(memory, bool, contacts);
    s->has_slide = BASE_TAKE_ZERO(memory, bool, contacts);
    s->has_rate = BASE_TAKE_ZERO(memory, bool, contacts);
    s->equation = BASE_TAKE_ZERO(memory, sys_script_cell, joints);
    s->rows = BASE_TAKE_ZERO(memory, sys_script_cell, joints * n);
    s->has_rows = BASE_TAKE_ZERO(memory, bool, joints);
    s->moved = BASE_TAKE_ZERO(memory, double, n);
    return s->potential && s->gap && s->rate && s->slide && s->has_rate && s->normal &&
           s->tangent && s->has_normal && s->has_tangent && s->has_slide && s->equation &&
           s->rows && s->has_rows && s->moved;
}

static cn_status scripted_make(scripted *s, const sys_script_lagrangian *def, const cn_env *env,
                               cn_system **out, cn_error *error) {
    sys_script *script = s->script;
    cn_lagrangian_contact *law = BASE_TAKE_ZERO(script->memory, cn_lagrangian_contact, s->contacts);
    cn_status status = law && scripted_allocate(s) ? CN_OK : base_fail_memory(error);
    s->mass = sys_script_compile_all(script, def->mass, (int64_t)s->n * s->n, &status, error);
    s->force = sys_script_compile_all(script, def->force, s->n, &status, error);
    CN_TRY(status);
    CN_TRY(sys_script_compile(script, &def->potential, s->potential, error));
    CN_TRY(scripted_contacts(s, def, law, error));
    CN_TRY(scripted_joints(s, def, error));
    cn_lagrangian system = cn_lagrangian_default(s->n);
    system.name = def->common.name;
    system.q = def->q;
    system.v = def->v;
    system.user = s;
    system.mass = scripted_mass;
    system.force = scripted_force;
    system.potential = scripted_potential;
    system.contacts = s->contacts;
    system.contact = law;
    system.gap = scripted_gap;
    system.contact_rows = scripted_rows;
    system.joints = s->joints;
    system.joint = scripted_joint;
    system.joint_rows = scripted_joint_rows;
    system.hooks = (cn_system_hooks){.step_begin = script->samplers > 0 ? scripted_sample : NULL,
                                     .step_end = script->contacts > 0 ? scripted_feel : NULL,
                                     .memory = script->held,
                                     .memory_count = script->held_count,
                                     .run_begin = scripted_run_begin,
                                     .run_end = scripted_end,
                                     .end = scripted_end};
    return cn_system_create(env, &system, out, error);
}

cn_status sys_script_lagrangian_create(const cn_env *env, const sys_script_lagrangian *def,
                                       cn_system **out, cn_error *error) {
    sys_script *script;
    sys_script_common common = def->common;
    *out = NULL;
    common.contacts = def->contacts;
    int32_t n = def->n;
    int32_t formulas = n * n + n + 1 + def->contacts * (3 + 2 * n) + def->joints * (1 + n);
    cn_status status = sys_script_create(env, &common, n, false, formulas, &script, error);
    CN_TRY(status);
    scripted *s = BASE_TAKE_ZERO(script->memory, scripted, 1);
    if (!s) {
        sys_script_destroy(script);
        return base_fail_memory(error);
    }
    *s = (scripted){.script = script, .n = n, .contacts = def->contacts, .joints = def->joints};
    status = scripted_make(s, def, env, out, error);
    if (status != CN_OK) {
        sys_script_destroy(script);
    }
    return status;
}
