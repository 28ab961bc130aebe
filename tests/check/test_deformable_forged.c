// Run files with deformable bodies: honest ones pass, in 2D and 3D, and every change is found also
// when all hashes are made to fit again.
#include "forge.h"

#define TIME(until)                                                                                \
    "time: {step: 1.0e-3, until: " until ", frames_every: 5.0e-3}\n"                               \
    "materials:\n"                                                                                 \
    "  rubber: {density: 1000, young: 1.0e6, poisson: 0.3, damping: {mass: 0.1, stiffness: "       \
    "1.0e-3}}\n"                                                                                   \
    "  stone: {density: 2500}\n"                                                                   \
    "contacts: [{between: ['*', '*'], friction: 0.5}]\nbodies:\n"

// A block on a block on the ground, a rigid disk on top.
static const char pile[] = "cairn: 1\ndimension: 2\n" TIME("0.06") //
    "  - {name: ground, fixed: true, material: stone, shape: {line: {normal: [0, 1]}}}\n"
    "  - {name: a, material: rubber, position: [0, 0.501], deformable: {mesh: {box: {size: [1, 1], "
    "cells: [4, 4]}}}}\n"
    "  - {name: b, material: rubber, position: [0.2, 1.503], angular_velocity: 0.3, deformable: "
    "{mesh: {box: {size: [1, 1], cells: [3, 3], element: t3}}}}\n"
    "  - {name: c, material: stone, position: [0.2, 2.305], shape: {disk: {radius: 0.3}}}\n";

// A turning block that falls on the ground, a sphere on it.
static const char turning[] = "cairn: 1\ndimension: 3\nintegrator: {theta: 0.6}\n" TIME("0.12") //
    "  - {name: ground, fixed: true, material: stone, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: a, material: rubber, position: [0, 0, 0.3], angular_velocity: [2, 4, 1], "
    "deformable: {mesh: {box: {size: [0.5, 0.4, 0.3], cells: [2, 2, 2]}}}}\n"
    "  - {name: c, material: stone, position: [0.1, 0, 0.6], shape: {sphere: {radius: 0.1}}}\n";

// Held and driven nodes, a pressure and a force.
static const char beams[] = "cairn: 1\ndimension: 2\nintegrator: {theta: 0.55}\n" TIME("0.06") //
    "  - {name: a, material: rubber, position: [0, 1], deformable: {mesh: {box: {size: [1, 0.1], "
    "cells: [10, 2]}}, hold: [{group: left, axes: [x, y]}], pressure: [{group: top, value: "
    "'1000*sin(20*t)'}]}}\n"
    "  - {name: b, material: rubber, position: [0, 2], deformable: {mesh: {box: {size: [1, 0.1], "
    "cells: [10, 2]}}, hold: [{group: left, axes: [x]}], drive: [{group: left, axes: [y], "
    "displacement: '0.1*sin(10*t)'}]}}\n"
    "forces: [{body: b, force: ['5*t', 0]}]\n";

CN_TEST(honest_runs_of_deformable_bodies_pass) {
    static const char *const scenes[] = {pile, turning, beams};
    cn_cli cli = cn_cli_enter();
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        run_scene(&cli, scenes[i], "");
        expect_verified(&cli, i == 0 ? "pile" : i == 1 ? "turning" : "beams");
    }
    cn_cli_leave(&cli);
}

CN_TEST(bodies_without_inertia_pass) {
    cn_cli cli = cn_cli_enter();
    run_scene(
        &cli,
        "cairn: 1\ndimension: 2\nintegrator: {theta: 1}\n" TIME("0.03") //
        "  - {name: ground, fixed: true, material: stone, shape: {line: {normal: [0, 1]}}}\n"
        "  - {name: a, material: rubber, position: [0, 0.5], deformable: {quasi_static: true, "
        "mesh: {box: {size: [1, 1], cells: [4, 4]}}}}\n",
        "");
    expect_verified(&cli, "quasi-static");
    cn_cli_leave(&cli);
}

#define AT " WHERE step=55"
static const forgery of_pile[] = {
    {"UPDATE nodes SET x=put(x,3,NULL)" AT, "nodes", 55, "not finite"},
    {"UPDATE nodes SET v=put(v,3,NULL)" AT, "nodes", 55, "not finite"},
    {"UPDATE nodes SET x=cut(x,16)" AT, "nodes", 55, "bytes"},
    {"UPDATE nodes SET v=plus(v,3,1e-4)" AT, "nodes", 55, "momentum"},
    {"UPDATE nodes SET v_before=plus(v_before,3,1e-4)" AT, "nodes", 55, "momentum"},
    {"UPDATE nodes SET x=plus(x,3,1e-5)" AT, "nodes", 55, "momentum"},
    {"UPDATE nodes SET x=plus(x,-1,1e-5)" AT, "nodes", 55, "are not where they must be"},
    {"UPDATE contact SET impulse=scale(impulse,-1,1.1)" AT, "nodes", 55, "momentum"},
    {"UPDATE contact SET impulse=scale(impulse,1,1.0001)" AT, "nodes", 55, "momentum"},
    {"UPDATE contact SET gap=plus(gap,0,1e-4)" AT, "contact", 55, "surfaces"},
    {"UPDATE contact SET velocity=plus(velocity,1,1e-3)" AT, "contact", 55, "velocities"},
    {"UPDATE contact SET shift=plus(shift,1,1e-3)" AT, "contact", 55, "shift"},
    {"UPDATE contact SET friction=put(friction,0,0.9)" AT, "contact", 55, "friction"},
    {"UPDATE side SET weight=scale(weight,0,0.5)" AT, "side", 55, "cannot be these"},
    {"UPDATE side SET node=putint(node,0,1000)" AT, "side", 55, "cannot be these"},
    {"UPDATE side SET body=putint(body,0,4)" AT, "side", 55, "cannot be these"},
    {"DELETE FROM side" AT, "side", 55, "missing"},
    {"DELETE FROM nodes" AT, "nodes", 55, "missing"},
    {"UPDATE mesh SET nodes=plus(nodes,0,1e-3) WHERE body=2", "mesh", -1, "nodes"},
    {"UPDATE mesh SET elements=putint(elements,0,2) WHERE body=2", "mesh", -1, "elements"},
    {"DELETE FROM mesh WHERE body=3", "mesh", -1, "missing"},
    {"UPDATE ledger SET elastic=elastic+0.01" AT, "ledger", 55, "elastic"},
    {"UPDATE ledger SET kinetic=kinetic+0.01" AT, "ledger", 55, "kinetic"},
    {"UPDATE ledger SET dissipated_viscous=dissipated_viscous+0.01" AT, "ledger", 55, "viscous"},
    {"UPDATE ledger SET dissipated_plastic=0.01" AT, "ledger", 55, "plastic"},
    {"UPDATE ledger SET dissipated_numerical=dissipated_numerical+0.01" AT, "ledger", 55,
     "numerical"},
    {"UPDATE contact SET n=0, bodies=x'', point=x'', normal=x'', gap=x'', impulse=x'', "
     "velocity=x'', velocity_before=x'', shift=x'', frame_change=x'', friction=x'', status=x''" AT,
     "side", 55, "cannot be these"},
};

// Another scene than the run's: what drives, holds and presses on nodes.
#define SCENE_OF(from, to)                                                                         \
    "UPDATE meta SET value=replace(value,'" from "','" to "') WHERE key='scene'"
static const forgery of_beams[] = {
    {SCENE_OF("0.1*sin(10*t)", "0.1*sin(10.1*t)"), "nodes", 55, "are not where they must be"},
    {SCENE_OF("1000*sin(20*t)", "1000*sin(20.1*t)"), "nodes", 55, "momentum"},
    {SCENE_OF("5*t", "5.1*t"), "nodes", 55, "momentum"},
    {SCENE_OF("axes: [x, \"y\"]", "axes: [x]"), "nodes", 55, "momentum"},
};

CN_TEST(forged_scenes_of_deformable_bodies_are_found) {
    cn_cli cli = cn_cli_enter();
    cn_run_grade *grade = calloc(1, sizeof *grade);
    int missed = 0;
    run_scene(&cli, beams, "");
    for (size_t i = 0; i < sizeof of_beams / sizeof *of_beams; i++) {
        forge(&of_beams[i], true);
        check_file("forged.run", grade);
        missed += !is_forgery_found(&of_beams[i], grade);
    }
    free(grade);
    cn_cli_leave(&cli);
    assert_int_equal(missed, 0);
}

CN_TEST(forged_runs_of_deformable_bodies_are_found) {
    cn_cli cli = cn_cli_enter();
    run_scene(&cli, pile, "");
    int32_t missed = 0;
    for (size_t i = 0; i < sizeof of_pile / sizeof *of_pile; i++) {
        for (int rehash = 0; rehash < 2; rehash++) {
            cn_run_grade grade;
            forge(&of_pile[i], rehash);
            check_file("forged.run", &grade);
            bool named =
                !rehash || is_found(&grade, of_pile[i].table, of_pile[i].step, of_pile[i].what);
            if (grade.within || !named) {
                print_error("%s, hashes %s:\n", of_pile[i].sql, rehash ? "made to fit" : "left");
                print_findings(&grade);
                missed++;
            }
        }
    }
    assert_int_equal(missed, 0);
    cn_cli_leave(&cli);
}
