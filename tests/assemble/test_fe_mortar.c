// Rows between the surfaces of two deformable bodies: partition of unity, the contact patch
// test with meshes that do not match, and the pressure of two bodies pressed together.
#include "check.h"

#include "assemble/gather.h"
#include "detect/mortar.h"
#include "failing_allocator.h"
#include "fe_bodies.h"
#include "figures.h"

#include <cairn/solve.h>

typedef cn_status rows_fn(const det_surface *, const det_surface *, double, double, cn_arena *,
                          det_rows *);

// Two blocks, the upper one (body 1) on the lower (body 0).
typedef struct pair {
    cn_arena *memory;
    fe_types *types;
    fe_mesh mesh[2];
    fe_material material;
    fe_body body[2];
    det_surface surface[2];
    asm_body answer[2];
    double *r;
} pair;

static void place(pair *p, int b, double y) {
    double *x = BASE_TAKE(p->memory, double, 2 * p->mesh[b].nodes);
    for (int32_t i = 0; i < 2 * p->mesh[b].nodes; i++) {
        x[i] = p->mesh[b].node[i] + (i % 2 ? y : 0.0);
    }
    p->surface[b] = (det_surface){.body = b, .mesh = p->mesh + b, .x = x};
}

// Quasi-static bodies with the dofs held that are marked.
static void make_bodies(pair *p, double h, uint8_t *const held[2]) {
    for (int b = 0; b < 2; b++) {
        fe_type_key key = {
            .mesh = p->mesh + b, .material = p->material, .h = h, .theta = 1.0, .held = held[b]};
        fe_type *type;
        assert_int_equal(fe_types_get(p->types, &key, &type, NULL), CN_OK);
        assert_int_equal(fe_type_condense(type, NULL), CN_OK);
        assert_int_equal(fe_body_create(p->memory, type, true, p->body + b, NULL), CN_OK);
        p->answer[b] = (asm_body){.compliance = &type->compliance};
    }
}

static void start_pair(pair *p) {
    *p = (pair){.memory = cn_arena_create(NULL), .types = fe_types_create(NULL)};
    p->material = (fe_material){.density = 1.0, .young = 1e3, .poisson = 0.3};
}

static void end_pair(pair *p) {
    fe_types_destroy(p->types);
    cn_arena_destroy(p->memory);
}

// Quasi-static steps, frictionless, with the gap law on rows of the undeformed surfaces; fills
// p->r.
static void press(pair *p, const det_rows *rows, int steps) {
    int32_t n = rows->rows;
    asm_entry *entry = BASE_TAKE_ZERO(p->memory, asm_entry, rows->start[n]);
    double *frame = BASE_TAKE(p->memory, double, 4 * n), *q = BASE_TAKE(p->memory, double, 2 * n);
    double *mu = BASE_TAKE_ZERO(p->memory, double, n), h = p->body[0].type->key.h;
    double *moved = BASE_TAKE(p->memory, double, 2 * n);
    p->r = BASE_TAKE_ZERO(p->memory, double, 2 * n);
    for (int64_t k = 0; k < rows->start[n]; k++) {
        entry[k] = (asm_entry){.body = rows->weight[k].body,
                               .node = rows->weight[k].node,
                               .weight = rows->weight[k].weight};
    }
    for (int32_t k = 0; k < n; k++) {
        const double *m = rows->normal + 2 * k;
        const double axes[4] = {m[0], m[1], -m[1], m[0]};
        memcpy(frame + 4 * k, axes, sizeof axes);
    }
    asm_rows all = {.dim = 2,
                    .contacts = n,
                    .bodies = 2,
                    .body = p->answer,
                    .frame = frame,
                    .start = rows->start,
                    .entry = entry};
    const double *velocity[2] = {p->body[0].v_free, p->body[1].v_free};
    const double *displacement[2] = {p->body[0].u, p->body[1].u};
    double *impulse[2] = {p->body[0].impulse, p->body[1].impulse};
    const cn_friction_solver *solver = cn_friction_solver_find("newton-ac");
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    opts.tolerance = 1e-14;
    for (int k = 0; k < steps; k++) {
        cn_arena *scratch = cn_arena_create(NULL);
        asm_velocity(&all, displacement, moved);
        for (int b = 0; b < 2; b++) {
            assert_int_equal(fe_body_free_velocity(p->body + b), CN_OK);
        }
        asm_velocity(&all, velocity, q);
        for (int32_t a = 0; a < n; a++) {
            q[2 * a] += (rows->gap[a] + moved[2 * a]) / h;
        }
        cn_friction problem;
        cn_solve_report report;
        cn_error error;
        assert_int_equal(asm_gather(&all, q, mu, scratch, &problem), CN_OK);
        assert_int_equal(
            cn_friction_solve(&problem, solver, &opts, scratch, p->r, NULL, &report, &error),
            CN_OK);
        CN_CHECK_BELOW(report.grade.residual, 1e-12);
        asm_impulse(&all, p->r, impulse);
        for (int b = 0; b < 2; b++) {
            assert_int_equal(fe_body_integrate(p->body + b), CN_OK);
        }
        cn_arena_destroy(scratch);
    }
}

// Weights of both sides sum to 1, gaps and lengths are those of parallel surfaces.
CN_TEST(rows_are_partitions_of_unity) {
    static rows_fn *const make[2] = {det_mortar_rows, det_midpoint_rows};
    static const int32_t count[2] = {8, 10};
    for (int k = 0; k < 2; k++) {
        pair p;
        start_pair(&p);
        p.mesh[0] = make_box(p.memory, "q4", 1.0, 0.5, 0, 4, 2, 0, FE_PATTERN_DIAGONAL);
        p.mesh[1] = make_box(p.memory, "q4", 1.0, 0.5, 0, 7, 3, 0, FE_PATTERN_DIAGONAL);
        place(&p, 0, -0.25);
        place(&p, 1, 0.25 + 0.01);
        det_rows rows;
        assert_int_equal(make[k](p.surface + 1, p.surface, 0.1, 0.1, p.memory, &rows), CN_OK);
        assert_int_equal(rows.rows, count[k]);
        double length = 0.0;
        for (int32_t a = 0; a < rows.rows; a++) {
            double sum[2] = {0.0, 0.0}, centre[2] = {0.0, 0.0};
            for (int64_t e = rows.start[a]; e < rows.start[a + 1]; e++) {
                const det_node_weight *w = rows.weight + e;
                sum[w->body] += w->weight;
                centre[w->body] += w->weight * p.surface[w->body].x[2 * w->node];
            }
            CN_CHECK_NEAR(sum[0], -1.0, 1e-14);
            CN_CHECK_NEAR(sum[1], 1.0, 1e-14);
            CN_CHECK_NEAR(rows.gap[a], 0.01, 1e-15);
            CN_CHECK_NEAR(rows.normal[2 * a], 0.0, 1e-15);
            CN_CHECK_NEAR(rows.normal[2 * a + 1], 1.0, 1e-15);
            CN_CHECK_NEAR(rows.point[2 * a + 1], 0.01, 1e-15);
            // The other side is weighted about the same place: linear fields pass.
            CN_CHECK_NEAR(centre[0] + centre[1], 0.0, 1e-14);
            length += rows.length[a];
        }
        CN_CHECK_NEAR(length, 1.0, 1e-14);
        // Out of reach, above and below.
        assert_int_equal(make[k](p.surface + 1, p.surface, 0.009, 0.1, p.memory, &rows), CN_OK);
        assert_int_equal(rows.rows, 0);
        place(&p, 1, 0.25 - 0.02);
        assert_int_equal(make[k](p.surface + 1, p.surface, 0.1, 0.019, p.memory, &rows), CN_OK);
        assert_int_equal(rows.rows, 0);
        end_pair(&p);
    }
}

// Blocks that overlap in part: dual on what overlaps, no weight outside, and the length is that of
// the overlap but for rows of slivers.
CN_TEST(partial_overlap_keeps_partitions_of_unity) {
    for (int k = 0; k < 40; k++) {
        pair p;
        start_pair(&p);
        p.mesh[0] = make_box(p.memory, "q4", 1.0, 0.5, 0, 4, 2, 0, FE_PATTERN_DIAGONAL);
        p.mesh[1] = make_box(p.memory, "q4", 1.0, 0.5, 0, 7, 3, 0, FE_PATTERN_DIAGONAL);
        place(&p, 0, -0.25);
        place(&p, 1, 0.25);
        double shift = 0.0241 * k, *x = BASE_TAKE(p.memory, double, 2 * p.mesh[1].nodes);
        for (int32_t i = 0; i < 2 * p.mesh[1].nodes; i++) {
            x[i] = p.surface[1].x[i] + (i % 2 ? 0.0 : shift);
        }
        p.surface[1].x = x;
        det_rows rows;
        assert_int_equal(det_mortar_rows(p.surface + 1, p.surface, 0.1, 0.1, p.memory, &rows),
                         CN_OK);
        double length = 0.0;
        for (int32_t a = 0; a < rows.rows; a++) {
            double sum = 0.0, centre = rows.point[2 * a];
            for (int64_t e = rows.start[a] + 1; e < rows.start[a + 1]; e++) {
                sum += rows.weight[e].weight;
                centre += rows.weight[e].weight * p.surface[0].x[2 * rows.weight[e].node];
            }
            CN_CHECK_NEAR(sum, -1.0, 1e-12);
            CN_CHECK_NEAR(centre, 0.0, 1e-12);
            length += rows.length[a];
        }
        CN_CHECK_NEAR(length, 1.0 - shift, 0.06 / 7.0);
        end_pair(&p);
    }
}

// ---- in space ----

static void place_in_space(pair *p, int b, double x, double y, double z) {
    const double shift[3] = {x, y, z};
    double *at = BASE_TAKE(p->memory, double, 3 * p->mesh[b].nodes);
    for (int32_t i = 0; i < 3 * p->mesh[b].nodes; i++) {
        at[i] = p->mesh[b].node[i] + shift[i % 3];
    }
    det_surface_tree *tree = BASE_TAKE(p->memory, det_surface_tree, 1);
    assert_int_equal(det_surface_tree_build(p->mesh + b, p->memory, tree), CN_OK);
    double *box = BASE_TAKE(p->memory, double, 6 * tree->branches);
    det_surface_tree_refit(tree, p->mesh + b, at, box);
    p->surface[b] = (det_surface){b, p->mesh + b, at, tree, box};
}

static bool rows_agree(const det_rows *a, const det_rows *b) {
    bool agree = a->rows == b->rows && a->start[a->rows] == b->start[b->rows];
    for (int32_t k = 0; agree && k < a->rows; k++) {
        agree = a->key[k] == b->key[k] && a->gap[k] == b->gap[k] && a->length[k] == b->length[k];
    }
    return agree;
}

// Blocks that overlap in part: weights sum to 1 about the place of the node, areas to that of the
// overlap but for slivers; trees only leave out what is far.
CN_TEST(rows_in_space_are_partitions_of_unity) {
    static const char *const element[2] = {"h8", "tet4"};
    for (int k = 0; k < 40; k++) {
        pair p;
        start_pair(&p);
        p.mesh[0] = make_box(p.memory, element[k % 2], 1.0, 0.8, 0.5, 4, 3, 1, FE_PATTERN_DIAGONAL);
        p.mesh[1] = make_box(p.memory, "h8", 1.0, 0.8, 0.5, 5, 5, 1, FE_PATTERN_DIAGONAL);
        double x = 0.0241 * (k / 2), y = 0.0173 * (k / 2);
        place_in_space(&p, 0, 0.0, 0.0, -0.25);
        place_in_space(&p, 1, x, y, 0.25 + 0.01);
        det_rows rows, slow;
        assert_int_equal(det_mortar_rows(p.surface + 1, p.surface, 0.1, 0.1, p.memory, &rows),
                         CN_OK);
        p.surface[0].tree = NULL;
        assert_int_equal(det_mortar_rows(p.surface + 1, p.surface, 0.1, 0.1, p.memory, &slow),
                         CN_OK);
        CN_CHECK_TRUE(rows_agree(&rows, &slow));
        double area = 0.0;
        for (int32_t a = 0; a < rows.rows; a++) {
            double sum[2] = {0.0, 0.0}, centre[2] = {0.0, 0.0};
            for (int64_t e = rows.start[a]; e < rows.start[a + 1]; e++) {
                const det_node_weight *w = rows.weight + e;
                sum[w->body] += w->weight;
                for (int i = 0; i < 2; i++) {
                    centre[i] += w->weight * p.surface[w->body].x[3 * w->node + i];
                }
            }
            CN_CHECK_NEAR(sum[0], -1.0, 1e-11);
            CN_CHECK_NEAR(sum[1], 1.0, 1e-14);
            CN_CHECK_NEAR(hypot(centre[0], centre[1]), 0.0, 1e-11);
            CN_CHECK_NEAR(rows.gap[a], 0.01, 1e-13);
            CN_CHECK_NEAR(rows.normal[3 * a + 2], 1.0, 1e-14);
            area += rows.length[a];
        }
        CN_CHECK_NEAR(area, (1.0 - x) * (0.8 - y), k < 2 ? 1e-13 : 0.02);
        // Out of reach, above and below.
        assert_int_equal(det_mortar_rows(p.surface + 1, p.surface, 0.009, 0.1, p.memory, &rows),
                         CN_OK);
        assert_int_equal(rows.rows, 0);
        end_pair(&p);
    }
}

// Boxes hold their faces after the nodes have moved, and a search finds all that are near.
CN_TEST(a_refitted_tree_finds_every_near_face) {
    pair p;
    start_pair(&p);
    p.mesh[0] = make_box(p.memory, "tet4", 1.0, 0.8, 0.5, 6, 5, 4, FE_PATTERN_DIAGONAL);
    p.mesh[1] = p.mesh[0];
    base_rng rng = base_rng_seed(5);
    for (int32_t i = 0; i < 3 * p.mesh[0].nodes; i++) {
        p.mesh[1].node[i] += base_rng_uniform(&rng, -0.3, 0.3);
    }
    place_in_space(&p, 1, 0.1, 0.2, 0.3);
    const det_surface *s = p.surface + 1;
    int32_t *list = BASE_TAKE(p.memory, int32_t, s->mesh->faces);
    for (int k = 0; k < 200; k++) {
        double low[3], high[3];
        for (int i = 0; i < 3; i++) {
            low[i] = base_rng_uniform(&rng, -1.0, 1.0);
            high[i] = low[i] + base_rng_uniform(&rng, 0.0, 0.3);
        }
        int32_t count = det_surface_tree_near(s->tree, s->box, low, high, list);
        for (int32_t f = 0; f < s->mesh->faces; f++) {
            bool near = true, listed = false;
            for (int i = 0; i < 3; i++) {
                double least = HUGE_VAL, most = -HUGE_VAL;
                for (int n = 0; n < 3; n++) {
                    least = fmin(least, s->x[3 * s->mesh->face[3 * f + n] + i]);
                    most = fmax(most, s->x[3 * s->mesh->face[3 * f + n] + i]);
                }
                near = near && least <= high[i] && most >= low[i];
            }
            for (int32_t n = 0; n < count; n++) {
                listed = listed || list[n] == f;
            }
            CN_CHECK_TRUE(listed || !near);
        }
        CN_CHECK_TRUE(count <= s->mesh->faces);
    }
    end_pair(&p);
}

// A body of two slabs, one below the other: only the nearer one is met.
CN_TEST(nearer_of_two_surfaces_is_met) {
    static rows_fn *const make[2] = {det_mortar_rows, det_midpoint_rows};
    double node[16] = {-0.5, -0.4, 0.5, -0.4, 0.5, -0.3, -0.5, -0.3,
                       -0.5, -0.1, 0.5, -0.1, 0.5, 0.0,  -0.5, 0.0};
    int32_t corner[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (int k = 0; k < 4; k++) { // both kinds of rows, both orders of the slabs
        pair p;
        start_pair(&p);
        for (int i = 0; i < 8; i++) {
            corner[i] = k / 2 ? (i + 4) % 8 : i;
        }
        assert_int_equal(
            fe_mesh_build(p.memory, 2, fe_element_find("q4"), 8, node, 2, corner, p.mesh, NULL),
            CN_OK);
        p.mesh[1] = make_box(p.memory, "q4", 1.0, 0.5, 0, 7, 3, 0, FE_PATTERN_DIAGONAL);
        place(&p, 0, 0.0);
        place(&p, 1, 0.25 + 0.01);
        det_rows rows;
        assert_int_equal(make[k % 2](p.surface + 1, p.surface, 1.0, 0.1, p.memory, &rows), CN_OK);
        double length = 0.0;
        for (int32_t a = 0; a < rows.rows; a++) {
            CN_CHECK_NEAR(rows.gap[a], 0.01, 1e-15);
            length += rows.length[a];
        }
        CN_CHECK_NEAR(length, 1.0, 1e-14);
        end_pair(&p);
    }
}

// ---- the contact patch test ----

// Two blocks 1 x 0.5 under a uniform pressure, without friction: the stress is uniform. Largest
// deviation of stress yy over the pressure.
static double contact_patch(rows_fn *make, int upper, int lower, int32_t rows_wanted) {
    const double pressure = 2.0;
    pair p;
    start_pair(&p);
    p.mesh[0] = make_box(p.memory, "q4", 1.0, 0.5, 0, lower, 4, 0, FE_PATTERN_DIAGONAL);
    p.mesh[1] = make_box(p.memory, "q4", 1.0, 0.5, 0, upper, 4, 0, FE_PATTERN_DIAGONAL);
    place(&p, 0, -0.25);
    place(&p, 1, 0.25);
    uint8_t *held[2];
    for (int b = 0; b < 2; b++) {
        held[b] = BASE_TAKE_ZERO(p.memory, uint8_t, 2 * p.mesh[b].nodes);
    }
    fe_hold(p.mesh, group_of(p.mesh, "bottom"), 2, held[0]);
    held[0][0] = 1;                   // a corner, against sliding
    held[1][2 * (upper + 1) * 4] = 1; // and of the top
    make_bodies(&p, 0.3, held);
    fe_add_pressure(p.mesh + 1, group_of(p.mesh + 1, "top"), pressure, p.body[1].load);
    det_rows rows;
    int candidate = upper >= lower ? 1 : 0;
    assert_int_equal(
        make(p.surface + candidate, p.surface + (1 - candidate), 0.1, 0.1, p.memory, &rows), CN_OK);
    assert_int_equal(rows.rows, rows_wanted);
    press(&p, &rows, 12);
    double worst = 0.0;
    for (int b = 0; b < 2; b++) {
        double *stress = BASE_TAKE(p.memory, double, 6 * p.mesh[b].elements);
        fe_stresses(p.mesh + b, &p.material, FE_PLANE_STRAIN, p.body[b].u, stress);
        for (int32_t e = 0; e < p.mesh[b].elements; e++) {
            worst = fmax(worst, fabs(stress[6 * e + 1] + pressure) / pressure);
            worst = fmax(worst, fabs(stress[6 * e]) / pressure);
            worst = fmax(worst, fabs(stress[6 * e + 3]) / pressure);
        }
    }
    // Dual rows: pressure at every node is force / length.
    for (int32_t a = 0; make == det_mortar_rows && a < rows.rows; a++) {
        double here = p.r[2 * a] / p.body[0].type->key.h / rows.length[a];
        worst = fmax(worst, fabs(here / pressure - 1.0));
    }
    end_pair(&p);
    return worst;
}

CN_TEST(contact_patch_test_with_meshes_that_do_not_match) {
    figures f = {0};
    figure_below(&f, 1e-10, contact_patch(det_mortar_rows, 7, 4, 8), "dual mortar, 7 on 4");
    figure_below(&f, 1e-10, contact_patch(det_mortar_rows, 4, 7, 8), "dual mortar, 4 on 7");
    figure_below(&f, 1e-10, contact_patch(det_mortar_rows, 5, 5, 6), "dual mortar, 5 on 5");
    figure_below(&f, 1e-10, contact_patch(det_mortar_rows, 13, 3, 14), "dual mortar, 13 on 3");
    figure_below(&f, 1e-10, contact_patch(det_midpoint_rows, 7, 4, 10), "midpoints, 7 on 4");
    figures_check(&f);
}

// ---- two bodies pressed together ----

// A block with a parabolic bottom of radius 4 on a flat one, both 1 x 0.6 with the same material,
// the top driven down: pressure at the nodes over Hertz's of the same force, inside 0.8 a.
CN_TEST(pressure_of_two_bodies_is_smooth) {
    static const int cells[2][2] = {{48, 35}, {24, 17}};
    figures f = {0};
    for (int k = 0; k < 2; k++) {
        const double radius = 4.0, depth = 0.0115;
        pair p;
        start_pair(&p);
        for (int b = 0; b < 2; b++) {
            int n = cells[k][1 - b];
            p.mesh[b] = make_box(p.memory, "q4", 1.0, 0.6, 0, n, n / 2, 0, FE_PATTERN_DIAGONAL);
        }
        for (int32_t n = 0; n < p.mesh[1].nodes; n++) {
            double *x = p.mesh[1].node + 2 * n;
            x[1] += x[0] * x[0] / (2.0 * radius) * (0.3 - x[1]) / 0.6;
        }
        assert_int_equal(fe_mesh_check_shape(p.mesh + 1, NULL), CN_OK);
        place(&p, 0, -0.3);
        place(&p, 1, 0.3);
        uint8_t *held[2];
        for (int b = 0; b < 2; b++) {
            held[b] = BASE_TAKE_ZERO(p.memory, uint8_t, 2 * p.mesh[b].nodes);
            fe_hold(p.mesh + b, group_of(p.mesh + b, b ? "top" : "bottom"), 3, held[b]);
        }
        make_bodies(&p, 1e3, held);
        for (int32_t n = 0; n < p.mesh[1].nodes; n++) {
            p.body[1].held_velocity[2 * n + 1] = -depth / p.body[1].type->key.h;
        }
        det_rows rows;
        assert_int_equal(det_mortar_rows(p.surface + 1, p.surface, 0.1, 0.1, p.memory, &rows),
                         CN_OK);
        press(&p, &rows, 1);
        double force = 0.0, low = INFINITY, high = 0.0, ripple = 0.0, last = 0.0, before = 0.0;
        for (int32_t a = 0; a < rows.rows; a++) {
            force += p.r[2 * a] / p.body[0].type->key.h;
        }
        double modulus = 1e3 / (2.0 * (1.0 - 0.09));
        double a_hertz = sqrt(4.0 * force * radius / (acos(-1.0) * modulus));
        double p0 = 2.0 * force / (acos(-1.0) * a_hertz);
        int inside = 0;
        for (int32_t a = 0; a < rows.rows; a++) { // nodes of the bottom, from left to right
            double x = rows.point[2 * a];
            if (fabs(x) > 0.8 * a_hertz) {
                continue;
            }
            double here = p.r[2 * a] / p.body[0].type->key.h / rows.length[a];
            double ratio = here / (p0 * sqrt(1.0 - x * x / (a_hertz * a_hertz)));
            low = fmin(low, ratio);
            high = fmax(high, ratio);
            if (inside++ > 1) { // against the mean of its neighbours
                ripple = fmax(ripple, fabs(last - 0.5 * (before + ratio)));
            }
            before = last;
            last = ratio;
        }
        int fine = cells[k][0];
        figure_note(force, "%d on %d cells: force", fine, cells[k][1]);
        figure_note(a_hertz, "%d on %d cells: half width", fine, cells[k][1]);
        figure_above(&f, k ? 0.95 : 0.98, low, "%d on %d cells: lowest p/Hertz", fine, cells[k][1]);
        figure_below(&f, k ? 1.10 : 1.08, high, "%d on %d cells: highest p/Hertz", fine,
                     cells[k][1]);
        figure_below(&f, k ? 0.05 : 0.015, ripple, "%d on %d cells: ripple", fine, cells[k][1]);
        end_pair(&p);
    }
    figures_check(&f);
}

CN_TEST(every_allocation_of_rows_may_fail) {
    pair p;
    start_pair(&p);
    p.mesh[0] = make_box(p.memory, "q4", 1.0, 0.5, 0, 40, 2, 0, FE_PATTERN_DIAGONAL);
    p.mesh[1] = make_box(p.memory, "q4", 1.0, 0.5, 0, 70, 3, 0, FE_PATTERN_DIAGONAL);
    place(&p, 0, -0.25);
    place(&p, 1, 0.25);
    pair space;
    start_pair(&space);
    for (int b = 0; b < 2; b++) {
        space.mesh[b] =
            make_box(space.memory, "h8", 1.0, 0.8, 0.5, 3 + b, 3, 1, FE_PATTERN_DIAGONAL);
        place_in_space(&space, b, 0.0, 0.0, b ? 0.25 : -0.25);
    }
    for (int64_t k = 1;; k++) {
        cn_failing memory;
        cn_env env = cn_failing_env(&memory, k);
        cn_arena *arena = cn_arena_create(&env);
        det_rows rows;
        cn_status status = arena ? det_mortar_rows(p.surface, p.surface + 1, 0.1, 0.1, arena, &rows)
                                 : CN_ERR_MEMORY;
        status = status == CN_OK
                     ? det_midpoint_rows(p.surface, p.surface + 1, 0.1, 0.1, arena, &rows)
                     : status;
        status = status == CN_OK
                     ? det_mortar_rows(space.surface, space.surface + 1, 0.1, 0.1, arena, &rows)
                     : status;
        det_surface_tree tree;
        status = status == CN_OK ? det_surface_tree_build(space.mesh, arena, &tree) : status;
        cn_arena_destroy(arena);
        CN_CHECK_TRUE(memory.live == 0);
        CN_CHECK_TRUE(status == (memory.failed ? CN_ERR_MEMORY : CN_OK));
        if (!memory.failed) {
            CN_CHECK_TRUE(k > 2);
            break;
        }
    }
    end_pair(&space);
    end_pair(&p);
}
