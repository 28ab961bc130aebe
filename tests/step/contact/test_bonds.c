// Bonds of mortar and glue against closed forms, with the ledger closed.
#include "figures.h"
#include "world.h"

#include <cairn/act.h>
#include <cairn/model.h>

// A block of 0.2 x 0.3 x 0.1 m (in the plane 0.2 x 0.1) on the ground, glued, without gravity.
static world glued(int32_t dim, const char *law, double h, const char *fx, const char *fz) {
    const char *space =
        "cairn: 1\ngravity: [0, 0, 0]\ntime: {step: %.17g}\nsolver: {tolerance: 1e-9}\n"
        "materials: {stone: {density: 2000}}\ncontacts:\n  - {between: ['*', '*'], %s}\nbodies:\n"
        "  - {name: ground, fixed: true, material: stone, shape: {box: {size: [1, 1, 0.2]}}}\n"
        "  - {name: block, material: stone, position: [0, 0, 0.15],\n"
        "     shape: {box: {size: [0.2, 0.3, 0.1]}}}\n"
        "forces:\n  - {body: block, force: ['%s', 0, '%s'], point: [0, 0, -0.05]}\n";
    const char *plane =
        "cairn: 1\ndimension: 2\ngravity: [0, 0]\ntime: {step: %.17g}\n"
        "solver: {tolerance: 1e-9}\nmaterials: {stone: {density: 2000}}\ncontacts:\n"
        "  - {between: ['*', '*'], %s}\nbodies:\n"
        "  - {name: ground, fixed: true, material: stone, shape: {box: {size: [1, 0.2]}}}\n"
        "  - {name: block, material: stone, position: [0, 0.15], shape: {box: {size: [0.2, "
        "0.1]}}}\n"
        "forces:\n  - {body: block, force: ['%s', '%s'], point: [0, -0.05]}\n";
    return world_open(dim == 3 ? space : plane, h, law, fx, fz);
}

static double area_of(const world *w) {
    double sum = 0.0;
    for (int32_t b = 0; b < cn_sim_bond_count(w->sim); b++) {
        cn_bond_record bond;
        CN_CHECK_TRUE(cn_sim_bond(w->sim, b, &bond) == CN_OK);
        sum += bond.area;
    }
    return sum;
}

// Whether the block still holds after a load that grew slowly to a share of what the law bears.
static bool holds(int32_t dim, const char *stiffness, double sigma, double tau, double share) {
    char law[200], fx[80], fz[80];
    double area = dim == 3 ? 0.06 : 0.2;
    // A slow half cosine, then the full load: what still swings is below 1e-7 of it.
    const char *ramp = "(t<1 ? 0.5*(1-cos(3.14159265358979324*t)) : 1)";
    snprintf(law, sizeof law, "friction: 0.6, cohesion: 2e5, tension: 1e5%s", stiffness);
    snprintf(fx, sizeof fx, "%.17g*%s", share * tau * area, ramp);
    snprintf(fz, sizeof fz, "%.17g*%s", share * sigma * area, ramp);
    world w = glued(dim, law, 2e-3, fx, fz);
    CN_CHECK_NEAR(area_of(&w), area, 1e-12);
    for (int i = 0; i < 520 && w.last.bonds_broken == 0; i++) {
        CN_CHECK_BELOW(w.worst_residual, 1e-9);
        CN_CHECK_BELOW(w.worst_balance, 1e-9);
        world_step(&w);
    }
    bool whole = w.last.bonds_broken == 0;
    CN_CHECK_TRUE(whole || w.last.bonds_broken == cn_sim_bond_count(w.sim));
    world_close(&w);
    return whole;
}

// Under tension it breaks at f_t, under shear and pressure at c + mu sigma, between on the envelope.
CN_TEST(a_bond_breaks_at_its_strength) {
    // sigma (tension positive) and tau on the envelope |tau| = c - mu sigma, sigma <= f_t.
    const double on[][2] = {{1e5, 0.0},   {1e5, 1.2e5},  {0.0, 2e5},
                            {5e4, 1.7e5}, {-1e5, 2.6e5}, {-4e5, 4.4e5}};
    const char *stiffness[] = {", stiffness: {normal: 1e14, tangential: 5e13}", ""};
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (int soft = 0; soft < 2; soft++) {
            for (size_t i = 0; i < sizeof on / sizeof *on; i++) {
                double under = 1.0 - 1e-6, over = 1.0 + 1e-6;
                bool below = holds(dim, stiffness[soft], on[i][0], on[i][1], under);
                bool above = holds(dim, stiffness[soft], on[i][0], on[i][1], over);
                if (!below || above) {
                    print_error("%dD, layer '%s', sigma %g, tau %g: holds %d, %d\n", (int)dim,
                                stiffness[soft], on[i][0], on[i][1], below, above);
                }
            }
        }
    }
}

// A mass on an elastic layer swings with omega^2 = k A / m and keeps its energy.
CN_TEST(a_mass_on_a_layer_swings) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        double mass = dim == 3 ? 12.0 : 40.0, area = dim == 3 ? 0.06 : 0.2;
        double k = 1e6, omega = sqrt(k * area / mass), period = 2.0 * acos(-1.0) / omega;
        world w = glued(dim, "tension: 1e9, cohesion: 1e9, stiffness: 1e6", period / 400.0, "0",
                        "1000*(t<0.01)");
        double zero = 0.0, last = 0.0, first = -1.0, gone = 0.0;
        int turns = 0;
        for (int i = 0; i < 400 * 10; i++) {
            const double *q = world_position(&w, 2);
            double before = last;
            world_step(&w);
            q = world_position(&w, 2);
            last = (dim == 3 ? q[2] : q[1]) - 0.15;
            if (before < zero && last >= zero) {
                gone = (i + 1 - last / (last - before)) * period / 400.0;
                first = first < 0.0 ? gone : first;
                turns++;
            }
        }
        CN_CHECK_NEAR((gone - first) / (turns - 1) / period, 1.0, 2e-4);
        CN_CHECK_BELOW(w.worst_balance, 1e-12);
        CN_CHECK_NEAR(w.last.dissipated_numerical, 0.0, 1e-12);
        world_close(&w);
    }
}

// Pulled apart at a steady rate it gives back its traction-separation curve: the work of opening is
// the fracture energy, in tension and in shear, and so is the ledger's entry.
static double work_to_break(int32_t dim, const char *softening, bool shear, double mix, double h) {
    char law[300], scene_end[1600];
    snprintf(law, sizeof law,
             "friction: 0.5, cohesion: 2e5, tension: 1e5, stiffness: {normal: 1e10, tangential: "
             "5e9}, fracture_energy: {tension: 50, shear: 120}, softening: %s",
             softening);
    double rate = 4e-3; // m/s
    double vx = shear ? rate * (mix > 0.0 ? 0.6 : 1.0) : 0.0,
           vn = shear && mix == 0.0 ? 0.0 : (shear ? 0.8 * rate : rate);
    const char *space =
        "cairn: 1\ngravity: [0, 0, 0]\ntime: {step: %.17g}\nsolver: {tolerance: 1e-10}\n"
        "materials: {stone: {density: 2000}}\ncontacts:\n  - {between: ['*', '*'], %s}\nbodies:\n"
        "  - {name: lower, material: stone, lock: [tx, ty, tz, rx, ry, rz],\n"
        "     shape: {box: {size: [0.2, 0.3, 0.1]}}}\n"
        "  - {name: block, fixed: true, material: stone, position: [0, 0, 0.1],\n"
        "     shape: {box: {size: [0.2, 0.3, 0.1]}}}\n"
        "motions:\n  - {body: block, velocity: [%.17g, 0, %.17g]}\n";
    const char *plane =
        "cairn: 1\ndimension: 2\ngravity: [0, 0]\ntime: {step: %.17g}\n"
        "solver: {tolerance: 1e-10}\nmaterials: {stone: {density: 2000}}\ncontacts:\n"
        "  - {between: ['*', '*'], %s}\nbodies:\n"
        "  - {name: lower, material: stone, lock: [tx, ty, rz], shape: {box: {size: [0.2, 0.1]}}}\n"
        "  - {name: block, fixed: true, material: stone, position: [0, 0.1],\n"
        "     shape: {box: {size: [0.2, 0.1]}}}\n"
        "motions:\n  - {body: block, velocity: [%.17g, %.17g]}\n";
    (void)scene_end;
    world w = world_open(dim == 3 ? space : plane, h, law, vx, vn);
    double fracture = 0.0, area = area_of(&w), work = 0.0;
    while (w.last.bonds_broken == 0 && w.last.step < 100000) {
        world_step(&w);
        fracture += w.last.dissipated_fracture;
        work += w.last.work_external;
    }
    CN_CHECK_TRUE(w.last.bonds_broken == cn_sim_bond_count(w.sim));
    CN_CHECK_NEAR(fracture, work, 1e-9 * work + 2.0 * fabs(w.last.dissipated_numerical));
    CN_CHECK_BELOW(w.worst_balance, 1e-12);
    world_close(&w);
    return fracture / area;
}

CN_TEST(opening_a_bond_takes_its_fracture_energy) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        double h = 1e-4;
        CN_CHECK_NEAR(work_to_break(dim, "bilinear", false, 0.0, h) / 50.0, 1.0, 2e-3);
        CN_CHECK_NEAR(work_to_break(dim, "exponential", false, 0.0, h) / 50.0, 1.0, 2e-3);
        CN_CHECK_NEAR(work_to_break(dim, "bilinear", true, 0.0, h) / 120.0, 1.0, 2e-3);
        CN_CHECK_NEAR(work_to_break(dim, "exponential", true, 0.0, h) / 120.0, 1.0, 2e-3);
        // 0.8 of the way opens, 0.6 slips: shares of the energy k delta^2.
        double normal = 1e10 * 0.64, tangent = 5e9 * 0.36, B = tangent / (normal + tangent);
        double want = 1.0 / ((1.0 - B) / 50.0 + B / 120.0);
        CN_CHECK_NEAR(work_to_break(dim, "bilinear", true, 1.0, h) / want, 1.0, 2e-3);
        // First order in the step.
        double coarse = work_to_break(dim, "bilinear", false, 0.0, 8.0 * h),
               middle = work_to_break(dim, "bilinear", false, 0.0, 4.0 * h);
        CN_CHECK_BELOW(fabs(middle / 50.0 - 1.0), 0.7 * fabs(coarse / 50.0 - 1.0) + 1e-4);
    }
}

// Closed, opened half-way, closed again: back to the origin and stiff under pressure.
CN_TEST(a_cracked_bond_unloads_to_the_origin) {
    const char *scene =
        "cairn: 1\ndimension: 2\ngravity: [0, 0]\ntime: {step: 1e-4}\nsolver: {tolerance: 1e-10}\n"
        "materials: {stone: {density: 2000}}\ncontacts:\n"
        "  - {between: ['*', '*'], friction: 0.5, cohesion: 2e5, tension: 1e5, stiffness: 1e10,\n"
        "     fracture_energy: 50}\nbodies:\n"
        "  - {name: lower, material: stone, lock: [tx, ty, rz], shape: {box: {size: [0.2, 0.1]}}}\n"
        "  - {name: block, fixed: true, material: stone, position: [0, 0.1],\n"
        "     shape: {box: {size: [0.2, 0.1]}}}\n"
        "motions:\n  - {body: block, displacement: [0, '%s']}\n";
    // delta_0 = 1e-5, delta_f = 2 G / f_t = 1e-3.
    world w = world_open(scene, "t<0.1 ? 4e-3*t : t<0.2 ? 4e-4-4e-3*(t-0.1) : -1e-3*(t-0.2)");
    world_steps(&w, 1000);
    cn_bond_record bond;
    CN_CHECK_TRUE(cn_sim_bond(w.sim, 0, &bond) == CN_OK);
    double d = 1e-3 * (4e-4 - 1e-5) / (4e-4 * (1e-3 - 1e-5)), damage = bond.damage, impulse[3];
    CN_CHECK_NEAR(damage, d, 1e-3);
    world_steps(&w, 500);
    world_impulse(&w, 2, impulse);
    CN_CHECK_NEAR(impulse[1] / 1e-4, -(1.0 - damage) * 1e10 * (2e-4 + 2e-7) * 0.2, 2.0);
    world_steps(&w, 499);
    world_impulse(&w, 2, impulse);
    CN_CHECK_BELOW(fabs(impulse[1] / 1e-4), 20.0);
    world_steps(&w, 501);
    world_impulse(&w, 2, impulse);
    CN_CHECK_NEAR(impulse[1] / 1e-4 / (1e10 * 5e-5 * 0.2), 1.0, 2e-3);
    CN_CHECK_TRUE(cn_sim_bond(w.sim, 0, &bond) == CN_OK);
    CN_CHECK_NEAR(bond.damage, damage, 0.0);
    CN_CHECK_BELOW(w.worst_balance, 1e-11);
    world_close(&w);
}

// A block that is pushed over, bond by bond, and slides away: the ledger closes through every break,
// and what it took is the energy that the layer had stored.
CN_TEST(breaking_balances) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (int slow = 0; slow < 2; slow++) {
            char law[200];
            snprintf(law, sizeof law,
                     "friction: 0.5, cohesion: 2e5, tension: 1e5, stiffness: {normal: 1e10, "
                     "tangential: 4e9}%s",
                     slow ? ", fracture_energy: 20" : "");
            const char *push = dim == 3 ? "3e4*t" : "1e5*t";
            world w = glued(dim, law, 2e-4, push, dim == 3 ? "-6000" : "-2e4");
            double work = 0.0, fracture = 0.0, worst = 0.0;
            for (int i = 0; i < 3000; i++) {
                world_step(&w);
                work += fabs(w.last.work_external);
                fracture += w.last.dissipated_fracture;
                worst = fmax(worst, fabs(w.last.balance_error));
            }
            CN_CHECK_TRUE(w.last.bonds_broken == cn_sim_bond_count(w.sim));
            CN_CHECK_TRUE(fracture > 0.0);
            CN_CHECK_BELOW(worst / work, 1e-9);
            world_close(&w);
        }
    }
}

// The stiffer the layer, the nearer to the rigid bond: the same motion and the same break.
CN_TEST(stiffness_to_infinity_is_the_rigid_bond) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        double x[3], off[3];
        int64_t broke[3];
        for (int i = 0; i < 3; i++) {
            char law[200];
            const char *stiff[] = {"", ", stiffness: 1e15", ", stiffness: 1e13"};
            snprintf(law, sizeof law, "friction: 0.5, cohesion: 2e5, tension: 1e5%s", stiff[i]);
            world w = glued(dim, law, 1e-3, dim == 3 ? "3e4*t" : "1e5*t", "0");
            broke[i] = -1;
            off[i] = 0.0;
            for (int k = 0; k < 600; k++) {
                world_step(&w);
                world_look(&w);
                broke[i] = broke[i] < 0 && w.last.bonds_broken > 0 ? w.last.step : broke[i];
                off[i] = broke[i] < 0 ? fabs(world_position(&w, 2)[0]) : off[i];
            }
            x[i] = world_position(&w, 2)[0];
            world_close(&w);
        }
        CN_CHECK_TRUE(broke[0] > 0 && broke[1] == broke[0] && broke[2] == broke[0]);
        CN_CHECK_BELOW(off[0], 1e-12);
        CN_CHECK_BELOW(off[1], 1e-9);
        CN_CHECK_NEAR(off[2] / off[1], 100.0, 5.0);
        CN_CHECK_NEAR(x[1], x[0], 1e-6 * fabs(x[0]));
    }
}

// Two glued spheres break by a moment: its outermost points carry it, f_t A rho / 2 with rho^2 = A /
// (2 pi), and by a torque about the normal at c A rho.
CN_TEST(a_bond_of_spheres_breaks_by_moment) {
    double pi = acos(-1.0), area = pi * 0.05 * 0.05, rho = sqrt(area / (2.0 * pi));
    for (int twist = 0; twist < 2; twist++) {
        double want = twist ? 3e5 * area * rho : 1e5 * area * rho / 2.0;
        for (int over = 0; over < 2; over++) {
            char load[80];
            snprintf(load, sizeof load, "%.17g*(t<1 ? 0.5*(1-cos(3.14159265358979324*t)) : 1)",
                     want * (over ? 1.0 + 1e-6 : 1.0 - 1e-6));
            world w = world_open(
                "cairn: 1\ngravity: [0, 0, 0]\ntime: {step: 2e-3}\nsolver: {tolerance: 1e-10}\n"
                "materials: {stone: {density: 2000}}\ncontacts:\n"
                "  - {between: ['*', '*'], friction: 0.5, cohesion: 3e5, tension: 1e5,\n"
                "     stiffness: {normal: 1e14, tangential: 1e14}}\nbodies:\n"
                "  - {name: a, fixed: true, material: stone, shape: {sphere: {radius: 0.1}}}\n"
                "  - {name: b, material: stone, position: [0.2, 0, 0],\n"
                "     shape: {sphere: {radius: 0.1}}}\n"
                "forces:\n  - {body: b, torque: ['%s', 0, '%s']}\n",
                twist ? load : "0", twist ? "0" : load);
            CN_CHECK_NEAR(area_of(&w), area, 1e-12);
            for (int i = 0; i < 520 && w.last.bonds_broken == 0; i++) {
                world_step(&w);
            }
            CN_CHECK_TRUE((w.last.bonds_broken > 0) == over);
            world_close(&w);
        }
    }
}

// ---- many blocks ----

// A wall of mortared blocks on a shaking ground.
static world wall(int courses, int bricks, double h, int threads, double amplitude) {
    return world_open(
        "cairn: 1\ngravity: [0, 0, -9.81]\ntime: {step: %.17g}\n"
        "solver: {tolerance: 1e-6, threads: %d}\nmaterials: {brick: {density: 2000}}\ncontacts:\n"
        "  - {between: ['*', '*'], friction: 0.6, cohesion: 2e5, tension: 1e5,\n"
        "     stiffness: {normal: 2e10, tangential: 1e10}, fracture_energy: 5}\nbodies:\n"
        "  - {name: ground, fixed: true, material: brick, position: [2, 0, -0.5],\n"
        "     shape: {box: {size: [100, 10, 1]}}}\n"
        "motions:\n  - {body: ground, velocity: ['%g*sin(20*t)', '%g*sin(15*t)', 0]}\n"
        "generate:\n  - wall: {courses: %d, bricks: %d, size: [0.4, 0.2, 0.2], name: block,\n"
        "     material: brick}\n",
        h, threads, amplitude, amplitude, courses, bricks);
}

// Damage is part of the state: bits do not depend on threads, nor on a pause.
static uint64_t wall_hash(int threads, bool pause, int32_t *broken) {
    world w = wall(6, 4, 1e-3, threads, 1.5);
    world_steps(&w, 60);
    if (pause) {
        world_pause(&w);
    }
    world_steps(&w, 60);
    *broken = w.last.bonds_broken;
    double cracked = 0.0;
    for (int32_t b = 0; b < cn_sim_bond_count(w.sim); b++) {
        cn_bond_record bond;
        CN_CHECK_TRUE(cn_sim_bond(w.sim, b, &bond) == CN_OK);
        cracked += bond.damage > 0.0 && bond.damage < 1.0;
    }
    CN_CHECK_TRUE(cracked > 0.0);
    uint64_t hash = cn_sim_hash(w.sim);
    world_close(&w);
    return hash;
}

CN_TEST(neither_threads_nor_a_pause_change_a_bit) {
    int32_t broken[5];
    uint64_t one = wall_hash(1, false, &broken[0]);
    CN_CHECK_TRUE(broken[0] > 0);
    CN_CHECK_TRUE(wall_hash(1, true, &broken[1]) == one && broken[1] == broken[0]);
    CN_CHECK_TRUE(wall_hash(2, false, &broken[2]) == one && broken[2] == broken[0]);
    CN_CHECK_TRUE(wall_hash(3, true, &broken[3]) == one && broken[3] == broken[0]);
    CN_CHECK_TRUE(wall_hash(8, false, &broken[4]) == one && broken[4] == broken[0]);
}

CN_TEST(long_a_wall_of_1000_mortared_blocks_under_a_shaking_ground_is_solved) {
    world w = wall(40, 25, 1e-3, 2, 0.6);
    CN_CHECK_TRUE(cn_model_body_count(w.model) >= 1001);
    world_steps(&w, 50);
    CN_CHECK_TRUE(w.unsolved == 0);
    world_close(&w);
}

// Force on the arms of a double cantilever beam and the energy that its crack takes.
typedef struct dcb_figures {
    double energy; // [J/m2] per crack area
} dcb_figures;

static dcb_figures dcb(int cells, int high, double h) {
    world w = world_open(
        "cairn: 1\ndimension: 2\ngravity: [0, 0]\nintegrator: {theta: 1}\ntime: {step: %.17g}\n"
        "solver: {tolerance: 1e-8}\n"
        "materials: {arm: {density: 1000, young: 1.0e10, poisson: 0.0}}\ncontacts:\n"
        "  - {between: [arm, arm], friction: 0.3, tension: 2e6, cohesion: 2e6, stiffness: 1e13,\n"
        "     fracture_energy: 100}\nbodies:\n"
        "  - {name: lower, material: arm, position: [0, -0.005], deformable: {mesh: {box: {size:\n"
        "     [0.1, 0.01], cells: [%d, %d], element: q4}}, strain: small, plane: stress,\n"
        "     quasi_static: true, hold: [{group: right, axes: [x]}], drive: [{group: left, axes:\n"
        "     [y], displacement: '-0.001*t'}]}}\n"
        "  - {name: upper, material: arm, position: [0, 0.005], deformable: {mesh: {box: {size:\n"
        "     [0.1, 0.01], cells: [%d, %d], element: q4}}, strain: small, plane: stress,\n"
        "     quasi_static: true, hold: [{group: right, axes: [x]}], drive: [{group: left, axes:\n"
        "     [y], displacement: '0.001*t'}]}}\n",
        h, cells, high, cells, high);
    double given = 0.0, first[2] = {0.0, 0.0}, last[2] = {0.0, 0.0};
    double each = 0.1 / cells;
    int32_t begin = (int32_t)(0.02 / each), end = (int32_t)(0.05 / each);
    while (w.last.bonds_broken < end && w.last.step < 100000) {
        int32_t before = w.last.bonds_broken;
        world_step(&w);
        given += w.last.work_external - w.last.dissipated_numerical - w.last.dissipated_impact -
                 w.last.dissipated_friction;
        if (w.last.bonds_broken > before) {
            double *to = before < begin ? first : last;
            to[0] = w.last.bonds_broken * each;
            to[1] = given - w.last.elastic - w.last.kinetic;
        }
        CN_CHECK_BELOW(fabs(w.last.balance_error), 1e-9);
    }
    world_close(&w);
    return (dcb_figures){(last[1] - first[1]) / (last[0] - first[0])};
}

CN_TEST(a_double_cantilever_beam_spends_its_fracture_energy) {
    CN_LONG_RUN();
    const struct {
        int cells, high;
        double h;
    } grid[] = {{60, 3, 1e-3}, {60, 3, 5e-4}, {90, 4, 1e-3}};
    for (size_t i = 0; i < sizeof grid / sizeof *grid; i++) {
        dcb_figures f = dcb(grid[i].cells, grid[i].high, grid[i].h);
        figures all = {0};
        figure_below(&all, 0.02, fabs(f.energy / 100.0 - 1.0), "%d cells, h %g: energy %.4g J/m2",
                     grid[i].cells, grid[i].h, f.energy);
        figures_check(&all);
    }
}

// ---- moment stress ----

// A column of blocks, dry or with mortar, at rest: the moment stress of each is that of the weight
// above its middle, sums over regions those of their parts.
CN_TEST(moment_stress_of_a_column_is_its_weight) {
    static const char *const laws[] = {
        "", ", tension: 1e5, cohesion: 1e5, stiffness: {normal: 1e10, tangential: 5e9}"};
    for (int32_t dim = 2; dim <= 3; dim++) {
        for (int bonded = 0; bonded < 2; bonded++) {
            const char *space =
                "cairn: 1\ngravity: [0, 0, -9.81]\ntime: {step: 1e-3}\n"
                "solver: {tolerance: 1e-13}\nmaterials: {stone: {density: 2000}}\ncontacts:\n"
                "  - {between: ['*', '*'], friction: 0.5%s}\nbodies:\n"
                "  - {name: ground, fixed: true, material: stone, position: [0, 0, -0.5],\n"
                "     shape: {box: {size: [2, 2, 1]}}}\n"
                "generate:\n  - column: {count: 6, material: stone,\n"
                "      shape: {box: {size: [0.5, 0.5, 0.25]}}, position: [0, 0, 0], gap: 0}\n";
            const char *plane =
                "cairn: 1\ndimension: 2\ngravity: [0, -9.81]\ntime: {step: 1e-3}\n"
                "solver: {tolerance: 1e-13}\nmaterials: {stone: {density: 2000}}\ncontacts:\n"
                "  - {between: ['*', '*'], friction: 0.5%s}\nbodies:\n"
                "  - {name: ground, fixed: true, material: stone, position: [0, -0.5],\n"
                "     shape: {box: {size: [2, 1]}}}\n"
                "generate:\n  - column: {count: 6, material: stone,\n"
                "      shape: {box: {size: [0.5, 0.25]}}, position: [0, 0], gap: 0}\n";
            world w = world_open(dim == 3 ? space : plane, laws[bonded]);
            world_steps(&w, bonded ? 4000 : 10);
            int32_t count = cn_sim_contact_count(w.sim), bodies = cn_model_body_count(w.model);
            cn_contact_record *contacts = calloc((size_t)count, sizeof *contacts);
            double *M = calloc(9 * (size_t)bodies, sizeof *M);
            CN_CHECK_TRUE(contacts && M);
            for (int32_t c = 0; c < count; c++) {
                CN_CHECK_TRUE(cn_sim_contact(w.sim, c, &contacts[c]) == CN_OK);
            }
            world_look(&w);
            CN_CHECK_TRUE(cn_moment_stress(w.model, w.q, contacts, count, 1e-3, M) == CN_OK);
            int vertical = dim == 3 ? 8 : 4;
            for (int32_t i = 1; i < bodies; i++) {
                double above = (bodies - 1 - i) * 0.25 + 0.125, want = -2000.0 * 9.81 * above;
                CN_CHECK_NEAR(M[9 * i + vertical] / want, 1.0, bonded ? 1e-3 : 1e-11);
            }
            CN_CHECK_NEAR(M[vertical], 0.0, 0.0); // of the ground
            CN_CHECK_TRUE(cn_moment_stress(w.model, w.q, contacts, count, 0.0, M) ==
                          CN_ERR_ARGUMENT);
            free(contacts);
            free(M);
            world_close(&w);
        }
    }
}
