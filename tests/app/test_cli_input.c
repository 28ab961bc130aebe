// What the command refuses in a scene, what it warns of, and penetration beyond the limit: exit
// codes, places, events, JSON.
#include "cli.h"

#include <cairn/cairn.h>

static bool cn_exists(const char *path) {
    return access(path, F_OK) == 0;
}

static void cn_scene_write(const char *path, const char *text) {
    io_file_write(path, text, strlen(text));
}

// How many events of a run hold the words.
static int cn_count_events(const char *path, const char *words) {
    cn_run *run;
    cn_run_event *events;
    int64_t count;
    int found = 0;
    cn_arena *memory = cn_arena_create(NULL);
    assert_int_equal(cn_run_open(NULL, path, &run, NULL), CN_OK);
    assert_int_equal(cn_run_events(run, memory, &events, &count, NULL), CN_OK);
    for (int64_t i = 0; i < count; i++) {
        found += strstr(events[i].text, words) != NULL;
    }
    cn_arena_destroy(memory);
    cn_run_close(run);
    return found;
}

static int cn_count_warnings(const cn_cli *cli) {
    cJSON *json = cn_cli_json(cli, 0);
    int count = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(json, "warnings"));
    cJSON_Delete(json);
    return count;
}

// Exit code 4, the place and what is wrong, and no file is left.
CN_TEST(bad_scenes_are_exit_4_and_leave_nothing) {
    static const char head[] = "cairn: 1\nmaterials: {a: {density: 1}}\nbodies:\n";
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"cairn: 1\nbodys: []\n", "bad.yaml:2:1: "},
        {"cairn: 1\nbodys: []\n", "bodies"},
        {"cairn: one\n", "bad.yaml:1:8: "},
        {"cairn: 1\ngravity: [0, 0, .nan]\n", "bad.yaml:2:17: "},
        {"  - {material: a, mass: 0, shape: {sphere: {radius: 1}}}\n", "bad.yaml:4:25: "},
        {"  - {material: a, shape: {sphere: {radius: -1}}}\n", "bad.yaml:4:"},
        {"  - {material: b, shape: {sphere: {radius: 1}}}\n", "bad.yaml:4:"},
        {"  - {material: a, shape: {sphere: {radius: 1}}}\n"
         "  - {material: a, position: [1, 0, 0], shape: {sphere: {radius: 1}}}\n",
         "bad.yaml:5:"},
        {"cairn: 1\ninclude: [bad.yaml]\n", "bad.yaml:"},
        {"cairn: 1\nmaterials: {a: {density: 1}}\ngenerate:\n  - packing: {count: 1000000000, "
         "radius: 1, inside: [[0, 0, 0], [9, 9, 9]], material: a}\n",
         "bad.yaml:4:"},
        {"cairn: 1\n  broken: [\n", "bad.yaml:"},
        {"cairn: 1\ntime: {step: 1.0e-300, until: 1}\n",
         "bad.yaml:1:1: time asks for 1e+300 steps"},
        {"  - {material: a, shape: {sphere: {radius: 1}}}\ntime: {until: 0.1, step: 0.2}\n",
         "bad.yaml:5:26: time.step of 0.2 s is longer than the run, until 0.1 s; "},
        {"cairn: 1\nmaterials: {a: {density: 1}}\n", "bad.yaml:1:1: there are no bodies; "},
        {"  []\n", "bad.yaml:4:3: there are no bodies; "},
        {"  - {material: a, shape: {sphere: {radius: 2.0e9}}}\n",
         "bad.yaml:4:26: body 1: sphere: radius of 2e+09 m is too large; lengths are in metres, "},
        {"  - {material: a, position: [0, -2.0e9, 0], shape: {sphere: {radius: 1}}}\n",
         "bad.yaml:4:5: body 1: position[1] of -2e+09 m is too large; lengths are in metres, "},
        {"  - {material: a, shape: {sphere: {radius: 1}}, mass: 1, inertia: [1, 1, 2.5]}\n",
         "bad.yaml:4:5: body 1: no body has this inertia: its largest principal moment exceeds"},
        {"  - {material: a, shape: {sphere: {radius: 1}}, mass: 1, inertia: [1, 1, -1]}\n",
         "bad.yaml:4:"},
        {"cairn: 1\nsolver: {threads: 257}\n", "bad.yaml:2:19: "},
        {"cairn: 1\nsolver: {threads: two}\n", "bad.yaml:2:19: "},
        {"cairn: 1\ntime: {until: 1.0e300}\n", "a longer step or an earlier end"},
        {"  - {material: a, shape: {sphere: {radius: big}}}\n", "bad.yaml:4:44: "},
        {"  - {material: a, name: x, shape: {sphere: {radius: 1}}}\n"
         "forces: [{body: x, force: [\"1/0\", 0, 0]}]\n",
         "bad.yaml:5:"},
    };
    cn_cli cli = cn_cli_enter();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        bool whole = strncmp(cases[i].text, "cairn", 5) == 0;
        snprintf(text, sizeof text, "%s%s", whole ? "" : head, cases[i].text);
        io_file_write("bad.yaml", text, strlen(text));
        CN_CLI_EXPECT(&cli, 4, "run bad.yaml");
        CN_CHECK_HOLDS(cli.err, cases[i].says);
        assert_string_equal(cli.out, "");
        CN_CHECK_TRUE(!cn_exists("bad.run") && !cn_exists("bad.run-wal"));
    }
    CN_CLI_EXPECT(&cli, 4, "run missing.yaml");
    CN_CHECK_HOLDS(cli.err, "missing.yaml: ");
    cn_cli_leave(&cli);
}

// ---- warnings ----

#define CN_GROUND                                                                                  \
    "  - {name: ground, fixed: true, material: a, shape: {plane: {normal: [0, 0, 1]}}}\n"
#define CN_SPHERE                                                                                  \
    "  - {name: ball, material: a, position: [0, 0, 1], shape: {sphere: {radius: 1}}}\n"

// On standard error with its place, as an event of step 0, in the JSON; --quiet leaves the event.
CN_TEST(friction_above_5_is_warned_of) {
    static const char says[] =
        "s.yaml:3:12: warning: friction of 7 between 'a' and '*' is above 5; most materials are "
        "below 1.5\n";
    cn_cli cli = cn_cli_enter();
    cn_scene_write("s.yaml", "cairn: 1\nmaterials: {a: {density: 1}}\n"
                             "contacts: [{between: [a, '*'], friction: 7}]\n"
                             "time: {until: 0.01}\nbodies:\n" CN_GROUND CN_SPHERE);
    CN_CLI_EXPECT(&cli, 0, "run s.yaml");
    assert_string_equal(cli.err, says);
    assert_int_equal(cn_count_events("s.run", "warning: friction of 7"), 1);
    CN_CLI_EXPECT(&cli, 0, "run s.yaml -f --json");
    assert_string_equal(cli.err, says);
    assert_int_equal(cn_count_warnings(&cli), 1);
    CN_CLI_EXPECT(&cli, 0, "run s.yaml -f --quiet");
    assert_string_equal(cli.err, "");
    assert_int_equal(cn_count_events("s.run", "warning: friction of 7"), 1);
    CN_CLI_EXPECT(&cli, 0, "run s.yaml -f --set contacts.0.friction=5");
    assert_string_equal(cli.err, "");
    cn_cli_leave(&cli);
}

CN_TEST(materials_without_a_law_are_warned_of_once_a_pair) {
    cn_cli cli = cn_cli_enter();
    cn_scene_write("s.yaml",
                   "cairn: 1\nmaterials: {a: {density: 1}, b: {density: 1}}\n"
                   "contacts: [{between: [a, b], friction: 0.5}]\n"
                   "time: {until: 0.01}\nbodies:\n" CN_GROUND CN_SPHERE
                   "  - {material: b, position: [3, 0, 1], shape: {sphere: {radius: 1}}}\n"
                   "  - {material: a, position: [6, 0, 1], shape: {sphere: {radius: 1}}}\n");
    CN_CLI_EXPECT(&cli, 0, "run s.yaml"); // there is one body of b: it cannot meet another
    CN_CHECK_HOLDS(cli.err, "s.yaml:7:5: warning: no entry of contacts matches the materials 'a' "
                            "and 'a' (bodies 1 and 2 can touch); ");
    assert_int_equal(cn_count_lines(cli.err), 1);
    assert_int_equal(cn_count_events("s.run", "no entry of contacts matches"), 1);
    CN_CLI_EXPECT(&cli, 0, "run s.yaml -f --set contacts.0.between=[a,a]");
    CN_CHECK_HOLDS(cli.err, "matches the materials 'a' and 'b' (bodies 1 and 3 can touch); ");
    cn_cli_leave(&cli);
}

// Links of one mechanism are made so as not to touch.
CN_TEST(links_without_a_law_are_not_warned_of) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "run four-bar --until 0.01");
    assert_string_equal(cli.err, "");
    cn_cli_leave(&cli);
}

#define CN_TABLE                                                                                   \
    "cairn: 1\nmaterials: {a: {density: 1}}\ncontacts: [{between: [a, a], friction: 0.2}]\n"       \
    "time: {step: 0.01, until: 4}\nbodies:\n"                                                      \
    "  - {name: table, fixed: true, material: a, shape: {box: {size: [2, 2, 0.2]}}}\n"

CN_TEST(a_body_that_fell_out_of_the_scene_is_warned_of) {
    cn_cli cli = cn_cli_enter();
    cn_scene_write("s.yaml", CN_TABLE
                   "  - {name: cup, material: a, position: [0, 0.5, 0.2], velocity: [9, 0, 0],\n"
                   "     shape: {sphere: {radius: 0.1}}}\n"
                   "  - {material: a, position: [0.5, 0, 0.2], shape: {sphere: {radius: 0.1}}}\n");
    CN_CLI_EXPECT(&cli, 0, "run s.yaml");
    assert_string_equal(cli.err, "s.yaml:7:5: warning: body 2 (cup) has been in free fall below "
                                 "everything else for 2 s\n");
    assert_int_equal(cn_count_events("s.run", "body 2 (cup) has been in free fall"), 1);
    // A long fall onto a plane, which lies under everything.
    cn_scene_write("s.yaml",
                   "cairn: 1\nmaterials: {a: {density: 1}}\n"
                   "contacts: [{between: [a, a], friction: 0.2}]\n"
                   "time: {step: 0.01, until: 4}\nbodies:\n" CN_GROUND
                   "  - {material: a, position: [0, 0, 70], shape: {sphere: {radius: 1}}}\n"
                   "  - {fixed: true, material: a, position: [5, 0, 99],\n"
                   "     shape: {sphere: {radius: 1}}}\n");
    CN_CLI_EXPECT(&cli, 0, "run s.yaml -f");
    assert_string_equal(cli.err, "");
    cn_cli_leave(&cli);
}

// Five are named and the others are counted; bodies that fall together do not hold each other up.
CN_TEST(many_fallen_bodies_are_counted) {
    cn_cli cli = cn_cli_enter();
    cn_scene_write("s.yaml", CN_TABLE
                   "generate:\n"
                   "  - grid: {count: [8, 1, 1], spacing: [1, 1, 1], position: [5, 0, 1],\n"
                   "           material: a, shape: {sphere: {radius: 0.1}}}\n");
    CN_CLI_EXPECT(&cli, 0, "run s.yaml --json");
    assert_int_equal(cn_count_lines(cli.err), 6);
    CN_CHECK_HOLDS(cli.err,
                   "warning: 3 more bodies have been in free fall below everything else\n");
    assert_int_equal(cn_count_warnings(&cli), 6);
    cn_cli_leave(&cli);
}

// ---- penetration ----

// A tolerance so loose that nothing is ever solved for: the ball sinks and every step is "solved".
static const char cn_sinking[] =
    "cairn: 1\nmaterials: {a: {density: 1}}\ncontacts: [{between: [a, a], friction: 0.5}]\n"
    "solver: {tolerance: 100, settle: 0}\nintegrator: {penetration_slop: 0}\n"
    "time: {step: 0.01, until: 0.6}\nbodies:\n" CN_GROUND CN_SPHERE;

CN_TEST(penetration_beyond_the_limit_is_exit_3) {
    cn_cli cli = cn_cli_enter();
    cn_scene_write("s.yaml", cn_sinking);
    CN_CLI_EXPECT(&cli, 3, "run s.yaml");
    CN_CHECK_HOLDS(cli.out, "penetration limit   exceeded by 1 pair of bodies; see the events");
    assert_int_equal(cn_count_events("s.run", "penetration beyond the limit: body 2 (ball) and "
                                              "body 1 (ground) by "),
                     1);
    assert_int_equal(cn_count_events("s.run", "% of the smaller inradius (limit 5 %)"), 1);
    CN_CLI_FIELDS(&cli, 3, "run s.yaml -f --json", CN_NEAR("penetrating_pairs", 1, 0),
                  CN_NEAR("outcomes.solved", 60, 0));
    CN_CLI_EXPECT(&cli, 3, "resume s.run --until 0.62 --quiet"); // it is still there
    CN_CLI_EXPECT(&cli, 0, "run s.yaml -f --set detection.penetration_limit=10");
    CN_CLI_EXPECT(&cli, 4, "run s.yaml -f --set detection.penetration_limit=0");
    cn_cli_leave(&cli);
}

// At the last step the ball is 4 cm deep in the middle of its bounce, and moves out.
CN_TEST(a_bounce_in_the_last_step_is_no_penetration) {
    cn_cli cli = cn_cli_enter();
    cn_scene_write("s.yaml",
                   "cairn: 1\ngravity: [0, 0, 0]\nmaterials: {a: {density: 1}}\n"
                   "contacts: [{between: [a, a], friction: 0, restitution: 1}]\n"
                   "time: {step: 0.01, until: 0.03}\nbodies:\n" CN_GROUND
                   "  - {material: a, position: [0, 0, 0.31], velocity: [0, 0, -10], shape: "
                   "{sphere: {radius: 0.1}}}\n");
    CN_CLI_FIELDS(&cli, 0, "run s.yaml --json", CN_NEAR("penetration_final", 0.04, 1e-12),
                  CN_NEAR("penetrating_pairs", 0, 0));
    cn_cli_leave(&cli);
}

// An overlap that the scene says it may start with stays, and the limit is not about it.
CN_TEST(an_accepted_overlap_is_within_the_limit) {
    cn_cli cli = cn_cli_enter();
    cn_scene_write("s.yaml",
                   "cairn: 1\nmaterials: {a: {density: 1}}\n"
                   "contacts: [{between: [a, a], friction: 0.5}]\n"
                   "detection: {overlap: 0.3}\ntime: {step: 0.01, until: 0.5}\nbodies:\n" CN_GROUND
                   "  - {material: a, position: [0, 0, 0.8], shape: {sphere: {radius: 1}}}\n");
    CN_CLI_EXPECT(&cli, 0, "run s.yaml");
    CN_CLI_EXPECT(&cli, 4, "run s.yaml -f --set detection.overlap=0.1");
    cn_cli_leave(&cli);
}

// ---- fast bodies ----

// Eight elastic disks at 60 m/s, a metre per step, in a room with walls of 2 cm: nobody leaves, and
// where nothing but a stop helps, the run says so.
CN_TEST(bodies_stopped_without_bouncing_are_events_and_exit_3) {
    cn_cli cli = cn_cli_enter();
    char scene[4000];
    int used = snprintf(scene, sizeof scene,
                        "cairn: 1\ndimension: 2\ntime: {step: 0.016666666666666666, until: 5}\n"
                        "solver: {tolerance: 1.0e-10}\nmaterials: {stone: {density: 1000}}\n"
                        "contacts: [{between: [\"*\", \"*\"], friction: 0, restitution: 1}]\n"
                        "bodies:\n  - {name: walls, material: stone, fixed: true, shape: ["
                        "{box: {size: [1.04, 0.02]}, position: [0, -0.01]}, "
                        "{box: {size: [1.04, 0.02]}, position: [0, 1.01]}, "
                        "{box: {size: [0.02, 1.04]}, position: [-0.51, 0.5]}, "
                        "{box: {size: [0.02, 1.04]}, position: [0.51, 0.5]}]}\n");
    for (int i = 0; i < 8; i++) {
        used += snprintf(scene + used, sizeof scene - (size_t)used,
                         "  - {name: disk%d, material: stone, shape: {disk: {radius: 0.08}}, "
                         "position: [%.2f, %.1f], velocity: [%.6f, %.6f]}\n",
                         i, -0.33 + 0.22 * (i % 4), 0.3 + 0.4 * (i / 4), 60.0 * cos(0.7 + 2.4 * i),
                         60.0 * sin(0.7 + 2.4 * i));
    }
    cn_scene_write("s.yaml", scene);
    CN_CLI_EXPECT(&cli, 3, "run s.yaml");
    CN_CHECK_HOLDS(cli.out, "stopped bodies      without bouncing, in ");
    assert_true(cn_count_events("s.run", "stopped without bouncing: body ") > 0);
    assert_int_equal(cn_count_events("s.run", "passed through"), 0);
    cn_cli_leave(&cli);
}

CN_TEST(info_tells_of_meshes) {
    static const char scene[] =
        "cairn: 1\ndimension: 2\ntime: {step: 1.0e-3, until: 0.01}\n"
        "materials: {m: {density: 100, young: 1.0e5, poisson: 0.3}}\ngenerate:\n"
        "  - grid: {count: [2, 1], spacing: [3, 3], material: m, shape: {box: {size: [2, 1]}}, "
        "deformable: {mesh: {box: {cells: [4, 1]}}}}\n";
    cn_cli cli = cn_cli_enter();
    io_file_write("soft.yaml", scene, sizeof scene - 1);
    CN_CLI_EXPECT(&cli, 0, "info soft.yaml");
    CN_CHECK_HOLDS(cli.out, "deformable  2 bodies (400 kg together), 20 nodes, 8 elements");
    CN_CHECK_HOLDS(cli.out, "mesh        4 x q4, 10 nodes, 10 faces, 2 x 1 m, edges of 0.5 to 1 m; "
                            "of 2 bodies");
    CN_CLI_EXPECT(&cli, 0, "info soft.yaml --json");
    cJSON *info = cn_cli_json(&cli, 0);
    const cJSON *mesh = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(info, "meshes"), 0);
    CN_CHECK_NEAR(io_json_number(mesh, "shortest"), 0.5, 1e-15);
    cJSON_Delete(info);
    cn_cli_leave(&cli);
}
