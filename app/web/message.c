// app/web/message.c
// Messages of the page; see message.h and docs/reference/viewer-protocol.md.
#include "web/message.h"

#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TYPE_FRAME = 1,
    TYPE_CONTACTS,
    TYPE_INDEX,
    TYPE_LEDGER,
    TYPE_SERIES,
};

#define QUATERNION_SCALE 32767.0

// The header with its length still open; returns where the message starts.
static size_t message_begin(byte_buffer *out, uint32_t type, uint32_t flags,
                            const message_head *head, int64_t count) {
    size_t start = out->size;
    bytes_put(out, "CRN1", 4);
    bytes_u16(out, type);
    bytes_u16(out, flags);
    bytes_u32(out, head->id);
    bytes_u32(out, (uint32_t)head->step);
    bytes_f64(out, head->t);
    bytes_u32(out, (uint32_t)count);
    bytes_u32(out, 0);
    return start;
}

static void message_finish(byte_buffer *out, size_t start) {
    bytes_align(out, 4);
    bytes_set_u32(out, start + 28, (uint32_t)(out->size - start - MESSAGE_HEADER));
}

static uint32_t flat_flag(int32_t dim) {
    return dim == 2 ? MESSAGE_FLAT : 0;
}

// Numbers first to first + each of every row of stride.
static void put_columns(byte_buffer *out, const double *x, int64_t rows, int32_t stride,
                        int32_t first, int32_t each) {
    for (int64_t i = 0; i < rows; i++) {
        for (int32_t k = 0; k < each; k++) {
            bytes_f32(out, x[stride * i + first + k]);
        }
    }
}

static int32_t quaternion_part(double x) {
    double scaled = round(x * QUATERNION_SCALE);
    return scaled >= -QUATERNION_SCALE && scaled <= QUATERNION_SCALE ? (int32_t)scaled : 0;
}

static void put_joint_columns(byte_buffer *out, int32_t dim, const message_joints *joints) {
    bytes_u32(out, (uint32_t)joints->count);
    for (int32_t i = 0; i < joints->count; i++) {
        bytes_f32(out, joints->row[i].value);
    }
    for (int32_t i = 0; i < joints->count; i++) {
        bytes_f32(out, joints->row[i].rate);
    }
    for (int32_t i = 0; i < joints->count; i++) {
        bytes_f32(out, joints->row[i].effort);
    }
    for (int32_t i = 0; i < joints->count; i++) {
        for (int32_t k = 0; k < dim; k++) {
            bytes_f32(out, joints->row[i].impulse[k] / joints->h);
        }
    }
}

void message_frame(byte_buffer *out, const message_head *head, int32_t dim, int32_t bodies,
                   bool unturned, const double *q, const double *v, const message_joints *joints,
                   const message_soft *soft) {
    int32_t pose = dim == 3 ? 7 : 3, size = dim == 3 ? 6 : 3;
    uint32_t flags = flat_flag(dim) | (unturned ? MESSAGE_UNTURNED : 0) |
                     (joints->count > 0 ? MESSAGE_JOINTS : 0) |
                     (soft->nodes > 0 ? MESSAGE_NODES : 0);
    size_t start = message_begin(out, TYPE_FRAME, flags, head, bodies);
    put_columns(out, q, bodies, pose, 0, dim);
    for (int64_t i = 0; dim == 3 && !unturned && i < bodies; i++) {
        for (int32_t k = 3; k < 7; k++) {
            bytes_u16(out, (uint32_t)quaternion_part(q[7 * i + k]) & 0xffff);
        }
    }
    if (dim == 2 && !unturned) {
        put_columns(out, q, bodies, pose, 2, 1);
    }
    put_columns(out, v, bodies, size, 0, dim);
    put_columns(out, v, bodies, size, dim, size - dim);
    if (joints->count > 0) {
        put_joint_columns(out, dim, joints);
    }
    if (soft->nodes > 0) {
        bytes_u32(out, (uint32_t)soft->nodes);
        bytes_u32(out, (uint32_t)soft->elements);
        put_columns(out, soft->x, soft->nodes, dim, 0, dim);
        put_columns(out, soft->stress, soft->elements, 6, 0, 6);
    }
    message_finish(out, start);
}

void message_contacts(byte_buffer *out, const message_head *head, int32_t dim, double h,
                      const cn_contact_record *contacts, int32_t count) {
    size_t start = message_begin(out, TYPE_CONTACTS, flat_flag(dim), head, count);
    for (int32_t i = 0; i < count; i++) {
        bytes_u32(out, (uint32_t)(contacts[i].candidate - 1));
    }
    for (int32_t i = 0; i < count; i++) {
        bytes_u32(out, (uint32_t)(contacts[i].antagonist - 1));
    }
    for (int32_t i = 0; i < count; i++) {
        put_columns(out, contacts[i].point, 1, dim, 0, dim);
    }
    for (int32_t i = 0; i < count; i++) {
        put_columns(out, contacts[i].normal, 1, dim, 0, dim);
    }
    for (int32_t i = 0; i < count; i++) {
        for (int32_t k = 0; k < dim; k++) {
            bytes_f32(out, contacts[i].impulse[k] / h);
        }
    }
    for (int32_t i = 0; i < count; i++) {
        bytes_f32(out, contacts[i].gap);
    }
    for (int32_t i = 0; i < count; i++) {
        bytes_f32(out, contacts[i].friction);
    }
    for (int32_t i = 0; i < count; i++) {
        bytes_put(out, &contacts[i].status, 1);
    }
    message_finish(out, start);
}

static void put_steps(byte_buffer *out, const int64_t *steps, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        bytes_u32(out, (uint32_t)steps[i]);
    }
}

static void put_times(byte_buffer *out, const double *times, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        bytes_f64(out, times[i]);
    }
}

void message_index(byte_buffer *out, uint32_t id, const int64_t *steps, const double *times,
                   int64_t count) {
    message_head head = {id, count > 0 ? steps[0] : 0, count > 0 ? times[0] : 0.0};
    size_t start = message_begin(out, TYPE_INDEX, 0, &head, count);
    put_times(out, times, count);
    put_steps(out, steps, count);
    message_finish(out, start);
}

// ---- the ledger ----

#define NAME_I(name) #name,
#define NAME_R(name) #name,
#define NAME_O(name) #name,
#define NAME_S(name)
#define NAME(name, kind) NAME_##kind(name)
const char *const ledger_columns[LEDGER_COLUMNS] = {CN_LEDGER_VALUES(NAME) "balance"};

#define VALUE_I(name) (double)row->name,
#define VALUE_R(name) row->name,
#define VALUE_O(name) (double)row->name,
#define VALUE_S(name)
#define VALUE(name, kind) VALUE_##kind(name)

void ledger_row(ledger_sums *sums, const cn_step_report *report, double out[LEDGER_COLUMNS]) {
    cn_step_report summed = *report;
    const cn_step_report *row = &summed;
    summed.work_external = sums->work += report->work_external;
    summed.work_joints = sums->joints += report->work_joints;
    summed.dissipated_friction = sums->friction += report->dissipated_friction;
    summed.dissipated_impact = sums->impact += report->dissipated_impact;
    summed.dissipated_numerical = sums->numerical += report->dissipated_numerical;
    summed.work_correction = sums->correction += report->work_correction;
    summed.dissipated_viscous = sums->viscous += report->dissipated_viscous;
    summed.dissipated_plastic = sums->plastic += report->dissipated_plastic;
    summed.dissipated_fracture = sums->fracture += report->dissipated_fracture;
    double balance = report->kinetic + report->potential + report->elastic - sums->energy_initial -
                     sums->work - sums->joints - sums->correction + sums->friction + sums->impact +
                     sums->numerical + sums->viscous + sums->plastic + sums->fracture;
    const double values[LEDGER_COLUMNS] = {CN_LEDGER_VALUES(VALUE) balance};
    memcpy(out, values, sizeof values);
}

ledger_bins ledger_bins_start(int64_t from, int64_t to, int64_t bins) {
    int64_t steps = to >= from ? to - from + 1 : 0;
    return (ledger_bins){
        .from = from, .to = to, .width = steps > bins ? (steps + bins - 1) / bins : 1};
}

void ledger_bins_free(ledger_bins *bins) {
    free(bins->t);
    free(bins->step);
    free(bins->low);
    free(bins->high);
}

static void ledger_bins_grow(ledger_bins *bins) {
    bins->capacity = 2 * bins->capacity + 64;
    bins->t = reallocate(bins->t, bins->capacity, sizeof *bins->t);
    bins->step = reallocate(bins->step, bins->capacity, sizeof *bins->step);
    bins->low = reallocate(bins->low, LEDGER_COLUMNS * bins->capacity, sizeof *bins->low);
    bins->high = reallocate(bins->high, LEDGER_COLUMNS * bins->capacity, sizeof *bins->high);
}

void ledger_bins_add(ledger_bins *bins, int64_t step, double t, const double row[LEDGER_COLUMNS]) {
    bool fresh = bins->rows % bins->width == 0;
    if (fresh && bins->count == bins->capacity) {
        ledger_bins_grow(bins);
    }
    bins->count += fresh;
    bins->rows++;
    int64_t at = bins->count - 1;
    double *low = bins->low + LEDGER_COLUMNS * at, *high = bins->high + LEDGER_COLUMNS * at;
    if (fresh) {
        bins->t[at] = t;
        bins->step[at] = step;
        memcpy(low, row, sizeof(double) * LEDGER_COLUMNS);
        memcpy(high, row, sizeof(double) * LEDGER_COLUMNS);
        return;
    }
    // A NaN, once there, stays: it compares false either way.
    for (int32_t i = 0; i < LEDGER_COLUMNS; i++) {
        low[i] = row[i] < low[i] || isnan(row[i]) ? row[i] : low[i];
        high[i] = row[i] > high[i] || isnan(row[i]) ? row[i] : high[i];
    }
}

void message_ledger(byte_buffer *out, uint32_t id, int32_t dim, const ledger_bins *bins) {
    message_head head = {id, bins->count > 0 ? bins->step[0] : 0,
                         bins->count > 0 ? bins->t[0] : 0.0};
    size_t start = message_begin(out, TYPE_LEDGER, flat_flag(dim), &head, bins->count);
    bytes_u32(out, (uint32_t)bins->from);
    bytes_u32(out, (uint32_t)(bins->to > 0 ? bins->to : 0));
    bytes_u32(out, LEDGER_COLUMNS);
    bytes_u32(out, 0);
    put_times(out, bins->t, bins->count);
    put_steps(out, bins->step, bins->count);
    for (int32_t i = 0; i < LEDGER_COLUMNS; i++) {
        put_columns(out, bins->low, bins->count, LEDGER_COLUMNS, i, 1);
        put_columns(out, bins->high, bins->count, LEDGER_COLUMNS, i, 1);
    }
    message_finish(out, start);
}

// ---- one body through time ----

void track_add(ledger_track *series, int32_t dim, int64_t step, double t, const double *q,
               const double *v) {
    int32_t pose = dim == 3 ? 7 : 3, size = dim == 3 ? 6 : 3;
    if (series->count == series->capacity) {
        series->capacity = 2 * series->capacity + 64;
        series->t = reallocate(series->t, series->capacity, sizeof *series->t);
        series->step = reallocate(series->step, series->capacity, sizeof *series->step);
        series->q = reallocate(series->q, pose * series->capacity, sizeof *series->q);
        series->v = reallocate(series->v, size * series->capacity, sizeof *series->v);
    }
    int64_t at = series->count++;
    series->t[at] = t;
    series->step[at] = step;
    memcpy(series->q + pose * at, q, sizeof *q * (size_t)pose);
    memcpy(series->v + size * at, v, sizeof *v * (size_t)size);
}

void track_free(ledger_track *series) {
    free(series->t);
    free(series->step);
    free(series->q);
    free(series->v);
}

void message_track(byte_buffer *out, uint32_t id, int32_t dim, const ledger_track *series) {
    int32_t pose = dim == 3 ? 7 : 3, size = dim == 3 ? 6 : 3;
    message_head head = {id, series->count > 0 ? series->step[0] : 0,
                         series->count > 0 ? series->t[0] : 0.0};
    size_t start = message_begin(out, TYPE_SERIES, flat_flag(dim), &head, series->count);
    put_times(out, series->t, series->count);
    put_steps(out, series->step, series->count);
    put_columns(out, series->q, series->count, pose, 0, dim);
    put_columns(out, series->v, series->count, size, 0, dim);
    put_columns(out, series->v, series->count, size, dim, size - dim);
    put_columns(out, series->q, series->count, pose, dim, pose - dim);
    message_finish(out, start);
}
