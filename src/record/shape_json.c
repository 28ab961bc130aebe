// record/shape_json.c
#include "record/shape_json.h"

#include "base/arena.h"
#include "base/memory.h"
#include "math/vec3.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Text that grows; failed once, it stays so.
typedef struct shape_text {
    base_buffer text;
    bool failed;
} shape_text;

static void json_put(shape_text *json, const char *format, ...) CN_PRINTF(2, 3);
static void json_put(shape_text *json, const char *format, ...) {
    char piece[128];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    json->failed =
        json->failed || length < 0 || !base_buffer_append(&json->text, piece, (size_t)length);
}

static void json_list(shape_text *json, const double *x, int32_t count) {
    json_put(json, "[");
    for (int32_t i = 0; i < count; i++) {
        json_put(json, "%s%.17g", i ? "," : "", x[i] + 0.0);
    }
    json_put(json, "]");
}

// The text in the arena; the buffer is given back.
static const char *json_end(shape_text *json, cn_arena *memory) {
    const char *text =
        json->failed ? NULL
                     : base_arena_text(memory, (const char *)json->text.data, json->text.size);
    base_buffer_free(&json->text);
    return text;
}

const char *rec_json_numbers(cn_arena *memory, const double *x, int32_t count) {
    shape_text json = {.failed = false};
    base_buffer_init(&json.text, cn_arena_env(memory));
    json_list(&json, x, count);
    return json_end(&json, memory);
}

// Corners and faces of a hull, moved from the centre of mass to the body's own frame.
static void json_hull(shape_text *json, const geom_hull *hull, int32_t dim, const double com[3]) {
    json_put(json, "{\"vertices\":[");
    for (int32_t v = 0; v < hull->vertex_count; v++) {
        double x[3];
        math_add_scaled3(hull->vertex + 3 * (int64_t)v, 1.0, com, x);
        json_put(json, v ? "," : "");
        json_list(json, x, dim);
    }
    json_put(json, "]");
    if (dim == 3) {
        json_put(json, ",\"faces\":[");
        for (int32_t f = 0; f < hull->face_count; f++) {
            json_put(json, f ? ",[" : "[");
            for (int32_t k = hull->face[f]; k < hull->face[f + 1]; k++) {
                json_put(json, "%s%d", k > hull->face[f] ? "," : "", (int)hull->loop[k]);
            }
            json_put(json, "]");
        }
        json_put(json, "]");
    }
    json_put(json, "}");
}

static void json_shape(shape_text *json, const geom_shape *shape, int32_t dim,
                       const double com[3]) {
    double full[3] = {2 * shape->axes[0], 2 * shape->axes[1], 2 * shape->axes[2]}, position[3];
    const char *hull_name = dim == 3 ? "polyhedron" : "polygon";
    bool is_hull = shape->hull.vertex_count > 0;
    json_put(json, "{\"%s\":", is_hull ? hull_name : cn_shape_kind_text(shape->kind));
    switch (shape->kind) {
    case CN_SHAPE_SPHERE:
    case CN_SHAPE_DISK:
    case CN_SHAPE_RING:
        json_put(json, "{\"radius\":%.17g}", shape->radius);
        break;
    case CN_SHAPE_CAPSULE:
    case CN_SHAPE_CYLINDER:
        json_put(json, "{\"radius\":%.17g,\"length\":%.17g}", shape->radius, 2.0 * shape->half);
        break;
    case CN_SHAPE_ELLIPSOID:
    case CN_SHAPE_ELLIPSE:
        json_put(json, "{\"axes\":");
        json_list(json, full, dim);
        json_put(json, "}");
        break;
    case CN_SHAPE_PLANE:
    case CN_SHAPE_LINE:
        json_put(json, "{\"normal\":");
        json_list(json, shape->normal, dim);
        json_put(json, ",\"offset\":%.17g}", shape->offset + math_dot3(shape->normal, com));
        break;
    case CN_SHAPE_BOX:
    case CN_SHAPE_POLYHEDRON:
    case CN_SHAPE_POLYGON:
    case CN_SHAPE_KINDS:
        json_hull(json, &shape->hull, dim, com);
        break;
    }
    math_add_scaled3(shape->position, 1.0, com, position);
    if (!is_hull && shape->kind != CN_SHAPE_PLANE && shape->kind != CN_SHAPE_LINE) {
        json_put(json, ",\"position\":");
        json_list(json, position, dim);
        json_put(json, ",\"axes\":"); // by rows
        json_list(json, shape->R, 9);
    }
    json_put(json, "}");
}

const char *rec_json_shapes(cn_arena *memory, const cn_model *model, int32_t i) {
    const model_body *body = &model->body[i];
    shape_text json = {.failed = false};
    base_buffer_init(&json.text, cn_arena_env(memory));
    json_put(&json, "[");
    for (int32_t k = 0; k < body->shape_count; k++) {
        json_put(&json, k ? "," : "");
        json_shape(&json, &model->shape[body->shape_first + k], model->dim, body->com);
    }
    json_put(&json, "]");
    return json_end(&json, memory);
}
