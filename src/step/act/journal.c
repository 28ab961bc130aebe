// step/act/journal.c
// Definitions field by field, one function for both directions. Bytes that are read come from
// files: every count is compared with what is left of them, and what the numbers mean is checked by
// whoever takes the definition.
#include "step/act/journal.h"

#include "base/arena.h"
#include "base/error.h"

#include <string.h>

// Definitions with another size have other fields, which must go into the functions below.
_Static_assert(sizeof(void *) != 8 || (sizeof(cn_shape_def) == 184 && sizeof(cn_body_def) == 280 &&
                                       sizeof(cn_signal_def) == 72 && sizeof(cn_joint_def) == 328),
               "a field of a definition is not written into the journal");

// Where fields go, or come from.
typedef struct journal_io {
    base_buffer *out; // NULL: reading
    const unsigned char *at;
    size_t left;
    cn_arena *memory;
    cn_status status;
} journal_io;

static void put_bytes(journal_io *io, void *field, size_t size) {
    if (io->status != CN_OK || size == 0) {
        return;
    }
    if (io->out) {
        io->status = base_buffer_append(io->out, field, size) ? CN_OK : CN_ERR_MEMORY;
    } else if (size > io->left) {
        io->status = CN_ERR_INPUT;
    } else {
        memcpy(field, io->at, size);
        io->at += size;
        io->left -= size;
    }
}

#define PUT(io, field) put_bytes(io, &(field), sizeof(field))

static void put_flag(journal_io *io, bool *flag) {
    uint8_t byte = *flag;
    PUT(io, byte);
    *flag = byte != 0;
}

static void put_kind(journal_io *io, int32_t *kind, int32_t kinds) {
    PUT(io, *kind);
    if (io->status == CN_OK && (*kind < 0 || *kind >= kinds)) {
        io->status = CN_ERR_INPUT;
    }
}

// An array of `count` pieces, as long as it is there.
static void put_array(journal_io *io, const void **array, int64_t count, size_t size) {
    uint8_t there = *array != NULL;
    PUT(io, there);
    if (io->status != CN_OK || !there) {
        *array = there ? *array : NULL;
        return;
    }
    if (count < 0 || (!io->out && (uint64_t)count > io->left / size)) {
        io->status = CN_ERR_INPUT;
        return;
    }
    void *room = io->out ? NULL : base_arena_take(io->memory, count + 1, size);
    if (!io->out && !room) {
        io->status = CN_ERR_MEMORY;
        return;
    }
    if (io->out) {
        const unsigned char *bytes = *array;
        io->status =
            base_buffer_append(io->out, bytes, (size_t)count * size) ? CN_OK : CN_ERR_MEMORY;
    } else {
        put_bytes(io, room, (size_t)count * size);
        *array = room;
    }
}

static void put_text(journal_io *io, const char **text) {
    int32_t length = *text ? (int32_t)strlen(*text) : 0;
    const void *array = *text;
    PUT(io, length);
    put_array(io, &array, (int64_t)length, 1);
    if (io->status == CN_OK && !io->out && array) {
        char *copy = base_arena_text(io->memory, array, (size_t)length);
        io->status = copy ? CN_OK : CN_ERR_MEMORY;
        array = copy;
    }
    *text = array;
}

static void put_shape(journal_io *io, cn_shape_def *shape, int32_t dim) {
    int32_t kind = (int32_t)shape->kind, corners = 0;
    put_kind(io, &kind, CN_SHAPE_KINDS);
    shape->kind = (cn_shape_kind)kind;
    PUT(io, shape->position);
    PUT(io, shape->orientation);
    PUT(io, shape->angle);
    PUT(io, shape->radius);
    PUT(io, shape->length);
    PUT(io, shape->size);
    PUT(io, shape->normal);
    PUT(io, shape->offset);
    PUT(io, shape->vertex_count);
    PUT(io, shape->face_count);
    const void *vertices = shape->vertices, *size = shape->face_size, *faces = shape->faces;
    put_array(io, &vertices, (int64_t)dim * shape->vertex_count, sizeof(double));
    put_array(io, &size, shape->face_count, sizeof(int32_t));
    const int32_t *sizes = size;
    int64_t sum = 0;
    for (int32_t f = 0; io->status == CN_OK && sizes && f < shape->face_count; f++) {
        sum += sizes[f] > 0 ? sizes[f] : 0;
    }
    corners = sum < INT32_MAX ? (int32_t)sum : -1;
    put_array(io, &faces, corners, sizeof(int32_t));
    shape->vertices = vertices;
    shape->face_size = sizes;
    shape->faces = faces;
}

static void put_body(journal_io *io, cn_body_def *def, int32_t dim) {
    put_text(io, &def->name);
    PUT(io, def->material);
    put_flag(io, &def->fixed);
    PUT(io, def->position);
    PUT(io, def->orientation);
    PUT(io, def->angle);
    PUT(io, def->velocity);
    PUT(io, def->angular_velocity);
    PUT(io, def->lock);
    put_flag(io, &def->lock_body_axes);
    PUT(io, def->mass);
    PUT(io, def->inertia);
    PUT(io, def->com);
    PUT(io, def->shape_count);
    if (io->status == CN_OK && (def->shape_count < 0 || def->shape_count > (1 << 20))) {
        io->status = CN_ERR_INPUT;
    }
    cn_shape_def *shapes = NULL;
    if (io->status == CN_OK && !io->out) {
        shapes = BASE_TAKE_ZERO(io->memory, cn_shape_def, def->shape_count);
        io->status = shapes ? CN_OK : CN_ERR_MEMORY;
    }
    for (int32_t i = 0; io->status == CN_OK && i < def->shape_count; i++) {
        cn_shape_def shape = io->out ? def->shapes[i] : (cn_shape_def){0};
        put_shape(io, &shape, dim);
        if (shapes) {
            shapes[i] = shape;
        }
    }
    def->shapes = io->out ? def->shapes : shapes;
}

static void put_signal(journal_io *io, cn_signal_def *def) {
    PUT(io, def->constant);
    put_text(io, &def->expression);
    put_text(io, &def->input);
    PUT(io, def->count);
    const void *times = def->count > 0 ? def->times : NULL,
               *values = def->count > 0 ? def->values : NULL;
    put_array(io, &times, def->count, sizeof(double));
    put_array(io, &values, def->count, sizeof(double));
    def->times = times;
    def->values = values;
    def->count = times && values ? def->count : 0;
    int32_t interpolation = (int32_t)def->interpolation;
    put_kind(io, &interpolation, CN_INTERPOLATION_CUBIC + 1);
    def->interpolation = (cn_interpolation)interpolation;
}

static void put_joint(journal_io *io, cn_joint_def *def) {
    int32_t kind = (int32_t)def->kind, motor = (int32_t)def->motor;
    put_text(io, &def->name);
    put_kind(io, &kind, CN_JOINT_KINDS);
    def->kind = (cn_joint_kind)kind;
    PUT(io, def->body);
    PUT(io, def->point);
    PUT(io, def->second_point);
    PUT(io, def->axis);
    PUT(io, def->second_axis);
    PUT(io, def->length);
    PUT(io, def->pitch);
    PUT(io, def->ratio);
    PUT(io, def->limits);
    PUT(io, def->friction);
    PUT(io, def->stiffness);
    PUT(io, def->damping);
    PUT(io, def->rest);
    put_kind(io, &motor, CN_MOTOR_FORCE + 1);
    def->motor = (cn_motor_kind)motor;
    put_signal(io, &def->motor_target);
    PUT(io, def->armature);
    PUT(io, def->motor_max);
    PUT(io, def->motor_stiffness);
    PUT(io, def->motor_damping);
    put_flag(io, &def->contact);
}

static void put_edit(journal_io *io, step_edit *edit, int32_t *dim) {
    int32_t kind = (int32_t)edit->kind;
    put_kind(io, &kind, STEP_EDIT_KINDS);
    edit->kind = (step_edit_kind)kind;
    PUT(io, *dim);
    if (io->status == CN_OK && *dim != 2 && *dim != 3) {
        io->status = CN_ERR_INPUT;
    }
    switch (edit->kind) {
    case STEP_ADD_BODY:
        put_body(io, &edit->body, *dim);
        break;
    case STEP_ADD_JOINT:
        put_joint(io, &edit->joint);
        PUT(io, edit->pose);
        break;
    default:
        PUT(io, edit->index);
        break;
    }
}

bool step_journal_add(base_buffer *journal, const step_edit *edit) {
    size_t before = journal->size;
    step_edit copy = *edit;
    journal_io io = {.out = journal};
    int32_t dim = edit->dim;
    put_edit(&io, &copy, &dim);
    journal->size = io.status == CN_OK ? journal->size : before;
    return io.status == CN_OK;
}

cn_status step_journal_next(const unsigned char *journal, size_t size, size_t *at, cn_arena *memory,
                            step_edit *edit, cn_error *error) {
    journal_io io = {.at = journal + *at, .left = size - *at, .memory = memory};
    *edit = (step_edit){.kind = STEP_ADD_BODY};
    put_edit(&io, edit, &edit->dim);
    *at = size - io.left;
    if (io.status == CN_ERR_MEMORY) {
        return base_fail_memory(error);
    }
    return io.status == CN_OK
               ? CN_OK
               : base_fail(error, CN_ERR_INPUT, "the list of bodies that were added is damaged");
}

cn_status step_journal_apply(const step_edit *edit, cn_model *copy, cn_error *error) {
    const double *pose[2] = {edit->pose[0], edit->pose[1]};
    if (edit->dim != copy->dim) {
        return base_fail(error, CN_ERR_INPUT, "what was added is in %dD", (int)edit->dim);
    }
    switch (edit->kind) {
    case STEP_ADD_BODY:
        return model_edit_add_body(copy, &edit->body, error);
    case STEP_ADD_JOINT:
        return model_edit_add_joint(copy, &edit->joint, pose, error);
    case STEP_REMOVE_BODY:
        return model_edit_remove_body(copy, edit->index, error);
    default:
        return model_edit_remove_joint(copy, edit->index, error);
    }
}
