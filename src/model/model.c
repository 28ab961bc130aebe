// model/model.c
// The builder of a scene: what is added is checked at once, as far as it can be alone, and copied.
// Arrays double as they grow, so that a million bodies cost a few copies each.
#include <cairn/system.h>

#include "model/model.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/library.h"
#include "base/memory.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "model/build.h"
#include "model/deformable.h"
#include "model/text.h"

#include <float.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The table of pairs is square.
#define MATERIALS_MAX 1024

// ---- texts and defaults ----

const char *cn_law_text(cn_law law) {
    static const char *const text[CN_LAW_KINDS] = {"auto", "signorini", "quasi-inelastic", "gap",
                                                   "stabilised"};
    return (unsigned)law < CN_LAW_KINDS ? text[law] : "unknown law";
}

cn_contact_def cn_contact_def_default(void) {
    return (cn_contact_def){.between = {"*", "*"},
                            .friction = NAN,
                            .friction_dynamic = NAN,
                            .restitution = NAN,
                            .restitution_tangent = NAN,
                            .correction = NAN,
                            .law = CN_LAW_KINDS,
                            .cohesion = NAN,
                            .tension = NAN,
                            .stiffness_normal = NAN,
                            .stiffness_tangent = NAN,
                            .fracture_energy = {NAN, NAN},
                            .viscosity = NAN,
                            .bond_area = NAN,
                            .bond_gap = NAN,
                            .softening = CN_SOFTENING_KINDS};
}

cn_body_def cn_body_def_default(void) {
    cn_body_def def = {.orientation = {1.0, 0.0, 0.0, 0.0}, .mass = NAN};
    for (int32_t i = 0; i < 9; i++) {
        def.inertia[i] = NAN;
    }
    for (int32_t i = 0; i < 3; i++) {
        def.com[i] = NAN;
    }
    return def;
}

// ---- what the builder's files share ----

cn_status model_blame(cn_error *error, cn_status status, const cn_source *source,
                      const char *format, ...) {
    if (error) {
        char words[sizeof error->message], message[sizeof error->message];
        va_list args;
        va_start(args, format);
        vsnprintf(words, sizeof words, format, args);
        va_end(args);
        snprintf(message, sizeof message, "%.200s: %.300s", words, error->message);
        memcpy(error->message, message, sizeof message);
        if (source->file) {
            base_fail_at(error, source->file, source->line, source->column);
        }
    }
    return status;
}

cn_status model_blame_body(cn_error *error, cn_status status, const cn_source *source,
                           const char *name, int32_t index) {
    return name && name[0] ? model_blame(error, status, source, "body '%s'", name)
                           : model_blame(error, status, source, "body %d", index + 1);
}

bool model_is_finite(const double *x, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        if (!(fabs(x[i]) <= DBL_MAX)) {
            return false;
        }
    }
    return true;
}

cn_status model_check_open(const cn_model *model, cn_error *error) {
    return model->finished
               ? base_fail(error, CN_ERR_ARGUMENT, "the model is finished; nothing can be added")
               : CN_OK;
}

// Where the pointer to an array is (of whatever type, so it is copied as bytes), and the size of
// what one entity has there.
typedef struct model_array {
    void *pointer;
    size_t size;
} model_array;

static model_array array_of(cn_model *m, int32_t array) {
    const model_array all[MODEL_ARRAYS] = {
        [MODEL_ARRAY_MATERIAL] = {&m->material, sizeof *m->material},
        [MODEL_ARRAY_CONTACT] = {&m->contact, sizeof *m->contact},
        [MODEL_ARRAY_BODY] = {&m->body, sizeof *m->body},
        [MODEL_ARRAY_Q0] = {&m->q0, (size_t)model_pose_size(m->dim) * sizeof *m->q0},
        [MODEL_ARRAY_V0] = {&m->v0, (size_t)model_velocity_size(m->dim) * sizeof *m->v0},
        [MODEL_ARRAY_SHAPE] = {&m->shape, sizeof *m->shape},
        [MODEL_ARRAY_INERTIA] = {&m->inertia, sizeof *m->inertia},
        [MODEL_ARRAY_FORCE] = {&m->force, sizeof *m->force},
        [MODEL_ARRAY_MOTION] = {&m->motion, sizeof *m->motion},
        [MODEL_ARRAY_COLUMN] = {&m->column, sizeof *m->column},
        [MODEL_ARRAY_JOINT] = {&m->joint, sizeof *m->joint},
        [MODEL_ARRAY_MARK] = {&m->mark, sizeof *m->mark},
        [MODEL_ARRAY_DEFORMABLE] = {&m->deformables, sizeof *m->deformables},
    };
    return all[array];
}

// Gives an array this capacity; 0 frees it.
static bool resize_array(cn_model *model, int32_t which, int32_t capacity) {
    model_array array = array_of(model, which);
    void *block;
    size_t bytes;
    memcpy(&block, array.pointer, sizeof block);
    if (!base_size_multiply(capacity, array.size, &bytes)) {
        return false;
    }
    if (block || bytes) {
        block =
            base_env_resize(&model->env, block, (size_t)model->capacity[which] * array.size, bytes);
    }
    if (bytes && !block) {
        return false;
    }
    memcpy(array.pointer, &block, sizeof block);
    model->capacity[which] = capacity;
    return true;
}

cn_status model_reserve(cn_model *model, int32_t array, int64_t needed, cn_error *error) {
    int64_t capacity = model->capacity[array] ? model->capacity[array] : 16;
    if (needed > INT32_MAX / 2) {
        return base_fail(error, CN_ERR_UNSUPPORTED, "more than %d of a kind", INT32_MAX / 2);
    }
    while (capacity < needed) {
        capacity *= 2;
    }
    if (capacity > model->capacity[array] && !resize_array(model, array, (int32_t)capacity)) {
        return base_fail_memory(error);
    }
    return CN_OK;
}

void model_free_arrays(cn_model *model) {
    for (int32_t i = 0; i < MODEL_ARRAYS; i++) {
        resize_array(model, i, 0);
    }
}

bool model_copy_arrays(cn_model *copy, const cn_model *from) {
    const int32_t count[MODEL_ARRAYS] = {
        [MODEL_ARRAY_MATERIAL] = from->material_count, [MODEL_ARRAY_CONTACT] = from->contact_count,
        [MODEL_ARRAY_BODY] = from->body_count,         [MODEL_ARRAY_Q0] = from->body_count,
        [MODEL_ARRAY_V0] = from->body_count,           [MODEL_ARRAY_SHAPE] = from->shape_count,
        [MODEL_ARRAY_INERTIA] = from->inertia_count,   [MODEL_ARRAY_FORCE] = from->force_count,
        [MODEL_ARRAY_MOTION] = from->motion_count,     [MODEL_ARRAY_JOINT] = from->joint_count,
        [MODEL_ARRAY_MARK] = from->mark_count};
    void *old[MODEL_ARRAYS], *none = NULL;
    for (int32_t i = 0; i < MODEL_ARRAYS; i++) {
        void *pointer = array_of(copy, i).pointer;
        memcpy(&old[i], pointer, sizeof old[i]);
        memcpy(pointer, &none, sizeof none);
        copy->capacity[i] = 0;
    }
    for (int32_t i = 0; i < MODEL_ARRAYS; i++) {
        model_array array = array_of(copy, i);
        void *block;
        if (count[i] > 0 && !resize_array(copy, i, count[i])) {
            return false;
        }
        memcpy(&block, array.pointer, sizeof block);
        if (block && old[i]) {
            memcpy(block, old[i], array.size * (size_t)count[i]);
        } else if (block) { // velocities where nothing moved
            memset(block, 0, array.size * (size_t)count[i]);
        }
    }
    return true;
}

void model_drop_rest(cn_model *model) {
    const unsigned char *bytes = (const unsigned char *)model->v0;
    size_t size = (size_t)model->body_count * (size_t)model_velocity_size(model->dim);
    for (size_t i = 0; i < size * sizeof *model->v0; i++) {
        if (bytes[i] != 0) { // -0.0 stays what it is
            return;
        }
    }
    resize_array(model, MODEL_ARRAY_V0, 0);
}

cn_status model_copy_text(cn_model *model, const char *text, const char **copy, cn_error *error) {
    *copy = "";
    if (text && text[0]) {
        *copy = base_arena_text(model->memory, text, strlen(text));
    }
    return *copy ? CN_OK : base_fail_memory(error);
}

cn_status model_copy_source(cn_model *model, const cn_source *source, cn_source *copy,
                            cn_error *error) {
    *copy = *source;
    if (!source->file) {
        return CN_OK;
    }
    // Marks come in the order of the file, so that the last name is nearly always this one.
    if (!model->last_file || strcmp(model->last_file, source->file) != 0) {
        cn_status status = model_copy_text(model, source->file, &model->last_file, error);
        if (status != CN_OK) {
            model->last_file = NULL;
            return status;
        }
    }
    copy->file = model->last_file;
    return CN_OK;
}

// ---- create, destroy, look ----

cn_model *cn_model_create(const cn_env *env, int32_t dim) {
    cn_arena *memory = dim == 2 || dim == 3 ? cn_arena_create(env) : NULL;
    cn_model *model = memory ? BASE_TAKE_ZERO(memory, cn_model, 1) : NULL;
    if (!model) {
        cn_arena_destroy(memory);
        return NULL;
    }
    model->env = *cn_arena_env(memory);
    model->dim = dim;
    model->settings = cn_settings_default(dim);
    model->name = "";
    model->memory = model->inputs.memory = memory;
    model->signals.inputs = &model->inputs;
    model->text = model_text_create(model);
    if (!model->text) {
        cn_arena_destroy(memory);
        return NULL;
    }
    return model;
}

static void destroy_signals(base_signal *const signal[3]) {
    for (int32_t i = 0; i < 3; i++) {
        base_signal_destroy(signal[i]);
    }
}

static void destroy_motion(model_motion *motion) {
    destroy_signals(motion->velocity);
    destroy_signals(motion->angular_velocity);
    destroy_signals(motion->rotation);
}

void cn_model_destroy(cn_model *model) {
    if (!model) {
        return;
    }
    for (int32_t i = 0; i < model->force_count; i++) {
        destroy_signals(model->force[i].force);
        destroy_signals(model->force[i].torque);
    }
    for (int32_t i = 0; i < model->motion_count; i++) {
        destroy_motion(&model->motion[i]);
    }
    for (int32_t i = 0; i < model->joint_count; i++) {
        base_signal_destroy(model->joint[i].target);
    }
    model_text_destroy(model->text);
    model_deformables_destroy(model);
    model_free_arrays(model);
    cn_system_destroy(model->system);
    if (model->control) {
        sys_script_destroy(model->control->script);
    }
    for (int32_t i = 0; i < model->library_count; i++) {
        base_library_close(model->library[i]);
    }
    cn_arena_destroy(model->memory); // the model itself is in it
}

cn_settings *cn_model_settings(cn_model *model) {
    if (!model) {
        return NULL;
    }
    return &model->settings;
}

int32_t cn_model_dim(const cn_model *model) {
    if (!model) {
        return 0;
    }
    return model->dim;
}

int32_t cn_model_body_count(const cn_model *model) {
    if (!model) {
        return 0;
    }
    return model->body_count;
}

int32_t cn_model_joint_count(const cn_model *model) {
    if (!model) {
        return 0;
    }
    return model->joint_count;
}

cn_body_id cn_model_find_body(const cn_model *model, const char *name) {
    int32_t index = model && name && name[0] ? base_names_find(&model->body_names, name) : -1;
    if (index < 0 && model && name && name[0] == '#') {
        size_t digits = strspn(name + 1, "0123456789");
        long number = digits > 0 && digits < 10 && !name[1 + digits] ? atol(name + 1) : 0;
        index = number <= model->body_count ? (int32_t)number - 1 : -1;
    }
    return index + 1;
}

const model_body_pair *model_pair(const cn_model *model, int32_t material_a, int32_t material_b) {
    return &model->pair[(int64_t)material_a * model->material_count + material_b];
}

const model_body_pair *model_pair_of(const cn_model *model, int32_t body_a, int32_t body_b) {
    const model_body *a = &model->body[body_a], *b = &model->body[body_b];
    bool deformable = a->role == MODEL_BODY_DEFORMABLE || b->role == MODEL_BODY_DEFORMABLE;
    int64_t count = model->material_count;
    return model_pair(model, a->material, b->material) + (deformable ? count * count : 0);
}

// ---- materials and contacts ----

cn_status cn_model_add_material(cn_model *model, const cn_material_def *def, int32_t *material,
                                cn_error *error) {
    if (!model || !def || !material) {
        return base_fail_missing(error);
    }
    CN_TRY(model_check_open(model, error));
    if (!def->name || !def->name[0] || strcmp(def->name, "*") == 0) {
        return base_fail(error, CN_ERR_INPUT, "a material needs a name, and not \"*\"");
    }
    if (base_names_find(&model->material_names, def->name) >= 0) {
        return base_fail(error, CN_ERR_INPUT, "duplicate material '%s'", def->name);
    }
    if (!(def->density >= 0.0 && def->density <= DBL_MAX)) {
        return base_fail(error, CN_ERR_INPUT, "material '%s': density must be 0 or more, not %g",
                         def->name, def->density);
    }
    if (model->material_count == MATERIALS_MAX) {
        return base_fail(error, CN_ERR_UNSUPPORTED, "more than %d materials", MATERIALS_MAX);
    }
    CN_TRY(model_check_elastic(def, error));
    model_material copy = {.density = def->density,
                           .young = def->young,
                           .poisson = def->poisson,
                           .damping_mass = def->damping_mass,
                           .damping_stiffness = def->damping_stiffness};
    CN_TRY(model_reserve(model, MODEL_ARRAY_MATERIAL, (int64_t)model->material_count + 1, error));
    CN_TRY(model_copy_text(model, def->name, &copy.name, error));
    if (!base_names_reserve(&model->material_names, model->memory)) {
        return base_fail_memory(error);
    }
    base_names_add(&model->material_names, copy.name, model->material_count);
    *material = model->material_count;
    model->material[model->material_count++] = copy;
    model_text_material(model, def);
    return CN_OK;
}

// A number of a contact that is given (not NaN) must be between least and most.
static cn_status contact_check(const char *key, double value, double min, double max,
                               cn_error *error) {
    if (isnan(value) || (value >= min && value <= max)) {
        return CN_OK;
    }
    return max <= 1.0
               ? base_fail(error, CN_ERR_INPUT, "%s must be between %g and %g, not %g", key, min,
                           max, value)
               : base_fail(error, CN_ERR_INPUT, "%s must be %g or more, not %g", key, min, value);
}

cn_status cn_model_add_contact(cn_model *model, const cn_contact_def *def, cn_error *error) {
    if (!model || !def) {
        return base_fail_missing(error);
    }
    const struct {
        const char *key;
        double value, min, max;
    } number[] = {
        {"friction", def->friction, 0.0, DBL_MAX},
        {"friction_dynamic", def->friction_dynamic, 0.0, DBL_MAX},
        {"restitution", def->restitution, 0.0, 1.0},
        {"restitution_tangent", def->restitution_tangent, -1.0, 1.0},
        {"correction", def->correction, 0.0, HUGE_VAL}, // infinite: no cap
        {"cohesion", def->cohesion, 0.0, DBL_MAX},
        {"tension", def->tension, 0.0, DBL_MAX},
        {"stiffness.normal", def->stiffness_normal, DBL_MIN, HUGE_VAL}, // infinite: rigid
        {"stiffness.tangential", def->stiffness_tangent, DBL_MIN, HUGE_VAL},
        {"fracture_energy", def->fracture_energy[0], 0.0, DBL_MAX},
        {"fracture_energy", def->fracture_energy[1], 0.0, DBL_MAX},
        {"viscosity", def->viscosity, 0.0, DBL_MAX},
        {"bond_area", def->bond_area, DBL_MIN, DBL_MAX},
        {"bond_gap", def->bond_gap, 0.0, DBL_MAX},
    };
    cn_status status = model_check_open(model, error);
    for (size_t i = 0; i < sizeof number / sizeof *number && status == CN_OK; i++) {
        status = contact_check(number[i].key, number[i].value, number[i].min, number[i].max, error);
    }
    if (status == CN_OK && (unsigned)def->law > CN_LAW_KINDS) {
        status = base_fail(error, CN_ERR_ARGUMENT, "%d is no law", (int)def->law);
    }
    if (status == CN_OK && (unsigned)def->softening > CN_SOFTENING_KINDS) {
        status = base_fail(error, CN_ERR_ARGUMENT, "%d is no softening", (int)def->softening);
    }
    if (status != CN_OK) {
        return model_blame(error, status, &def->source, "contact");
    }
    cn_contact_def copy = *def;
    status = model_reserve(model, MODEL_ARRAY_CONTACT, (int64_t)model->contact_count + 1, error);
    for (int32_t i = 0; i < 2 && status == CN_OK; i++) {
        status = model_copy_text(model, def->between[i] ? def->between[i] : "*", &copy.between[i],
                                 error);
    }
    if (status == CN_OK) {
        status = model_copy_source(model, &def->source, &copy.source, error);
    }
    if (status == CN_OK) {
        model->contact[model->contact_count++] = copy;
        model_text_contact(model, def);
    }
    return status;
}

// ---- forces and motions ----

// Three signals; in 2D only those of `from` to `to` are looked at, the others are zero.
static cn_status signals_create(cn_model *model, const cn_signal_def def[3], base_signal_use use,
                                int32_t from, int32_t to, const char *what, const cn_source *source,
                                base_signal *signal[3], cn_error *error) {
    static const cn_signal_def none = {0};
    for (int32_t i = 0; i < 3; i++) {
        const cn_signal_def *one = i >= from && i <= to ? &def[i] : &none;
        cn_error fault = {0};
        signal[i] = model_create_signal(model, one, use, &fault);
        if (!signal[i]) {
            if (fault.column > 0) {
                model_blame(&fault, fault.status, source, "at its character %d", fault.column);
            }
            model_blame(&fault, fault.status, one->source.file ? &one->source : source, "%s[%d]",
                        what, i);
            if (error) {
                *error = fault;
            }
            return fault.status;
        }
    }
    return CN_OK;
}

static cn_status check_body(const cn_model *model, cn_body_id body, cn_error *error) {
    if (body >= 1 && body <= model->body_count) {
        return CN_OK;
    }
    return base_fail(error, CN_ERR_INPUT, "there is no body %d", body);
}

cn_status cn_model_add_force(cn_model *model, const cn_force_def *def, cn_error *error) {
    if (!model || !def) {
        return base_fail_missing(error);
    }
    cn_status status = model_check_open(model, error);
    if (status == CN_OK) {
        status = check_body(model, def->body, error);
    }
    if (status == CN_OK && model_is_deformable(model, def->body - 1)) {
        status = model_force_check(model, def, error);
    }
    bool at_center = isnan(def->point[0]);
    if (status == CN_OK && !at_center && !model_is_finite(def->point, model->dim)) {
        status = base_fail(error, CN_ERR_INPUT, "point is not a finite number");
    }
    if (status != CN_OK) {
        return model_blame(error, status, &def->source, "force");
    }
    model_force copy = {.body = def->body - 1, .at_center = at_center, .body_axes = def->body_axes};
    status = model_reserve(model, MODEL_ARRAY_FORCE, (int64_t)model->force_count + 1, error);
    if (status == CN_OK) {
        status = signals_create(model, def->force, BASE_SIGNAL_VALUE, 0, model->dim - 1, "force",
                                &def->source, copy.force, error);
    }
    if (status == CN_OK) {
        status = signals_create(model, def->torque, BASE_SIGNAL_VALUE, model->dim == 2 ? 2 : 0, 2,
                                "torque", &def->source, copy.torque, error);
    }
    if (status != CN_OK) {
        destroy_signals(copy.force);
        destroy_signals(copy.torque);
        return status;
    }
    if (!at_center) {
        math_sub3(def->point, model->body[copy.body].com, copy.point);
        copy.point[2] = model->dim == 3 ? copy.point[2] : 0.0;
    }
    model->force[model->force_count++] = copy;
    model_text_force(model, def);
    return CN_OK;
}

// What a motion is given as, by cn_motion_by.
static const struct {
    base_signal_use use;
    const char *linear, *angular;
} motion_by[] = {{BASE_SIGNAL_VALUE, "velocity", "angular_velocity"},
                 {BASE_SIGNAL_RATE, "displacement", "rotation"},
                 {BASE_SIGNAL_INTEGRAL, "acceleration", "angular_acceleration"}};

static cn_status motion_signals(cn_model *model, const cn_motion_def *def, model_motion *out,
                                cn_error *error) {
    if ((unsigned)def->linear_by > CN_MOTION_ACCELERATION ||
        (unsigned)def->angular_by > CN_MOTION_ACCELERATION) {
        return base_fail(error, CN_ERR_ARGUMENT, "no such kind of motion");
    }
    int32_t first = model->dim == 2 ? 2 : 0;
    const char *angular = motion_by[def->angular_by].angular;
    CN_TRY(signals_create(model, def->linear, motion_by[def->linear_by].use, 0, model->dim - 1,
                          motion_by[def->linear_by].linear, &def->source, out->velocity, error));
    CN_TRY(signals_create(model, def->angular, motion_by[def->angular_by].use, first, 2, angular,
                          &def->source, out->angular_velocity, error));
    if (model->dim == 2 || def->angular_by != CN_MOTION_DISPLACEMENT) {
        return CN_OK;
    }
    // The rotation vector with the interpolation of its rate.
    cn_signal_def turned[3];
    for (int k = 0; k < 3; k++) {
        turned[k] = def->angular[k];
        turned[k].interpolation = turned[k].interpolation == CN_INTERPOLATION_AUTO
                                      ? CN_INTERPOLATION_CUBIC
                                      : turned[k].interpolation;
    }
    return signals_create(model, turned, BASE_SIGNAL_VALUE, 0, 2, angular, &def->source,
                          out->rotation, error);
}

cn_status cn_model_add_motion(cn_model *model, const cn_motion_def *def, cn_error *error) {
    if (!model || !def) {
        return base_fail_missing(error);
    }
    cn_status status = model_check_open(model, error);
    if (status == CN_OK) {
        status = check_body(model, def->body, error);
    }
    if (status == CN_OK && model_is_deformable(model, def->body - 1)) {
        status = base_fail(error, CN_ERR_INPUT, "a deformable body cannot be driven as a whole");
        base_fail_hint(error, "drive groups of its nodes: deformable: {drive: [...]}");
    }
    if (status == CN_OK && model->body[def->body - 1].role == MODEL_BODY_DRIVEN) {
        status = base_fail(error, CN_ERR_INPUT, "body %d has a motion already", def->body);
    }
    if (status != CN_OK) {
        return model_blame(error, status, &def->source, "motion");
    }
    model_motion copy = {.body = def->body - 1};
    status = model_reserve(model, MODEL_ARRAY_MOTION, (int64_t)model->motion_count + 1, error);
    if (status == CN_OK) {
        status = motion_signals(model, def, &copy, error);
    }
    if (status == CN_OK) {
        status = model_copy_source(model, &def->source, &copy.source, error);
    }
    if (status != CN_OK) {
        destroy_motion(&copy);
        return status;
    }
    model->body[copy.body].role = MODEL_BODY_DRIVEN;
    model->motion[model->motion_count++] = copy;
    model_text_motion(model, def);
    return CN_OK;
}

void model_motion_velocity(const cn_model *model, const model_motion *motion,
                           base_evaluator *evaluator, double t, double out[6]) {
    double rotation[3], rate[3], T[9];
    for (int32_t k = 0; k < 3; k++) {
        bool moves = k < model->dim, turns = model->dim == 3 || k == 2;
        out[k] = moves ? base_signal_at(motion->velocity[k], evaluator, t) : 0.0;
        out[3 + k] = turns ? base_signal_at(motion->angular_velocity[k], evaluator, t) : 0.0;
    }
    if (motion->rotation[0]) {
        for (int32_t k = 0; k < 3; k++) {
            rotation[k] = base_signal_at(motion->rotation[k], evaluator, t);
            rate[k] = out[3 + k];
        }
        math_turn_rates(rotation, T);
        math_mat3_apply(T, rate, out + 3);
    }
}
