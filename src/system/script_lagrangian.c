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

#define CN_STENCIL_STEP 1e-5 // over the size of the coordinate

typedef struct cn_scripted {
    cn_script *script;
    int32_t n, contacts, joints;
    cn_script_cell *mass, *force, *potential;
    cn_script_cell *gap, *rate, *slide; // contacts
    cn_script_cell *normal, *tangent;   // contacts x n
    bool *has_normal, *has_tangent, *has_slide, *has_rate;
    cn_script_cell *equation, *rows; // joints; joints x n
    bool *has_rows;
    double *moved; // n
} cn_scripted;

// ---- the functions ----

static void cn_scripted_mass(void *user, const double *q, double *M) {
    cn_scripted *s = user;
    cn_script_place(s->script, *s->script->t, q, NULL);
    for (int64_t k = 0; k < (int64_t)s->n * s->n; k++) {
        M[k] = cn_script_value(s->script, &s->mass[k]);
    }
}

static void cn_scripted_force(void *user, double t, const double *q, const double *v, double *F) {
    cn_scripted *s = user;
    cn_script_place(s->script, t, q, v);
    for (int32_t i = 0; i < s->n; i++) {
        F[i] = cn_script_value(s->script, &s->force[i]);
    }
}

static double cn_scripted_potential(void *user, double t, const double *q) {
    cn_scripted *s = user;
    cn_script_place(s->script, t, q, NULL);
    return cn_script_value(s->script, s->potential);
}

static void cn_scripted_gap(void *user, double t, const double *q, double *g) {
    cn_scripted *s = user;
    cn_script_place(s->script, t, q, NULL);
    for (int32_t c = 0; c < s->contacts; c++) {
        g[c] = cn_script_value(s->script, &s->gap[c]);
    }
}

static void cn_scripted_joint(void *user, double t, const double *q, double *theta) {
    cn_scripted *s = user;
    cn_script_place(s->script, t, q, NULL);
    for (int32_t j = 0; j < s->joints; j++) {
        theta[j] = cn_script_value(s->script, &s->equation[j]);
    }
}

// One scalar, with where its derivatives go.
typedef struct cn_slope {
    const cn_script_cell *cell;
    double *row, *rate;
} cn_slope;

// Derivatives of count scalars to the coordinates (row NULL: not wanted) and to t.
static void cn_scripted_slopes(cn_scripted *s, double t, const double *q, const cn_slope *slopes,
                               int32_t count) {
    static const double weights[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
    static const double places[4] = {-2.0, -1.0, 1.0, 2.0};
    bool rows = false, timed = false;
    for (int32_t c = 0; c < count; c++) {
        rows = rows || slopes[c].row;
        timed = timed || slopes[c].cell->timed;
    }
    for (int32_t i = rows ? 0 : s->n; i < s->n + timed; i++) {
        double at = i < s->n ? q[i] : t, step = CN_STENCIL_STEP * fmax(1.0, fabs(at));
        for (int32_t k = 0; k < 4; k++) {
            double moved = at + places[k] * step;
            memcpy(s->moved, q, sizeof(double) * (size_t)s->n);
            if (i < s->n) {
                s->moved[i] = moved;
            }
            cn_script_place(s->script, i < s->n ? t : moved, s->moved, NULL);
            for (int32_t c = 0; c < count; c++) {
                double part = weights[k] / step * cn_script_value(s->script, slopes[c].cell);
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
static void cn_scripted_given(const cn_scripted *s, const cn_script_cell *cells, double *row) {
    for (int32_t i = 0; i < s->n; i++) {
        row[i] = cn_script_value(s->script, &cells[i]);
    }
}

static void cn_scripted_rows(void *user, double t, const double *q, double *normal, double *tangent,
                             double *normal_rate, double *tangent_rate) {
    cn_scripted *s = user;
    int64_t n = s->n;
    for (int32_t c = 0; c < s->contacts; c++) {
        cn_slope slope[2] = {
            {&s->gap[c], s->has_normal[c] ? NULL : normal + n * c, &normal_rate[c]},
            {&s->slide[c], tangent + n * c, &tangent_rate[c]}};
        cn_scripted_slopes(s, t, q, slope, s->has_slide[c] ? 2 : 1);
    }
    cn_script_place(s->script, t, q, NULL);
    for (int32_t c = 0; c < s->contacts; c++) {
        if (s->has_rate[c]) {
            normal_rate[c] = cn_script_value(s->script, &s->rate[c]);
        }
        if (s->has_normal[c]) {
            cn_scripted_given(s, s->normal + n * c, normal + n * c);
        }
        if (s->has_tangent[c]) {
            cn_scripted_given(s, s->tangent + n * c, tangent + n * c);
        }
    }
}

static void cn_scripted_joint_rows(void *user, double t, const double *q, double *rows,
                                   double *rate) {
    cn_scripted *s = user;
    int64_t n = s->n;
    for (int32_t j = 0; j < s->joints; j++) {
        cn_slope slope = {&s->equation[j], s->has_rows[j] ? NULL : rows + n * j, &rate[j]};
        cn_scripted_slopes(s, t, q, &slope, 1);
    }
    cn_script_place(s->script, t, q, NULL);
    for (int32_t j = 0; j < s->joints; j++) {
        if (s->has_rows[j]) {
            cn_scripted_given(s, s->rows + n * j, rows + n * j);
        }
    }
}

static void cn_scripted_sample(void *user, double t, double h, const double *q, const double *v) {
    cn_script_sample(((cn_scripted *)user)->script, t, h, q, v);
}

static void cn_scripted_feel(void *user, double t, const double *q, const double *v,
                             const double *impulse) {
    cn_script_feel(((cn_scripted *)user)->script, t, q, v, impulse);
}

static void cn_scripted_end(void *user) {
    cn_script_destroy(((cn_scripted *)user)->script); // whose memory user lies in
}

static void *cn_scripted_run_begin(const void *user, const cn_env *env, double **memory) {
    const cn_scripted *from = user;
    cn_script *script = cn_script_copy(from->script, env);
    cn_scripted *s = script ? CN_TAKE(script->memory, cn_scripted, 1) : NULL;
    double *moved = s ? CN_TAKE_ZERO(script->memory, double, from->n) : NULL;
    if (!moved) {
        cn_script_destroy(script);
        return NULL;
    }
    *s = *from; // the cells are shared
    s->script = script;
    s->moved = moved;
    *memory = script->held;
    return s;
}

// ---- making ----

static cn_status cn_scripted_contacts(cn_scripted *s, const cn_script_lagrangian *def,
                                      cn_lagrangian_contact *law, cn_error *error) {
    cn_script *script = s->script;
    int64_t n = s->n;
    cn_status status = CN_OK;
    for (int32_t c = 0; status == CN_OK && c < s->contacts; c++) {
        const cn_script_contact *contact = &def->contact[c];
        const cn_script_list *lists[2] = {&contact->normal, &contact->tangent};
        cn_script_cell *cells[2] = {s->normal + n * c, s->tangent + n * c};
        law[c] = contact->law;
        s->has_normal[c] = contact->normal.count > 0;
        s->has_tangent[c] = contact->tangent.count > 0;
        s->has_slide[c] = contact->slide.text != NULL;
        s->has_rate[c] = contact->rate.text != NULL;
        status = cn_script_compile(script, &contact->gap, &s->gap[c], error);
        if (status == CN_OK) {
            status = cn_script_compile(script, &contact->rate, &s->rate[c], error);
        }
        if (status == CN_OK) {
            status = cn_script_compile(script, &contact->slide, &s->slide[c], error);
        }
        for (int32_t part = 0; part < 2; part++) {
            for (int32_t i = 0; status == CN_OK && i < lists[part]->count; i++) {
                status = cn_script_compile(script, &lists[part]->of[i], &cells[part][i], error);
            }
        }
        if (status == CN_OK && law[c].friction > 0.0 && !s->has_tangent[c] && !s->has_slide[c]) {
            status = cn_fail(error, CN_ERR_INPUT, "a contact with friction needs a tangent");
            cn_fail_hint(error, "give \"tangent\", a row, or \"slide\", a length along it");
            cn_fail_at(error, contact->source.file, contact->source.line, contact->source.column);
        }
    }
    return status;
}

static cn_status cn_scripted_joints(cn_scripted *s, const cn_script_lagrangian *def,
                                    cn_error *error) {
    cn_status status = CN_OK;
    for (int32_t j = 0; status == CN_OK && j < s->joints; j++) {
        const cn_script_joint *joint = &def->joint[j];
        s->has_rows[j] = joint->rows.count > 0;
        status = cn_script_compile(s->script, &joint->equation, &s->equation[j], error);
        for (int32_t i = 0; status == CN_OK && i < joint->rows.count; i++) {
            status = cn_script_compile(s->script, &joint->rows.of[i],
                                       &s->rows[(int64_t)s->n * j + i], error);
        }
    }
    return status;
}

static bool cn_scripted_allocate(cn_scripted *s) {
    cn_arena *memory = s->script->memory;
    int64_t n = s->n, contacts = s->contacts, joints = s->joints;
    s->potential = CN_TAKE_ZERO(memory, cn_script_cell, 1);
    s->gap = CN_TAKE_ZERO(memory, cn_script_cell, contacts);
    s->rate = CN_TAKE_ZERO(memory, cn_script_cell, contacts);
    s->slide = CN_TAKE_ZERO(memory, cn_script_cell, contacts);
    s->normal = CN_TAKE_ZERO(memory, cn_script_cell, contacts * n);
    s->tangent = CN_TAKE_ZERO(memory, cn_script_cell, contacts * n);
    s->has_normal = CN_TAKE_ZERO(memory, bool, contacts);
    s->has_tangent = CN_TAKE_ZERO(memory, bool, contacts);
    s->has_slide = CN_TAKE_ZERO(memory, bool, contacts);
    s->has_rate = CN_TAKE_ZERO(memory, bool, contacts);
    s->equation = CN_TAKE_ZERO(memory, cn_script_cell, joints);
    s->rows = CN_TAKE_ZERO(memory, cn_script_cell, joints * n);
    s->has_rows = CN_TAKE_ZERO(memory, bool, joints);
    s->moved = CN_TAKE_ZERO(memory, double, n);
    return s->potential && s->gap && s->rate && s->slide && s->has_rate && s->normal &&
           s->tangent && s->has_normal && s->has_tangent && s->has_slide && s->equation &&
           s->rows && s->has_rows && s->moved;
}

static cn_status cn_scripted_make(cn_scripted *s, const cn_script_lagrangian *def,
                                  const cn_env *env, cn_system **out, cn_error *error) {
    cn_script *script = s->script;
    cn_lagrangian_contact *law = CN_TAKE_ZERO(script->memory, cn_lagrangian_contact, s->contacts);
    cn_status status = law && cn_scripted_allocate(s) ? CN_OK : cn_fail_memory(error);
    s->mass = cn_script_compile_all(script, def->mass, (int64_t)s->n * s->n, &status, error);
    s->force = cn_script_compile_all(script, def->force, s->n, &status, error);
    if (status == CN_OK) {
        status = cn_script_compile(script, &def->potential, s->potential, error);
    }
    if (status == CN_OK) {
        status = cn_scripted_contacts(s, def, law, error);
    }
    if (status == CN_OK) {
        status = cn_scripted_joints(s, def, error);
    }
    if (status != CN_OK) {
        return status;
    }
    cn_lagrangian system = cn_lagrangian_default(s->n);
    system.name = def->common.name;
    system.q = def->q;
    system.v = def->v;
    system.user = s;
    system.mass = cn_scripted_mass;
    system.force = cn_scripted_force;
    system.potential = cn_scripted_potential;
    system.contacts = s->contacts;
    system.contact = law;
    system.gap = cn_scripted_gap;
    system.contact_rows = cn_scripted_rows;
    system.joints = s->joints;
    system.joint = cn_scripted_joint;
    system.joint_rows = cn_scripted_joint_rows;
    system.hooks = (cn_system_hooks){.step_begin = script->samplers > 0 ? cn_scripted_sample : NULL,
                                     .step_end = script->contacts > 0 ? cn_scripted_feel : NULL,
                                     .memory = script->held,
                                     .memory_count = script->held_count,
                                     .run_begin = cn_scripted_run_begin,
                                     .run_end = cn_scripted_end,
                                     .end = cn_scripted_end};
    return cn_system_create(env, &system, out, error);
}

cn_status cn_script_lagrangian_create(const cn_env *env, const cn_script_lagrangian *def,
                                      cn_system **out, cn_error *error) {
    cn_script *script;
    cn_script_common common = def->common;
    *out = NULL;
    common.contacts = def->contacts;
    int32_t n = def->n;
    int32_t formulas = n * n + n + 1 + def->contacts * (3 + 2 * n) + def->joints * (1 + n);
    cn_status status = cn_script_create(env, &common, n, false, formulas, &script, error);
    if (status != CN_OK) {
        return status;
    }
    cn_scripted *s = CN_TAKE_ZERO(script->memory, cn_scripted, 1);
    if (!s) {
        cn_script_destroy(script);
        return cn_fail_memory(error);
    }
    *s = (cn_scripted){.script = script, .n = n, .contacts = def->contacts, .joints = def->joints};
    status = cn_scripted_make(s, def, env, out, error);
    if (status != CN_OK) {
        cn_script_destroy(script);
    }
    return status;
}
