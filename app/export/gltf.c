// app/export/gltf.c
// A run as an animation: binary glTF 2.0 (.glb). Bodies with the same shapes share a mesh; each
// body is a node, and those that move have channels for translation and rotation with a key a
// frame. Up is +y in glTF, so a root node turns the scene's +z there.
#include "export/export.h"

#include "draw/mesh.h"
#include "support/bytes.h"
#include "support/json.h"
#include "support/support.h"
#include "support/terminal.h"
#include "web/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GLTF_FLOAT = 5126, GLTF_UNSIGNED = 5125 };
enum { GLTF_VERTICES = 34962, GLTF_INDICES = 34963 };
#define GLTF_MAX ((uint64_t)2 << 30) // bytes; lengths in the file have 32 bits

// A piece of the binary part, as an accessor with a view of its own.
typedef struct gltf_accessor {
    size_t offset, bytes;
    int64_t count;
    int32_t kind, target; // target 0: none
    const char *type;     // "SCALAR", "VEC3", "VEC4"
    bool bounded;
    double low[3], high[3];
} gltf_accessor;

typedef struct gltf_writer {
    replay_file replay;
    byte_buffer data;
    gltf_accessor *accessors;
    int32_t accessor_count, accessor_capacity;
    int32_t *mesh;     // of each body: -1 none
    int32_t *mesh_at;  // of each mesh: its first accessor (positions, normals, indices)
    int32_t *material; // of each mesh
    int32_t meshes;
    bool *moves;      // of each body
    int32_t *channel; // of each body: the accessor of its translations; rotations follow
    int64_t frames;
    int32_t times; // accessor
} gltf_writer;

static gltf_accessor *gltf_add_accessor(gltf_writer *gltf, int32_t kind, const char *type) {
    if (gltf->accessor_count == gltf->accessor_capacity) {
        gltf->accessor_capacity = 2 * gltf->accessor_capacity + 16;
        gltf->accessors =
            reallocate(gltf->accessors, gltf->accessor_capacity, sizeof *gltf->accessors);
    }
    gltf_accessor *accessor = &gltf->accessors[gltf->accessor_count++];
    *accessor = (gltf_accessor){.offset = gltf->data.size, .kind = kind, .type = type};
    return accessor;
}

static void gltf_done(gltf_writer *gltf, gltf_accessor *accessor, int64_t count) {
    accessor->count = count;
    accessor->bytes = gltf->data.size - accessor->offset;
}

// ---- meshes ----

static void face_normal(const surface_mesh *mesh, int32_t face, double n[3]) {
    const int32_t *loop = mesh->loop + mesh->face[face];
    int32_t count = mesh->face[face + 1] - mesh->face[face];
    n[0] = n[1] = n[2] = 0.0;
    // Newell: the sum over edges, right for any flat polygon.
    for (int32_t i = 0; i < count; i++) {
        const double *a = mesh->points + 3 * (int64_t)loop[i],
                     *b = mesh->points + 3 * (int64_t)loop[(i + 1) % count];
        n[0] += (a[1] - b[1]) * (a[2] + b[2]);
        n[1] += (a[2] - b[2]) * (a[0] + b[0]);
        n[2] += (a[0] - b[0]) * (a[1] + b[1]);
    }
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int32_t k = 0; k < 3; k++) {
        n[k] = length > 0.0 ? n[k] / length : k == 2;
    }
}

// Corners are repeated for each face, so that faces are flat; a polygon becomes a fan.
static void gltf_mesh(gltf_writer *gltf, const surface_mesh *mesh) {
    int32_t first = gltf->accessor_count;
    gltf_accessor *at = gltf_add_accessor(gltf, GLTF_FLOAT, "VEC3");
    at->target = GLTF_VERTICES;
    at->bounded = true;
    for (int32_t k = 0; k < 3; k++) {
        at->low[k] = (double)INFINITY;
        at->high[k] = -(double)INFINITY;
    }
    for (int32_t i = 0; i < mesh->loop_count; i++) {
        for (int32_t k = 0; k < 3; k++) {
            double x = (double)(float)mesh->points[3 * (int64_t)mesh->loop[i] + k];
            at->low[k] = fmin(at->low[k], x);
            at->high[k] = fmax(at->high[k], x);
            bytes_f32(&gltf->data, x);
        }
    }
    gltf_done(gltf, at, mesh->loop_count);
    at = gltf_add_accessor(gltf, GLTF_FLOAT, "VEC3");
    at->target = GLTF_VERTICES;
    for (int32_t f = 0; f < mesh->face_count; f++) {
        double n[3];
        face_normal(mesh, f, n);
        for (int32_t i = mesh->face[f]; i < mesh->face[f + 1]; i++) {
            for (int32_t k = 0; k < 3; k++) {
                bytes_f32(&gltf->data, n[k]);
            }
        }
    }
    gltf_done(gltf, at, mesh->loop_count);
    at = gltf_add_accessor(gltf, GLTF_UNSIGNED, "SCALAR");
    at->target = GLTF_INDICES;
    int64_t indices = 0;
    for (int32_t f = 0; f < mesh->face_count; f++) {
        for (int32_t i = mesh->face[f] + 1; i + 1 < mesh->face[f + 1]; i++) {
            bytes_u32(&gltf->data, (uint32_t)mesh->face[f]);
            bytes_u32(&gltf->data, (uint32_t)i);
            bytes_u32(&gltf->data, (uint32_t)i + 1);
            indices += 3;
        }
    }
    gltf_done(gltf, at, indices);
    gltf->mesh_at[gltf->meshes++] = first;
}

// Nodes of glTF move as a whole, so a body whose shape changes cannot be one of them.
static cn_status gltf_refuse(const cn_run_body *rows, int32_t count, cn_error *error) {
    int32_t deformable = 0, first = 0;
    for (int32_t i = count - 1; i >= 0; i--) {
        if (strcmp(rows[i].kind, "deformable") == 0) {
            deformable++;
            first = i;
        }
    }
    if (deformable == 0) {
        return CN_OK;
    }
    *error = (cn_error){.status = CN_ERR_UNSUPPORTED};
    snprintf(error->message, sizeof error->message,
             "body %d (%.60s) is deformable, one of %d; the glTF files have rigid bodies only",
             (int)first + 1, rows[first].name, (int)deformable);
    snprintf(error->hint, sizeof error->hint,
             "--to pvd writes the deformed meshes for ParaView, --to html draws them");
    return CN_ERR_UNSUPPORTED;
}

static cn_status gltf_meshes(gltf_writer *gltf, cn_error *error) {
    cn_arena *memory = cn_arena_create(NULL);
    cn_run_body *rows = NULL;
    replay_file *replay = &gltf->replay;
    cn_status status =
        memory ? cn_run_bodies(replay->run, memory, &rows, error) : error_memory(error);
    status = status == CN_OK ? gltf_refuse(rows, replay->bodies, error) : status;
    if (status != CN_OK) {
        cn_arena_destroy(memory);
        return status;
    }
    int32_t *alike = bodies_alike(rows, replay->bodies);
    mesh_options options = mesh_options_of(replay->model, replay->low, replay->high);
    for (int32_t i = 0; i < replay->bodies; i++) {
        gltf->moves[i] = strcmp(rows[i].kind, "fixed") != 0;
        gltf->mesh[i] = alike[i] < i ? gltf->mesh[alike[i]] : -1;
        if (alike[i] < i) {
            continue;
        }
        surface_mesh mesh = mesh_of_body(replay->model, i + 1, &options);
        if (mesh.face_count > 0) {
            gltf->mesh[i] = gltf->meshes;
            gltf->material[gltf->meshes] = strcmp(rows[i].kind, "rigid") == 0 ? 0 : 1;
            gltf_mesh(gltf, &mesh);
        }
        mesh_free(&mesh);
    }
    free(alike);
    cn_arena_destroy(memory);
    return CN_OK;
}

// ---- motion ----

// x y z and the quaternion x y z w of a pose. The sign of the quaternion is that nearest to the
// last one, since players go the straight way between keys; what is not finite repeats the last.
static void gltf_pose(int32_t dim, const double *pose, float last[7]) {
    double now[7] = {pose[0], pose[1], 0.0, 0.0, 0.0, 0.0, 1.0}, sum = 0.0, dot = 0.0;
    if (dim == 2) {
        now[5] = sin(0.5 * pose[2]);
        now[6] = cos(0.5 * pose[2]);
    } else {
        const double turned[5] = {pose[2], pose[4], pose[5], pose[6], pose[3]};
        memcpy(now + 2, turned, sizeof turned);
    }
    for (int32_t k = 0; k < 7; k++) {
        sum += now[k];
        dot += k >= 3 ? now[k] * (double)last[k] : 0.0;
    }
    for (int32_t k = 0; isfinite(sum) && k < 7; k++) {
        last[k] = (float)(k >= 3 && dot < 0.0 ? -now[k] : now[k]);
    }
}

// Rows of numbers of all frames, body after body, into the binary part.
static cn_status gltf_motion(gltf_writer *gltf, const int64_t *places, float *last,
                             cn_error *error) {
    replay_file *replay = &gltf->replay;
    int32_t pose = replay->dim == 3 ? 7 : 3, moving = 0;
    for (int32_t i = 0; i < replay->bodies; i++) {
        moving += gltf->moves[i] && gltf->mesh[i] >= 0;
    }
    size_t frames = (size_t)gltf->frames, size = sizeof(float) * 7 * frames * (size_t)moving;
    size_t start = gltf->data.size;
    bytes_more(&gltf->data, size);
    cn_status status = CN_OK;
    for (size_t f = 0; status == CN_OK && f < frames; f++) {
        int64_t step;
        double t;
        status = cn_run_frame(replay->run, places[f], &step, &t, replay->q, replay->v, error);
        unsigned char *at = gltf->data.data + start;
        for (int32_t i = 0; status == CN_OK && i < replay->bodies; i++) {
            float *own = last + 7 * (int64_t)i;
            gltf_pose(replay->dim, replay->q + (int64_t)pose * i, own);
            if (gltf->moves[i] && gltf->mesh[i] >= 0) {
                memcpy(at + 12 * f, own, 12);
                memcpy(at + 12 * frames + 16 * f, own + 3, 16);
                at += 28 * frames;
            }
        }
    }
    // Little-endian as the machine is; the accessors lie in the order written.
    for (int32_t i = 0; i < replay->bodies; i++) {
        if (!gltf->moves[i] || gltf->mesh[i] < 0) {
            continue;
        }
        gltf->channel[i] = gltf->accessor_count;
        for (int32_t k = 0; k < 2; k++) {
            gltf_accessor *at = gltf_add_accessor(gltf, GLTF_FLOAT, k == 0 ? "VEC3" : "VEC4");
            at->offset = start;
            at->bytes = (k == 0 ? 12 : 16) * frames;
            at->count = gltf->frames;
            start += at->bytes;
        }
    }
    return status;
}

static cn_status gltf_frames(gltf_writer *gltf, const export_job *job, float *last,
                             cn_error *error) {
    const int64_t *steps;
    const double *times;
    int64_t all = cn_run_moments(gltf->replay.run, &steps, &times);
    int64_t *places = ALLOCATE(int64_t, all + 1);
    gltf_accessor *at = gltf_add_accessor(gltf, GLTF_FLOAT, "SCALAR");
    gltf->times = gltf->accessor_count - 1;
    at->bounded = true;
    for (int64_t i = 0; i < all; i++) {
        bool wanted = job->last < job->first || (steps[i] >= job->first && steps[i] <= job->last);
        if (wanted) {
            places[gltf->frames++] = i;
            bytes_f32(&gltf->data, times[i]);
        }
    }
    cn_status status = CN_OK;
    if (gltf->frames == 0) {
        *error = (cn_error){.status = CN_ERR_INPUT, .message = "there are no frames to export"};
        status = CN_ERR_INPUT;
    } else {
        at->low[0] = (double)(float)times[places[0]];
        at->high[0] = (double)(float)times[places[gltf->frames - 1]];
        gltf_done(gltf, at, gltf->frames);
        uint64_t bytes = 28 * (uint64_t)gltf->frames * (uint64_t)gltf->replay.bodies;
        if (bytes + gltf->data.size > GLTF_MAX) {
            *error = (cn_error){.status = CN_ERR_UNSUPPORTED,
                                .message = "the animation would be larger than 2 GB",
                                .hint = "choose fewer frames with --steps A:B"};
            status = CN_ERR_UNSUPPORTED;
        }
    }
    if (status == CN_OK) {
        status = gltf_motion(gltf, places, last, error);
    }
    free(places);
    return status;
}

// ---- the file ----

static void gltf_put_reals(json_writer *json, const char *key, const double *x, int32_t count) {
    put_open(json, key, '[');
    for (int32_t i = 0; i < count; i++) {
        put_real(json, NULL, x[i]);
    }
    put_close(json, ']');
}

static void gltf_put_nodes(const gltf_writer *gltf, json_writer *json, const float *poses) {
    const double root[4] = {-sqrt(0.5), 0.0, 0.0, sqrt(0.5)};
    put_open(json, "nodes", '[');
    put_open(json, NULL, '{');
    put_text(json, "name", "scene");
    if (gltf->replay.dim == 3) {
        gltf_put_reals(json, "rotation", root, 4);
    }
    put_open(json, "children", '[');
    for (int32_t i = 0; i < gltf->replay.bodies; i++) {
        put_int(json, NULL, i + 1);
    }
    put_close(json, ']');
    put_close(json, '}');
    for (int32_t i = 0; i < gltf->replay.bodies; i++) {
        cn_body_info about;
        double pose[7];
        cn_model_body(gltf->replay.model, i + 1, &about);
        for (int32_t k = 0; k < 7; k++) {
            pose[k] = (double)poses[7 * (int64_t)i + k];
        }
        char *number = format_text("body %d", (int)i + 1);
        put_open(json, NULL, '{');
        put_text(json, "name", about.name[0] ? about.name : number);
        if (gltf->mesh[i] >= 0) {
            put_int(json, "mesh", gltf->mesh[i]);
        }
        gltf_put_reals(json, "translation", pose, 3);
        gltf_put_reals(json, "rotation", pose + 3, 4);
        put_close(json, '}');
        free(number);
    }
    put_close(json, ']');
}

static void gltf_put_meshes(const gltf_writer *gltf, json_writer *json) {
    static const double colours[2][4] = {{0.72, 0.70, 0.66, 1.0}, {0.45, 0.47, 0.49, 1.0}};
    put_open(json, "meshes", '[');
    for (int32_t i = 0; i < gltf->meshes; i++) {
        put_open(json, NULL, '{');
        put_open(json, "primitives", '[');
        put_open(json, NULL, '{');
        put_open(json, "attributes", '{');
        put_int(json, "POSITION", gltf->mesh_at[i]);
        put_int(json, "NORMAL", gltf->mesh_at[i] + 1);
        put_close(json, '}');
        put_int(json, "indices", gltf->mesh_at[i] + 2);
        put_int(json, "material", gltf->material[i]);
        put_close(json, '}');
        put_close(json, ']');
        put_close(json, '}');
    }
    put_close(json, ']');
    put_open(json, "materials", '[');
    for (int32_t i = 0; i < 2; i++) {
        put_open(json, NULL, '{');
        put_text(json, "name", i == 0 ? "moving" : "fixed or driven");
        put_bool(json, "doubleSided", true);
        put_open(json, "pbrMetallicRoughness", '{');
        gltf_put_reals(json, "baseColorFactor", colours[i], 4);
        put_real(json, "metallicFactor", 0.0);
        put_real(json, "roughnessFactor", 0.8);
        put_close(json, '}');
        put_close(json, '}');
    }
    put_close(json, ']');
}

static void gltf_put_animation(const gltf_writer *gltf, json_writer *json) {
    static const char *const paths[2] = {"translation", "rotation"};
    int32_t moving = 0;
    for (int32_t i = 0; i < gltf->replay.bodies; i++) {
        moving += gltf->channel[i] > 0;
    }
    if (moving == 0) {
        return;
    }
    put_open(json, "animations", '[');
    put_open(json, NULL, '{');
    put_open(json, "samplers", '[');
    for (int32_t i = 0; i < gltf->replay.bodies; i++) {
        for (int32_t k = 0; gltf->channel[i] > 0 && k < 2; k++) {
            put_open(json, NULL, '{');
            put_int(json, "input", gltf->times);
            put_int(json, "output", gltf->channel[i] + k);
            put_close(json, '}');
        }
    }
    put_close(json, ']');
    put_open(json, "channels", '[');
    for (int32_t i = 0, sampler = 0; i < gltf->replay.bodies; i++) {
        for (int32_t k = 0; gltf->channel[i] > 0 && k < 2; k++) {
            put_open(json, NULL, '{');
            put_int(json, "sampler", sampler++);
            put_open(json, "target", '{');
            put_int(json, "node", i + 1);
            put_text(json, "path", paths[k]);
            put_close(json, '}');
            put_close(json, '}');
        }
    }
    put_close(json, ']');
    put_close(json, '}');
    put_close(json, ']');
}

static void gltf_put_accessors(const gltf_writer *gltf, json_writer *json) {
    put_open(json, "accessors", '[');
    for (int32_t i = 0; i < gltf->accessor_count; i++) {
        const gltf_accessor *at = &gltf->accessors[i];
        int32_t bounds = strcmp(at->type, "SCALAR") == 0 ? 1 : 3;
        put_open(json, NULL, '{');
        put_int(json, "bufferView", i);
        put_int(json, "componentType", at->kind);
        put_int(json, "count", at->count);
        put_text(json, "type", at->type);
        if (at->bounded) {
            gltf_put_reals(json, "min", at->low, bounds);
            gltf_put_reals(json, "max", at->high, bounds);
        }
        put_close(json, '}');
    }
    put_close(json, ']');
    put_open(json, "bufferViews", '[');
    for (int32_t i = 0; i < gltf->accessor_count; i++) {
        const gltf_accessor *at = &gltf->accessors[i];
        put_open(json, NULL, '{');
        put_int(json, "buffer", 0);
        put_int(json, "byteOffset", (int64_t)at->offset);
        put_int(json, "byteLength", (int64_t)at->bytes);
        if (at->target) {
            put_int(json, "target", at->target);
        }
        put_close(json, '}');
    }
    put_close(json, ']');
    put_open(json, "buffers", '[');
    put_open(json, NULL, '{');
    put_int(json, "byteLength", (int64_t)gltf->data.size);
    put_close(json, '}');
    put_close(json, ']');
}

static void gltf_json(const gltf_writer *gltf, const float *poses, FILE *out) {
    json_writer json = put_start(out);
    put_open(&json, NULL, '{');
    put_open(&json, "asset", '{');
    put_text(&json, "version", "2.0");
    put_text(&json, "generator", "cairn");
    put_close(&json, '}');
    put_int(&json, "scene", 0);
    put_open(&json, "scenes", '[');
    put_open(&json, NULL, '{');
    put_open(&json, "nodes", '[');
    put_int(&json, NULL, 0);
    put_close(&json, ']');
    put_close(&json, '}');
    put_close(&json, ']');
    gltf_put_nodes(gltf, &json, poses);
    gltf_put_meshes(gltf, &json);
    gltf_put_animation(gltf, &json);
    gltf_put_accessors(gltf, &json);
    put_close(&json, '}');
}

// Header, JSON filled up with blanks, binary part.
static int gltf_save(const gltf_writer *gltf, const float *poses, const char *path) {
    char *text = NULL;
    size_t size;
    FILE *memory = text_stream_open(&text, &size);
    gltf_json(gltf, poses, memory);
    text_stream_close(memory, &text);
    byte_buffer head = {0}, middle = {0};
    size_t filled = (size + 3) / 4 * 4, whole = 12 + 8 + filled + 8 + gltf->data.size;
    bytes_put(&head, "glTF", 4);
    bytes_u32(&head, 2);
    bytes_u32(&head, (uint32_t)whole);
    bytes_u32(&head, (uint32_t)filled);
    bytes_put(&head, "JSON", 4);
    bytes_put(&head, text, size);
    bytes_put(&head, "   ", filled - size);
    bytes_u32(&middle, (uint32_t)gltf->data.size);
    bytes_put(&middle, "BIN", 4);
    output_file out;
    int code = EXIT_FAILED;
    if (output_open(&out, path)) {
        fwrite(head.data, 1, head.size, out.file);
        fwrite(middle.data, 1, middle.size, out.file);
        fwrite(gltf->data.data, 1, gltf->data.size, out.file);
        code = output_close(&out);
    }
    bytes_free(&head);
    bytes_free(&middle);
    free(text);
    return code;
}

int export_gltf(const export_job *job, recorded_run *recorded) {
    gltf_writer gltf = {.frames = 0};
    cn_error error = {.status = CN_OK};
    if (replay_open(recorded->path, &gltf.replay, &error) != CN_OK) {
        return report_error_in(&error, recorded->path);
    }
    int64_t bodies = gltf.replay.bodies;
    float *poses = ALLOCATE(float, 7 * bodies + 1);
    gltf.mesh = ALLOCATE(int32_t, bodies + 1);
    gltf.mesh_at = ALLOCATE(int32_t, bodies + 1);
    gltf.material = ALLOCATE(int32_t, bodies + 1);
    gltf.moves = ALLOCATE(bool, bodies + 1);
    gltf.channel = ALLOCATE(int32_t, bodies + 1);
    for (int64_t i = 0; i < bodies; i++) {
        poses[7 * i + 6] = 1.0f;
    }
    cn_status status = gltf_meshes(&gltf, &error);
    status = status == CN_OK ? gltf_frames(&gltf, job, poses, &error) : status;
    int code = status == CN_OK ? gltf_save(&gltf, poses, job->folder)
                               : report_error_in(&error, recorded->path);
    if (code == EXIT_DONE && !job->quiet) {
        print_format(stdout, "%s: %d bodies, %lld frames, %.2f MB\n", job->folder, (int)bodies,
                     (long long)gltf.frames, 1e-6 * (double)gltf.data.size);
    }
    free(poses);
    free(gltf.mesh);
    free(gltf.mesh_at);
    free(gltf.material);
    free(gltf.moves);
    free(gltf.channel);
    free(gltf.accessors);
    bytes_free(&gltf.data);
    replay_close(&gltf.replay);
    return code;
}
