// Elastic bodies against rigid ground, nodes as candidates, contacts written down by hand: a block
// that slides down a slope, and Hertz's contact of a parabola.
#include "check.h"

#include "assemble/gather.h"
#include "fe_bodies.h"
#include "figures.h"

#include <cairn/solve.h>

enum { NODES_MAX = 64 };

// One body whose nodes may touch something fixed: contact k is node[k], its axes the frame.
typedef struct setting {
    fe_body block;
    asm_body body[2]; // the second does not answer
    asm_entry entry[2 * NODES_MAX];
    int64_t start[NODES_MAX + 1];
    double frame[4 * NODES_MAX], gap[NODES_MAX], mu[NODES_MAX];
    double q[2 * NODES_MAX], r[2 * NODES_MAX];
    asm_rows rows;
} setting;

static void make_setting(cn_arena *memory, fe_type *type, bool quasi_static, int32_t contacts,
                         const int32_t *node, const double normal[2], double mu, setting *s) {
    memset(s, 0, sizeof *s);
    CN_CHECK_TRUE(contacts <= NODES_MAX);
    assert_int_equal(fe_type_condense(type, NULL), CN_OK);
    assert_int_equal(fe_body_create(memory, type, quasi_static, &s->block, NULL), CN_OK);
    s->body[0].compliance = &type->compliance;
    for (int32_t k = 0; k < contacts; k++) {
        const double axes[4] = {normal[0], normal[1], -normal[1], normal[0]};
        memcpy(s->frame + 4 * k, axes, sizeof axes);
        s->entry[2 * k] = (asm_entry){.body = 0, .node = node[k], .weight = 1.0};
        s->entry[2 * k + 1] = (asm_entry){.body = 1, .node = -1, .weight = -1.0};
        s->start[k + 1] = 2 * (k + 1);
        s->mu[k] = mu;
    }
    s->rows = (asm_rows){.dim = 2,
                         .contacts = contacts,
                         .bodies = 2,
                         .body = s->body,
                         .frame = s->frame,
                         .start = s->start,
                         .entry = s->entry};
}

// A step with the gap law u_N + gap / h >= 0; gap: at the predicted displacements.
static void step(setting *s, double tolerance) {
    cn_arena *memory = cn_arena_create(NULL);
    double h = s->block.type->key.h;
    assert_int_equal(fe_body_free_velocity(&s->block), CN_OK);
    const double *velocity[2] = {s->block.v_free, NULL};
    double *impulse[2] = {s->block.impulse, NULL};
    asm_velocity(&s->rows, velocity, s->q);
    for (int32_t k = 0; k < s->rows.contacts; k++) {
        s->q[2 * k] += s->gap[k] / h;
    }
    cn_friction p;
    assert_int_equal(asm_gather(&s->rows, s->q, s->mu, memory, &p), CN_OK);
    const cn_friction_solver *solver = cn_friction_solver_find("nsgs");
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    opts.tolerance = tolerance;
    cn_solve_report report;
    cn_error error;
    assert_int_equal(cn_friction_solve(&p, solver, &opts, memory, s->r, NULL, &report, &error),
                     CN_OK);
    CN_CHECK_TRUE(report.outcome == CN_SOLVED);
    asm_impulse(&s->rows, s->r, impulse);
    assert_int_equal(fe_body_integrate(&s->block), CN_OK);
    cn_arena_destroy(memory);
}

// ---- the sliding block ----

// Slope of the straight line through count points (h k, value[k]) by least squares.
static double fitted_slope(int count, double h, const double *value) {
    double top = 0.0, bottom = 0.0;
    for (int k = 0; k < count; k++) {
        double t = h * (k - 0.5 * (count - 1));
        top += t * value[k];
        bottom += t * t;
    }
    return top / bottom;
}

// Acceleration down a slope of 30 degrees over g (sin - mu cos), minus 1; fitted over the second
// half of the run, since the suddenly loaded block bounces. The slope lies along x, gravity is
// turned.
static double slide(double scale, double theta, double duration) {
    const double h = 1e-3, mu = 0.3, g = 9.81, normal[2] = {0.0, 1.0};
    const double gravity[2] = {0.5 * g, -0.5 * sqrt(3.0) * g};
    cn_arena *memory = cn_arena_create(NULL);
    fe_types *types = fe_types_create(NULL);
    fe_mesh mesh =
        make_box(memory, "q4", 1.4 * scale, 1.4 * scale, 0, 4, 4, 0, FE_PATTERN_DIAGONAL);
    fe_material material = {.density = 1000.0, .young = 1e7, .poisson = 0.3};
    fe_type_key key = {.mesh = &mesh, .material = material, .h = h, .theta = theta};
    fe_type *type;
    assert_int_equal(fe_types_get(types, &key, &type, NULL), CN_OK);
    const fe_group *bottom = group_of(&mesh, "bottom");
    setting s;
    make_setting(memory, type, false, bottom->nodes, bottom->node, normal, mu, &s);
    int steps = (int)(duration / h + 0.5);
    double *u = BASE_TAKE(memory, double, 2 * mesh.nodes);
    double *speed = BASE_TAKE_ZERO(memory, double, steps), before = 0.0, worst = 0.0;
    fe_add_gravity(&mesh, &type->ops, gravity, s.block.load);
    for (int k = 0; k < steps; k++) {
        fe_body_predict(&s.block, u);
        for (int32_t c = 0; c < bottom->nodes; c++) {
            s.gap[c] = u[2 * bottom->node[c] + 1];
        }
        step(&s, 1e-10);
        const fe_ledger *l = &s.block.ledger;
        double rest = l->kinetic + l->elastic - before - l->work_load - l->work_contact +
                      l->dissipated_numerical;
        worst = fmax(worst, fabs(rest) / (fabs(l->work_load) + l->kinetic));
        before = l->kinetic + l->elastic;
        double mass = 1000.0 * 1.96 * scale * scale;
        for (int32_t n = 0; n < mesh.nodes; n++) {
            speed[k] += type->ops.M.value[2 * n] * s.block.v[2 * n] / mass;
        }
    }
    CN_CHECK_BELOW(worst, 1e-12);
    double slope = fitted_slope(steps - steps / 2, h, speed + steps / 2);
    fe_types_destroy(types);
    cn_arena_destroy(memory);
    return slope / (g * (0.5 - 0.5 * sqrt(3.0) * mu)) - 1.0;
}

CN_TEST(block_slides_alike_at_any_scale) {
    figures f = {0};
    for (int k = 0; k < 2; k++) {
        double theta = k ? 1.0 : 0.5;
        figure_below(&f, 1e-3, fabs(slide(1.0, theta, 3.0)), "scale 1, theta %g", theta);
        figure_below(&f, 1e-3, fabs(slide(0.1, theta, 0.5)), "scale 0.1, theta %g", theta);
        figure_below(&f, 1e-3, fabs(slide(0.01, theta, 0.5)), "scale 0.01, theta %g", theta);
    }
    figures_check(&f);
}

// ---- Hertz's contact ----

// Right half of a block 4 x 2, graded towards the contact: `fine` cells over 0.1, the others
// growing to the far sides.
static fe_mesh graded_block(cn_arena *memory, int fine, int coarse) {
    int n = fine + coarse;
    fe_mesh mesh = make_box(memory, "q4", 1.0, 1.0, 0, n, n, 0, FE_PATTERN_DIAGONAL);
    double *line = BASE_TAKE(memory, double, n + 1), ratio = 1.0, first = 0.1 / fine, end;
    do { // the ratio at which the growing cells reach 2
        ratio += 1e-5;
        end = 0.1;
        double size = first;
        for (int k = 0; k < coarse; k++) {
            size *= ratio;
            end += size;
        }
    } while (end < 2.0);
    line[0] = 0.0;
    for (int k = 1; k <= n; k++) {
        line[k] = line[k - 1] + (k <= fine ? first : first * pow(ratio, k - fine));
    }
    for (int k = 0; k <= n; k++) {
        line[k] *= k <= fine ? 1.0 : 2.0 / line[n];
    }
    for (int32_t node = 0; node < mesh.nodes; node++) {
        mesh.node[2 * node] = line[node % (n + 1)];
        mesh.node[2 * node + 1] = -line[n - node / (n + 1)];
    }
    assert_int_equal(fe_mesh_check_shape(&mesh, NULL), CN_OK);
    return mesh;
}

typedef struct hertz {
    double force, support; // of the whole block, at its contact and at its bottom
    double centre, worst;  // p(0)/p0; largest |p - Hertz|/p0 within 0.8 a
} hertz;

// A rigid parabola of radius 1 pushed into the block by depth, without friction. Pressure is
// compared with that of the computed force, since the block is not a half-space.
static hertz press(int fine, int coarse, double depth) {
    const double h = 1e6, normal[2] = {0.0, -1.0}, young = 1e3, poisson = 0.3;
    cn_arena *memory = cn_arena_create(NULL);
    fe_types *types = fe_types_create(NULL);
    fe_mesh mesh = graded_block(memory, fine, coarse);
    uint8_t *held = BASE_TAKE_ZERO(memory, uint8_t, 2 * mesh.nodes);
    fe_hold(&mesh, group_of(&mesh, "bottom"), 3, held);
    fe_hold(&mesh, group_of(&mesh, "left"), 1, held);
    fe_material material = {.density = 1.0, .young = young, .poisson = poisson};
    fe_type_key key = {.mesh = &mesh, .material = material, .h = h, .theta = 1.0, .held = held};
    fe_type *type;
    assert_int_equal(fe_types_get(types, &key, &type, NULL), CN_OK);
    const fe_group *top = group_of(&mesh, "top");
    setting s;
    int32_t contacts = fine + 8;
    make_setting(memory, type, true, contacts, top->node, normal, 0.0, &s);
    for (int32_t k = 0; k < contacts; k++) {
        double x = mesh.node[2 * top->node[k]];
        s.gap[k] = 0.5 * x * x - depth;
    }
    step(&s, 1e-13);
    hertz out = {0};
    for (int32_t k = 0; k < contacts; k++) {
        out.force += 2.0 * s.r[2 * k] / h;
    }
    for (int32_t n = 0; n < mesh.nodes; n++) {
        out.support += 2.0 * s.block.reaction[2 * n + 1] / h;
    }
    double pi = acos(-1.0), modulus = young / (1.0 - poisson * poisson);
    double a = sqrt(4.0 * out.force / (pi * modulus)), p0 = 2.0 * out.force / (pi * a);
    for (int32_t k = 0; k < contacts; k++) {
        double x = mesh.node[2 * top->node[k]];
        double right = mesh.node[2 * top->node[k + 1]];
        double left = k ? mesh.node[2 * top->node[k - 1]] : 0.0;
        double p = s.r[2 * k] / h / (0.5 * (right - left));
        if (k == 0) {
            out.centre = p / p0;
        }
        if (x < 0.8 * a) {
            out.worst = fmax(out.worst, fabs(p / p0 - sqrt(1.0 - x * x / (a * a))));
        }
    }
    fe_types_destroy(types);
    cn_arena_destroy(memory);
    return out;
}

CN_TEST(hertz_pressure_in_2d) {
    static const double depth[3] = {0.0066, 0.011, 0.0154};
    figures f = {0};
    for (int k = 0; k < 3; k++) {
        hertz fine = press(16, 35, depth[k]);
        figure_note(fine.force, "force at %g", depth[k]);
        figure_below(&f, 1e-12, fabs(fine.support / fine.force - 1.0), "depth %g: reaction",
                     depth[k]);
        figure_below(&f, 1e-3, fabs(fine.centre - 1.0), "depth %g: p(0)/p0", depth[k]);
        figure_below(&f, 5e-3, fine.worst, "depth %g: pressure inside 0.8 a", depth[k]);
    }
    figure_below(&f, 0.018, press(8, 25, 0.011).worst, "8 cells: pressure inside 0.8 a");
    figure_below(&f, 0.035, press(4, 20, 0.011).worst, "4 cells: pressure inside 0.8 a");
    figures_check(&f);
}
