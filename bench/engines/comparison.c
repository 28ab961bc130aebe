// bench/engines/comparison.c
// Contests between settings of ours and other engines; see comparison.h.
#include "bench/engines/comparison.h"

#include "support/json.h"
#include "support/progress.h"
#include "support/terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What all starts of an entrant gave.
typedef struct cn_entrant {
    cn_race_result starts[CN_CONTEST_STARTS];
    int32_t count;
    int32_t failed; // starts that a peer did not get through
    const char *name;
    const cn_contest_setting *ours; // NULL: a peer
} cn_entrant;

// ---- medians ----

typedef double cn_field_fn(const cn_race_result *result);

#define CN_FIELD(name)                                                                             \
    static double cn_field_##name(const cn_race_result *result) {                                  \
        return (double)result->name;                                                               \
    }
CN_FIELD(contacts)
CN_FIELD(overlap_worst)
CN_FIELD(overlap_settled)
CN_FIELD(kinetic)
CN_FIELD(moved)
CN_FIELD(residual_worst)
CN_FIELD(residual_settled)
CN_FIELD(momentum)
CN_FIELD(iterations)
CN_FIELD(simulated)
CN_FIELD(cpu_s)

static int cn_contest_compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// The value at a share of the sorted starts: 0 the least, 0.5 the median, 1 the largest.
static double cn_entrant_at(const cn_entrant *entrant, cn_field_fn *field, double share) {
    double values[CN_CONTEST_STARTS];
    int32_t count = 0;
    for (int32_t i = 0; i < entrant->count; i++) {
        double value = field(&entrant->starts[i]);
        if (!isnan(value)) {
            values[count++] = value;
        }
    }
    if (count == 0) {
        return (double)NAN;
    }
    qsort(values, (size_t)count, sizeof *values, cn_contest_compare);
    double place = share * (count - 1);
    int32_t low = (int32_t)floor(place), high = (int32_t)ceil(place);
    return 0.5 * (values[low] + values[high]);
}

static double cn_entrant_median(const cn_entrant *entrant, cn_field_fn *field) {
    return cn_entrant_at(entrant, field, 0.5);
}

static int64_t cn_entrant_missed(const cn_entrant *entrant) {
    int64_t missed = 0;
    for (int32_t i = 0; i < entrant->count; i++) {
        missed += entrant->starts[i].missed;
    }
    return missed;
}

// Shares of the CPU time by phase, and what is in none of them.
static void cn_entrant_phases(const cn_entrant *entrant, double shares[CN_PHASES + 1]) {
    double whole = 0.0;
    memset(shares, 0, (CN_PHASES + 1) * sizeof *shares);
    for (int32_t i = 0; i < entrant->count; i++) {
        whole += entrant->starts[i].cpu_s;
        for (int32_t k = 0; k < CN_PHASES; k++) {
            shares[k] += entrant->starts[i].phases[k];
        }
    }
    shares[CN_PHASES] = whole;
    for (int32_t k = 0; k < CN_PHASES; k++) {
        shares[CN_PHASES] -= shares[k];
    }
    for (int32_t k = 0; k <= CN_PHASES; k++) {
        shares[k] = whole > 0.0 ? shares[k] / whole : (double)NAN;
    }
}

// ---- what is said ----

static const cn_column cn_contest_columns[] = {
    {"entrant", -26}, {"S_p", 8},         {"least", 8},
    {"most", 8},      {"x ODE", 7},       {"contacts", 8},
    {"missed", 6},    {"overlap", 9},     {"worst", 9},
    {"moved [m]", 9}, {"E_kin [J]", 9},   {"residual", 9},
    {"worst", 9},     {"iterations", 10}, {"det/ass/sol/adv %", 17},
    {NULL, 0}};

static void cn_contest_print(cn_table *table, const cn_contest *contest, const cn_entrant *entrant,
                             double ode) {
    double speed = cn_entrant_median(entrant, cn_race_speed), shares[CN_PHASES + 1];
    const cn_race_result *first = &entrant->starts[0];
    char *name = cn_text("%s%s", first->name,
                         cn_entrant_median(entrant, cn_field_simulated) <
                                 contest->course.until - 0.5 * contest->course.until / 1e6
                             ? " (cut short)"
                             : "");
    cn_table_text(table, name, entrant->ours ? CN_INK_BOLD : CN_INK_PLAIN);
    free(name);
    cn_table_real(table, 3, speed);
    cn_table_real(table, 3, cn_entrant_at(entrant, cn_race_speed, 0.0));
    cn_table_real(table, 3, cn_entrant_at(entrant, cn_race_speed, 1.0));
    cn_table_real(table, 3, speed / ode);
    cn_table_real(table, 4, cn_entrant_median(entrant, cn_field_contacts));
    if (entrant->ours) {
        cn_table_int(table, cn_entrant_missed(entrant));
    } else {
        cn_table_text(table, "-", CN_INK_DIM);
    }
    cn_table_real(table, 2,
                  cn_entrant_median(entrant, cn_field_overlap_settled) / contest->course.unit);
    cn_table_real(table, 2,
                  cn_entrant_median(entrant, cn_field_overlap_worst) / contest->course.unit);
    cn_table_real(table, 2, cn_entrant_median(entrant, cn_field_moved));
    cn_table_real(table, 2, cn_entrant_median(entrant, cn_field_kinetic));
    cn_table_real(table, 2, cn_entrant_median(entrant, cn_field_residual_settled));
    cn_table_real(table, 2, cn_entrant_median(entrant, cn_field_residual_worst));
    if (entrant->ours) {
        cn_entrant_phases(entrant, shares);
        cn_table_real(table, 3, cn_entrant_median(entrant, cn_field_iterations));
        char *text = cn_text("%.0f/%.0f/%.0f/%.0f", 100.0 * shares[0], 100.0 * shares[1],
                             100.0 * shares[2], 100.0 * shares[3]);
        cn_table_text(table, text, CN_INK_PLAIN);
        free(text);
    } else {
        cn_table_text(table, "-", CN_INK_DIM);
        cn_table_text(table, "-", CN_INK_DIM);
    }
}

static void cn_contest_json(const char *bench, const cn_contest *contest, const cn_entrant *entrant,
                            double ode) {
    static const char *const phases[] = {"detect", "assemble", "solve", "advance", "other"};
    double speed = cn_entrant_median(entrant, cn_race_speed), shares[CN_PHASES + 1];
    cn_json out = cn_put_start(stdout);
    cn_put_open(&out, NULL, '{');
    cn_put_text(&out, "bench", bench);
    cn_put_text(&out, "scene", contest->label);
    cn_put_text(&out, "entrant", entrant->starts[0].name);
    cn_put_text(&out, "setting", entrant->starts[0].setting);
    cn_put_int(&out, "starts", entrant->count);
    cn_put_real(&out, "until", contest->course.until);
    cn_put_real(&out, "simulated", cn_entrant_median(entrant, cn_field_simulated));
    cn_put_real(&out, "cpu_s", cn_entrant_median(entrant, cn_field_cpu_s));
    cn_put_real(&out, "sp", speed);
    cn_put_real(&out, "sp_least", cn_entrant_at(entrant, cn_race_speed, 0.0));
    cn_put_real(&out, "sp_most", cn_entrant_at(entrant, cn_race_speed, 1.0));
    cn_put_real(&out, "sp_over_ode", speed / ode);
    cn_put_real(&out, "contacts", cn_entrant_median(entrant, cn_field_contacts));
    cn_put_real(&out, "overlap_settled",
                cn_entrant_median(entrant, cn_field_overlap_settled) / contest->course.unit);
    cn_put_real(&out, "overlap_worst",
                cn_entrant_median(entrant, cn_field_overlap_worst) / contest->course.unit);
    cn_put_real(&out, "moved", cn_entrant_median(entrant, cn_field_moved));
    cn_put_real(&out, "kinetic", cn_entrant_median(entrant, cn_field_kinetic));
    cn_put_real(&out, "residual_settled", cn_entrant_median(entrant, cn_field_residual_settled));
    cn_put_real(&out, "residual_worst", cn_entrant_median(entrant, cn_field_residual_worst));
    if (entrant->ours) {
        cn_put_int(&out, "missed", cn_entrant_missed(entrant));
        cn_put_real(&out, "iterations", cn_entrant_median(entrant, cn_field_iterations));
        cn_entrant_phases(entrant, shares);
        cn_put_open(&out, "phases", '{');
        for (int32_t k = 0; k <= CN_PHASES; k++) {
            cn_put_real(&out, phases[k], shares[k]);
        }
        cn_put_close(&out, '}');
    } else {
        cn_put_real(&out, "momentum", cn_entrant_median(entrant, cn_field_momentum));
    }
    cn_put_close(&out, '}');
    cn_put_end(&out);
}

static void cn_contest_failed(const cn_bench_job *job, const char *bench, const cn_contest *contest,
                              const cn_entrant *entrant) {
    if (!job->json) {
        printf("%s: ended without an answer from %d of %d starts\n", entrant->name,
               (int)entrant->failed, (int)(entrant->failed + entrant->count));
        return;
    }
    cn_json out = cn_put_start(stdout);
    cn_put_open(&out, NULL, '{');
    cn_put_text(&out, "bench", bench);
    cn_put_text(&out, "scene", contest->label);
    cn_put_text(&out, "entrant", entrant->name);
    cn_put_int(&out, "failed", entrant->failed);
    cn_put_close(&out, '}');
    cn_put_end(&out);
}

// One line for each figure that is asked for.
static void cn_contest_asked(const char *what, bool most, double got, double asked) {
    if (asked > 0.0) {
        bool good = most ? got <= asked : got >= asked;
        printf("  %s%s: %.3g, asked %s %g%s%s\n",
               cn_ink_begin(stdout, good ? CN_INK_GOOD : CN_INK_BAD), what, got,
               most ? "at most" : "at least", asked, good ? "" : " (short of it)",
               cn_ink_end(stdout, good ? CN_INK_GOOD : CN_INK_BAD));
    }
}

static void cn_contest_judge(const cn_contest *contest, const cn_entrant *entrant, double ode) {
    const cn_contest_setting *setting = entrant->ours;
    if (!setting) {
        return;
    }
    double speed = cn_entrant_median(entrant, cn_race_speed);
    double overlap = cn_entrant_median(entrant, cn_field_overlap_settled) / contest->course.unit;
    const struct {
        const char *what;
        bool most;
        double got, asked;
    } figures[] = {
        {"S_p", false, speed, setting->speed},
        {"S_p over ODE's", false, speed / ode, isnan(ode) ? 0.0 : setting->ratio},
        {"overlap when settled", true, overlap, setting->overlap},
        {"way of a body [m]", true, cn_entrant_median(entrant, cn_field_moved), setting->moved}};
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        char *what = cn_text("%s, %s, %s", contest->label, setting->label, figures[i].what);
        cn_contest_asked(what, figures[i].most, figures[i].got, figures[i].asked);
        free(what);
    }
}

// ---- running ----

static bool cn_contest_start_ours(const cn_contest *contest, const cn_contest_setting *setting,
                                  const char *seed, cn_race_world *keep, cn_race_result *result) {
    cn_override more[CN_RACE_OVERRIDES] = {{NULL, NULL}};
    int32_t count = 0;
    for (; count < CN_CONTEST_OVERRIDES && setting->set[count].path; count++) {
        more[count] = setting->set[count];
    }
    if (contest->seed) {
        more[count++] = (cn_override){contest->seed, seed};
    }
    *result = (cn_race_result){.missed = 0};
    snprintf(result->name, sizeof result->name, "Cairn, %s", setting->label);
    cn_race_world world;
    if (!cn_race_world_open(&contest->course, more, contest->friction, &world)) {
        return false;
    }
    snprintf(result->setting, sizeof result->setting, "residual %g a step",
             cn_model_settings(world.model)->tolerance);
    bool good = cn_race_ours(&contest->course, &world, result);
    // The first setting's world is also the one that peers are given.
    if (keep && !keep->model) {
        *keep = world;
    } else {
        cn_race_world_close(&world);
    }
    return good;
}

static void cn_contest_start(const cn_contest *contest, int32_t start, cn_entrant *entrants,
                             int32_t ours, bool *good) {
    char *seed = cn_text("%d", (int)start + 1);
    cn_race_world world = {.model = NULL};
    for (int32_t i = 0; *good && i < ours && !cn_interrupted(); i++) {
        cn_entrant *entrant = &entrants[i];
        *good = cn_contest_start_ours(contest, entrant->ours, seed, &world,
                                      &entrant->starts[entrant->count]);
        entrant->count += *good;
    }
    for (int32_t i = 0; *good && !contest->alone && i < cn_peer_engine_count && !cn_interrupted();
         i++) {
        cn_entrant *entrant = &entrants[ours + i];
        cn_race_result *result = &entrant->starts[entrant->count];
        cn_race_theirs(&contest->course, &world, &cn_peer_engines[i], result);
        entrant->name = cn_peer_engines[i].name;
        entrant->failed += result->found && !result->ran && !cn_interrupted();
        entrant->count += result->ran;
    }
    if (world.model) {
        cn_race_world_close(&world);
    }
    free(seed);
}

static void cn_contest_tell(const cn_bench_job *job, const char *bench, const cn_contest *contest,
                            const cn_entrant *entrants, int32_t count, int32_t ours,
                            cn_chart *chart) {
    double ode = contest->alone || entrants[ours].count == 0
                     ? (double)NAN
                     : cn_entrant_median(&entrants[ours], cn_race_speed);
    cn_table table;
    if (!job->json) {
        printf("%s, %g s, median of %d, overlaps over %g m\n", contest->label,
               contest->course.until, (int)entrants[0].count, contest->course.unit);
        cn_table_start(&table, stdout, cn_contest_columns);
    }
    for (int32_t i = 0; i < count; i++) {
        const cn_entrant *entrant = &entrants[i];
        if (entrant->failed > 0) {
            cn_contest_failed(job, bench, contest, entrant);
        }
        if (entrant->count == 0) {
            continue;
        }
        if (job->json) {
            cn_contest_json(bench, contest, entrant, ode);
        } else {
            cn_contest_print(&table, contest, entrant, ode);
        }
        if (chart) {
            cn_chart_add(chart, &entrant->starts[0], contest->mark,
                         cn_entrant_median(entrant, cn_race_speed),
                         cn_entrant_median(entrant, cn_field_overlap_settled) /
                             contest->course.unit);
        }
    }
    for (int32_t i = 0; !job->json && i < ours; i++) {
        cn_contest_judge(contest, &entrants[i], ode);
    }
}

static int cn_contest_run(const cn_bench_job *job, const char *bench, const cn_contest *contest,
                          cn_chart *chart) {
    cn_entrant *entrants = CN_ALLOCATE(cn_entrant, CN_CONTEST_ENTRANTS);
    int32_t ours = 0;
    for (; contest->settings[ours].label && ours < CN_CONTEST_ENTRANTS - cn_peer_engine_count;
         ours++) {
        entrants[ours].ours = &contest->settings[ours];
    }
    int32_t starts = contest->seed ? job->repeats : 1;
    starts = starts < CN_CONTEST_STARTS ? starts : CN_CONTEST_STARTS;
    bool good = true;
    for (int32_t i = 0; good && i < starts && !cn_interrupted(); i++) {
        cn_contest_start(contest, i, entrants, ours, &good);
    }
    int code = good ? CN_EXIT_DONE : CN_EXIT_FAILURE;
    if (good && entrants[0].count > 0) {
        cn_contest_tell(job, bench, contest, entrants, ours + cn_peer_engine_count, ours, chart);
        fflush(stdout);
        for (int32_t i = 0; i < ours; i++) {
            code = cn_entrant_missed(&entrants[i]) > 0 ? CN_EXIT_TOLERANCE : code;
        }
    }
    free(entrants);
    return code;
}

int cn_contest_list_run(const cn_bench_job *job, const cn_contest_list *list) {
    int code = CN_EXIT_DONE;
    cn_chart *chart = cn_chart_open(list->title, list->subtitle, list->y_label);
    for (int32_t i = 0; i < list->count && !cn_interrupted(); i++) {
        cn_contest contest = list->contests[i];
        if (job->until > 0.0) {
            contest.course.until = job->until;
        }
        if (job->sizes ? cn_bench_wants(job, contest.mark) : !contest.large) {
            code = cn_exit_join(code, cn_contest_run(job, list->bench, &contest, chart));
        }
    }
    code = cn_exit_join(code, cn_interrupted() ? CN_EXIT_INTERRUPTED : CN_EXIT_DONE);
    return cn_exit_join(code, cn_chart_close(chart, job->chart));
}
