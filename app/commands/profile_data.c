// app/commands/profile_data.c
// The arithmetic of performance profiles; see profile_data.h.
#include "commands/profile_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CN_LEAST_CPU 1e-9 // [s] the clock's own step: a shorter time is not known to be shorter
#define CN_FASTEST 1.0    // tau of the best

void cn_profile_free(cn_profile *profile) {
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

static int64_t cn_profile_stride(const cn_profile *profile) {
    return (int64_t)profile->tolerance_count * profile->entry_count;
}

void cn_profile_add(cn_profile *profile, const cn_case *c, const cn_profile_solve *solves) {
    int64_t stride = cn_profile_stride(profile), count = profile->problem_count;
    profile->problems = cn_reallocate(profile->problems, count + 1, sizeof *profile->problems);
    profile->solves = cn_reallocate(profile->solves, (count + 1) * stride, sizeof *profile->solves);
    profile->problems[count] =
        (cn_profile_problem){.name = cn_text("%s", c->name), c->dim, c->contacts};
    memcpy(profile->solves + count * stride, solves, (size_t)stride * sizeof *solves);
    profile->problem_count++;
}

const cn_profile_solve *cn_profile_at(const cn_profile *profile, int32_t problem, int32_t tolerance,
                                      int32_t entry) {
    return profile->solves + problem * cn_profile_stride(profile) +
           (int64_t)tolerance * profile->entry_count + entry;
}

static double cn_profile_cost(const cn_profile *profile, const cn_profile_solve *solve) {
    if (solve->outcome != CN_SOLVED) {
        return HUGE_VAL;
    }
    return profile->cost == CN_COST_CPU ? fmax(solve->cpu_s, CN_LEAST_CPU)
                                        : fmax((double)solve->iterations, 1.0);
}

double cn_profile_ratio(const cn_profile *profile, int32_t problem, int32_t tolerance,
                        int32_t entry) {
    double best = HUGE_VAL;
    for (int32_t i = 0; i < profile->entry_count; i++) {
        best = fmin(best, cn_profile_cost(profile, cn_profile_at(profile, problem, tolerance, i)));
    }
    double cost = cn_profile_cost(profile, cn_profile_at(profile, problem, tolerance, entry));
    return isfinite(cost) ? cost / best : HUGE_VAL;
}

static int cn_compare_reals(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static cn_profile_row cn_profile_row_make(const cn_profile *profile, int32_t tolerance,
                                          int32_t entry) {
    cn_profile_row row = {.entry = entry,
                          .ratio_mean = (double)NAN,
                          .ratio_worst = (double)NAN,
                          .ratios = CN_ALLOCATE(double, profile->problem_count)};
    double log_sum = 0.0;
    for (int32_t p = 0; p < profile->problem_count; p++) {
        double ratio = cn_profile_ratio(profile, p, tolerance, entry);
        row.unsupported += cn_profile_at(profile, p, tolerance, entry)->outcome == CN_UNSUPPORTED;
        if (isfinite(ratio)) {
            row.ratios[row.solved++] = ratio;
            row.fastest += ratio <= CN_FASTEST;
            log_sum += log(ratio);
        }
    }
    qsort(row.ratios, (size_t)row.solved, sizeof *row.ratios, cn_compare_reals);
    if (row.solved > 0) {
        row.ratio_mean = exp(log_sum / row.solved);
        row.ratio_worst = row.ratios[row.solved - 1];
    }
    return row;
}

// Most solved first, then the smaller mean ratio, then the order of the command line.
static int cn_compare_rows(const void *a, const void *b) {
    const cn_profile_row *x = a, *y = b;
    if (x->solved != y->solved) {
        return y->solved - x->solved;
    }
    if (x->ratio_mean < y->ratio_mean || y->ratio_mean < x->ratio_mean) {
        return x->ratio_mean < y->ratio_mean ? -1 : 1;
    }
    return x->entry - y->entry;
}

int32_t cn_profile_rank(const cn_profile *profile, int32_t tolerance, cn_profile_row **rows) {
    int32_t count = 0;
    *rows = CN_ALLOCATE(cn_profile_row, profile->entry_count);
    for (int32_t i = 0; i < profile->entry_count; i++) {
        cn_profile_row row = cn_profile_row_make(profile, tolerance, i);
        if (row.unsupported < profile->problem_count) {
            (*rows)[count++] = row;
        } else {
            free(row.ratios);
        }
    }
    qsort(*rows, (size_t)count, sizeof **rows, cn_compare_rows);
    return count;
}

void cn_profile_rows_free(cn_profile_row *rows, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        free(rows[i].ratios);
    }
    free(rows);
}

double cn_profile_largest(const cn_profile_row *rows, int32_t count) {
    double largest = 1.0;
    for (int32_t i = 0; i < count; i++) {
        largest = fmax(largest, rows[i].ratio_worst); // fmax passes a NaN by
    }
    return largest;
}
