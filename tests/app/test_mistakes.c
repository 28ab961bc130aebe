// Deliberate mistakes of newcomers: each is answered with its place (file:line:column, file or
// option), the reason and a remedy on standard error, and with the right exit code.
#include "cli.h"

#include <pty.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/ioctl.h>

typedef struct cn_mistake {
    const char *scene;     // s.yaml, after the head unless it begins with "cairn" or a mark; NULL
    const char *arguments; // NULL: "run s.yaml"
    int code;
    const char *place, *reason, *remedy;
} cn_mistake;

static const char cn_head[] = "cairn: 1\nmaterials: {stone: {density: 2500}, oak: {density: 700}}\n"
                              "contacts: [{between: ['*', '*'], friction: 0.5}]\n"
                              "time: {until: 0.02}\nbodies:\n"
                              "  - {name: ground, fixed: true, material: stone, "
                              "shape: {plane: {normal: [0, 0, 1]}}}\n";
// The next line of a scene is the 7th.

static int cn_check_mistake(cn_cli *cli, const cn_mistake *mistake) {
    const char *arguments = mistake->arguments ? mistake->arguments : "run s.yaml";
    if (mistake->scene) {
        char text[2048];
        bool whole = strncmp(mistake->scene, "  - ", 4) != 0;
        int length = snprintf(text, sizeof text, "%s%s", whole ? "" : cn_head, mistake->scene);
        io_file_write("s.yaml", text, (size_t)length);
    }
    int code = cn_cli_run(cli, arguments);
    const char *const parts[] = {mistake->place, mistake->reason, mistake->remedy};
    int missing = 0;
    for (int i = 0; i < 3; i++) {
        if (!strstr(cli->err, parts[i])) {
            print_error("%s: \"%s\" is not in: %s\n", arguments, parts[i], cli->err);
            missing++;
        }
    }
    // Words of the libraries behind are no help to the one who typed.
    static const char *const foreign[] = {"sqlite3_", "no such table", "libyaml", "yaml_",
                                          "scalar",   "mapping",       "token"};
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        if (strstr(cli->err, foreign[i])) {
            print_error("%s: \"%s\" is in: %s\n", arguments, foreign[i], cli->err);
            missing++;
        }
    }
    if (code != mistake->code) {
        print_error("%s: exit code %d, want %d: %s\n", arguments, code, mistake->code, cli->err);
        missing++;
    }
    return missing > 0;
}

static void cn_check_mistakes(cn_cli *cli, const cn_mistake *mistakes, size_t count) {
    int bad = 0;
    for (size_t i = 0; i < count; i++) {
        bad += cn_check_mistake(cli, &mistakes[i]);
    }
    if (bad > 0) {
        print_error("%d of %d mistakes are not answered as they should be\n", bad, (int)count);
        fail();
    }
}
#define CN_CHECK_MISTAKES(cli, mistakes)                                                           \
    cn_check_mistakes(cli, mistakes, sizeof(mistakes) / sizeof(mistakes)[0])

// ---- the text of a file ----

CN_TEST(mistakes_in_the_text_of_a_scene) {
    static const cn_mistake mistakes[] = {
        {"  - name: block\n\tmaterial: stone\n", NULL, 4, "s.yaml:8:1: ", "indented with a tab",
         "indent with spaces only"},
        {"  - name: block\n     material: stone\n    shape: {sphere: {radius: 1}}\n", NULL, 4,
         "s.yaml:8:6: ", "the indentation of this line (5) fits no line above it",
         "keys of one map start in the same column"},
        {"  - {name: k\xF6rper, material: stone, shape: {sphere: {radius: 1}}}\n", NULL, 4,
         "s.yaml:7:13: ", "the byte 0xF6 is not UTF-8 text; the file is probably in Latin-1",
         "save it as UTF-8\n  \x20 - {name: k?rper, material: stone"},
        {"\xFF\xFE"
         "c",
         NULL, 4, "s.yaml:1:1: ", "the text is encoded as UTF-16", "save the file as UTF-8"},
        {"cairn: 1\nname: a\x01"
         "b\n",
         NULL, 4, "s.yaml:2:8: ", "there is a control character (byte 0x01)", "delete it"},
        {"cairn: 1\nname: [a, b\nbodies: []\n", NULL, 4, "s.yaml:2:7: ",
         "the list that starts here is not closed", "a comma or \"]\" is missing before line 3"},
        {"cairn: 1\nname: \"tower\nbodies: []\n", NULL, 4, "s.yaml:2:7: ",
         "the text in quotes that starts here is not closed", "its closing quote is missing"},
        {"cairn: 1\nname tower\nbodies: []\n", NULL, 4,
         "s.yaml:2:1: ", "\"name tower\" has no colon", "write key: value"},
        {"cairn: 1\nname:tower\ntime: {until: 1}\n", NULL, 4,
         "s.yaml:2:6: ", "a blank is missing after the colon", "write key: value"},
        {"cairn: 1\nname: %tower\n", NULL, 4, "s.yaml:2:7: ", "a text cannot start with %",
         "put the text in quotes"},
        {"cairn: 1\nname: a: b\n", NULL, 4, "s.yaml:2:8: ",
         "a value cannot hold a colon followed by a blank", "put the text in quotes"},
        {"cairn: 1\nname: a\nname: b\n", NULL, 4, "s.yaml:3:1: ", "name", "line 2"},
    };
    cn_cli cli = cn_cli_enter();
    CN_CHECK_MISTAKES(&cli, mistakes);
    // A mark that some editors put before UTF-8 is none.
    char text[2048];
    int length = snprintf(text, sizeof text, "\xEF\xBB\xBF%s", cn_head);
    io_file_write("s.yaml", text, (size_t)length);
    CN_CLI_EXPECT(&cli, 0, "run s.yaml -q");
    cn_cli_leave(&cli);
}

// ---- values ----

CN_TEST(mistakes_in_the_values_of_a_scene) {
    static const cn_mistake mistakes[] = {
        {"  - {name: k, material: granite, shape: {sphere: {radius: 1}}}\n", NULL, 4,
         "s.yaml:7:25: ", "there is no material \"granite\"", "the materials are stone, oak"},
        {"  - {name: k, material: ston, shape: {sphere: {radius: 1}}}\n", NULL, 4,
         "s.yaml:7:25: ", "there is no material \"ston\"", "did you mean \"stone\"?"},
        {"  - {name: k, material: oak, shape: {sphere: {radius: 0,5}}}\n", NULL, 4,
         "s.yaml:7:55: ", "a comma separates keys, so radius is cut", "write a decimal point: 0.5"},
        {"  - name: k\n    material: oak\n    mass: 0,5\n    shape: {sphere: {radius: 1}}\n", NULL,
         4, "s.yaml:9:11: ", "mass must be a number, not \"0,5\"", "write a decimal point: 0.5"},
        {"  - {material: oak, position: [0,0, 1,5], shape: {sphere: {radius: 1}}}\n", NULL, 4,
         "s.yaml:7:31: ", "position must be a list of 3 numbers, not of 4",
         "a comma separates entries; write a decimal point"},
        {"  - {material: oak, rotation: [0, 0, 30], shape: {sphere: {radius: 1}}}\n", NULL, 4,
         "s.yaml:7:31: ", "rotation must be a map of keys, not a list",
         "write {axis: ..., angle: ...}"},
        {"  - {material: oak, rotation: {axis: [0, 0, 1], angle: 30 degs}, shape: {sphere: "
         "{radius: 1}}}\n",
         NULL, 4, "s.yaml:7:56: ", "angle must be a number, not \"30 degs\"", "\"30 deg\""},
        {"  - {material: oak, rotation: {axis: [0, 0, 1], angle: 30\xC2\xB0}, shape: {sphere: "
         "{radius: 1}}}\n",
         NULL, 4, "s.yaml:7:56: ", "angle must be a number, not \"30\xC2\xB0\"", "\"30 deg\""},
        {"  - {material: oak, position: [0, 0], shape: {sphere: {radius: 1}}}\n", NULL, 4,
         "s.yaml:7:31: ", "position must be a list of 3 numbers, not of 2", "write [a, b, c]"},
        {"  - {material: oak, shape: {spere: {radius: 1}}}\n", NULL, 4, "s.yaml:7:29: ", "spere",
         "did you mean \"sphere\"?"},
        {"  - {material: oak, shape: {disk: {radius: 1}}}\n", NULL, 4, "s.yaml:7:29: ", "disk",
         "2D"},
        {"  - {material: oak, shape: {sphere: {raduis: 1}}}\n", NULL, 4,
         "s.yaml:7:38: ", "no key \"raduis\"", "did you mean \"radius\"?"},
        {"  - {material: oak, shape: {sphere: {radius: -1}}}\n", NULL, 4,
         "s.yaml:7:46: ", "radius must be above 0, not -1", "radius: -1"},
        {"  - {material: oak, fixed: maybe, shape: {sphere: {radius: 1}}}\n", NULL, 4,
         "s.yaml:7:28: ", "fixed must be true or false", "maybe"},
        {"  - {material: oak, position: [0, 0, 3], shape: {sphere: {radius: 1}}}\n"
         "integrator: {scheme: moreau}\n",
         NULL, 4, "s.yaml:8:22: ", "scheme cannot be \"moreau\"", "did you mean \"moreau-jean\"?"},
        {"  - {material: oak, position: [0, 0, 3], shape: {sphere: {radius: 1}}}\n"
         "solver: {name: ngs}\n",
         NULL, 4, "s.yaml:8:16: ", "\"ngs\"", "did you mean \"nsgs\"?"},
        {"cairn: 1\nbodys: []\n", NULL, 4, "s.yaml:2:1: ", "scene has no key \"bodys\"",
         "did you mean \"bodies\"?"},
        {"cairn: 2\n", NULL, 4, "s.yaml:1:8: ", "2", "1"},
        {"name: tower\n", NULL, 4, "s.yaml:1:1: ", "cairn", "cairn: 1"},
    };
    cn_cli cli = cn_cli_enter();
    CN_CHECK_MISTAKES(&cli, mistakes);
    cn_cli_leave(&cli);
}

#define CN_ARM                                                                                     \
    "  - {name: arm, material: oak, position: [0, 0, 2], shape: {sphere: {radius: 0.5}}}\n"

CN_TEST(mistakes_in_joints_and_forces) {
    static const cn_mistake mistakes[] = {
        {CN_ARM
         "joints: [{kind: hing, bodies: [ground, arm], point: [0, 0, 2], axis: [0, 1, 0]}]\n",
         NULL, 4, "s.yaml:8:17: ", "kind cannot be \"hing\"", "did you mean \"hinge\"?"},
        {CN_ARM "joints: [{kind: hinge, bodies: [ground, wheel], point: [0, 0, 2]}]\n", NULL, 4,
         "s.yaml:8:41: ", "there is no body \"wheel\"", "the bodies are ground, arm"},
        {CN_ARM "forces: [{body: arn, force: [1, 0, 0]}]\n", NULL, 4,
         "s.yaml:8:17: ", "there is no body \"arn\"", "did you mean \"arm\"?"},
        {CN_ARM "forces: [{body: arm, force: ['sin(x)', 0, 0]}]\n", NULL, 4,
         "s.yaml:8:35: ", "\"x\": unknown name", "t is the time"},
        {CN_ARM "forces: [{body: arm, force: ['2*', 0, 0]}]\n", NULL, 4, "s.yaml:8:", "2*",
         "expression"},
        {CN_ARM "joints: [{kind: hinge, bodies: [ground, arm], point: [0, 0, 2]}]\n", NULL, 4,
         "s.yaml:8:", "axis", "axis"},
        {CN_ARM "forces: [{body: arm, force: 10}]\n", NULL, 4, "s.yaml:8:29: ",
         "force must be a list of 3 numbers, expressions or tables", "write [a, b, c]"},
        {CN_ARM "friction: 0.5\n", NULL, 4, "s.yaml:8:1: ", "scene has no key \"friction\"",
         "its keys are cairn, name"},
    };
    cn_cli cli = cn_cli_enter();
    CN_CHECK_MISTAKES(&cli, mistakes);
    cn_cli_leave(&cli);
}

// Words of other programs for kinds of joints.
CN_TEST(joints_have_the_names_of_other_programs) {
    static const char *const words[] = {"revolute", "prismatic", "spherical", "weld"};
    cn_cli cli = cn_cli_enter();
    for (int i = 0; i < 4; i++) {
        char text[2048];
        int length = snprintf(text, sizeof text,
                              "%s" CN_ARM "joints: [{kind: %s, bodies: [ground, arm], "
                              "point: [0, 0, 2]%s}]\n",
                              cn_head, words[i], i < 2 ? ", axis: [0, 1, 0]" : "");
        io_file_write("s.yaml", text, (size_t)length);
        CN_CLI_EXPECT(&cli, 0, "run s.yaml -q --force");
    }
    cn_cli_leave(&cli);
}

// ---- files of the wrong kind ----

// A database of another program.
static void make_database(const char *path) {
    sqlite3 *database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, "CREATE TABLE song(title)", NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(database);
}

CN_TEST(mistakes_in_the_choice_of_a_file) {
    static const cn_mistake mistakes[] = {
        {"cairn: 1\n", "resume s.yaml", 4, "s.yaml: ", "this is a scene, not a run file",
         "simulate it: cairn run s.yaml"},
        {NULL, "check s.yaml", 4, "s.yaml: ", "this is a scene, not a run file or a problem file",
         "cairn info s.yaml"},
        {NULL, "export s.yaml --to csv", 4, "s.yaml: ", "this is a scene", "cairn run s.yaml"},
        {NULL, "solve s.yaml", 4, "s.yaml: ", "this is a scene, not a problem file",
         "cairn run s.yaml"},
        {NULL, "run a.run", 4, "a.run: ", "this is a run file, not a scene", "cairn resume a.run"},
        {NULL, "solve a.run", 4, "a.run: ", "this is a run file, not a problem file",
         "cairn export a.run --to fclib"},
        {NULL, "run p.hdf5", 4, "p.hdf5: ", "this is a problem file, not a scene",
         "cairn solve p.hdf5"},
        {NULL, "view p.hdf5", 4, "p.hdf5: ", "this is a problem file", "cairn solve p.hdf5"},
        {NULL, "render p.hdf5", 4, "p.hdf5: ", "this is a problem file", "cairn solve p.hdf5"},
        {NULL, "run .", 4, ".: ", "this is a folder", "a scene"},
        {NULL, "run picture.png", 4, "picture.png: ", "this is a PNG picture", "not a scene"},
        {NULL, "check other.db", 4, "other.db: ", "not a run file of cairn", "cairn run"},
        {NULL, "resume cut.run", 4, "cut.run: ", "damaged or cut short", "take a copy"},
        {NULL, "run scene.yml", 4, "scene.yml: ", "there is no such file",
         "did you mean 'scenes.yml'?"},
        {NULL, "run domino", 4, "domino: ", "no scene of that name in the gallery",
         "did you mean 'dominoes'?"},
        {NULL, "render domino", 4, "domino: ", "no scene of that name in the gallery",
         "cairn gallery lists its scenes"},
        {NULL, "info nothing", 4, "nothing: ", "there is no such file",
         "gallery; cairn gallery lists its scenes"}, // not "pouring"
        {NULL, "gallery domino", 2, "cairn gallery: ", "no scene 'domino'",
         "did you mean 'dominoes'?"},
    };
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "run block-on-slope --until 0.05 -o a.run -q");
    CN_CLI_EXPECT(&cli, 0, "generate friction -o p.hdf5");
    CN_CHECK_TRUE(system("head -c 20000 a.run >cut.run; touch scenes.yml") == 0);
    io_file_write("picture.png", "\x89PNG\r\n\x1A\n", 8);
    make_database("other.db");
    CN_CHECK_MISTAKES(&cli, mistakes);
    cn_cli_leave(&cli);
}

// ---- the command line ----

CN_TEST(mistakes_on_the_command_line) {
    static const cn_mistake mistakes[] = {
        {NULL, "rum", 2, "cairn: ", "no command 'rum'", "did you mean 'run'?"},
        {NULL, "slove", 2, "cairn: ", "no command 'slove'", "did you mean 'solve'?"},
        {NULL, "simulate s.yaml", 2, "cairn: ", "no command 'simulate'", "did you mean 'run'?"},
        {"cairn: 1\n", "s.yaml", 2, "cairn: ", "'s.yaml' is a file, not a command",
         "did you mean 'cairn run s.yaml'?"},
        {NULL, "run block-on-slope --tol=0", 2, "cairn run: --tol ", "must be above 0", "not 0"},
        {NULL, "run block-on-slope --tol=1e-6x", 2, "cairn run: --tol ", "wants a number",
         "not '1e-6x'"},
        {NULL, "run block-on-slope --until=1,5", 2, "cairn run: --until ", "wants a number",
         "write a decimal point: 1.5"},
        {NULL, "run block-on-slope --until=-1", 2, "cairn run: --until ", "must be above 0",
         "not -1"},
        {NULL, "run block-on-slope --frames-every=-1", 2, "cairn run: --frames-every ",
         "must be 0 or more", "not -1"},
        {NULL, "run block-on-slope --threads 0", 2, "cairn run: --threads ",
         "must be from 1 to 256", "not 0"},
        {NULL, "run block-on-slope --solver nsg", 2, "cairn run: ", "no friction solver 'nsg'",
         "did you mean 'nsgs'?"},
        {NULL, "run block-on-slope --untill 3", 2, "cairn run: ", "no option --untill",
         "did you mean --until?"},
        {NULL, "run block-on-slope --set solver.tolerence=1e-6", 4, "--set solver.tolerence=1e-6",
         "solver has no key \"tolerence\"", "did you mean \"tolerance\"?"},
        {NULL, "run block-on-slope --set solver", 2, "cairn run: --set ", "wants path=value",
         "not 'solver'"},
        {NULL, "export a.run --to fclib --steps 5:2", 2, "cairn export: --steps ",
         "5:2 ends before it begins", "--steps 2:5"},
        {NULL, "export a.run --to pdf", 2, "cairn export: ", "no format 'pdf'",
         "use html, pvd, gltf, csv or fclib"},
        {NULL, "solve p.hdf5 --tol=0", 2, "cairn solve: --tol ", "must be above 0", "not 0"},
        {NULL, "solve p.hdf5 --set nsgs.foo=1", 2, "cairn solve: --set nsgs.foo=1",
         "the solver nsgs has no parameter \"foo\"", "its parameters are relaxation"},
        {NULL, "run", 2, "cairn run: ", "no file given", "see cairn run --help"},
        {NULL, "run block-on-slope --step 0.1", 2, "cairn run: ", "no option --step",
         "--set time.step=VALUE"},
        {NULL, "version", 2, "cairn: ", "no command 'version'", "did you mean 'cairn --version'?"},
        {NULL, "generate foo", 2, "cairn generate: ", "no kind of problem 'foo'",
         "use friction or lcp"},
        {NULL, "generate lcp", 2, "cairn generate: ", "no file to write", "give -o FILE"},
    };
    cn_cli cli = cn_cli_enter();
    CN_CHECK_MISTAKES(&cli, mistakes);
    cn_cli_leave(&cli);
}

// ---- errors for programs ----

CN_TEST(errors_with_json_are_json) {
    cn_cli cli = cn_cli_enter();
    io_file_write("s.yaml", "cairn: 1\nbodys: []\n", 19);
    CN_CLI_EXPECT(&cli, 4, "run s.yaml --json");
    cJSON *json = cn_cli_json(&cli, 0);
    const cJSON *error = cJSON_GetObjectItemCaseSensitive(json, "error");
    assert_string_equal(cn_json_string(error, "file"), "s.yaml");
    assert_string_equal(cn_json_string(error, "message"), "scene has no key \"bodys\"");
    assert_string_equal(cn_json_string(error, "hint"), "did you mean \"bodies\"?");
    CN_CHECK_NEAR(io_json_number(error, "line"), 2, 0);
    CN_CHECK_NEAR(io_json_number(error, "column"), 1, 0);
    CN_CHECK_NEAR(io_json_number(error, "exit_code"), 4, 0);
    cJSON_Delete(json);
    CN_CHECK_HOLDS(cli.err, "s.yaml:2:1: "); // people read the other stream
    CN_CLI_EXPECT(&cli, 2, "run s.yaml --tol=0 -j");
    json = cn_cli_json(&cli, 0);
    error = cJSON_GetObjectItemCaseSensitive(json, "error");
    assert_string_equal(cn_json_string(error, "message"), "--tol must be above 0, not 0");
    cJSON_Delete(json);
    CN_CLI_EXPECT(&cli, 4, "solve s.yaml nothing.dat --json");
    assert_int_equal(cn_count_lines(cli.out), 2); // an object for each file
    cJSON_Delete(cn_cli_json(&cli, 1));
    cn_cli_leave(&cli);
}

// ---- times, pictures, scenes from elsewhere ----

CN_TEST(mistakes_in_times_and_pictures) {
    static const cn_mistake mistakes[] = {
        {NULL, "resume a.run --until 0.01", 2, "a.run: ", "the run is at t = 0.05 s already",
         "--until a later time"},
        {NULL, "render a.run --at 9", 2, "cairn render: --at 9 ",
         "is after the end of the run, which is at t = 0.05 s", "cairn resume a.run --until 9"},
        {NULL, "render a.run -o a.pdf", 2, "-o a.pdf", "pictures are .svg or .png",
         "choose one of these endings"},
        {NULL, "render a.run -o picture", 2, "-o picture", "pictures are .svg or .png",
         "choose one of these endings"},
        {NULL, "render a.run --size 10", 2, "--size ", "wants WxH", "as 1440x900"},
        {NULL, "render a.run --size 100x", 2, "--size ", "wants WxH", "as 1440x900"},
        {NULL, "export a.run --to csv --steps 1:9999", 2,
         "cairn export: ", "the run has only 50 steps", "choose among 1:50"},
        {NULL, "new a.run", 2, "cairn new: a.run ", "exists already", "choose another name"},
        {NULL, "new b.yaml --variant joint", 2, "cairn new: ", "no variant 'joint'",
         "did you mean 'joints'?"},
        {NULL, "run - --watch </dev/null", 2, "cairn run: ", "--watch does not go with",
         "standard input"},
        {"  - {name: k, material: oak, position: [0, 0, 0.4], shape: {sphere: {radius: 0.5}}}\n",
         NULL, 4, "s.yaml:7:5: ", "bodies 2 (k) and 1 (ground) overlap by 0.1 m at the start",
         "move them apart, or accept overlaps"},
        {"  - {name: k, material: oak, position: [0, 0, 9], shape: {sphere: {radius: 0.5}}}\n"
         "generate: [{grid: {count: [2, 1, 1], material: oak, shape: {sphere: {radius: 1}}}}]\n",
         NULL, 4, "s.yaml:8:12: ", "overlap by 1 m at the start",
         "the position of grid is of the first copy, the one with the smallest coordinates"},
    };
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "run block-on-slope --until 0.05 -o a.run -q");
    CN_CHECK_MISTAKES(&cli, mistakes);
    CN_CHECK_TRUE(access("a.pdf", F_OK) != 0 && access("picture", F_OK) != 0);
    CN_CLI_EXPECT(&cli, 0, "resume a.run --until 0.05 -q"); // that is where it is
    assert_string_equal(cli.err, "");
    CN_CLI_EXPECT(&cli, 0, "resume a.run --until 0.05");
    CN_CHECK_HOLDS(cli.err, "a.run is complete, at t = 0.05 s: nothing was left to do");
    CN_CHECK_HOLDS(cli.err, "to go on: --until a later time");
    cn_cli_leave(&cli);
}

CN_TEST(render_says_what_it_wrote_and_marks_positions) {
    static const char overlapping[] = "generate: [{grid: {count: [2, 1, 1], material: oak, "
                                      "shape: {sphere: {radius: 1}}}}]\n";
    char text[2048];
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "run block-on-slope --until 0.05 -o a.run -q");
    CN_CLI_EXPECT(&cli, 0, "render a.run");
    CN_CHECK_HOLDS(cli.err, "a.svg: a.run at t = 0.05 s\n");
    CN_CLI_EXPECT(&cli, 0, "render a.run -q -o b.svg");
    assert_string_equal(cli.err, "");
    CN_CLI_EXPECT(&cli, 0, "render a.run --size 700x400 -o c.svg");
    char *sized = cn_file_text("c.svg");
    CN_CHECK_HOLDS(sized, " width=\"700\" height=\"400\" ");
    free(sized);
    // Bodies that overlap are drawn all the same, with the position that is to be changed.
    int length = snprintf(text, sizeof text, "%s%s", cn_head, overlapping);
    io_file_write("s.yaml", text, (size_t)length);
    CN_CLI_EXPECT(&cli, 4, "render s.yaml");
    char *svg = cn_file_text("s.svg");
    CN_CHECK_HOLDS(svg, "<line class=\"mark\"");
    CN_CHECK_HOLDS(svg, "position of grid: of the first copy, the one with the smallest");
    free(svg);
    cn_cli_leave(&cli);
}

CN_TEST(a_scene_may_come_from_standard_input) {
    cn_cli cli = cn_cli_enter();
    io_file_write("s.yaml", cn_head, strlen(cn_head));
    CN_CLI_EXPECT(&cli, 0, "run - <s.yaml");
    CN_CHECK_HOLDS(cli.out, "written to          stdin.run");
    io_file_write("bad.txt", "bodys: []\n", 10);
    CN_CLI_EXPECT(&cli, 4, "run - -o t.run <bad.txt");
    CN_CHECK_HOLDS(cli.err, "stdin:1:1: ");
    CN_CHECK_TRUE(access("t.run", F_OK) != 0);
    cn_cli_leave(&cli);
}

static bool cn_wait_for_lines(const char *path, const char *words, int count) {
    for (int i = 0; i < 3000; i++) {
        char *text = cn_file_text(path);
        int found = 0;
        for (const char *at = text; (at = strstr(at, words)) != NULL; at++) {
            found++;
        }
        free(text);
        if (found >= count) {
            return true;
        }
        usleep(10000);
    }
    return false;
}

// Saved while it runs, the scene is run anew at once; a mistake ends nothing.
CN_TEST(watch_runs_again_after_a_change) {
    static const char endless[] = "time: {until: 9999}\n";
    char text[2048];
    cn_cli cli = cn_cli_enter();
    int length = snprintf(text, sizeof text, "%s", cn_head);
    char *until = strstr(text, "time: {until: 0.02}\n");
    memcpy(until, endless, strlen(endless) - 1);
    io_file_write("s.yaml", text, (size_t)length);
    io_file_write("err", "", 0);
    pid_t child = fork();
    if (child == 0) {
        char *const argv[] = {CAIRN_COMMAND, "run", "s.yaml", "--watch", NULL};
        bool good = freopen("out", "w", stdout) && freopen("err", "w", stderr);
        execv(good ? argv[0] : "", argv);
        _exit(127);
    }
    CN_CHECK_TRUE(child > 0 && cn_wait_until_busy(child, 0.2));
    io_file_write("s.yaml", cn_head, strlen(cn_head));
    CN_CHECK_TRUE(cn_wait_for_lines("err", "watched for changes", 2));
    io_file_write("s.yaml", "bodys: []\n", 10);
    CN_CHECK_TRUE(cn_wait_for_lines("err", "s.yaml:1:1: ", 1));
    io_file_write("s.yaml", cn_head, strlen(cn_head));
    CN_CHECK_TRUE(cn_wait_for_lines("out", "written to          s.run", 2));
    int status;
    kill(child, SIGINT);
    CN_CHECK_TRUE(waitpid(child, &status, 0) == child && WIFEXITED(status) &&
                  WEXITSTATUS(status) == 0);
    cn_cli_leave(&cli);
}

// ---- 80 columns ----

static int cn_longest_line(const char *text) {
    int longest = 0, columns = 0;
    for (; *text; text++) {
        columns = *text == '\n' ? 0 : columns + (((unsigned char)*text & 0xc0) != 0x80);
        longest = columns > longest ? columns : longest;
    }
    return longest;
}

CN_TEST(reports_fit_80_columns) {
    static const char *const commands[] = {
        "run pouring --until 0.3 --set generate.packing.count=100 -o a.run --threads 2",
        "run thin-walled-box -o b.run",
        "info a.run",
        "check a.run",
        "gallery",
        "info s.yaml",
        "info p.hdf5",
        "solvers",
        "solvers auto",
        "solvers nsgs",
        "reproduce",
        "bench --list",
        "new t.yaml --variant wall",
        "generate lcp -o l.dat",
        "demo solvers",
        "solve p.hdf5 --solver nsgs --max-iter 2",
        "solve p.hdf5",
        "--help"};
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "generate friction -o p.hdf5");
    CN_CLI_EXPECT(&cli, 0, "new s.yaml");
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        int code = cn_cli_run(&cli, commands[i]);
        if ((code != 0 && code != 3) || cn_longest_line(cli.out) > 80 ||
            cn_longest_line(cli.err) > 80) {
            print_error("%s: exit code %d, %d columns:\n%s%s\n", commands[i], code,
                        cn_longest_line(cli.out), cli.out, cli.err);
            fail();
        }
    }
    cn_cli_leave(&cli);
}

// On a terminal of 80 columns, whatever the scene is called, each state of the line shows the
// residual and the time left.
CN_TEST(progress_fits_80_columns) {
    cn_cli cli = cn_cli_enter();
    struct winsize size = {.ws_row = 24, .ws_col = 80};
    int terminal;
    pid_t child = forkpty(&terminal, NULL, NULL, &size);
    if (child == 0) {
        char *const argv[] = {
            CAIRN_COMMAND, "run",   "pouring",
            "-o",          "a.run", "--until",
            "0.5",         "--set", "name=a-scene-with-a-name-that-would-fill-the-line-on-its-own",
            NULL};
        execv(argv[0], argv);
        _exit(127);
    }
    char text[65536];
    size_t used = 0;
    ssize_t got;
    while (used + 1 < sizeof text &&
           (got = read(terminal, text + used, sizeof text - 1 - used)) > 0) {
        used += (size_t)got;
    }
    text[used] = '\0';
    int status, drawn = 0;
    CN_CHECK_TRUE(waitpid(child, &status, 0) == child);
    close(terminal);
    for (char *line = strtok(text, "\r\n"); line; line = strtok(NULL, "\r\n")) {
        const char *shown = strncmp(line, "\033[K", 3) == 0 ? line + 3 : line;
        CN_CHECK_TRUE(cn_longest_line(shown) <= 80);
        if (strstr(shown, "  [")) {
            drawn++;
            CN_CHECK_HOLDS(shown, "residual");
            CN_CHECK_HOLDS(shown, " s  ETA ");
        }
    }
    CN_CHECK_TRUE(drawn > 0);
    cn_cli_leave(&cli);
}
