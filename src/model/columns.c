// model/columns.c
// The columns that a run records every step: which bodies, points and joints they are of, and how
// each number is called.
#include "base/arena.h"
#include "base/error.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "model/build.h"
#include "model/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Endings of the names, by kind and dimension.
typedef struct column_part {
    const char *end, *unit;
} column_part;

static const column_part vector_parts[2][3] = {{{".x", ""}, {".y", ""}},
                                               {{".x", ""}, {".y", ""}, {".z", ""}}};
static const column_part joint_parts[2][9] = {{{".value", "rad or m"},
                                               {".rate", "rad/s or m/s"},
                                               {".effort", "N m or N"},
                                               {".force.x", "N"},
                                               {".force.y", "N"},
                                               {".torque", "N m"}},
                                              {{".value", "rad or m"},
                                               {".rate", "rad/s or m/s"},
                                               {".effort", "N m or N"},
                                               {".force.x", "N"},
                                               {".force.y", "N"},
                                               {".force.z", "N"},
                                               {".torque.x", "N m"},
                                               {".torque.y", "N m"},
                                               {".torque.z", "N m"}}};
static const char *const vector_units[CN_COLUMN_KINDS] = {"m", "m/s", "m", "N", ""};

static const column_part *parts_of(int32_t dim, cn_column_kind kind, int32_t *count) {
    bool joint = kind == CN_COLUMN_JOINT;
    *count = joint ? (dim == 3 ? 9 : 6) : dim;
    return joint ? joint_parts[dim - 2] : vector_parts[dim - 2];
}

static int compare_indices(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static cn_status copy_group(cn_model *model, const cn_body_id *ids, int32_t count, bool sorted,
                            int32_t **out, cn_error *error) {
    *out = BASE_TAKE(model->memory, int32_t, count);
    if (!*out) {
        return base_fail_memory(error);
    }
    for (int32_t i = 0; i < count; i++) {
        if (ids[i] < 1 || ids[i] > model->body_count) {
            return base_fail(error, CN_ERR_INPUT, "there is no body %d", (int)ids[i]);
        }
        (*out)[i] = ids[i] - 1;
    }
    if (sorted) {
        qsort(*out, (size_t)count, sizeof **out, compare_indices);
    }
    return CN_OK;
}

// The point in the axes of a body, from its centre of mass.
static void place_arm(const cn_model *model, int32_t body, const double point[3], double arm[3]) {
    const double *pose = model->q0 + (int64_t)model_pose_size(model->dim) * body;
    double R[9], apart[3] = {0.0, 0.0, 0.0};
    if (model->dim == 3) {
        math_quat_matrix(pose + 3, R);
    } else {
        math_angle_matrix(pose[2], R);
    }
    for (int32_t k = 0; k < model->dim; k++) {
        apart[k] = point[k] - pose[k];
    }
    math_mat3_apply_transposed(R, apart, arm);
}

static cn_status column_check(const cn_model *model, const cn_column_def *def, cn_error *error) {
    static const int32_t wanted[CN_COLUMN_KINDS] = {1, 1, 2, 0, 0};
    CN_TRY(model_check_open(model, error));
    if ((unsigned)def->kind >= CN_COLUMN_KINDS) {
        return base_fail(error, CN_ERR_ARGUMENT, "%d is no kind of column", (int)def->kind);
    }
    if (!def->name || !def->name[0]) {
        return base_fail(error, CN_ERR_INPUT, "it needs a name");
    }
    for (int32_t i = 0; i < model->column_count; i++) {
        const char *taken = model->column[i].name[0];
        size_t length = strlen(def->name);
        if (strncmp(taken, def->name, length) == 0 && taken[length] == '.') {
            return base_fail(error, CN_ERR_INPUT, "there are two columns \"%.60s\"", def->name);
        }
    }
    bool number = wanted[def->kind] == 0 || def->body_count == wanted[def->kind];
    if (!number || (def->kind == CN_COLUMN_FORCE && def->body_count < 1)) {
        return base_fail(error, CN_ERR_INPUT, "it has %d bodies", (int)def->body_count);
    }
    if (def->kind == CN_COLUMN_JOINT && (def->joint < 1 || def->joint > model->joint_count)) {
        return base_fail(error, CN_ERR_INPUT, "there is no joint %d", (int)def->joint);
    }
    if (!isnan(def->point[0]) && !model_is_finite(def->point, model->dim)) {
        return base_fail(error, CN_ERR_INPUT, "point is not a finite number");
    }
    return CN_OK;
}

static cn_status column_build(cn_model *model, const cn_column_def *def, model_column *out,
                              cn_error *error) {
    *out = (model_column){.kind = def->kind,
                          .body_count = def->body_count,
                          .other_count = def->other_count,
                          .joint = def->joint - 1};
    bool group = def->kind == CN_COLUMN_FORCE;
    CN_TRY(copy_group(model, def->bodies, def->body_count, group, &out->body, error));
    CN_TRY(copy_group(model, def->others, def->other_count, true, &out->other, error));
    const double *first = def->body_count > 0
                              ? model->q0 + (int64_t)model_pose_size(model->dim) * out->body[0]
                              : def->point;
    for (int32_t i = 0; i < def->body_count && i < 2 && !group; i++) {
        place_arm(model, out->body[i], isnan(def->point[0]) ? first : def->point, out->arm[i]);
    }
    const column_part *part = parts_of(model->dim, def->kind, &out->count);
    out->name = BASE_TAKE(model->memory, const char *, out->count);
    for (int32_t k = 0; k < out->count && out->name; k++) {
        size_t size = strlen(def->name) + strlen(part[k].end) + 1;
        char *text = BASE_TAKE(model->memory, char, (int64_t)size);
        if (!text) {
            return base_fail_memory(error);
        }
        snprintf(text, size, "%s%s", def->name, part[k].end);
        out->name[k] = text;
    }
    return out->name ? CN_OK : base_fail_memory(error);
}

cn_status cn_model_add_column(cn_model *model, const cn_column_def *def, cn_error *error) {
    if (!model || !def) {
        return base_fail_missing(error);
    }
    model_column column;
    cn_status status = column_check(model, def, error);
    if (status == CN_OK) {
        status = column_build(model, def, &column, error);
    }
    if (status == CN_OK) {
        status = model_reserve(model, MODEL_ARRAY_COLUMN, (int64_t)model->column_count + 1, error);
    }
    if (status != CN_OK) {
        return model_blame(error, status, &def->source, "record \"%.60s\"",
                           def->name ? def->name : "");
    }
    model->column_numbers += column.count;
    model->column[model->column_count++] = column;
    model_text_column(model, def);
    return CN_OK;
}

// ---- looking ----

int32_t cn_model_column_count(const cn_model *model) {
    return model ? model->column_numbers : 0;
}

// The columns that a number belongs to, and its place among them; NULL: there is none.
static const model_column *column_at(const cn_model *model, int32_t index, int32_t *place) {
    *place = index;
    for (int32_t i = 0; model && index >= 0 && i < model->column_count; i++) {
        if (*place < model->column[i].count) {
            return &model->column[i];
        }
        *place -= model->column[i].count;
    }
    return NULL;
}

const char *cn_model_column_name(const cn_model *model, int32_t index) {
    int32_t place;
    const model_column *column = column_at(model, index, &place);
    return column ? column->name[place] : NULL;
}

const char *cn_model_column_unit(const cn_model *model, int32_t index) {
    int32_t place, count;
    const model_column *column = column_at(model, index, &place);
    if (!column) {
        return NULL;
    }
    return column->kind == CN_COLUMN_JOINT ? parts_of(model->dim, column->kind, &count)[place].unit
                                           : vector_units[column->kind];
}
