// The columns that a scene records: honest ones pass, whatever remedies joints have, steps cut and
// bodies asleep; changed names, rows and values are found also when their hashes fit.
#include "forge.h"

#define HEAD(dim, more)                                                                            \
    "cairn: 1\ndimension: " #dim                                                                   \
    "\ntime: {step: 1.0e-3, until: 0.06, frames_every: 5.0e-3}\n" more                             \
    "materials:\n  stone: {density: 1000}\n"                                                       \
    "  rubber: {density: 1000, young: 1.0e6, poisson: 0.3}\n"                                      \
    "contacts: [{between: ['*', '*'], friction: 0.5, restitution: 0.3}]\nbodies:\n"

// Bricks on the ground, a driven arm and a slider with a given force; one body far from its middle.
#define MECHANISM_OF(damping)                                                                      \
    "  - {name: ground, fixed: true, material: stone, shape: {plane: {normal: [0, 0, 1]}}}\n"      \
    "  - {name: brick-1, material: stone, position: [0, 0, 0.5], shape: {box: {size: [1, 1, "      \
    "1]}}}\n"                                                                                      \
    "  - {name: brick-2, material: stone, position: [0, 0, 1.501], velocity: [0.4, 0, 0], shape: " \
    "{box: {size: [1, 1, 1]}}}\n"                                                                  \
    "  - {name: arm, material: stone, position: [5.5, 0, 3], shape: [{box: {size: [1, 0.1, "       \
    "0.1]}}, {sphere: {radius: 0.2}, position: [0.6, 0.1, 0]}]}\n"                                 \
    "  - {name: sledge, material: stone, position: [8, 0, 3], shape: {box: {size: [0.5, 0.4, "     \
    "0.3]}}}\n"                                                                                    \
    "joints:\n"                                                                                    \
    "  - {name: pin, kind: hinge, bodies: [ground, arm], point: [5, 0, 3], axis: [0, 1, 0], "      \
    "motor: {velocity: 'sin(9*t)'" damping "}}\n"                                                  \
    "  - {name: rail, kind: slider, bodies: [ground, sledge], point: [8, 0, 3], axis: [1, 0, 1], " \
    "motor: {force: '300*cos(40*t)'}}\n"                                                           \
    "record:\n"                                                                                    \
    "  - {name: base, force_on: ground}\n"                                                         \
    "  - {name: upper, force_on: 'brick-*', from: [ground]}\n"                                     \
    "  - {name: crack, opening: [brick-1, brick-2], point: [0.5, 0.5, 1]}\n"                       \
    "  - {name: tip, position: arm, point: [6, 0, 3]}\n"                                           \
    "  - {name: tip-v, velocity: arm, point: [6, 0, 3]}\n"                                         \
    "  - {name: pin, joint: pin}\n"                                                                \
    "  - {name: rail, joint: rail}\n"

#define MECHANISM MECHANISM_OF("")

static const char mechanism[] = HEAD(3, "") MECHANISM;

static const char soft[] = HEAD(2, "") //
    "  - {name: ground, fixed: true, material: stone, shape: {line: {normal: [0, 1]}}}\n"
    "  - {name: a, material: rubber, position: [0, 0.5], angular_velocity: 0.2, deformable: {mesh: "
    "{box: {size: [1, 1], cells: [3, 3]}}}}\n"
    "  - {name: b, material: stone, position: [0.2, 1.3], shape: {disk: {radius: 0.3}}}\n"
    "record: [{name: base, force_on: ground}, {name: middle, position: a}, {name: apart, opening: "
    "[a, b]}, {name: v, velocity: b, point: [0.5, 1.3]}]\n";

CN_TEST(honest_columns_pass) {
    static const char *const scenes[] = {
        mechanism,
        HEAD(3, "integrator: {joints: ggl}\n") MECHANISM,
        HEAD(3, "integrator: {joints: projection}\n") MECHANISM,
        HEAD(3, "integrator: {joints: none, theta: 0.7}\n") MECHANISM,
        HEAD(3, "integrator: {scheme: stabilised}\n") MECHANISM,
        HEAD(3, "integrator: {scheme: generalized-alpha}\n") MECHANISM_OF(", damping: 500"),
        HEAD(3, "sleeping: {speed: 0.5, after: 0.02}\n") MECHANISM,
        soft,
    };
    cn_cli cli = cn_cli_enter();
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        char name[20];
        snprintf(name, sizeof name, "scene %d", (int)i);
        run_scene(&cli, scenes[i], "");
        expect_verified(&cli, name);
    }
    run_scene(&cli, mechanism, "--frames-every 0");
    expect_verified(&cli, "every step");
    run_scene(&cli, mechanism, "--no-evidence");
    CN_CLI_EXPECT(&cli, 3, "check base.run");
    CN_CHECK_HOLDS(cli.out, "no evidence");
    cn_cli_leave(&cli);
}

#define AT40 " WHERE step=40"
// The numbers of a row: base 0 to 2, upper 3, crack 6, tip 9, tip-v 12, pin 15 (value, rate, effort,
// force, torque), rail 24.
static const forgery forgeries[] = {
    {"UPDATE record SET value=plus(value,2,1)" AT40, "record", 40, "base.z"},
    {"UPDATE record SET value=plus(value,5,-1)" AT40, "record", 40, "upper.z"},
    {"UPDATE record SET value=plus(value,6,1e-6)" AT40, "record", 40, "crack.x"},
    {"UPDATE record SET value=plus(value,9,1e-6)" AT40, "record", 40, "tip.x"},
    {"UPDATE record SET value=plus(value,14,1e-6)" AT40, "record", 40, "tip-v.z"},
    {"UPDATE record SET value=plus(value,15,1e-6)" AT40, "record", 40, "pin.value"},
    {"UPDATE record SET value=plus(value,16,1e-6)" AT40, "record", 40, "pin.rate"},
    {"UPDATE record SET value=plus(value,17,1e-3)" AT40, "record", 40, "pin.effort"},
    {"UPDATE record SET value=plus(value,20,1e-3)" AT40, "record", 40, "pin.force.z"},
    {"UPDATE record SET value=plus(value,22,1e-3)" AT40, "record", 40, "pin.torque.y"},
    {"UPDATE record SET value=plus(value,27,1e-3)" AT40, "record", 40, "rail.force.x"},
    {"UPDATE record SET value=plus(value,31,1e-3)" AT40, "record", 40, "rail.torque.y"},
    {"UPDATE record SET value=put(value,4,NULL) WHERE step=41", "record", 41, "not finite"},
    {"UPDATE record SET value=cut(value,8) WHERE step=41", "record", 41, "bytes"},
    {"UPDATE record SET t=t+1e-3 WHERE step=41", "record", 41, "is at t"},
    {"DELETE FROM record WHERE step=41", "record", 41, "missing"},
    {"INSERT INTO record SELECT 99,t,value,row_hash FROM record" AT40, "record", 99,
     "which the ledger lacks"},
    {"UPDATE record_column SET name='top.x' WHERE id=10", "record", -1, "in the scene tip.x"},
    {"UPDATE record_column SET unit='mm' WHERE id=10", "record", -1, "in the scene tip.x"},
    {"DELETE FROM record_column WHERE id=33", "record", -1, "has no name"},
    {"INSERT INTO record_column VALUES(34,'more','m')", "record", -1, "more columns"},
    {"DROP TABLE record_column", "record", -1, "are missing"},
    {"CREATE TABLE other(step INTEGER,t REAL,value BLOB,row_hash BLOB);INSERT INTO other SELECT * "
     "FROM record;INSERT INTO other SELECT * FROM record" AT40
     ";DROP TABLE record;ALTER TABLE other RENAME TO record",
     "record", -1, "several rows"},
    {"UPDATE meta SET value=substr(value,1,instr(value,'record:')-1) WHERE key='scene'", "record",
     -1, "the scene has no columns"},
};

CN_TEST(forged_columns_are_found) {
    cn_cli cli = cn_cli_enter();
    cn_run_grade *grade = calloc(1, sizeof *grade);
    int missed = 0;
    run_scene(&cli, mechanism, "");
    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
        forge(&forgeries[i], true);
        check_file("forged.run", grade);
        missed += !is_forgery_found(&forgeries[i], grade);
    }
    forge(&(forgery){"UPDATE record SET value=plus(value,2,1) WHERE step=41", "", 0, ""}, false);
    check_file("forged.run", grade);
    CN_CHECK_TRUE(is_found(grade, "record", 41, "not what was written"));
    forge(&(forgery){"ALTER TABLE record DROP COLUMN row_hash", "", 0, ""}, false);
    check_file("forged.run", grade);
    CN_CHECK_TRUE(!grade->complete && strstr(grade->incomplete, "record have no hash"));
    free(grade);
    cn_cli_leave(&cli);
    assert_int_equal(missed, 0);
}
