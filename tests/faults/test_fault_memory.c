// Memory that runs out, wherever it is asked for: by us, by SQLite, muParser, libyaml, the C
// library. Every command must end with its usual answer or with exit code 1 and a message; files
// that it leaves are whole. The short tests let a few of the allocations fail, the long ones each.
#include "faults.h"

typedef struct cn_memory_case {
    const char *arguments;
    const char *output;   // file or folder that is whole or not there; NULL: none
    const char *run_left; // run file that can be resumed to the end, or is not there; NULL: none
    const char *copy;     // of half.run, made before each run; NULL: none
} cn_memory_case;

static void cn_prepare(cn_cli *cli) {
    io_file_write("small.yaml", CN_FAULT_SCENE, strlen(CN_FAULT_SCENE));
    CN_CLI_EXPECT(cli, 0, "run small.yaml -o whole.run -q");
    CN_CLI_EXPECT(cli, 0, "run small.yaml -o half.run -q --until=0.15");
    CN_CLI_EXPECT(cli, 0, "generate friction --contacts=20 --seed=7 -o problem.hdf5");
}

static void cn_clean(const cn_memory_case *job) {
    char line[256];
    snprintf(line, sizeof line, "rm -rf '%s' '%s' '%s'-* '%s'; %s'%s'",
             job->output ? job->output : "none", job->run_left ? job->run_left : "none",
             job->run_left ? job->run_left : "none", job->copy ? job->copy : "none",
             job->copy ? "cp half.run " : ": ", job->copy ? job->copy : "");
    assert_int_equal(system(line), 0);
}

// What a run file that was left holds: all that it says it holds, up to a step from which it
// resumes.
static void cn_check_left(cn_cli *cli, const char *path, int64_t k) {
    if (!cn_exists(path)) {
        return;
    }
    char line[128];
    if (cn_query_int(path, "SELECT count(*) FROM checkpoint") < 1) {
        print_error("allocation %d: what is left has no checkpoint; stderr: %s\n", (int)k,
                    cli->err);
        fail();
    }
    snprintf(line, sizeof line, "resume %s --until=0.3 -q", path);
    int code = cn_cli_run(cli, line);
    if (code != 0) {
        print_error("allocation %d: what is left cannot be resumed: %s\n", (int)k, cli->err);
        fail();
    }
    snprintf(line, sizeof line, "SELECT count(*) FROM ledger");
    assert_int_equal(cn_query_int(path, line), 30);
}

// One run whose allocation k fails; lasting: all later ones as well.
static void cn_fail_once(cn_cli *cli, cn_fault *fault, const cn_memory_case *job, int64_t k,
                         bool lasting, const char *wanted, const char *output_wanted) {
    char line[256];
    cn_clean(job);
    int code = cn_fault_run(cli, CAIRN_MEMORY_SHIM, fault,
                            &(cn_fault){.fail_at = k, .lasting = lasting}, job->arguments);
    bool good = fault->failed > 0 && (code == 0 || (code == 1 && strstr(cli->err, "memory")));
    char *got = cn_without_times(cli->out);
    good = good && (code != 0 || strcmp(got, wanted) == 0);
    free(got);
    if (!good) {
        print_error("cairn %s: allocation %d%s: exit code %d\nstdout: %s\nstderr: %s\n",
                    job->arguments, (int)k, lasting ? " and later" : "", code, cli->out, cli->err);
        fail();
    }
    if (job->output && (code == 0 || cn_exists(job->output))) {
        // Of a folder some files may be absent after a failure; those that are there are whole.
        snprintf(line, sizeof line, "diff -rq '%s' '%s' | grep -v '%s' >.diff", job->output,
                 output_wanted, code == 0 ? "^$" : "^Only in wanted");
        if (system(line) == 0) {
            print_error("cairn %s: allocation %d: %s is not whole: %s\n", job->arguments, (int)k,
                        job->output, cn_file_text(".diff"));
            fail();
        }
    }
    if (job->run_left) {
        cn_check_left(cli, job->run_left, k);
    }
}

// count: allocations that fail, spread over those behind the given share of all; 0: each.
static void cn_fail_behind(const cn_memory_case *job, double share, int64_t count) {
    cn_cli cli = cn_cli_enter();
    cn_prepare(&cli);
    cn_fault *fault = cn_fault_map();
    char line[128];
    cn_clean(job);
    assert_int_equal(
        cn_fault_run(&cli, CAIRN_MEMORY_SHIM, fault, &(cn_fault){.fail_at = 0}, job->arguments), 0);
    int64_t calls = fault->calls;
    char *wanted = cn_without_times(cli.out);
    CN_CHECK_TRUE(calls > 20);
    if (job->output) {
        snprintf(line, sizeof line, "mv '%s' wanted", job->output);
        assert_int_equal(system(line), 0);
    }
    // By an odd share, so that the short form does not meet the same place of a loop again.
    double from = 1.0 + share * (double)(calls - 1), some = (double)calls - from;
    double stride = count > 0 && (double)count < some ? some / (double)count : 1.0;
    CN_CHECK_TRUE(!job->output || cn_exists("wanted"));
    int64_t tried = 0;
    for (double k = from; k <= (double)calls; k += stride, tried++) {
        cn_fail_once(&cli, fault, job, (int64_t)k, tried % 2 == 1, wanted, "wanted");
        if (count == 0) {
            cn_fail_once(&cli, fault, job, (int64_t)k, tried % 2 == 0, wanted, "wanted");
        }
    }
    print_message("cairn %s: %d of %d allocations failed\n", job->arguments, (int)tried,
                  (int)calls);
    free(wanted);
    munmap(fault, sizeof *fault);
    cn_cli_leave(&cli);
}

static void cn_fail_each(const cn_memory_case *job, int64_t count) {
    cn_fail_behind(job, 0.0, count);
}

static const cn_memory_case cn_case_run = {.arguments = "run small.yaml -o o.run --json",
                                           .run_left = "o.run"};
static const cn_memory_case cn_case_resume = {
    .arguments = "resume o.run --until=0.3 --json", .run_left = "o.run", .copy = "o.run"};
static const cn_memory_case cn_case_solve = {.arguments = "solve problem.hdf5 -o o.hdf5 --json",
                                             .output = "o.hdf5"};
static const cn_memory_case cn_case_newton = {
    .arguments = "solve problem.hdf5 --solver=prox-newton -o o.hdf5 --json", .output = "o.hdf5"};
static const cn_memory_case cn_case_html = {.arguments = "export whole.run --to=html -o o.html",
                                            .output = "o.html"};
static const cn_memory_case cn_case_csv = {.arguments = "export whole.run --to=csv -o o",
                                           .output = "o"};
static const cn_memory_case cn_case_pvd = {.arguments = "export whole.run --to=pvd -o o",
                                           .output = "o"};
static const cn_memory_case cn_case_gltf = {.arguments = "export whole.run --to=gltf -o o.glb",
                                            .output = "o.glb"};

static const cn_memory_case cn_case_fclib = {
    .arguments = "export whole.run --to=fclib --steps=5:6 -o o", .output = "o"};
static const cn_memory_case cn_case_check = {.arguments = "check whole.run --json"};
static const cn_memory_case cn_case_info = {.arguments = "info whole.run --json"};

#define CN_SHORT_COUNT 40

CN_TEST(a_run_without_memory_ends_cleanly) {
    cn_fail_each(&cn_case_run, CN_SHORT_COUNT);
}

CN_TEST(a_resumed_run_without_memory_ends_cleanly) {
    cn_fail_each(&cn_case_resume, CN_SHORT_COUNT);
}

CN_TEST(a_solve_without_memory_ends_cleanly) {
    cn_fail_each(&cn_case_solve, CN_SHORT_COUNT);
    cn_fail_each(&cn_case_newton, CN_SHORT_COUNT);
}

CN_TEST(an_export_without_memory_ends_cleanly) {
    cn_fail_each(&cn_case_html, CN_SHORT_COUNT / 4);
    cn_fail_each(&cn_case_csv, CN_SHORT_COUNT / 4);
    cn_fail_each(&cn_case_pvd, CN_SHORT_COUNT / 4);
    cn_fail_each(&cn_case_gltf, CN_SHORT_COUNT / 4);
    cn_fail_each(&cn_case_fclib, CN_SHORT_COUNT / 4);
}

// The last allocations are those of what is written: shapes read as JSON, texts put together.
CN_TEST(an_export_without_memory_at_its_end_leaves_nothing_out) {
    cn_fail_behind(&cn_case_html, 0.92, CN_SHORT_COUNT / 2);
    cn_fail_behind(&cn_case_gltf, 0.92, CN_SHORT_COUNT / 2);
}

// A check that could not look at everything says so: it neither passes the run nor blames it.
CN_TEST(a_check_without_memory_does_not_answer) {
    cn_fail_each(&cn_case_check, CN_SHORT_COUNT);
    cn_fail_each(&cn_case_info, CN_SHORT_COUNT / 4);
}

CN_TEST(long_a_run_without_memory_ends_cleanly) {
    cn_fail_each(&cn_case_run, 0);
}

CN_TEST(long_a_resumed_run_without_memory_ends_cleanly) {
    cn_fail_each(&cn_case_resume, 0);
}

CN_TEST(long_a_solve_without_memory_ends_cleanly) {
    cn_fail_each(&cn_case_solve, 0);
    cn_fail_each(&cn_case_newton, 0);
}

CN_TEST(long_an_export_as_html_without_memory_ends_cleanly) {
    cn_fail_each(&cn_case_html, 0);
}

CN_TEST(long_an_export_as_csv_without_memory_ends_cleanly) {
    cn_fail_each(&cn_case_csv, 0);
}

CN_TEST(long_an_export_as_pvd_without_memory_ends_cleanly) {
    cn_fail_each(&cn_case_pvd, 0);
}

CN_TEST(long_an_export_as_gltf_without_memory_ends_cleanly) {
    cn_fail_each(&cn_case_gltf, 0);
}

CN_TEST(long_an_export_as_fclib_without_memory_ends_cleanly) {
    cn_fail_each(&cn_case_fclib, 0);
}

CN_TEST(long_a_check_without_memory_does_not_answer) {
    cn_fail_each(&cn_case_check, 0);
    cn_fail_each(&cn_case_info, 0);
}
