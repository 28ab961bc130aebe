// Signals to the command while a single step takes for ever: it ends with a checkpoint of the last
// good step, exit code 130, and goes on from there bitwise as a run that was never stopped.
#include "cli.h"

#include <cairn/cairn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>

extern char **environ;

// A box falls for 20 steps; from its impact on, solves have no end: no tolerance is ever reached.
static const char endless[] =
    "cairn: 1\n"
    "name: endless\n"
    "dimension: 3\n"
    "time: {step: 0.01, until: 10, checkpoint_every: 100}\n"
    "solver: {name: %s, tolerance: 1e-300, max_iterations: 2000000000, effort: 0}\n"
    "materials: {stone: {density: 1000}}\n"
    "contacts: [{between: [stone, stone], friction: 0.5}]\n"
    "bodies:\n"
    "  - {fixed: true, material: stone, shape: {plane: {normal: [0.1, 0.2, 1]}}}\n"
    "  - {material: stone, position: [0, 0, 1.2], angular_velocity: [0.1, 0.2, 0.3],\n"
    "     velocity: [1, 0.5, 0], shape: {box: {size: [1, 1.1, 1.2]}}}\n";

static pid_t start(char *const *argv) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, "errors", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t child;
    assert_int_equal(posix_spawn(&child, CAIRN_COMMAND, &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    return child;
}

static int end(pid_t child) {
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The state that a run file ends with.
static void state_of(const char *path, int64_t *step, char hash[32]) {
    cn_run *run = NULL;
    assert_int_equal(cn_run_open(NULL, path, &run, NULL), CN_OK);
    int64_t last;
    assert_int_equal(cn_run_last_checkpoint(run, step, NULL), CN_OK);
    snprintf(hash, 32, "%s", cn_run_meta(run, "state_hash"));
    assert_int_equal(cn_run_last_step(run, &last, NULL), CN_OK);
    assert_int_equal(last, *step);
    cn_run_close(run);
}

CN_TEST(signals_end_a_step_that_has_no_end) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    static const char *const solvers[] = {"nsgs", "fixed-point", "extra-gradient"};
    cn_cli cli = cn_cli_enter();
    for (size_t i = 0; i < 3; i++) {
        char text[1024], line[128], hash[32], whole[32];
        int64_t step, again;
        int length = snprintf(text, sizeof text, endless, solvers[i]);
        io_file_write("endless.yaml", text, (size_t)length);
        char *const argv[] = {"cairn", "run", "endless.yaml", "-o", "cut.run", "-f", "-q", NULL};
        pid_t child = start(argv);
        CN_CHECK_TRUE(cn_wait_until_busy(child, 0.3));
        kill(child, signals[i]);
        assert_int_equal(end(child), 130);
        char *errors = cn_file_text("errors");
        CN_CHECK_HOLDS(errors, "interrupted at t = ");
        CN_CHECK_HOLDS(errors, "to go on: cairn resume cut.run");
        free(errors);
        state_of("cut.run", &step, hash);
        print_message("%s: step %lld, %s\n", solvers[i], (long long)step, hash);
        CN_CHECK_TRUE(step > 0);
        // The same steps without a signal.
        snprintf(line, sizeof line, "run endless.yaml -q -f -o whole.run --until %.17g",
                 0.01 * (double)step);
        int code = cn_cli_run(&cli, line); // a step may have ended without its tolerance
        CN_CHECK_TRUE(code == 0 || code == 3);
        state_of("whole.run", &again, whole);
        CN_CHECK_TRUE(again == step);
        assert_string_equal(hash, whole);
        // Taken up again it comes to the same step, and is ended there once more.
        char *const more[] = {"cairn", "resume", "cut.run", "-q", NULL};
        child = start(more);
        CN_CHECK_TRUE(cn_wait_until_busy(child, 0.3));
        kill(child, signals[i]);
        assert_int_equal(end(child), 130);
        state_of("cut.run", &again, whole);
        CN_CHECK_TRUE(again == step);
        assert_string_equal(hash, whole);
    }
    cn_cli_leave(&cli);
}

CN_TEST(a_generator_without_an_end_in_sight_is_ended) {
    // Four million places are tried for each body of a box that is almost full.
    static const char full[] =
        "cairn: 1\nname: full\ndimension: 3\nmaterials: {stone: {density: 1000}}\n"
        "contacts: [{between: ['*', '*'], friction: 0.3}]\nbodies: []\ngenerate:\n"
        "  - {packing: {count: 4000000, radius: [0.1, 0.1], inside: [[0, 0, 0], [60, 60, 60]],\n"
        "     seed: 1, material: stone, arrangement: random}}\n";
    cn_cli cli = cn_cli_enter();
    io_file_write("full.yaml", full, sizeof full - 1);
    char *const argv[] = {"cairn", "run", "full.yaml", "-o", "full.run", "-q", NULL};
    pid_t child = start(argv);
    CN_CHECK_TRUE(cn_wait_until_busy(child, 0.3));
    kill(child, SIGTERM);
    assert_int_equal(end(child), 130);
    CN_CHECK_TRUE(access("full.run", F_OK) != 0);
    char *errors = cn_file_text("errors");
    CN_CHECK_HOLDS(errors, "cancelled");
    free(errors);
    cn_cli_leave(&cli);
}
