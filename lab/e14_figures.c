// lab/e14_figures.c
// What E14 draws, figures 7 to 13 of its source, and the wall in one piece as a model.
#include "lab/e14_elastic_wall.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define E14_REACTION 0.09 // [m] length of the largest reaction
#define E14_CROSS 0.05    // [m] of the largest principal value
#define E14_MAGNIFIED 100.0

// ---- the wall in one piece ----

#define E14_ACROSS (2 * E14_BRICKS + 2) // grid points every half block
#define E14_UP (2 * E14_COURSES + 1)
#define E14_NODES (E14_ACROSS * E14_UP)
#define E14_ELEMENTS (8 * E14_BRICKS * E14_COURSES)

// Eight triangles round the middle of each block, as in its own mesh.
static int32_t e14_solid_mesh(double *node, int32_t *corner) {
    static const int32_t round[9][2] = {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2},
                                        {1, 2}, {0, 2}, {0, 1}, {0, 0}};
    int32_t number[E14_NODES], nodes = 0;
    memset(number, 0xff, sizeof number);
    for (int32_t e = 0; e < E14_ELEMENTS; e++) {
        int32_t block = e / 8, course = block / E14_BRICKS;
        int32_t left = 2 * (block % E14_BRICKS) + course % 2, low = 2 * course;
        const int32_t place[3][2] = {{left + 1, low + 1},
                                     {left + round[e % 8][0], low + round[e % 8][1]},
                                     {left + round[e % 8 + 1][0], low + round[e % 8 + 1][1]}};
        for (int32_t k = 0; k < 3; k++) {
            int32_t at = place[k][0] + E14_ACROSS * place[k][1];
            if (number[at] < 0) {
                node[2 * nodes] = 0.5 * E14_WIDTH * (place[k][0] - E14_BRICKS);
                node[2 * nodes + 1] = 0.5 * E14_HEIGHT * place[k][1];
                number[at] = nodes++;
            }
            corner[3 * e + k] = number[at];
        }
    }
    return nodes;
}

cn_status e14_make_solid(cn_model **out, cn_error *error) {
    double node[2 * E14_NODES];
    int32_t corner[3 * E14_ELEMENTS], material;
    cn_body_id id;
    cn_deformable_def soft = {.mesh = {.kind = CN_MESH_GIVEN,
                                       .element = "t3",
                                       .nodes = node,
                                       .node_count = e14_solid_mesh(node, corner),
                                       .elements = corner,
                                       .element_count = E14_ELEMENTS},
                              .strain = CN_STRAIN_SMALL,
                              .candidates = CN_CANDIDATES_MIDPOINTS};
    const cn_material_def brick = {.name = "brick", .density = 500.0, .young = 1e6, .poisson = 0.3};
    cn_contact_def contact = cn_contact_def_default();
    cn_shape_def line = cn_shape_def_default(CN_SHAPE_LINE);
    cn_body_def ground = cn_body_def_default(), wall = ground;
    contact.between[0] = contact.between[1] = "*";
    contact.friction = 0.5;
    ground.fixed = true;
    ground.shapes = &line;
    ground.shape_count = 1;
    line.normal[0] = 0.0;
    line.normal[1] = 1.0;
    wall.deformable = &soft;
    *out = cn_model_create(NULL, 2);
    if (!*out) {
        return error_memory(error);
    }
    cn_settings *settings = cn_model_settings(*out);
    settings->step = 1e-4;
    settings->theta = 1.0;
    settings->tolerance = 1e-8;
    cn_status status = cn_model_add_material(*out, &brick, &material, error);
    status = status == CN_OK ? cn_model_add_contact(*out, &contact, error) : status;
    status = status == CN_OK ? cn_model_add_body(*out, &ground, &id, error) : status;
    status = status == CN_OK ? cn_model_add_body(*out, &wall, &id, error) : status;
    return status == CN_OK ? cn_model_finish(*out, error) : status;
}

// ---- lines ----

static void e14_line(point_series *out, double x0, double y0, double x1, double y1) {
    series_add(out, x0, y0);
    series_add(out, x1, y1);
    series_add(out, (double)NAN, (double)NAN);
}

// All elements, their nodes moved `factor` times as far from the start as they are.
static void e14_mesh(const e14_moment *start, const e14_moment *at, double factor,
                     point_series *out) {
    for (cn_body_id id = 1; id <= cn_model_body_count(at->model); id++) {
        cn_mesh_info mesh;
        if (!cn_model_mesh(at->model, id, &mesh)) {
            continue;
        }
        for (int32_t e = 0; e < mesh.element_count; e++) {
            for (int32_t k = 0; k <= mesh.per_element; k++) {
                int32_t n =
                    mesh.first_node + mesh.elements[mesh.per_element * e + k % mesh.per_element];
                const double *from = start->x + 2 * n, *to = at->x + 2 * n;
                series_add(out, from[0] + factor * (to[0] - from[0]),
                           from[1] + factor * (to[1] - from[1]));
            }
            series_add(out, (double)NAN, (double)NAN);
        }
    }
}

// The outlines of the bodies: faces of meshes, edges of polygons.
static void e14_outlines(const e14_moment *at, point_series *out) {
    for (cn_body_id id = 1; id <= cn_model_body_count(at->model); id++) {
        cn_mesh_info mesh;
        cn_shape_info shape;
        if (cn_model_mesh(at->model, id, &mesh)) {
            for (int32_t f = 0; f < mesh.face_count; f++) {
                const double *a = at->x + 2 * (mesh.first_node + mesh.faces[2 * f]),
                             *b = at->x + 2 * (mesh.first_node + mesh.faces[2 * f + 1]);
                e14_line(out, a[0], a[1], b[0], b[1]);
            }
            continue;
        }
        if (cn_model_shape(at->model, id, 0, &shape) != CN_OK) {
            continue;
        }
        const double *q = at->q + 3 * (id - 1);
        double c = cos(q[2]), s = sin(q[2]);
        for (int32_t k = 0; k <= shape.vertex_count && shape.vertex_count > 0; k++) {
            const double *v = shape.vertices + 3 * (int64_t)(k % shape.vertex_count);
            series_add(out, q[0] + c * v[0] - s * v[1], q[1] + s * v[0] + c * v[1]);
        }
        series_add(out, (double)NAN, (double)NAN);
    }
}

// A line through each contact along its reaction, as long as that is large.
static void e14_reactions(const e14_moment *at, point_series *out) {
    double largest = 1e-300;
    for (int32_t i = 0; i < at->count; i++) {
        largest = fmax(largest, hypot(at->contacts[i].impulse[0], at->contacts[i].impulse[1]));
    }
    for (int32_t i = 0; i < at->count; i++) {
        const cn_contact_record *c = &at->contacts[i];
        double x = 0.5 * E14_REACTION * c->impulse[0] / largest,
               y = 0.5 * E14_REACTION * c->impulse[1] / largest;
        if (hypot(x, y) > 0.0) {
            e14_line(out, c->point[0] - x, c->point[1] - y, c->point[0] + x, c->point[1] + y);
        }
    }
}

// A cross of principal values about a point, to the lines of pressure or of tension.
static void e14_cross(const double at[2], const e14_principal *p, double scale,
                      point_series signs[2]) {
    for (int32_t k = 0; k < 2; k++) {
        double angle = p->angle + (k ? 1.5707963267948966 : 0.0);
        double x = 0.5 * scale * fabs(p->value[k]) * cos(angle),
               y = 0.5 * scale * fabs(p->value[k]) * sin(angle);
        e14_line(&signs[p->value[k] > 0.0], at[0] - x, at[1] - y, at[0] + x, at[1] + y);
    }
}

// ---- figures ----

typedef struct e14_figure {
    const char *name, *about, *title, *subtitle;
    const char *curves[2]; // legend
    const char *notes[2];
} e14_figure;

// Lines over the outlines of bodies.
static void e14_plot(reproduction *lab, const e14_figure *figure, const point_series *lines,
                     int32_t count, const point_series *outline) {
    plot_curve curves[3];
    for (int32_t k = 0; k < count; k++) {
        curves[k] = (plot_curve){.name = figure->curves[k],
                                 .note = figure->notes[k],
                                 .x = lines[k].x,
                                 .y = lines[k].y,
                                 .count = lines[k].count,
                                 .strokes = true};
    }
    curves[count] = (plot_curve){.name = "blocks",
                                 .note = "",
                                 .x = outline->x,
                                 .y = outline->y,
                                 .count = outline->count,
                                 .outline = true};
    plot_spec plot = {.title = figure->title,
                      .subtitle = figure->subtitle,
                      .x_label = "x [m]",
                      .y_label = "height [m]",
                      .x_scale = SCALE_LINEAR,
                      .y_scale = SCALE_LINEAR,
                      .equal = true,
                      .curves = curves,
                      .count = count + 1};
    lab_plot(lab, figure->name, figure->about, &plot);
}

static void e14_draw_reactions(reproduction *lab, const e14_figure *figure, const e14_moment *at) {
    point_series lines = {.count = 0}, outline = {.count = 0};
    e14_reactions(at, &lines);
    e14_outlines(at, &outline);
    e14_plot(lab, figure, &lines, 1, &outline);
    series_free(&lines);
    series_free(&outline);
}

static void e14_draw_deformed(reproduction *lab, const e14_figures *figures) {
    static const e14_figure figure = {
        .name = "9-deformed",
        .about = "the deformed meshes at T, displacements 100 times as large (figure 9)",
        .title = "E14: the wall at T",
        .subtitle = "displacements 100 times as large",
        .curves = {"meshes at T"},
        .notes = {"magnified"}};
    point_series lines = {.count = 0}, outline = {.count = 0};
    e14_mesh(&figures->start, &figures->loaded, E14_MAGNIFIED, &lines);
    e14_outlines(&figures->start, &outline);
    e14_plot(lab, &figure, &lines, 1, &outline);
    series_free(&lines);
    series_free(&outline);
}

static void e14_draw_moments(reproduction *lab, const e14_moment *at) {
    static const e14_figure figure = {
        .name = "10-moment-stress",
        .about = "the moment stress of each block at T by its principal values (figure 10)",
        .title = "E14: moment stress of the blocks at T",
        .subtitle = "principal directions; lengths as values",
        .curves = {"pressure", "tension"},
        .notes = {"", ""}};
    point_series signs[2] = {{.count = 0}, {.count = 0}}, outline = {.count = 0};
    double *M = e14_moments(at), largest = 1e-300;
    for (int32_t round = 0; round < 2; round++) {
        for (cn_body_id id = 2; id <= cn_model_body_count(at->model); id++) {
            const double *m = M + 4 * (id - 1);
            e14_principal p = e14_principal_of(m[0], m[3], 0.5 * (m[1] + m[2]));
            if (round == 0) {
                largest = fmax(largest, fmax(fabs(p.value[0]), fabs(p.value[1])));
            } else {
                e14_cross(at->q + 3 * (id - 1), &p, E14_CROSS / largest, signs);
            }
        }
    }
    e14_outlines(at, &outline);
    e14_plot(lab, &figure, signs, 2, &outline);
    free(M);
    series_free(&signs[0]);
    series_free(&signs[1]);
    series_free(&outline);
}

// Of every element; where one is pulled, the cross is ten times as large.
static void e14_draw_solid(reproduction *lab, const e14_moment *at, const double *stress) {
    static const e14_figure figure = {
        .name = "11-one-piece",
        .about = "stresses of the wall in one piece at T, tension ten times as long (figure 11)",
        .title = "E14: the same wall in one piece at T",
        .subtitle = "principal stresses of the elements; tension drawn ten times as long",
        .curves = {"pressure", "tension"},
        .notes = {"", "ten times as long"}};
    point_series signs[2] = {{.count = 0}, {.count = 0}}, outline = {.count = 0};
    double largest = 1e-300;
    cn_mesh_info mesh;
    if (!cn_model_mesh(at->model, 2, &mesh)) {
        return;
    }
    for (int32_t i = 0; i < 6 * mesh.element_count; i++) {
        largest = fmax(largest, fabs(stress[i]));
    }
    for (int32_t e = 0; e < mesh.element_count; e++) {
        const double *s = stress + 6 * e;
        double middle[2] = {0.0, 0.0};
        for (int32_t k = 0; k < 6; k++) {
            int32_t n = mesh.first_node + mesh.elements[3 * e + k / 2];
            middle[k % 2] += at->x[2 * n + k % 2] / 3.0;
        }
        e14_principal p = e14_principal_of(s[0], s[1], s[3]);
        p.value[0] *= p.value[0] > 0.0 ? 10.0 : 1.0;
        p.value[1] *= p.value[1] > 0.0 ? 10.0 : 1.0;
        e14_cross(middle, &p, 0.8 * E14_CROSS / largest, signs);
    }
    e14_outlines(at, &outline);
    e14_plot(lab, &figure, signs, 2, &outline);
    series_free(&signs[0]);
    series_free(&signs[1]);
    series_free(&outline);
}

static void e14_draw_forces(reproduction *lab, const char *name, const char *about,
                            const char *x_label, const e14_curve *curve) {
    const plot_curve curves[] = {{.name = "ground",
                                  .note = "on the wall",
                                  .x = curve->ground.x,
                                  .y = curve->ground.y,
                                  .count = curve->ground.count},
                                 {.name = "head joints",
                                  .note = "sum",
                                  .x = curve->heads.x,
                                  .y = curve->heads.y,
                                  .count = curve->heads.count}};
    plot_spec plot = {.title = "E14: forces over the weight of the wall",
                      .subtitle = about,
                      .x_label = x_label,
                      .y_label = "force / weight",
                      .x_scale = SCALE_LINEAR,
                      .y_scale = SCALE_LINEAR,
                      .curves = curves,
                      .count = 2};
    lab_plot(lab, name, about, &plot);
}

void e14_draw(reproduction *lab, trial_result *result, const e14_figures *figures) {
    static const e14_figure loaded = {.name = "8-reactions",
                                      .about = "the reactions of the contacts at T (figure 8)",
                                      .title = "E14: reactions at T",
                                      .subtitle = "lengths as forces",
                                      .curves = {"reactions"},
                                      .notes = {"on contacts"}};
    static const e14_figure later = {
        .name = "12-from-rest",
        .about = "reactions after going on from T without velocity (figure 12)",
        .title = "E14: reactions after a dozen oscillations",
        .subtitle = "from T on, velocities set to zero there",
        .curves = {"reactions"},
        .notes = {"on contacts"}};
    static const e14_figure shaken = {
        .name = "13-shaken",
        .about = "reactions of rigid blocks on a shaking ground (figure 13)",
        .title = "E14: rigid blocks on a shaking ground",
        .subtitle = "the ground swings sideways with up to 3 m/s2",
        .curves = {"reactions"},
        .notes = {"on contacts"}};
    const double begin = 0.0;
    lab_picture(lab, "7-wall", "the wall and its meshes (figure 7)", result, &begin, 1,
                (picture_spec){.title = "E14: a wall of 144 elastic blocks",
                               .subtitle = "of eight triangles each"});
    e14_draw_reactions(lab, &loaded, &figures->loaded);
    e14_draw_deformed(lab, figures);
    e14_draw_moments(lab, &figures->loaded);
    e14_draw_solid(lab, &figures->solid, figures->stress);
    e14_draw_reactions(lab, &later, &figures->later);
    e14_draw_reactions(lab, &shaken, &figures->shaken);
    e14_draw_forces(lab, "forces-loading", "from gravity switched on to T", "t [ms]",
                    &figures->loading);
    e14_draw_forces(lab, "forces-from-rest", "from T on, velocities set to zero there", "t [s]",
                    &figures->resting);
}
