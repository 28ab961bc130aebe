// check/columns.c
// The columns that a scene records every step: their names and units, a row of finite numbers for
// every row of the ledger, and in each frame the values that its poses, velocities, contacts and
// joints make of them.
#include "check/check.h"

#include "base/arena.h"
#include "base/error.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// ---- names and rows ----

static void check_names(check_checking *check, io_statement *select, int32_t id, bool row) {
    const char *name = cn_model_column_name(check->model, id),
               *unit = cn_model_column_unit(check->model, id);
    if (!row || !name) {
        check_find(check, "record", -1, id, check->model->column_numbers,
                   row ? "the run has more columns than its scene" : "column %d has no name",
                   (int)id + 1);
    } else if (strcmp(io_column_text(select, 0), name) != 0 ||
               strcmp(io_column_text(select, 1), unit) != 0) {
        check_find(check, "record", -1, id + 1, 0.0, "column %d is %.40s [%.20s], in the scene %s",
                   (int)id + 1, io_column_text(select, 0), io_column_text(select, 1), name);
    }
}

static cn_status check_all_names(check_checking *check) {
    io_statement *select;
    bool row = true;
    int32_t count = check->model->column_numbers;
    CN_TRY(io_database_prepare(check->run->database,
                               "SELECT name, unit FROM record_column ORDER BY id", &select,
                               check->error));
    cn_status status = CN_OK;
    for (int32_t i = 0; status == CN_OK && row && i <= count; i++) {
        status = io_statement_step(check->run->database, select, &row, check->error);
        if (status == CN_OK && (row || i < count)) {
            check_names(check, select, i, row);
        }
    }
    io_statement_end(select);
    return status;
}

// Integrators of systems do not say what joints give: NaN.
static bool may_be_unknown(const check_checking *check, int64_t number) {
    const cn_model *model = check->model;
    int64_t first = 0;
    for (int32_t i = 0; !check->stepped && i < model->column_count; i++) {
        if (number < first + model->column[i].count) {
            return model->column[i].kind == CN_COLUMN_JOINT;
        }
        first += model->column[i].count;
    }
    return false;
}

static void check_values(check_checking *check, io_statement *select, int64_t step) {
    size_t size, want = sizeof(double) * (size_t)check->model->column_numbers;
    const unsigned char *bytes = io_column_blob(select, 3, &size);
    double t = io_column_real(select, 2), due = io_column_real(select, 1);
    if (size != want) {
        check_find(check, "record", step, (double)size, (double)want,
                   "the row of this step has %lld bytes", (long long)size);
        return;
    }
    if (!(t == due)) {
        check_find(check, "record", step, t, due, "the row is at t = %.9g, the ledger at %.9g", t,
                   due);
    }
    for (int32_t i = 0; i < check->model->column_numbers; i++) {
        double value;
        memcpy(&value, bytes + sizeof value * (size_t)i, sizeof value);
        if (!isfinite(value) && !may_be_unknown(check, i)) {
            check_find(check, "record", step, value, 0.0, "%s is not finite",
                       cn_model_column_name(check->model, i));
            return;
        }
    }
}

static cn_status check_all_rows(check_checking *check) {
    io_statement *select;
    bool row = true;
    CN_TRY(io_database_prepare(
        check->run->database,
        "SELECT ledger.step,ledger.t,record.t,value FROM ledger LEFT JOIN record ON "
        "record.step=ledger.step ORDER BY ledger.step",
        &select, check->error));
    cn_status status = CN_OK;
    while (status == CN_OK) {
        status = io_statement_step(check->run->database, select, &row, check->error);
        if (status != CN_OK || !row) {
            break;
        }
        int64_t step = io_column_int(select, 0);
        if (io_column_kind_of(select, 3) == IO_COLUMN_NULL) {
            check_find(check, "record", step, 0.0, 1.0, "the row of this step is missing");
        } else {
            check_values(check, select, step);
        }
    }
    io_statement_end(select);
    return status;
}

cn_status check_columns(check_checking *check) {
    if (!check->model) {
        return CN_OK;
    }
    bool there = check_has(check, "record", "value") && check_has(check, "record_column", "unit");
    if (there != (check->model->column_numbers > 0)) {
        check_find(check, "record", -1, there, !there,
                   there ? "the scene has no columns" : "the columns of the scene are missing");
        return CN_OK;
    }
    if (!there) {
        return CN_OK;
    }
    CN_TRY(check_all_names(check));
    return check_all_rows(check);
}

// ---- values of a frame ----

// What a value must be, and the size of the terms it is made of.
typedef struct column_value {
    double value, scale;
} column_value;

// A point of a body and its velocity; by how much either may round.
static void point_of(const check_checking *check, int32_t body, const double own[3],
                     double point[3], double velocity[3], double scale[2]) {
    const cn_model *model = check->model;
    const double *pose = check_pose_of(model, check->frame.q, body);
    double R[9], arm[3], whole[3], v[6], turning[3];
    check_six(model->dim, check_velocity_of(model, check->frame.v, body), v);
    check_rotation_of(model->dim, pose, R);
    math_mat3_apply(R, own, arm);
    math_cross3(v + 3, arm, turning);
    for (int k = 0; k < 3; k++) {
        whole[k] = own[k] + model->body[body].com[k];
    }
    math_mat3_apply(R, whole, point);
    for (int32_t k = 0; k < model->dim; k++) {
        point[k] += pose[k];
        velocity[k] = v[k] + turning[k];
        scale[0] += fabs(pose[k]);
    }
    scale[0] += math_norm3(whole) + 1.0;
    scale[1] += math_norm3(v) + math_norm3(v + 3) * math_norm3(arm) + 1.0;
}

static void points_of(const check_checking *check, const model_column *column, column_value *out) {
    double x[2][3], v[2][3], scale[2] = {0.0, 0.0};
    for (int32_t i = 0; i < column->body_count; i++) {
        point_of(check, column->body[i], column->arm[i], x[i], v[i], scale);
    }
    for (int32_t k = 0; k < column->count; k++) {
        bool rate = column->kind == CN_COLUMN_VELOCITY;
        out[k].value = column->kind == CN_COLUMN_OPENING ? x[1][k] - x[0][k]
                       : rate                            ? v[0][k]
                                                         : x[0][k];
        out[k].scale = scale[rate];
    }
}

static bool has_body(const int32_t *group, int32_t count, int32_t body) {
    for (int32_t i = 0; i < count; i++) {
        if (group[i] == body) {
            return true;
        }
    }
    return false;
}

// The sum of what contacts give the bodies of a column, over the length of the step.
static void force_of(const check_checking *check, const model_column *column, column_value *out) {
    const check_frame *frame = &check->frame;
    for (int32_t c = 0; c < frame->contacts; c++) {
        const cn_contact_record *contact = &frame->contact[c];
        int32_t side[2] = {contact->candidate - 1, contact->antagonist - 1};
        bool first = has_body(column->body, column->body_count, side[0]),
             second = has_body(column->body, column->body_count, side[1]);
        if (first == second || (column->other_count > 0 &&
                                !has_body(column->other, column->other_count, side[first]))) {
            continue;
        }
        for (int32_t k = 0; k < check->model->dim; k++) {
            out[k].value += (first ? 1.0 : -1.0) * contact->impulse[k] / frame->h;
            out[k].scale += fabs(contact->impulse[k]) / frame->h;
        }
    }
}

static void joint_of(const check_checking *check, int32_t joint, column_value *out) {
    const check_frame *frame = &check->frame;
    int32_t dim = check->model->dim;
    double force[3], torque[3], scale;
    check_joint_wrench(check, joint, force, torque, &scale);
    out[0].value = frame->value[joint];
    out[1].value = frame->rate[joint];
    out[2].value = frame->effort[joint];
    for (int32_t k = 0; k < dim; k++) {
        out[3 + k].value = force[k];
    }
    for (int32_t k = 0; k < (dim == 3 ? 3 : 1); k++) {
        out[3 + dim + k].value = torque[dim == 3 ? k : 2];
    }
    for (int32_t k = 3; k < 3 + dim + (dim == 3 ? 3 : 1); k++) {
        out[k].scale = scale;
    }
}

// Fills the values of a column; false: this frame does not say.
static bool column_of(const check_checking *check, const model_column *column, column_value *out) {
    bool evident = check->stepped && check->frame.v_new != NULL && check->frame.end;
    memset(out, 0, sizeof *out * (size_t)column->count);
    switch (column->kind) {
    case CN_COLUMN_FORCE:
        if (evident && check->frame.has_contacts) {
            force_of(check, column, out);
        }
        return evident && check->frame.has_contacts;
    case CN_COLUMN_JOINT:
        if (evident && check->frame.has_joints) {
            joint_of(check, column->joint, out);
        }
        return evident && check->frame.has_joints;
    default:
        points_of(check, column, out);
        return true;
    }
}

static bool check_frame_values(check_checking *check, io_statement *select) {
    const cn_model *model = check->model;
    size_t size;
    const unsigned char *bytes = io_column_blob(select, 0, &size);
    check_worst worst = {.any = false};
    int32_t at = 0;
    if (size != sizeof(double) * (size_t)model->column_numbers) {
        return false; // which was found
    }
    for (int32_t i = 0; i < model->column_count; i++) {
        column_value due[12];
        bool known = column_of(check, &model->column[i], due);
        for (int32_t k = 0; k < model->column[i].count; k++, at++) {
            double value;
            memcpy(&value, bytes + sizeof value * (size_t)at, sizeof value);
            if (known) {
                check_worst_add(&worst, fabs(value - due[k].value),
                                CHECK_ROUND * (due[k].scale + fabs(due[k].value)), at);
            }
        }
    }
    if (worst.any && !(worst.value <= worst.allowed)) {
        check_find(check, "record", check->frame.step, worst.value, worst.allowed,
                   "%s is not what the frame says",
                   cn_model_column_name(model, (int32_t)worst.where));
    }
    return true;
}

cn_status check_frame_columns(check_checking *check) {
    bool there, sound = true;
    if (check->model->column_numbers == 0 || check->frame.step == 0) {
        return CN_OK;
    }
    return check_read_row(check, "record", "SELECT value FROM record WHERE step=?", NULL,
                          check_frame_values, &there, &sound);
}
