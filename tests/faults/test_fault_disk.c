// A disk that is full or fails: the k-th call that changes a file fails with ENOSPC or EIO, once or
// from then on. The command ends as usual or with exit code 1 and a message, what was committed
// stays, and with room again the run is resumed to the state of one that never failed.
#include "faults.h"

#include <errno.h>

typedef struct cn_disk_case {
    const char *arguments;
    bool resumed;       // half.run is copied to o.run first
    const char *output; // a file that is whole or not there; NULL: the run file o.run
} cn_disk_case;

static void cn_complain(const cn_cli *cli, const cn_disk_case *job, const cn_fault *fault, int code,
                        const char *what) {
    print_error("cairn %s: call %d%s fails with errno %d: %s (exit code %d)\nstdout: %s\n"
                "stderr: %s\n",
                job->arguments, (int)fault->fail_at, fault->lasting ? " and later" : "",
                (int)fault->error, what, code, cli->out, cli->err);
    fail();
}

static void cn_fail_once(cn_cli *cli, cn_fault *fault, const cn_disk_case *job,
                         const cn_fault *want, const char *hash) {
    assert_int_equal(system("rm -rf o.*"), 0);
    assert_int_equal(system(job->resumed ? "cp half.run o.run" : ":"), 0);
    int code = cn_fault_run(cli, CAIRN_FILE_SHIM, fault, want, job->arguments);
    if (fault->failed == 0 || !(code == 0 || (code == 1 && cli->err[0]))) {
        cn_complain(cli, job, fault, code, "does not end cleanly");
    }
    if (job->output) {
        bool whole = cn_exists(job->output) && system("cmp -s o.hdf5 wanted") == 0;
        if (!whole && (code == 0 || cn_exists(job->output))) {
            cn_complain(cli, job, fault, code, "the file is not whole");
        }
        return;
    }
    int64_t rows = cn_query_int("o.run", "SELECT count(*) FROM ledger");
    if (job->resumed && rows < 15) {
        cn_complain(cli, job, fault, code, "what was committed before is lost");
    }
    if (!cn_exists("o.run")) {
        if (code == 0) {
            cn_complain(cli, job, fault, code, "there is no run file");
        }
        return;
    }
    code = cn_cli_run(cli, "resume o.run --until=0.3 --json");
    if (code != 0 || !strstr(cli->out, hash)) {
        cn_complain(cli, job, fault, code, "what is left is not resumed to the right state");
    }
    assert_int_equal(cn_query_int("o.run", "SELECT count(*) FROM ledger"), 30);
}

// count: calls that fail, spread over all of them; 0: each, once and from then on, with both
// errors.
static void cn_fail_each(const cn_disk_case *job, int64_t count) {
    cn_cli cli = cn_cli_enter();
    io_file_write("small.yaml", CN_FAULT_SCENE, strlen(CN_FAULT_SCENE));
    CN_CLI_EXPECT(&cli, 0, "generate friction --contacts=20 --seed=7 -o problem.hdf5");
    CN_CLI_EXPECT(&cli, 0, "run small.yaml -o half.run -q --until=0.15");
    CN_CLI_EXPECT(&cli, 0, "run small.yaml -o whole.run --json");
    char hash[32];
    CN_CHECK_TRUE(sscanf(strstr(cli.out, "\"state_hash\""), "\"state_hash\":\"%16[0-9a-f]", hash) ==
                  1);
    cn_fault *fault = cn_fault_map();
    assert_int_equal(system(job->resumed ? "cp half.run o.run" : ":"), 0);
    assert_int_equal(
        cn_fault_run(&cli, CAIRN_FILE_SHIM, fault, &(cn_fault){.fail_at = 0}, job->arguments), 0);
    int64_t calls = fault->calls, tried = 0;
    CN_CHECK_TRUE(calls > 1);
    assert_int_equal(system(job->output ? "mv o.hdf5 wanted" : ":"), 0);
    double stride = count > 0 && count < calls ? (double)calls / (double)count : 1.0;
    for (double k = 1.0; k <= (double)calls; k += stride, tried++) {
        for (int way = 0; way < 4; way++) {
            cn_fault want = {
                .fail_at = (int64_t)k, .lasting = way % 2, .error = way / 2 == 0 ? ENOSPC : EIO};
            if (count == 0 || way == tried % 4) {
                cn_fail_once(&cli, fault, job, &want, hash);
            }
        }
    }
    print_message("cairn %s: %d of %d calls failed\n", job->arguments, (int)tried, (int)calls);
    munmap(fault, sizeof *fault);
    cn_cli_leave(&cli);
}

static const cn_disk_case cn_case_run = {.arguments = "run small.yaml -o o.run --json"};
static const cn_disk_case cn_case_resume = {.arguments = "resume o.run --until=0.3 --json",
                                            .resumed = true};
static const cn_disk_case cn_case_solve = {.arguments = "solve problem.hdf5 -o o.hdf5 --json",
                                           .output = "o.hdf5"};

CN_TEST(a_run_on_a_failing_disk_ends_cleanly) {
    cn_fail_each(&cn_case_run, 30);
}

CN_TEST(a_resumed_run_on_a_failing_disk_loses_nothing) {
    cn_fail_each(&cn_case_resume, 30);
}

CN_TEST(a_solve_on_a_failing_disk_leaves_no_part_of_a_file) {
    cn_fail_each(&cn_case_solve, 0);
}

CN_TEST(long_a_run_on_a_failing_disk_ends_cleanly) {
    cn_fail_each(&cn_case_run, 0);
}

CN_TEST(long_a_resumed_run_on_a_failing_disk_loses_nothing) {
    cn_fail_each(&cn_case_resume, 0);
}

// stdio's writes do not pass through the shim: the size of files is limited instead.
static void cn_limit_size(const char *arguments, int blocks) {
    char line[2048];
    assert_int_equal(system("rm -rf o o.*"), 0);
    snprintf(line, sizeof line,
             "(trap '' XFSZ; ulimit -f %d; '%s' %s; echo \"exit code $?\") 2>&1 | cat >.both",
             blocks, CAIRN_COMMAND, arguments);
    assert_int_equal(system(line), 0);
    char *text = cn_file_text(".both");
    if (!strstr(text, "exit code 1") || !strstr(text, "cannot")) {
        print_error("cairn %s with files of at most %d blocks: %s\n", arguments, blocks, text);
        fail();
    }
    free(text);
}

CN_TEST(an_export_to_a_full_disk_is_an_error) {
    static const char *const arguments[] = {
        "export whole.run --to=html -o o.html", "export whole.run --to=csv -o o",
        "export whole.run --to=pvd -o o",       "export whole.run --to=gltf -o o.glb",
        "render whole.run --at=0.1 -o o.png",   "render whole.run --at=0.1 -o o.svg",
    };
    cn_cli cli = cn_cli_enter();
    io_file_write("small.yaml", CN_FAULT_SCENE, strlen(CN_FAULT_SCENE));
    CN_CLI_EXPECT(&cli, 0, "run small.yaml -o whole.run -q");
    for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++) {
        cn_limit_size(arguments[i], 0);
        cn_limit_size(arguments[i], 1);
    }
    cn_cli_leave(&cli);
}
