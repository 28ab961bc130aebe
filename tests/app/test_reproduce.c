// `cairn reproduce` as a user meets it: short versions of the experiments, their checks, the files
// they leave, and what is refused.
#include "cli.h"

#include <sys/stat.h>

// The short version of an experiment; its JSON is to be deleted.
static cJSON *cn_reproduce(cn_cli *cli, const char *id) {
    char line[128];
    snprintf(line, sizeof line, "reproduce %s --quick --json -o here", id);
    CN_CLI_EXPECT(cli, 0, line);
    cJSON *json = cn_cli_json(cli, 0);
    assert_string_equal(cn_json_string(json, "experiment"), id);
    assert_int_equal(io_json_number(json, "unsolved"), 0);
    assert_int_equal(io_json_number(json, "checks_failed"), 0);
    CN_CHECK_BELOW(1.0, io_json_number(json, "checks_judged"));
    return json;
}

// Every file that the report names is there and not empty; figures are SVG.
static void cn_check_files(const cJSON *json) {
    const cJSON *file;
    int32_t figures = 0;
    cJSON_ArrayForEach(file, cJSON_GetObjectItemCaseSensitive(json, "files")) {
        char path[128];
        snprintf(path, sizeof path, "here/%s", cJSON_GetStringValue(file));
        char *text = cn_file_text(path);
        CN_CHECK_TRUE(strlen(text) > 0);
        if (strstr(path, ".svg")) {
            CN_CHECK_HOLDS(text, "</svg>");
            CN_CHECK_TRUE(!strstr(text, "nan"));
            figures++;
        }
        free(text);
    }
    CN_CHECK_TRUE(figures > 0);
}

static const cJSON *cn_table_row(const cJSON *json, int index) {
    return cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(json, "table"), index);
}

CN_TEST(lists_the_experiments) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "reproduce");
    CN_CHECK_HOLDS(cli.out, "  E1 ");
    CN_CHECK_HOLDS(cli.out, "figure 4");
    CN_CLI_EXPECT(&cli, 0, "reproduce --json");
    cJSON *json = cn_cli_json(&cli, 0);
    assert_string_equal(cn_json_string(json, "scenes"), "bouncing-column");
    cJSON_Delete(json);
    cn_cli_leave(&cli);
}

CN_TEST(refuses_unknown_experiments) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 2, "reproduce bouncing-colum");
    CN_CHECK_HOLDS(cli.err, "did you mean 'bouncing-column'?");
    CN_CLI_EXPECT(&cli, 2, "reproduce E99");
    CN_CHECK_HOLDS(cli.err, "cairn reproduce lists them");
    CN_CLI_EXPECT(&cli, 2, "reproduce E1 E2 -o here");
    CN_CLI_EXPECT(&cli, 2, "reproduce E1 --quik");
    CN_CHECK_HOLDS(cli.err, "--quick");
    cn_cli_leave(&cli);
}

CN_TEST(says_which_folder_it_cannot_make) {
    cn_cli cli = cn_cli_enter();
    io_file_write("here", "x", 1);
    CN_CLI_EXPECT(&cli, 1, "reproduce E1 --quick -o here");
    CN_CHECK_HOLDS(cli.err, "here");
    cn_cli_leave(&cli);
}

CN_TEST(e1_keeps_the_energy) {
    cn_cli cli = cn_cli_enter();
    cJSON *json = cn_reproduce(&cli, "E1");
    CN_CHECK_BELOW(io_json_number(cn_table_row(json, 0), "drift"), 1e-7);
    CN_CHECK_BELOW(io_json_number(cn_table_row(json, 1), "drift"), 1e-9);
    assert_string_equal(cn_json_string(cn_table_row(json, 8), "solver"), "nsgs, 1 sweep");
    assert_int_equal(io_json_number(cn_table_row(json, 1), "steps_that_change_it"), 0);
    CN_CHECK_BELOW(1e-9, io_json_number(cn_table_row(json, 8), "drift"));
    cn_check_files(json);
    cJSON_Delete(json);
    cn_cli_leave(&cli);
}

CN_TEST(e2_closes_the_triangle) {
    cn_cli cli = cn_cli_enter();
    cJSON *json = cn_reproduce(&cli, "E2");
    const cJSON *row = cn_table_row(json, 0);
    CN_CHECK_NEAR(io_json_number(row, "edge_1"), 0.3 * 9.81, 0.003);
    CN_CHECK_BELOW(io_json_number(row, "closure"), 1e-9);
    CN_CHECK_BELOW(io_json_number(row, "bend"), 1e-6);
    cn_check_files(json);
    cJSON_Delete(json);
    cn_cli_leave(&cli);
}

// Row 3 is the exact cone, rows 4 to 8 are the inner polytopes of 2, 3, 4, 6 and 8 facets.
CN_TEST(e2_shows_what_facets_do) {
    cn_cli cli = cn_cli_enter();
    cJSON *json = cn_reproduce(&cli, "E2");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(json, "table")), 4 + 10);
    assert_string_equal(cn_json_string(cn_table_row(json, 6), "cone"), "inner 4");
    CN_CHECK_BELOW(io_json_number(cn_table_row(json, 3), "direction_deg"), 1e-6);
    for (int row = 4; row < 14; row++) {
        CN_CHECK_BELOW(1.0, io_json_number(cn_table_row(json, row), "direction_deg"));
    }
    CN_CHECK_BELOW(io_json_number(cn_table_row(json, 8), "direction_deg"), 180.0 / 8.0);
    cJSON_Delete(json);
    cn_cli_leave(&cli);
}

CN_TEST(e3_compares_with_the_table) {
    cn_cli cli = cn_cli_enter();
    cJSON *json = cn_reproduce(&cli, "E3");
    const cJSON *row = cn_table_row(json, 1);
    CN_CHECK_NEAR(io_json_number(row, "sp_paper"), 2.28, 0.0);
    CN_CHECK_BELOW(io_json_number(row, "penetration_worst"), 0.3);
    CN_CHECK_TRUE(io_json_number(row, "contacts") > 50.0);
    cn_check_files(json);
    cJSON_Delete(json);
    cn_cli_leave(&cli);
}

CN_TEST(e4_stands) {
    cn_cli cli = cn_cli_enter();
    cJSON *json = cn_reproduce(&cli, "E4");
    CN_CHECK_BELOW(io_json_number(cn_table_row(json, 0), "moved"), 1e-9);
    CN_CHECK_BELOW(0.1, io_json_number(cn_table_row(json, 3), "moved")); // this one falls
    cn_check_files(json);
    cJSON_Delete(json);
    cn_cli_leave(&cli);
}

// The experiments below take some seconds, and a minute with sanitizers: these builds leave them
// out.
static void cn_skip_with_sanitizers(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    CN_SKIP("judged in builds without sanitizers");
#endif
}

// The short version meets its checks, and all is measured and written.
static void cn_check_short(const char *id, int rows) {
    cn_cli cli = cn_cli_enter();
    cJSON *json = cn_reproduce(&cli, id);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(json, "table")), rows);
    cn_check_files(json);
    cJSON_Delete(json);
    cn_cli_leave(&cli);
}

CN_TEST(e4b_has_every_solver_on_every_problem) {
    cn_check_short("E4b", 2 * 7);
}

CN_TEST(e5_packs_with_every_local_solver) {
    cn_check_short("E5", 7);
}

CN_TEST(e6_brings_the_large_sphere_to_the_top) {
    cn_skip_with_sanitizers();
    cn_check_short("E6", 1);
}

CN_TEST(e7_opens_the_stair_alone) {
    cn_skip_with_sanitizers();
    cn_check_short("E7", 2);
}

CN_TEST(e10_brings_the_large_disk_to_the_top) {
    cn_skip_with_sanitizers();
    cn_check_short("E10", 9);
}

CN_TEST(e11_counts_impacts) {
    cn_check_short("E11", 5 * 2);
}

CN_TEST(e15_compares_with_closed_forms) {
    cn_check_short("E15", 7);
}

CN_TEST(e12_measures_rings_of_grains) {
    cn_skip_with_sanitizers();
    cn_check_short("E12", 20);
}

CN_TEST(e14_carries_its_weight) {
    cn_skip_with_sanitizers();
    cn_check_short("E14", 4);
}

CN_TEST(report_and_tables_say_the_same) {
    cn_cli cli = cn_cli_enter();
    CN_CLI_EXPECT(&cli, 0, "reproduce friction-triangle --quick -o here");
    CN_CHECK_HOLDS(cli.out, "E2: a ball slides round a triangle (short version)");
    CN_CHECK_HOLDS(cli.out, "closure / edge");
    CN_CHECK_HOLDS(cli.out, "met");
    CN_CHECK_HOLDS(cli.out, "Differs:");
    char *report = cn_file_text("here/report.txt");
    CN_CHECK_TRUE(strncmp(report, cli.out, 200) == 0);
    free(report);
    char *table = cn_file_text("here/table.csv");
    CN_CHECK_HOLDS(table, "solver,cone,edge_1,edge_2,edge_3,direction_deg,bend,closure,"
                          "residual_worst\n");
    CN_CHECK_HOLDS(table, "\"prox-newton\",");
    free(table);
    char *checks = cn_file_text("here/checks.csv");
    CN_CHECK_HOLDS(checks, "check,paper,asked,ours,verdict\n");
    CN_CHECK_HOLDS(checks, "\"<= 1e-09\"");
    free(checks);
    cn_cli_leave(&cli);
}

CN_TEST(e8_shows_what_stabilisation_does) {
    cn_cli cli = cn_cli_enter();
    cJSON *json = cn_reproduce(&cli, "E8");
    double with = io_json_number(cn_table_row(json, 0), "end");
    double without = io_json_number(cn_table_row(json, 1), "end");
    CN_CHECK_BELOW(100.0 * with, without);
    cn_check_files(json);
    cJSON_Delete(json);
    cn_cli_leave(&cli);
}

CN_TEST(e9_falls_apart) {
    cn_cli cli = cn_cli_enter();
    cJSON *json = cn_reproduce(&cli, "E9");
    assert_int_equal(io_json_number(cn_table_row(json, 0), "on_table"), 21);
    cn_check_files(json);
    cJSON_Delete(json);
    cn_cli_leave(&cli);
}
