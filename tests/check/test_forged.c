// Run files that someone changed: every change is found and named by table and step, also when all
// hashes are made to fit again. Honest files pass, of all kinds of scenes.
#include "forge.h"

// ---- the file that is forged ----

// Everything that a step of bodies may have: contacts with and without restitution, a given motion,
// a force, a hinge with a motor, a slider with a spring and a limit.
static const char rich[] =
    "cairn: 1\nname: rich\ndimension: 3\ngravity: [0, 0, -9.81]\n"
    "time: {step: 1.0e-3, until: 0.06, frames_every: 5.0e-3}\n"
    "integrator: {theta: 0.5}\n"
    "solver: {tolerance: 1.0e-9}\n"
    "materials: {stone: {density: 2500}, rubber: {density: 1000}}\n"
    "contacts:\n"
    "  - {between: ['*', '*'], friction: 0.4}\n"
    "  - {between: [rubber, stone], friction: 0.3, restitution: 0.6}\n"
    "bodies:\n"
    "  - {name: ground, fixed: true, material: stone, shape: {plane: {normal: [0, 0, 1], offset: "
    "0}}}\n"
    "  - {name: plate, material: stone, position: [0, 0, 0.5], shape: {box: {size: [2, 2, 0.1]}}}\n"
    "  - {name: brick, material: stone, position: [0, 0, 0.64999], shape: {box: {size: [0.4, 0.3, "
    "0.2]}}}\n"
    "  - {name: upper, material: stone, position: [0.02, 0, 0.84998], shape: {box: {size: [0.4, "
    "0.3, "
    "0.2]}}}\n"
    "  - {name: ball, material: rubber, position: [3, 0, 0.209], velocity: [1, 0.2, -2], "
    "angular_velocity: [3, 0, 1], shape: {sphere: {radius: 0.2}}}\n"
    "  - {name: post, fixed: true, material: stone, position: [6, 0, 2], shape: {box: {size: [0.1, "
    "0.1, 0.1]}}}\n"
    "  - {name: arm, material: stone, position: [6.5, 0, 2], shape: {box: {size: [0.6, 0.1, "
    "0.2]}}}\n"
    "  - {name: cart, material: stone, position: [6.5, 3, 2], shape: {box: {size: [0.2, 0.2, "
    "0.2]}}}\n"
    "motions: [{body: plate, velocity: ['0.5*cos(20*t)', 0, 0]}]\n"
    "forces: [{body: upper, force: ['200*(t<0.03)', 40, 0], torque: [0, 0, 3]}]\n"
    "joints:\n"
    "  - {kind: hinge, bodies: [post, arm], point: [6, 0, 2], axis: [0, 1, 0], motor: {velocity: "
    "2, "
    "max_torque: 5}}\n"
    "  - {kind: slider, bodies: [post, cart], point: [6.5, 3, 2], axis: [0, 0, 1], limits: "
    "[-0.004, "
    "1], friction: 2}\n";

#define AT40 " WHERE step=40"
static const forgery forgeries[] = {
    // Contacts: 0..3 the brick on the plate, 4..7 the upper one on it; the ball has one at step 5.
    {"UPDATE contact SET impulse=put(impulse,2,NULL)" AT40, "contact", 40, "not finite"},
    {"UPDATE contact SET gap=put(gap,0,NULL)" AT40, "contact", 40, "not finite"},
    {"UPDATE contact SET velocity=put(velocity,1,NULL)" AT40, "contact", 40, "not finite"},
    {"UPDATE contact SET friction=put(friction,1,NULL)" AT40, "contact", 40, "not finite"},
    {"UPDATE contact SET point=put(point,1,1e999)" AT40, "contact", 40, "not finite"},
    {"UPDATE contact SET impulse=scale(impulse,2,1.5)" AT40, "frame", 40, "momentum"},
    {"UPDATE contact SET impulse=scale(impulse,2,1.00001)" AT40, "frame", 40, "momentum"},
    {"UPDATE contact SET impulse=scale(impulse,-1,1.1)", "frame", 40, "momentum"},
    {"UPDATE contact SET impulse=scale(impulse,-1,0)" AT40, "frame", 40, "momentum"},
    {"UPDATE contact SET gap=put(gap,0,0.001)" AT40, "contact", 40, "surfaces"},
    {"UPDATE contact SET gap=put(gap,0,-0.001)" AT40, "contact", 40, "surfaces"},
    {"UPDATE contact SET point=scale(point,2,1.001)" AT40, "contact", 40, "surfaces"},
    {"UPDATE contact SET point=put(point,0,0.5)" AT40, "contact", 40, "surfaces"},
    {"UPDATE contact SET normal=put(put(normal,2,0.8),0,0.6)" AT40, "contact", 40, "normal"},
    {"UPDATE contact SET normal=scale(normal,-1,1.01)" AT40, "contact", 40, "unit vector"},
    {"UPDATE contact SET velocity=scale(velocity,-1,0.5)" AT40, "contact", 40, "velocities"},
    {"UPDATE contact SET velocity_before=scale(velocity_before,0,2)" AT40, "contact", 40,
     "velocities"},
    {"UPDATE contact SET shift=put(shift,2,0.5)" AT40, "contact", 40, "shift"},
    {"UPDATE contact SET frame_change=put(frame_change,2,9)" AT40, "contact", 40, "frame change"},
    {"UPDATE contact SET friction=scale(friction,-1,2)" AT40, "contact", 40, "friction"},
    {"UPDATE contact SET status=zeroblob(length(status))" AT40, "contact", 40, "status"},
    {"UPDATE contact SET bodies=putint(bodies,0,99)" AT40, "contact", 40, "body 99"},
    {"UPDATE contact SET bodies=putint(bodies,0,0)" AT40, "contact", 40, "body 0"},
    {"UPDATE contact SET bodies=putint(bodies,0,7)" AT40, "contact", 40, "surfaces"},
    {"UPDATE contact SET n=n-1" AT40, "contact", 40, "another length"},
    {"UPDATE contact SET n=n-1,bodies=cut(bodies,8),point=cut(point,24),normal=cut(normal,24),"
     "gap=cut(gap,8),impulse=cut(impulse,24),velocity=cut(velocity,24),"
     "velocity_before=cut(velocity_before,24),shift=cut(shift,24),friction=cut(friction,8),"
     "status=cut(status,1),frame_change=cut(frame_change,24)" AT40,
     "ledger", 40, "contacts"},
    {"DELETE FROM contact" AT40, "contact", 40, "missing"},
    {"UPDATE contact SET n=0,bodies=x'',point=x'',normal=x'',gap=x'',impulse=x'',velocity=x'',"
     "velocity_before=x'',shift=x'',friction=x'',status=x'',frame_change=x'' WHERE step=5;"
     "UPDATE ledger SET contacts=0,sticking=0,sliding=0,penetration_max=0 WHERE step=5",
     "contact", 5, "apart and have no contact"},
    {"INSERT INTO contact(step,n,sleeping,bodies,point,normal,gap,impulse,velocity,velocity_before,"
     "shift,friction,status,frame_change,early,row_hash) SELECT 42,n,sleeping,bodies,point,normal,"
     "gap,impulse,velocity,velocity_before,shift,friction,status,frame_change,early,row_hash FROM "
     "contact" AT40,
     "contact", 42, "no frame"},
    // Frames.
    {"UPDATE frame SET q=put(q,21,1.5)" AT40, "frame", 40, "not where it must be"},
    {"UPDATE frame SET q=put(q,21,1.5),q_middle=put(q_middle,21,1.5)" AT40, "contact", 40,
     "surfaces"},
    {"UPDATE frame SET q=put(q,30,3),q_middle=put(q_middle,30,3)" AT40, "ledger", 40, "potential"},
    {"UPDATE frame SET v=scale(v,12,1.01)" AT40, "frame", 40, "velocity"},
    {"UPDATE frame SET v=put(v,26,1)" AT40, "frame", 40, "velocity"},
    {"UPDATE frame SET v_after=scale(v_after,12,1.01)" AT40, "frame", 40, "momentum"},
    {"UPDATE frame SET v_after=put(v_after,26,1)" AT40, "frame", 40, "momentum"},
    {"UPDATE frame SET v=put(v,0,NULL)" AT40, "frame", 40, "not finite"},
    {"UPDATE frame SET v_before=scale(v_before,12,1.01)" AT40, "frame", 40, "momentum"},
    {"UPDATE frame SET v_before=NULL,h=NULL" AT40, "", 40, "evidence"},
    {"UPDATE frame SET q=put(q,2,0.1)" AT40, "frame", 40, "not where it must be"},
    {"UPDATE frame SET v=put(v,6,0.3)" AT40, "frame", 40, "moves as it cannot"},
    {"UPDATE frame SET q=scale(q,24,0.9)" AT40, "frame", 40, "unit quaternion"},
    {"UPDATE frame SET t=0.0401" AT40, "frame", 40, "t = 0.0401"},
    {"UPDATE frame SET h=0.0005,start=0.0395" AT40, "frame", 40, "momentum"},
    {"UPDATE frame SET h=0.002" AT40, "frame", 40, "start and h"},
    {"UPDATE frame SET steering=put(zeroblob(32),3,1)" AT40, "frame", 40, "momentum"},
    {"UPDATE frame SET load=zeroblob(384)" AT40, "frame", 40, "momentum"},
    {"UPDATE frame SET asleep=x'0000010000000000'" AT40, "frame", 40, "sleeps"},
    {"UPDATE frame SET q=cut(q,8)" AT40, "frame", 40, "bytes"},
    {"DELETE FROM frame WHERE step=40", "frame", 40, "missing"},
    {"UPDATE frame SET q=put(q,14,0.1) WHERE step=0", "frame", 0, "not where it must be"},
    // Joints.
    {"UPDATE joint SET rows=scale(rows,0,1.1)" AT40, "frame", 40, "momentum"},
    {"UPDATE joint SET "
     "rows=scale(rows,-1,0),impulse=scale(impulse,-1,0),effort=scale(effort,-1,0)" AT40,
     "frame", 40, "momentum"},
    {"UPDATE joint SET impulse=scale(impulse,-1,2)" AT40, "joint", 40, "do not follow"},
    {"UPDATE joint SET value=put(value,0,1)" AT40, "joint", 40, "do not follow"},
    {"UPDATE joint SET rate=put(rate,0,1)" AT40, "joint", 40, "do not follow"},
    {"UPDATE joint SET effort=put(effort,0,1)" AT40, "joint", 40, "do not follow"},
    {"UPDATE joint SET start=put(start,0,0.5)" AT40, "joint", 40, "start"},
    {"DELETE FROM joint" AT40, "joint", 40, "missing"},
    // The ledger.
    {"UPDATE ledger SET outcome='stalled' WHERE step=17", "ledger", 17, "not solved"},
    {"UPDATE ledger SET residual=0.5 WHERE step=17", "ledger", 17, "residual"},
    {"UPDATE ledger SET kinetic=kinetic*1.001 WHERE step=17", "ledger", 17, "leave"},
    {"UPDATE ledger SET kinetic=kinetic+1,potential=potential-1" AT40, "ledger", 40, "kinetic"},
    {"UPDATE ledger SET dissipated_friction=dissipated_friction+1,dissipated_impact="
     "dissipated_impact-1" AT40,
     "ledger", 40, "dissipated_friction"},
    {"UPDATE ledger SET "
     "work_external=work_external+1,dissipated_numerical=dissipated_numerical+1" AT40,
     "ledger", 40, "work_external"},
    {"UPDATE ledger SET work_correction=1,dissipated_numerical=dissipated_numerical+1" AT40,
     "ledger", 40, "work_correction"},
    {"UPDATE ledger SET penetration_max=0" AT40, "ledger", 40, "penetration_max"},
    {"UPDATE ledger SET joint_error_max=1e-3" AT40, "ledger", 40, "joint_error_max"},
    {"UPDATE ledger SET contacts=contacts+1" AT40, "ledger", 40, "contacts"},
    {"UPDATE ledger SET iterations=-1 WHERE step=17", "ledger", 17, "negative"},
    {"UPDATE ledger SET t=t+1e-9 WHERE step=17", "ledger", 17, "t is not"},
    {"UPDATE ledger SET potential=NULL WHERE step=17", "ledger", 17, "not a finite"},
    {"DELETE FROM ledger WHERE step=17", "ledger", 17, "missing"},
    {"DELETE FROM ledger WHERE step>50; DELETE FROM frame WHERE step>50; DELETE FROM contact WHERE "
     "step>50; DELETE FROM joint WHERE step>50",
     "ledger", 50, "ends at step"},
    // The head.
    {"UPDATE meta SET value='1' WHERE key='tolerance'", "meta", -1, "tolerance"},
    {"UPDATE meta SET value='17' WHERE key='energy_initial'", "meta", -1, "energy_initial"},
    {"UPDATE meta SET value='convex' WHERE key='friction'", "meta", -1, "friction"},
    {"UPDATE meta SET value=replace(value,'density: 2500','density: 2600') WHERE key='scene'",
     "body", -1, "mass of body"},
    {"UPDATE meta SET value=replace(value,'friction: 0.4','friction: 0.7') WHERE key='scene'",
     "contact", 40, "friction"},
    {"UPDATE meta SET value=replace(value,'restitution: 0.6','restitution: 0.9') WHERE key='scene'",
     "contact", 5, "shift"},
    {"UPDATE meta SET value=replace(value,'-9.81','-5') WHERE key='scene'", "frame", 40,
     "momentum"},
    {"UPDATE body SET mass=mass*2 WHERE id=3", "body", -1, "mass of body 3"},
    {"UPDATE body SET shape=replace(shape,'0.2','0.3') WHERE id=5", "body", -1, "shape of body 5"},
    {"UPDATE body SET inertia=replace(inertia,'1','2') WHERE id=3", "body", -1,
     "inertia of body 3"},
    {"UPDATE body SET kind='fixed' WHERE id=3", "body", -1, "kind of body 3"},
};
#define FORGERIES (sizeof forgeries / sizeof forgeries[0])

CN_TEST(forged_files_are_found_when_hashes_fit) {
    cn_cli cli = cn_cli_enter();
    cn_run_grade *grade = calloc(1, sizeof *grade);
    int missed = 0;
    run_scene(&cli, rich, "");
    for (size_t i = 0; i < FORGERIES; i++) {
        const forgery *of = &forgeries[i];
        forge(of, true);
        check_file("forged.run", grade);
        missed += !is_forgery_found(of, grade);
    }
    free(grade);
    cn_cli_leave(&cli);
    assert_int_equal(missed, 0);
}

// Rows that are changed or lost by accident: the hash names the table and the step.
CN_TEST(changed_rows_are_named_by_their_hash) {
    cn_cli cli = cn_cli_enter();
    cn_run_grade *grade = calloc(1, sizeof *grade);
    int missed = 0;
    run_scene(&cli, rich, "");
    for (size_t i = 0; i < FORGERIES; i++) {
        const forgery *of = &forgeries[i];
        char table[16] = "";
        forge(of, false);
        check_file("forged.run", grade);
        bool update = sscanf(of->sql, "UPDATE %15s SET", table) == 1;
        bool one = strstr(of->sql, "WHERE") != NULL;
        int64_t step = strstr(of->sql, AT40)        ? 40
                       : strstr(of->sql, "step=17") ? 17
                       : strstr(of->sql, "step=5")  ? 5
                       : strstr(of->sql, "step=0")  ? 0
                       : strcmp(table, "body") == 0 && one
                           ? strtol(strstr(of->sql, "id=") + 3, NULL, 10)
                       : strcmp(table, "meta") == 0 ? -1
                                                    : 40;
        bool found =
            !update ? !grade->within || !grade->complete
                    : !grade->within && is_found(grade, table, step, "is not what was written");
        if (!found) {
            print_error("not found: %s\n  want %s, step %lld\n", of->sql, table, (long long)step);
            print_findings(grade);
            missed++;
        }
    }
    free(grade);
    cn_cli_leave(&cli);
    assert_int_equal(missed, 0);
}

CN_TEST(at_least_thirty_kinds_of_tampering) {
    CN_CHECK_TRUE(FORGERIES >= 30);
}

// ---- honest files ----

// A floor and a tail that says what stands on it.
#define SCENE(dim, time, more)                                                                     \
    "cairn: 1\nname: honest\ndimension: " #dim "\ntime: " time "\n"                                \
    "materials: {stone: {density: 2500}}\n" more

static const struct honest {
    const char *name, *text;
} honest[] = {
    {"2d", SCENE(2, "{step: 2.0e-3, until: 0.4, frames_every: 0.01}",
                 "contacts: [{between: [stone, stone], friction: {static: 0.5, dynamic: 0.4}}]\n"
                 "bodies:\n"
                 "  - {name: floor, fixed: true, material: stone, shape: {line: {normal: [0.1, 1], "
                 "offset: 0}}}\n"
                 "  - {name: a, material: stone, position: [0, 0.3], shape: {box: {size: [0.4, "
                 "0.2]}}}\n"
                 "  - {name: b, material: stone, position: [0.05, 0.7], angle: 0.3, velocity: [1, "
                 "0], shape: {ellipse: {axes: [0.3, 0.2]}}}\n"
                 "  - {name: c, material: stone, position: [0.9, 0.5], shape: {disk: {radius: "
                 "0.1}}}\n")},
    {"restitution and fast pairs",
     SCENE(
         3, "{step: 4.0e-3, until: 0.4, frames_every: 0}",
         "contacts: [{between: [stone, stone], friction: 0.3, restitution: 0.8}]\n"
         "bodies:\n"
         "  - {name: floor, fixed: true, material: stone, shape: {plane: {normal: [0, 0, 1], "
         "offset: 0}}}\n"
         "  - {name: wall, fixed: true, material: stone, position: [2, 0, 1], shape: {box: {size: "
         "[0.05, 4, 2]}}}\n"
         "  - {name: a, material: stone, position: [0, 0, 0.3], velocity: [30, 0, 1], "
         "angular_velocity: [1, 2, 3], shape: {box: {size: [0.1, 0.12, 0.14]}}}\n"
         "  - {name: b, material: stone, position: [0, 1, 0.3], velocity: [40, 0, 0], shape: "
         "{sphere: {radius: 0.05}}}\n")},
    {"adaptive step",
     SCENE(2, "{step: 1.0e-2, until: 0.4, frames_every: 0}",
           "integrator: {error: 1.0e-5}\n"
           "contacts: [{between: [stone, stone], friction: 0.3}]\n"
           "bodies:\n"
           "  - {name: floor, fixed: true, material: stone, shape: {line: {normal: [0, 1], offset: "
           "0}}}\n"
           "  - {name: a, material: stone, position: [0, 0.4], angle: 0.3, velocity: [0.5, -1], "
           "shape: {box: {size: [0.4, 0.2]}}}\n")},
    {"stabilised",
     SCENE(3, "{step: 2.0e-3, until: 0.2, frames_every: 0.01}",
           "integrator: {scheme: stabilised, active_gap: 0.05}\n"
           "contacts: [{between: [stone, stone], friction: 0.3}]\n"
           "bodies:\n"
           "  - {name: floor, fixed: true, material: stone, shape: {plane: {normal: [0, 0, 1], "
           "offset: 0}}}\n"
           "  - {name: a, material: stone, position: [0, 0, 0.12], velocity: [1, 0, -1], shape: "
           "{box: {size: [0.2, 0.2, 0.2]}}}\n"
           "  - {name: b, material: stone, position: [0, 0, 0.33], shape: {sphere: {radius: "
           "0.1}}}\n")},
    {"locks and a hinge with limits, springs, theta 1",
     SCENE(3, "{step: 2.0e-3, until: 0.3, frames_every: 0.01}",
           "integrator: {theta: 1}\n"
           "contacts: [{between: [stone, stone], friction: 0.3, law: gap}]\n"
           "bodies:\n"
           "  - {name: floor, fixed: true, material: stone, shape: {plane: {normal: [0, 0, 1], "
           "offset: 0}}}\n"
           "  - {name: a, material: stone, position: [0, 0, 0.12], velocity: [1, 0, -1], lock: "
           "[ty, rx, rz], shape: {box: {size: [0.3, 0.2, 0.2]}}}\n"
           "  - {name: b, material: stone, position: [1, 0, 0.5], angular_velocity: [4, 3, "
           "0], lock: {axes: body, dofs: [rz]}, shape: {box: {size: "
           "[0.3, 0.2, 0.1]}}}\n"
           "  - {name: c, material: stone, position: [3, 0, 2], shape: {box: {size: [0.5, 0.1, "
           "0.1]}}}\n"
           "  - {name: d, material: stone, position: [3.5, 0, 2], shape: {box: {size: [0.3, 0.1, "
           "0.1]}}}\n"
           "joints:\n"
           "  - {kind: hinge, bodies: [floor, c], point: [2.75, 0, 2], axis: [0, 1, 0], limits: "
           "[-0.1, 0.1]}\n"
           "  - {kind: spring, bodies: [c, d], point: [3.25, 0, 2], second_point: [3.35, 0, 2], "
           "stiffness: 300, damping: 2}\n")},
    {"bodies of several shapes, far from their middles",
     SCENE(2, "{step: 4.0e-3, until: 0.8, frames_every: 0}",
           "contacts: [{between: [stone, stone], friction: 0.3, restitution: 0.5}]\n"
           "bodies:\n"
           "  - name: walls\n    fixed: true\n    material: stone\n    shape:\n"
           "      - {box: {size: [1.04, 0.02]}, position: [0, -0.01]}\n"
           "      - {box: {size: [1.04, 0.02]}, position: [0, 1.01]}\n"
           "      - {box: {size: [0.02, 1.04]}, position: [-0.51, 0.5]}\n"
           "      - {box: {size: [0.02, 1.04]}, position: [0.51, 0.5]}\n"
           "  - {name: disk, material: stone, position: [-0.33, 0.3], velocity: [4, 2], shape: "
           "{disk: {radius: 0.08}}}\n"
           "  - name: angle\n    material: stone\n    position: [0.1, 0.3]\n"
           "    velocity: [1, 2]\n    angular_velocity: 3\n    shape:\n"
           "      - {box: {size: [0.3, 0.05]}, position: [0, 0]}\n"
           "      - {box: {size: [0.05, 0.3]}, position: [0.15, 0.15]}\n")},
};

static const char sleepers[] =
    SCENE(3, "{step: 2.0e-3, until: 0.3, frames_every: 0.01}",
          "contacts: [{between: [stone, stone], friction: 0.5}]\n"
          "sleeping: {speed: 0.001, after: 0.05}\n"
          "bodies:\n"
          "  - {name: floor, fixed: true, material: stone, shape: {plane: {normal: [0, 0, 1], "
          "offset: 0}}}\n"
          "  - {name: a, material: stone, position: [0, 0, 0.1], shape: {box: {size: [0.2, 0.2, "
          "0.2]}}}\n"
          "  - {name: b, material: stone, position: [0, 0, 0.3], shape: {box: {size: [0.2, 0.2, "
          "0.2]}}}\n"
          "  - {name: c, material: stone, position: [3, 0, 2], velocity: [-2, 0, 1], shape: "
          "{sphere: {radius: 0.08}}}\n");

CN_TEST(bodies_that_sleep_are_checked) {
    cn_cli cli = cn_cli_enter();
    const forgery list[] = {
        {"UPDATE contact SET impulse=scale(impulse,-1,2) WHERE step=75", "contact", 75, "sleeps"},
        {"UPDATE contact SET velocity=put(velocity,0,1) WHERE step=75", "contact", 75,
         "velocities"},
        {"UPDATE contact SET velocity=put(velocity,17,1) WHERE step=75", "contact", 75,
         "velocities"},
        {"UPDATE frame SET v=put(v,12,0.1) WHERE step=75", "frame", 75, ""},
        {"UPDATE frame SET asleep=zeroblob(4) WHERE step=75", "contact", 75, "sleeps"},
        {"UPDATE frame SET v=put(v,6,0.1) WHERE step=75", "frame", 75, ""},
        {"UPDATE contact SET sleeping=99 WHERE step=75", "contact", 75, "sleeping"},
    };
    cn_run_grade *grade = calloc(1, sizeof *grade);
    run_scene(&cli, sleepers, "");
    expect_verified(&cli, "sleeping");
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        forge(&list[i], true);
        check_file("forged.run", grade);
        if (grade->within || !is_found(grade, list[i].table, 75, list[i].what)) {
            print_error("not found: %s\n", list[i].sql);
            print_findings(grade);
            fail();
        }
    }
    free(grade);
    cn_cli_leave(&cli);
}

CN_TEST(honest_files_pass) {
    cn_cli cli = cn_cli_enter();
    for (size_t i = 0; i < sizeof honest / sizeof honest[0]; i++) {
        run_scene(&cli, honest[i].text, "");
        expect_verified(&cli, honest[i].name);
    }
    run_scene(&cli, rich, "--frames-every 0");
    expect_verified(&cli, "the rich scene, every step");
    cn_cli_leave(&cli);
}

CN_TEST(resumed_and_threaded_runs_pass) {
    cn_cli cli = cn_cli_enter();
    run_scene(&cli, rich, "--until 0.031 --threads 2");
    CN_CLI_EXPECT(&cli, 0, "check base.run");
    CN_CLI_EXPECT(&cli, 0, "resume base.run -q --until 0.06");
    expect_verified(&cli, "resumed");
    cn_cli_leave(&cli);
}

// Runs of the gallery, so many steps of each.
static void check_gallery(int32_t bodies_max, int32_t steps) {
    cn_cli cli = cn_cli_enter();
    CN_CHECK_TRUE(system("ls '" CAIRN_SOURCE_DIR "'/scenes/*.yaml > list") == 0);
    FILE *list = fopen("list", "r");
    char path[400], arguments[900];
    int32_t count = 0;
    while (fgets(path, sizeof path, list)) {
        cn_model *model;
        cn_error error;
        path[strcspn(path, "\n")] = '\0';
        assert_int_equal(cn_scene_read(NULL, path, NULL, 0, &model, &error), CN_OK);
        double step = cn_model_settings(model)->step;
        int32_t bodies = cn_model_body_count(model);
        cn_model_destroy(model);
        if (bodies > bodies_max) {
            continue;
        }
        snprintf(arguments, sizeof arguments,
                 "run '%s' -q -f -o base.run --until %.17g --frames-every %.17g", path,
                 steps * step, steps / 4 * step);
        int code = cn_cli_run(&cli, arguments);
        CN_CHECK_TRUE(code == 0 || code == 3);
        if (code == 0) {
            expect_verified(&cli, path);
            count++;
        }
    }
    fclose(list);
    cn_cli_leave(&cli);
    CN_CHECK_TRUE(count > 25);
}

CN_TEST(short_runs_of_the_gallery_pass) {
    check_gallery(40, 8);
}

CN_TEST(long_runs_of_the_gallery_pass) {
    check_gallery(INT32_MAX, 40);
}

// ---- what the command says ----

CN_TEST(json_has_what_is_fixed) {
    cn_cli cli = cn_cli_enter();
    run_scene(&cli, rich, "");
    CN_CLI_EXPECT(&cli, 0, "check base.run --json");
    cJSON *json = cn_cli_json(&cli, 0);
    CN_CHECK_TRUE(cJSON_IsTrue(cJSON_GetObjectItem(json, "within")) &&
                  cJSON_IsTrue(cJSON_GetObjectItem(json, "complete")));
    CN_CHECK_TRUE(cJSON_IsObject(cJSON_GetObjectItem(json, "worst")));
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "findings")), 0);
    cJSON_Delete(json);
    const forgery of = {"UPDATE contact SET impulse=scale(impulse,2,1.5)" AT40, "", 0, ""};
    forge(&of, true);
    CN_CLI_EXPECT(&cli, 3, "check forged.run --json");
    json = cn_cli_json(&cli, 0);
    const cJSON *finding = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "findings"), 0);
    CN_CHECK_TRUE(cJSON_IsFalse(cJSON_GetObjectItem(json, "within")));
    CN_CHECK_NEAR(io_json_number(finding, "step"), 40.0, 0.0);
    CN_CHECK_TRUE(io_json_number(finding, "value") > io_json_number(finding, "allowed"));
    CN_CHECK_TRUE(strlen(cn_json_string(finding, "what")) > 10);
    cJSON_Delete(json);
    CN_CLI_EXPECT(&cli, 4, "check scene.yaml --json");
    cn_cli_leave(&cli);
}

CN_TEST(files_without_evidence_are_incomplete) {
    cn_cli cli = cn_cli_enter();
    run_scene(&cli, rich, "");
    FILE *file = fopen("base.run", "rb");
    fseek(file, 0, SEEK_END);
    long full = ftell(file);
    fclose(file);
    run_scene(&cli, rich, "--no-evidence");
    file = fopen("base.run", "rb");
    fseek(file, 0, SEEK_END);
    CN_CHECK_TRUE(ftell(file) < full);
    fclose(file);
    CN_CLI_EXPECT(&cli, 3, "check base.run");
    CN_CHECK_HOLDS(cli.out, "INCOMPLETE");
    CN_CHECK_HOLDS(cli.out, "no evidence");
    // What is recorded is still checked.
    const forgery of = {"UPDATE contact SET impulse=scale(impulse,2,1.5)" AT40, "", 0, ""};
    cn_run_grade *grade = calloc(1, sizeof *grade);
    forge(&of, true);
    check_file("forged.run", grade);
    CN_CHECK_TRUE(!grade->within && is_found(grade, "contact", 40, "tolerance"));
    free(grade);
    cn_cli_leave(&cli);
}

// A file as versions before the evidence wrote it.
CN_TEST(old_files_are_read_and_incomplete) {
    cn_cli cli = cn_cli_enter();
    run_scene(&cli, rich, "");
    const forgery of = {
        "DROP TABLE joint; DROP TABLE meta_hash; DELETE FROM meta WHERE key='evidence';"
        "ALTER TABLE body DROP COLUMN row_hash; ALTER TABLE ledger DROP COLUMN row_hash;"
        "ALTER TABLE event DROP COLUMN row_hash; ALTER TABLE contact DROP COLUMN row_hash;"
        "ALTER TABLE contact DROP COLUMN early; ALTER TABLE contact DROP COLUMN sleeping;"
        "ALTER TABLE frame DROP COLUMN row_hash; ALTER TABLE frame DROP COLUMN v_before;"
        "ALTER TABLE frame DROP COLUMN start; ALTER TABLE frame DROP COLUMN h;"
        "ALTER TABLE frame DROP COLUMN limited; ALTER TABLE frame DROP COLUMN asleep;"
        "ALTER TABLE frame DROP COLUMN steering; ALTER TABLE frame DROP COLUMN load;"
        "ALTER TABLE frame DROP COLUMN v_after; ALTER TABLE frame DROP COLUMN q_middle;"
        "ALTER TABLE frame DROP COLUMN projection",
        "", 0, ""};
    forge(&of, false);
    CN_CLI_EXPECT(&cli, 3, "check forged.run");
    CN_CHECK_HOLDS(cli.out, "INCOMPLETE");
    CN_CLI_EXPECT(&cli, 0, "info forged.run");
    CN_CLI_EXPECT(&cli, 0, "resume forged.run -q --until 0.07");
    CN_CLI_EXPECT(&cli, 3, "check forged.run");
    CN_CHECK_HOLDS(cli.out, "INCOMPLETE");
    cn_cli_leave(&cli);
}

// A run that was stopped is whole up to there; of one that was killed rows may be missing.
CN_TEST(a_run_that_was_killed_is_incomplete) {
    cn_cli cli = cn_cli_enter();
    run_scene(&cli, rich, "");
    const forgery list[] = {{"UPDATE meta SET value='running' WHERE key='status'", "", 0, ""},
                            {"DELETE FROM meta WHERE key='status'", "", 0, ""},
                            {"UPDATE meta SET value='interrupted' WHERE key='status'", "", 0, ""}};
    cn_run_grade *grade = calloc(1, sizeof *grade);
    for (int i = 0; i < 3; i++) {
        forge(&list[i], true);
        check_file("forged.run", grade);
        CN_CHECK_TRUE(grade->within && !grade->finished);
        CN_CHECK_TRUE(grade->complete == (i == 2));
        CN_CHECK_TRUE(i == 2 || strstr(grade->incomplete, "not ended") != NULL);
    }
    free(grade);
    cn_cli_leave(&cli);
}
