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
#include <stdlib.h>
#include <string.h>

enum { CN_GLTF_FLOAT = 5126, CN_GLTF_UNSIGNED = 5125 };
enum { CN_GLTF_VERTICES = 34962, CN_GLTF_INDICES = 34963 };
#define CN_GLTF_MOST ((uint64_t)2 << 30) // bytes; lengths in the file have 32 bits

// A piece of the binary part, as an accessor with a view of its own.
typedef struct cn_accessor {
    size_t offset, bytes;
    int64_t count;
    int32_t kind, target; // target 0: none
    const char *type;     // "SCALAR", "VEC3", "VEC4"
    bool bounded;
    double low[3], high[3];
} cn_accessor;

typedef struct cn_gltf {
    cn_show show;
    cn_bytes data;
    cn_accessor *accessors;
    int32_t accessor_count, accessor_capacity;
    int32_t *mesh;     // of each body: -1 none
    int32_t *mesh_at;  // of each mesh: its first accessor (positions, normals, indices)
    int32_t *material; // of each mesh
    int32_t meshes;
    bool *moves;      // of each body
    int32_t *channel; // of each body: the accessor of its translations; rotations follow
    int64_t frames;
    int32_t times; // accessor
} cn_gltf;

static cn_accessor *cn_gltf_accessor(cn_gltf *gltf, int32_t kind, const char *type) {
    if (gltf->accessor_count == gltf->accessor_capacity) {
        gltf->accessor_capacity = 2 * gltf->accessor_capacity + 16;
        gltf->accessors =
            cn_reallocate(gltf->accessors, gltf->accessor_capacity, sizeof *gltf->accessors);
    }
    cn_accessor *accessor = &gltf->accessors[gltf->accessor_count++];
    *accessor = (cn_accessor){.offset = gltf->data.size, .kind = kind, .type = type};
    return accessor;
}

static void cn_gltf_done(cn_gltf *gltf, cn_accessor *accessor, int64_t count) {
    accessor->count = count;
    accessor->bytes = gltf->data.size - accessor->offset;
}

// ---- meshes ----

static void cn_face_normal(const cn_mesh *mesh, int32_t face, double n[3]) {
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
static void cn_gltf_mesh(cn_gltf *gltf, const cn_mesh *mesh) {
    int32_t first = gltf->accessor_count;
    cn_accessor *at = cn_gltf_accessor(gltf, CN_GLTF_FLOAT, "VEC3");
    at->target = CN_GLTF_VERTICES;
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
            cn_bytes_f32(&gltf->data, x);
        }
    }
    cn_gltf_done(gltf, at, mesh->loop_count);
    at = cn_gltf_accessor(gltf, CN_GLTF_FLOAT, "VEC3");
    at->target = CN_GLTF_VERTICES;
    for (int32_t f = 0; f < mesh->face_count; f++) {
        double n[3];
        cn_face_normal(mesh, f, n);
        for (int32_t i = mesh->face[f]; i < mesh->face[f + 1]; i++) {
            for (int32_t k = 0; k < 3; k++) {
                cn_bytes_f32(&gltf->data, n[k]);
            }
        }
    }
    cn_gltf_done(gltf, at, mesh->loop_count);
    at = cn_gltf_accessor(gltf, CN_GLTF_UNSIGNED, "SCALAR");
    at->target = CN_GLTF_INDICES;
    int64_t indices = 0;
    for (int32_t f = 0; f < mesh->face_count; f++) {
        for (int32_t i = mesh->face[f] + 1; i + 1 < mesh->face[f + 1]; i++) {
            cn_bytes_u32(&gltf->data, (uint32_t)mesh->face[f]);
            cn_bytes_u32(&gltf->data, (uint32_t)i);
            cn_bytes_u32(&gltf->data, (uint32_t)i + 1);
            indices += 3;
        }
    }
    cn_gltf_done(gltf, at, indices);
    gltf->mesh_at[gltf->meshes++] = first;
}

static cn_status cn_gltf_meshes(cn_gltf *gltf, cn_error *error) {
    cn_arena *memory = cn_arena_create(NULL);
    cn_run_body *rows = NULL;
    cn_show *show = &gltf->show;
    cn_status status =
        memory ? cn_run_bodies(show->run, memory, &rows, error) : cn_error_memory(error);
    if (status != CN_OK) {
        cn_arena_destroy(memory);
        return status;
    }
    int32_t *alike = cn_bodies_alike(rows, show->bodies);
    cn_mesh_options options = cn_mesh_options_of(show->model, show->low, show->high);
    for (int32_t i = 0; i < show->bodies; i++) {
        gltf->moves[i] = strcmp(rows[i].kind, "fixed") != 0;
        gltf->mesh[i] = alike[i] < i ? gltf->mesh[alike[i]] : -1;
        if (alike[i] < i) {
            continue;
        }
        cn_mesh mesh = cn_mesh_of_body(show->model, i + 1, &options);
        if (mesh.face_count > 0) {
            gltf->mesh[i] = gltf->meshes;
            gltf->material[gltf->meshes] = strcmp(rows[i].kind, "rigid") == 0 ? 0 : 1;
            cn_gltf_mesh(gltf, &mesh);
        }
        cn_mesh_free(&mesh);
    }
    free(alike);
    cn_arena_destroy(memory);
    return CN_OK;
}

// ---- motion ----

// x y z and the quaternion x y z w of a pose. The sign of the quaternion is that nearest to the
// last one, since players go the straight way between keys; what is not finite repeats the last.
static void cn_gltf_pose(int32_t dim, const double *pose, float last[7]) {
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
static cn_status cn_gltf_motion(cn_gltf *gltf, const int64_t *places, float *last,
                                cn_error *error) {
    cn_show *show = &gltf->show;
    int32_t pose = show->dim == 3 ? 7 : 3, moving = 0;
    for (int32_t i = 0; i < show->bodies; i++) {
        moving += gltf->moves[i] && gltf->mesh[i] >= 0;
    }
    size_t frames = (size_t)gltf->frames, size = sizeof(float) * 7 * frames * (size_t)moving;
    size_t start = gltf->data.size;
    cn_bytes_more(&gltf->data, size);
    cn_status status = CN_OK;
    for (size_t f = 0; status == CN_OK && f < frames; f++) {
        int64_t step;
        double t;
        status = cn_run_frame(show->run, places[f], &step, &t, show->q, show->v, error);
        unsigned char *at = gltf->data.data + start;
        for (int32_t i = 0; status == CN_OK && i < show->bodies; i++) {
            float *own = last + 7 * (int64_t)i;
            cn_gltf_pose(show->dim, show->q + (int64_t)pose * i, own);
            if (gltf->moves[i] && gltf->mesh[i] >= 0) {
                memcpy(at + 12 * f, own, 12);
                memcpy(at + 12 * frames + 16 * f, own + 3, 16);
                at += 28 * frames;
            }
        }
    }
    // Little-endian as the machine is; the accessors lie in the order written.
    for (int32_t i = 0; i < show->bodies; i++) {
        if (!gltf->moves[i] || gltf->mesh[i] < 0) {
            continue;
        }
        gltf->channel[i] = gltf->accessor_count;
        for (int32_t k = 0; k < 2; k++) {
            cn_accessor *at = cn_gltf_accessor(gltf, CN_GLTF_FLOAT, k == 0 ? "VEC3" : "VEC4");
            at->offset = start;
            at->bytes = (k == 0 ? 12 : 16) * frames;
            at->count = gltf->frames;
            start += at->bytes;
        }
    }
    return status;
}

static cn_status cn_gltf_frames(cn_gltf *gltf, const cn_export_job *job, float *last,
                                cn_error *error) {
    const int64_t *steps;
    const double *times;
    int64_t all = cn_run_moments(gltf->show.run, &steps, &times);
    int64_t *places = CN_ALLOCATE(int64_t, all + 1);
    cn_accessor *at = cn_gltf_accessor(gltf, CN_GLTF_FLOAT, "SCALAR");
    gltf->times = gltf->accessor_count - 1;
    at->bounded = true;
    for (int64_t i = 0; i < all; i++) {
        bool wanted = job->last < job->first || (steps[i] >= job->first && steps[i] <= job->last);
        if (wanted) {
            places[gltf->frames++] = i;
            cn_bytes_f32(&gltf->data, times[i]);
        }
    }
    cn_status status = CN_OK;
    if (gltf->frames == 0) {
        *error = (cn_error){.status = CN_ERR_INPUT, .message = "there are no frames to export"};
        status = CN_ERR_INPUT;
    } else {
        at->low[0] = (double)(float)times[places[0]];
        at->high[0] = (double)(float)times[places[gltf->frames - 1]];
        cn_gltf_done(gltf, at, gltf->frames);
        uint64_t bytes = 28 * (uint64_t)gltf->frames * (uint64_t)gltf->show.bodies;
        if (bytes + gltf->data.size > CN_GLTF_MOST) {
            *error = (cn_error){.status = CN_ERR_UNSUPPORTED,
                                .message = "the animation would be larger than 2 GB",
                                .hint = "choose fewer frames with --steps A:B"};
            status = CN_ERR_UNSUPPORTED;
        }
    }
    status = status == CN_OK ? cn_gltf_motion(gltf, places, last, error) : status;
    free(places);
    return status;
}

// ---- the file ----

static void cn_gltf_put_reals(cn_json *json, const char *key, const double *x, int32_t count) {
    cn_put_open(json, key, '[');
    for (int32_t i = 0; i < count; i++) {
        cn_put_real(json, NULL, x[i]);
    }
    cn_put_close(json, ']');
}

static void cn_gltf_put_nodes(const cn_gltf *gltf, cn_json *json, const float *poses) {
    const double root[4] = {-sqrt(0.5), 0.0, 0.0, sqrt(0.5)};
    cn_put_open(json, "nodes", '[');
    cn_put_open(json, NULL, '{');
    cn_put_text(json, "name", "scene");
    if (gltf->show.dim == 3) {
        cn_gltf_put_reals(json, "rotation", root, 4);
    }
    cn_put_open(json, "children", '[');
    for (int32_t i = 0; i < gltf->show.bodies; i++) {
        cn_put_int(json, NULL, i + 1);
    }
    cn_put_close(json, ']');
    cn_put_close(json, '}');
    for (int32_t i = 0; i < gltf->show.bodies; i++) {
        cn_body_info about;
        double pose[7];
        cn_model_body(gltf->show.model, i + 1, &about);
        for (int32_t k = 0; k < 7; k++) {
            pose[k] = (double)poses[7 * (int64_t)i + k];
        }
        char *number = cn_text("body %d", (int)i + 1);
        cn_put_open(json, NULL, '{');
        cn_put_text(json, "name", about.name[0] ? about.name : number);
        if (gltf->mesh[i] >= 0) {
            cn_put_int(json, "mesh", gltf->mesh[i]);
        }
        cn_gltf_put_reals(json, "translation", pose, 3);
        cn_gltf_put_reals(json, "rotation", pose + 3, 4);
        cn_put_close(json, '}');
        free(number);
    }
    cn_put_close(json, ']');
}

static void cn_gltf_put_meshes(const cn_gltf *gltf, cn_json *json) {
    static const double colours[2][4] = {{0.72, 0.70, 0.66, 1.0}, {0.45, 0.47, 0.49, 1.0}};
    cn_put_open(json, "meshes", '[');
    for (int32_t i = 0; i < gltf->meshes; i++) {
        cn_put_open(json, NULL, '{');
        cn_put_open(json, "primitives", '[');
        cn_put_open(json, NULL, '{');
        cn_put_open(json, "attributes", '{');
        cn_put_int(json, "POSITION", gltf->mesh_at[i]);
        cn_put_int(json, "NORMAL", gltf->mesh_at[i] + 1);
        cn_put_close(json, '}');
        cn_put_int(json, "indices", gltf->mesh_at[i] + 2);
        cn_put_int(json, "material", gltf->material[i]);
        cn_put_close(json, '}');
        cn_put_close(json, ']');
        cn_put_close(json, '}');
    }
    cn_put_close(json, ']');
    cn_put_open(json, "materials", '[');
    for (int32_t i = 0; i < 2; i++) {
        cn_put_open(json, NULL, '{');
        cn_put_text(json, "name", i == 0 ? "moving" : "fixed or driven");
        cn_put_bool(json, "doubleSided", true);
        cn_put_open(json, "pbrMetallicRoughness", '{');
        cn_gltf_put_reals(json, "baseColorFactor", colours[i], 4);
        cn_put_real(json, "metallicFactor", 0.0);
        cn_put_real(json, "roughnessFactor", 0.8);
        cn_put_close(json, '}');
        cn_put_close(json, '}');
    }
    cn_put_close(json, ']');
}

static void cn_gltf_put_animation(const cn_gltf *gltf, cn_json *json) {
    static const char *const paths[2] = {"translation", "rotation"};
    int32_t moving = 0;
    for (int32_t i = 0; i < gltf->show.bodies; i++) {
        moving += gltf->channel[i] > 0;
    }
    if (moving == 0) {
        return;
    }
    cn_put_open(json, "animations", '[');
    cn_put_open(json, NULL, '{');
    cn_put_open(json, "samplers", '[');
    for (int32_t i = 0; i < gltf->show.bodies; i++) {
        for (int32_t k = 0; gltf->channel[i] > 0 && k < 2; k++) {
            cn_put_open(json, NULL, '{');
            cn_put_int(json, "input", gltf->times);
            cn_put_int(json, "output", gltf->channel[i] + k);
            cn_put_close(json, '}');
        }
    }
    cn_put_close(json, ']');
    cn_put_open(json, "channels", '[');
    for (int32_t i = 0, sampler = 0; i < gltf->show.bodies; i++) {
        for (int32_t k = 0; gltf->channel[i] > 0 && k < 2; k++) {
            cn_put_open(json, NULL, '{');
            cn_put_int(json, "sampler", sampler++);
            cn_put_open(json, "target", '{');
            cn_put_int(json, "node", i + 1);
            cn_put_text(json, "path", paths[k]);
            cn_put_close(json, '}');
            cn_put_close(json, '}');
        }
    }
    cn_put_close(json, ']');
    cn_put_close(json, '}');
    cn_put_close(json, ']');
}

static void cn_gltf_put_accessors(const cn_gltf *gltf, cn_json *json) {
    cn_put_open(json, "accessors", '[');
    for (int32_t i = 0; i < gltf->accessor_count; i++) {
        const cn_accessor *at = &gltf->accessors[i];
        int32_t bounds = strcmp(at->type, "SCALAR") == 0 ? 1 : 3;
        cn_put_open(json, NULL, '{');
        cn_put_int(json, "bufferView", i);
        cn_put_int(json, "componentType", at->kind);
        cn_put_int(json, "count", at->count);
        cn_put_text(json, "type", at->type);
        if (at->bounded) {
            cn_gltf_put_reals(json, "min", at->low, bounds);
            cn_gltf_put_reals(json, "max", at->high, bounds);
        }
        cn_put_close(json, '}');
    }
    cn_put_close(json, ']');
    cn_put_open(json, "bufferViews", '[');
    for (int32_t i = 0; i < gltf->accessor_count; i++) {
        const cn_accessor *at = &gltf->accessors[i];
        cn_put_open(json, NULL, '{');
        cn_put_int(json, "buffer", 0);
        cn_put_int(json, "byteOffset", (int64_t)at->offset);
        cn_put_int(json, "byteLength", (int64_t)at->bytes);
        if (at->target) {
            cn_put_int(json, "target", at->target);
        }
        cn_put_close(json, '}');
    }
    cn_put_close(json, ']');
    cn_put_open(json, "buffers", '[');
    cn_put_open(json, NULL, '{');
    cn_put_int(json, "byteLength", (int64_t)gltf->data.size);
    cn_put_close(json, '}');
    cn_put_close(json, ']');
}

static void cn_gltf_json(const cn_gltf *gltf, const float *poses, FILE *out) {
    cn_json json = cn_put_start(out);
    cn_put_open(&json, NULL, '{');
    cn_put_open(&json, "asset", '{');
    cn_put_text(&json, "version", "2.0");
    cn_put_text(&json, "generator", "cairn");
    cn_put_close(&json, '}');
    cn_put_int(&json, "scene", 0);
    cn_put_open(&json, "scenes", '[');
    cn_put_open(&json, NULL, '{');
    cn_put_open(&json, "nodes", '[');
    cn_put_int(&json, NULL, 0);
    cn_put_close(&json, ']');
    cn_put_close(&json, '}');
    cn_put_close(&json, ']');
    cn_gltf_put_nodes(gltf, &json, poses);
    cn_gltf_put_meshes(gltf, &json);
    cn_gltf_put_animation(gltf, &json);
    cn_gltf_put_accessors(gltf, &json);
    cn_put_close(&json, '}');
}

// Header, JSON filled up with blanks, binary part.
static int cn_gltf_save(const cn_gltf *gltf, const float *poses, const char *path) {
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) {
        return cn_report_failure("out of memory");
    }
    cn_gltf_json(gltf, poses, memory);
    fclose(memory);
    cn_bytes head = {0}, middle = {0};
    size_t filled = (size + 3) / 4 * 4, whole = 12 + 8 + filled + 8 + gltf->data.size;
    cn_bytes_put(&head, "glTF", 4);
    cn_bytes_u32(&head, 2);
    cn_bytes_u32(&head, (uint32_t)whole);
    cn_bytes_u32(&head, (uint32_t)filled);
    cn_bytes_put(&head, "JSON", 4);
    cn_bytes_put(&head, text, size);
    cn_bytes_put(&head, "   ", filled - size);
    cn_bytes_u32(&middle, (uint32_t)gltf->data.size);
    cn_bytes_put(&middle, "BIN", 4);
    cn_output out;
    int code = CN_EXIT_FAILURE;
    if (cn_output_open(&out, path)) {
        fwrite(head.data, 1, head.size, out.file);
        fwrite(middle.data, 1, middle.size, out.file);
        fwrite(gltf->data.data, 1, gltf->data.size, out.file);
        code = cn_output_close(&out);
    }
    cn_bytes_free(&head);
    cn_bytes_free(&middle);
    free(text);
    return code;
}

int cn_export_gltf(const cn_export_job *job, cn_recorded *recorded) {
    cn_gltf gltf = {.frames = 0};
    cn_error error = {.status = CN_OK};
    if (cn_show_open(recorded->path, &gltf.show, &error) != CN_OK) {
        return cn_report_error_in(&error, recorded->path);
    }
    int64_t bodies = gltf.show.bodies;
    float *poses = CN_ALLOCATE(float, 7 * bodies + 1);
    gltf.mesh = CN_ALLOCATE(int32_t, bodies + 1);
    gltf.mesh_at = CN_ALLOCATE(int32_t, bodies + 1);
    gltf.material = CN_ALLOCATE(int32_t, bodies + 1);
    gltf.moves = CN_ALLOCATE(bool, bodies + 1);
    gltf.channel = CN_ALLOCATE(int32_t, bodies + 1);
    for (int64_t i = 0; i < bodies; i++) {
        poses[7 * i + 6] = 1.0f;
    }
    cn_status status = cn_gltf_meshes(&gltf, &error);
    status = status == CN_OK ? cn_gltf_frames(&gltf, job, poses, &error) : status;
    int code = status == CN_OK ? cn_gltf_save(&gltf, poses, job->folder)
                               : cn_report_error_in(&error, recorded->path);
    if (code == CN_EXIT_DONE && !job->quiet) {
        cn_say(stdout, "%s: %d bodies, %lld frames, %.2f MB\n", job->folder, (int)bodies,
               (long long)gltf.frames, 1e-6 * (double)gltf.data.size);
    }
    free(poses);
    free(gltf.mesh);
    free(gltf.mesh_at);
    free(gltf.material);
    free(gltf.moves);
    free(gltf.channel);
    free(gltf.accessors);
    cn_bytes_free(&gltf.data);
    cn_show_close(&gltf.show);
    return code;
}
