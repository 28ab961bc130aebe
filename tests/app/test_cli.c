// The command as a user meets it: help, usage errors, exit codes, tables, JSON, files.
#include "cli.h"

#include <cairn/cairn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>

extern char **environ;

// One contact on a unit mass, without a solution.
static const char cn_good_dat[] = "3\n1\n0 3 3\n3 3\n1 0 0 0 1 0 0 0 1\n-1 0.1 0\n0.5\n";

#define CN_SMALL "generate friction -q --contacts 12 --seed 3 "

// ---- help and usage ----

CN_TEST(help_is_on_stdout) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "--help");
    cn_check_golden(cli.out, "help");
    assert_string_equal(cli.err, "");
    cn_cli_leave(&cli);
}

CN_TEST(every_command_has_help) {
    static const char *const commands[] = {
        "bench",   "check",  "convert", "demo", "export", "gallery", "generate", "info", "new",
        "profile", "render", "resume",  "run",  "schema", "solve",   "solvers",  "view"};
    cn_cli cli = cn_cli_enter();
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        char arguments[64], golden[64];
        snprintf(arguments, sizeof arguments, "%s --help", commands[i]);
        CN_CLI_EXPECT(&cli, 0, arguments);
        assert_string_equal(cli.err, "");
        snprintf(golden, sizeof golden, "help-%s", commands[i]);
        cn_check_golden(cli.out, golden);
    }
    cn_cli_leave(&cli);
}

CN_TEST(version_is_the_librarys) {
    cn_cli cli = cn_cli_enter();
    char want[64];
    snprintf(want, sizeof want, "cairn %s\n", cn_version());
    CN_CLI_EXPECT(&cli, 0, "--version");
    assert_string_equal(cli.out, want);
    cn_cli_leave(&cli);
}

typedef struct cn_wrong_usage {
    const char *arguments, *says;
} cn_wrong_usage;

// Exit code 2, one line on stderr, nothing on stdout.
static void cn_check_wrong_usage(const cn_wrong_usage *cases, size_t count) {
    cn_cli cli = cn_cli_enter();
    for (size_t i = 0; i < count; i++) {
        CN_CLI_EXPECT(&cli, 2, cases[i].arguments);
        CN_CHECK_HOLDS(cli.err, cases[i].says);
        assert_int_equal(cn_count_lines(cli.err), 1);
        assert_string_equal(cli.out, "");
    }
    cn_cli_leave(&cli);
}

CN_TEST(wrong_usage_of_solve_is_exit_2) {
    static const cn_wrong_usage cases[] = {
        {"solve", "no problem file given"},
        {"solve x --sovler nsgs", "no option --sovler; did you mean --solver?"},
        {"solve x --zzzzzzzz", "no option --zzzzzzzz; see cairn solve --help"},
        {"solve x --solver nsg", "no solver 'nsg'; did you mean 'nsgs'?"},
        {"solve x --local secula", "no local solver 'secula'; did you mean 'secular'?"},
        {"solve x --tol abc", "--tol wants a number, not 'abc'"},
        {"solve x --tol -1", "--tol must be above 0, not -1"},
        {"solve x --tol nan", "--tol must be a finite number"},
        {"solve x --max-iter 1.5", "--max-iter wants a whole number"},
        {"solve x --measure foo", "no measure 'foo'"},
        {"solve x --set nsgs.anderson", "--set wants solver.param=value"},
        {"solve x --set nsgs.andersen=3", "did you mean \"anderson\"?"},
        {"solve x --set nsgs.anderson=-3", "out of range"},
        {"solve x --set nsg.anderson=3", "no solver 'nsg'; did you mean 'nsgs'?"},
        {"solve a/x.hdf5 b/x.hdf5 -o out", "would both be written"},
        {"solvers nsgz", "no solver 'nsgz'; did you mean 'nsgs'?"},
    };
    cn_check_wrong_usage(cases, sizeof cases / sizeof cases[0]);
}

CN_TEST(wrong_usage_elsewhere_is_exit_2) {
    static const cn_wrong_usage cases[] = {
        {"slove x", "cairn: no command 'slove'; did you mean 'solve'?"},
        {"banana", "cairn: no command 'banana'; see cairn --help"},
        {"check", "no file given"},
        {"info", "no file given"},
        {"generate friction", "no file to write; give -o FILE"},
        {"generate bridge -o x.hdf5", "no kind of problem 'bridge'"},
        {"generate friction -o x.hdf5 --dim 4", "--dim must be from 2 to 3"},
        {"generate friction -o x.hdf5 --open 0.7 --slide 0.7", "more than all contacts"},
        {"convert onlyone", "usage: cairn convert IN OUT"},
        {"bench nsgss", "did you mean 'nsgs'?"},
    };
    cn_check_wrong_usage(cases, sizeof cases / sizeof cases[0]);
}

CN_TEST(no_command_prints_help_on_stderr) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 2, "");
    CN_CHECK_HOLDS(cli.err, "Usage: cairn COMMAND");
    cn_cli_leave(&cli);
}

CN_TEST(full_disk_behind_stdout_is_a_failure) {
    cn_cli cli = cn_cli_enter();
    char line[1024];
    snprintf(line, sizeof line, "'%s' --help >/dev/full 2>.err", CAIRN_COMMAND);
    int status = system(line);
    assert_int_equal(WEXITSTATUS(status), 1);
    cn_cli_leave(&cli);
}

// ---- solve ----

CN_TEST(solve_prints_a_table) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, CN_SMALL "-o small.hdf5");
    CN_CLI_EXPECT(&cli, 0, "solve small.hdf5 --tol 1e-6");
    cn_check_golden(cli.out, "solve");
    assert_string_equal(cli.err, "");
    cn_cli_leave(&cli);
}

CN_TEST(solve_json_has_the_contracts_keys_in_order) {
    static const char *const keys[] = {"problem",  "dim",        "contacts",     "solver",
                                       "local",    "tol",        "outcome",      "iterations",
                                       "residual", "residual_q", "residual_max", "cpu_s"};
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, CN_SMALL "-o small.hdf5");
    CN_CLI_EXPECT(&cli, 0, "solve small.hdf5 --solver nsgs --tol 1e-6 --json");
    CN_LINE_KEYS(&cli, keys);
    CN_LINE_FIELDS(&cli, 0, CN_TEXT("problem", "small"), CN_TEXT("solver", "nsgs"),
                   CN_TEXT("local", "hybrid"), CN_TEXT("outcome", "solved"), CN_NEAR("dim", 3, 0),
                   CN_NEAR("contacts", 12, 0), CN_NEAR("tol", 1e-6, 0),
                   CN_AT_MOST("residual", 1e-6), CN_AT_LEAST("cpu_s", 0.0));
    assert_int_equal(cn_count_lines(cli.out), 1);
    cn_cli_leave(&cli);
}

CN_TEST(local_is_null_where_no_local_solver_takes_part) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, CN_SMALL "--dim 2 -o plane.hdf5");
    CN_CLI_EXPECT(&cli, 0, "generate lcp -q --contacts 8 -o lcp.dat");
    CN_CLI_EXPECT(&cli, 0, "solve plane.hdf5 lcp.dat --tol 1e-6 --json");
    for (int i = 0; i < 2; i++) {
        CN_LINE_FIELDS(&cli, i, CN_IS_NULL("local"), CN_NEAR("dim", i == 0 ? 2 : 1, 0));
    }
    cn_cli_leave(&cli);
}

CN_TEST(not_reaching_the_tolerance_is_exit_3) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, CN_SMALL "-o small.hdf5");
    CN_CLI_FIELDS(&cli, 3, "solve small.hdf5 --solver nsgs --max-iter 1 --tol 1e-12 --json",
                  CN_TEXT("outcome", "limit"), CN_NEAR("iterations", 1, 0));
    cn_cli_leave(&cli);
}

CN_TEST(solver_of_the_other_kind_is_unsupported) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, CN_SMALL "-o small.hdf5");
    CN_CLI_FIELDS(&cli, 3, "solve small.hdf5 --solver psor --json",
                  CN_TEXT("outcome", "unsupported"));
    cn_cli_leave(&cli);
}

// In 2D a facetted cone is exact; in 3D its own problem is solved and the friction problem is not.
CN_TEST(formulations_are_solved_and_graded_by_the_round_cone) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "generate friction -q --dim 2 --contacts 6 -o flat.hdf5");
    CN_CLI_FIELDS(&cli, 0, "solve flat.hdf5 --formulation outer --solver lemke --json",
                  CN_TEXT("formulated_outcome", "solved"), CN_TEXT("outcome", "solved"));
    CN_CLI_EXPECT(&cli, 0, "solve flat.hdf5 --formulation mixed --json");
    CN_CLI_EXPECT(&cli, 0, CN_SMALL "-o small.hdf5");
    CN_CLI_FIELDS(&cli, 3, "solve small.hdf5 --formulation inner --facets 6 --json",
                  CN_TEXT("formulated_outcome", "solved"), CN_TEXT("outcome", "stalled"),
                  CN_TEXT("formulation", "inner"));
    CN_CLI_EXPECT(&cli, 2, "solve small.hdf5 --formulation iner");
    CN_CHECK_HOLDS(cli.err, "did you mean 'inner'?");
    CN_CLI_EXPECT(&cli, 2, "solve small.hdf5 --formulation inner --solver psor");
    CN_CLI_EXPECT(&cli, 2, "solve small.hdf5 --formulation inner --facets 1");
    cn_cli_leave(&cli);
}

CN_TEST(formulations_are_written_as_lcps) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "generate friction -q --dim 2 --contacts 6 -o flat.hdf5");
    CN_CLI_EXPECT(&cli, 0, "convert flat.hdf5 flat.dat --formulation inner");
    CN_CLI_EXPECT(&cli, 0, "solve flat.dat --solver lemke");
    CN_CLI_EXPECT(&cli, 2, "convert flat.hdf5 flat.dat --formulation outer");
    CN_CLI_EXPECT(&cli, 4, "convert flat.dat again.dat --formulation inner");
    cn_cli_leave(&cli);
}

CN_TEST(all_runs_every_solver_of_the_table) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "generate friction -q --contacts 3 --deficiency 0 -o s.hdf5");
    int code = cn_cli_run(&cli, "solve s.hdf5 --solver all --tol 1e-4 --json");
    CN_CHECK_TRUE(code == 0 || code == 3);
    int fit = 0;
    for (int32_t i = 0; i < cn_friction_solver_count(); i++) {
        fit += (cn_friction_solver_at(i)->info.accepts & CN_SOLVES_3D) != 0;
    }
    assert_int_equal(cn_count_lines(cli.out), fit);
    cn_cli_leave(&cli);
}

CN_TEST(settings_reach_the_solver) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "generate friction -q --contacts 60 --seed 3 -o s.hdf5");
    double sweeps[3];
    static const char *const settings[] = {"--set nsgs.anderson=5", "--set nsgs.anderson=0",
                                           "--set solver.anderson=0"};
    for (int i = 0; i < 3; i++) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "solve s.hdf5 --solver nsgs --tol 1e-6 -j %s",
                 settings[i]);
        CN_CHECK_TRUE(cn_cli_run(&cli, arguments) != 2);
        cJSON *json = cn_cli_json(&cli, 0);
        sweeps[i] = io_json_number(json, "iterations");
        cJSON_Delete(json);
    }
    CN_CHECK_TRUE(sweeps[0] < sweeps[1]);
    CN_CHECK_NEAR(sweeps[2], sweeps[1], 0);
    cn_cli_leave(&cli);
}

CN_TEST(both_operators_give_the_same_answer) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, CN_SMALL "-o small.hdf5");
    CN_CLI_EXPECT(&cli, 0, "solve small.hdf5 --operator assembled --tol 1e-10 -q -o a.hdf5");
    CN_CLI_EXPECT(&cli, 0, "solve small.hdf5 --operator body --tol 1e-10 -q -o b.hdf5");
    cn_problem *a = NULL, *b = NULL;
    assert_int_equal(cn_problem_read(NULL, "a.hdf5", &a, NULL), CN_OK);
    assert_int_equal(cn_problem_read(NULL, "b.hdf5", &b, NULL), CN_OK);
    for (int i = 0; i < 36; i++) {
        CN_CHECK_NEAR(a->u[i], b->u[i], 1e-7); // velocities are unique, impulses need not be
    }
    cn_problem_destroy(a);
    cn_problem_destroy(b);
    cn_cli_leave(&cli);
}

CN_TEST(warm_start_begins_at_the_stored_guess) {
    cn_cli cli = cn_cli_enter();
    cn_planted_opts opts = cn_planted_opts_default();
    opts.contacts = 30;
    cn_problem *problem = NULL;
    assert_int_equal(cn_planted_friction(NULL, &opts, &problem, NULL), CN_OK);
    problem->guess = problem->r;
    problem->r = problem->u = problem->v = NULL;
    assert_int_equal(cn_problem_write(problem, "g.hdf5", CN_FILE_FCLIB, NULL), CN_OK);
    cn_problem_destroy(problem);
    double iterations[2];
    for (int warm = 0; warm < 2; warm++) {
        CN_CLI_EXPECT(&cli, 0,
                      warm ? "solve g.hdf5 --solver nsgs --tol 1e-6 -j --warm"
                           : "solve g.hdf5 --solver nsgs --tol 1e-6 -j");
        cJSON *json = cn_cli_json(&cli, 0);
        iterations[warm] = io_json_number(json, "iterations");
        cJSON_Delete(json);
    }
    CN_CHECK_TRUE(iterations[0] > 1);
    CN_CHECK_BELOW(iterations[1], 1);
    cn_cli_leave(&cli);
}

// ---- files in, files out ----

CN_TEST(one_bad_file_does_not_stop_the_others) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, CN_SMALL "-o a.hdf5");
    CN_CLI_EXPECT(&cli, 0, CN_SMALL "--dim 2 -o c.hdf5");
    io_file_write("b.hdf5", "\1\2\3", 3);
    CN_CLI_EXPECT(&cli, 4, "solve a.hdf5 b.hdf5 c.hdf5 --tol 1e-6 --json -o out");
    assert_int_equal(cn_count_lines(cli.out), 3); // the second says what is wrong with the file
    cJSON *json = cn_cli_json(&cli, 1);
    CN_CHECK_TRUE(cJSON_HasObjectItem(json, "error"));
    cJSON_Delete(json);
    assert_int_equal(cn_count_lines(cli.err), 1);
    CN_CHECK_HOLDS(cli.err, "b.hdf5");
    CN_CHECK_TRUE(access("out/a.hdf5", R_OK) == 0 && access("out/c.hdf5", R_OK) == 0);
    cn_cli_leave(&cli);
}

// V22: what was written, read again and checked again, has the same residuals to the last bit.
static void cn_check_round_trip(cn_cli *cli, const char *generate) {
    static const char *const keys[] = {"residual", "residual_q", "residual_max"};
    CN_CLI_EXPECT(cli, 0, generate);
    CN_CLI_EXPECT(cli, 0, "solve p.hdf5 --tol 1e-8 --json -o s.hdf5");
    cJSON *solved = cn_cli_json(cli, 0);
    CN_CLI_EXPECT(cli, 0, "check s.hdf5 --json");
    cJSON *checked = cn_cli_json(cli, 0);
    for (int i = 0; i < 3; i++) {
        CN_CHECK_NEAR(io_json_number(checked, keys[i]), io_json_number(solved, keys[i]), 0);
    }
    CN_CHECK_BELOW(io_json_number(checked, "velocity_mismatch"), 1e-13);
    CN_CHECK_TRUE(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(checked, "within")));
    cJSON_Delete(solved);
    cJSON_Delete(checked);
}

CN_TEST(stored_solution_checks_to_the_same_residuals) {
    cn_cli cli = cn_cli_enter();
    cn_check_round_trip(&cli, CN_SMALL "-o p.hdf5");
    cn_check_round_trip(&cli, CN_SMALL "--local -o p.hdf5");
    cn_check_round_trip(&cli, CN_SMALL "--dim 2 -o p.hdf5");
    cn_cli_leave(&cli);
}

CN_TEST(check_reports_and_judges) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, CN_SMALL "-o p.hdf5");
    CN_CLI_EXPECT(&cli, 0, "check p.hdf5");
    cn_check_golden(cli.out, "check");
    CN_CLI_EXPECT(&cli, 3, "check p.hdf5 --tol 0 --measure q"); // planted to round-off, not to zero
    CN_CHECK_HOLDS(cli.out, "NOT within tolerance (q residual");
    io_file_write("bare.dat", cn_good_dat, strlen(cn_good_dat));
    CN_CLI_EXPECT(&cli, 4, "check bare.dat");
    CN_CHECK_HOLDS(cli.err, "bare.dat: no solution is stored");
    cn_cli_leave(&cli);
}

// No impulse at all: every contact that presses falls through, and slides fast enough for the
// natural map at mu = 1e6 to see no more than 1e-6 of it.
CN_TEST(check_sees_free_fall_at_large_friction) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, CN_SMALL "--local -o p.hdf5");
    cn_problem *problem = NULL;
    assert_int_equal(cn_problem_read(NULL, "p.hdf5", &problem, NULL), CN_OK);
    for (int32_t a = 0; a < problem->friction.contacts; a++) {
        double *q = problem->friction.q + 3 * a, *r = problem->r + 3 * a, *u = problem->u + 3 * a;
        problem->friction.mu[a] = 1e6;
        q[0] = -fabs(q[0]) - 0.1;
        q[1] = 0.5;
        memset(r, 0, 3 * sizeof *r);
        memcpy(u, q, 3 * sizeof *u);
    }
    assert_int_equal(cn_problem_write(problem, "forged.hdf5", CN_FILE_FCLIB, NULL), CN_OK);
    cn_problem_destroy(problem);
    CN_CLI_EXPECT(&cli, 3, "check forged.hdf5 --tol 1e-4 --json");
    cJSON *json = cn_cli_json(&cli, 0);
    static const char *const keys[] = {"residual", "residual_q", "residual_max"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        CN_CHECK_BELOW(0.1, io_json_number(json, keys[i]));
    }
    cJSON_Delete(json);
    cn_cli_leave(&cli);
}

CN_TEST(info_tells_what_is_in_a_file) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, CN_SMALL "--friction 0.5 -o p.hdf5");
    CN_CLI_EXPECT(&cli, 0, "info p.hdf5");
    cn_check_golden(cli.out, "info");
    CN_CLI_EXPECT(&cli, 0, CN_SMALL "--friction 0.5 --local -o q.hdf5");
    CN_CLI_EXPECT(&cli, 0, "info p.hdf5 q.hdf5 --json");
    cJSON *global = cn_cli_json(&cli, 0), *local = cn_cli_json(&cli, 1);
    assert_string_equal(cn_json_string(global, "kind"), "friction-global");
    assert_string_equal(cn_json_string(local, "kind"), "friction");
    static const char *const same[] = {"contacts", "entries", "islands", "pressing", "mu_max"};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        CN_CHECK_NEAR(io_json_number(local, same[i]), io_json_number(global, same[i]), 0);
    }
    CN_CHECK_NEAR(io_json_number(local, "mu_min"), 0.5, 0);
    CN_CHECK_BELOW(io_json_number(local, "asymmetry"), 1e-14);
    CN_CHECK_TRUE(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(local, "solution")));
    cJSON_Delete(global);
    cJSON_Delete(local);
    cn_cli_leave(&cli);
}

CN_TEST(info_escapes_bytes_that_are_not_text) {
    cn_cli cli = cn_cli_enter();
    cn_planted_opts opts = cn_planted_opts_default();
    opts.contacts = 3;
    cn_problem *problem = NULL;
    assert_int_equal(cn_planted_friction(NULL, &opts, &problem, NULL), CN_OK);
    problem->title = "caf\xC3\xA9 \xA8 \"quoted\" \033[31m";
    assert_int_equal(cn_problem_write(problem, "t.hdf5", CN_FILE_FCLIB, NULL), CN_OK);
    cn_problem_destroy(problem);
    CN_CLI_EXPECT(&cli, 0, "info t.hdf5");
    CN_CHECK_HOLDS(cli.out, "caf\xC3\xA9 \\xA8 \"quoted\" \\x1B[31m");
    CN_CLI_FIELDS(&cli, 0, "info t.hdf5 --json",
                  CN_TEXT("title", "caf\xC3\xA9 \\xA8 \"quoted\" \033[31m"));
    cn_cli_leave(&cli);
}

CN_TEST(generate_is_reproducible_and_solved) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "generate friction --contacts 12 --seed 3 -o a.dat");
    cn_check_golden(cli.out, "generate");
    CN_CLI_EXPECT(&cli, 0, CN_SMALL "-o b.dat");
    CN_CLI_EXPECT(&cli, 0, "generate friction -q --contacts 12 --seed 4 -o c.dat");
    char *a = cn_file_text("a.dat"), *b = cn_file_text("b.dat"), *c = cn_file_text("c.dat");
    assert_string_equal(a, b);
    CN_CHECK_TRUE(strcmp(a, c) != 0);
    free(a);
    free(b);
    free(c);
    cn_cli_leave(&cli);
}

CN_TEST(convert_keeps_the_problem) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, CN_SMALL "--local -o a.hdf5");
    CN_CLI_EXPECT(&cli, 0, "convert a.hdf5 b.dat");
    CN_CLI_EXPECT(&cli, 0, "convert b.dat c.hdf5");
    cn_problem *a = NULL, *c = NULL;
    assert_int_equal(cn_problem_read(NULL, "a.hdf5", &a, NULL), CN_OK);
    assert_int_equal(cn_problem_read(NULL, "c.hdf5", &c, NULL), CN_OK);
    int64_t blocks = a->friction.W.assembled.start[12];
    assert_int_equal(c->friction.W.assembled.start[12], blocks);
    for (int64_t i = 0; i < 9 * blocks; i++) {
        CN_CHECK_NEAR(c->friction.W.assembled.value[i], a->friction.W.assembled.value[i], 0);
    }
    cn_problem_destroy(a);
    cn_problem_destroy(c);
    cn_cli_leave(&cli);
}

CN_TEST(output_that_cannot_be_written_is_exit_1) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, CN_SMALL "-o a.hdf5");
    CN_CLI_EXPECT(&cli, 1, "solve a.hdf5 --tol 1e-4 -q -o no/such/folder/b.hdf5");
    assert_int_equal(cn_count_lines(cli.err), 1);
    CN_CLI_EXPECT(&cli, 1, CN_SMALL "-o no/such/folder/b.hdf5");
    assert_int_equal(cn_count_lines(cli.err), 1);
    cn_cli_leave(&cli);
}

// ---- input that is no problem ----

static void cn_check_refused_by(cn_cli *cli, const char *command, const char *path) {
    char arguments[256];
    snprintf(arguments, sizeof arguments, "%s %s --json", command, path);
    CN_CLI_EXPECT(cli, 4, arguments);
    cJSON *json = cn_cli_json(cli, 0);
    CN_CHECK_TRUE(cJSON_HasObjectItem(json, "error") && cn_count_lines(cli->out) == 1);
    cJSON_Delete(json);
    // the file, what is wrong, and under it at most the place
    CN_CHECK_TRUE(strncmp(cli->err, path, strlen(path)) == 0);
    CN_CHECK_TRUE(cn_count_lines(cli->err) == 1 || cn_count_lines(cli->err) == 3);
}

static void cn_check_refused(cn_cli *cli, const char *path) {
    cn_check_refused_by(cli, "solve", path);
}

CN_TEST(every_command_refuses_what_is_no_problem) {
    cn_cli cli = cn_cli_enter();
    io_file_write("word.dat", "hello\n", 6);
    cn_check_refused_by(&cli, "solve", "word.dat");
    cn_check_refused_by(&cli, "check", "word.dat");
    cn_check_refused_by(&cli, "info", "word.dat");
    CN_CLI_EXPECT(&cli, 4, "convert word.dat out.hdf5");
    CN_CHECK_TRUE(access("out.hdf5", F_OK) != 0);
    cn_cli_leave(&cli);
}

CN_TEST(random_bytes_are_refused) {
    cn_cli cli = cn_cli_enter();
    unsigned char bytes[4096];
    uint32_t noise = 12345;
    for (size_t i = 0; i < sizeof bytes; i++) {
        noise = noise * 1664525u + 1013904223u;
        bytes[i] = (unsigned char)(noise >> 24);
    }
    io_file_write("random.hdf5", bytes, sizeof bytes);
    cn_check_refused(&cli, "random.hdf5");
    io_file_write("empty.hdf5", "", 0);
    cn_check_refused(&cli, "empty.hdf5");
    io_file_write("empty.dat", "", 0);
    cn_check_refused(&cli, "empty.dat");
    cn_cli_leave(&cli);
}

CN_TEST(truncated_hdf5_is_refused) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, CN_SMALL "-o whole.hdf5");
    FILE *whole = fopen("whole.hdf5", "rb");
    char bytes[1 << 16];
    size_t size = fread(bytes, 1, sizeof bytes, whole);
    fclose(whole);
    for (size_t part = 1; part < 16; part += 3) {
        io_file_write("cut.hdf5", bytes, size * part / 16);
        cn_check_refused(&cli, "cut.hdf5");
    }
    cn_cli_leave(&cli);
}

CN_TEST(invalid_numbers_are_refused_with_their_place) {
    cn_cli cli = cn_cli_enter();
    io_file_write("good.dat", cn_good_dat, strlen(cn_good_dat));
    CN_CLI_EXPECT(&cli, 0, "solve good.dat --json");
    static const char *const bad[] = {
        "3\n1\n0 3 3\n3 3\n1 0 0 0 1 0 0 0 1\n-1 0.1 0\n-0.5\n",  // negative mu
        "3\n1\n0 3 3\n3 3\n1 0 0 0 nan 0 0 0 1\n-1 0.1 0\n0.5\n", // NaN in W
        "3\n1\n0 4 4\n3 3\n1 0 0 0 1 0 0 0 1\n-1 0.1 0\n0.5\n",   // sizes that disagree
        "3\n2\n0 3 3\n3 3\n1 0 0 0 1 0 0 0 1\n-1 0.1 0\n0.5\n",   // too few numbers
        "3\n1\n0 3 3\n3 3\n1 0 0 0 1 0 0 0 1\n-1 0.1 x\n0.5\n",   // a word
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        io_file_write("bad.dat", bad[i], strlen(bad[i]));
        cn_check_refused(&cli, "bad.dat");
    }
    io_file_write("bad.dat", bad[4], strlen(bad[4]));
    CN_CLI_EXPECT(&cli, 4, "solve bad.dat");
    CN_CHECK_HOLDS(cli.err, "bad.dat:6:8: ");
    CN_CHECK_HOLDS(cli.err, "\n  -1 0.1 x\n         ^\n");
    cn_cli_leave(&cli);
}

CN_TEST(missing_files_and_folders_are_refused) {
    cn_cli cli = cn_cli_enter();
    cn_check_refused(&cli, "missing.hdf5");
    CN_CHECK_TRUE(system("mkdir folder") == 0);
    cn_check_refused(&cli, "folder");
    cn_cli_leave(&cli);
}

// ---- interruption and terminals ----

CN_TEST(interrupt_ends_with_130_and_keeps_the_iterate) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "generate friction -q --contacts 400 -o a.hdf5");
    char *const argv[] = {"cairn", "solve",  "a.hdf5",     "--solver",   "nsgs",
                          "--tol", "1e-300", "--max-iter", "2000000000", "-q",
                          "-o",    "b.hdf5", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, "errors", O_WRONLY | O_CREAT, 0600);
    pid_t child;
    assert_int_equal(posix_spawn(&child, CAIRN_COMMAND, &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    CN_CHECK_TRUE(cn_wait_until_busy(child, 0.4)); // reading takes a small part of that
    kill(child, SIGINT);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    CN_CHECK_TRUE(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
    char *errors = cn_file_text("errors");
    CN_CHECK_HOLDS(errors, "cairn: interrupted");
    free(errors);
    cn_problem *problem = NULL;
    assert_int_equal(cn_problem_read(NULL, "b.hdf5", &problem, NULL), CN_OK);
    CN_CHECK_TRUE(problem->r != NULL);
    cn_problem_destroy(problem);
    cn_cli_leave(&cli);
}

// The command with stdout and stderr on a pseudo-terminal; what it wrote there. With words to wait
// for, it goes on until they are there and is then interrupted.
static char *cn_on_terminal(const char *arguments, const char *until) {
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    CN_CHECK_TRUE(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    char line[4096];
    snprintf(line, sizeof line, "exec '%s' %s >%s 2>&1", CAIRN_COMMAND, arguments,
             ptsname(terminal));
    pid_t child;
    char *const argv[] = {"sh", "-c", line, NULL};
    assert_int_equal(posix_spawn(&child, "/bin/sh", NULL, NULL, argv, environ), 0);
    size_t used = 0, size = 1 << 20;
    char *text = calloc(size, 1);
    int status = 0, waited = 0;
    bool ended = false;
    fcntl(terminal, F_SETFL, O_NONBLOCK);
    while (used + 1 < size) {
        ssize_t got = read(terminal, text + used, size - 1 - used);
        if (got > 0) {
            used += (size_t)got;
        } else if (ended) {
            break;
        } else {
            if (until && strstr(text, until)) {
                kill(child, SIGINT);
                until = NULL;
            } else if (++waited == 60000) { // a test fails rather than hang
                kill(child, SIGKILL);
            }
            ended = waitpid(child, &status, WNOHANG) == child;
            usleep(1000);
        }
    }
    close(terminal);
    return text;
}

CN_TEST(progress_and_colour_only_on_a_terminal) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "generate friction -q --contacts 400 -o a.hdf5");
#define CN_ENDLESS "solve a.hdf5 --solver nsgs --tol 1e-300 --max-iter 2000000000 "
    setenv("TERM", "xterm", 1);
    for (int plain = 0; plain < 2; plain++) {
        if (plain) {
            setenv("NO_COLOR", "1", 1);
        } else {
            unsetenv("NO_COLOR");
        }
        char *text = cn_on_terminal(CN_ENDLESS, "ETA");
        CN_CHECK_HOLDS(text, "residual");
        CN_CHECK_HOLDS(text, "ETA");
        free(text);
        text = cn_on_terminal(CN_ENDLESS "--time-limit 1e-9", NULL);
        CN_CHECK_HOLDS(text, plain ? " time " : "\033[31mtime\033[0m");
        CN_CHECK_TRUE(!plain || !strstr(text, "\033[31m"));
        free(text);
    }
    unsetenv("NO_COLOR");
    CN_CLI_EXPECT(&cli, 3, CN_ENDLESS "--time-limit 0.25"); // long enough for progress to be due
    assert_string_equal(cli.err, "");
    CN_CHECK_TRUE(!strchr(cli.out, '\033'));
    cn_cli_leave(&cli);
}

// ---- tables, demo, bench ----

CN_TEST(solvers_lists_the_tables) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "solvers --json");
    cJSON *json = cn_cli_json(&cli, 0);
    const cJSON *friction = cJSON_GetObjectItemCaseSensitive(json, "friction");
    assert_int_equal(cJSON_GetArraySize(friction), cn_friction_solver_count());
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(json, "lcp")),
                     cn_lcp_solver_count());
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(json, "mcp")),
                     cn_mcp_solver_count());
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(json, "formulations")),
                     cn_formulation_count());
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(json, "local")),
                     cn_local_solver_count());
    for (int32_t i = 0; i < cn_friction_solver_count(); i++) {
        const cn_solver_info *info = &cn_friction_solver_at(i)->info;
        const cJSON *row = cJSON_GetArrayItem(friction, i);
        assert_string_equal(cn_json_string(row, "name"), info->name);
        assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(row, "params")),
                         info->param_count);
    }
    cJSON_Delete(json);
    CN_CLI_EXPECT(&cli, 0, "solvers");
    CN_CHECK_HOLDS(cli.out, "  nsgs ");
    CN_CLI_EXPECT(&cli, 0, "solvers nsgs");
    CN_CHECK_HOLDS(cli.out, "--set nsgs.anderson=5");
    CN_CHECK_HOLDS(cli.out, "  weak ");
    cn_cli_leave(&cli);
}

CN_TEST(demo_of_the_solvers_writes_its_files) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "demo solvers --contacts 12");
    CN_CHECK_HOLDS(cli.out, "auto");
    CN_CHECK_HOLDS(cli.out, "Try next");
    char *picture = cn_file_text("demo/convergence.svg");
    CN_CHECK_HOLDS(picture, "<svg xmlns");
    CN_CHECK_HOLDS(picture, "</svg>");
    CN_CHECK_TRUE(!strstr(picture, "nan") && !strstr(picture, "inf"));
    free(picture);
    char *numbers = cn_file_text("demo/convergence.csv");
    CN_CHECK_HOLDS(numbers, "solver,iteration,residual\n");
    free(numbers);
    CN_CLI_EXPECT(&cli, 0, "check demo/problem.hdf5 demo/solution.hdf5 --tol 1e-8");
    cn_cli_leave(&cli);
}

CN_TEST(bench_measures_a_named_file) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, CN_SMALL "-o a.hdf5");
    CN_CLI_EXPECT(&cli, 0, "bench nsgs a.hdf5 --repeats 1 --json");
    cJSON *row = cn_cli_json(&cli, 0), *summary = cn_cli_json(&cli, 1);
    const cJSON *ns = cJSON_GetObjectItemCaseSensitive(row, "ns_per_contact_sweep");
    CN_CHECK_TRUE(cJSON_HasObjectItem(ns, "plain") && cJSON_HasObjectItem(ns, "siconos"));
    CN_CHECK_TRUE(cJSON_HasObjectItem(summary, "plain_over_siconos"));
    cJSON_Delete(row);
    cJSON_Delete(summary);
    CN_CLI_EXPECT(&cli, 0, "bench --list");
    CN_CHECK_HOLDS(cli.out, "nsgs");
    cn_cli_leave(&cli);
}
