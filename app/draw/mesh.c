// app/draw/mesh.c
// Surfaces of shapes; see mesh.h. Round ones become rings of points about an axis; exact ones keep
// their own corners.
#include "draw/mesh.h"

#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DETAIL_FEW 24  // sides of a circle, of some bodies
#define DETAIL_MANY 12 // of more
#define BODIES_FEW 1000

void mesh_free(surface_mesh *mesh) {
    free(mesh->points);
    free(mesh->face);
    free(mesh->loop);
    *mesh = (surface_mesh){0};
}

static int32_t mesh_point(surface_mesh *mesh, double x, double y, double z) {
    if (mesh->point_count == mesh->point_capacity) {
        mesh->point_capacity = 2 * mesh->point_capacity + 32;
        mesh->points =
            reallocate(mesh->points, 3 * (int64_t)mesh->point_capacity, sizeof *mesh->points);
    }
    double *point = mesh->points + 3 * (int64_t)mesh->point_count;
    point[0] = x;
    point[1] = y;
    point[2] = z;
    return mesh->point_count++;
}

static void mesh_face(surface_mesh *mesh, const int32_t *corners, int32_t count) {
    if (mesh->face_count + 2 > mesh->face_capacity) {
        mesh->face_capacity = 2 * mesh->face_capacity + 32;
        mesh->face = reallocate(mesh->face, mesh->face_capacity, sizeof *mesh->face);
    }
    if (mesh->loop_count + count > mesh->loop_capacity) {
        mesh->loop_capacity = 2 * mesh->loop_capacity + count + 32;
        mesh->loop = reallocate(mesh->loop, mesh->loop_capacity, sizeof *mesh->loop);
    }
    mesh->face[0] = 0;
    memcpy(mesh->loop + mesh->loop_count, corners, sizeof *corners * (size_t)count);
    mesh->loop_count += count;
    mesh->face[++mesh->face_count] = mesh->loop_count;
}

// ---- in space ----

// A surface about the z axis: rings of points at radius[i], z[i], from the lowest up; a radius of 0
// at an end is a pole, otherwise the end is a flat face.
static void mesh_turned(surface_mesh *mesh, int32_t sides, const double *radius, const double *z,
                        int32_t rings) {
    int32_t *ring = ALLOCATE(int32_t, (int64_t)rings * sides), *end = ALLOCATE(int32_t, sides);
    for (int32_t i = 0; i < rings; i++) {
        bool pole = radius[i] == 0.0;
        for (int32_t k = 0; k < sides; k++) {
            double angle = 2.0 * M_PI * k / sides;
            ring[i * sides + k] = pole && k > 0 ? ring[i * sides]
                                                : mesh_point(mesh, radius[i] * cos(angle),
                                                             radius[i] * sin(angle), z[i]);
        }
    }
    for (int32_t i = 0; i + 1 < rings; i++) {
        const int32_t *low = ring + i * sides, *high = low + sides;
        for (int32_t k = 0; k < sides; k++) {
            int32_t next = (k + 1) % sides, quad[4], count = 0;
            quad[count++] = low[k];
            if (radius[i] > 0.0) {
                quad[count++] = low[next];
            }
            quad[count++] = high[next];
            if (radius[i + 1] > 0.0) {
                quad[count++] = high[k];
            }
            mesh_face(mesh, quad, count);
        }
    }
    for (int32_t k = 0; radius[0] > 0.0 && k < sides; k++) {
        end[k] = ring[sides - 1 - k];
    }
    if (radius[0] > 0.0) {
        mesh_face(mesh, end, sides);
    }
    if (radius[rings - 1] > 0.0) {
        mesh_face(mesh, ring + (rings - 1) * sides, sides);
    }
    free(ring);
    free(end);
}

// Two half spheres of a radius, `length` apart.
static void mesh_round(surface_mesh *mesh, int32_t sides, double radius, double length) {
    int32_t half = sides / 4, rings = 0;
    double *r = ALLOCATE(double, 2 * half + 2), *z = ALLOCATE(double, 2 * half + 2);
    for (int32_t i = 0; i <= half; i++) {
        double angle = 0.5 * M_PI * i / half;
        r[rings] = i == 0 ? 0.0 : radius * sin(angle);
        z[rings++] = -0.5 * length - radius * cos(angle);
    }
    for (int32_t i = length > 0.0 ? half : half - 1; i >= 0; i--) {
        double angle = 0.5 * M_PI * i / half;
        r[rings] = i == 0 ? 0.0 : radius * sin(angle);
        z[rings++] = 0.5 * length + radius * cos(angle);
    }
    mesh_turned(mesh, sides, r, z, rings);
    free(r);
    free(z);
}

// A square about the point of the plane nearest to the centre.
static void mesh_plane(surface_mesh *mesh, const cn_shape_info *shape,
                       const mesh_options *options) {
    const double *n = shape->normal;
    double off = shape->offset, t1[3] = {0.0, 0.0, 0.0}, t2[3];
    int32_t corners[4];
    for (int32_t k = 0; k < 3; k++) {
        off -= n[k] * options->centre[k];
    }
    // A direction far from the normal, made square to it.
    int32_t axis = fabs(n[0]) < fabs(n[1]) ? (fabs(n[0]) < fabs(n[2]) ? 0 : 2)
                                           : (fabs(n[1]) < fabs(n[2]) ? 1 : 2);
    double length = sqrt(1.0 - n[axis] * n[axis]);
    for (int32_t k = 0; k < 3; k++) {
        t1[k] = ((k == axis) - n[axis] * n[k]) / length;
    }
    t2[0] = n[1] * t1[2] - n[2] * t1[1];
    t2[1] = n[2] * t1[0] - n[0] * t1[2];
    t2[2] = n[0] * t1[1] - n[1] * t1[0];
    for (int32_t i = 0; i < 4; i++) {
        double a = (i == 0 || i == 3 ? -1.0 : 1.0) * options->size,
               b = (i < 2 ? -1.0 : 1.0) * options->size, x[3];
        for (int32_t k = 0; k < 3; k++) {
            x[k] = options->centre[k] + off * n[k] + a * t1[k] + b * t2[k];
        }
        corners[i] = mesh_point(mesh, x[0], x[1], x[2]);
    }
    mesh_face(mesh, corners, 4);
}

static void mesh_hull(surface_mesh *mesh, const cn_shape_info *shape, int32_t dim) {
    int32_t first = mesh->point_count;
    int32_t *corners = ALLOCATE(int32_t, shape->vertex_count + 1);
    for (int32_t i = 0; i < shape->vertex_count; i++) {
        const double *x = shape->vertices + 3 * (int64_t)i;
        mesh_point(mesh, x[0], x[1], dim == 3 ? x[2] : 0.0);
        corners[i] = first + i;
    }
    if (dim == 2) {
        mesh_face(mesh, corners, shape->vertex_count);
    }
    for (int32_t f = 0; dim == 3 && f < shape->face_count; f++) {
        int32_t count = shape->face[f + 1] - shape->face[f];
        for (int32_t k = 0; k < count; k++) {
            corners[k] = first + shape->loop[shape->face[f] + k];
        }
        mesh_face(mesh, corners, count);
    }
    free(corners);
}

// ---- in the plane ----

static void mesh_oval(surface_mesh *mesh, int32_t sides, double a, double b) {
    int32_t *corners = ALLOCATE(int32_t, sides);
    for (int32_t k = 0; k < sides; k++) {
        double angle = 2.0 * M_PI * k / sides;
        corners[k] = mesh_point(mesh, a * cos(angle), b * sin(angle), 0.0);
    }
    mesh_face(mesh, corners, sides);
    free(corners);
}

// The hollow side is what counts: a band outside of it.
static void mesh_ring(surface_mesh *mesh, int32_t sides, double radius) {
    int32_t first = mesh->point_count;
    for (int32_t k = 0; k < sides; k++) {
        double angle = 2.0 * M_PI * k / sides, c = radius * cos(angle), s = radius * sin(angle);
        mesh_point(mesh, c, s, 0.0);
        mesh_point(mesh, 1.02 * c, 1.02 * s, 0.0);
    }
    for (int32_t k = 0; k < sides; k++) {
        int32_t next = (k + 1) % sides;
        int32_t quad[4] = {first + 2 * k, first + 2 * k + 1, first + 2 * next + 1,
                           first + 2 * next};
        mesh_face(mesh, quad, 4);
    }
}

// A strip behind the line.
static void mesh_line(surface_mesh *mesh, const cn_shape_info *shape, const mesh_options *options) {
    const double *n = shape->normal, *c = options->centre;
    double off = shape->offset - n[0] * c[0] - n[1] * c[1], s = options->size;
    int32_t corners[4];
    for (int32_t i = 0; i < 4; i++) {
        double along = i == 0 || i == 3 ? -s : s, depth = i < 2 ? -0.02 * s : 0.0;
        corners[i] = mesh_point(mesh, c[0] + (off + depth) * n[0] + along * n[1],
                                c[1] + (off + depth) * n[1] - along * n[0], 0.0);
    }
    int32_t turned[4] = {corners[3], corners[2], corners[1], corners[0]};
    mesh_face(mesh, turned, 4);
}

// ---- bodies ----

// From the shape's frame to the body's own.
static void mesh_place(surface_mesh *mesh, int32_t first, const cn_shape_info *shape,
                       const double stretch[3]) {
    for (int32_t i = first; i < mesh->point_count; i++) {
        double *x = mesh->points + 3 * (int64_t)i, own[3], placed[3];
        for (int32_t k = 0; k < 3; k++) {
            own[k] = x[k] * stretch[k];
        }
        for (int32_t k = 0; k < 3; k++) {
            const double *row = shape->axes + 3 * k;
            placed[k] = shape->position[k] + row[0] * own[0] + row[1] * own[1] + row[2] * own[2];
        }
        memcpy(x, placed, sizeof placed);
    }
}

static void mesh_add(surface_mesh *mesh, const cn_shape_info *shape, const mesh_options *options) {
    int32_t first = mesh->point_count, sides = options->detail;
    double stretch[3] = {1.0, 1.0, 1.0};
    const double radii[2] = {shape->radius, shape->radius},
                 ends[2] = {-0.5 * shape->length, 0.5 * shape->length};
    switch (shape->kind) {
    case CN_SHAPE_SPHERE:
        mesh_round(mesh, sides, shape->radius, 0.0);
        break;
    case CN_SHAPE_CAPSULE:
        mesh_round(mesh, sides, shape->radius, shape->length);
        break;
    case CN_SHAPE_CYLINDER:
        mesh_turned(mesh, sides, radii, ends, 2);
        break;
    case CN_SHAPE_ELLIPSOID:
        mesh_round(mesh, sides, 0.5, 0.0);
        memcpy(stretch, shape->size, sizeof stretch);
        break;
    case CN_SHAPE_DISK:
        mesh_oval(mesh, sides, shape->radius, shape->radius);
        break;
    case CN_SHAPE_ELLIPSE:
        mesh_oval(mesh, sides, 0.5 * shape->size[0], 0.5 * shape->size[1]);
        break;
    case CN_SHAPE_RING:
        mesh_ring(mesh, 4 * sides, shape->radius);
        break;
    case CN_SHAPE_PLANE:
        mesh_plane(mesh, shape, options);
        return; // in the body's own frame already
    case CN_SHAPE_LINE:
        mesh_line(mesh, shape, options);
        return;
    case CN_SHAPE_BOX:
    case CN_SHAPE_POLYHEDRON:
    case CN_SHAPE_POLYGON:
    case CN_SHAPE_KINDS:
        mesh_hull(mesh, shape, options->dim);
        return;
    }
    mesh_place(mesh, first, shape, stretch);
}

surface_mesh mesh_of_body(const cn_model *model, cn_body_id body, const mesh_options *options) {
    surface_mesh mesh = {0};
    cn_body_info about;
    cn_model_body(model, body, &about);
    for (int32_t i = 0; i < about.shape_count; i++) {
        cn_shape_info shape;
        cn_model_shape(model, body, i, &shape);
        mesh_add(&mesh, &shape, options);
    }
    return mesh;
}

mesh_options mesh_options_of(const cn_model *model, const double *low, const double *high) {
    mesh_options options = {.dim = cn_model_dim(model),
                            .detail =
                                cn_model_body_count(model) > BODIES_FEW ? DETAIL_MANY : DETAIL_FEW};
    double widest = 0.0;
    for (int32_t k = 0; k < options.dim && low[0] <= high[0]; k++) {
        options.centre[k] = 0.5 * (low[k] + high[k]);
        widest = fmax(widest, high[k] - low[k]);
    }
    options.size = widest > 0.0 ? widest : 1.0;
    return options;
}
