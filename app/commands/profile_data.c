// app/commands/profile_data.c
// The arithmetic of performance profiles; see profile_data.h.
#include "commands/profile_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIN_CPU 1e-9 // [s] the clock's own step: a shorter time is not known to be shorter
#define FASTEST 1.0  // tau of the best

void profile_free(performance_profile *profile) {
    for (int32_t i = 0; i < profile->entry_count; i++) {
        free(profile->entries[i].words);
        free(profile->entries[i].choice.settings.words);
    }
    for (int32_t i = 0; i < profile->problem_count; i++) {
        free(profile->problems[i].name);
    }
    free(profile->entries);
    free(profile->problems);
    free(profile->solves);
}

static int64_t profile_stride(const performance_profile *profile) {
    return (int64_t)profile->tolerance_count * profile->entry_count;
}

void profile_add(performance_profile *profile, const problem_file *c, const profile_solve *solves) {
    int64_t stride = profile_stride(profile), count = profile->problem_count;
    profile->problems = reallocate(profile->problems, count + 1, sizeof *profile->problems);
    profile->solves = reallocate(profile->solves, (count + 1) * stride, sizeof *profile->solves);
    profile->problems[count] =
        (profile_problem){.name = format_text("%s", c->name), c->dim, c->contacts};
    memcpy(profile->solves + count * stride, solves, (size_t)stride * sizeof *solves);
    profile->problem_count++;
}

const profile_solve *profile_at(const performance_profile *profile, int32_t problem,
                                int32_t tolerance, int32_t entry) {
    return profile->solves + problem * profile_stride(profile) +
           (int64_t)tolerance * profile->entry_count + entry;
}

static double solve_cost(const performance_profile *profile, const profile_solve *solve) {
    if (solve->outcome != CN_SOLVED) {
        return HUGE_VAL;
    }
    return profile->cost == COST_CPU ? fmax(solve->cpu_s, MIN_CPU)
                                     : fmax((double)solve->iterations, 1.0);
}

double profile_ratio(const performance_profile *profile, int32_t problem, int32_t tolerance,
                     int32_t entry) {
    double best = HUGE_VAL;
    for (int32_t i = 0; i < profile->entry_count; i++) {
        best = fmin(best, solve_cost(profile, profile_at(profile, problem, tolerance, i)));
    }
    double cost = solve_cost(profile, profile_at(profile, problem, tolerance, entry));
    return isfinite(cost) ? cost / best : HUGE_VAL;
}

static profile_row profile_row_make(const performance_profile *profile, int32_t tolerance,
                                    int32_t entry) {
    profile_row row = {.entry = entry,
                       .ratio_mean = (double)NAN,
                       .ratio_worst = (double)NAN,
                       .ratios = ALLOCATE(double, profile->problem_count)};
    double log_sum = 0.0;
    for (int32_t p = 0; p < profile->problem_count; p++) {
        double ratio = profile_ratio(profile, p, tolerance, entry);
        row.unsupported += profile_at(profile, p, tolerance, entry)->outcome == CN_UNSUPPORTED;
        if (isfinite(ratio)) {
            row.ratios[row.solved++] = ratio;
            row.fastest += ratio <= FASTEST;
            log_sum += log(ratio);
        }
    }
    qsort(row.ratios, (size_t)row.solved, sizeof *row.ratios, compare_reals);
    if (row.solved > 0) {
        row.ratio_mean = exp(log_sum / row.solved);
        row.ratio_worst = row.ratios[row.solved - 1];
    }
    return row;
}

// Most solved first, then the smaller mean ratio, then the order of the command line.
static int compare_rows(const void *a, const void *b) {
    const profile_row *x = a, *y = b;
    if (x->solved != y->solved) {
        return y->solved - x->solved;
    }
    if (x->ratio_mean < y->ratio_mean || y->ratio_mean < x->ratio_mean) {
        return x->ratio_mean < y->ratio_mean ? -1 : 1;
    }
    return x->entry - y->entry;
}

int32_t profile_rank(const performance_profile *profile, int32_t tolerance, profile_row **rows) {
    int32_t count = 0;
    *rows = ALLOCATE(profile_row, profile->entry_count);
    for (int32_t i = 0; i < profile->entry_count; i++) {
        profile_row row = profile_row_make(profile, tolerance, i);
        if (row.unsupported < profile->problem_count) {
            (*rows)[count++] = row;
        } else {
            free(row.ratios);
        }
    }
    qsort(*rows, (size_t)count, sizeof **rows, compare_rows);
    return count;
}

void profile_rows_free(profile_row *rows, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        free(rows[i].ratios);
    }
    free(rows);
}

double profile_largest(const profile_row *rows, int32_t count) {
    double largest = 1.0;
    for (int32_t i = 0; i < count; i++) {
        largest = fmax(largest, rows[i].ratio_worst); // fmax passes a NaN by
    }
    return largest;
}
