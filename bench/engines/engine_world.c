// bench/engines/engine_world.c
// The world that all engines of a comparison are given; see engine.h.
#include "bench/engines/engine.h"

#include "support/gallery.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ENGINE_JACOBI 30   // sweeps of Jacobi's method, far more than a 3 x 3 matrix needs
#define ENGINE_LOOSE 1e6   // tolerance of a step that is made for its detection alone
#define ENGINE_SLACK 1e-9  // [s] steps that measure overlaps are this long
#define ENGINE_OVERLAP 1e3 // [m] overlaps that such a world may start with

// ---- small vectors ----

static void quat_times(const double a[4], const double b[4], double out[4]) {
    const double c[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                         a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                         a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                         a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(out, c, sizeof c);
}

// v + 2 w (q x v) + 2 q x (q x v) for the unit quaternion (w, q).
static void quat_turn(const double q[4], const double v[3], double out[3]) {
    const double *p = q + 1;
    const double c[3] = {p[1] * v[2] - p[2] * v[1], p[2] * v[0] - p[0] * v[2],
                         p[0] * v[1] - p[1] * v[0]};
    const double d[3] = {p[1] * c[2] - p[2] * c[1], p[2] * c[0] - p[0] * c[2],
                         p[0] * c[1] - p[1] * c[0]};
    for (int32_t k = 0; k < 3; k++) {
        out[k] = v[k] + 2.0 * q[0] * c[k] + 2.0 * d[k];
    }
}

static void quat_back(const double q[4], const double v[3], double out[3]) {
    const double back[4] = {q[0], -q[1], -q[2], -q[3]};
    quat_turn(back, v, out);
}

// ---- inertia ----

// A vertex of a shape from the body's centre of mass.
static void vertex_from(const cn_shape_info *shape, const double com[3], int32_t vertex,
                        double out[3]) {
    const double *x = shape->vertices + 3 * (int64_t)vertex;
    for (int32_t k = 0; k < 3; k++) {
        const double *row = shape->axes + 3 * k;
        out[k] = shape->position[k] + row[0] * x[0] + row[1] * x[1] + row[2] * x[2] - com[k];
    }
}

// Second moments C = integral of x x' over a hull of density 1, and its volume: tetrahedra from the
// origin to triangles of the faces.
static double hull_moments(const cn_shape_info *hull, const double com[3], double C[9]) {
    double volume = 0.0;
    memset(C, 0, 9 * sizeof *C);
    for (int32_t f = 0; f < hull->face_count; f++) {
        for (int32_t i = hull->face[f] + 2; i < hull->face[f + 1]; i++) {
            const int32_t corner[3] = {hull->loop[hull->face[f]], hull->loop[i - 1], hull->loop[i]};
            double x[3][3], sum[3] = {0.0, 0.0, 0.0};
            for (int32_t j = 0; j < 3; j++) {
                vertex_from(hull, com, corner[j], x[j]);
                for (int32_t k = 0; k < 3; k++) {
                    sum[k] += x[j][k];
                }
            }
            double det = x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) -
                         x[0][1] * (x[1][0] * x[2][2] - x[1][2] * x[2][0]) +
                         x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0]);
            volume += det / 6.0;
            for (int32_t k = 0; k < 9; k++) {
                double part = sum[k / 3] * sum[k % 3];
                for (int32_t j = 0; j < 3; j++) {
                    part += x[j][k / 3] * x[j][k % 3];
                }
                C[k] += det / 120.0 * part;
            }
        }
    }
    return volume;
}

// The principal axes of a symmetric matrix as a rotation, by Jacobi's method; A becomes diagonal.
static void principal_axes(double A[9], double turn[4]) {
    turn[0] = 1.0;
    turn[1] = turn[2] = turn[3] = 0.0;
    for (int32_t n = 0; n < ENGINE_JACOBI; n++) {
        int32_t axis = n % 3, i = (axis + 1) % 3, j = (axis + 2) % 3;
        double off = A[3 * i + j];
        if (fabs(off) <= 1e-15 * (fabs(A[3 * i + i]) + fabs(A[3 * j + j]))) {
            continue;
        }
        double angle = 0.5 * atan2(2.0 * off, A[3 * i + i] - A[3 * j + j]);
        double c = cos(angle), s = sin(angle), B[9];
        // Columns, then rows: new axes i' = c i + s j, j' = -s i + c j.
        memcpy(B, A, sizeof B);
        for (int32_t k = 0; k < 3; k++) {
            B[3 * k + i] = c * A[3 * k + i] + s * A[3 * k + j];
            B[3 * k + j] = -s * A[3 * k + i] + c * A[3 * k + j];
        }
        memcpy(A, B, sizeof B);
        for (int32_t k = 0; k < 3; k++) {
            A[3 * i + k] = c * B[3 * i + k] + s * B[3 * j + k];
            A[3 * j + k] = -s * B[3 * i + k] + c * B[3 * j + k];
        }
        double step[4] = {cos(0.5 * angle), 0.0, 0.0, 0.0};
        step[1 + axis] = sin(0.5 * angle);
        quat_times(turn, step, turn);
    }
}

// ---- bodies ----

static bool engine_inertia(engine_body *body, const cn_shape_info *shape) {
    if (shape->kind == CN_SHAPE_SPHERE) {
        double inertia = 0.4 * body->mass * shape->radius * shape->radius;
        body->inertia[0] = body->inertia[1] = body->inertia[2] = inertia;
        return true;
    }
    if (!shape->face) {
        return false;
    }
    double C[9], scale = body->mass / hull_moments(shape, body->com, C);
    principal_axes(C, body->turn);
    for (int32_t k = 0; k < 3; k++) {
        body->inertia[k] = scale * (C[4 * ((k + 1) % 3)] + C[4 * ((k + 2) % 3)]);
    }
    return true;
}

// A hull in the frame used here; a box whose edges lie along it is one.
static cn_shape_def engine_hull(const engine_body *body, const cn_shape_info *shape) {
    cn_shape_def out = cn_shape_def_default(CN_SHAPE_POLYHEDRON);
    double *vertices = ALLOCATE(double, 3 * (int64_t)shape->vertex_count);
    double high[3] = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < shape->vertex_count; i++) {
        double off[3];
        vertex_from(shape, body->com, i, off);
        quat_back(body->turn, off, vertices + 3 * (int64_t)i);
        for (int32_t k = 0; k < 3; k++) {
            high[k] = fmax(high[k], vertices[3 * (int64_t)i + k]);
        }
    }
    if (shape->kind == CN_SHAPE_BOX) {
        free(vertices);
        out = cn_shape_def_default(CN_SHAPE_BOX);
        for (int32_t k = 0; k < 3; k++) {
            out.size[k] = 2.0 * high[k];
        }
        return out;
    }
    int32_t *sizes = ALLOCATE(int32_t, shape->face_count);
    for (int32_t f = 0; f < shape->face_count; f++) {
        sizes[f] = shape->face[f + 1] - shape->face[f];
    }
    out.vertices = vertices;
    out.vertex_count = shape->vertex_count;
    out.face_size = sizes;
    out.faces = shape->loop;
    out.face_count = shape->face_count;
    return out;
}

static bool engine_shape(engine_body *body, const cn_shape_info *shape, cn_shape_def *out) {
    *out = cn_shape_def_default(shape->kind);
    switch (shape->kind) {
    case CN_SHAPE_SPHERE:
        out->radius = shape->radius;
        return true;
    case CN_SHAPE_PLANE:
        memcpy(out->normal, shape->normal, sizeof out->normal);
        out->offset = shape->offset;
        return !body->is_free;
    case CN_SHAPE_BOX:
    case CN_SHAPE_POLYHEDRON:
        *out = engine_hull(body, shape);
        return true;
    default:
        return false;
    }
}

// false: a shape that not all engines know.
static bool engine_body_make(const cn_model *model, cn_body_id id, engine_body *body) {
    cn_body_info info;
    cn_shape_info shape;
    cn_model_body(model, id, &info);
    *body = (engine_body){.is_free = strcmp(info.kind, "rigid") == 0,
                          .is_driven = strcmp(info.kind, "driven") == 0,
                          .mass = info.mass,
                          .turn = {1.0, 0.0, 0.0, 0.0},
                          .shape_count = info.shape_count};
    memcpy(body->com, info.com, sizeof body->com);
    body->shapes = ALLOCATE(cn_shape_def, info.shape_count);
    bool good = !body->is_free || info.shape_count == 1;
    for (int32_t i = 0; good && i < info.shape_count; i++) {
        cn_model_shape(model, id, i, &shape);
        good = (!body->is_free || engine_inertia(body, &shape)) &&
               engine_shape(body, &shape, &body->shapes[i]);
    }
    return good;
}

// ---- the world ----

void engine_world_states(const engine_world *world, const cn_sim *sim, double *states) {
    double *q = ALLOCATE(double, 7 * (int64_t)world->count);
    cn_sim_poses(sim, q);
    for (int32_t i = 0; i < world->count; i++) {
        const engine_body *body = &world->bodies[i];
        const double *pose = q + 7 * (int64_t)i;
        double *out = states + ENGINE_FREE * (int64_t)i, offset[3];
        memset(out, 0, ENGINE_FREE * sizeof *out);
        quat_turn(pose + 3, body->com, offset);
        for (int32_t k = 0; k < 3; k++) {
            out[k] = pose[k] + offset[k];
        }
        quat_times(pose + 3, body->turn, out + 3);
    }
    free(q);
}

static int32_t count_overrides(const cn_override *set) {
    int32_t count = 0;
    while (count < ENGINE_OVERRIDES && set[count].path) {
        count++;
    }
    return count;
}

static cn_status engine_world_model(const engine_case *scene_case, const cn_override *more,
                                    cn_model **model, cn_error *error) {
    cn_override set[2 * ENGINE_OVERRIDES];
    int32_t count = count_overrides(scene_case->set), extra = more ? count_overrides(more) : 0;
    memcpy(set, scene_case->set, sizeof *set * (size_t)count);
    if (extra > 0) {
        memcpy(set + count, more, sizeof *set * (size_t)extra);
    }
    char *path = gallery_path(scene_case->scene);
    if (!path) {
        *error = (cn_error){.status = CN_ERR_INPUT};
        snprintf(error->message, sizeof error->message, "the gallery has no scene '%s'",
                 scene_case->scene);
        return CN_ERR_INPUT;
    }
    cn_status status = cn_scene_read(NULL, path, set, count + extra, model, error);
    free(path);
    return status;
}

bool engine_world_open(const engine_case *scene_case, const cn_override *more, double friction,
                       engine_world *world) {
    cn_error error = {.status = CN_OK};
    cn_sim *sim = NULL;
    *world = (engine_world){.friction = friction, .first_free = -1};
    if (engine_world_model(scene_case, more, &world->model, &error) != CN_OK ||
        cn_sim_create(world->model, NULL, &sim, &error) != CN_OK) {
        report_error(&error);
        engine_world_close(world);
        return false;
    }
    const cn_settings *settings = cn_model_settings(world->model);
    world->step = settings->step;
    memcpy(world->gravity, settings->gravity, sizeof world->gravity);
    world->count = cn_model_body_count(world->model);
    world->bodies = ALLOCATE(engine_body, world->count);
    bool good = cn_model_dim(world->model) == 3;
    for (int32_t i = 0; good && i < world->count; i++) {
        good = engine_body_make(world->model, i + 1, &world->bodies[i]);
        world->first_free =
            world->first_free < 0 && world->bodies[i].is_free ? i : world->first_free;
    }
    if (good) {
        double *states = ALLOCATE(double, ENGINE_FREE *(int64_t)world->count);
        engine_world_states(world, sim, states);
        for (int32_t i = 0; i < world->count; i++) {
            memcpy(world->bodies[i].start, states + ENGINE_FREE * (int64_t)i,
                   sizeof world->bodies[i].start);
        }
        free(states);
    } else {
        report_failure("%s has shapes that peers do not know", scene_case->scene);
    }
    cn_sim_destroy(sim);
    if (!good) {
        engine_world_close(world);
    }
    return good;
}

void engine_world_close(engine_world *world) {
    for (int32_t i = 0; world->bodies && i < world->count; i++) {
        engine_body *body = &world->bodies[i];
        for (int32_t k = 0; body->shapes && k < body->shape_count; k++) {
            free((void *)body->shapes[k].vertices);
            free((void *)body->shapes[k].face_size);
        }
        free(body->shapes);
    }
    free(world->bodies);
    free(world->changes);
    cn_model_destroy(world->model);
    *world = (engine_world){.count = 0};
}

// ---- for peers ----

static void write_reals(FILE *out, const double *values, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        fprintf(out, " %.17g", values[i]);
    }
}

static void write_shape(FILE *out, const cn_shape_def *shape) {
    int32_t words = 0;
    switch (shape->kind) {
    case CN_SHAPE_SPHERE:
        fprintf(out, "sphere %.17g\n", shape->radius);
        return;
    case CN_SHAPE_BOX:
        fputs("box", out);
        write_reals(out, shape->size, 3);
        break;
    case CN_SHAPE_PLANE:
        fputs("plane", out);
        write_reals(out, shape->normal, 3);
        write_reals(out, &shape->offset, 1);
        break;
    default:
        for (int32_t f = 0; f < shape->face_count; f++) {
            words += 1 + shape->face_size[f];
        }
        fprintf(out, "hull %d %d %d", (int)shape->vertex_count, (int)shape->face_count, (int)words);
        write_reals(out, shape->vertices, 3 * shape->vertex_count);
        const int32_t *at = shape->faces;
        for (int32_t f = 0; f < shape->face_count; f++) {
            fprintf(out, " %d", (int)shape->face_size[f]);
            for (int32_t i = 0; i < shape->face_size[f]; i++) {
                fprintf(out, " %d", (int)*at++);
            }
        }
    }
    fputc('\n', out);
}

bool engine_world_write(const engine_world *world, const engine_case *scene_case,
                        const char *path) {
    output_file file;
    if (!output_open(&file, path)) {
        return false;
    }
    FILE *out = file.file;
    int64_t steps = (int64_t)(scene_case->until / world->step + 0.5);
    fprintf(out, "cairn-peer 1\nstep %.17g %lld %d\nlimit %.17g\ngravity", world->step,
            (long long)steps, (int)scene_case->every, scene_case->limit);
    write_reals(out, world->gravity, 3);
    fprintf(out, "\nfriction %.17g\nbodies %d\n", world->friction, (int)world->count);
    for (int32_t i = 0; i < world->count; i++) {
        const engine_body *body = &world->bodies[i];
        fprintf(out, "body %s", body->is_free ? "free" : body->is_driven ? "driven" : "fixed");
        write_reals(out, (const double[]){body->is_free ? body->mass : 1.0}, 1);
        write_reals(out, body->is_free ? body->inertia : (const double[]){1.0, 1.0, 1.0}, 3);
        write_reals(out, body->start, ENGINE_FREE);
        fprintf(out, " %d\n", (int)body->shape_count);
        for (int32_t k = 0; k < body->shape_count; k++) {
            write_shape(out, &body->shapes[k]);
        }
    }
    fprintf(out, "motions %d\n", (int)world->change_count);
    for (int32_t i = 0; i < world->change_count; i++) {
        fprintf(out, "%d %.17g", (int)world->changes[i].body, world->changes[i].t);
        write_reals(out, world->changes[i].velocity, 3);
        fputc('\n', out);
    }
    return output_close(&file) == EXIT_DONE;
}

// ---- overlaps ----

// Every body where the states have it, at rest, in a model of its own.
static cn_model *engine_kinetic_still(const engine_world *world, const double *states) {
    cn_model *model = cn_model_create(NULL, 3);
    int32_t material;
    cn_contact_def law = cn_contact_def_default();
    law.between[0] = law.between[1] = "*";
    law.friction = 0.0;
    bool good = model &&
                cn_model_add_material(model, &(cn_material_def){.name = "any", .density = 1.0},
                                      &material, NULL) == CN_OK &&
                cn_model_add_contact(model, &law, NULL) == CN_OK;
    for (int32_t i = 0; good && i < world->count; i++) {
        const engine_body *body = &world->bodies[i];
        cn_body_def def = cn_body_def_default();
        def.material = material;
        def.fixed = !body->is_free;
        memcpy(def.position, states + ENGINE_FREE * (int64_t)i, sizeof def.position);
        memcpy(def.orientation, states + ENGINE_FREE * (int64_t)i + 3, sizeof def.orientation);
        def.shapes = body->shapes;
        def.shape_count = body->shape_count;
        good = cn_model_add_body(model, &def, &(cn_body_id){0}, NULL) == CN_OK;
    }
    if (good) {
        cn_settings *settings = cn_model_settings(model);
        settings->step = settings->until = ENGINE_SLACK;
        settings->solver = "nsgs";
        settings->max_iterations = 1;
        settings->tolerance = ENGINE_LOOSE;
        settings->on_stall = CN_STALL_CONTINUE;
        settings->overlap_max = ENGINE_OVERLAP;
        good = cn_model_finish(model, NULL) == CN_OK;
    }
    if (!good) {
        cn_model_destroy(model);
        return NULL;
    }
    return model;
}

double engine_overlap(const engine_world *world, const double *states) {
    cn_model *model = engine_kinetic_still(world, states);
    cn_sim *sim = NULL;
    cn_step_report report;
    double overlap = (double)NAN;
    if (model && cn_sim_create(model, NULL, &sim, NULL) == CN_OK &&
        cn_sim_step(sim, &report, NULL) == CN_OK) {
        overlap = report.penetration_max;
    }
    cn_sim_destroy(sim);
    cn_model_destroy(model);
    return overlap;
}
