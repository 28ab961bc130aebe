// The commands that compare: benchmarks against peers, performance profiles.
#include "cli.h"

#include <sys/stat.h>

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
    cn_file_write(path, script, sizeof script - 1);
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
        CN_CHECK_NEAR(cn_json_number(row, "siconos_s"), 2.0, 0.0);
        CN_CHECK_TRUE(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(row, "auto_solved")));
        CN_CHECK_NEAR(cn_json_number(row, "ratio"), cn_json_number(row, "auto_s") / 2.0, 1e-12);
        CN_CHECK_NEAR(cn_json_number(summary, "auto_over_siconos"), cn_json_number(row, "ratio"),
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
    cn_file_write("siconos.csv", hints, sizeof hints - 1);
    CN_CLI_EXPECT(&cli, 0, "bench siconos a.hdf5 --repeats 1");
    CN_CHECK_HOLDS(cli.out, "slow");
    CN_CHECK_HOLDS(cli.out, "to 1e-8: no problem that both solve");
    CN_CHECK_HOLDS(cli.out, "a: Siconos does not solve it, auto does");
    cn_cli_leave(&cli);
}
