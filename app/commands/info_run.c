// app/commands/info_run.c
// cairn info of a run file: what was simulated, by what, how far it came, and how far to trust it.
#include "commands/info.h"

#include "run/run_summary.h"
#include "support/facts.h"
#include "support/support.h"

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

static const fact_line run_lines[] = {
    {"kind", "run file of a simulation, {bytes} bytes", false},
    {"scene", "{scene}", true},
    {"bodies", "{bodies} in {dim}D", false},
    {"frames", "{frames}, from t = {first} s to t = {last} s", false},
    {"status", "{status}", true},
    {"last checkpoint", "step {last_checkpoint}", false},
    {"cairn", "{cairn_version}", true},
    {"commit", "{git_hash}", true},
    {"built by", "{flags}", true},
    {"threads", "{threads}", true},
    {"started", "{started}", true},
    {"ended", "{ended}", true},
    {"irreproducible", "{irreproducible}", true},
    {"steps", "{steps}, to t = {t_end} s", false},
    {NULL, NULL, false}};

static const fact_line event_lines[] = {
    {"events", "{event_count}; the last, at step {event_step}:", false},
    {"", "{event}", true},
    {NULL, NULL, false}};

// All of them for programs, the last for people.
static void put_events(fact_list *list, const run_facts *facts) {
    facts_open(list, "events", '[');
    for (int64_t i = list->is_json ? 0 : facts->event_count; i < facts->event_count; i++) {
        facts_open(list, NULL, '{');
        fact_int(list, "step", facts->events[i].step);
        fact_real(list, "t", 6, facts->events[i].t);
        fact_text(list, "text", facts->events[i].text);
        facts_close(list, '}');
    }
    facts_close(list, ']');
    if (facts->event_count > 0) {
        const cn_run_event *last = &facts->events[facts->event_count - 1];
        fact_say(list, "event_count", "%lld", (long long)facts->event_count);
        fact_say(list, "event_step", "%lld", (long long)last->step);
        fact_say(list, "event", "%s", last->text);
    }
}

static void put_run(fact_list *list, const char *path, cn_run *run, const run_facts *facts) {
    const run_summary *summary = &facts->summary;
    fact_text(list, "run", path);
    fact_text(list, "kind", "run");
    fact_int(list, "bytes", file_bytes(path));
    fact_text(list, "scene", cn_run_meta(run, "name"));
    fact_int(list, "dim", cn_run_dim(run));
    fact_int(list, "bodies", cn_run_body_count(run));
    fact_int(list, "frames", facts->frames);
    fact_say(list, "first", "%g", facts->first);
    fact_say(list, "last", "%g", facts->last);
    fact_int(list, "steps", summary->steps);
    fact_real(list, "t_end", 6, summary->t_end);
    fact_int(list, "unsolved_steps", run_summary_unsolved(summary));
    fact_int(list, "paradox_steps", summary->paradox_steps);
    fact_real(list, "residual_worst", 3, summary->residual_worst);
    fact_real(list, "penetration_max", 3, summary->penetration_max);
    fact_real(list, "energy_balance_error", 3, run_summary_balance(summary));
    fact_int(list, "checkpoint", facts->checkpoint);
    if (facts->checkpoint >= 0) {
        fact_say(list, "last_checkpoint", "%lld", (long long)facts->checkpoint);
    }
    put_events(list, facts);
    facts_open(list, "meta", '{');
    for (size_t i = 0; i < PROVENANCE_COUNT; i++) {
        fact_text(list, provenance[i], cn_run_meta(run, provenance[i]));
    }
    facts_close(list, '}');
}

static void info_run_write(const char *path, bool json, cn_run *run, const run_facts *facts) {
    fact_list list = facts_start(stdout, json);
    put_run(&list, path, run, facts);
    facts_title(&list, path);
    facts_print(&list, 22, run_lines);
    if (!json) {
        const char *tolerance = cn_run_meta(run, "tolerance");
        run_summary_print(&facts->summary, tolerance ? strtod(tolerance, NULL) : 0.0,
                          cn_run_meta(run, "state_hash"));
    }
    facts_print(&list, 22, event_lines);
    facts_end(&list);
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
    } else {
        info_run_write(path, json, run, &facts);
    }
    cn_run_close(run);
    cn_arena_destroy(facts.memory);
    return code;
}
