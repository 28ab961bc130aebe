// app/commands/info_run.c
// cairn info of a run file: what was simulated, by what, how far it came, and how far to trust it.
#include "commands/info.h"

#include "run/run_summary.h"
#include "support/json.h"
#include "support/support.h"
#include "support/terminal.h"

#include <stdlib.h>

// The keys of meta that say where a run comes from, in the order shown.
static const char *const provenance[] = {
    "cairn_version", "git_hash", "compiler", "flags", "threads",    "seed",          "tolerance",
    "started",       "ended",    "status",   "cpu_s", "state_hash", "irreproducible"};
#define PROVENANCE_COUNT (sizeof provenance / sizeof provenance[0])

typedef struct run_facts {
    run_summary summary;
    int64_t frames, checkpoint, event_count;
    cn_run_event *events;
    double first, last; // [s] times of the first and the last frame
    cn_arena *memory;
} run_facts;

static cn_status run_facts_find(cn_run *run, run_facts *facts, cn_error *error) {
    int64_t bodies = cn_run_body_count(run), step;
    double *q = ALLOCATE(double, 7 * bodies), *v = ALLOCATE(double, 6 * bodies);
    facts->frames = cn_run_frame_count(run);
    cn_status status = cn_run_last_checkpoint(run, &facts->checkpoint, error);
    if (status == CN_OK) {
        status = run_summary_read(run, &facts->summary, error);
    }
    if (status == CN_OK) {
        status = cn_run_events(run, facts->memory, &facts->events, &facts->event_count, error);
    }
    if (status == CN_OK && facts->frames > 0) {
        status = cn_run_frame(run, 0, &step, &facts->first, q, v, error);
        if (status == CN_OK) {
            status = cn_run_frame(run, facts->frames - 1, &step, &facts->last, q, v, error);
        }
    }
    free(q);
    free(v);
    return status;
}

static void print_meta(cn_run *run, const char *label, const char *key) {
    const char *value = cn_run_meta(run, key);
    if (value && value[0]) {
        print_wrapped(stdout, label, 22, value);
    }
}

static void info_run_print(const char *path, cn_run *run, const run_facts *facts) {
    print_safe(stdout, path);
    printf("\n  kind                run file of a simulation, %lld bytes\n",
           (long long)file_bytes(path));
    print_meta(run, "  scene", "name");
    printf("  bodies              %d in %dD\n", (int)cn_run_body_count(run), (int)cn_run_dim(run));
    printf("  frames              %lld, from t = %g s to t = %g s\n", (long long)facts->frames,
           facts->first, facts->last);
    print_meta(run, "  status", "status");
    if (facts->checkpoint >= 0) {
        printf("  last checkpoint     step %lld\n", (long long)facts->checkpoint);
    }
    print_meta(run, "  cairn", "cairn_version");
    print_meta(run, "  commit", "git_hash");
    print_meta(run, "  built by", "flags");
    print_meta(run, "  threads", "threads");
    print_meta(run, "  started", "started");
    print_meta(run, "  ended", "ended");
    print_meta(run, "  irreproducible", "irreproducible");
    printf("  steps               %lld, to t = %g s\n", (long long)facts->summary.steps,
           facts->summary.t_end);
    const char *tolerance = cn_run_meta(run, "tolerance");
    double value = tolerance ? strtod(tolerance, NULL) : 0.0;
    run_summary_print(&facts->summary, value, cn_run_meta(run, "state_hash"));
    if (facts->event_count > 0) {
        const cn_run_event *last = &facts->events[facts->event_count - 1];
        printf("  events              %lld; the last, at step %lld:\n",
               (long long)facts->event_count, (long long)last->step);
        print_wrapped(stdout, "", 22, last->text);
    }
}

static void info_run_print_json(const char *path, cn_run *run, const run_facts *facts) {
    json_writer json = put_start(stdout);
    put_open(&json, NULL, '{');
    put_text(&json, "run", path);
    put_text(&json, "kind", "run");
    put_int(&json, "bytes", file_bytes(path));
    put_text(&json, "scene", cn_run_meta(run, "name"));
    put_int(&json, "dim", cn_run_dim(run));
    put_int(&json, "bodies", cn_run_body_count(run));
    put_int(&json, "frames", facts->frames);
    put_int(&json, "steps", facts->summary.steps);
    put_real(&json, "t_end", facts->summary.t_end);
    put_int(&json, "unsolved_steps", run_summary_unsolved(&facts->summary));
    put_int(&json, "paradox_steps", facts->summary.paradox_steps);
    put_real(&json, "residual_worst", facts->summary.residual_worst);
    put_real(&json, "penetration_max", facts->summary.penetration_max);
    put_real(&json, "energy_balance_error", run_summary_balance(&facts->summary));
    put_int(&json, "checkpoint", facts->checkpoint);
    put_open(&json, "events", '[');
    for (int64_t i = 0; i < facts->event_count; i++) {
        put_open(&json, NULL, '{');
        put_int(&json, "step", facts->events[i].step);
        put_real(&json, "t", facts->events[i].t);
        put_text(&json, "text", facts->events[i].text);
        put_close(&json, '}');
    }
    put_close(&json, ']');
    put_open(&json, "meta", '{');
    for (size_t i = 0; i < PROVENANCE_COUNT; i++) {
        put_text(&json, provenance[i], cn_run_meta(run, provenance[i]));
    }
    put_close(&json, '}');
    put_close(&json, '}');
    put_end(&json);
}

int info_run(const char *path, bool json) {
    cn_run *run;
    run_facts facts = {.memory = cn_arena_create(NULL)};
    cn_error error = {.status = CN_OK};
    int code = EXIT_DONE;
    if (!facts.memory) {
        return report_failure("out of memory");
    }
    if (cn_run_open(NULL, path, &run, &error) != CN_OK) {
        cn_arena_destroy(facts.memory);
        return report_error_in(&error, path);
    }
    if (run_facts_find(run, &facts, &error) != CN_OK) {
        code = report_error_in(&error, path);
    } else if (json) {
        info_run_print_json(path, run, &facts);
    } else {
        info_run_print(path, run, &facts);
    }
    cn_run_close(run);
    cn_arena_destroy(facts.memory);
    return code;
}
