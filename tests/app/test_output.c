// What the command writes: beside its target and renamed, so that a full disk is an error that
// leaves the old file; and names that would command a terminal, a spreadsheet or a browser.
#include "cli.h"

#include <cairn/cairn.h>

#include <glob.h>
#include <signal.h>

#define PNG_HEAD "\\211PNG\\r\\n\\032\\n"
#define PNG_END "\\000\\000\\000\\000IEND\\256\\102\\140\\202"

static const char scene[] =
    "cairn: 1\nname: pile\ndimension: 2\ngravity: [0, -9.81]\ntime: {step: 0.01, until: 0.5}\n"
    "materials: {stone: {density: 1}}\ncontacts: [{between: [stone, stone], friction: 0.3}]\n"
    "bodies:\n"
    "  - {name: floor, material: stone, fixed: true, shape: {line: {normal: [0, 1], offset: 0}}}\n"
    "generate: [{grid: {count: [4, 4], spacing: [1.1, 1.1], position: [0, 0.6], material: stone, "
    "shape: {disk: {radius: 0.5}}}}]\n";

static cn_cli enter_with_run(void) {
    cn_cli cli = cn_cli_enter();
    io_file_write("pile.yaml", scene, strlen(scene));
    CN_CLI_EXPECT(&cli, 0, "run pile.yaml -o pile.run --quiet");
    return cli;
}

// Files that match a pattern.
static size_t count_files(const char *pattern) {
    glob_t found = {0};
    size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    globfree(&found);
    return count;
}

// The command with files of at most 2 kB, as on a disk that is full.
static int run_limited(cn_cli *cli, const char *arguments) {
    char line[2048];
    snprintf(line, sizeof line, "trap '' XFSZ; ulimit -f 4; exec '%s' %s 2>/dev/null",
             CAIRN_COMMAND, arguments);
    (void)cli;
    int status = system(line);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// A program of the folder ./bin, which is all that the path has besides the system's.
static void write_program(const char *name, const char *text) {
    char path[128];
    CN_CHECK_TRUE(access("bin", F_OK) == 0 || system("mkdir bin") == 0);
    snprintf(path, sizeof path, "bin/%s", name);
    io_file_write(path, text, strlen(text));
    snprintf(path, sizeof path, "chmod +x bin/%s", name);
    CN_CHECK_TRUE(system(path) == 0);
}

static int run_with_programs(const char *arguments) {
    char line[2048];
    snprintf(line, sizeof line, "PATH=\"$PWD/bin\" '%s' %s 2>.err", CAIRN_COMMAND, arguments);
    int status = system(line);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

CN_TEST(a_full_disk_is_an_error_of_every_export) {
    static const char *const commands[] = {"export pile.run --to gltf -q -o /dev/full",
                                           "export pile.run --to html -q -o /dev/full",
                                           "render pile.run --plain -o /dev/full"};
    cn_cli cli = enter_with_run();
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        int code = cn_cli_run(&cli, commands[i]);
        if (strstr(cli.err, "was built without")) {
            continue; // its page
        }
        if (code != 1 || !strstr(cli.err, "No space left on device")) {
            print_error("cairn %s: exit code %d, %s\n", commands[i], code, cli.err);
            fail();
        }
    }
    cn_cli_leave(&cli);
}

CN_TEST(a_failed_export_leaves_the_old_files) {
    static const struct {
        const char *arguments, *file;
    } cases[] = {{"export pile.run --to csv -q -o tables", "tables/frames.csv"},
                 {"export pile.run --to gltf -q -o a.glb", "a.glb"},
                 {"export pile.run --to pvd -q -o vtk", "vtk/bodies-000000.vtp"},
                 {"render pile.run --plain -o a.svg", "a.svg"},
                 {"export pile.run --to html -q -o a.html", "a.html"}};
    cn_cli cli = enter_with_run();
    CN_CHECK_TRUE(system("mkdir tables vtk") == 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        io_file_write(cases[i].file, "old\n", 4);
        assert_int_equal(run_limited(&cli, cases[i].arguments), 1);
        char *text = cn_file_text(cases[i].file);
        assert_string_equal(text, "old\n");
        free(text);
    }
    assert_int_equal(count_files("*.part") + count_files("*/*.part"), 0);
    cn_cli_leave(&cli);
}

CN_TEST(exports_replace_files_as_a_whole) {
    cn_cli cli = enter_with_run();
    // A hard link keeps the old bytes: the name has got a new file.
    io_file_write("a.svg", "old\n", 4);
    CN_CHECK_TRUE(link("a.svg", "other.svg") == 0);
    CN_CLI_EXPECT(&cli, 0, "render pile.run --plain -o a.svg");
    char *old = cn_file_text("other.svg"), *fresh = cn_file_text("a.svg");
    assert_string_equal(old, "old\n");
    CN_CHECK_HOLDS(fresh, "</svg>");
    free(old);
    free(fresh);
    assert_int_equal(count_files("*.part"), 0);
    cn_cli_leave(&cli);
}

// Whatever draws: only a whole picture reaches its place, and a full disk there is an error.
CN_TEST(pictures_that_are_cut_short_are_errors) {
    static const char whole[] = "#!/bin/sh\nprintf '" PNG_HEAD "some pixels" PNG_END "' >\"$2\"\n";
    static const char cut[] = "#!/bin/sh\nprintf '" PNG_HEAD "some pix' >\"$2\"\n";
    cn_cli cli = enter_with_run();
    write_program("rsvg-convert", whole);
    assert_int_equal(run_with_programs("render pile.run --plain -o a.png"), 0);
    char *png = cn_file_text("a.png");
    CN_CHECK_HOLDS(png, "PNG");
    free(png);

    CN_CHECK_TRUE(symlink("/dev/full", "full.png") == 0);
    assert_int_equal(run_with_programs("render pile.run --plain -o full.png"), 1);
    char *said = cn_file_text(".err");
    CN_CHECK_HOLDS(said, "full.png: cannot be written: No space left on device");
    free(said);

    write_program("rsvg-convert", cut);
    io_file_write("b.png", "old\n", 4);
    assert_int_equal(run_with_programs("render pile.run --plain -o b.png"), 1);
    char *old = cn_file_text("b.png");
    assert_string_equal(old, "old\n");
    free(old);
    cn_cli_leave(&cli);
}

// ---- run files ----

// One writer: a second run, or a resumption, is refused while the first goes on, and harms nothing.
CN_TEST(a_run_file_has_one_writer) {
    cn_cli cli = cn_cli_enter();
    io_file_write("pile.yaml", scene, strlen(scene));
    char *const argv[] = {CAIRN_COMMAND, "run",    "pile.yaml", "-o",     "pile.run",
                          "--until",     "100000", "--quiet",   (char *)0};
    pid_t child = fork();
    if (child == 0) {
        execv(argv[0], argv);
        _exit(127);
    }
    CN_CHECK_TRUE(child > 0 && cn_wait_until_busy(child, 0.3));
    assert_int_equal(cn_cli_run(&cli, "run pile.yaml -o pile.run -f --quiet"), 1);
    CN_CHECK_HOLDS(cli.err, "pile.run: another process is writing this file");
    CN_CHECK_TRUE(cn_cli_run(&cli, "resume pile.run --quiet") != 0);
    CN_CHECK_HOLDS(cli.err, "another process is writing this file");
    kill(child, SIGKILL);
    int status;
    CN_CHECK_TRUE(waitpid(child, &status, 0) == child);
    // The lock went with its process; the run itself is past that time.
    CN_CLI_EXPECT(&cli, 2, "resume pile.run --until 0.01 --quiet");
    CN_CHECK_HOLDS(cli.err, " already, and is to end at 0.01 s; --until a later time");
    CN_CLI_EXPECT(&cli, 0, "run pile.yaml -o pile.run -f --quiet");
    cn_cli_leave(&cli);
}

// What a run leaves that was killed before its first commit: an empty file, with or without a log.
CN_TEST(an_early_kill_leaves_nothing_that_blocks_a_run) {
    static const char *const left[] = {"", "-wal", "-shm", "-journal"};
    cn_cli cli = cn_cli_enter();
    io_file_write("pile.yaml", scene, strlen(scene));
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++) {
        char name[32];
        snprintf(name, sizeof name, "pile.run%s", left[i]);
        io_file_write("pile.run", "", 0);
        io_file_write(name, "", 0);
        assert_int_equal(cn_cli_run(&cli, "run pile.yaml --quiet"), 2); // not without being told
        CN_CLI_EXPECT(&cli, 0, "run pile.yaml -f --quiet");
        CN_CLI_EXPECT(&cli, 0, "check pile.run");
    }
    // Other files are not replaced even so.
    io_file_write("pile.run", "text\n", 5);
    assert_int_equal(cn_cli_run(&cli, "run pile.yaml -f --quiet"), 2);
    cn_cli_leave(&cli);
}

// ---- names ----

#define BELL_NAME "fl\x1b]0;x\x07oor \xc2\x80\xc2\x9f"
#define TURNED_NAME                                                                                \
    "\xe2\x80\xae"                                                                                 \
    "abc\xe2\x81\xa6 \xef\xbf\xbe\xef\xbf\xbf \xe2\x80\xa8 </script> \xc3\xa4"
#define FORMULA_NAME "=1+cmd|' /C calc'!A0"

static const char named[] =
    "cairn: 1\nname: \"a \\e[31m \\u202E \\x85 \\uFFFE <&>\"\ndimension: 2\ngravity: [0, -9.81]\n"
    "time: {step: 0.01, until: 0.05}\nmaterials: {\"st\\x9Bone\": {density: 1}}\n"
    "contacts: [{between: [\"*\", \"*\"], friction: 0.3}]\nbodies:\n"
    "  - {name: \"fl\\e]0;x\\aoor \\x80\\x9F\", material: \"st\\x9Bone\", fixed: true, shape: "
    "{line: {normal: [0, 1], offset: 0}}}\n"
    "  - {name: \"\\u202Eabc\\u2066 \\uFFFE\\uFFFF \\u2028 </script> \\xe4\", "
    "material: \"st\\x9Bone\", position: [0, 0.5], shape: {disk: {radius: 0.5}}}\n"
    "  - {name: \"=1+cmd|' /C calc'!A0\", material: \"st\\x9Bone\", position: [2, 0.5], shape: "
    "{disk: {radius: 0.5}}}\n";

// No byte that a terminal obeys, no mark that turns the direction of writing, none that XML
// forbids.
static void check_harmless(const char *text, const char *what) {
    for (const char *c = text; *c; c++) {
        unsigned char a = (unsigned char)c[0], b = (unsigned char)c[1];
        bool control = (a < ' ' && a != '\n' && a != '\t') || a == 127 || (a == 0xc2 && b < 0xa0);
        bool hidden = strncmp(c, "\xe2\x80\xae", 3) == 0 || strncmp(c, "\xe2\x81\xa6", 3) == 0 ||
                      strncmp(c, "\xe2\x80\xa8", 3) == 0 || strncmp(c, "\xef\xbf\xbe", 3) == 0;
        if (control || hidden) {
            print_error("%s: byte %02x at %ld\n", what, (unsigned)a, (long)(c - text));
            fail();
        }
    }
}

CN_TEST(names_come_back_as_they_were) {
    static const char *const names[] = {BELL_NAME, TURNED_NAME, FORMULA_NAME};
    cn_cli cli = cn_cli_enter();
    io_file_write("n.yaml", named, strlen(named));
    CN_CLI_EXPECT(&cli, 0, "run n.yaml -o n.run --quiet");
    CN_CLI_EXPECT(&cli, 0, "resume n.run --until 0.1 --quiet"); // reads the scene in the run file
    cn_run *run;
    cn_run_body *rows;
    cn_arena *memory = cn_arena_create(NULL);
    assert_int_equal(cn_run_open(NULL, "n.run", &run, NULL), CN_OK);
    assert_int_equal(cn_run_bodies(run, memory, &rows, NULL), CN_OK);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(rows[i].name, names[i]);
        assert_string_equal(rows[i].material, "st\xc2\x9bone");
    }
    char *text = strdup(cn_run_meta(run, "scene"));
    cn_run_close(run);
    cn_arena_destroy(memory);
    check_harmless(text, "the scene of the run file");
    free(text);
    CN_CLI_EXPECT(&cli, 0, "info n.run --json");
    check_harmless(cli.out, "info --json");
    CN_LINE_FIELDS(&cli, 0, CN_TEXT("scene", "a \x1b[31m \xe2\x80\xae \xc2\x85 \xef\xbf\xbe <&>"));
    cn_cli_leave(&cli);
}

CN_TEST(names_are_escaped_wherever_they_are_shown) {
    cn_cli cli = cn_cli_enter();
    io_file_write("n.yaml", named, strlen(named));
    CN_CLI_EXPECT(&cli, 0, "run n.yaml -o n.run");
    check_harmless(cli.out, "run");
    CN_CLI_EXPECT(&cli, 0, "info n.run n.yaml");
    check_harmless(cli.out, "info");
    CN_CLI_EXPECT(&cli, 0, "export n.run --to csv -q -o t");
    CN_CLI_EXPECT(&cli, 0, "render n.run --plain -o n.svg");
    char *csv = cn_file_text("t/frames.csv"), *svg = cn_file_text("n.svg");
    check_harmless(csv, "CSV");
    check_harmless(svg, "SVG");
    CN_CHECK_HOLDS(csv, "\"'=1+cmd|"); // spreadsheets do not compute it
    CN_CHECK_HOLDS(csv, "\"\\xE2\\x80\\xAEabc");
    CN_CHECK_HOLDS(svg, "&lt;&amp;&gt;");
    free(csv);
    free(svg);
    cn_cli_leave(&cli);
}

CN_TEST(file_names_and_arguments_are_escaped_too) {
    static const char *const wrong[] = {"run $'no\\e[31m\\u202e.yaml'",
                                        "run --$'\\e[31m'",
                                        "run -$'\\e[31m'",
                                        "$'\\e[31m'",
                                        "solve $'\\u009b'",
                                        "export n.run --to $'\\e[1m'",
                                        "gallery $'\\e'",
                                        "run n.yaml -f --set $'a\\e=1'",
                                        "run n.yaml --until $'\\e'",
                                        "check $'\\e]0;x\\a'",
                                        "new $'no\\e/\\e.yaml'",
                                        "render n.run -o $'no\\e/a.svg'"};
    cn_cli cli = cn_cli_enter();
    io_file_write("n.yaml", named, strlen(named));
    CN_CLI_EXPECT(&cli, 0, "run n.yaml -o n.run --quiet");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char line[1024];
        snprintf(line, sizeof line, "bash -c \"'%s' %s\" >.out 2>.err", CAIRN_COMMAND, wrong[i]);
        int status = system(line);
        char *out = cn_file_text(".out"), *err = cn_file_text(".err");
        CN_CHECK_TRUE(WIFEXITED(status) && WEXITSTATUS(status) > 0 && WEXITSTATUS(status) <= 4);
        check_harmless(out, wrong[i]);
        check_harmless(err, wrong[i]);
        free(out);
        free(err);
    }
    cn_cli_leave(&cli);
}
