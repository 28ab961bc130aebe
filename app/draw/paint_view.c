// app/draw/paint_view.c
// Poses, the camera, what of the world a picture shows, and the tones of bodies; see paint.h.
#include "draw/paint.h"

#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AZIMUTH 0.5      // [rad] from the front to the right
#define ELEVATION 0.35   // [rad] from above
#define STRAY_SHARE 0.02 // of the bodies and moments at each end may be left outside
#define STRAY_GAIN 1.5   // when that makes the picture so many times larger,
#define STRAY_GAP 0.2    // and they are farther from the rest than this share of its range
#define MARGIN 0.04      // of the larger side, around all
#define FIXED_REACH 0.25 // fixed bodies are shown up to this share beyond the moving ones

// ---- poses and camera ----

body_pose pose_of(int32_t dim, const double *q, cn_body_id body) {
    body_pose pose = {.R = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    if (dim == 2) {
        const double *p = q + 3 * ((int64_t)body - 1);
        double c = cos(p[2]), s = sin(p[2]);
        return (body_pose){.x = {p[0], p[1], 0.0}, .R = {c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0}};
    }
    const double *p = q + 7 * ((int64_t)body - 1);
    double w = p[3], x = p[4], y = p[5], z = p[6];
    const double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(pose.x, p, sizeof pose.x);
    memcpy(pose.R, R, sizeof R);
    return pose;
}

void pose_apply(const body_pose *pose, const double local[3], double world[3]) {
    double out[3];
    for (int32_t i = 0; i < 3; i++) {
        out[i] = pose->x[i] + pose->R[3 * i] * local[0] + pose->R[3 * i + 1] * local[1] +
                 pose->R[3 * i + 2] * local[2];
    }
    memcpy(world, out, sizeof out);
}

view_camera view_camera_of(const cn_model *model) {
    if (cn_model_dim(model) == 2) {
        return (view_camera){
            .right = {1.0, 0.0, 0.0}, .up = {0.0, 1.0, 0.0}, .toward = {0, 0, 1.0}};
    }
    // cn_model_settings is for building; here it is only looked at.
    const double *gravity = cn_model_settings((cn_model *)model)->gravity;
    int32_t high = 2;
    for (int32_t k = 0; k < 3; k++) {
        high = fabs(gravity[k]) > fabs(gravity[high]) ? k : high;
    }
    int32_t side = (high + 1) % 3, back = (high + 2) % 3;
    double sign = gravity[high] > 0.0 ? -1.0 : 1.0; // with gravity upwards the world hangs
    view_camera camera = {.right = {0.0}};
    camera.right[side] = cos(AZIMUTH);
    camera.right[back] = sin(AZIMUTH) * sign;
    camera.toward[side] = cos(ELEVATION) * sin(AZIMUTH);
    camera.toward[back] = -cos(ELEVATION) * cos(AZIMUTH) * sign;
    camera.toward[high] = sin(ELEVATION) * sign;
    const double *t = camera.toward, *r = camera.right;
    camera.up[0] = t[1] * r[2] - t[2] * r[1];
    camera.up[1] = t[2] * r[0] - t[0] * r[2];
    camera.up[2] = t[0] * r[1] - t[1] * r[0];
    return camera;
}

void view_camera_project(const view_camera *camera, const double world[3], double seen[3]) {
    const double *const axes[3] = {camera->right, camera->up, camera->toward};
    for (int32_t i = 0; i < 3; i++) {
        seen[i] = axes[i][0] * world[0] + axes[i][1] * world[1] + axes[i][2] * world[2];
    }
}

void node_world(int32_t dim, const picture_still *still, const cn_mesh_info *mesh, int32_t node,
                double world[3]) {
    const double *x = still->nodes + dim * ((int64_t)mesh->first_node + node);
    world[0] = x[0];
    world[1] = x[1];
    world[2] = dim == 3 ? x[2] : 0.0;
}

bool body_moves(const cn_body_info *body) {
    return strcmp(body->kind, "rigid") == 0 || strcmp(body->kind, "deformable") == 0;
}

// ---- extent ----

// Numbers gathered one by one: a low and a high end each time.
typedef struct interval {
    double *low, *high;
    int64_t count;
} interval;

// The range that holds all, or all but the stray share where few are far out.
static void interval_range(interval *ends, double *low, double *high) {
    *low = -1.0;
    *high = 1.0;
    if (ends->count > 0) {
        int64_t stray = (int64_t)(STRAY_SHARE * (double)ends->count), last = ends->count - 1;
        qsort(ends->low, (size_t)ends->count, sizeof *ends->low, compare_reals);
        qsort(ends->high, (size_t)ends->count, sizeof *ends->high, compare_reals);
        *low = ends->low[stray];
        *high = ends->high[last - stray];
        double range = *high - *low;
        bool all = ends->high[last] - ends->low[0] <= STRAY_GAIN * range;
        double near = all ? HUGE_VAL : STRAY_GAP * range;
        for (int64_t i = stray - 1; i >= 0 && *low - ends->low[i] <= near; i--) {
            *low = ends->low[i];
        }
        for (int64_t i = last - stray + 1; i <= last && ends->high[i] - *high <= near; i++) {
            *high = ends->high[i];
        }
    }
    free(ends->low);
    free(ends->high);
}

static void ends_start(double low[5], double high[5]) {
    for (int32_t k = 0; k < 5; k++) {
        low[k] = HUGE_VAL;
        high[k] = -HUGE_VAL;
    }
}

// Takes in a point and what is within reach of it.
static void ends_add(const view_camera *camera, const double center[3], double reach, double low[5],
                     double high[5]) {
    double seen[3];
    view_camera_project(camera, center, seen);
    const double at[5] = {center[0], center[1], center[2], seen[0], seen[1]};
    for (int32_t k = 0; k < 5; k++) {
        low[k] = fmin(low[k], at[k] - reach);
        high[k] = fmax(high[k], at[k] + reach);
    }
}

// The ends of the nodes of a deformable body.
static void mesh_interval(int32_t dim, const picture_still *still, const cn_mesh_info *mesh,
                          const view_camera *camera, double low[5], double high[5]) {
    ends_start(low, high);
    for (int32_t i = 0; i < mesh->node_count; i++) {
        double x[3];
        node_world(dim, still, mesh, i, x);
        ends_add(camera, x, 0.0, low, high);
    }
}

// The ends of a bounded shape along the three world axes and the two of the picture.
static bool shape_interval(const cn_shape_info *shape, const body_pose *pose,
                           const view_camera *camera, double low[5], double high[5]) {
    double center[3];
    bool round = shape->vertex_count == 0;
    double reach =
        fmax(shape->radius, 0.5 * fmax(shape->size[0], fmax(shape->size[1], shape->size[2]))) +
        0.5 * shape->length;
    if (shape->kind == CN_SHAPE_PLANE || shape->kind == CN_SHAPE_LINE) {
        return false;
    }
    ends_start(low, high);
    int32_t count = round ? 1 : shape->vertex_count;
    for (int32_t v = 0; v < count; v++) {
        for (int32_t k = 0; k < 3; k++) {
            center[k] = shape->position[k] + (round ? 0.0 : shape->vertices[3 * (int64_t)v + k]);
        }
        pose_apply(pose, center, center);
        ends_add(camera, center, round ? reach : 0.0, low, high);
    }
    return true;
}

typedef void interval_fn(void *user, const double low[5], const double high[5]);

// Every bounded shape and every mesh of the bodies that move (or of those that do not), in every still.
static void each_shape(const picture_spec *picture, const view_camera *camera, bool moving,
                       interval_fn *found, void *user) {
    const cn_model *model = picture->model;
    int32_t dim = cn_model_dim(model);
    for (cn_body_id id = 1; id <= cn_model_body_count(model); id++) {
        cn_body_info body;
        cn_model_body(model, id, &body);
        if (body_moves(&body) != moving) {
            continue;
        }
        cn_mesh_info mesh;
        bool is_mesh = cn_model_mesh(model, id, &mesh);
        for (int32_t s = 0; s < picture->count; s++) {
            body_pose pose = pose_of(dim, picture->stills[s].q, id);
            double low[5], high[5];
            if (is_mesh) {
                mesh_interval(dim, &picture->stills[s], &mesh, camera, low, high);
                found(user, low, high);
            }
            for (int32_t i = 0; i < body.shape_count; i++) {
                cn_shape_info shape;
                cn_model_shape(model, id, i, &shape);
                if (shape_interval(&shape, &pose, camera, low, high)) {
                    found(user, low, high);
                }
            }
        }
    }
}

static void count_shape(void *user, const double low[5], const double high[5]) {
    (void)low;
    (void)high;
    ++*(int64_t *)user;
}

static void note_shape(void *user, const double low[5], const double high[5]) {
    interval *ends = user;
    for (int32_t k = 0; k < 5; k++) {
        ends[k].low[ends[k].count] = low[k];
        ends[k].high[ends[k].count++] = high[k];
    }
}

typedef struct growing {
    double low[5], high[5];         // so far
    double max_low[5], max_high[5]; // not beyond
} growing;

static void grow_shape(void *user, const double low[5], const double high[5]) {
    growing *box = user;
    for (int32_t k = 0; k < 5; k++) {
        box->low[k] = fmin(box->low[k], fmax(low[k], box->max_low[k]));
        box->high[k] = fmax(box->high[k], fmin(high[k], box->max_high[k]));
    }
}

extent_box picture_extent(const picture_spec *picture, const view_camera *camera) {
    interval ends[5];
    growing box;
    int64_t count = 0;
    each_shape(picture, camera, true, count_shape, &count);
    for (int32_t k = 0; k < 5; k++) {
        ends[k] = (interval){.low = ALLOCATE(double, count), .high = ALLOCATE(double, count)};
    }
    each_shape(picture, camera, true, note_shape, ends);
    double side[2] = {0.0, 0.0}; // the larger side in the world, in the picture
    for (int32_t k = 0; k < 5; k++) {
        interval_range(&ends[k], &box.low[k], &box.high[k]);
        side[k > 2] = fmax(side[k > 2], box.high[k] - box.low[k]);
    }
    for (int32_t k = 0; k < 5; k++) {
        box.max_low[k] = box.low[k] - FIXED_REACH * side[k > 2];
        box.max_high[k] = box.high[k] + FIXED_REACH * side[k > 2];
    }
    each_shape(picture, camera, false, grow_shape, &box);
    extent_box extent;
    for (int32_t k = 0; k < 5; k++) {
        double *low = k < 3 ? &extent.low[k] : &extent.seen_low[k - 3];
        double *high = k < 3 ? &extent.high[k] : &extent.seen_high[k - 3];
        *low = box.low[k] - MARGIN * side[k > 2];
        *high = box.high[k] + MARGIN * side[k > 2];
    }
    return extent;
}

// ---- tones ----

// The colours that height goes through, from the bottom to the top.
static const int32_t height_stops[][3] = {{0x2f, 0x4b, 0x7c},
                                          {0x3d, 0x8c, 0x95},
                                          {0x9f, 0xb8, 0x6b},
                                          {0xee, 0xb4, 0x4f},
                                          {0xd6, 0x5a, 0x3f}};
static const int32_t stone_interval[2][3] = {{0xb5, 0x8e, 0x66}, {0xdf, 0xc7, 0xa2}};
static const int32_t still_tones[][3] = {
    {0x9a, 0xa3, 0xad}, {0x5f, 0x78, 0x99}, {0xd9, 0xd5, 0xcc}, {0xe6, 0xe8, 0xea}};

static void mix(const int32_t from[3], const int32_t to[3], double share, double inv_mass,
                int32_t rgb[3]) {
    for (int32_t k = 0; k < 3; k++) {
        double value = inv_mass * ((1.0 - share) * from[k] + share * to[k]);
        rgb[k] = value < 0.0 ? 0 : value > 255.0 ? 255 : (int32_t)(value + 0.5);
    }
}

void tone_rgb(int32_t tone, double inv_mass, int32_t rgb[3]) {
    if (tone < HEIGHT_TONES) {
        int32_t last = (int32_t)(sizeof height_stops / sizeof height_stops[0]) - 1;
        double at = (double)tone / (HEIGHT_TONES - 1) * last;
        int32_t from = at >= last ? last - 1 : (int32_t)at;
        mix(height_stops[from], height_stops[from + 1], at - from, inv_mass, rgb);
    } else if (tone < TONE_FIXED) {
        double share = (double)(tone - TONE_STONE) / (STONE_TONES - 1);
        mix(stone_interval[0], stone_interval[1], share, inv_mass, rgb);
    } else {
        const int32_t *still = still_tones[tone - TONE_FIXED];
        mix(still, still, 0.0, inv_mass, rgb);
    }
}

// Bits that look random, for shades of stone.
static uint32_t scatter(uint32_t x) {
    x = (x ^ (x >> 16)) * 0x45d9f3bu;
    x = (x ^ (x >> 16)) * 0x45d9f3bu;
    return x ^ (x >> 16);
}

int32_t *tones_choose(const picture_spec *picture) {
    const cn_model *model = picture->model;
    int32_t count = cn_model_body_count(model), dim = cn_model_dim(model);
    view_camera camera = view_camera_of(model);
    int32_t *tones = ALLOCATE(int32_t, count);
    double *height = ALLOCATE(double, count), low = HUGE_VAL, high = -HUGE_VAL;
    for (cn_body_id id = 1; id <= count; id++) {
        cn_body_info body;
        cn_shape_info shape = {.kind = CN_SHAPE_SPHERE};
        double seen[3];
        cn_model_body(model, id, &body);
        if (body.shape_count > 0) {
            cn_model_shape(model, id, 0, &shape);
        }
        body_pose pose = pose_of(dim, picture->stills[0].q, id);
        view_camera_project(&camera, pose.x, seen);
        height[id - 1] = dim == 2 ? pose.x[1] : seen[1];
        if (!body_moves(&body)) {
            tones[id - 1] = strcmp(body.kind, "fixed") == 0 ? TONE_FIXED : TONE_DRIVEN;
        } else if (shape.vertex_count > 0 || strcmp(body.kind, "deformable") == 0) {
            tones[id - 1] = TONE_STONE + (int32_t)(scatter((uint32_t)id) % STONE_TONES);
        } else {
            tones[id - 1] = -1;
            low = fmin(low, height[id - 1]);
            high = fmax(high, height[id - 1]);
        }
    }
    for (int32_t i = 0; i < count; i++) {
        if (tones[i] < 0) {
            double share = high > low ? (height[i] - low) / (high - low) : 0.8;
            tones[i] = (int32_t)(share * (HEIGHT_TONES - 1) + 0.5);
        }
    }
    free(height);
    return tones;
}
