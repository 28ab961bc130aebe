// bench/python.c
// What the Python package costs over the library, beside what is demanded of it: times of the
// calls that loops make (CPU times, the shortest of some rounds), and two threads beside one.
// The script bench/python_figures.py measures; it runs with the package beside this command.
#include "bench/bench.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef BENCH_PYTHON
#define BENCH_PYTHON "/usr/bin/python3"
#endif

typedef struct python_figure {
    const char *name, *key, *unit;
    double asked;
    bool is_minimum; // asked is a lower bound, else an upper one
} python_figure;

static const python_figure python_figures[] = {
    {"a step within a loop in C", "\"c_step_us\":", "us", 0.0, false},
    {"sim.step() over that", "\"step_over_c_us\":", "us", 0.3, false},
    {"positions after a step, 1 body", "\"positions_1_us\":", "us", 1.5, false},
    {"positions, 1000 bodies", "\"positions_1000_us\":", "us", 15.0, false},
    {"positions, 100000 bodies", "\"positions_100000_ms\":", "ms", 3.0, false},
    {"3000 contacts as columns", "\"contacts_us\":", "us", 60.0, false},
    {"save and restore, 1000 spheres", "\"save_restore_us\":", "us", 50.0, false},
    {"100000 spheres to a model", "\"spheres_s\":", "s", 0.6, false},
    {"100000 turned boxes to a model", "\"boxes_s\":", "s", 1.0, false},
    {"solve over the solver, 200 contacts", "\"solve_over_ms\":", "ms", 0.3, false},
    {"import cairn, numpy loaded", "\"import_ms\":", "ms", 30.0, false},
    {"opening a run", "\"open_ms\":", "ms", 10.0, false},
    {"one frame of 100000 bodies", "\"frame_ms\":", "ms", 20.0, false},
    {"two simulations in two threads", "\"two_threads\":", "x", 1.8, true},
};

static const row_column python_columns[] = {
    {"figure", "figure", -38, 0, 0.0},  {"value", "value", 9, 3, 0.0},
    {"unit", "unit", -4, 0, 0.0},       {"asked", "asked", 7, 3, 0.0},
    {"verdict", "verdict", -8, 0, 0.0}, {NULL, NULL, 0, 0, 0.0}};

static void python_print(const python_figure *figure, double value, row_table *table) {
    bool met = figure->is_minimum ? value >= figure->asked : value <= figure->asked;
    row_text(table, figure->name);
    row_real(table, value);
    row_text(table, figure->unit);
    row_real(table, figure->asked);
    row_text(table, figure->asked > 0.0 ? (met ? "met" : "missed") : "");
}

// The folder of this command, where the package and the script are. To be freed; NULL: not known.
static char *folder_of_command(void) {
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    return slash ? format_text("%.*s", (int)(slash - self), self) : NULL;
}

int bench_python(const bench_job *job) {
    char *folder = folder_of_command();
    char *script = format_text("%s/bench/python_figures.py", folder ? folder : "");
    char *package = format_text("%s/python", folder ? folder : "");
    char *module = format_text("%s/cairn/_core.abi3.so", package);
    char repeats[16], text[8192];
    int code = EXIT_DONE;
    snprintf(repeats, sizeof repeats, "%d", (int)job->repeats);
    char *const argv[] = {BENCH_PYTHON, script, repeats, NULL};
    if (!folder || access(script, R_OK) != 0 || access(module, R_OK) != 0) {
        print_format(stderr, "cairn: bench python: the package is not beside the command (make "
                             "python); left out\n");
    } else {
        setenv("PYTHONPATH", package, 1);
        if (peer_capture(argv, text, sizeof text)) {
            row_table table = row_table_start(stdout, job->json, "python", python_columns);
            for (size_t i = 0; i < sizeof python_figures / sizeof python_figures[0]; i++) {
                double value;
                if (peer_field(text, python_figures[i].key, &value)) {
                    python_print(&python_figures[i], value, &table);
                }
            }
        } else {
            code = report_failure("bench python: %s failed", script);
        }
    }
    free(folder);
    free(script);
    free(package);
    free(module);
    return code;
}
