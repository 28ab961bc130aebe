// bench/engines/comparison.c
// Comparisons of settings of ours and other engines; see comparison.h.
#include "bench/engines/comparison.h"

#include "support/progress.h"
#include "support/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What all starts of an engine gave.
typedef struct compared_engine {
    engine_result starts[COMPARISON_STARTS];
    int32_t count;
    int32_t failed; // starts that a peer did not get through
    const char *name;
    const comparison_setting *ours; // NULL: a peer
} compared_engine;

// ---- medians ----

typedef double field_fn(const engine_result *result);

#define FIELD(name)                                                                                \
    static double field_##name(const engine_result *result) {                                      \
        return (double)result->name;                                                               \
    }
FIELD(contacts)
FIELD(overlap_worst)
FIELD(overlap_settled)
FIELD(kinetic)
FIELD(moved)
FIELD(residual_worst)
FIELD(residual_settled)
FIELD(momentum)
FIELD(iterations)
FIELD(simulated)
FIELD(cpu_s)

// The value at a share of the sorted starts: 0 the least, 0.5 the median, 1 the largest.
static double engine_quantile(const compared_engine *engine, field_fn *field, double share) {
    double values[COMPARISON_STARTS];
    int32_t count = 0;
    for (int32_t i = 0; i < engine->count; i++) {
        double value = field(&engine->starts[i]);
        if (!isnan(value)) {
            values[count++] = value;
        }
    }
    if (count == 0) {
        return (double)NAN;
    }
    qsort(values, (size_t)count, sizeof *values, compare_reals);
    double place = share * (count - 1);
    int32_t low = (int32_t)floor(place), high = (int32_t)ceil(place);
    return 0.5 * (values[low] + values[high]);
}

static double engine_median(const compared_engine *engine, field_fn *field) {
    return engine_quantile(engine, field, 0.5);
}

static int64_t engine_missed(const compared_engine *engine) {
    int64_t missed = 0;
    for (int32_t i = 0; i < engine->count; i++) {
        missed += engine->starts[i].missed;
    }
    return missed;
}

// Shares of the CPU time by phase, and what is in none of them.
static void engine_phases(const compared_engine *engine, double shares[PHASES + 1]) {
    double whole = 0.0;
    memset(shares, 0, (PHASES + 1) * sizeof *shares);
    for (int32_t i = 0; i < engine->count; i++) {
        whole += engine->starts[i].cpu_s;
        for (int32_t k = 0; k < PHASES; k++) {
            shares[k] += engine->starts[i].phases[k];
        }
    }
    shares[PHASES] = whole;
    for (int32_t k = 0; k < PHASES; k++) {
        shares[PHASES] -= shares[k];
    }
    for (int32_t k = 0; k <= PHASES; k++) {
        shares[k] = whole > 0.0 ? shares[k] / whole : (double)NAN;
    }
}

// ---- what is said ----

static const row_column comparison_columns[] = {{"scene", NULL, 0, 0, 0.0},
                                                {NULL, "engine", -26, 0, 0.0},
                                                {"engine", NULL, 0, 0, 0.0},
                                                {"setting", NULL, 0, 0, 0.0},
                                                {"starts", NULL, 0, 0, 0.0},
                                                {"until", NULL, 0, 0, 0.0},
                                                {"simulated", NULL, 0, 0, 0.0},
                                                {"cpu_s", NULL, 0, 0, 0.0},
                                                {"sp", "S_p", 8, 3, 0.0},
                                                {"sp_least", "least", 8, 3, 0.0},
                                                {"sp_most", "most", 8, 3, 0.0},
                                                {"sp_over_ode", "x ODE", 7, 3, 0.0},
                                                {"contacts", "contacts", 8, 4, 0.0},
                                                {"missed", "missed", 6, 0, 0.0},
                                                {"overlap_settled", "overlap", 9, 2, 0.0},
                                                {"overlap_worst", "worst", 9, 2, 0.0},
                                                {"moved", "moved [m]", 9, 2, 0.0},
                                                {"kinetic", "E_kin [J]", 9, 2, 0.0},
                                                {"residual_settled", "residual", 9, 2, 0.0},
                                                {"residual_worst", "worst", 9, 2, 0.0},
                                                {"iterations", "iterations", 10, 3, 0.0},
                                                {"phases.detect", NULL, 0, 0, 0.0},
                                                {"phases.assemble", NULL, 0, 0, 0.0},
                                                {"phases.solve", NULL, 0, 0, 0.0},
                                                {"phases.advance", NULL, 0, 0, 0.0},
                                                {"phases.other", NULL, 0, 0, 0.0},
                                                {NULL, "det/ass/sol/adv %", 17, 0, 0.0},
                                                {"momentum", NULL, 0, 0, 0.0},
                                                {NULL, NULL, 0, 0, 0.0}};

// What only ours tell: iterations, where the time went.
static void comparison_print_phases(row_table *table, const compared_engine *engine) {
    double shares[PHASES + 1];
    engine_phases(engine, shares);
    row_real(table, engine_median(engine, field_iterations));
    for (int32_t k = 0; k <= PHASES; k++) {
        row_real(table, shares[k]);
    }
    char *text = format_text("%.0f/%.0f/%.0f/%.0f", 100.0 * shares[0], 100.0 * shares[1],
                             100.0 * shares[2], 100.0 * shares[3]);
    row_text(table, text);
    row_none(table); // momentum
    free(text);
}

static void comparison_print(row_table *table, const engine_comparison *comparison,
                             const compared_engine *engine, double ode) {
    const engine_result *first = &engine->starts[0];
    double speed = engine_median(engine, engine_speed), unit = comparison->scene_case.unit,
           until = comparison->scene_case.until, simulated = engine_median(engine, field_simulated);
    char *name =
        format_text("%s%s", first->name, simulated < until - 5e-7 * until ? " (cut short)" : "");
    row_text(table, comparison->label);
    row_ink(table, engine->ours ? INK_BOLD : INK_PLAIN);
    row_text(table, name);
    row_text(table, first->name);
    row_text(table, first->setting);
    row_int(table, engine->count);
    row_real(table, until);
    row_real(table, simulated);
    row_real(table, engine_median(engine, field_cpu_s));
    row_real(table, speed);
    row_real(table, engine_quantile(engine, engine_speed, 0.0));
    row_real(table, engine_quantile(engine, engine_speed, 1.0));
    row_real(table, speed / ode);
    row_real(table, engine_median(engine, field_contacts));
    if (engine->ours) {
        row_int(table, engine_missed(engine));
    } else {
        row_none(table);
    }
    row_real(table, engine_median(engine, field_overlap_settled) / unit);
    row_real(table, engine_median(engine, field_overlap_worst) / unit);
    row_real(table, engine_median(engine, field_moved));
    row_real(table, engine_median(engine, field_kinetic));
    row_real(table, engine_median(engine, field_residual_settled));
    row_real(table, engine_median(engine, field_residual_worst));
    if (engine->ours) {
        comparison_print_phases(table, engine);
    } else {
        for (int32_t k = 0; k < PHASES + 3; k++) {
            row_none(table);
        }
        row_real(table, engine_median(engine, field_momentum));
    }
    free(name);
}

static void comparison_failed(const bench_job *job, const char *bench,
                              const engine_comparison *comparison, const compared_engine *engine) {
    if (!job->json) {
        printf("%s: ended without an answer from %d of %d starts\n", engine->name,
               (int)engine->failed, (int)(engine->failed + engine->count));
        return;
    }
    json_writer out = bench_row_start(bench);
    put_text(&out, "scene", comparison->label);
    put_text(&out, "engine", engine->name);
    put_int(&out, "failed", engine->failed);
    bench_row_end(&out);
}

// One line for each figure that is asked for.
static void comparison_asked(const char *what, bool max, double got, double asked) {
    if (asked > 0.0) {
        bool good = max ? got <= asked : got >= asked;
        printf("  %s%s: %.3g, asked %s %g%s%s\n", ink_begin(stdout, good ? INK_GOOD : INK_BAD),
               what, got, max ? "at most" : "at least", asked, good ? "" : " (short of it)",
               ink_end(stdout, good ? INK_GOOD : INK_BAD));
    }
}

static void comparison_judge(const engine_comparison *comparison, const compared_engine *engine,
                             double ode) {
    const comparison_setting *setting = engine->ours;
    if (!setting) {
        return;
    }
    double speed = engine_median(engine, engine_speed);
    double overlap = engine_median(engine, field_overlap_settled) / comparison->scene_case.unit;
    const struct {
        const char *what;
        bool max;
        double got, asked;
    } figures[] = {{"S_p", false, speed, setting->speed},
                   {"S_p over ODE's", false, speed / ode, isnan(ode) ? 0.0 : setting->ratio},
                   {"overlap when settled", true, overlap, setting->overlap},
                   {"way of a body [m]", true, engine_median(engine, field_moved), setting->moved}};
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        char *what = format_text("%s, %s, %s", comparison->label, setting->label, figures[i].what);
        comparison_asked(what, figures[i].max, figures[i].got, figures[i].asked);
        free(what);
    }
}

// ---- running ----

static bool comparison_start_ours(const engine_comparison *comparison,
                                  const comparison_setting *setting, const char *seed,
                                  engine_world *peer_world, engine_result *result) {
    cn_override more[ENGINE_OVERRIDES] = {{NULL, NULL}};
    int32_t count = 0;
    for (; count < COMPARISON_OVERRIDES && setting->set[count].path; count++) {
        more[count] = setting->set[count];
    }
    if (comparison->seed) {
        more[count++] = (cn_override){comparison->seed, seed};
    }
    *result = (engine_result){.missed = 0};
    snprintf(result->name, sizeof result->name, "Cairn, %s", setting->label);
    engine_world world;
    if (!engine_world_open(&comparison->scene_case, more, comparison->friction, &world)) {
        return false;
    }
    snprintf(result->setting, sizeof result->setting, "residual %g per step",
             cn_model_settings(world.model)->tolerance);
    bool good = engine_run_cairn(&comparison->scene_case, &world, result);
    // The first setting's world is also the one that peers are given.
    if (peer_world && !peer_world->model) {
        *peer_world = world;
    } else {
        engine_world_close(&world);
    }
    return good;
}

static void comparison_start(const engine_comparison *comparison, int32_t start,
                             compared_engine *engines, int32_t ours, bool *good) {
    char *seed = format_text("%d", (int)start + 1);
    engine_world world = {.model = NULL};
    for (int32_t i = 0; *good && i < ours && !interrupted(); i++) {
        compared_engine *engine = &engines[i];
        *good = comparison_start_ours(comparison, engine->ours, seed, &world,
                                      &engine->starts[engine->count]);
        engine->count += *good;
    }
    for (int32_t i = 0; *good && !comparison->alone && i < peer_engine_count && !interrupted();
         i++) {
        compared_engine *engine = &engines[ours + i];
        engine_result *result = &engine->starts[engine->count];
        engine_run_peer(&comparison->scene_case, &world, &peer_engines[i], result);
        engine->name = peer_engines[i].name;
        engine->failed += result->found && !result->ran && !interrupted();
        engine->count += result->ran;
    }
    if (world.model) {
        engine_world_close(&world);
    }
    free(seed);
}

static void comparison_report(const bench_job *job, const char *bench,
                              const engine_comparison *comparison, const compared_engine *engines,
                              int32_t count, int32_t ours, accuracy_chart *chart) {
    double ode = comparison->alone || engines[ours].count == 0
                     ? (double)NAN
                     : engine_median(&engines[ours], engine_speed);
    if (!job->json) {
        printf("%s, %g s, median of %d, overlaps over %g m\n", comparison->label,
               comparison->scene_case.until, (int)engines[0].count, comparison->scene_case.unit);
    }
    row_table table = row_table_start(stdout, job->json, bench, comparison_columns);
    for (int32_t i = 0; i < count; i++) {
        const compared_engine *engine = &engines[i];
        if (engine->failed > 0) {
            comparison_failed(job, bench, comparison, engine);
        }
        if (engine->count == 0) {
            continue;
        }
        comparison_print(&table, comparison, engine, ode);
        if (chart) {
            chart_add(chart, &engine->starts[0], comparison->mark,
                      engine_median(engine, engine_speed),
                      engine_median(engine, field_overlap_settled) / comparison->scene_case.unit);
        }
    }
    for (int32_t i = 0; !job->json && i < ours; i++) {
        comparison_judge(comparison, &engines[i], ode);
    }
}

static int comparison_run(const bench_job *job, const char *bench,
                          const engine_comparison *comparison, accuracy_chart *chart) {
    compared_engine *engines = ALLOCATE(compared_engine, COMPARISON_ENGINES);
    int32_t ours = 0;
    for (; comparison->settings[ours].label && ours < COMPARISON_ENGINES - peer_engine_count;
         ours++) {
        engines[ours].ours = &comparison->settings[ours];
    }
    int32_t starts = comparison->seed ? job->repeats : 1;
    starts = starts < COMPARISON_STARTS ? starts : COMPARISON_STARTS;
    bool good = true;
    for (int32_t i = 0; good && i < starts && !interrupted(); i++) {
        comparison_start(comparison, i, engines, ours, &good);
    }
    int code = good ? EXIT_DONE : EXIT_FAILED;
    if (good && engines[0].count > 0) {
        comparison_report(job, bench, comparison, engines, ours + peer_engine_count, ours, chart);
        fflush(stdout);
        for (int32_t i = 0; i < ours; i++) {
            code = engine_missed(&engines[i]) > 0 ? EXIT_TOLERANCE : code;
        }
    }
    free(engines);
    return code;
}

int comparison_list_run(const bench_job *job, const comparison_list *list) {
    int code = EXIT_DONE;
    accuracy_chart *chart = chart_open(list->title, list->subtitle, list->y_label);
    for (int32_t i = 0; i < list->count && !interrupted(); i++) {
        engine_comparison comparison = list->comparisons[i];
        if (job->until > 0.0) {
            comparison.scene_case.until = job->until;
        }
        if (job->sizes ? bench_wants(job, comparison.mark) : !comparison.large) {
            code = exit_join(code, comparison_run(job, list->bench, &comparison, chart));
        }
    }
    code = exit_join(code, interrupted() ? EXIT_INTERRUPTED : EXIT_DONE);
    return exit_join(code, chart_close(chart, job->chart));
}
