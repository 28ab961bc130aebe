// base/parallel.h
// Loops over units of work, by the threads of a cn_env. Units are a function of the problem alone
// and write to places of their own, so that the answer is bitwise identical for any number of
// threads.
#ifndef CAIRN_BASE_PARALLEL_H
#define CAIRN_BASE_PARALLEL_H

#include <cairn/base.h>

// Threads at work for env, the caller's among them. Only for a choice among ways with bitwise
// identical results.
int32_t base_thread_count(const cn_env *env);

typedef void base_unit_fn(void *user, int32_t unit);
// fn for every unit 0 .. units - 1, in any order, at once or not; back when all are done. env: NULL
// or without threads, one after the other, as a loop within a unit of another one is too.
void base_parallel_for(const cn_env *env, int32_t units, base_unit_fn *fn, void *user);

// The same over the numbers 0 .. count - 1 in ranges of BASE_RANGE, the last one shorter.
#define BASE_RANGE 16384
typedef void base_range_fn(void *user, int64_t first, int64_t end);
int32_t base_range_count(int64_t count); // how many
void base_parallel_ranges(const cn_env *env, int64_t count, base_range_fn *fn, void *user);

// Bytes copied or made zero by all threads.
void base_parallel_copy(const cn_env *env, void *to, const void *from, size_t bytes);
void base_parallel_zero(const cn_env *env, void *to, size_t bytes);

// fn for every unit 0 .. units - 1, each begun only when the two units that it names are done, both
// before it; -1: none. In that order where there is one thread.
typedef struct base_unit_after {
    int32_t unit[2];
} base_unit_after;
#define BASE_AFTER_MAX 128 // units
void base_parallel_after(const cn_env *env, int32_t units, const base_unit_after *after,
                         base_unit_fn *fn, void *user);

// The sum of fn over such ranges, added in their order.
typedef double base_range_sum_fn(const void *user, int64_t first, int64_t end);
double base_parallel_sum(const cn_env *env, int64_t count, base_range_sum_fn *fn, const void *user);

// What such ranges find, each in a record of its own that starts as zeros, joined to the total in
// their order. size: of a record in bytes, at most BASE_FOLD_SIZE.
#define BASE_FOLD_SIZE 256
typedef void base_range_fold_fn(const void *user, int64_t first, int64_t end, void *part);
typedef void base_join_fn(void *total, const void *part);
void base_parallel_fold(const cn_env *env, int64_t count, base_range_fold_fn *fn,
                        base_join_fn *join, const void *user, size_t size, void *total);

#endif
