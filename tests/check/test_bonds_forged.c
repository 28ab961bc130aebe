// Run files with bonds: honest ones pass, in 2D and 3D, rigid and deformable, and a break or a
// strength that was not is found also when all hashes are made to fit again.
#include "forge.h"

// Two blocks, the upper one pushed until it breaks off; the law is filled in.
#define BLOCKS(law)                                                                                \
    "cairn: 1\ngravity: [0, 0, -9.81]\n"                                                           \
    "time: {step: 2.0e-4, until: 0.16, frames_every: 2.0e-4}\nsolver: {tolerance: 1e-8}\n"         \
    "materials: {stone: {density: 2000}}\ncontacts:\n"                                             \
    "  - {between: ['*', '*'], friction: 0.6, cohesion: 2e4, tension: 1e4, " law "}\nbodies:\n"    \
    "  - {name: ground, fixed: true, material: stone, shape: {box: {size: [2, 2, 0.2]}}}\n"        \
    "  - {name: lower, material: stone, position: [0, 0, 0.2],\n"                                  \
    "     shape: {box: {size: [0.2, 0.3, 0.2]}}}\n"                                                \
    "  - {name: upper, material: stone, position: [0, 0, 0.4],\n"                                  \
    "     shape: {box: {size: [0.2, 0.3, 0.2]}}}\n"                                                \
    "forces:\n  - {body: upper, force: ['2500*t', 0, 0]}\n"
static const char brittle[] = BLOCKS("stiffness: {normal: 1e9, tangential: 5e8}, viscosity: 1e4");
static const char cracking[] = BLOCKS("stiffness: {normal: 1e9, tangential: 5e8}, "
                                      "fracture_energy: 1");

// Elastic blocks in the plane that are torn apart, one on a rigid ground.
static const char torn[] =
    "cairn: 1\ndimension: 2\ngravity: [0, 0]\nintegrator: {theta: 0.6}\n"
    "time: {step: 1.0e-4, until: 0.02, frames_every: 1.0e-4}\nsolver: {tolerance: 1e-8}\n"
    "materials: {m: {density: 2000, young: 1e8, poisson: 0.2}, stone: {density: 2000}}\n"
    "contacts:\n  - {between: ['*', '*'], friction: 0.5, cohesion: 4e4, tension: 2e4,\n"
    "     stiffness: {normal: 1e10, tangential: 5e9}, fracture_energy: 2}\nbodies:\n"
    "  - {name: ground, fixed: true, material: stone, shape: {line: {normal: [0, 1]}}}\n"
    "  - {name: a, material: m, position: [0, 0.05], deformable: {mesh: {box: {size: [0.2, 0.1],\n"
    "     cells: [4, 2]}}}}\n"
    "  - {name: b, material: m, position: [0, 0.15], deformable: {mesh: {box: {size: [0.2, 0.1],\n"
    "     cells: [4, 2]}}, drive: [{group: top, axes: [y], displacement: '0.02*t'}]}}\n";

CN_TEST(honest_runs_with_bonds_pass) {
    static const char *const scenes[] = {brittle, cracking, torn};
    static const char *const names[] = {"brittle", "cracking", "torn"};
    cn_cli cli = cn_cli_enter();
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        run_scene(&cli, scenes[i], "");
        expect_verified(&cli, names[i]);
    }
    cn_cli_leave(&cli);
}

#define AT " WHERE step=500"
static const forgery of_blocks[] = {
    // A bond that is whole is said to be broken, with all that goes with it in the row.
    {"UPDATE damage SET after=put(after,5,2)" AT, "damage", 500, "without a reason"},
    {"UPDATE damage SET after=put(after,5,2), broken=(SELECT broken FROM damage WHERE "
     "length(broken)>0 LIMIT 1)" AT,
     "damage", 500, "without a reason"},
    {"UPDATE damage SET after=put(after,5,0.5)" AT, "damage", 500, "half-way"},
    {"UPDATE damage SET before=put(before,5,2), during=put(during,5,2), after=put(after,5,2)" AT,
     "damage", 500, "not those of the damage"},
    {"UPDATE ledger SET bonds_broken=bonds_broken+1" AT, "ledger", 500, "broken"},
    {"UPDATE ledger SET dissipated_fracture=dissipated_fracture+1e-3" AT, "ledger", 500,
     "fracture"},
    {"UPDATE ledger SET elastic=elastic+1e-3" AT, "ledger", 500, "elastic"},
    {"UPDATE contact SET impulse=scale(impulse,-1,1.01)" AT, "contact", 500, "residual"},
    {"UPDATE contact SET shift=plus(shift,2,1e-6)" AT, "contact", 500, "shift"},
    {"UPDATE contact SET friction=put(friction,0,0.3)" AT, "contact", 500, "friction"},
    {"UPDATE bond SET numbers=scale(numbers,0,2) WHERE id=0", "contact", 1, "residual"},
    {"UPDATE bond SET numbers=plus(numbers,1,1e-4) WHERE id=0", "bond", -1, "closed"},
    {"UPDATE bond SET bodies=putint(bodies,0,3) WHERE id=0", "bond", -1, "closed"},
    {"DELETE FROM damage" AT, "damage", 500, "missing"},
};

CN_TEST(a_forged_break_is_found) {
    cn_cli cli = cn_cli_enter();
    run_scene(&cli, brittle, "");
    int32_t missed = 0;
    for (size_t i = 0; i < sizeof of_blocks / sizeof *of_blocks; i++) {
        for (int rehash = 0; rehash < 2; rehash++) {
            cn_run_grade grade;
            forge(&of_blocks[i], rehash);
            check_file("forged.run", &grade);
            bool named = !rehash ||
                         is_found(&grade, of_blocks[i].table, of_blocks[i].step, of_blocks[i].what);
            if (grade.within || !named) {
                print_error("%s, hashes %s:\n", of_blocks[i].sql, rehash ? "made to fit" : "left");
                print_findings(&grade);
                missed++;
            }
        }
    }
    assert_int_equal(missed, 0);
    cn_cli_leave(&cli);
}
