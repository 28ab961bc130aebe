// base/parallel.c
// A pool of threads. A loop is a round: whoever is awake takes the next unit until none is left.
// The caller works too and closes the round when it finds no more units, so that threads that wake
// late are not waited for. Between rounds threads look out for the next one for a moment before
// they sleep, since a solve is a quick succession of loops.
#include "base/parallel.h"

#include "base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define LOOK_OUT 20000       // looks before sleeping: some 10 microseconds
#define LOOK_OUT_LONG 500000 // where every thread has a processor: longer than what one does alone
#define LOOKS_AWAKE 4000     // at a unit that is waited for, before giving way
#define SUM_MAX 1024         // ranges summed at a time
#define FOLD_MAX 32          // ranges folded at a time

struct cn_threads {
    int32_t count; // with the caller
    int32_t started;
    int32_t look_out; // looks before sleeping
    pthread_t worker[CN_THREADS_MAX];
    pthread_mutex_t busy; // held for a loop
    pthread_mutex_t lock; // of all below that is not atomic
    pthread_cond_t wake, done;
    atomic_int round; // counts up
    bool open;        // the round may be joined
    bool stop;
    atomic_int active; // workers in the round
    atomic_int next;   // unit
    int32_t units;
    base_unit_fn *fn;
    void *user;
};

cn_threads *cn_threads_create(int32_t count) {
    if (count < 1 || count > CN_THREADS_MAX) {
        return NULL;
    }
    cn_threads *threads = base_env_resize(NULL, NULL, 0, sizeof *threads);
    if (threads) {
        memset(threads, 0, sizeof *threads);
        threads->count = count;
        threads->look_out = count <= sysconf(_SC_NPROCESSORS_ONLN) ? LOOK_OUT_LONG : LOOK_OUT;
        pthread_mutex_init(&threads->busy, NULL);
        pthread_mutex_init(&threads->lock, NULL);
        pthread_cond_init(&threads->wake, NULL);
        pthread_cond_init(&threads->done, NULL);
    }
    return threads;
}

static void take_units(cn_threads *t) {
    for (int unit; (unit = atomic_fetch_add(&t->next, 1)) < t->units;) {
        t->fn(t->user, unit);
    }
}

static void await_round(cn_threads *t, int seen) {
    for (int i = 0; i < t->look_out; i++) {
        if (atomic_load(&t->round) != seen) {
            return;
        }
    }
    pthread_mutex_lock(&t->lock);
    while (!t->stop && atomic_load(&t->round) == seen) {
        pthread_cond_wait(&t->wake, &t->lock);
    }
    pthread_mutex_unlock(&t->lock);
}

static void *worker_main(void *argument) {
    cn_threads *t = argument;
    for (int seen = 0;;) {
        await_round(t, seen);
        pthread_mutex_lock(&t->lock);
        bool stop = t->stop, join = t->open && !stop;
        seen = atomic_load(&t->round);
        if (join) {
            atomic_fetch_add(&t->active, 1);
        }
        pthread_mutex_unlock(&t->lock);
        if (stop) {
            return NULL;
        }
        if (join) {
            take_units(t);
            if (atomic_fetch_sub(&t->active, 1) == 1) {
                pthread_mutex_lock(&t->lock);
                pthread_cond_signal(&t->done);
                pthread_mutex_unlock(&t->lock);
            }
        }
    }
}

// Starts the workers that are missing, with all signals left to the caller. Fewer is no failure.
static void start_workers(cn_threads *t) {
    sigset_t all, before;
    if (t->started == t->count - 1) {
        return;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (t->started < t->count - 1 &&
           pthread_create(&t->worker[t->started], NULL, worker_main, t) == 0) {
        t->started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void cn_threads_destroy(cn_threads *threads) {
    if (!threads) {
        return;
    }
    pthread_mutex_lock(&threads->lock);
    threads->stop = true;
    atomic_fetch_add(&threads->round, 1);
    pthread_cond_broadcast(&threads->wake);
    pthread_mutex_unlock(&threads->lock);
    for (int32_t i = 0; i < threads->started; i++) {
        pthread_join(threads->worker[i], NULL);
    }
    pthread_cond_destroy(&threads->done);
    pthread_cond_destroy(&threads->wake);
    pthread_mutex_destroy(&threads->lock);
    pthread_mutex_destroy(&threads->busy);
    base_env_resize(NULL, threads, sizeof *threads, 0);
}

static void run_round(cn_threads *t, int32_t units, base_unit_fn *fn, void *user) {
    pthread_mutex_lock(&t->lock);
    t->units = units;
    t->fn = fn;
    t->user = user;
    t->open = true;
    atomic_store(&t->next, 0);
    atomic_fetch_add(&t->round, 1);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
    take_units(t);
    pthread_mutex_lock(&t->lock);
    t->open = false;
    pthread_mutex_unlock(&t->lock);
    for (int i = 0; i < t->look_out && atomic_load(&t->active) > 0; i++) {
    }
    pthread_mutex_lock(&t->lock);
    while (atomic_load(&t->active) > 0) {
        pthread_cond_wait(&t->done, &t->lock);
    }
    pthread_mutex_unlock(&t->lock);
}

int32_t base_thread_count(const cn_env *env) {
    return env && env->threads ? env->threads->count : 1;
}

void base_parallel_for(const cn_env *env, int32_t units, base_unit_fn *fn, void *user) {
    cn_threads *threads = env ? env->threads : NULL;
    if (threads && threads->count > 1 && units > 1 && pthread_mutex_trylock(&threads->busy) == 0) {
        start_workers(threads);
        run_round(threads, units, fn, user);
        pthread_mutex_unlock(&threads->busy);
        return;
    }
    for (int32_t unit = 0; unit < units; unit++) {
        fn(user, unit);
    }
}

typedef struct base_ranges {
    int64_t first, end;
    base_range_fn *fn;
    void *user;
    base_range_sum_fn *sum;
    const void *summed;
    double part[SUM_MAX];
} base_ranges;

static int64_t range_end(const base_ranges *ranges, int64_t first) {
    return ranges->end - first < BASE_RANGE ? ranges->end : first + BASE_RANGE;
}

static void range_do(void *user, int32_t unit) {
    const base_ranges *ranges = user;
    int64_t first = ranges->first + (int64_t)BASE_RANGE * unit;
    ranges->fn(ranges->user, first, range_end(ranges, first));
}

static void range_add(void *user, int32_t unit) {
    base_ranges *ranges = user;
    int64_t first = ranges->first + (int64_t)BASE_RANGE * unit;
    ranges->part[unit] = ranges->sum(ranges->summed, first, range_end(ranges, first));
}

int32_t base_range_count(int64_t count) {
    return (int32_t)((count + BASE_RANGE - 1) / BASE_RANGE);
}

void base_parallel_ranges(const cn_env *env, int64_t count, base_range_fn *fn, void *user) {
    base_ranges ranges;
    ranges.first = 0;
    ranges.end = count;
    ranges.fn = fn;
    ranges.user = user;
    base_parallel_for(env, base_range_count(count), range_do, &ranges);
}

typedef struct base_bytes {
    unsigned char *to;
    const unsigned char *from; // NULL: zeros
    size_t count;
} base_bytes;

#define BYTES_AT_ONCE ((size_t)1 << 18)

static void bytes_do(void *user, int32_t unit) {
    const base_bytes *bytes = user;
    size_t first = BYTES_AT_ONCE * (size_t)unit, left = bytes->count - first,
           count = left < BYTES_AT_ONCE ? left : BYTES_AT_ONCE;
    if (bytes->from) {
        memcpy(bytes->to + first, bytes->from + first, count);
    } else {
        memset(bytes->to + first, 0, count);
    }
}

void base_parallel_copy(const cn_env *env, void *to, const void *from, size_t bytes) {
    base_bytes job = {to, from, bytes};
    int32_t units = (int32_t)((bytes + BYTES_AT_ONCE - 1) / BYTES_AT_ONCE);
    base_parallel_for(env, units, bytes_do, &job);
}

void base_parallel_zero(const cn_env *env, void *to, size_t bytes) {
    base_parallel_copy(env, to, NULL, bytes);
}

typedef struct base_waiting {
    const base_unit_after *after;
    base_unit_fn *fn;
    void *user;
    atomic_bool done[BASE_AFTER_MAX];
} base_waiting;

// Units are taken in their order, so what a unit waits for is under way or done.
static void waiting_do(void *user, int32_t unit) {
    base_waiting *waiting = user;
    for (int k = 0; k < 2; k++) {
        int32_t before = waiting->after[unit].unit[k];
        for (int32_t looks = 1;
             before >= 0 && !atomic_load_explicit(&waiting->done[before], memory_order_acquire);
             looks++) {
            if (looks % LOOKS_AWAKE == 0) {
                sched_yield(); // it may have no processor
            }
        }
    }
    waiting->fn(waiting->user, unit);
    atomic_store_explicit(&waiting->done[unit], true, memory_order_release);
}

void base_parallel_after(const cn_env *env, int32_t units, const base_unit_after *after,
                         base_unit_fn *fn, void *user) {
    base_waiting waiting = {.after = after, .fn = fn, .user = user};
    for (int32_t unit = 0; unit < units; unit++) {
        atomic_init(&waiting.done[unit], false);
    }
    base_parallel_for(env, units, waiting_do, &waiting);
}

double base_parallel_sum(const cn_env *env, int64_t count, base_range_sum_fn *fn,
                         const void *user) {
    base_ranges ranges;
    ranges.end = count;
    ranges.sum = fn;
    ranges.summed = user;
    double sum = 0.0;
    for (ranges.first = 0; ranges.first < count; ranges.first += (int64_t)BASE_RANGE * SUM_MAX) {
        int32_t units = base_range_count(count - ranges.first);
        units = units < SUM_MAX ? units : SUM_MAX;
        base_parallel_for(env, units, range_add, &ranges);
        for (int32_t i = 0; i < units; i++) {
            sum += ranges.part[i];
        }
    }
    return sum;
}

typedef struct base_folding {
    int64_t first, end;
    base_range_fold_fn *fn;
    const void *user;
    alignas(max_align_t) unsigned char part[FOLD_MAX][BASE_FOLD_SIZE];
} base_folding;

static void range_fold(void *user, int32_t unit) {
    base_folding *folding = user;
    int64_t first = folding->first + (int64_t)BASE_RANGE * unit,
            end = folding->end - first < BASE_RANGE ? folding->end : first + BASE_RANGE;
    folding->fn(folding->user, first, end, folding->part[unit]);
}

void base_parallel_fold(const cn_env *env, int64_t count, base_range_fold_fn *fn,
                        base_join_fn *join, const void *user, size_t size, void *total) {
    base_folding folding;
    folding.end = count;
    folding.fn = fn;
    folding.user = user;
    for (folding.first = 0; folding.first < count;
         folding.first += (int64_t)BASE_RANGE * FOLD_MAX) {
        int32_t units = base_range_count(count - folding.first);
        units = units < FOLD_MAX ? units : FOLD_MAX;
        for (int32_t i = 0; i < units; i++) {
            memset(folding.part[i], 0, size);
        }
        base_parallel_for(env, units, range_fold, &folding);
        for (int32_t i = 0; i < units; i++) {
            join(total, folding.part[i]);
        }
    }
}
