// Simulations from the command line as a user meets them: run, resume, check, info, new, schema,
// gallery, export, render, demo; exit codes, JSON keys, bad scenes, interruption.
#include "cli.h"

#include <cairn/cairn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>

extern char **environ;

// ---- five small scenes ----

typedef struct cn_small_scene {
    const char *name, *text;
} cn_small_scene;

static const cn_small_scene cn_small_scenes[] = {
    {"spheres", "cairn: 1\n"
                "time: {step: 0.01, until: 1, frames_every: 0.05, checkpoint_every: 0.2}\n"
                "solver: {tolerance: 1.0e-6}\n"
                "materials: {stone: {density: 2500}}\n"
                "contacts: [{between: [stone, stone], friction: 0.3}]\n"
                "bodies:\n"
                "  - name: box\n"
                "    fixed: true\n"
                "    material: stone\n"
                "    shape:\n"
                "      - {plane: {normal: [0, 0, 1], offset: 0}}\n"
                "      - {plane: {normal: [1, 0, 0], offset: -3}}\n"
                "      - {plane: {normal: [-1, 0, 0], offset: -3}}\n"
                "      - {plane: {normal: [0, 1, 0], offset: -3}}\n"
                "      - {plane: {normal: [0, -1, 0], offset: -3}}\n"
                "generate:\n"
                "  - packing: {count: 12, radius: [0.9, 1], inside: [[-3, -3, 0], [3, 3, 8]],\n"
                "              material: stone}\n"},
    {"disks", "cairn: 1\n"
              "dimension: 2\n"
              "time: {step: 0.01, until: 1, frames_every: 0.03}\n"
              "integrator: {theta: 1}\n"
              "solver: {tolerance: 1.0e-6}\n"
              "materials: {stone: {density: 2500}}\n"
              "contacts: [{between: [stone, stone], friction: 0.5}]\n"
              "bodies:\n"
              "  - name: hollow\n"
              "    fixed: true\n"
              "    material: stone\n"
              "    shape:\n"
              "      - {line: {normal: [1, 1]}}\n"
              "      - {line: {normal: [-1, 1]}}\n"
              "generate:\n"
              "  - packing: {count: 15, radius: [0.1, 0.2], inside: [[-1, 1.5], [1, 4]],\n"
              "              material: stone}\n"},
    {"column",
     "cairn: 1\n"
     "time: {step: 0.002, until: 1, frames_every: 0.02}\n"
     "solver: {tolerance: 1.0e-10}\n"
     "materials: {steel: {density: 1}}\n"
     "contacts: [{between: [steel, steel], friction: 0, restitution: 1}]\n"
     "bodies:\n"
     "  - {fixed: true, material: steel, shape: {plane: {normal: [0, 0, 1]}}}\n"
     "generate:\n"
     "  - column: {count: 5, mass: 1, material: steel, gap: 0.01, position: [0, 0, 0.3],\n"
     "             shape: {sphere: {radius: 0.2}}}\n"},
    {"slider", "cairn: 1\n"
               "time: {step: 0.005, until: 2, frames_every: 0.05}\n"
               "materials: {steel: {density: 7800}}\n"
               "contacts: [{between: [steel, steel], friction: {static: 0.4, dynamic: 0.3}}]\n"
               "bodies:\n"
               "  - {fixed: true, material: steel, shape: {plane: {normal: [0, 0, 1]}}}\n"
               "  - {name: ball, material: steel, mass: 1, position: [0, 0, 0.1], lock: [rx, ry],\n"
               "     angular_velocity: [0, 0, 3], shape: {sphere: {radius: 0.1}}}\n"
               "forces: [{body: ball, force: [\"6*(t<0.7)\", \"sin(5*t)\", 0]}]\n"},
    {"shaken", "cairn: 1\n"
               "time: {step: 0.01, until: 1, frames_every: 0}\n"
               "solver: {name: nsgs, tolerance: 1.0e-7, on_stall: halve}\n"
               "materials: {rubber: {density: 1000}}\n"
               "contacts: [{between: [rubber, rubber], friction: 0.6, restitution: 0.5}]\n"
               "bodies:\n"
               "  - {name: floor, fixed: true, material: rubber, shape: {plane: {normal: [0, 0, "
               "1]}}}\n"
               "motions: [{body: floor, velocity: [0, 0, \"0.8*cos(9*t)\"]}]\n"
               "generate:\n"
               "  - grid: {count: [2, 2, 2], spacing: [0.5, 0.5, 0.5], position: [0, 0, 0.4],\n"
               "           material: rubber, shape: {sphere: {radius: 0.24}}}\n"},
};
#define CN_SMALL_SCENES (sizeof cn_small_scenes / sizeof cn_small_scenes[0])

// In a fresh folder with the small scenes as NAME.yaml.
static cn_cli cn_cli_enter_with_scenes(void) {
    cn_cli cli = cn_cli_enter();
    for (size_t i = 0; i < CN_SMALL_SCENES; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s.yaml", cn_small_scenes[i].name);
        io_file_write(path, cn_small_scenes[i].text, strlen(cn_small_scenes[i].text));
    }
    return cli;
}

static bool cn_exists(const char *path) {
    return access(path, F_OK) == 0;
}

// `cairn ARGUMENTS --json` and its hash. Code 0.
static void cn_run_hash(cn_cli *cli, const char *arguments, char hash[32]) {
    char line[256];
    snprintf(line, sizeof line, "%s --json", arguments);
    CN_CLI_EXPECT(cli, 0, line);
    cJSON *json = cn_cli_json(cli, 0);
    snprintf(hash, 32, "%s", cn_json_string(json, "state_hash"));
    assert_int_equal(strlen(hash), 16);
    cJSON_Delete(json);
}

// ---- run ----

CN_TEST(run_json_has_the_contracts_keys_in_order) {
    static const char *const keys[] = {"scene",
                                       "bodies",
                                       "steps",
                                       "t_end",
                                       "cpu_s",
                                       "sp",
                                       "contacts_mean",
                                       "contacts_max",
                                       "iterations_mean",
                                       "residual_worst",
                                       "outcomes",
                                       "penetration_max",
                                       "penetration_final",
                                       "joint_error_max",
                                       "energy_initial",
                                       "energy_final",
                                       "kinetic_final",
                                       "energy_balance_error",
                                       "state_hash",
                                       "run",
                                       "penetrating_pairs",
                                       "early_impacts",
                                       "early_gap_max",
                                       "warnings"};
    cn_cli cli = cn_cli_enter_with_scenes();
    CN_CLI_EXPECT(&cli, 0, "run spheres.yaml --json");
    assert_string_equal(cli.err, "");
    assert_int_equal(cn_count_lines(cli.out), 1);
    CN_LINE_KEYS(&cli, keys);
    cJSON *json = cn_cli_json(&cli, 0);
    assert_string_equal(cn_json_string(json, "scene"), "spheres");
    assert_string_equal(cn_json_string(json, "run"), "spheres.run");
    CN_CHECK_NEAR(io_json_number(json, "bodies"), 13, 0);
    CN_CHECK_NEAR(io_json_number(json, "steps"), 100, 0);
    CN_CHECK_NEAR(io_json_number(json, "t_end"), 1, 1e-15);
    CN_CHECK_BELOW(io_json_number(json, "residual_worst"), 1e-6);
    CN_CHECK_NEAR(io_json_number(cJSON_GetObjectItemCaseSensitive(json, "outcomes"), "solved"), 100,
                  0);
    // The balance closes to round-off of the energies that it is made of.
    CN_CHECK_NEAR(io_json_number(json, "energy_balance_error"), 0.0,
                  1e-12 * io_json_number(json, "energy_initial"));
    cJSON_Delete(json);
    cn_cli_leave(&cli);
}

// Disks that move by eight times a wall's thickness a step: the report counts bounces before
// contact, and the checker agrees with them, friction included.
CN_TEST(run_counts_impacts_before_contact) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_FIELDS(&cli, 0, "run thin-walled-box --json", CN_NEAR("early_impacts", 12, 6),
                  CN_NEAR("early_gap_max", 0.12, 0.06));
    CN_CLI_EXPECT(&cli, 0, "check thin-walled-box.run --quiet");
    CN_CLI_EXPECT(&cli, 0, "run thin-walled-box -f");
    CN_CHECK_HOLDS(cli.out, "contacts of fast bodies bounced before they touched, at\n");
    cn_cli_leave(&cli);
}

CN_TEST(run_prints_a_trust_report) {
    cn_cli cli = cn_cli_enter_with_scenes();
    CN_CLI_EXPECT(&cli, 0, "run disks.yaml");
    char *hash = strstr(cli.out, "state hash ");
    CN_CHECK_TRUE(hash != NULL);
    memset(strchr(hash, '\n') - 16, 'x', 16);
    cn_check_golden(cli.out, "run");
    assert_string_equal(cli.err, "");
    CN_CLI_EXPECT(&cli, 0, "run column.yaml --quiet");
    assert_string_equal(cli.out, "");
    assert_string_equal(cli.err, "");
    CN_CLI_EXPECT(&cli, 0,
                  "run disks.yaml -o 2 --threads 2 --set generate.packing.count=4000 "
                  "--set 'generate.packing.inside=[[-3, 3], [3, 140]]' --until 0.1");
    CN_CHECK_HOLDS(cli.out, ", other threads "); // who do not record
    CN_CLI_EXPECT(&cli, 0, "info 2");
    CN_CHECK_HOLDS(cli.out, ", other threads ");
    cn_cli_leave(&cli);
}

CN_TEST(run_options_go_over_the_scene) {
    cn_cli cli = cn_cli_enter_with_scenes();
    CN_CLI_EXPECT(&cli, 0,
                  "run disks.yaml -o a.run -q --until 0.1 --frames-every 0.05 --solver nsgs --tol "
                  "1e-4 --set generate.packing.count=3 --set time.step=0.005 --threads 2");
    cn_run *run = NULL;
    cn_error error;
    assert_int_equal(cn_run_open(NULL, "a.run", &run, &error), CN_OK);
    assert_int_equal(cn_run_frame_count(run), 3);
    assert_int_equal(cn_run_body_count(run), 4);
    assert_int_equal(cn_run_dim(run), 2);
    assert_string_equal(cn_run_meta(run, "threads"), "2");
    assert_string_equal(cn_run_meta(run, "tolerance"), "0.0001");
    assert_string_equal(cn_run_meta(run, "status"), "done");
    assert_null(cn_run_meta(run, "irreproducible"));
    CN_CHECK_HOLDS(cn_run_meta(run, "scene"), "name: nsgs");
    const char *const keys[] = {"cairn_version", "git_hash", "compiler", "flags",
                                "seed",          "started",  "ended"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        CN_CHECK_TRUE(cn_run_meta(run, keys[i]) && cn_run_meta(run, keys[i])[0]);
    }
    cn_run_close(run);
    // Threads: the command line, then the environment, then the scene.
    static const struct {
        const char *name, *options, *environment, *threads;
    } cases[] = {{"t0.run", "", NULL, "1"},
                 {"t1.run", "--set solver.threads=3", NULL, "3"},
                 {"t2.run", "--set solver.threads=3", "2", "2"},
                 {"t3.run", "--set solver.threads=3 --threads 1", "2", "1"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char line[128];
        snprintf(line, sizeof line, "run disks.yaml -o %s -q --until 0.02 %s", cases[i].name,
                 cases[i].options);
        if (cases[i].environment) {
            setenv("CAIRN_THREADS", cases[i].environment, 1);
        }
        CN_CLI_EXPECT(&cli, 0, line);
        unsetenv("CAIRN_THREADS");
        assert_int_equal(cn_run_open(NULL, cases[i].name, &run, &error), CN_OK);
        assert_string_equal(cn_run_meta(run, "threads"), cases[i].threads);
        cn_run_close(run);
    }
    CN_CLI_EXPECT(&cli, 0, "run disks.yaml -o b.run -q --until 0.1 --time-limit 100");
    assert_int_equal(cn_run_open(NULL, "b.run", &run, &error), CN_OK);
    CN_CHECK_TRUE(cn_run_meta(run, "irreproducible") != NULL);
    cn_run_close(run);
    cn_cli_leave(&cli);
}

// Painleve's paradox is told in the report, counted after a resumption too, and named in the file.
CN_TEST(run_tells_paradoxical_contacts) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "run painleve-rod --until 0.1");
    CN_CHECK_HOLDS(cli.out, "paradoxical contacts in ");
    CN_CLI_EXPECT(&cli, 0, "resume painleve-rod.run --until 0.15 -q");
    CN_CLI_EXPECT(&cli, 0, "info painleve-rod.run --json");
    CN_CHECK_HOLDS(cli.out, "the contact of body 2 (rod) on body 1 (ground) may have no");
    cJSON *info = cn_cli_json(&cli, 0);
    double resumed = io_json_number(info, "paradox_steps");
    cJSON_Delete(info);
    CN_CLI_EXPECT(&cli, 0, "run painleve-rod --until 0.15 -q -o whole.run");
    CN_CLI_EXPECT(&cli, 0, "info whole.run --json");
    info = cn_cli_json(&cli, 0);
    CN_CHECK_TRUE(resumed > 0.0);
    CN_CHECK_NEAR(io_json_number(info, "paradox_steps"), resumed, 0.0);
    cJSON_Delete(info);
    cn_cli_leave(&cli);
}

CN_TEST(run_does_not_overwrite_unless_forced) {
    cn_cli cli = cn_cli_enter_with_scenes();
    CN_CLI_EXPECT(&cli, 0, "run column.yaml --until 0.02 -q");
    CN_CLI_EXPECT(&cli, 2, "run column.yaml --until 0.02 -q");
    CN_CHECK_HOLDS(cli.err, "column.run exists already");
    CN_CLI_EXPECT(&cli, 0, "run column.yaml --until 0.02 -q --force");
    CN_CLI_EXPECT(&cli, 2, "run column.yaml -q --force -o column.yaml");
    CN_CHECK_HOLDS(cli.err, "is not a run file");
    char *text = cn_file_text("column.yaml");
    assert_string_equal(text, cn_small_scenes[2].text);
    free(text);
    cn_cli_leave(&cli);
}

CN_TEST(a_wrong_parameter_of_the_solver_is_exit_4) {
    static const struct {
        const char *params, *says;
    } cases[] = {
        {"facet=4", "did you mean \"facets\"?"},
        {"facets=1", "facets"},
        {"facets", "solver.params has \"facets\""},
        {"facets=4,=3", "solver.params has \"=3\""},
    };
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "new a.yaml");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char line[128];
        snprintf(line, sizeof line, "run a.yaml --set solver.name=lemke --set solver.params=%s",
                 cases[i].params);
        CN_CLI_EXPECT(&cli, 4, line);
        CN_CHECK_HOLDS(cli.err, cases[i].says);
    }
    cn_cli_leave(&cli);
}

CN_TEST(wrong_usage_of_run_is_exit_2) {
    static const struct {
        const char *arguments, *says;
    } cases[] = {
        {"run", "no file given"},
        {"run a b", "one file at a time"},
        {"run a --until x", "--until wants a number"},
        {"run a --until -1", "--until must be above 0, not -1"},
        {"run a --tol nan", "--tol must be a finite number"},
        {"run a --threads 0", "--threads must be from 1 to 256"},
        {"solve a --threads 257", "--threads must be from 1 to 256"},
        {"check a --threads two", "--threads wants a whole number"},
        {"run a --solver nsgz", "no friction solver 'nsgz'; did you mean 'nsgs'?"},
        {"run a --set nothing", "--set wants path=value"},
        {"run a --untill 3", "did you mean --until?"},
        {"resume", "no file given"},
        {"new", "no file given"},
        {"export", "no file given"},
        {"export a", "--to FORMAT is missing"},
        {"export a --to csw", "no format 'csw'; did you mean 'csv'?"},
        {"export a --to hdf5", "--to hdf5 is not available yet"},
        {"export a --to csv --steps 3", "--steps wants A:B"},
        {"render", "no file given"},
        {"render a --strip 1", "--strip must be from 2 to 12"},
        {"demo no-such-scene-anywhere", "no scene 'no-such-scene-anywhere'"},
        {"gallery no-such-scene-anywhere", "no scene 'no-such-scene-anywhere'"},
    };
    cn_cli cli = cn_cli_enter();
    setenv("CAIRN_SCENES", ".", 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CN_CLI_EXPECT(&cli, 2, cases[i].arguments);
        CN_CHECK_HOLDS(cli.err, cases[i].says);
        assert_int_equal(cn_count_lines(cli.err), 1);
        assert_string_equal(cli.out, "");
    }
    unsetenv("CAIRN_SCENES");
    cn_cli_leave(&cli);
}

CN_TEST(a_bad_override_is_pointed_at) {
    cn_cli cli = cn_cli_enter_with_scenes();
    CN_CLI_EXPECT(&cli, 4, "run disks.yaml --set time.stepp=1");
    CN_CHECK_HOLDS(cli.err, "--set time.stepp");
    CN_CLI_EXPECT(&cli, 2, "run disks.yaml --set bodies.7.mass=1");
    CN_CHECK_HOLDS(cli.err, "--set bodies.7.mass=1:1:8: the list has no item 7");
    CN_CLI_EXPECT(&cli, 4, "run disks.yaml --until 1e300");
    CN_CHECK_TRUE(!cn_exists("disks.run"));
    cn_cli_leave(&cli);
}

// An expression that has a value at first only: the run ends there and says why.
CN_TEST(a_force_that_loses_its_value_is_named) {
    static const char scene[] =
        "cairn: 1\ntime: {step: 0.01, until: 1}\nmaterials: {a: {density: 1}}\nbodies:\n"
        "  - {name: kite, material: a, shape: {sphere: {radius: 1}}}\n"
        "forces: [{body: kite, force: [\"sqrt(0.1 - t)\", 0, 0]}]\n";
    cn_cli cli = cn_cli_enter();
    io_file_write("kite.yaml", scene, sizeof scene - 1);
    CN_CLI_EXPECT(&cli, 1, "run kite.yaml");
    CN_CHECK_HOLDS(cli.err, "the force of body 1 (kite) is not finite in the step from t = 0.1");
    CN_CLI_EXPECT(&cli, 0, "check kite.run -q");
    cn_cli_leave(&cli);
}

CN_TEST(a_step_that_misses_its_tolerance_is_exit_3) {
    cn_cli cli = cn_cli_enter_with_scenes();
    CN_CLI_EXPECT(&cli, 3,
                  "run spheres.yaml --json --tol 1e-13 --solver nsgs --set "
                  "solver.max_iterations=2 --set solver.on_stall=continue");
    cJSON *json = cn_cli_json(&cli, 0);
    const cJSON *outcomes = cJSON_GetObjectItemCaseSensitive(json, "outcomes");
    double solved = io_json_number(outcomes, "solved"), limit = io_json_number(outcomes, "limit");
    CN_CHECK_TRUE(limit >= 1.0);
    CN_CHECK_NEAR(solved + limit, 100, 0);
    CN_CHECK_TRUE(io_json_number(json, "residual_worst") > 1e-13);
    cJSON_Delete(json);
    CN_CLI_EXPECT(&cli, 3, "check spheres.run --tol 1");
    CN_CHECK_HOLDS(cli.out, "NOT verified");
    CN_CHECK_HOLDS(cli.out, "the step was not solved: limit");
    CN_CLI_EXPECT(&cli, 0, "info spheres.run --json");
    json = cn_cli_json(&cli, 0);
    CN_CHECK_NEAR(io_json_number(json, "unsolved_steps"), limit, 0);
    CN_CHECK_HOLDS(cli.out, "not solved: limit after 2 iterations of nsgs");
    cJSON_Delete(json);
    cn_cli_leave(&cli);
}

CN_TEST(a_run_that_stops_is_exit_1_and_can_be_read) {
    cn_cli cli = cn_cli_enter_with_scenes();
    CN_CLI_EXPECT(&cli, 1,
                  "run spheres.yaml --tol 1e-13 --solver nsgs --set solver.max_iterations=2 "
                  "--set solver.on_stall=stop");
    CN_CHECK_HOLDS(cli.err, "stalled");
    cn_run *run = NULL;
    assert_int_equal(cn_run_open(NULL, "spheres.run", &run, NULL), CN_OK);
    assert_string_equal(cn_run_meta(run, "status"), "failed");
    CN_CHECK_TRUE(cn_run_frame_count(run) >= 1);
    cn_run_close(run);
    cn_cli_leave(&cli);
}

// ---- resume ----

// Every frame of two run files has the same bits.
static void cn_check_same_frames(const char *a, const char *b) {
    cn_run *run[2] = {NULL, NULL};
    assert_int_equal(cn_run_open(NULL, a, &run[0], NULL), CN_OK);
    assert_int_equal(cn_run_open(NULL, b, &run[1], NULL), CN_OK);
    int64_t frames = cn_run_frame_count(run[0]);
    assert_int_equal(cn_run_frame_count(run[1]), frames);
    double q[2][7 * 32], v[2][6 * 32], t[2];
    for (int64_t i = 0; i < frames; i++) {
        int64_t step[2];
        for (int k = 0; k < 2; k++) {
            memset(q[k], 0, sizeof q[k]);
            memset(v[k], 0, sizeof v[k]);
            assert_int_equal(cn_run_frame(run[k], i, &step[k], &t[k], q[k], v[k], NULL), CN_OK);
        }
        assert_int_equal(step[0], step[1]);
        assert_memory_equal(q[0], q[1], sizeof q[0]);
        assert_memory_equal(v[0], v[1], sizeof v[0]);
    }
    cn_run_close(run[0]);
    cn_run_close(run[1]);
}

// Run to T/2 and resumed to T: the same state, the same frames, as run to T, in five scenes.
CN_TEST(resume_gives_the_bits_of_an_uninterrupted_run) {
    cn_cli cli = cn_cli_enter_with_scenes();
    for (size_t i = 0; i < CN_SMALL_SCENES; i++) {
        const char *name = cn_small_scenes[i].name;
        char line[128], whole[32], halves[32], other[64], file[64];
        snprintf(line, sizeof line, "run %s.yaml", name);
        cn_run_hash(&cli, line, whole);
        snprintf(line, sizeof line, "run %s.yaml -o half.run -f -q --until %s", name,
                 i == 3 ? "1" : "0.5");
        CN_CLI_EXPECT(&cli, 0, line);
        snprintf(line, sizeof line, "resume half.run --until %s", i == 3 ? "2" : "1");
        cn_run_hash(&cli, line, halves);
        assert_string_equal(halves, whole);
        snprintf(other, sizeof other, "%s.run", name);
        snprintf(file, sizeof file, "half.run");
        if (i != 1) { // its halves end between two frames, so that one more is recorded
            cn_check_same_frames(file, other);
        }
        CN_CLI_EXPECT(&cli, 0, "check half.run");
    }
    cn_cli_leave(&cli);
}

CN_TEST(resume_of_a_finished_run_changes_nothing) {
    cn_cli cli = cn_cli_enter_with_scenes();
    char first[32], again[32];
    cn_run_hash(&cli, "run column.yaml", first);
    cn_run_hash(&cli, "resume column.run", again);
    assert_string_equal(again, first);
    CN_CLI_EXPECT(&cli, 4, "resume column.yaml");
    CN_CLI_EXPECT(&cli, 4, "resume missing.run");
    cn_cli_leave(&cli);
}

// Starts a run in the background, waits until it works, sends the signal; its exit code.
static int cn_interrupt_run(const char *scene, const char *run, double busy) {
    char *const argv[] = {"cairn",
                          "run",
                          (char *)scene,
                          "-o",
                          (char *)run,
                          "-q",
                          "-f",
                          "--until",
                          "1e6",
                          "--set",
                          "time.checkpoint_every=1e6",
                          NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, "errors", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t child;
    assert_int_equal(posix_spawn(&child, CAIRN_COMMAND, &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    CN_CHECK_TRUE(cn_wait_until_busy(child, busy));
    kill(child, SIGINT);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

CN_TEST(interrupt_checkpoints_and_resume_gives_the_same_bits) {
    cn_cli cli = cn_cli_enter_with_scenes();
    for (size_t i = 0; i < CN_SMALL_SCENES; i++) {
        char scene[64], line[128], whole[32], resumed[32];
        snprintf(scene, sizeof scene, "%s.yaml", cn_small_scenes[i].name);
        assert_int_equal(cn_interrupt_run(scene, "cut.run", 0.1), 130);
        char *errors = cn_file_text("errors");
        CN_CHECK_HOLDS(errors, "cairn: interrupted at t = ");
        CN_CHECK_HOLDS(errors, "to go on: cairn resume cut.run");
        free(errors);
        cn_run *run = NULL;
        assert_int_equal(cn_run_open(NULL, "cut.run", &run, NULL), CN_OK);
        assert_string_equal(cn_run_meta(run, "status"), "interrupted");
        int64_t step;
        assert_int_equal(cn_run_last_checkpoint(run, &step, NULL), CN_OK);
        CN_CHECK_TRUE(step > 0);
        cn_run_close(run);
        // A little further, and the same without a break.
        cn_model *model = NULL;
        assert_int_equal(cn_scene_read(NULL, scene, NULL, 0, &model, NULL), CN_OK);
        double until = (double)(step + 20) * cn_model_settings(model)->step;
        cn_model_destroy(model);
        snprintf(line, sizeof line, "resume cut.run --until %.17g", until);
        cn_run_hash(&cli, line, resumed);
        snprintf(line, sizeof line, "run %s -f -o whole.run --until %.17g", scene, until);
        cn_run_hash(&cli, line, whole);
        assert_string_equal(resumed, whole);
        cn_cli_run(&cli, "check cut.run --json"); // 3 where a solve has stalled
        CN_LINE_FIELDS(&cli, 0, CN_NEAR("bad_hashes", 0, 0), CN_AT_LEAST("frames", 2));
    }
    cn_cli_leave(&cli);
}

// ---- check and info ----

CN_TEST(check_verifies_a_run_and_sees_a_damaged_one) {
    cn_cli cli = cn_cli_enter_with_scenes();
    CN_CLI_EXPECT(&cli, 0, "run spheres.yaml -q");
    CN_CLI_EXPECT(&cli, 0, "check spheres.run");
    cn_check_golden(cli.out, "check-run");
    CN_CLI_FIELDS(&cli, 3, "check spheres.run --tol 1e-15 --json", CN_IS_FALSE("within"),
                  CN_NEAR("frames", 21, 0), CN_NEAR("bad_hashes", 0, 0));
    // A page of other bytes after an intact head.
    FILE *file = fopen("spheres.run", "r+b");
    CN_CHECK_TRUE(file != NULL);
    fseek(file, 100, SEEK_SET);
    for (int i = 0; i < 4096; i++) {
        fputc(i, file);
    }
    fclose(file);
    CN_CLI_EXPECT(&cli, 4, "check spheres.run");
    CN_CHECK_HOLDS(cli.err, "spheres.run: ");
    cn_cli_leave(&cli);
}

CN_TEST(info_tells_of_runs_and_scenes) {
    cn_cli cli = cn_cli_enter_with_scenes();
    CN_CLI_EXPECT(&cli, 0, "run disks.yaml -q");
    CN_CLI_EXPECT(&cli, 0, "info disks.run");
    CN_CHECK_HOLDS(cli.out, "run file of a simulation");
    CN_CHECK_HOLDS(cli.out, "16 in 2D");
    CN_CHECK_HOLDS(cli.out, "cairn               ");
    CN_CHECK_HOLDS(cli.out, "steps solved        100 of 100");
    CN_CLI_EXPECT(&cli, 0, "info disks.yaml");
    CN_CHECK_HOLDS(cli.out, "scene in 2D");
    CN_CHECK_HOLDS(cli.out, "16: 15 rigid");
    CN_CLI_EXPECT(&cli, 0, "info disks.run shaken.yaml --json");
    cJSON *run = cn_cli_json(&cli, 0), *scene = cn_cli_json(&cli, 1);
    assert_string_equal(cn_json_string(run, "kind"), "run");
    assert_string_equal(cn_json_string(scene, "kind"), "scene");
    CN_CHECK_NEAR(io_json_number(scene, "driven"), 1, 0);
    assert_string_equal(
        cn_json_string(cJSON_GetObjectItemCaseSensitive(run, "meta"), "cairn_version"),
        cn_version());
    cJSON_Delete(run);
    cJSON_Delete(scene);
    cn_cli_leave(&cli);
}

// ---- new, schema, gallery ----

CN_TEST(new_writes_a_scene_that_runs) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "new first.yaml");
    CN_CLI_EXPECT(&cli, 0, "info first.yaml");
    CN_CHECK_HOLDS(cli.out, "name        first\n");
    CN_CLI_EXPECT(&cli, 0, "run first.yaml --until 0.01 -q");
    char *text = cn_file_text("first.yaml");
    CN_CLI_EXPECT(&cli, 2, "new first.yaml");
    CN_CHECK_HOLDS(cli.err, "exists already");
    char *after = cn_file_text("first.yaml");
    assert_string_equal(after, text);
    free(text);
    free(after);
    CN_CLI_EXPECT(&cli, 1, "new no/such/folder/first.yaml");
    cn_cli_leave(&cli);
}

CN_TEST(schema_is_json) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "schema");
    cJSON *json = cJSON_Parse(cli.out);
    CN_CHECK_TRUE(json != NULL);
    CN_CHECK_HOLDS(cn_json_string(json, "$schema"), "draft-07");
    cJSON_Delete(json);
    cn_cli_leave(&cli);
}

CN_TEST(gallery_lists_shows_and_runs) {
    cn_cli cli = cn_cli_enter_with_scenes();
    static const char scene[] = "# Balls that\n# fall.\n#\n# Nobody 1999 says so.\n";
    CN_CHECK_TRUE(system("mkdir scenes") == 0);
    char *text = cn_file_text("column.yaml");
    FILE *file = fopen("scenes/falling-balls.yaml", "w");
    CN_CHECK_TRUE(file && fprintf(file, "%s%s", scene, text) > 0 && fclose(file) == 0);
    free(text);
    setenv("CAIRN_SCENES", "scenes", 1);
    CN_CLI_EXPECT(&cli, 0, "gallery");
    CN_CHECK_HOLDS(cli.out, "falling-balls                       Balls that fall.");
    CN_CHECK_TRUE(!strstr(cli.out, "Others"));
    CN_CHECK_TRUE(system("cp scenes/falling-balls.yaml scenes/more.yaml; printf '# topic: grains, "
                         "Grains\\nfalling-balls,grains,0.3,12,0.25,abc\\n' >scenes/gallery.csv") ==
                  0);
    CN_CLI_EXPECT(&cli, 0, "gallery");
    CN_CHECK_HOLDS(cli.out, "Grains\n  falling-balls             12  0.25  Balls that fall.\n");
    CN_CHECK_HOLDS(cli.out, "Others\n  more                                Balls that fall.\n");
    CN_CLI_EXPECT(&cli, 0, "gallery falling-balls");
    CN_CHECK_HOLDS(cli.out, "Nobody 1999 says so.");
    CN_CHECK_HOLDS(cli.out, "cairn run falling-balls");
    CN_CLI_EXPECT(&cli, 2, "gallery falling-bals");
    CN_CHECK_HOLDS(cli.err, "did you mean 'falling-balls'?");
    CN_CLI_EXPECT(&cli, 0, "run falling-balls --until 0.1 -q");
    CN_CHECK_TRUE(cn_exists("falling-balls.run"));
    setenv("CAIRN_SCENES", "nowhere", 1);
    CN_CLI_EXPECT(&cli, 1, "gallery");
    CN_CHECK_HOLDS(cli.err, "CAIRN_SCENES");
    unsetenv("CAIRN_SCENES");
    cn_cli_leave(&cli);
}

// ---- export, render, demo ----

CN_TEST(export_writes_csv_tables) {
    cn_cli cli = cn_cli_enter_with_scenes();
    CN_CLI_EXPECT(&cli, 0, "run disks.yaml -q --until 0.3");
    CN_CLI_EXPECT(&cli, 0, "export disks.run --to csv");
    char *ledger = cn_file_text("disks-csv/ledger.csv");
    char *frames = cn_file_text("disks-csv/frames.csv");
    char *contacts = cn_file_text("disks-csv/contacts.csv");
    assert_int_equal(cn_count_lines(ledger), 1 + 30);
    assert_int_equal(cn_count_lines(frames), 1 + 11 * 16);
    CN_CHECK_HOLDS(ledger, "step,t,contacts,sticking,sliding,solver,");
    CN_CHECK_HOLDS(frames, "step,t,body,name,x,y,angle,vx,vy,w\n0,0,1,\"hollow\",0,0,0,0,0,0\n");
    CN_CHECK_HOLDS(contacts, "step,t,candidate,antagonist,status,gap,friction,point_x,point_y,");
    free(ledger);
    free(frames);
    free(contacts);
    CN_CLI_EXPECT(&cli, 0, "export disks.run --to csv --steps 10:12 -o some -q");
    assert_string_equal(cli.out, "");
    ledger = cn_file_text("some/ledger.csv");
    assert_int_equal(cn_count_lines(ledger), 1 + 3);
    free(ledger);
    CN_CLI_EXPECT(&cli, 2, "export disks.run --to csv --at 99");
    CN_CHECK_HOLDS(cli.err, "the run has only 30 steps");
    CN_CLI_EXPECT(&cli, 4, "export disks.yaml --to csv");
    cn_cli_leave(&cli);
}

// The problem of a step carries the solution that the run used, to the residual of the ledger.
CN_TEST(export_writes_the_problem_of_a_step) {
    cn_cli cli = cn_cli_enter_with_scenes();
    CN_CLI_EXPECT(&cli, 0, "run spheres.yaml -q");
    CN_CLI_EXPECT(&cli, 0, "export spheres.run --to fclib --at 0.8");
    CN_CHECK_HOLDS(cli.out, "1 problems; the scene was simulated again to step 80");
    CN_CLI_EXPECT(&cli, 0, "check spheres-fclib/spheres-000080.hdf5 --tol 1e-6 --json");
    cJSON *json = cn_cli_json(&cli, 0);
    double residual = io_json_number(json, "residual");
    CN_CHECK_TRUE(io_json_number(json, "contacts") > 0);
    cJSON_Delete(json);
    cn_run *run = NULL;
    cn_arena *memory = cn_arena_create(NULL);
    cn_step_report *rows;
    int64_t count;
    assert_int_equal(cn_run_open(NULL, "spheres.run", &run, NULL), CN_OK);
    assert_int_equal(cn_run_ledger(run, memory, &rows, &count, NULL), CN_OK);
    // W is summed in another order once it is assembled.
    CN_CHECK_NEAR(residual, rows[79].residual, 1e-3 * rows[79].residual + 1e-13);
    cn_run_close(run);
    cn_arena_destroy(memory);
    CN_CLI_EXPECT(&cli, 0, "export spheres.run --to fclib --steps 70:72 -o three -q");
    CN_CHECK_TRUE(cn_exists("three/spheres-000070.hdf5") && cn_exists("three/spheres-000072.hdf5"));
    cn_cli_leave(&cli);
}

static void cn_check_picture(const char *path, const char *holds) {
    char *text = cn_file_text(path);
    CN_CHECK_HOLDS(text, "<svg xmlns");
    CN_CHECK_HOLDS(text, "</svg>");
    CN_CHECK_HOLDS(text, holds);
    CN_CHECK_TRUE(!strstr(text, "nan") && !strstr(text, "inf"));
    free(text);
}

CN_TEST(render_draws_runs_and_scenes) {
    cn_cli cli = cn_cli_enter_with_scenes();
    CN_CLI_EXPECT(&cli, 0, "run disks.yaml -q");
    CN_CLI_EXPECT(&cli, 0, "render disks.run --at 0.4");
    cn_check_picture("disks.svg", "t = 0.39 s");
    CN_CLI_EXPECT(&cli, 0, "render disks.run --strip 3 --forces -o strip.svg");
    cn_check_picture("strip.svg", "class=\"force\"");
    CN_CLI_EXPECT(&cli, 0, "render spheres.yaml");
    cn_check_picture("spheres.svg", "t = 0 s");
    CN_CLI_EXPECT(&cli, 2, "render spheres.yaml --at 1");
    CN_CHECK_HOLDS(cli.err, "a scene has only its start");
    CN_CLI_EXPECT(&cli, 4, "render missing.run");
    CN_CLI_EXPECT(&cli, 1, "render spheres.yaml -o no/such/folder/a.svg");
    cn_cli_leave(&cli);
}

// Every kind of shape has a picture.
CN_TEST(render_draws_every_shape) {
    static const char flat[] =
        "cairn: 1\ndimension: 2\nmaterials: {a: {density: 1}}\nbodies:\n"
        "  - {fixed: true, material: a, shape: {line: {normal: [0, 1], offset: -1}}}\n"
        "  - {fixed: true, material: a, position: [0, 9], shape: {ring: {radius: 2}}}\n"
        "  - {material: a, position: [0, 0], shape: {disk: {radius: 0.5}}}\n"
        "  - {material: a, position: [2, 0], shape: {box: {size: [1, 1]}}}\n"
        "  - {material: a, position: [4, 0], shape: {polygon: {vertices: [[0, 0], [1, 0], [0, "
        "1]]}}}\n";
    static const char solid[] =
        "cairn: 1\nmaterials: {a: {density: 1}}\nbodies:\n"
        "  - {fixed: true, material: a, shape: {plane: {normal: [0, 0, 1], offset: -1}}}\n"
        "  - {fixed: true, material: a, shape: {plane: {normal: [0, -1, 0], offset: -3}}}\n"
        "  - {material: a, position: [0, 0, 0], shape: {sphere: {radius: 0.5}}}\n"
        "  - {material: a, position: [2, 0, 0], shape: {box: {size: [1, 1, 1]}}}\n"
        "  - {material: a, position: [8, 0, 0], shape: {polyhedron: {vertices: [[0, 0, 0], [1, 0, "
        "0], [0, 1, 0], [0, 0, 1]]}}}\n";
    cn_cli cli = cn_cli_enter();
    io_file_write("flat.yaml", flat, strlen(flat));
    io_file_write("solid.yaml", solid, strlen(solid));
    CN_CLI_EXPECT(&cli, 0, "render flat.yaml");
    cn_check_picture("flat.svg", "class=\"ring\"");
    CN_CLI_EXPECT(&cli, 0, "render solid.yaml");
    cn_check_picture("solid.svg", "class=\"shadow\"");
    cn_cli_leave(&cli);
}

// What went far astray does not make the picture small, nor take its neighbours out of it.
CN_TEST(render_leaves_out_the_stray_alone) {
    static const char scene[] =
        "cairn: 1\ndimension: 2\nmaterials: {a: {density: 1}}\nbodies:\n"
        "  - {material: a, position: [5, 9], shape: {disk: {radius: 0.5}}}\n"
        "  - {material: a, position: [5, 900], shape: {disk: {radius: 0.5}}}\n"
        "generate: [{grid: {count: [15, 9], spacing: [1, 1], shape: {disk: {radius: 0.5}}, "
        "material: a}}]\n";
    cn_cli cli = cn_cli_enter();
    io_file_write("stray.yaml", scene, strlen(scene));
    CN_CLI_EXPECT(&cli, 0, "render stray.yaml");
    char *svg = cn_file_text("stray.svg");
    const char *panel = strstr(svg, "<clipPath"), *disk = strstr(svg, "<circle cx=");
    CN_CHECK_TRUE(panel && disk);
    double top = strtod(strstr(panel, " y=\"") + 4, NULL);
    double y = strtod(strstr(disk, "cy=\"") + 4, NULL), r = strtod(strstr(disk, " r=\"") + 4, NULL);
    CN_CHECK_BELOW(top, y - r);
    CN_CHECK_BELOW(20.0, r);
    free(svg);
    cn_cli_leave(&cli);
}

CN_TEST(demo_runs_draws_and_reports) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "demo newtons-cradle --until 0.2 -o here");
    CN_CHECK_HOLDS(cli.out, "newtons-cradle: A ball hits four touching ones");
    CN_CHECK_HOLDS(cli.out, "steps solved");
    CN_CHECK_HOLDS(cli.out, "energy balance");
    CN_CHECK_HOLDS(cli.out, "Try next");
    cn_check_picture("here/newtons-cradle.svg", "t = 0.2 s");
    CN_CLI_EXPECT(&cli, 0, "check here/newtons-cradle.run -q");
    cn_cli_leave(&cli);
}

// Counts decide, so that the same run tells the same.
CN_TEST(run_tells_when_the_tolerance_is_the_bottleneck) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 3,
                  "run pouring --until 0.4 --tol 1e-8 --set generate.packing.count=30 --set "
                  "solver.max_iterations=20");
    CN_CHECK_HOLDS(cli.out, "the tolerance 1e-08 is the bottleneck");
    CN_CHECK_HOLDS(cli.out, "try --tol 1e-3, see\n");
    CN_CLI_EXPECT(&cli, 0, "info pouring.run --json");
    CN_CHECK_HOLDS(cli.out, "the tolerance 1e-08 is the bottleneck");
    CN_CLI_EXPECT(&cli, 0, "run pouring --until 0.4 --set generate.packing.count=30 -o loose.run");
    CN_CHECK_TRUE(!strstr(cli.out, "bottleneck"));
    cn_cli_leave(&cli);
}
