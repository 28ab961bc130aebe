// model/text.c
#include "model/text.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "model/model.h"

#include "model/settings_table.h"

#include <cairn/system.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX (64u << 20) // bytes; larger models are not written
#define NUMBER_MAX 40

enum {
    PART_MATERIAL,
    PART_CONTACT,
    PART_BODY,
    PART_FORCE,
    PART_MOTION,
    PART_JOINT,
    PART_RECORD,
    PARTS
};

static const char *const part_key[PARTS] = {"materials", "contacts", "bodies", "forces",
                                            "motions",   "joints",   "record"};

struct model_text {
    base_buffer part[PARTS], whole;
    base_buffer *out; // that is being written
    bool memory_gone;
    char refused[200]; // why the model cannot be written; "": it can
};

model_text *model_text_create(cn_model *model) {
    model_text *text = BASE_TAKE_ZERO(model->memory, model_text, 1);
    for (int32_t i = 0; text && i < PARTS; i++) {
        base_buffer_init(&text->part[i], &model->env);
    }
    if (text) {
        base_buffer_init(&text->whole, &model->env);
    }
    return text;
}

void model_text_destroy(model_text *text) {
    for (int32_t i = 0; text && i < PARTS; i++) {
        base_buffer_free(&text->part[i]);
    }
    if (text) {
        base_buffer_free(&text->whole);
    }
}

// ---- pieces ----

static void refuse(model_text *text, const char *format, ...) CN_PRINTF(2, 3);
static void refuse(model_text *text, const char *format, ...) {
    if (!text->refused[0]) {
        va_list args;
        va_start(args, format);
        vsnprintf(text->refused, sizeof text->refused, format, args);
        va_end(args);
    }
}

static void put(model_text *text, const char *words) {
    if (text->refused[0] || text->memory_gone) {
        return;
    }
    if (text->out->size > TEXT_MAX) {
        refuse(text, "it is larger than %u MB as text", TEXT_MAX >> 20);
    } else if (!base_buffer_append(text->out, words, strlen(words))) {
        text->memory_gone = true;
    }
}

// As few digits as read back the same, with a point whatever the program's locale has.
static void put_number(model_text *text, double value) {
    char number[NUMBER_MAX];
    if (!isfinite(value)) {
        refuse(text, "it has a number that is not finite");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(number, sizeof number, "%.*g", digits, value);
        if (strtod(number, NULL) == value) {
            break;
        }
    }
    for (char *c = number; *c; c++) {
        *c = strchr("+-.0123456789e", *c) ? *c : '.';
    }
    put(text, number);
}

static void put_quoted(model_text *text, const char *words) {
    put(text, "\"");
    for (; *words; words++) {
        char piece[8] = {*words, '\0'};
        unsigned char byte = (unsigned char)*words;
        if (byte == '"' || byte == '\\') {
            snprintf(piece, sizeof piece, "\\%c", byte);
        } else if (byte < ' ') {
            snprintf(piece, sizeof piece, "\\u%04x", byte);
        }
        put(text, piece);
    }
    put(text, "\"");
}

static void put_numbers(model_text *text, const double *x, int32_t count) {
    put(text, "[");
    for (int32_t i = 0; i < count; i++) {
        put(text, i > 0 ? ", " : "");
        put_number(text, x[i]);
    }
    put(text, "]");
}

// A member of a map that has members before it.
static void key_number(model_text *text, const char *key, double value) {
    put(text, ", ");
    put(text, key);
    put(text, ": ");
    put_number(text, value);
}

static void key_given(model_text *text, const char *key, double value) {
    if (!isnan(value)) {
        key_number(text, key, value);
    }
}

// A pair of numbers of which one may be open.
static void put_pair(model_text *text, const char *key, const char *first, const char *second,
                     double a, double b) {
    if (isnan(a) && isnan(b)) {
        return;
    }
    put(text, ", ");
    put(text, key);
    put(text, ": {");
    put(text, isnan(a) ? second : first);
    put(text, ": ");
    put_number(text, isnan(a) ? b : a);
    if (!isnan(a)) {
        key_given(text, second, b);
    }
    put(text, "}");
}

static void key_not_zero(model_text *text, const char *key, double value) {
    if (value != 0.0) {
        key_number(text, key, value);
    }
}

static void key_numbers(model_text *text, const char *key, const double *x, int32_t count) {
    put(text, ", ");
    put(text, key);
    put(text, ": ");
    put_numbers(text, x, count);
}

static void key_vector(model_text *text, const char *key, const double x[3], int32_t dim) {
    if (!isnan(x[0])) {
        key_numbers(text, key, x, dim);
    }
}

static void key_words(model_text *text, const char *key, const char *words) {
    put(text, ", ");
    put(text, key);
    put(text, ": ");
    put_quoted(text, words);
}

static bool begin(cn_model *model, int32_t part) {
    model_text *text = model->text;
    if (!text || text->refused[0]) {
        return false;
    }
    text->out = &text->part[part];
    put(text, part == PART_MATERIAL ? "  " : "  - {");
    return true;
}

static void put_body_name(cn_model *model, cn_body_id body) {
    char number[16];
    const char *name = model->body[body - 1].name;
    snprintf(number, sizeof number, "#%d", (int)body);
    put_quoted(model->text, name && name[0] ? name : number);
}

static void put_signal(model_text *text, const cn_signal_def *def) {
    static const char *const between[] = {"auto", "linear", "cubic"}, *const baseline[] = {
                                                                          "none", "rest",
                                                                          "least-squares"};
    if (def->input) {
        char words[128];
        snprintf(words, sizeof words, "input(%.100s)", def->input);
        put_quoted(text, words);
    } else if (def->expression) {
        put_quoted(text, def->expression);
    } else if (def->count > 0) {
        put(text, "{times: ");
        put_numbers(text, def->times, def->count);
        key_numbers(text, "values", def->values, def->count);
        key_words(text, "interpolation", between[def->interpolation]);
        key_words(text, "baseline", baseline[def->baseline]);
        put(text, "}");
    } else {
        put_number(text, def->constant);
    }
}

static void key_signals(cn_model *model, const char *key, const cn_signal_def def[3], bool spin) {
    model_text *text = model->text;
    bool one = spin && model->dim == 2;
    put(text, ", ");
    put(text, key);
    put(text, one ? ": " : ": [");
    for (int32_t i = one ? 2 : 0; i < (one ? 3 : model->dim); i++) {
        put(text, i > 0 && !one ? ", " : "");
        put_signal(text, &def[i]);
    }
    put(text, one ? "" : "]");
}

// ---- materials, contacts and bodies ----

void model_text_material(cn_model *model, const cn_material_def *def) {
    if (!begin(model, PART_MATERIAL)) {
        return;
    }
    model_text *text = model->text;
    if (!(def->density > 0.0)) {
        refuse(text, "material '%.60s' has no density", def->name);
    }
    put_quoted(text, def->name);
    put(text, ": {density: ");
    put_number(text, def->density);
    if (def->young > 0.0) {
        key_number(text, "young", def->young);
        key_number(text, "poisson", def->poisson);
        put(text, ", damping: {mass: ");
        put_number(text, def->damping_mass);
        key_number(text, "stiffness", def->damping_stiffness);
        put(text, "}");
    }
    put(text, "}\n");
}

void model_text_contact(cn_model *model, const cn_contact_def *def) {
    if (!begin(model, PART_CONTACT)) {
        return;
    }
    model_text *text = model->text;
    put(text, "between: [");
    put_quoted(text, def->between[0] ? def->between[0] : "*");
    put(text, ", ");
    put_quoted(text, def->between[1] ? def->between[1] : "*");
    put(text, "]");
    if (isnan(def->friction) && !isnan(def->friction_dynamic)) {
        refuse(text, "a contact has dynamic friction alone");
    } else if (!isnan(def->friction)) {
        put(text, ", friction: {static: ");
        put_number(text, def->friction);
        key_given(text, "dynamic", def->friction_dynamic);
        put(text, "}");
    }
    key_given(text, "restitution", def->restitution);
    key_given(text, "restitution_tangent", def->restitution_tangent);
    key_given(text, "correction", def->correction);
    key_given(text, "cohesion", def->cohesion);
    key_given(text, "tension", def->tension);
    put_pair(text, "stiffness", "normal", "tangential", def->stiffness_normal,
             def->stiffness_tangent);
    put_pair(text, "fracture_energy", "tension", "shear", def->fracture_energy[0],
             def->fracture_energy[1]);
    key_given(text, "viscosity", def->viscosity);
    key_given(text, "bond_area", def->bond_area);
    key_given(text, "bond_gap", def->bond_gap);
    if (def->softening != CN_SOFTENING_KINDS) {
        key_words(text, "softening",
                  def->softening == CN_SOFTENING_LINEAR ? "bilinear" : "exponential");
    }
    if (def->law != CN_LAW_KINDS) {
        key_words(text, "law", cn_law_text(def->law));
    }
    put(text, "}\n");
}

static void put_points(model_text *text, const cn_shape_def *shape, int32_t dim) {
    put(text, "vertices: [");
    for (int32_t i = 0; i < shape->vertex_count; i++) {
        put(text, i > 0 ? ", " : "");
        put_numbers(text, shape->vertices + (size_t)dim * (size_t)i, dim);
    }
    put(text, "]");
    if (shape->face_size && shape->face_count > 0) {
        const int32_t *next = shape->faces;
        put(text, ", faces: [");
        for (int32_t f = 0; f < shape->face_count; f++) {
            put(text, f > 0 ? ", [" : "[");
            for (int32_t k = 0; k < shape->face_size[f]; k++) {
                put(text, k > 0 ? ", " : "");
                put_number(text, *next++);
            }
            put(text, "]");
        }
        put(text, "]");
    }
}

static void put_shape(model_text *text, const cn_shape_def *shape, int32_t dim) {
    put(text, "{");
    put(text, cn_shape_kind_text(shape->kind));
    put(text, ": {");
    switch (shape->kind) {
    case CN_SHAPE_BOX:
        put(text, "size: ");
        put_numbers(text, shape->size, dim);
        break;
    case CN_SHAPE_ELLIPSOID:
    case CN_SHAPE_ELLIPSE:
        put(text, "axes: ");
        put_numbers(text, shape->size, dim);
        break;
    case CN_SHAPE_PLANE:
    case CN_SHAPE_LINE:
        put(text, "normal: ");
        put_numbers(text, shape->normal, dim);
        key_number(text, "offset", shape->offset);
        break;
    case CN_SHAPE_POLYHEDRON:
    case CN_SHAPE_POLYGON:
        put_points(text, shape, dim);
        break;
    default:
        put(text, "radius: ");
        put_number(text, shape->radius);
        if (shape->kind == CN_SHAPE_CAPSULE || shape->kind == CN_SHAPE_CYLINDER) {
            key_number(text, "length", shape->length);
        }
        break;
    }
    put(text, "}");
    key_numbers(text, "position", shape->position, dim);
    if (dim == 3) {
        key_numbers(text, "orientation", shape->orientation, 4);
    } else {
        key_number(text, "angle", shape->angle);
    }
    put(text, "}");
}

static void put_mass(model_text *text, const cn_body_def *def, int32_t dim) {
    key_given(text, "mass", def->mass);
    if (dim == 2) {
        key_given(text, "inertia", def->inertia[8]);
    } else if (!isnan(def->inertia[0])) {
        put(text, ", inertia: [");
        for (int32_t i = 0; i < 3; i++) {
            put(text, i > 0 ? ", " : "");
            put_numbers(text, def->inertia + (size_t)(3 * i), 3);
        }
        put(text, "]");
    }
    key_vector(text, "center_of_mass", def->com, dim);
}

static void put_lock(model_text *text, const cn_body_def *def) {
    static const char *const dofs[] = {"tx", "ty", "tz", "rx", "ry", "rz"};
    const char *between = "";
    put(text, ", lock: {dofs: [");
    for (int32_t i = 0; i < 6; i++) {
        if (def->lock & (1u << i)) {
            put(text, between);
            put(text, dofs[i]);
            between = ", ";
        }
    }
    put(text, def->lock_body_axes ? "], axes: body}" : "]}");
}

void model_text_body(cn_model *model, const cn_body_def *def) {
    if (!begin(model, PART_BODY)) {
        return;
    }
    model_text *text = model->text;
    int32_t dim = model->dim;
    if (def->deformable) {
        refuse(text, "body %d%s%.60s is deformable", (int)model->body_count, def->name ? " " : "",
               def->name ? def->name : "");
    }
    if (def->name && def->name[0]) {
        put(text, "name: ");
        put_quoted(text, def->name);
        put(text, ", ");
    }
    put(text, "material: ");
    put_quoted(text, model->material[def->material].name);
    put(text, def->fixed ? ", fixed: true" : "");
    key_numbers(text, "position", def->position, dim);
    if (dim == 3) {
        key_numbers(text, "orientation", def->orientation, 4);
        key_numbers(text, "angular_velocity", def->angular_velocity, 3);
    } else {
        key_number(text, "angle", def->angle);
        key_number(text, "angular_velocity", def->angular_velocity[2]);
    }
    key_numbers(text, "velocity", def->velocity, dim);
    if (def->lock) {
        put_lock(text, def);
    }
    put_mass(text, def, dim);
    put(text, def->shape_count > 0 ? ", shape: [" : "");
    for (int32_t i = 0; i < def->shape_count; i++) {
        put(text, i > 0 ? ", " : "");
        put_shape(text, &def->shapes[i], dim);
    }
    put(text, def->shape_count > 0 ? "]}\n" : "}\n");
}

// ---- forces, motions, joints and columns ----

void model_text_force(cn_model *model, const cn_force_def *def) {
    if (!begin(model, PART_FORCE)) {
        return;
    }
    put(model->text, "body: ");
    put_body_name(model, def->body);
    key_signals(model, "force", def->force, false);
    key_signals(model, "torque", def->torque, true);
    key_vector(model->text, "point", def->point, model->dim);
    put(model->text, def->body_axes ? ", axes: body}\n" : "}\n");
}

void model_text_motion(cn_model *model, const cn_motion_def *def) {
    static const char *const linear[] = {"velocity", "displacement", "acceleration"},
                             *const angular[] = {"angular_velocity", "rotation",
                                                 "angular_acceleration"};
    if (!begin(model, PART_MOTION)) {
        return;
    }
    put(model->text, "body: ");
    put_body_name(model, def->body);
    key_signals(model, linear[def->linear_by], def->linear, false);
    key_signals(model, angular[def->angular_by], def->angular, true);
    put(model->text, "}\n");
}

static void put_motor(model_text *text, const cn_joint_def *def) {
    static const char *const target[] = {"", "velocity", "position", "force"};
    put(text, ", motor: {");
    put(text, target[def->motor]);
    put(text, ": ");
    put_signal(text, &def->motor_target);
    key_given(text, "max_force", def->motor_max);
    key_not_zero(text, "stiffness", def->motor_stiffness);
    key_not_zero(text, "damping", def->motor_damping);
    put(text, "}");
}

void model_text_joint(cn_model *model, const cn_joint_def *def) {
    if (!begin(model, PART_JOINT)) {
        return;
    }
    model_text *text = model->text;
    put(text, "kind: ");
    put(text, cn_joint_kind_text(def->kind));
    if (def->name && def->name[0]) {
        key_words(text, "name", def->name);
    }
    put(text, ", bodies: [");
    put_body_name(model, def->body[0]);
    put(text, ", ");
    put_body_name(model, def->body[1]);
    put(text, "]");
    key_vector(text, "point", def->point, model->dim);
    key_vector(text, "second_point", def->second_point, model->dim);
    key_vector(text, "axis", def->axis, model->dim);
    if (model->dim == 3) {
        key_vector(text, "second_axis", def->second_axis, 3);
        key_given(text, "pitch", def->pitch);
    }
    key_given(text, "length", def->length);
    key_given(text, "ratio", def->ratio);
    if (!isnan(def->limits[0])) {
        key_numbers(text, "limits", def->limits, 2);
    }
    key_not_zero(text, "friction", def->friction);
    key_not_zero(text, "stiffness", def->stiffness);
    key_not_zero(text, "damping", def->damping);
    key_given(text, "rest", def->rest);
    key_not_zero(text, "armature", def->armature);
    if (def->motor != CN_MOTOR_NONE) {
        put_motor(text, def);
    }
    put(text, def->contact ? ", contact: true}\n" : "}\n");
}

static void put_names(cn_model *model, const cn_body_id *body, int32_t count) {
    put(model->text, "[");
    for (int32_t i = 0; i < count; i++) {
        put(model->text, i > 0 ? ", " : "");
        put_body_name(model, body[i]);
    }
    put(model->text, "]");
}

void model_text_column(cn_model *model, const cn_column_def *def) {
    static const char *const key[] = {
        "position: ", "velocity: ", "opening: ", "force_on: ", "joint: "};
    if (!begin(model, PART_RECORD)) {
        return;
    }
    model_text *text = model->text;
    put(text, key[def->kind]);
    if (def->kind == CN_COLUMN_JOINT) {
        const char *name = model->joint[def->joint - 1].name;
        if (cn_model_find_joint(model, name) != def->joint) {
            refuse(text, "joint %d, which is recorded, has no name of its own", (int)def->joint);
        }
        put_quoted(text, name);
    } else if (def->kind == CN_COLUMN_POSITION || def->kind == CN_COLUMN_VELOCITY) {
        put_body_name(model, def->bodies[0]);
    } else {
        put_names(model, def->bodies, def->body_count);
    }
    key_words(text, "name", def->name);
    if (def->other_count > 0) {
        put(text, ", from: ");
        put_names(model, def->others, def->other_count);
    }
    if (def->kind != CN_COLUMN_JOINT && def->kind != CN_COLUMN_FORCE) {
        key_vector(text, "point", def->point, model->dim);
    }
    put(text, "}\n");
}

// ---- settings and the whole ----

// The first setting of a group opens it.
static void open_group(model_text *text, const char **group, const char *name) {
    if (*group != name && (!*group || strcmp(*group, name) != 0)) {
        put(text, name);
        put(text, ":\n");
        *group = name;
    }
    put(text, "  ");
}

static void put_real(model_text *text, const char **group, const char *name, const char *key,
                     double value, double initial) {
    if (isnan(value) || value == initial) {
        return; // left to the reader
    }
    open_group(text, group, name);
    put(text, key);
    put(text, ": ");
    put_number(text, value);
    put(text, "\n");
}

static void put_choice(model_text *text, const char **group, const char *name, const char *key,
                       const char *value) {
    if (!value) {
        return;
    }
    open_group(text, group, name);
    put(text, key);
    put(text, ": ");
    put_quoted(text, value);
    put(text, "\n");
}

#define TEXT_OF_friction cn_friction_law_text(s->friction)
#define TEXT_OF_joint_drift cn_drift_text(s->joint_drift)
#define TEXT_OF_on_stall cn_stall_policy_text(s->on_stall)

#define PUT_REAL(text, g, k, m, d) put_real(text, &group, g, k, s->m, d.m)
#define PUT_INT(text, g, k, m, d) put_real(text, &group, g, k, (double)s->m, NAN)
#define PUT_BOOL(text, g, k, m, d)                                                                 \
    (open_group(text, &group, g), put(text, k), put(text, s->m ? ": true\n" : ": false\n"))
#define PUT_TEXT(text, g, k, m, d) put_choice(text, &group, g, k, s->m)
#define PUT_NAME(text, g, k, m, d) put_choice(text, &group, g, k, s->m)
#define PUT_CHOICE(text, g, k, m, d) put_choice(text, &group, g, k, TEXT_OF_##m)
#define PUT_SETTING(kind, g, k, m, initial, limit, lowest, highest, unit, words)                   \
    PUT_##kind(text, g, k, m, defaults);

static void put_settings(cn_model *model) {
    model_text *text = model->text;
    cn_settings chosen = model->settings, defaults = cn_settings_default(model->dim);
    const cn_settings *s = &chosen;
    const char *group = NULL;
    chosen.alert = model->chooses_distances[0] ? (double)NAN : chosen.alert;
    chosen.overlap_max = model->chooses_distances[1] ? (double)NAN : chosen.overlap_max;
    put(text, "gravity: ");
    put_numbers(text, s->gravity, model->dim);
    put(text, "\n");
    MODEL_SETTINGS_TIME(PUT_SETTING)
    MODEL_SETTINGS_INTEGRATOR(PUT_SETTING)
    MODEL_SETTINGS_SOLVER(PUT_SETTING)
    MODEL_SETTINGS_DETECTION(PUT_SETTING)
    MODEL_SETTINGS_SLEEPING(PUT_SETTING)
}

static void put_inputs(cn_model *model) {
    model_text *text = model->text;
    for (int32_t i = 0; i < model->inputs.count; i++) {
        put(text, i == 0 ? "inputs:\n  " : "  ");
        put_quoted(text, model->inputs.name[i]);
        put(text, ": ");
        put_number(text, model->inputs.start[i]);
        put(text, "\n");
    }
}

static void put_whole(cn_model *model) {
    model_text *text = model->text;
    if (model->system) {
        refuse(text, "it is a system in coordinates of its own");
    } else if (model->control) {
        refuse(text, "it has controllers");
    } else if (model->settings.own_solver || model->settings.plugin) {
        refuse(text, "it has a solver of its own");
    }
    text->out = &text->whole;
    put(text, "cairn: 1\n");
    if (model->name[0]) {
        put(text, "name: ");
        put_quoted(text, model->name);
        put(text, "\n");
    }
    put(text, model->dim == 2 ? "dimension: 2\n" : "dimension: 3\n");
    put_settings(model);
    put_inputs(model);
    for (int32_t i = 0; i < PARTS && !text->refused[0]; i++) {
        const base_buffer *part = &text->part[i];
        if (part->size > 0) {
            put(text, part_key[i]);
            put(text, ":\n");
            text->memory_gone =
                text->memory_gone || !base_buffer_append(&text->whole, part->data, part->size);
        }
    }
}

cn_status model_text_keep(cn_model *model, cn_error *error) {
    model_text *text = model->text;
    if (!text) {
        return CN_OK;
    }
    put_whole(model);
    if (!text->refused[0] && !text->memory_gone) {
        model->scene_text =
            base_arena_text(model->memory, (const char *)text->whole.data, text->whole.size);
        text->memory_gone = !model->scene_text;
    }
    bool gone = text->memory_gone;
    model_text_destroy(text);
    return gone ? base_fail_memory(error) : CN_OK;
}

cn_status cn_model_write(const cn_model *model, const char **out, cn_error *error) {
    if (!model || !out) {
        return base_fail_missing(error);
    }
    *out = model->scene_text;
    if (*out) {
        return CN_OK;
    }
    if (!model->finished) {
        return base_fail(error, CN_ERR_ARGUMENT, "the model is not finished");
    }
    return base_fail(error, CN_ERR_UNSUPPORTED, "the model cannot be written as a scene: %s",
                     model->text && model->text->refused[0] ? model->text->refused
                                                            : "it was changed while it ran");
}
