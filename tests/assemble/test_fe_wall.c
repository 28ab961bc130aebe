// A wall of elastic blocks without mortar that is suddenly loaded by its weight (Jean 1999, section 8):
// 12 courses of 12 blocks in running bond, and the same wall in one piece.
//
// Small strain, contacts at the midpoints of edges in the undeformed wall, gap law, friction 0.5,
// implicit Euler. Figures are those of a prototype when the ground first carries the weight.
#include "check.h"

#include "assemble/gather.h"
#include "detect/mortar.h"
#include "fe_bodies.h"
#include "figures.h"

#include <cairn/solve.h>

enum { COURSES = 12, PER_COURSE = 12, BLOCKS = COURSES * PER_COURSE, CONTACTS_MAX = 600 };

static const double step_size = 1e-4, width = 0.1, height = 0.05, density = 500.0, gravity = 9.81;
static const double weight = BLOCKS * 0.1 * 0.05 * 500.0 * 9.81; // per metre of depth

typedef enum joint { FOUNDATION, BED, HEAD } joint;

typedef struct wall {
    cn_arena *memory;
    fe_types *types;
    fe_material material;
    int32_t bodies;
    fe_mesh mesh;         // of every body
    fe_body body[BLOCKS]; // 1 or BLOCKS of them
    asm_body answer[BLOCKS + 1];
    det_surface surface[BLOCKS];
    asm_rows rows;
    asm_entry entry[4 * CONTACTS_MAX];
    int64_t start[CONTACTS_MAX + 1];
    double frame[4 * CONTACTS_MAX], gap[CONTACTS_MAX], mu[CONTACTS_MAX];
    double q[2 * CONTACTS_MAX], r[2 * CONTACTS_MAX];
    joint kind[CONTACTS_MAX];
} wall;

static void block_centre(int b, double x[2]) {
    int course = b / PER_COURSE;
    x[0] = width * (b % PER_COURSE + 0.5 + 0.5 * (course % 2));
    x[1] = height * (course + 0.5);
}

static void add_contact(wall *w, joint kind, const double normal[2], double gap,
                        const det_node_weight *part, int parts) {
    int32_t a = w->rows.contacts++;
    CN_CHECK_TRUE(a < CONTACTS_MAX);
    const double axes[4] = {normal[0], normal[1], -normal[1], normal[0]};
    memcpy(w->frame + 4 * a, axes, sizeof axes);
    for (int k = 0; k < parts; k++) {
        w->entry[w->start[a] + k] =
            (asm_entry){.body = part[k].body, .node = part[k].node, .weight = part[k].weight};
    }
    w->start[a + 1] = w->start[a] + parts;
    w->gap[a] = gap;
    w->mu[a] = 0.5;
    w->kind[a] = kind;
}

static void add_pair(wall *w, joint kind, int candidate, int antagonist) {
    det_rows rows;
    assert_int_equal(det_midpoint_rows(w->surface + candidate, w->surface + antagonist, 1e-6, 1e-6,
                                       w->memory, &rows),
                     CN_OK);
    for (int32_t k = 0; k < rows.rows; k++) {
        add_contact(w, kind, rows.normal + 2 * k, rows.gap[k], rows.weight + rows.start[k], 4);
    }
}

// Midpoints of the edges that lie on the ground, y = 0.
static void add_foundation(wall *w, int body) {
    const double up[2] = {0.0, 1.0};
    for (int32_t f = 0; f < w->mesh.faces; f++) {
        const int32_t *node = w->mesh.face + 2 * f;
        const double *x = w->surface[body].x;
        if (fabs(x[2 * node[0] + 1]) < 1e-9 && fabs(x[2 * node[1] + 1]) < 1e-9) {
            const det_node_weight part[3] = {
                {body, node[0], 0.5}, {body, node[1], 0.5}, {w->bodies, -1, -1.0}};
            add_contact(w, FOUNDATION, up, 0.0, part, 3);
        }
    }
}

static void place(wall *w, int body, double x, double y) {
    double *position = BASE_TAKE(w->memory, double, 2 * w->mesh.nodes);
    for (int32_t i = 0; i < 2 * w->mesh.nodes; i++) {
        position[i] = w->mesh.node[i] + (i % 2 ? y : x);
    }
    w->surface[body] = (det_surface){.body = body, .mesh = &w->mesh, .x = position};
}

static void start_wall(wall *w, int32_t bodies) {
    const double down[2] = {0.0, -gravity};
    w->bodies = bodies;
    fe_type_key key = {.mesh = &w->mesh, .material = w->material, .h = step_size, .theta = 1.0};
    fe_type *type;
    assert_int_equal(fe_types_get(w->types, &key, &type, NULL), CN_OK);
    assert_int_equal(fe_type_condense(type, NULL), CN_OK);
    for (int32_t b = 0; b < bodies; b++) {
        assert_int_equal(fe_body_create(w->memory, type, false, w->body + b, NULL), CN_OK);
        fe_add_gravity(&w->mesh, &type->ops, down, w->body[b].load);
        w->answer[b] = (asm_body){.compliance = &type->compliance};
    }
    w->rows = (asm_rows){.dim = 2,
                         .bodies = bodies + 1,
                         .body = w->answer,
                         .frame = w->frame,
                         .start = w->start,
                         .entry = w->entry};
}

static wall *new_wall(void) {
    cn_arena *memory = cn_arena_create(NULL);
    wall *w = BASE_TAKE_ZERO(memory, wall, 1);
    w->memory = memory;
    w->types = fe_types_create(NULL);
    w->material = (fe_material){.density = density, .young = 1e6, .poisson = 0.3};
    return w;
}

static wall *wall_of_blocks(void) {
    wall *w = new_wall();
    w->mesh = make_box(w->memory, "t3", width, height, 0, 2, 2, 0, FE_PATTERN_UNION_JACK);
    for (int b = 0; b < BLOCKS; b++) {
        double centre[2];
        block_centre(b, centre);
        place(w, b, centre[0], centre[1]);
    }
    start_wall(w, BLOCKS);
    for (int b = 0; b < BLOCKS; b++) {
        int course = b / PER_COURSE, column = b % PER_COURSE;
        if (course == 0) {
            add_foundation(w, b);
        }
        // The two blocks below: columns c and c + 1 in odd courses, c - 1 and c in even ones.
        for (int k = 0; course > 0 && k < 2; k++) {
            int below = column + (course % 2 ? k : k - 1);
            if (below >= 0 && below < PER_COURSE) {
                add_pair(w, BED, b, PER_COURSE * (course - 1) + below);
            }
        }
        if (column > 0) {
            add_pair(w, HEAD, b, b - 1);
        }
    }
    return w;
}

// The same triangles on common nodes: grid points every half block.
static wall *wall_in_one_piece(void) {
    wall *w = new_wall();
    enum { ACROSS = 2 * PER_COURSE + 2, UP = 2 * COURSES + 1 };
    fe_mesh block = make_box(w->memory, "t3", width, height, 0, 2, 2, 0, FE_PATTERN_UNION_JACK);
    int32_t number[ACROSS * UP], nodes = 0;
    memset(number, 0xff, sizeof number);
    double *node = BASE_TAKE(w->memory, double, 2 * ACROSS * UP);
    int32_t *corner = BASE_TAKE(w->memory, int32_t, BLOCKS * 8 * 3);
    for (int b = 0; b < BLOCKS; b++) {
        double centre[2];
        block_centre(b, centre);
        for (int k = 0; k < 24; k++) {
            double x = centre[0] + block.node[2 * block.corner[k]];
            double y = centre[1] + block.node[2 * block.corner[k] + 1];
            int at = (int)lround(x / (0.5 * width)) + ACROSS * (int)lround(y / (0.5 * height));
            if (number[at] < 0) {
                node[2 * nodes] = x;
                node[2 * nodes + 1] = y;
                number[at] = nodes++;
            }
            corner[24 * b + k] = number[at];
        }
    }
    assert_int_equal(
        fe_mesh_build(w->memory, 2, block.element, nodes, node, 8 * BLOCKS, corner, &w->mesh, NULL),
        CN_OK);
    place(w, 0, 0.0, 0.0);
    start_wall(w, 1);
    add_foundation(w, 0);
    return w;
}

static void end_wall(wall *w) {
    fe_types_destroy(w->types);
    cn_arena_destroy(w->memory);
}

// Steps until the ground carries the weight; the time by interpolation.
static double load_wall(wall *w) {
    const double *velocity[BLOCKS + 1] = {NULL}, *displacement[BLOCKS + 1] = {NULL};
    double *impulse[BLOCKS + 1] = {NULL}, moved[2 * CONTACTS_MAX];
    for (int32_t b = 0; b < w->bodies; b++) {
        velocity[b] = w->body[b].v_free;
        displacement[b] = w->body[b].u;
        impulse[b] = w->body[b].impulse;
    }
    cn_friction p; // the same in every step, but for q
    assert_int_equal(asm_gather(&w->rows, w->q, w->mu, w->memory, &p), CN_OK);
    const cn_friction_solver *solver = cn_friction_solver_find("nsgs");
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    opts.tolerance = 1e-6;
    cn_arena *scratch = cn_arena_create(NULL);
    double before = 0.0, force = 0.0;
    int k = 0;
    for (; force < weight && k < 200; k++) {
        asm_velocity(&w->rows, displacement, moved);
        for (int32_t b = 0; b < w->bodies; b++) {
            assert_int_equal(fe_body_free_velocity(w->body + b), CN_OK);
        }
        asm_velocity(&w->rows, velocity, p.q);
        for (int32_t a = 0; a < w->rows.contacts; a++) {
            p.q[2 * a] += (w->gap[a] + moved[2 * a]) / step_size;
        }
        cn_solve_report report;
        cn_error error;
        assert_int_equal(cn_friction_solve(&p, solver, &opts, scratch, w->r, NULL, &report, &error),
                         CN_OK);
        CN_CHECK_TRUE(report.outcome == CN_SOLVED);
        asm_impulse(&w->rows, w->r, impulse);
        before = force;
        force = 0.0;
        for (int32_t b = 0; b < w->bodies; b++) {
            assert_int_equal(fe_body_integrate(w->body + b), CN_OK);
        }
        for (int32_t a = 0; a < w->rows.contacts; a++) {
            force += w->kind[a] == FOUNDATION ? w->r[2 * a] / step_size : 0.0;
        }
    }
    cn_arena_destroy(scratch);
    return step_size * (k - 1 + (weight - before) / (force - before));
}

// The moment tensor of the contact forces on a block about its centre, sum of x f' [N m].
static void moment(const wall *w, int b, double M[4]) {
    memset(M, 0, 4 * sizeof *M);
    for (int32_t i = 0; i < 2 * w->mesh.nodes; i++) {
        for (int c = 0; c < 2; c++) {
            M[2 * c + i % 2] += w->mesh.node[i - i % 2 + c] * w->body[b].impulse[i] / step_size;
        }
    }
}

CN_TEST(wall_of_blocks_under_its_weight) {
    figures f = {0};
    wall *w = wall_of_blocks();
    int32_t count[3] = {0, 0, 0}, pressed = 0, slides[3] = {0, 0, 0};
    for (int32_t a = 0; a < w->rows.contacts; a++) {
        count[w->kind[a]]++;
    }
    assert_int_equal(count[FOUNDATION], 24);
    assert_int_equal(count[BED], 253);
    assert_int_equal(count[HEAD], 264);
    double time = load_wall(w), heads = 0.0, sums[2] = {0.0, 0.0}, tension = -INFINITY, top = 0.0;
    for (int32_t a = 0; a < w->rows.contacts; a++) {
        const double *r = w->r + 2 * a;
        if (w->kind[a] == HEAD && r[0] > 0.0) {
            pressed++;
            heads += r[0] / step_size;
        }
        slides[w->kind[a]] += r[0] > 0.0 && fabs(r[1]) > 0.5 * r[0] * (1.0 - 1e-9);
    }
    // The mean stress of a block from its contact forces, and from its elements, whose sums agree
    // but for inertia.
    double stressed[2] = {0.0, 0.0}, stress[48];
    for (int b = 0; b < BLOCKS; b++) {
        double M[4];
        moment(w, b, M);
        sums[0] += M[0];
        sums[1] += M[3];
        double area = width * height, shear = 0.5 * (M[1] + M[2]) / area;
        double mean = 0.5 * (M[0] + M[3]) / area, half = 0.5 * (M[0] - M[3]) / area;
        tension = fmax(tension, mean + hypot(half, shear));
        fe_stresses(&w->mesh, &w->material, FE_PLANE_STRAIN, w->body[b].u, stress);
        for (int e = 0; e < 8; e++) {
            stressed[0] += stress[6 * e] * area / 8.0;
            stressed[1] += stress[6 * e + 1] * area / 8.0;
        }
    }
    for (int b = BLOCKS - PER_COURSE; b < BLOCKS; b++) {
        for (int n = 6; n < 9; n++) { // the nodes of its top, by their share of it
            top -= w->body[b].u[2 * n + 1] * (n == 7 ? 0.5 : 0.25) / PER_COURSE;
        }
    }
    figure_below(&f, 0.01, fabs(time / 0.01207 - 1.0), "time until the ground carries it: %.4f ms",
                 1e3 * time);
    figure_above(&f, 235, pressed, "head joints pressed, of 264");
    figure_below(&f, 0.03, fabs(heads / 3403.0 - 1.0), "sum of head forces: %.1f N", heads);
    figure_below(&f, 0.02, fabs(sums[1] / -1063.95 - 1.0), "sum of M_yy: %.2f N m", sums[1]);
    figure_below(&f, 0.02, fabs(sums[0] / -352.39 - 1.0), "sum of M_xx: %.2f N m", sums[0]);
    figure_below(&f, 0.01, fabs(stressed[1] / -1064.16 - 1.0), "sum of stress yy: %.2f N m",
                 stressed[1]);
    figure_below(&f, 20.0, tension, "largest tension over blocks [Pa]");
    figure_below(&f, 0.01, fabs(top / 0.7103e-3 - 1.0), "sinking of the top: %.4f mm", 1e3 * top);
    figure_below(&f, 0.0, slides[BED], "bed joints that slide");
    figure_note(slides[FOUNDATION], "foundation joints that slide");
    figure_note(slides[HEAD], "head joints that slide");
    end_wall(w);
    figures_check(&f);
}

CN_TEST(wall_in_one_piece_under_its_weight) {
    figures f = {0};
    wall *w = wall_in_one_piece();
    assert_int_equal(w->rows.contacts, 24);
    double time = load_wall(w), tension = -INFINITY, value[3], axes[9];
    double *stress = BASE_TAKE(w->memory, double, 6 * w->mesh.elements);
    fe_stresses(&w->mesh, &w->material, FE_PLANE_STRAIN, w->body[0].u, stress);
    for (int32_t e = 0; e < w->mesh.elements; e++) {
        fe_principal(stress + 6 * e, value, axes);
        tension = fmax(tension, value[0]);
    }
    figure_below(&f, 0.01, fabs(time / 0.01206 - 1.0), "time until the ground carries it: %.4f ms",
                 1e3 * time);
    figure_above(&f, 200.0, tension, "largest tension [Pa]");
    figure_below(&f, 300.0, tension, "largest tension [Pa]");
    end_wall(w);
    figures_check(&f);
}
