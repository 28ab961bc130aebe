// app/draw/paint.c
// Shapes as paints. A convex body shows the faces that look at the viewer; paints are sorted by the
// depth of their middles, which is right for bodies of like size and may be wrong between a small
// and a large one that touch: what does not move is therefore painted first.
#include "draw/paint.h"

#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MATH_PI 3.14159265358979323846
#define ROUND_SIDES 32   // of a cylinder
#define GROUND_REACH 0.4 // of the larger side: how far planes are shown beyond the bodies
#define WALL_REACH 0.05  // the same upwards
#define POLYGON_MAX 64   // corners of a clipped plane

// Depths behind everything that is sorted by its own.
#define DEPTH_PLANE (-3e300)
#define DEPTH_SHADOW (-2e300)
#define DEPTH_STILL 1e6 // taken off what does not move

// Outlines are darker than what they enclose; those of elements less so, that fine meshes stay
// bright.
#define EDGE_TONE 0.62
#define EDGE_TONE_ELEMENT 0.82

// Where the light comes from, in the camera's axes.
static const double inv_mass_direction[3] = {-0.42, 0.72, 0.55};

typedef struct paint_builder {
    const picture_spec *picture;
    const view_camera *camera;
    const extent_box *extent;
    paint_list *out;
    double floor[4]; // normal and offset of the plane that shadows fall on
    bool has_floor;
} paint_builder;

// ---- the list ----

static paint_item *paint_add(paint_list *paints, paint_kind kind, double depth, int32_t tone) {
    if (paints->count == paints->capacity) {
        paints->capacity = paints->capacity > 0 ? 2 * paints->capacity : 256;
        paints->paint = reallocate(paints->paint, paints->capacity, sizeof *paints->paint);
    }
    paint_item *paint = &paints->paint[paints->count++];
    *paint = (paint_item){.kind = kind,
                          .depth = depth,
                          .tone = tone,
                          .inv_mass = 1.0,
                          .edge = EDGE_TONE,
                          .first = paints->points,
                          .outline = true};
    return paint;
}

static void point_add(paint_list *paints, const double seen[2]) {
    if (paints->points == paints->point_capacity) {
        paints->point_capacity = paints->point_capacity > 0 ? 2 * paints->point_capacity : 1024;
        paints->point =
            reallocate(paints->point, 2 * (int64_t)paints->point_capacity, sizeof(double));
    }
    paints->point[2 * (int64_t)paints->points] = seen[0];
    paints->point[2 * (int64_t)paints->points++ + 1] = seen[1];
}

void paints_free(paint_list *paints) {
    free(paints->paint);
    free(paints->point);
}

static int compare_paints(const void *a, const void *b) {
    const paint_item *x = a, *y = b;
    if (x->depth != y->depth) {
        return x->depth < y->depth ? -1 : 1;
    }
    return x->first < y->first ? -1 : x->first > y->first;
}

// ---- faces ----

// A flat face given by its corners as seen, counter-clockwise from outside; nothing when it looks
// away. depth is added to that of its middle.
static void paint_face(paint_builder *painter, const double *seen, int32_t count, double depth,
                       int32_t tone) {
    double normal[3] = {0.0, 0.0, 0.0}, middle = 0.0;
    for (int32_t i = 0; i < count; i++) {
        const double *a = seen + 3 * (int64_t)i, *b = seen + 3 * (int64_t)((i + 1) % count);
        normal[0] += a[1] * b[2] - a[2] * b[1];
        normal[1] += a[2] * b[0] - a[0] * b[2];
        normal[2] += a[0] * b[1] - a[1] * b[0];
        middle += a[2] / count;
    }
    double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    if (!(normal[2] > 1e-9 * length)) {
        return;
    }
    double towards = (normal[0] * inv_mass_direction[0] + normal[1] * inv_mass_direction[1] +
                      normal[2] * inv_mass_direction[2]) /
                     length;
    paint_item *paint = paint_add(painter->out, PAINT_POLYGON, middle + depth, tone);
    paint->inv_mass = 0.76 + 0.32 * fmax(0.0, towards);
    paint->count = count;
    for (int32_t i = 0; i < count; i++) {
        point_add(painter->out, seen + 3 * (int64_t)i);
    }
}

// The corners of a hull as seen, 3 numbers each. To be freed.
static double *hull_seen(const paint_builder *painter, const cn_shape_info *shape,
                         const body_pose *pose) {
    double *seen = ALLOCATE(double, 3 * (int64_t)shape->vertex_count);
    for (int32_t v = 0; v < shape->vertex_count; v++) {
        double x[3];
        for (int32_t k = 0; k < 3; k++) {
            x[k] = shape->position[k] + shape->vertices[3 * (int64_t)v + k];
        }
        pose_apply(pose, x, x);
        view_camera_project(painter->camera, x, seen + 3 * (int64_t)v);
    }
    return seen;
}

static void paint_hull(paint_builder *painter, const cn_shape_info *shape, const body_pose *pose,
                       double depth, int32_t tone) {
    double *seen = hull_seen(painter, shape, pose);
    double *face = ALLOCATE(double, 3 * (int64_t)shape->vertex_count);
    if (shape->face_count == 0) { // 2D
        paint_face(painter, seen, shape->vertex_count, depth, tone);
        painter->out->paint[painter->out->count - 1].inv_mass = 1.0;
    }
    for (int32_t f = 0; f < shape->face_count; f++) {
        int32_t count = shape->face[f + 1] - shape->face[f];
        for (int32_t i = 0; i < count; i++) {
            memcpy(face + 3 * (int64_t)i, seen + 3 * (int64_t)shape->loop[shape->face[f] + i],
                   3 * sizeof *face);
        }
        paint_face(painter, face, count, depth, tone);
    }
    free(face);
    free(seen);
}

// ---- round shapes ----

// A point of the shape's frame as seen.
static void shape_point(const paint_builder *painter, const cn_shape_info *shape,
                        const body_pose *pose, const double local[3], double seen[3]) {
    double x[3];
    for (int32_t i = 0; i < 3; i++) {
        x[i] = shape->position[i] + shape->axes[3 * i] * local[0] +
               shape->axes[3 * i + 1] * local[1] + shape->axes[3 * i + 2] * local[2];
    }
    pose_apply(pose, x, x);
    view_camera_project(painter->camera, x, seen);
}

static void paint_cylinder(paint_builder *painter, const cn_shape_info *shape,
                           const body_pose *pose, double depth, int32_t tone) {
    double rim[2][3 * ROUND_SIDES], turned[3 * ROUND_SIDES];
    for (int32_t i = 0; i < ROUND_SIDES; i++) {
        double angle = 2.0 * MATH_PI * i / ROUND_SIDES;
        for (int32_t end = 0; end < 2; end++) {
            const double local[3] = {shape->radius * cos(angle), shape->radius * sin(angle),
                                     (end - 0.5) * shape->length};
            shape_point(painter, shape, pose, local, rim[end] + 3 * i);
        }
    }
    for (int32_t i = 0; i < ROUND_SIDES; i++) {
        int32_t j = (i + 1) % ROUND_SIDES;
        double side[12];
        memcpy(side, rim[0] + 3 * i, 3 * sizeof *side);
        memcpy(side + 3, rim[0] + 3 * j, 3 * sizeof *side);
        memcpy(side + 6, rim[1] + 3 * j, 3 * sizeof *side);
        memcpy(side + 9, rim[1] + 3 * i, 3 * sizeof *side);
        memcpy(turned + 3 * (ROUND_SIDES - 1 - i), rim[0] + 3 * i, 3 * sizeof *turned);
        int32_t before = painter->out->count;
        paint_face(painter, side, 4, depth, tone);
        for (int32_t k = before; k < painter->out->count; k++) {
            painter->out->paint[k].outline = false;
        }
    }
    paint_face(painter, rim[1], ROUND_SIDES, depth, tone);
    paint_face(painter, turned, ROUND_SIDES, depth, tone);
}

// The outline of an ellipsoid with semi-axes a: the ellipse of the 2x2 matrix P diag(a^2) P', P
// being the picture's part of the axes.
static void paint_oval(paint_builder *painter, const cn_shape_info *shape, const body_pose *pose,
                       double depth, int32_t tone) {
    double center[3], m[3] = {0.0, 0.0, 0.0};
    const double origin[3] = {0.0, 0.0, 0.0};
    shape_point(painter, shape, pose, origin, center);
    for (int32_t k = 0; k < 3; k++) {
        double tip[3] = {0.0, 0.0, 0.0}, seen[3];
        tip[k] = 0.5 * shape->size[k];
        shape_point(painter, shape, pose, tip, seen);
        double x = seen[0] - center[0], y = seen[1] - center[1];
        m[0] += x * x;
        m[1] += x * y;
        m[2] += y * y;
    }
    double half = 0.5 * (m[0] + m[2]), spread = hypot(0.5 * (m[0] - m[2]), m[1]);
    paint_item *paint = paint_add(painter->out, PAINT_OVAL, center[2] + depth, tone);
    memcpy(paint->center, center, sizeof paint->center);
    paint->radius = sqrt(half + spread);
    paint->second = sqrt(fmax(0.0, half - spread));
    paint->angle = 0.5 * atan2(2.0 * m[1], m[0] - m[2]);
}

static void paint_round(paint_builder *painter, paint_kind kind, const cn_shape_info *shape,
                        const body_pose *pose, double depth, int32_t tone) {
    double center[3], tip[3];
    const double origin[3] = {0.0, 0.0, 0.0}, spoke[3] = {1.0, 0.0, 0.0};
    shape_point(painter, shape, pose, origin, center);
    shape_point(painter, shape, pose, spoke, tip);
    paint_item *paint = paint_add(painter->out, kind, center[2] + depth, tone);
    memcpy(paint->center, center, sizeof paint->center);
    paint->radius = shape->radius;
    paint->angle = atan2(tip[1] - center[1], tip[0] - center[0]);
}

static void paint_capsule(paint_builder *painter, const cn_shape_info *shape, const body_pose *pose,
                          double depth, int32_t tone) {
    const double low[3] = {0.0, 0.0, -0.5 * shape->length}, high[3] = {0, 0, 0.5 * shape->length};
    double a[3], b[3];
    shape_point(painter, shape, pose, low, a);
    shape_point(painter, shape, pose, high, b);
    paint_item *paint = paint_add(painter->out, PAINT_STICK, 0.5 * (a[2] + b[2]) + depth, tone);
    paint->radius = shape->radius;
    paint->count = 2;
    point_add(painter->out, a);
    point_add(painter->out, b);
}

// ---- planes ----

// Of a polygon (3 numbers a corner), the part with normal . x >= offset. Returns its corners.
static int32_t clip(const double *in, int32_t count, const double normal[3], double offset,
                    double *out) {
    int32_t made = 0;
    for (int32_t i = 0; i < count; i++) {
        const double *a = in + 3 * (int64_t)i, *b = in + 3 * (int64_t)((i + 1) % count);
        double da = normal[0] * a[0] + normal[1] * a[1] + normal[2] * a[2] - offset;
        double db = normal[0] * b[0] + normal[1] * b[1] + normal[2] * b[2] - offset;
        if (da >= 0.0 && made < POLYGON_MAX) {
            memcpy(out + 3 * (int64_t)made++, a, 3 * sizeof *out);
        }
        if ((da >= 0.0) != (db >= 0.0) && made < POLYGON_MAX) {
            for (int32_t k = 0; k < 3; k++) {
                out[3 * (int64_t)made + k] = a[k] + da / (da - db) * (b[k] - a[k]);
            }
            made++;
        }
    }
    return made;
}

// The plane of a shape in the world.
static void plane_world(const cn_shape_info *shape, const body_pose *pose, double normal[3],
                        double *offset) {
    body_pose turn = *pose;
    memset(turn.x, 0, sizeof turn.x);
    pose_apply(&turn, shape->normal, normal);
    *offset =
        shape->offset + normal[0] * pose->x[0] + normal[1] * pose->x[1] + normal[2] * pose->x[2];
}

typedef struct plane_patch {
    double corner[3 * POLYGON_MAX], spare[3 * POLYGON_MAX];
    int32_t count;
} plane_patch;

static void patch_clip(plane_patch *patch, const double normal[3], double offset) {
    patch->count = clip(patch->corner, patch->count, normal, offset, patch->spare);
    memcpy(patch->corner, patch->spare, sizeof patch->corner);
}

// A square on the plane, far larger than what is seen.
static plane_patch patch_start(const double normal[3], double offset, const double middle[3],
                               double side) {
    plane_patch patch = {.count = 4};
    double a[3] = {0.0, 0.0, 0.0}, b[3], length = 0.0;
    int32_t min = 0;
    for (int32_t k = 1; k < 3; k++) {
        min = fabs(normal[k]) < fabs(normal[min]) ? k : min;
    }
    a[(min + 1) % 3] = normal[(min + 2) % 3];
    a[(min + 2) % 3] = -normal[(min + 1) % 3];
    for (int32_t k = 0; k < 3; k++) {
        length += a[k] * a[k];
    }
    double away = offset - normal[0] * middle[0] - normal[1] * middle[1] - normal[2] * middle[2];
    for (int32_t k = 0; k < 3; k++) {
        a[k] /= sqrt(length);
    }
    b[0] = normal[1] * a[2] - normal[2] * a[1];
    b[1] = normal[2] * a[0] - normal[0] * a[2];
    b[2] = normal[0] * a[1] - normal[1] * a[0];
    static const double signs[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int32_t i = 0; i < 4; i++) {
        for (int32_t k = 0; k < 3; k++) {
            patch.corner[3 * i + k] =
                middle[k] + away * normal[k] + side * (signs[i][0] * a[k] + signs[i][1] * b[k]);
        }
    }
    return patch;
}

// Takes off what lies behind the other planes of the scene.
static void patch_clip_planes(const paint_builder *painter, const picture_still *still,
                              plane_patch *patch, const double normal[3]) {
    const cn_model *model = painter->picture->model;
    for (cn_body_id id = 1; id <= cn_model_body_count(model); id++) {
        cn_body_info body;
        cn_model_body(model, id, &body);
        for (int32_t i = 0; strcmp(body.kind, "rigid") != 0 && i < body.shape_count; i++) {
            cn_shape_info shape;
            double other[3], offset;
            cn_model_shape(model, id, i, &shape);
            if (shape.kind != CN_SHAPE_PLANE) {
                continue;
            }
            body_pose pose = pose_of(3, still->q, id);
            plane_world(&shape, &pose, other, &offset);
            double along = other[0] * normal[0] + other[1] * normal[1] + other[2] * normal[2];
            if (along < 0.99) {
                patch_clip(patch, other, offset);
            }
        }
    }
}

static double extent_side(const extent_box *extent) {
    double side = 0.0;
    for (int32_t k = 0; k < 3; k++) {
        side = fmax(side, extent->high[k] - extent->low[k]);
    }
    return side;
}

// The part of a plane around the bodies, where it looks at the viewer.
static void paint_plane(paint_builder *painter, const picture_still *still,
                        const cn_shape_info *shape, const body_pose *pose) {
    const extent_box *extent = painter->extent;
    double normal[3], offset, seen[3], middle[3], side = extent_side(extent);
    plane_world(shape, pose, normal, &offset);
    view_camera_project(painter->camera, normal, seen);
    if (!(seen[2] > 1e-6)) {
        return;
    }
    bool is_floor = seen[1] > 0.7;
    for (int32_t k = 0; k < 3; k++) {
        middle[k] = 0.5 * (extent->low[k] + extent->high[k]);
    }
    plane_patch patch = patch_start(normal, offset, middle, 4.0 * side);
    for (int32_t k = 0; k < 3; k++) {
        double axis[3] = {0.0, 0.0, 0.0};
        axis[k] = 1.0;
        view_camera_project(painter->camera, axis, seen);
        double reach = side * (fabs(seen[1]) > 0.7 ? WALL_REACH : GROUND_REACH);
        patch_clip(&patch, axis, extent->low[k] - reach);
        axis[k] = -1.0;
        patch_clip(&patch, axis, -extent->high[k] - reach);
    }
    patch_clip_planes(painter, still, &patch, normal);
    if (patch.count < 3) {
        return;
    }
    paint_item *paint =
        paint_add(painter->out, PAINT_POLYGON, DEPTH_PLANE + (is_floor ? 1e299 : 0.0),
                  is_floor ? TONE_GROUND : TONE_WALL);
    paint->count = patch.count;
    for (int32_t i = 0; i < patch.count; i++) {
        view_camera_project(painter->camera, patch.corner + 3 * (int64_t)i, seen);
        point_add(painter->out, seen);
    }
}

// What lies behind a line of a 2D scene, as far as it can be seen.
static void paint_line(paint_builder *painter, const cn_shape_info *shape, const body_pose *pose) {
    const extent_box *extent = painter->extent;
    double normal[3], offset, side = 4.0 * extent_side(extent);
    double corner[12] = {extent->low[0] - side,  extent->low[1] - side,  0.0,
                         extent->high[0] + side, extent->low[1] - side,  0.0,
                         extent->high[0] + side, extent->high[1] + side, 0.0,
                         extent->low[0] - side,  extent->high[1] + side, 0.0};
    double behind[3 * POLYGON_MAX];
    plane_world(shape, pose, normal, &offset);
    const double back[3] = {-normal[0], -normal[1], 0.0};
    int32_t count = clip(corner, 4, back, -offset, behind);
    paint_item *paint = paint_add(painter->out, PAINT_POLYGON, DEPTH_PLANE, TONE_GROUND);
    paint->count = count;
    for (int32_t i = 0; i < count; i++) {
        point_add(painter->out, behind + 3 * (int64_t)i);
    }
}

// ---- shadows ----

// Where a point's shadow is: straight down, or up, on the floor.
static void drop(const paint_builder *painter, const double world[3], double seen[3]) {
    const double *n = painter->floor;
    double above = n[0] * world[0] + n[1] * world[1] + n[2] * world[2] - n[3], on[3];
    for (int32_t k = 0; k < 3; k++) {
        on[k] = world[k] - above * n[k];
    }
    view_camera_project(painter->camera, on, seen);
}

// The shadow of a sphere is a disk on the floor: an oval in the picture.
static void paint_sphere_shadow(paint_builder *painter, const cn_shape_info *shape,
                                const body_pose *pose) {
    double x[3], center[3], seen[3];
    pose_apply(pose, shape->position, x);
    drop(painter, x, center);
    view_camera_project(painter->camera, painter->floor, seen); // the normal, in the camera's axes
    paint_item *paint = paint_add(painter->out, PAINT_OVAL, DEPTH_SHADOW, TONE_FIXED);
    memcpy(paint->center, center, sizeof paint->center);
    paint->radius = shape->radius;
    paint->second = shape->radius * fabs(seen[2]);
    paint->angle = atan2(-seen[0], seen[1]);
    paint->shadow = true;
}

// The shadow of a hull: each face's, together.
static void paint_hull_shadow(paint_builder *painter, const cn_shape_info *shape,
                              const body_pose *pose) {
    for (int32_t f = 0; f < shape->face_count; f++) {
        paint_item *paint = paint_add(painter->out, PAINT_POLYGON, DEPTH_SHADOW, TONE_FIXED);
        paint->count = shape->face[f + 1] - shape->face[f];
        paint->shadow = true;
        for (int32_t i = shape->face[f]; i < shape->face[f + 1]; i++) {
            double x[3], seen[3];
            for (int32_t k = 0; k < 3; k++) {
                x[k] = shape->position[k] + shape->vertices[3 * (int64_t)shape->loop[i] + k];
            }
            pose_apply(pose, x, x);
            drop(painter, x, seen);
            point_add(painter->out, seen);
        }
    }
}

// The plane that looks most upwards among those that do not move.
static void find_floor(paint_builder *painter, const picture_still *still) {
    const cn_model *model = painter->picture->model;
    double best = 0.7;
    for (cn_body_id id = 1; id <= cn_model_body_count(model); id++) {
        cn_body_info body;
        cn_model_body(model, id, &body);
        for (int32_t i = 0; i < body.shape_count; i++) {
            cn_shape_info shape;
            double normal[3], offset, seen[3];
            cn_model_shape(model, id, i, &shape);
            if (shape.kind != CN_SHAPE_PLANE) {
                continue;
            }
            body_pose pose = pose_of(3, still->q, id);
            plane_world(&shape, &pose, normal, &offset);
            view_camera_project(painter->camera, normal, seen);
            if (seen[1] > best && seen[2] > 0.0) {
                best = seen[1];
                memcpy(painter->floor, normal, sizeof normal);
                painter->floor[3] = offset;
                painter->has_floor = true;
            }
        }
    }
}

// ---- deformable bodies ----

// Elements of a plane body where its nodes are, then its outline.
static void paint_elements(paint_builder *painter, const picture_still *still,
                           const cn_mesh_info *mesh, int32_t tone) {
    for (int32_t pass = 0; pass < 2; pass++) {
        int32_t count = pass ? mesh->face_count : mesh->element_count;
        int32_t corners = pass ? mesh->per_face : mesh->per_element;
        const int32_t *node = pass ? mesh->faces : mesh->elements;
        for (int32_t e = 0; e < count; e++) {
            paint_item *paint = paint_add(painter->out, PAINT_POLYGON, 0.0, tone);
            paint->edge = pass ? EDGE_TONE : EDGE_TONE_ELEMENT;
            paint->count = corners;
            for (int32_t i = 0; i < corners; i++) {
                double x[3];
                // Of quadratic elements the corners stand first, then the middles of their edges.
                bool quadratic = !pass && corners > 4;
                int32_t k = quadratic ? i / 2 + i % 2 * (corners / 2) : i;
                node_world(2, still, mesh, node[(int64_t)corners * e + k], x);
                point_add(painter->out, x);
            }
        }
    }
}

// The faces of a solid body's surface, and their shadows.
static void paint_surface(paint_builder *painter, const picture_still *still,
                          const cn_mesh_info *mesh, int32_t tone) {
    int32_t corners = mesh->per_face;
    double *seen = ALLOCATE(double, 3 * (int64_t)corners);
    for (int32_t f = 0; f < mesh->face_count; f++) {
        const int32_t *node = mesh->faces + (int64_t)corners * f;
        double x[3];
        for (int32_t i = 0; i < corners; i++) {
            node_world(3, still, mesh, node[i], x);
            view_camera_project(painter->camera, x, seen + 3 * (int64_t)i);
        }
        int32_t before = painter->out->count;
        paint_face(painter, seen, corners, 0.0, tone);
        if (painter->out->count > before) {
            painter->out->paint[before].edge = EDGE_TONE_ELEMENT;
        }
        if (!painter->has_floor) {
            continue;
        }
        paint_item *shadow = paint_add(painter->out, PAINT_POLYGON, DEPTH_SHADOW, TONE_FIXED);
        shadow->count = corners;
        shadow->shadow = true;
        for (int32_t i = 0; i < corners; i++) {
            node_world(3, still, mesh, node[i], x);
            drop(painter, x, seen);
            point_add(painter->out, seen);
        }
    }
    free(seen);
}

// ---- the whole ----

static void paint_shape(paint_builder *painter, const picture_still *still,
                        const cn_shape_info *shape, const body_pose *pose, double depth,
                        int32_t tone) {
    switch (shape->kind) {
    case CN_SHAPE_BOX:
    case CN_SHAPE_POLYHEDRON:
    case CN_SHAPE_POLYGON:
        paint_hull(painter, shape, pose, depth, tone);
        break;
    case CN_SHAPE_SPHERE:
        paint_round(painter, PAINT_SPHERE, shape, pose, depth, tone);
        break;
    case CN_SHAPE_DISK:
        paint_round(painter, PAINT_DISK, shape, pose, depth, tone);
        break;
    case CN_SHAPE_RING:
        paint_round(painter, PAINT_RING, shape, pose, depth, tone);
        break;
    case CN_SHAPE_ELLIPSE:
    case CN_SHAPE_ELLIPSOID:
        paint_oval(painter, shape, pose, depth, tone);
        break;
    case CN_SHAPE_CAPSULE:
        paint_capsule(painter, shape, pose, depth, tone);
        break;
    case CN_SHAPE_CYLINDER:
        paint_cylinder(painter, shape, pose, depth, tone);
        break;
    case CN_SHAPE_PLANE:
        paint_plane(painter, still, shape, pose);
        break;
    case CN_SHAPE_LINE:
        paint_line(painter, shape, pose);
        break;
    case CN_SHAPE_KINDS:
        break;
    }
    if (painter->has_floor && shape->kind == CN_SHAPE_SPHERE) {
        paint_sphere_shadow(painter, shape, pose);
    } else if (painter->has_floor && shape->face_count > 0) {
        paint_hull_shadow(painter, shape, pose);
    }
}

void paints_make(const picture_spec *picture, const picture_still *still, const view_camera *camera,
                 const extent_box *extent, const int32_t *tones, paint_list *out) {
    const cn_model *model = picture->model;
    int32_t dim = cn_model_dim(model);
    paint_builder painter = {.picture = picture, .camera = camera, .extent = extent, .out = out};
    *out = (paint_list){.count = 0};
    if (dim == 3) {
        find_floor(&painter, still);
    }
    for (cn_body_id id = 1; id <= cn_model_body_count(model); id++) {
        cn_body_info body;
        cn_model_body(model, id, &body);
        body_pose pose = pose_of(dim, still->q, id);
        double depth = body_moves(&body) ? 0.0 : -DEPTH_STILL;
        cn_mesh_info mesh;
        if (cn_model_mesh(model, id, &mesh)) {
            (dim == 2 ? paint_elements : paint_surface)(&painter, still, &mesh, tones[id - 1]);
        }
        for (int32_t i = 0; i < body.shape_count; i++) {
            cn_shape_info shape;
            cn_model_shape(model, id, i, &shape);
            paint_shape(&painter, still, &shape, &pose, depth, tones[id - 1]);
        }
    }
    if (out->count > 0) {
        qsort(out->paint, (size_t)out->count, sizeof *out->paint, compare_paints);
    }
}
