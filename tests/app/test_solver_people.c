// What those who write solvers use of the command: residuals by iteration, first guesses from files,
// arrays of other programs, solvers of their own.
#include "cli.h"

#define CN_PROBLEM "generate friction -n 30 --seed 3 -o p.hdf5"
#define CN_OWN "--plugin '" CAIRN_SOLVER_PLUGIN "' --allow-plugins "

CN_TEST(history_of_several_stages_goes_forward) {
    const char *corpus = getenv("CAIRN_CORPUS");
    if (!corpus) {
        CN_SKIP("CAIRN_CORPUS is not set");
    }
    cn_cli cli = cn_cli_enter();
    char arguments[1024];
    snprintf(arguments, sizeof arguments,
             "solve %s/compaction/pour200-e0-tol4-s0902.hdf5 --tol 1e-3 --history h.csv -q",
             corpus);
    CN_CLI_EXPECT(&cli, 0, arguments);
    FILE *file = fopen("h.csv", "r");
    CN_CHECK_TRUE(file != NULL);
    char line[512], *comma;
    double last = -1.0;
    for (int32_t row = 0; fgets(line, sizeof line, file); row++) {
        comma = strchr(line, ',');
        comma = comma ? strchr(comma + 1, ',') : NULL;
        CN_CHECK_TRUE(comma != NULL);
        double now = strtod(comma + 1, NULL);
        CN_CHECK_TRUE(row == 0 || now >= last);
        last = row == 0 ? -1.0 : now;
    }
    fclose(file);
    cn_cli_leave(&cli);
}

CN_TEST(history_is_a_table_and_a_plot) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, CN_PROBLEM);
    CN_CLI_EXPECT(&cli, 0, "solve p.hdf5 --solver fixed-point --history h.csv --json");
    cJSON *json = cn_cli_json(&cli, 0);
    int iterations = (int)io_json_number(json, "iterations");
    char *text = cn_file_text("h.csv");
    // A row an iteration, from the start to the residual that the checker found.
    assert_int_equal(cn_count_lines(text), iterations + 2);
    CN_CHECK_HOLDS(text, "problem,solver,iteration,residual,stage\n\"p\",\"fixed-point\",0,");
    char last[128], *end = strstr(text, ",\"end\"");
    while (end && end > text && end[-1] != ',') {
        end--;
    }
    snprintf(last, sizeof last, "%s", end ? end : "");
    CN_CHECK_NEAR(strtod(last, NULL), io_json_number(json, "residual"), 0);
    free(text);
    cJSON_Delete(json);
    text = cn_file_text("h.svg");
    CN_CHECK_HOLDS(text, "Residual by iteration");
    CN_CHECK_HOLDS(text, "tolerance 1e-08");
    free(text);
    CN_CLI_EXPECT(&cli, 0, "solve p.hdf5 --history only.svg -q");
    CN_CHECK_TRUE(access("only.csv", F_OK) != 0);
    CN_CLI_EXPECT(&cli, 2, "solve p.hdf5 --history h.txt");
    CN_CHECK_HOLDS(cli.err, "the file is .csv or .svg");
    cn_cli_leave(&cli);
}

CN_TEST(a_solve_starts_from_a_file) {
    static const char *const endings[] = {"npy", "mtx"};
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, CN_PROBLEM);
    for (int i = 0; i < 2; i++) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "solve p.hdf5 -q -o s.%s", endings[i]);
        CN_CLI_EXPECT(&cli, 0, arguments);
        snprintf(arguments, sizeof arguments, "solve p.hdf5 --json --start s_r.%s", endings[i]);
        CN_CLI_FIELDS(&cli, 0, arguments, CN_NEAR("iterations", 0, 0));
        snprintf(arguments, sizeof arguments, "check s.%s -q", endings[i]);
        CN_CLI_EXPECT(&cli, 0, arguments);
    }
    io_file_write("r.txt", "1 2 3\n", 6);
    CN_CLI_EXPECT(&cli, 4, "solve p.hdf5 --start r.txt");
    CN_CHECK_HOLDS(cli.err, "r.txt: 3 numbers where the problem p has 90 unknowns; ");
    CN_CLI_EXPECT(&cli, 4, "solve p.hdf5 --start none.npy");
    cn_cli_leave(&cli);
}

// The same answer from the same arrays in whatever file.
CN_TEST(arrays_solve_as_the_file_they_come_from) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "generate friction -n 30 --local -o p.hdf5");
    CN_CLI_EXPECT(&cli, 0, "convert p.hdf5 p.mtx");
    CN_CLI_EXPECT(&cli, 0, "convert p.hdf5 p.npy");
    CN_CLI_EXPECT(&cli, 0, "solve p.hdf5 p.mtx p.npy --solver nsgs --json");
    cJSON *first = cn_cli_json(&cli, 0);
    for (int i = 1; i < 3; i++) {
        cJSON *json = cn_cli_json(&cli, i);
        CN_CHECK_NEAR(io_json_number(json, "residual"), io_json_number(first, "residual"), 0);
        CN_CHECK_NEAR(io_json_number(json, "iterations"), io_json_number(first, "iterations"), 0);
        cJSON_Delete(json);
    }
    cJSON_Delete(first);
    cn_cli_leave(&cli);
}

// ---- a solver of one's own ----

CN_TEST(an_own_solver_solves_and_is_graded) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, CN_PROBLEM);
    CN_CLI_EXPECT(&cli, 2, "solve p.hdf5 --plugin '" CAIRN_SOLVER_PLUGIN "'");
    CN_CHECK_HOLDS(cli.err, "if you trust it, give --allow-plugins");
    CN_CLI_FIELDS(&cli, 0, "solve p.hdf5 " CN_OWN "--json --set jacobi.omega=0.2",
                  CN_TEXT("solver", "jacobi"), CN_TEXT("outcome", "solved"),
                  CN_AT_MOST("residual", 1e-8));
    CN_CLI_EXPECT(&cli, 3, "solve p.hdf5 " CN_OWN "--solver all --max-iter 3");
    CN_CHECK_HOLDS(cli.out, "jacobi ");
    CN_CHECK_HOLDS(cli.out, "nsgs ");
    CN_CLI_EXPECT(&cli, 2, "solve p.hdf5 " CN_OWN "--set jacobi.omga=1");
    CN_CHECK_HOLDS(cli.err, "did you mean \"omega\"?");
    CN_CLI_EXPECT(&cli, 4, "solve p.hdf5 --plugin ./none.so --allow-plugins");
    CN_CHECK_HOLDS(cli.err, "there is no plug-in file \"./none.so\"; build it first");
    CN_CLI_EXPECT(&cli, 4, "solve p.hdf5 --plugin '" CAIRN_PLUGIN "' --allow-plugins");
    CN_CHECK_HOLDS(cli.err, "has no symbol cn_solver_plugin_v1");
    cn_cli_leave(&cli);
}

// In 2D and 3D, bitwise the same when resumed; what only looks at the run needs no permission.
CN_TEST(an_own_solver_runs_and_resumes) {
    static const char *const variants[] = {"2d", "3d"};
    for (int i = 0; i < 2; i++) {
        cn_cli cli = cn_cli_enter();
        char arguments[256];
        snprintf(arguments, sizeof arguments, "new s.yaml --variant %s", variants[i]);
        CN_CLI_EXPECT(&cli, 0, arguments);
        CN_CLI_EXPECT(&cli, 4, "run s.yaml --plugin '" CAIRN_SOLVER_PLUGIN "'");
        CN_CHECK_HOLDS(cli.err, "which is not allowed; if you trust it, give --allow-plugins");
        CN_CLI_EXPECT(&cli, 0, "run s.yaml " CN_OWN "--until 0.2 --json -o whole.run");
        cJSON *whole = cn_cli_json(&cli, 0);
        CN_CLI_EXPECT(&cli, 0, "run s.yaml " CN_OWN "--until 0.1 -q -o part.run");
        CN_CLI_EXPECT(&cli, 4, "resume part.run --until 0.2");
        CN_CLI_EXPECT(&cli, 0, "resume part.run --until 0.2 --allow-plugins --json");
        cJSON *part = cn_cli_json(&cli, 0);
        assert_string_equal(cn_json_string(part, "state_hash"),
                            cn_json_string(whole, "state_hash"));
        cJSON_Delete(whole);
        cJSON_Delete(part);
        CN_CLI_EXPECT(&cli, 0, "check part.run -q");
        CN_CLI_EXPECT(&cli, 0, "render part.run -q");
        CN_CLI_EXPECT(&cli, 0, "export part.run --to csv -q -o csv");
        char *ledger = cn_file_text("csv/ledger.csv");
        CN_CHECK_HOLDS(ledger, "jacobi");
        free(ledger);
        cn_cli_leave(&cli);
    }
}
