// check/frame.c
// A frame with its contacts and joints, read from the file: sizes, numbers and names that cannot be
// are findings, and the frame is then left out of what follows.
#include "check/bonds.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FRAME_SQL                                                                                  \
    "SELECT t,hash,q,v,start,h,limited,asleep,steering,load,v_before,v_after,projection,q_middle " \
    "FROM frame WHERE step=?"
#define FRAME_SQL_OLD                                                                              \
    "SELECT t,hash,q,v,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL FROM frame WHERE step=?"
#define CONTACT_SQL_OF(early, sleeping, change)                                                    \
    "SELECT "                                                                                      \
    "n,bodies,point,normal,gap,impulse,velocity,velocity_before,shift,friction,status," change     \
    "," early "," sleeping " FROM contact WHERE step=?"
#define REC_STEERING_NUMBERS 4
#define EARLY_NUMBERS 7

double *check_read_numbers(check_checking *check, io_statement *select, int32_t column,
                           int64_t count, const char *table, const char *name) {
    size_t size;
    int64_t step = check->frame.step;
    const void *bytes = io_column_blob(select, column, &size);
    if (io_column_kind_of(select, column) == IO_COLUMN_NULL) {
        return NULL;
    }
    if (size != sizeof(double) * (size_t)count) {
        check_find(check, table, step, (double)size, (double)sizeof(double) * (double)count,
                   "%s has %lld bytes", name, (long long)size);
        return NULL;
    }
    double *out = BASE_TAKE(check->frame_memory, double, count);
    if (!out) {
        base_fail_memory(check->error);
        return NULL;
    }
    if (size > 0) {
        memcpy(out, bytes, size);
    }
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(out[i])) {
            check_find(check, table, step, out[i], 0.0, "number %lld of %s is not finite",
                       (long long)i, name);
            return NULL;
        }
    }
    return out;
}

// The frame's hash and unit quaternions.
static void check_state(check_checking *check) {
    const check_frame *frame = &check->frame;
    const char *stored = frame->hash;
    const cn_run *run = check->run;
    int64_t velocities = (int64_t)model_velocity_size(run->dim) * run->bodies;
    char own[REC_HASH_TEXT];
    rec_hash_text(base_hash_state_nodes(
                      frame->step, frame->q, (int64_t)model_pose_size(run->dim) * run->bodies,
                      frame->v, velocities, frame->x, frame->v + velocities,
                      frame->x ? (int64_t)run->dim * check->model->node_count : 0),
                  own);
    if (strcmp(own, stored) != 0) {
        check->grade->bad_hashes++;
        check_find(check, "frame", frame->step, 1.0, 0.0, "hash is not that of q and v");
    }
    for (int32_t i = 0; run->dim == 3 && i < run->bodies; i++) {
        const double *turn = frame->q + 7 * (int64_t)i + 3;
        double square = turn[0] * turn[0] + math_dot3(turn + 1, turn + 1);
        if (!(fabs(square - 1.0) <= CHECK_ROUND)) {
            check_find(check, "frame", frame->step, square, 1.0,
                       "the orientation of body %d is no unit quaternion", (int)i + 1);
            break;
        }
    }
}

static bool read_asleep(check_checking *check, io_statement *select, int32_t column) {
    size_t size;
    const void *bytes = io_column_blob(select, column, &size);
    if (io_column_kind_of(select, column) == IO_COLUMN_NULL) {
        return true;
    }
    check->frame.asleep = BASE_TAKE(check->frame_memory, uint8_t, check->run->bodies);
    if (!check->frame.asleep || size != (size_t)check->run->bodies) {
        check_find(check, "frame", check->frame.step, (double)size, check->run->bodies,
                   "asleep has %lld bytes", (long long)size);
        return false;
    }
    memcpy(check->frame.asleep, bytes, size);
    for (size_t i = 0; i < size; i++) {
        if (check->frame.asleep[i] > 2) {
            check_find(check, "frame", check->frame.step, check->frame.asleep[i], 2.0,
                       "asleep has an unknown number");
            return false;
        }
    }
    return true;
}

static bool read_frame_row(check_checking *check, io_statement *select) {
    check_frame *frame = &check->frame;
    const cn_run *run = check->run;
    int64_t poses = (int64_t)model_pose_size(run->dim) * run->bodies,
            velocities = (int64_t)model_velocity_size(run->dim) * run->bodies,
            before = check->grade->finding_count;
    frame->t = io_column_real(select, 0);
    frame->q = check_read_numbers(check, select, 2, poses, "frame", "q");
    frame->v = check_read_numbers(check, select, 3, velocities, "frame", "v");
    frame->start = io_column_real(select, 4);
    frame->h = io_column_real(select, 5);
    frame->limited = (int32_t)io_column_int(select, 6);
    bool sound = read_asleep(check, select, 7);
    double *steering =
        check_read_numbers(check, select, 8, REC_STEERING_NUMBERS, "frame", "steering");
    frame->load = check_read_numbers(check, select, 9, 6 * (int64_t)run->bodies, "frame", "load");
    frame->v_before = check_read_numbers(check, select, 10, velocities, "frame", "v_before");
    frame->v_after = check_read_numbers(check, select, 11, velocities, "frame", "v_after");
    frame->projection = check_read_numbers(check, select, 12, velocities, "frame", "projection");
    frame->middle = check_read_numbers(check, select, 13, poses, "frame", "q_middle");
    if (check->model) {
        memcpy(frame->gravity, check->model->settings.gravity, sizeof frame->gravity);
    }
    frame->friction = 1.0;
    if (steering) {
        memcpy(frame->gravity, steering, sizeof frame->gravity);
        frame->friction = steering[3];
        frame->steered = true;
    }
    frame->by_hand = frame->steered || (frame->load && check->model && !check->model->control);
    bool complete = frame->q && frame->v && !frame->v_after == !frame->middle;
    if (!complete || !sound || before != check->grade->finding_count) {
        if (before == check->grade->finding_count) {
            check_find(check, "frame", frame->step, 0.0, 0.0,
                       "q or v is missing, or one of v_after and q_middle");
        }
        return false;
    }
    const char *hash = io_column_text(select, 1);
    snprintf(frame->hash, sizeof frame->hash, "%s", hash ? hash : "");
    return true;
}

// ---- contacts ----

// One column of vectors or numbers into the records.
static bool read_contact_numbers(check_checking *check, io_statement *select, int32_t column,
                                 const char *name, int32_t each, size_t offset) {
    check_frame *frame = &check->frame;
    int64_t before = check->grade->finding_count;
    double *numbers =
        check_read_numbers(check, select, column, (int64_t)each * frame->contacts, "contact", name);
    if (!numbers && before == check->grade->finding_count && frame->contacts > 0) {
        check_find(check, "contact", frame->step, 0.0, 0.0, "%s is missing", name);
    }
    for (int32_t c = 0; numbers && c < frame->contacts; c++) {
        memcpy((unsigned char *)&frame->contact[c] + offset, numbers + (int64_t)each * c,
               sizeof *numbers * (size_t)each);
    }
    return numbers || frame->contacts == 0;
}

// A body does not touch itself, nor one that it is jointed to; one of the two moves. (A system may
// record what it likes as bodies.)
static bool may_touch(const cn_model *model, int32_t a, int32_t b) {
    bool free = model->body[a].role == MODEL_BODY_FREE || model->body[b].role == MODEL_BODY_FREE ||
                model_is_deformable(model, a) || model_is_deformable(model, b);
    return a != b && free && !model_is_jointed(model, a < b ? a : b, a < b ? b : a);
}

static bool read_contact_bodies(check_checking *check, io_statement *select) {
    check_frame *frame = &check->frame;
    size_t bodies_size, status_size;
    const unsigned char *bodies = io_column_blob(select, 1, &bodies_size);
    const uint8_t *status = io_column_blob(select, 10, &status_size);
    if (bodies_size != 2 * sizeof(int32_t) * (size_t)frame->contacts ||
        status_size != (size_t)frame->contacts) {
        check_find(check, "contact", frame->step, (double)status_size, frame->contacts,
                   "n is %d, and the columns have another length", (int)frame->contacts);
        return false;
    }
    for (int32_t c = 0; c < frame->contacts; c++) {
        cn_contact_record *contact = &frame->contact[c];
        int32_t pair[2];
        memcpy(pair, bodies + sizeof pair * (size_t)c, sizeof pair);
        contact->candidate = pair[0];
        contact->antagonist = pair[1];
        contact->status = status[c];
        if (pair[0] < 1 || pair[0] > check->run->bodies || pair[1] < 1 ||
            pair[1] > check->run->bodies) {
            check_find(check, "contact", frame->step, pair[0], check->run->bodies,
                       "contact %d names body %d, which is not there", (int)c,
                       (int)(pair[0] < 1 || pair[0] > check->run->bodies ? pair[0] : pair[1]));
            return false;
        }
        if (check->stepped && !may_touch(check->model, pair[0] - 1, pair[1] - 1)) {
            check_find(check, "contact", frame->step, pair[0], pair[1],
                       "bodies %d and %d cannot have a contact", (int)pair[0], (int)pair[1]);
            return false;
        }
    }
    return true;
}

static bool read_early(check_checking *check, io_statement *select, int32_t column) {
    check_frame *frame = &check->frame;
    size_t size;
    const unsigned char *bytes = io_column_blob(select, column, &size);
    int64_t count = (int64_t)(size / (EARLY_NUMBERS * sizeof(double)));
    frame->early = BASE_TAKE_ZERO(check->frame_memory, bool, frame->contacts);
    frame->arm = BASE_TAKE_ZERO(check->frame_memory, double, 6 * (int64_t)frame->contacts);
    frame->active = BASE_TAKE_ZERO(check->frame_memory, bool, frame->contacts);
    bool sound = frame->early && frame->arm && frame->active &&
                 size == EARLY_NUMBERS * sizeof(double) * (size_t)count;
    for (int64_t i = 0; sound && i < count; i++) {
        double own[EARLY_NUMBERS], sum = 0.0;
        memcpy(own, bytes + sizeof own * (size_t)i, sizeof own);
        for (int k = 0; k < EARLY_NUMBERS; k++) {
            sum += own[k];
        }
        sound =
            isfinite(sum) && own[0] >= 0.0 && own[0] < frame->contacts && own[0] == floor(own[0]);
        if (sound) {
            frame->early[(int32_t)own[0]] = true;
            memcpy(frame->arm + 6 * (int64_t)own[0], own + 1, 6 * sizeof *own);
        }
    }
    if (!sound) {
        check_find(check, "contact", frame->step, (double)size, 0.0, "early cannot be read");
    }
    return sound;
}

static bool read_contact_row(check_checking *check, io_statement *select) {
    check_frame *frame = &check->frame;
    int32_t dim = check->run->dim;
    int64_t n = io_column_int(select, 0);
    size_t size;
    io_column_blob(select, 10, &size);
    if (n < 0 || n > INT32_MAX || (size_t)n != size) {
        check_find(check, "contact", frame->step, (double)n, (double)size,
                   "n is %lld, and the columns have another length", (long long)n);
        return false;
    }
    frame->contacts = (int32_t)n;
    frame->contact = BASE_TAKE_ZERO(check->frame_memory, cn_contact_record, n);
    if (!frame->contact) {
        base_fail_memory(check->error);
        return false;
    }
    frame->shifted = io_column_blob(select, 11, &size) && size > 0;
    frame->sleeping = (int32_t)io_column_int(select, 13);
    bool counts = frame->sleeping >= 0 && frame->sleeping <= frame->contacts;
    if (!counts) {
        check_find(check, "contact", frame->step, frame->sleeping, frame->contacts,
                   "sleeping is no number of contacts");
    }
    const struct {
        const char *name;
        int32_t column, each;
        size_t offset;
    } list[] = {
        {"point", 2, dim, offsetof(cn_contact_record, point)},
        {"normal", 3, dim, offsetof(cn_contact_record, normal)},
        {"gap", 4, 1, offsetof(cn_contact_record, gap)},
        {"impulse", 5, dim, offsetof(cn_contact_record, impulse)},
        {"velocity", 6, dim, offsetof(cn_contact_record, velocity)},
        {"velocity_before", 7, dim, offsetof(cn_contact_record, velocity_before)},
        {"shift", 8, dim, offsetof(cn_contact_record, shift)},
        {"friction", 9, 1, offsetof(cn_contact_record, friction)},
        {"frame_change", 11, dim, offsetof(cn_contact_record, frame_change)},
    };
    bool sound = counts && read_contact_bodies(check, select);
    for (size_t i = 0; sound && i < sizeof list / sizeof list[0]; i++) {
        bool there = list[i].column != 11 || frame->shifted;
        sound = !there || read_contact_numbers(check, select, list[i].column, list[i].name,
                                               list[i].each, list[i].offset);
    }
    return sound && read_early(check, select, 12);
}

// ---- joints ----

static bool read_joint_row(check_checking *check, io_statement *select) {
    check_frame *frame = &check->frame;
    const cn_model *model = check->model;
    int64_t joints = model->joint_count, rows = model->joint_row_count,
            size = model_velocity_size(model->dim), before = check->grade->finding_count;
    size_t bytes;
    frame->value = check_read_numbers(check, select, 0, joints, "joint", "value");
    frame->rate = check_read_numbers(check, select, 1, joints, "joint", "rate");
    frame->joint_impulse = check_read_numbers(check, select, 2, size * joints, "joint", "impulse");
    frame->effort = check_read_numbers(check, select, 3, joints, "joint", "effort");
    frame->rows = check_read_numbers(check, select, 4, rows, "joint", "rows");
    frame->gauge_start = check_read_numbers(check, select, 5, rows, "joint", "start");
    frame->angle = check_read_numbers(check, select, 6, 2 * joints, "joint", "angle");
    io_column_blob(select, 7, &bytes);
    if (bytes > 0) {
        frame->settled = check_read_numbers(check, select, 7, rows, "joint", "settled");
    }
    bool all = frame->value && frame->rate && frame->joint_impulse && frame->effort &&
               frame->rows && frame->gauge_start && frame->angle;
    if (!all && before == check->grade->finding_count) {
        check_find(check, "joint", frame->step, 0.0, 0.0, "a column is missing");
    }
    frame->has_joints = all;
    return all && before == check->grade->finding_count;
}

// ---- all of it ----

cn_status check_read_row(check_checking *check, const char *table, const char *sql, const char *old,
                         check_row_fn *read, bool *there, bool *sound) {
    io_statement *select = NULL;
    io_database *database = check->run->database;
    *there = false;
    // Files of older versions have no hashes, nor what came with them.
    bool now = check_has(check, table, "row_hash");
    if (!now && !old) {
        return CN_OK;
    }
    cn_status status = io_database_prepare(database, now ? sql : old, &select, check->error);
    CN_TRY(status);
    io_bind_int(select, 1, check->frame.step);
    status = io_statement_step(database, select, there, check->error);
    if (status == CN_OK && *there) {
        *sound = read(check, select) && *sound;
    }
    io_statement_end(select);
    return status;
}

cn_status check_read_frame(check_checking *check, int64_t step, bool *usable) {
    bool there, sound = true;
    check->frame = (check_frame){.step = step};
    cn_status status =
        check_read_row(check, "frame", FRAME_SQL, FRAME_SQL_OLD, read_frame_row, &there, &sound);
    if (status == CN_OK && !there) { // in a damaged file a step may be listed and not be found
        check_find(check, "frame", step, 0.0, 1.0, "the row of this step cannot be found");
        sound = false;
    }
    if (status == CN_OK && sound && check->model && check->model->node_count > 0) {
        status = check_read_nodes(check, &sound);
    }
    if (status == CN_OK && sound) {
        check_state(check);
    }
    if (status == CN_OK && step > 0) {
        status =
            check_read_row(check, "contact", CONTACT_SQL_OF("early", "sleeping", "frame_change"),
                           CONTACT_SQL_OF("NULL", "0", "NULL"), read_contact_row,
                           &check->frame.has_contacts, &sound);
        if (status == CN_OK && !check->frame.has_contacts) {
            check_find(check, "contact", step, 0.0, 1.0, "the row of this step is missing");
            sound = false;
        }
        check->grade->contacts += check->frame.contacts;
    }
    if (status == CN_OK && step > 0 && check->model && check->stepped &&
        check->model->joint_count > 0) {
        status =
            check_read_row(check, "joint",
                           "SELECT value,rate,impulse,effort,rows,start,angle,settled FROM joint "
                           "WHERE step=?",
                           NULL, read_joint_row, &there, &sound);
    }
    if (status == CN_OK && sound && check->frame.x && step > 0) {
        status = check_read_sides(check, &sound);
    }
    if (status == CN_OK && sound) {
        status = check_read_damage(check, &sound);
    }
    *usable = sound;
    return status;
}
