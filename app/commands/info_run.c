// app/commands/info_run.c
// cairn info of a run file: what was simulated, by what, how far it came, and how far to trust it.
#include "commands/info.h"

#include "run/run_summary.h"
#include "support/json.h"
#include "support/support.h"
#include "support/terminal.h"

#include <stdlib.h>

// The keys of meta that tell where a run comes from, in the order shown.
static const char *const cn_provenance[] = {
    "cairn_version", "git_hash", "compiler", "flags", "threads",    "seed",          "tolerance",
    "started",       "ended",    "status",   "cpu_s", "state_hash", "irreproducible"};
#define CN_PROVENANCE_COUNT (sizeof cn_provenance / sizeof cn_provenance[0])

typedef struct cn_run_facts {
    cn_tally tally;
    int64_t frames, checkpoint, event_count;
    cn_run_event *events;
    double first, last; // [s] times of the first and the last frame
    cn_arena *memory;
} cn_run_facts;

static cn_status cn_run_facts_find(cn_run *run, cn_run_facts *facts, cn_error *error) {
    int64_t bodies = cn_run_body_count(run), step;
    double *q = CN_ALLOCATE(double, 7 * bodies), *v = CN_ALLOCATE(double, 6 * bodies);
    facts->frames = cn_run_frame_count(run);
    facts->checkpoint = cn_run_last_checkpoint(run);
    cn_status status = cn_tally_read(run, &facts->tally, error);
    status = status == CN_OK
                 ? cn_run_events(run, facts->memory, &facts->events, &facts->event_count, error)
                 : status;
    if (status == CN_OK && facts->frames > 0) {
        status = cn_run_frame(run, 0, &step, &facts->first, q, v, error);
        status = status == CN_OK
                     ? cn_run_frame(run, facts->frames - 1, &step, &facts->last, q, v, error)
                     : status;
    }
    free(q);
    free(v);
    return status;
}

static void cn_print_meta(cn_run *run, const char *label, const char *key) {
    const char *value = cn_run_meta(run, key);
    if (value && value[0]) {
        cn_print_wrapped(stdout, label, 22, value);
    }
}

static void cn_info_run_print(const char *path, cn_run *run, const cn_run_facts *facts) {
    cn_print_safe(stdout, path);
    printf("\n  kind                run file of a simulation, %lld bytes\n",
           (long long)cn_file_bytes(path));
    cn_print_meta(run, "  scene", "name");
    printf("  bodies              %d in %dD\n", (int)cn_run_body_count(run), (int)cn_run_dim(run));
    printf("  frames              %lld, from t = %g s to t = %g s\n", (long long)facts->frames,
           facts->first, facts->last);
    cn_print_meta(run, "  status", "status");
    if (facts->checkpoint >= 0) {
        printf("  last checkpoint     step %lld\n", (long long)facts->checkpoint);
    }
    cn_print_meta(run, "  cairn", "cairn_version");
    cn_print_meta(run, "  commit", "git_hash");
    cn_print_meta(run, "  built by", "flags");
    cn_print_meta(run, "  threads", "threads");
    cn_print_meta(run, "  started", "started");
    cn_print_meta(run, "  ended", "ended");
    cn_print_meta(run, "  irreproducible", "irreproducible");
    printf("  steps               %lld, to t = %g s\n", (long long)facts->tally.steps,
           facts->tally.t_end);
    const char *tolerance = cn_run_meta(run, "tolerance");
    double value = tolerance ? strtod(tolerance, NULL) : 0.0;
    cn_tally_print(&facts->tally, value, cn_run_meta(run, "state_hash"));
    if (facts->event_count > 0) {
        const cn_run_event *last = &facts->events[facts->event_count - 1];
        printf("  events              %lld; the last, at step %lld:\n",
               (long long)facts->event_count, (long long)last->step);
        cn_print_wrapped(stdout, "", 22, last->text);
    }
}

static void cn_info_run_print_json(const char *path, cn_run *run, const cn_run_facts *facts) {
    cn_json json = cn_put_start(stdout);
    cn_put_open(&json, NULL, '{');
    cn_put_text(&json, "run", path);
    cn_put_text(&json, "kind", "run");
    cn_put_int(&json, "bytes", cn_file_bytes(path));
    cn_put_text(&json, "scene", cn_run_meta(run, "name"));
    cn_put_int(&json, "dim", cn_run_dim(run));
    cn_put_int(&json, "bodies", cn_run_body_count(run));
    cn_put_int(&json, "frames", facts->frames);
    cn_put_int(&json, "steps", facts->tally.steps);
    cn_put_real(&json, "t_end", facts->tally.t_end);
    cn_put_int(&json, "unsolved_steps", cn_tally_unsolved(&facts->tally));
    cn_put_int(&json, "paradox_steps", facts->tally.paradox_steps);
    cn_put_real(&json, "residual_worst", facts->tally.residual_worst);
    cn_put_real(&json, "penetration_max", facts->tally.penetration_max);
    cn_put_real(&json, "energy_balance_error", cn_tally_balance(&facts->tally));
    cn_put_int(&json, "checkpoint", facts->checkpoint);
    cn_put_open(&json, "events", '[');
    for (int64_t i = 0; i < facts->event_count; i++) {
        cn_put_open(&json, NULL, '{');
        cn_put_int(&json, "step", facts->events[i].step);
        cn_put_real(&json, "t", facts->events[i].t);
        cn_put_text(&json, "text", facts->events[i].text);
        cn_put_close(&json, '}');
    }
    cn_put_close(&json, ']');
    cn_put_open(&json, "meta", '{');
    for (size_t i = 0; i < CN_PROVENANCE_COUNT; i++) {
        cn_put_text(&json, cn_provenance[i], cn_run_meta(run, cn_provenance[i]));
    }
    cn_put_close(&json, '}');
    cn_put_close(&json, '}');
    cn_put_end(&json);
}

int cn_info_run(const char *path, bool json) {
    cn_run *run;
    cn_run_facts facts = {.memory = cn_arena_create(NULL)};
    cn_error error = {.status = CN_OK};
    int code = CN_EXIT_DONE;
    if (!facts.memory) {
        return cn_report_failure("out of memory");
    }
    if (cn_run_open(NULL, path, &run, &error) != CN_OK) {
        cn_arena_destroy(facts.memory);
        return cn_report_error_in(&error, path);
    }
    if (cn_run_facts_find(run, &facts, &error) != CN_OK) {
        code = cn_report_error_in(&error, path);
    } else if (json) {
        cn_info_run_print_json(path, run, &facts);
    } else {
        cn_info_run_print(path, run, &facts);
    }
    cn_run_close(run);
    cn_arena_destroy(facts.memory);
    return code;
}
