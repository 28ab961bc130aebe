// record/shape_json.c
#include "record/shape_json.h"

#include "base/arena.h"
#include "base/memory.h"
#include "math/vec3.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Text that grows; failed once, it stays so.
typedef struct cn_json {
    cn_buffer text;
    bool failed;
} cn_json;

static void cn_json_put(cn_json *json, const char *format, ...) CN_PRINTF(2, 3);
static void cn_json_put(cn_json *json, const char *format, ...) {
    char piece[128];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    json->failed =
        json->failed || length < 0 || !cn_buffer_append(&json->text, piece, (size_t)length);
}

static void cn_json_list(cn_json *json, const double *x, int32_t count) {
    cn_json_put(json, "[");
    for (int32_t i = 0; i < count; i++) {
        cn_json_put(json, "%s%.17g", i ? "," : "", x[i] + 0.0);
    }
    cn_json_put(json, "]");
}

// The text in the arena; the buffer is given back.
static const char *cn_json_end(cn_json *json, cn_arena *memory) {
    const char *text =
        json->failed ? NULL : cn_arena_text(memory, (const char *)json->text.data, json->text.size);
    cn_buffer_free(&json->text);
    return text;
}

const char *cn_json_numbers(cn_arena *memory, const double *x, int32_t count) {
    cn_json json = {.failed = false};
    cn_buffer_init(&json.text, cn_arena_env(memory));
    cn_json_list(&json, x, count);
    return cn_json_end(&json, memory);
}

// Corners and faces of a hull, moved from the centre of mass to the body's own frame.
static void cn_json_hull(cn_json *json, const cn_hull *hull, int32_t dim, const double com[3]) {
    cn_json_put(json, "{\"vertices\":[");
    for (int32_t v = 0; v < hull->vertex_count; v++) {
        double x[3];
        cn_add_scaled3(hull->vertex + 3 * (int64_t)v, 1.0, com, x);
        cn_json_put(json, v ? "," : "");
        cn_json_list(json, x, dim);
    }
    cn_json_put(json, "]");
    if (dim == 3) {
        cn_json_put(json, ",\"faces\":[");
        for (int32_t f = 0; f < hull->face_count; f++) {
            cn_json_put(json, f ? ",[" : "[");
            for (int32_t k = hull->face[f]; k < hull->face[f + 1]; k++) {
                cn_json_put(json, "%s%d", k > hull->face[f] ? "," : "", (int)hull->loop[k]);
            }
            cn_json_put(json, "]");
        }
        cn_json_put(json, "]");
    }
    cn_json_put(json, "}");
}

static void cn_json_shape(cn_json *json, const cn_shape *shape, int32_t dim, const double com[3]) {
    double full[3] = {2 * shape->axes[0], 2 * shape->axes[1], 2 * shape->axes[2]}, position[3];
    const char *hull_name = dim == 3 ? "polyhedron" : "polygon";
    bool is_hull = shape->hull.vertex_count > 0;
    cn_json_put(json, "{\"%s\":", is_hull ? hull_name : cn_shape_kind_text(shape->kind));
    switch (shape->kind) {
    case CN_SHAPE_SPHERE:
    case CN_SHAPE_DISK:
    case CN_SHAPE_RING:
        cn_json_put(json, "{\"radius\":%.17g}", shape->radius);
        break;
    case CN_SHAPE_CAPSULE:
    case CN_SHAPE_CYLINDER:
        cn_json_put(json, "{\"radius\":%.17g,\"length\":%.17g}", shape->radius, 2.0 * shape->half);
        break;
    case CN_SHAPE_ELLIPSOID:
    case CN_SHAPE_ELLIPSE:
        cn_json_put(json, "{\"axes\":");
        cn_json_list(json, full, dim);
        cn_json_put(json, "}");
        break;
    case CN_SHAPE_PLANE:
    case CN_SHAPE_LINE:
        cn_json_put(json, "{\"normal\":");
        cn_json_list(json, shape->normal, dim);
        cn_json_put(json, ",\"offset\":%.17g}", shape->offset + cn_dot3(shape->normal, com));
        break;
    case CN_SHAPE_BOX:
    case CN_SHAPE_POLYHEDRON:
    case CN_SHAPE_POLYGON:
    case CN_SHAPE_KINDS:
        cn_json_hull(json, &shape->hull, dim, com);
        break;
    }
    cn_add_scaled3(shape->position, 1.0, com, position);
    if (!is_hull && shape->kind != CN_SHAPE_PLANE && shape->kind != CN_SHAPE_LINE) {
        cn_json_put(json, ",\"position\":");
        cn_json_list(json, position, dim);
        cn_json_put(json, ",\"axes\":"); // by rows
        cn_json_list(json, shape->R, 9);
    }
    cn_json_put(json, "}");
}

const char *cn_json_shapes(cn_arena *memory, const cn_model *model, int32_t i) {
    const cn_body *body = &model->body[i];
    cn_json json = {.failed = false};
    cn_buffer_init(&json.text, cn_arena_env(memory));
    cn_json_put(&json, "[");
    for (int32_t k = 0; k < body->shape_count; k++) {
        cn_json_put(&json, k ? "," : "");
        cn_json_shape(&json, &model->shape[body->shape_first + k], model->dim, body->com);
    }
    cn_json_put(&json, "]");
    return cn_json_end(&json, memory);
}
