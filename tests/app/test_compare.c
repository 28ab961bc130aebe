// The commands that compare: benchmarks against peers, performance profiles.
#include "cli.h"
#include "world.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>

extern char **environ;

#define CN_SMALL "generate friction -q --contacts 12 --seed 3 "

// ---- bench siconos ----

// A peer of three settings: one is slow, one fast, one faster still with a wrong answer.
static void cn_write_peer(const char *folder) {
    static const char script[] =
        "#!/bin/sh\n"
        "case \"$1 $2\" in\n"
        "--list*) echo slow; echo fast; echo wrong;;\n"
        "*slow) echo '{\"iterations\":7,\"residual_max\":1e-9,\"cpu_s\":4.0}';;\n"
        "*fast) echo '{\"iterations\":5,\"residual_max\":1e-9,\"cpu_s\":2.0}';;\n"
        "*wrong) echo '{\"iterations\":1,\"residual_max\":1e-3,\"cpu_s\":1.0}';;\n"
        "esac\n";
    char path[128];
    CN_CHECK_TRUE(mkdir(folder, 0777) == 0);
    snprintf(path, sizeof path, "%s/siconos_solve", folder);
    io_file_write(path, script, sizeof script - 1);
    CN_CHECK_TRUE(chmod(path, 0777) == 0);
}

CN_TEST(bench_takes_the_fastest_setting_that_solves) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, CN_SMALL "-o a.hdf5");
    cn_write_peer("peers");
    CN_CHECK_TRUE(setenv("CAIRN_PEERS", "peers", 1) == 0 && unsetenv("CAIRN_CORPUS") == 0);
    CN_CLI_EXPECT(&cli, 0, "bench siconos a.hdf5 --repeats 1 --json");
    for (int32_t k = 0; k < 2; k++) {
        cJSON *row = cn_cli_json(&cli, k), *summary = cn_cli_json(&cli, 2 + k);
        const char *setting = cn_json_string(row, "setting");
        assert_string_equal(setting, "fast");
        CN_CHECK_NEAR(io_json_number(row, "siconos_s"), 2.0, 0.0);
        CN_CHECK_TRUE(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(row, "auto_solved")));
        CN_CHECK_NEAR(io_json_number(row, "ratio"), io_json_number(row, "auto_s") / 2.0, 1e-12);
        CN_CHECK_NEAR(io_json_number(summary, "auto_over_siconos"), io_json_number(row, "ratio"),
                      1e-9);
        cJSON_Delete(row);
        cJSON_Delete(summary);
    }
    cn_cli_leave(&cli);
}

CN_TEST(bench_lists_what_the_peer_does_not_solve) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, CN_SMALL "-o a.hdf5");
    cn_write_peer("peers");
    CN_CHECK_TRUE(setenv("CAIRN_PEERS", "peers", 1) == 0 && setenv("CAIRN_CORPUS", ".", 1) == 0);
    static const char hints[] = "problem,dim,best4,best8\nb,3,slow,slow\na,3,slow,NONE\n";
    io_file_write("siconos.csv", hints, sizeof hints - 1);
    CN_CLI_EXPECT(&cli, 0, "bench siconos a.hdf5 --repeats 1");
    CN_CHECK_HOLDS(cli.out, "slow");
    CN_CHECK_HOLDS(cli.out, "1e-08         0             -"); // problems, ratio
    CN_CHECK_HOLDS(cli.out, "a: Siconos does not solve it, auto does");
    cn_cli_leave(&cli);
}

// ---- contests with other engines ----

#define CN_CONTEST "bench settling --sizes 80 --until 0.4 --repeats 1 "

CN_TEST(bench_settling_grades_our_two_settings) {
    static const double tolerances[] = {2e-2, 1e-3};
    cn_cli cli = cn_cli_enter();
    CN_CHECK_TRUE(setenv("CAIRN_PEERS", "nowhere", 1) == 0);
    CN_CLI_EXPECT(&cli, 0, CN_CONTEST "--json --chart chart.svg");
    for (int32_t k = 0; k < 2; k++) {
        CN_LINE_FIELDS(&cli, k, CN_NEAR("missed", 0.0, 0.0),
                       CN_AT_MOST("residual_worst", tolerances[k]),
                       CN_AT_LEAST("residual_worst", 1e-12), CN_AT_MOST("overlap_worst", 0.01),
                       CN_NEAR("simulated", 0.4, 1e-9));
    }
    char *chart = cn_file_text("chart.svg");
    CN_CHECK_HOLDS(chart, "Cairn, accurate");
    CN_CHECK_HOLDS(chart, "</svg>");
    free(chart);
    cn_cli_leave(&cli);
}

// A peer that says what it was given and then breaks down: the rest of the table stands.
CN_TEST(bench_settling_goes_on_when_a_peer_breaks_down) {
    static const char script[] = "#!/bin/sh\ncp \"$1\" scene.txt\nexit 1\n";
    cn_cli cli = cn_cli_enter();
    CN_CHECK_TRUE(mkdir("peers", 0777) == 0);
    io_file_write("peers/ode_run", script, sizeof script - 1);
    CN_CHECK_TRUE(chmod("peers/ode_run", 0777) == 0);
    CN_CHECK_TRUE(setenv("CAIRN_PEERS", "peers", 1) == 0);
    CN_CLI_EXPECT(&cli, 0, CN_CONTEST);
    CN_CHECK_HOLDS(cli.out, "ODE: ended without an answer from 1 of 1 starts");
    CN_CHECK_HOLDS(cli.out, "Cairn, real time");
    char *scene = cn_file_text("scene.txt");
    CN_CHECK_HOLDS(scene, "step 0.02");
    CN_CHECK_HOLDS(scene, "bodies 81");
    CN_CHECK_HOLDS(scene, "sphere 1");
    free(scene);
    cn_cli_leave(&cli);
}

// The impulses that a peer tells are those that moved its bodies, so that grading them means
// something; and its start is ours: nothing overlaps before the spheres have fallen.
CN_TEST(peers_tell_the_impulses_that_moved_their_bodies) {
    cn_cli cli = cn_cli_enter();
    CN_CHECK_TRUE(unsetenv("CAIRN_PEERS") == 0);
    CN_CLI_EXPECT(&cli, 0, CN_CONTEST "--json");
    int32_t rows = 0;
    for (const char *at = cli.out; (at = strstr(at, "\n")); at++) {
        rows++;
    }
    if (rows < 3) {
        cn_cli_leave(&cli);
        CN_SKIP("no peer is built");
    }
    for (int32_t k = 2; k < rows; k++) {
        CN_LINE_FIELDS(&cli, k, CN_AT_MOST("momentum", 1e-3), CN_AT_MOST("overlap_worst", 0.2),
                       CN_AT_LEAST("residual_worst", 1e-12));
    }
    cn_cli_leave(&cli);
}

// Blocks and wedges reach every engine as they are: their frames and hulls fit so well that hardly
// anything overlaps or moves in the first steps.
CN_TEST(peers_are_given_the_blocks_where_they_stand) {
    cn_cli cli = cn_cli_enter();
    CN_CHECK_TRUE(unsetenv("CAIRN_PEERS") == 0);
    CN_CLI_EXPECT(&cli, 0, "bench masonry --sizes arch,tower --until 0.02 --repeats 1 --json");
    int32_t rows = 0;
    for (const char *at = cli.out; (at = strstr(at, "\n")); at++) {
        rows++;
    }
    for (int32_t k = 0; k < rows; k++) {
        cJSON *row = cn_cli_json(&cli, k);
        CN_CHECK_BELOW(io_json_number(row, "overlap_worst"), 1e-2);
        CN_CHECK_BELOW(io_json_number(row, "moved"), 4e-3); // twice what a free fall would be
        cJSON_Delete(row);
    }
    cn_cli_leave(&cli);
}

CN_TEST(bench_realtime_tells_residuals_of_limited_steps) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "bench realtime --sizes spheres --until 0.25 --json");
    for (int32_t k = 0; k < 3; k++) {
        cJSON *row = cn_cli_json(&cli, k);
        CN_CHECK_NEAR(io_json_number(row, "steps"), 15.0, 0.0);
        CN_CHECK_TRUE(io_json_number(row, "residual_worst") >=
                      io_json_number(row, "residual_median"));
        CN_CHECK_TRUE(io_json_number(row, "in_time") >= 0.0 &&
                      io_json_number(row, "in_time") <= 1.0);
        cJSON_Delete(row);
    }
    cn_cli_leave(&cli);
}

CN_TEST(bench_recording_compares_runs_with_and_without_evidence) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "bench recording --sizes arch,dominoes --until 0.2 --repeats 1 --json");
    for (int32_t k = 0; k < 2; k++) {
        cJSON *row = cn_cli_json(&cli, k);
        CN_CHECK_TRUE(io_json_number(row, "run_s") > 0.0 && io_json_number(row, "check_s") > 0.0);
        // A file has whole pages, of which few frames may fill no more with their evidence.
        CN_CHECK_TRUE(io_json_number(row, "growth") >= 0.0);
        CN_CHECK_TRUE(io_json_number(row, "check_memory_bytes") > 1e6);
        cJSON_Delete(row);
    }
    cn_cli_leave(&cli);
}

// The pile has not come to rest so soon, but all its steps are looked at.
CN_TEST(bench_warm_counts_the_sweeps_of_steps_that_are_solved) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "bench warm --sizes 80 --until 0.4 --json");
    cJSON *row = cn_cli_json(&cli, 0);
    CN_CHECK_TRUE(io_json_number(row, "most_sweeps") >= io_json_number(row, "sweeps"));
    CN_CHECK_BELOW(0.0, io_json_number(row, "sweeps"));
    CN_CHECK_BELOW(io_json_number(row, "residual"), 1e-4);
    cJSON_Delete(row);
    cn_cli_leave(&cli);
}

// A heap in motion, then gravity on what it has become, from nothing.
CN_TEST(bench_cold_solves_both_of_its_problems) {
    cn_cli cli = cn_cli_enter();
    const char *const problem[] = {"moving", "packing"};
    CN_CLI_EXPECT(&cli, 0, "bench cold --sizes 1000 --repeats 1 --json");
    for (int32_t i = 0; i < 2; i++) {
        cJSON *row = cn_cli_json(&cli, i);
        assert_string_equal(cn_json_string(row, "problem"), problem[i]);
        assert_string_equal(cn_json_string(row, "outcome"), "solved");
        CN_CHECK_BELOW(io_json_number(row, "residual"), 1e-3);
        CN_CHECK_BELOW(3000.0, io_json_number(row, "contacts")); // three a sphere are closed
        cJSON_Delete(row);
    }
    cn_cli_leave(&cli);
}

// A step or two are enough to see that the bodies fit into their boxes.
CN_TEST(bench_scale_runs_what_is_named) {
    cn_cli cli = cn_cli_enter();
    CN_CHECK_TRUE(setenv("CAIRN_PEERS", "nowhere", 1) == 0);
    CN_CLI_EXPECT(&cli, 0,
                  "bench scale --sizes polyhedra-100,spheres-10000,wall-105 --until 0.02 --json");
    for (int32_t k = 0; k < 3; k++) {
        CN_LINE_FIELDS(&cli, k, CN_NEAR("missed", 0.0, 0.0), CN_NEAR("simulated", 0.02, 1e-9));
    }
    cn_cli_leave(&cli);
}

// What is there is run all the same.
CN_TEST(bench_tells_of_a_size_that_is_not_there) {
    cn_cli cli = cn_cli_enter();
    CN_CHECK_TRUE(setenv("CAIRN_PEERS", "nowhere", 1) == 0);
    CN_CLI_EXPECT(&cli, 2, "bench scale --sizes wall-105,wall-9999 --until 0.02 --json");
    CN_CHECK_HOLDS(cli.err, "'wall-9999'");
    CN_CHECK_HOLDS(cli.out, "wall of 105 blocks");
    cn_cli_leave(&cli);
}

CN_TEST(bench_threads_finds_the_same_state) {
    CN_LONG_RUN();
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "bench threads --sizes wall-2020 --repeats 1 --json");
    for (int32_t k = 0; k < 3; k++) {
        CN_LINE_FIELDS(&cli, k, CN_IS_TRUE("same_state"), CN_AT_LEAST("contacts", 1000));
    }
    cn_cli_leave(&cli);
}

// ---- profile ----

// Three problems; the folder is left with them.
static void cn_make_problems(cn_cli *cli) {
    CN_CLI_EXPECT(cli, 0, "generate friction -q --contacts 12 --seed 3 -o a.hdf5");
    CN_CLI_EXPECT(cli, 0, "generate friction -q --dim 2 --contacts 20 --seed 4 -o b.hdf5");
    CN_CLI_EXPECT(cli, 0, "generate lcp -q --contacts 10 -o c.dat");
}

CN_TEST(profile_by_iterations_is_the_definition_of_dolan_and_more) {
    cn_cli cli = cn_cli_enter();
    cn_make_problems(&cli);
    CN_CLI_EXPECT(&cli, 0,
                  "profile a.hdf5 b.hdf5 --solvers nsgs,nsgs:anderson=0 --cost iterations --json");
    assert_int_equal(cn_count_lines(cli.out), 6);
    double iterations[2][2], best[2];
    for (int p = 0; p < 2; p++) {
        for (int s = 0; s < 2; s++) {
            cJSON *solve = cn_cli_json(&cli, 2 * p + s);
            assert_string_equal(cn_json_string(solve, "outcome"), "solved");
            iterations[p][s] = io_json_number(solve, "iterations");
            cJSON_Delete(solve);
        }
        best[p] = fmin(iterations[p][0], iterations[p][1]);
    }
    for (int line = 4; line < 6; line++) {
        cJSON *row = cn_cli_json(&cli, line);
        int s = strcmp(cn_json_string(row, "solver"), "nsgs") == 0 ? 0 : 1;
        double tau[2] = {iterations[0][s] / best[0], iterations[1][s] / best[1]};
        CN_CHECK_NEAR(io_json_number(row, "solved"), 2, 0);
        CN_CHECK_NEAR(io_json_number(row, "ratio_mean"), sqrt(tau[0] * tau[1]), 1e-12);
        CN_CHECK_NEAR(io_json_number(row, "ratio_worst"), fmax(tau[0], tau[1]), 1e-12);
        const cJSON *rho = cJSON_GetObjectItemCaseSensitive(row, "rho");
        CN_CHECK_NEAR(cJSON_GetArrayItem(rho, 1)->valuedouble, 1.0, 0);
        cJSON_Delete(row);
    }
    cn_cli_leave(&cli);
}

CN_TEST(profile_counts_what_is_not_solved_as_unsolved) {
    cn_cli cli = cn_cli_enter();
    cn_make_problems(&cli);
    CN_CLI_EXPECT(&cli, 0,
                  "profile a.hdf5 c.dat --solvers auto,lemke,fixed-point:step=1e-6 "
                  "--max-iter 1 --tol 1e-12 --json");
    int32_t rows = 0;
    for (int line = 6; line < cn_count_lines(cli.out); line++, rows++) {
        cJSON *row = cn_cli_json(&cli, line);
        const cJSON *tau = cJSON_GetObjectItemCaseSensitive(row, "tau");
        CN_CHECK_NEAR(io_json_number(row, "problems"), 2, 0);
        CN_CHECK_NEAR(cJSON_GetArraySize(tau), io_json_number(row, "solved"), 0);
        if (strcmp(cn_json_string(row, "solver"), "fixed-point:step=1e-6") == 0) {
            CN_CHECK_NEAR(io_json_number(row, "solved"), 0, 0);
            CN_CHECK_NEAR(io_json_number(row, "unsupported"), 1, 0);
            CN_CHECK_TRUE(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(row, "ratio_mean")));
        }
        cJSON_Delete(row);
    }
    assert_int_equal(rows, 3);
    cn_cli_leave(&cli);
}

CN_TEST(profile_writes_figures_and_tables) {
    cn_cli cli = cn_cli_enter();
    cn_make_problems(&cli);
    CN_CLI_EXPECT(&cli, 0, "profile a.hdf5 b.hdf5 --tol 1e-4,1e-8 -o p.svg");
    CN_CHECK_HOLDS(cli.out, "2 problems to 1e-4 (scaled)");
    CN_CHECK_HOLDS(cli.out, "auto");
    CN_CHECK_HOLDS(cli.out, "2/2");
    static const char *const figures[] = {"p-1e-4.svg", "p-1e-8.svg"};
    for (size_t i = 0; i < 2; i++) {
        char *figure = cn_file_text(figures[i]);
        CN_CHECK_HOLDS(figure, "share of problems solved");
        CN_CHECK_HOLDS(figure, "</svg>");
        CN_CHECK_TRUE(!strstr(figure, "nan") && !strstr(figure, "inf"));
        free(figure);
    }
    char *curves = cn_file_text("p.csv"), *solves = cn_file_text("p-solves.csv");
    CN_CHECK_HOLDS(curves, "tol,solver,tau,rho\n");
    CN_CHECK_HOLDS(solves, "\"b\",2,20,1e-08,\"auto\",solved,");
    free(curves);
    free(solves);
    cn_cli_leave(&cli);
}

CN_TEST(profile_goes_on_after_a_bad_file_and_says_what_is_wrong_with_words) {
    cn_cli cli = cn_cli_enter();
    cn_make_problems(&cli);
    CN_CLI_EXPECT(&cli, 4, "profile absent.hdf5 a.hdf5 --solvers auto");
    CN_CHECK_HOLDS(cli.err, "absent.hdf5");
    CN_CHECK_HOLDS(cli.out, "1/1");
    static const struct {
        const char *arguments, *says;
    } wrong[] = {{"profile", "no problem file given"},
                 {"profile a.hdf5 --solvers autp", "did you mean 'auto'?"},
                 {"profile a.hdf5 --solvers nsgs:andersn=1", "did you mean"},
                 {"profile a.hdf5 --solvers all", "--solvers wants names"},
                 {"profile a.hdf5 --tol=,", "--tol wants a number"},
                 {"profile a.hdf5 --cost time", "use cpu or iterations"},
                 {"profile a.hdf5 -o p.png", "ends in .svg"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CN_CLI_EXPECT(&cli, 2, wrong[i].arguments);
        CN_CHECK_HOLDS(cli.err, wrong[i].says);
    }
    cn_cli_leave(&cli);
}

CN_TEST(interrupted_profile_keeps_the_problems_measured) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, CN_SMALL "-o a.hdf5");
    // Each problem takes the whole limit of time, 0.1 s; all of them would take 40 seconds, in
    // which also a busy machine gives the 0.4 s of work that are waited for.
    enum { CN_COPIES = 400 };
    char *argv[CN_COPIES + 16] = {"cairn",        "profile",          "--solvers=fixed-point",
                                  "--tol=1e-300", "-op.svg",          "-r1",
                                  "-n2000000000", "--time-limit=0.1", "-q"};
    for (int i = 0; i < CN_COPIES; i++) {
        argv[9 + i] = "a.hdf5";
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, "errors", O_WRONLY | O_CREAT, 0600);
    pid_t child;
    assert_int_equal(posix_spawn(&child, CAIRN_COMMAND, &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    CN_CHECK_TRUE(cn_wait_until_busy(child, 0.4));
    kill(child, SIGINT);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    CN_CHECK_TRUE(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
    char *errors = cn_file_text("errors"), *solves = cn_file_text("p-solves.csv");
    CN_CHECK_HOLDS(errors, "of 400 problems were measured by all solvers");
    CN_CHECK_HOLDS(solves, "\"a\",3,12,1e-300,\"fixed-point\",time,");
    CN_CHECK_BELOW(cn_count_lines(solves), 1 + CN_COPIES - 1);
    free(errors);
    free(solves);
    cn_cli_leave(&cli);
}
