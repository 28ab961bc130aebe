// Run files that someone changed with care: several columns together, so that momentum and hashes
// fit, and the ledger is made to fit the frames as far as the check tells what it wants to see.
#include "forge.h"

#include "check/check.h"

// A ball at rest, two that fall, a plate that is driven, an arm on a hinge. R = 0.1 makes 4.19 kg.
#define SCENE(joints, spin)                                                                        \
    "cairn: 1\nname: plain\ndimension: 3\ngravity: [0, 0, -9.81]\n"                                \
    "time: {step: 1.0e-3, until: 0.06, frames_every: 5.0e-3}\n"                                    \
    "integrator: {theta: 0.5" joints "}\n"                                                         \
    "materials: {stone: {density: 1000}, rubber: {density: 1000}}\n"                               \
    "contacts:\n"                                                                                  \
    "  - {between: ['*', '*'], friction: 0.4}\n"                                                   \
    "  - {between: [rubber, stone], friction: 0.3, restitution: 0.6}\n"                            \
    "bodies:\n"                                                                                    \
    "  - {name: ground, fixed: true, material: stone, shape: {plane: {normal: [0, 0, 1], offset: " \
    "0}}}\n"                                                                                       \
    "  - {name: rest, material: stone, position: [0, 0, 0.5], shape: {sphere: {radius: 0.5}}}\n"   \
    "  - {name: one, material: rubber, position: [5, 0, 5], velocity: [0, 0, -2], shape: "         \
    "{sphere: {radius: 0.1}}}\n"                                                                   \
    "  - {name: two, material: rubber, position: [5, 3, 5], velocity: [0, 0, -2], shape: "         \
    "{sphere: {radius: 0.1}}}\n"                                                                   \
    "  - {name: plate, material: stone, position: [20, 0, 5], shape: {box: {size: [2, 2, "         \
    "0.1]}}}\n"                                                                                    \
    "  - {name: post, fixed: true, material: stone, position: [40, 0, 5], shape: {box: {size: "    \
    "[0.1, 0.1, 0.1]}}}\n"                                                                         \
    "  - {name: arm, material: stone, position: [40.5, 0, 5], angular_velocity: [0, " spin         \
    ", 0], shape: "                                                                                \
    "{box: {size: [0.6, 0.1, 0.2]}}}\n"                                                            \
    "motions: [{body: plate, velocity: ['0.5*cos(20*t)', 0, 0]}]\n"                                \
    "joints: [{kind: hinge, bodies: [post, arm], point: [40, 0, 5], axis: [0, 1, 0]}]\n"

static const char plain[] = SCENE("", "3");

// ---- making the ledger fit ----

static void set_ledger(sqlite3 *db, const char *column, double value, int64_t step) {
    char sql[160];
    snprintf(sql, sizeof sql, "UPDATE ledger SET %s=%.17g WHERE step=%lld", column, value,
             (long long)step);
    forge_do(db, sql);
}

// Counts of the contacts that are recorded.
static void fit_counts(sqlite3 *db) {
    sqlite3_stmt *select;
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT step,status FROM contact", -1, &select, NULL),
                     SQLITE_OK);
    while (sqlite3_step(select) == SQLITE_ROW) {
        int64_t step = sqlite3_column_int64(select, 0);
        const unsigned char *status = sqlite3_column_blob(select, 1);
        int n = sqlite3_column_bytes(select, 1), sticking = 0, sliding = 0;
        for (int i = 0; i < n; i++) {
            sticking += status[i] == 1;
            sliding += status[i] == 2;
        }
        set_ledger(db, "contacts", n, step);
        set_ledger(db, "sticking", sticking, step);
        set_ledger(db, "sliding", sliding, step);
    }
    sqlite3_finalize(select);
}

// What the balance of a step leaves [J].
static double left_over(sqlite3 *db, int64_t step) {
    char sql[400];
    sqlite3_stmt *select;
    snprintf(sql, sizeof sql,
             "SELECT a.kinetic+a.potential-b.kinetic-b.potential-a.work_external-a.work_joints-"
             "a.work_correction+a.dissipated_friction+a.dissipated_impact+a.dissipated_numerical "
             "FROM ledger a, ledger b WHERE a.step=%lld AND b.step=a.step-1",
             (long long)step);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &select, NULL), SQLITE_OK);
    double left = sqlite3_step(select) == SQLITE_ROW ? sqlite3_column_double(select, 0) : 0.0;
    sqlite3_finalize(select);
    return left;
}

// What a frame does not fix is put into the steps beside it: energy into the one before, the works
// of both.
static void fit_balance(sqlite3 *db, int64_t step) {
    char sql[160];
    double left = left_over(db, step);
    snprintf(sql, sizeof sql, "UPDATE ledger SET kinetic=kinetic+%.17g WHERE step=%lld", left,
             (long long)step - 1);
    forge_do(db, sql);
    for (int64_t beside = step - 1; beside <= step + 1; beside += 2) {
        snprintf(sql, sizeof sql,
                 "UPDATE ledger SET work_external=work_external+%.17g WHERE step=%lld",
                 left_over(db, beside), (long long)beside);
        forge_do(db, sql);
    }
}

// Columns of the ledger that the check holds against the frame, as it wants them.
static int fit_findings(sqlite3 *db, const cn_run_grade *grade) {
    static const char *const columns[] = {
        "kinetic",           "potential",       "dissipated_friction",
        "dissipated_impact", "work_external",   "dissipated_numerical",
        "work_joints",       "work_correction", "joint_error_max",
        "penetration_max"};
    int count = 0;
    for (int64_t i = 0; i < grade->finding_count && i < CN_RUN_FINDINGS; i++) {
        const cn_run_finding *finding = &grade->finding[i];
        for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
            char begin[60];
            int size = snprintf(begin, sizeof begin, "ledger: %s is", columns[k]);
            if (strncmp(finding->what, begin, (size_t)size) == 0) {
                set_ledger(db, columns[k], finding->allowed, finding->step);
                count++;
            }
        }
    }
    return count;
}

static void forge_well(const forgery *of, cn_run_grade *grade) {
    copy_file("base.run", "forged.run");
    sqlite3 *db = forge_open("forged.run");
    forge_do(db, of->sql);
    if (strstr(of->sql, "contact SET")) {
        fit_counts(db);
    }
    for (int round = 0; round < 3; round++) {
        forge_rehash(db);
        sqlite3_close(db);
        check_file("forged.run", grade);
        db = forge_open("forged.run");
        if (fit_findings(db, grade) > 0) {
            fit_balance(db, 40);
        }
    }
    forge_rehash(db);
    sqlite3_close(db);
    check_file("forged.run", grade);
}

// By the command, and by the library that the test is linked with.
static void expect_honest(cn_cli *cli, const char *name, cn_run_grade *grade) {
    expect_verified(cli, name);
    check_file("base.run", grade);
    CN_CHECK_TRUE(grade->within && grade->complete && grade->checked > 0);
}

// ---- forgeries ----

#define AT40 " WHERE step=40"
#define MASS(id) "(SELECT mass FROM body WHERE id=" id ")"
#define OF_CONTACT(what) "(SELECT " what " FROM contact" AT40 ")"
#define OF_FRAME(what) "(SELECT " what " FROM frame" AT40 ")"
// A change of a body's velocity by the impulses of the step: poses go by half of it times the step.
#define KICK(v, q, by)                                                                             \
    "UPDATE frame SET v=plus(v," v "," by "),v_after=plus(v_after," v "," by "),q=plus(q," q       \
    ",0.5e-3*(" by "))" AT40 ";"
#define FALL "num(v_before,14)" // of ball one; what a bounce off the ground would make of it
#define BOUNCE "(-0.6*" FALL "-num(v,14))"

// clang-format off
static const forgery forgeries[] = {
    {KICK("8", "9", "0.5") "UPDATE contact SET impulse=plus(impulse,2,0.5*" MASS("2") "),"
     "velocity=plus(velocity,2,0.5)" AT40,
     "contact", 40, "residual"},
    {KICK("8", "9", "1e-4") "UPDATE contact SET impulse=plus(impulse,2,1e-4*" MASS("2") "),"
     "velocity=plus(velocity,2,1e-4)" AT40,
     "contact", 40, "residual"},
    {KICK("8", "9", "0.5") "UPDATE contact SET impulse=plus(impulse,2,0.5*" MASS("2") "),"
     "velocity=plus(velocity,2,0.5)" AT40 ";UPDATE frame SET limited=1" AT40,
     "frame", 40, "none is fast"},
    {KICK("8", "9", "-" OF_CONTACT("num(impulse,2)") "/" MASS("2"))
     "UPDATE contact SET n=0,bodies=x'',point=x'',normal=x'',gap=x'',impulse=x'',velocity=x'',"
     "velocity_before=x'',shift=x'',friction=x'',status=x'',frame_change=x''" AT40,
     "contact", 40, "apart and have no contact"},
    {"UPDATE contact SET n=2,bodies=cat(bodies,x'0300000001000000'),point=cat(point,nums(5,0,2.4)),"
     "normal=cat(normal,nums(0,0,1)),gap=cat(gap,nums(" OF_FRAME("num(q,16)") "-0.1)),"
     "impulse=cat(impulse,nums(0,0," MASS("3") "*(-1.6*" OF_FRAME(FALL) "+9.81e-3))),"
     "velocity=cat(velocity,nums(0,0,-0.6*" OF_FRAME(FALL) ")),"
     "velocity_before=cat(velocity_before,nums(0,0," OF_FRAME(FALL) ")),"
     "shift=cat(shift,nums(0,0,0.6*" OF_FRAME(FALL) ")),friction=cat(friction,nums(0.3)),"
     "status=cat(status,x'01'),frame_change=cat(frame_change,nums(0,0,0)),"
     "early=nums(1,0,0,0,0,0,-0.1)" AT40 ";" KICK("14", "16", BOUNCE),
     "contact", 40, "cannot hit before it touches"},
    {KICK("12", "14", "0.1/" MASS("3")) "UPDATE frame SET load=put(zeroblob(336),12,100)" AT40,
     "", 40, "steered"},
    {"UPDATE frame SET steering=nums(0,0,-9.81,2)" AT40
     ";UPDATE contact SET friction=scale(friction,-1,2)" AT40,
     "", 40, "steered"},
    {"UPDATE frame SET asleep=x'00000200000000',v=put(v,14,0)" AT40,
     "frame", 40, "which its scene does not allow"},
    {"UPDATE frame SET q_middle=NULL" AT40, "frame", 40, "v_after and q_middle"},
    {"UPDATE frame SET projection=put(zeroblob(336),12,0.05)" AT40,
     "frame", 40, "moves as it cannot"},
    {"UPDATE frame SET q=plus(q,28,0.1),q_middle=plus(q_middle,28,0.1)" AT40,
     "frame", 40, "where its motion takes it"},
    {"UPDATE frame SET q=plus(q,15,0.5),q_middle=plus(q_middle,15,0.5)" AT40,
     "frame", 40, "than its energy lets it"},
    {"UPDATE frame SET q=swap(q,14,21,7),q_middle=swap(q_middle,14,21,7),v=swap(v,12,18,6),"
     "v_after=swap(v_after,12,18,6),v_before=swap(v_before,12,18,6)" AT40,
     "frame", 40, "than its energy lets it"},
    {"UPDATE frame SET h=0.5e-3,start=start+0.5e-3" AT40, "frame", 40, "momentum"},
    {"UPDATE contact SET bodies=putint(putint(bodies,0,7),1,6)" AT40,
     "contact", 40, "cannot have a contact"},
    {"UPDATE contact SET bodies=putint(bodies,1,2)" AT40, "contact", 40, "cannot have a contact"},
    {"CREATE TABLE other(step INTEGER, n INTEGER, sleeping INTEGER, bodies BLOB, point BLOB, "
     "normal BLOB, gap BLOB, impulse BLOB, velocity BLOB, velocity_before BLOB, shift BLOB, "
     "friction BLOB, status BLOB, frame_change BLOB, early BLOB, row_hash BLOB);"
     "INSERT INTO other SELECT * FROM contact; INSERT INTO other SELECT * FROM contact" AT40
     "; DROP TABLE contact; ALTER TABLE other RENAME TO contact",
     "contact", -1, "several rows"},
    {"UPDATE checkpoint SET state=putint(state,20,7)", "checkpoint", 60, "not what was written"},
    {"UPDATE checkpoint SET hash='0000000000000000'", "checkpoint", 60, "that of the frame"},
    {"UPDATE body SET mass=2*mass WHERE id=2; UPDATE meta SET value=replace(value,'name: rest',"
     "'name: rest'||char(10)||'    mass: 1047.1975511965977') WHERE key='scene'",
     "body", -1, "inertia of body 2"},
};
// clang-format on

CN_TEST(what_is_changed_together_is_found) {
    cn_cli cli = cn_cli_enter();
    cn_run_grade *grade = calloc(1, sizeof *grade);
    int missed = 0;
    run_scene(&cli, plain, "");
    expect_honest(&cli, "plain", grade);
    for (size_t i = 0; i < sizeof forgeries / sizeof forgeries[0]; i++) {
        const forgery *of = &forgeries[i];
        forge_well(of, grade);
        missed += !is_forgery_found(of, grade);
    }
    free(grade);
    cn_cli_leave(&cli);
    assert_int_equal(missed, 0);
}

// Joints that were gone on with by a cheaper remedy than the scene says.
CN_TEST(joints_of_another_remedy_are_found) {
    cn_cli cli = cn_cli_enter();
    cn_run_grade *grade = calloc(1, sizeof *grade);
    const forgery of = {
        "UPDATE meta SET value=replace(value,'joints: none','joints: ggl') WHERE key='scene'",
        "joint", 40, ""};
    run_scene(&cli, SCENE("", "100"), "");
    expect_honest(&cli, "a joint that turns fast", grade);
    run_scene(&cli, SCENE(", joints: none", "100"), "");
    expect_honest(&cli, "the remedy as it is said", grade);
    forge_well(&of, grade);
    if (!is_found(grade, "joint", 40, "does not hold") ||
        !is_found(grade, "joint", 40, "part at the end")) {
        print_findings(grade);
        fail();
    }
    free(grade);
    cn_cli_leave(&cli);
}

// Two balls that roll on a third: the frame change is that of their velocities.
static const char rolling[] =
    "cairn: 1\nname: rolling\ndimension: 3\ntime: {step: 1.0e-3, until: 0.05, frames_every: "
    "5.0e-3}\n"
    "materials: {stone: {density: 1000}}\n"
    "contacts: [{between: [stone, stone], friction: 0.4}]\n"
    "bodies:\n"
    "  - {name: low, fixed: true, material: stone, position: [0, 0, 0], shape: {sphere: {radius: "
    "1}}}\n"
    "  - {name: top, material: stone, position: [0, 0, 1.3], velocity: [0.5, 0.1, 0], "
    "angular_velocity: [0, 0, 9], shape: {sphere: {radius: 0.3}}}\n";

CN_TEST(the_frame_change_of_spheres_is_that_of_their_velocities) {
    cn_cli cli = cn_cli_enter();
    cn_run_grade *grade = calloc(1, sizeof *grade);
    const forgery of = {
        "UPDATE contact SET frame_change=plus(frame_change,0,1e-4),shift=plus(shift,"
        "0,0.5e-4)" AT40,
        "contact", 40, "frame change"};
    run_scene(&cli, rolling, "");
    expect_honest(&cli, "rolling", grade);
    forge_well(&of, grade);
    if (grade->within || !is_found(grade, "contact", 40, of.what)) {
        print_findings(grade);
        fail();
    }
    free(grade);
    cn_cli_leave(&cli);
}

// Where no step but the first can be cut, driven bodies are followed exactly.
CN_TEST(driven_bodies_are_followed_to_round_off) {
    static const char driven[] =
        "cairn: 1\nname: driven\ndimension: 3\n"
        "time: {step: 1.0e-3, until: 0.06, frames_every: 5.0e-3}\n"
        "materials: {stone: {density: 1000}}\n"
        "contacts: [{between: [stone, stone], friction: 0.4}]\n"
        "bodies:\n"
        "  - {name: fan, material: stone, position: [9, 0, 0], shape: {box: {size: [1, 2, 3]}}}\n"
        "motions: [{body: fan, velocity: ['0.5*cos(20*t)', 0, 0], angular_velocity: ['3*t', 2, "
        "'sin(30*t)']}]\n";
    cn_cli cli = cn_cli_enter();
    cn_run_grade *grade = calloc(1, sizeof *grade);
    const forgery of = {"UPDATE frame SET q=plus(q,0,1e-4)" AT40, "frame", 40, "motion takes it"};
    run_scene(&cli, driven, "");
    expect_honest(&cli, "driven", grade);
    forge_well(&of, grade);
    if (grade->within || !is_found(grade, "frame", 40, of.what)) {
        print_findings(grade);
        fail();
    }
    free(grade);
    cn_cli_leave(&cli);
}

// When a damped spring has come to rest its energies are round-off.
CN_TEST(a_run_that_comes_to_rest_passes) {
    cn_cli cli = cn_cli_enter();
    cn_run_grade *grade = calloc(1, sizeof *grade);
    CN_CLI_EXPECT(&cli, 0, "run '" CAIRN_SOURCE_DIR "/scenes/spring.yaml' -q -f -o base.run");
    expect_honest(&cli, "spring", grade);
    free(grade);
    cn_cli_leave(&cli);
}

// NaN is worse than any number, what is beyond worse than what is within.
CN_TEST(the_worst_measurement_is_what_is_beyond) {
    static const double beyond[][2] = {{NAN, 1.0}, {NAN, 0.0}, {2.0, 1.0}, {1e-300, 0.0}};
    static const double within[][2] = {{1.0, 1.0}, {0.0, 0.0}, {0.0, 1.0}, {1e300, HUGE_VAL}};
    for (size_t i = 0; i < 4; i++) {
        for (size_t k = 0; k < 4; k++) {
            check_worst first = {.any = false}, last = {.any = false};
            check_worst_add(&first, beyond[i][0], beyond[i][1], 7);
            check_worst_add(&first, within[k][0], within[k][1], 8);
            check_worst_add(&last, within[k][0], within[k][1], 8);
            check_worst_add(&last, beyond[i][0], beyond[i][1], 7);
            CN_CHECK_TRUE(first.where == 7 && last.where == 7);
        }
    }
}
