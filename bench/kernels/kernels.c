// bench/kernels/kernels.c
// CPU nanoseconds per contact per sweep of the batches' kernels, for `cairn bench kernels`.
//
//     kernels [--json] [--most=CONTACTS] [--repeats=N]
//
// Spheres in double and in single precision, and boxes. Beside each size: a naive sweep over
// spheres of the same number of contacts, what the memory bandwidth would allow, and what laying
// the contacts out in batches costs. The kernels take turns in short blocks and the shortest of
// each counts.
#include "lattice.h"
#include "naive.h"

#include "base/arena.h"
#include "base/clock.h"
#include "solve/gauss_seidel/sweep.h"
#include "solve/sweep_manifolds/manifolds.h"
#include "solve/sweep_spheres/spheres.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_WORK 100000 // contact-sweeps of a block: about a millisecond
#define BLOCKS 20         // a repeat; fewer when sweeps are longer than a block
#define BLOCKS_MIN 3
#define TRIAD_SIZE (4 << 20) // numbers in an array: beyond the caches

typedef struct kernel_options {
    bool json;
    int32_t max, repeats;
} kernel_options;

// What is swept.
typedef struct kernel_case {
    const char *shape;
    int32_t points; // a pair of bodies
    int32_t max;    // contacts
    bool single;    // precision
} kernel_case;

static const kernel_case kernel_cases[] = {{"spheres", 1, 3000000, false},
                                           {"single", 1, 3000000, true},
                                           {"boxes", 4, 300000, false},
                                           {"boxes-single", 4, 300000, true}};

// What was found at one size.
typedef struct cn_row {
    const char *shape;
    int32_t contacts, bodies;
    double ns, naive_ns;    // a contact and a sweep
    double bytes;           // that a sweep streams, a contact
    double packing, laying; // sweeps' worth of choosing the batches, and of all that is prepared
    double filled;          // share of lanes
} cn_row;

static void keep_min(double *min, double seconds) {
    *min = seconds < *min ? seconds : *min;
}

// ---- bandwidth ----

// [bytes/s] of a[i] = b[i] + 3 c[i].
static double triad_time(int32_t repeats) {
    size_t size = TRIAD_SIZE;
    double *a = calloc(3 * size, sizeof *a), min = HUGE_VAL;
    if (!a) {
        return (double)NAN;
    }
    double *b = a + size, *c = b + size;
    for (int32_t i = 0; i < 4 * repeats; i++) {
        double start = base_clock_cpu();
        for (size_t k = 0; k < size; k++) {
            a[k] = b[k] + 3.0 * c[k];
        }
        keep_min(&min, base_clock_cpu() - start);
        c[i] = a[i]; // so that no round can be left out
    }
    free(a);
    return 3.0 * sizeof *a * (double)size / min;
}

// ---- the naive sweep ----

typedef struct naive_problem {
    int32_t contacts;
    naive_contact *contact;
    naive_body *body;
} naive_problem;

static void naive_fill(const cn_friction *p, naive_problem *naive) {
    const cn_body_map *map = &p->W.body;
    int32_t bodies = map->dofs / 6;
    for (int32_t i = 0; i < bodies; i++) {
        naive->body[i].inv_mass = map->inverse[36 * (int64_t)i];
        naive->body[i].inv_inertia = map->inverse[36 * (int64_t)i + 35];
    }
    for (int32_t i = 0; i < p->contacts; i++) {
        naive_contact *c = &naive->contact[i];
        int64_t first = map->start[i], last = map->start[i + 1] - 6;
        const double *W = p->W.diagonal + 9 * (int64_t)i;
        *c = (naive_contact){.a = first < last ? map->dof[first] / 6 : bodies,
                             .b = map->dof[last] / 6,
                             .mu = p->mu[i],
                             .radius_a = 0.5,
                             .radius_b = 0.5,
                             .wn = W[0],
                             .wt = W[4]};
        for (int k = 0; k < 3; k++) {
            c->n[k] = map->H[3 * (last + k)];
            c->t[0][k] = map->H[3 * (last + k) + 1];
            c->t[1][k] = map->H[3 * (last + k) + 2];
            c->q[k] = p->q[3 * (int64_t)i + k];
        }
    }
}

static bool naive_make(int32_t contacts, cn_arena *memory, naive_problem *naive) {
    cn_friction p;
    if (lattice_spheres(contacts, memory, &p) != CN_OK) {
        return false;
    }
    naive->contacts = p.contacts;
    naive->contact = BASE_TAKE(memory, naive_contact, p.contacts);
    naive->body = BASE_TAKE_ZERO(memory, naive_body, p.W.body.dofs / 6 + 1);
    if (!naive->contact || !naive->body) {
        return false;
    }
    naive_fill(&p, naive);
    return true;
}

static double naive_time(naive_problem *naive, int32_t sweeps) {
    double start = base_clock_cpu();
    for (int32_t i = 0; i < sweeps; i++) {
        naive_spheres(naive->contacts, naive->contact, naive->body);
    }
    return (base_clock_cpu() - start) / sweeps;
}

// ---- ours ----

static cn_status kernel_prepare(const cn_friction *p, bool single, cn_arena *scratch,
                                gs_sweep *sweep) {
    const gs_sweep_plan plan = {.relaxation = 1.0, .single = single, .rigid_single = single};
    return gs_sweep_prepare_plan(p, cn_local_solver_find("hybrid"), &plan, scratch, sweep);
}

static double sweep_time(gs_sweep *sweep, double *x, int32_t sweeps) {
    double start = base_clock_cpu();
    for (int32_t i = 0; i < sweeps; i++) {
        sweep->ops->sweep(sweep->elements, x);
    }
    return (base_clock_cpu() - start) / sweeps;
}

// Seconds that choosing the batches takes.
static double packing_time(const cn_friction *p, cn_arena *scratch, int32_t points) {
    base_arena_mark mark = base_arena_get_mark(scratch);
    const cn_body_map *map = &p->W.body;
    int32_t bodies = map->dofs / 6, count = p->contacts / points;
    int32_t *pair = BASE_TAKE(scratch, int32_t, 2 * (int64_t)count);
    double seconds = (double)NAN;
    if (pair) {
        for (int32_t i = 0; i < count; i++) {
            int64_t first = map->start[i * points], last = map->start[i * points + 1] - 6;
            pair[2 * (int64_t)i] = first < last ? map->dof[first] / 6 : bodies;
            pair[2 * (int64_t)i + 1] = map->dof[last] / 6;
        }
        gs_batches batches;
        double start = base_clock_cpu();
        cn_status status = gs_batches_fill(count, pair, bodies, scratch, &batches);
        seconds = status == CN_OK ? base_clock_cpu() - start : (double)NAN;
    }
    base_arena_release(scratch, mark);
    return seconds;
}

// Seconds that preparing the whole sweep takes.
static double prepare_time(const cn_friction *p, bool single, cn_arena *scratch) {
    base_arena_mark mark = base_arena_get_mark(scratch);
    gs_sweep sweep;
    double start = base_clock_cpu();
    cn_status status = kernel_prepare(p, single, scratch, &sweep);
    double seconds = status == CN_OK ? base_clock_cpu() - start : (double)NAN;
    base_arena_release(scratch, mark);
    return seconds;
}

// Bytes that a sweep reads and writes, bodies apart.
static double streamed(const gs_sweep *sweep) {
    double impulses = 2.0 * (double)gs_sweep_bytes(sweep);
    if (sweep->ops->kind == GS_SWEEP_SPHERES) {
        const gs_spheres *spheres = sweep->elements;
        return impulses + (double)spheres->batches.count * (double)spheres->kernel->batch;
    }
    const gs_manifolds *m = sweep->elements;
    const gs_manifold_kernel *kernel = m->kernel;
    return impulses + (double)m->batches.count * (double)kernel->batch +
           (double)m->points * (double)(kernel->point + 2 * GS_BATCH * kernel->number);
}

static bool measure_row(const kernel_options *settings, const kernel_case *kernel,
                        const cn_friction *p, naive_problem *naive, cn_arena *scratch,
                        cn_row *row) {
    double ours = HUGE_VAL, theirs = HUGE_VAL, packing = HUGE_VAL, laying = HUGE_VAL;
    gs_sweep sweep;
    bool good = kernel_prepare(p, kernel->single, scratch, &sweep) == CN_OK;
    double *x = good ? BASE_TAKE_ZERO(scratch, double, sweep.size + GS_SWEEP_PAD) : NULL;
    if (!x || sweep.ops->kind == GS_SWEEP_ANY) {
        return false;
    }
    int32_t sweeps = BLOCK_WORK / p->contacts > 1 ? BLOCK_WORK / p->contacts : 1;
    int32_t blocks = BLOCKS * (int32_t)fmin(1.0, 10.0 * BLOCK_WORK / p->contacts);
    blocks = blocks > BLOCKS_MIN ? blocks : BLOCKS_MIN;
    gs_sweep_run(&sweep, x, 10);
    for (int32_t i = 0; i < settings->repeats; i++) {
        for (int32_t block = 0; block < blocks; block++) {
            keep_min(&ours, sweep_time(&sweep, x, sweeps));
            keep_min(&theirs, naive_time(naive, sweeps));
        }
        keep_min(&packing, packing_time(p, scratch, kernel->points));
        keep_min(&laying, prepare_time(p, kernel->single, scratch));
    }
    *row = (cn_row){.shape = kernel->shape,
                    .contacts = p->contacts,
                    .bodies = p->W.body.dofs / 6,
                    .ns = 1e9 * ours / p->contacts,
                    .naive_ns = 1e9 * theirs / naive->contacts,
                    .bytes = streamed(&sweep) / p->contacts,
                    .packing = packing / ours,
                    .laying = laying / ours,
                    .filled = 3.0 * p->contacts / (double)sweep.size};
    return true;
}

// ---- output ----

// A figure of a row, for people and in JSON.
typedef struct kernel_column {
    const char *key;
    const char *title; // NULL: only in JSON
    int width, decimals;
} kernel_column;

static const kernel_column kernel_columns[] = {
    {"contacts", "contacts", 9, 0},
    {"bodies", NULL, 0, 0},
    {"ns_per_contact_sweep", "ours", 8, 2},
    {"naive_ns", "naive", 8, 2},
    {"ratio", "ratio", 7, 3},
    {"bytes_per_contact", "bytes", 7, 0},
    {"bandwidth_ns", "bandwidth", 9, 2},
    {"triad_bytes_per_s", NULL, 0, 0},
    {"packing_sweeps", "packing", 8, 1},
    {"prepare_sweeps", "preparing", 9, 1},
    {"filled", "filled", 7, 3},
};
#define COLUMNS (sizeof kernel_columns / sizeof *kernel_columns)

static void titles_print(void) {
    printf("%-12s", "shape");
    for (size_t i = 0; i < COLUMNS; i++) {
        if (kernel_columns[i].title) {
            printf(" %*s", kernel_columns[i].width, kernel_columns[i].title);
        }
    }
    putchar('\n');
}

static void row_print(const kernel_options *settings, const cn_row *row, double triad) {
    const double values[COLUMNS] = {row->contacts,
                                    row->bodies,
                                    row->ns,
                                    row->naive_ns,
                                    row->ns / row->naive_ns,
                                    row->bytes,
                                    1e9 * row->bytes / triad,
                                    triad,
                                    row->packing,
                                    row->laying,
                                    row->filled};
    printf(settings->json ? "{\"bench\":\"kernels\",\"shape\":\"%s\"" : "%-12s", row->shape);
    for (size_t i = 0; i < COLUMNS; i++) {
        const kernel_column *column = &kernel_columns[i];
        if (settings->json) {
            printf(",\"%s\":%.*g", column->key, i < 2 ? 10 : 4, values[i]);
        } else if (column->title) {
            printf(" %*.*f", column->width, column->decimals, values[i]);
        }
    }
    puts(settings->json ? "}" : "");
    fflush(stdout);
}

static bool run_size(const kernel_options *settings, const kernel_case *kernel, int32_t contacts,
                     double triad) {
    cn_arena *memory = cn_arena_create(NULL), *scratch = cn_arena_create(NULL);
    naive_problem naive;
    cn_friction p;
    cn_row row;
    bool good =
        memory && scratch && naive_make(contacts, memory, &naive) &&
        (kernel->points > 1 ? lattice_boxes : lattice_spheres)(contacts, memory, &p) == CN_OK &&
        measure_row(settings, kernel, &p, &naive, scratch, &row);
    if (good) {
        row_print(settings, &row, triad);
    } else {
        fputs("kernels: out of memory\n", stderr);
    }
    cn_arena_destroy(memory);
    cn_arena_destroy(scratch);
    return good;
}

int main(int argc, char **argv) {
    static const int32_t sizes[] = {1000, 10000, 100000, 300000, 3000000};
    kernel_options settings = {.max = INT32_MAX, .repeats = 5};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            settings.json = true;
        } else if (strncmp(argv[i], "--most=", 7) == 0) {
            settings.max = (int32_t)strtol(argv[i] + 7, NULL, 10);
        } else if (strncmp(argv[i], "--repeats=", 10) == 0) {
            settings.repeats = (int32_t)strtol(argv[i] + 10, NULL, 10);
        } else {
            fputs("usage: kernels [--json] [--most=CONTACTS] [--repeats=N]\n", stderr);
            return 2;
        }
    }
    double triad = triad_time(settings.repeats);
    if (!settings.json) {
        printf("triad %.3g GB/s; times are CPU ns per contact and sweep, the least of many blocks; "
               "packing and\npreparing in sweeps\n",
               1e-9 * triad);
        titles_print();
    }
    bool good = true;
    for (size_t k = 0; k < sizeof kernel_cases / sizeof *kernel_cases; k++) {
        const kernel_case *kernel = &kernel_cases[k];
        for (size_t i = 0; good && i < sizeof sizes / sizeof *sizes; i++) {
            if (sizes[i] <= settings.max && sizes[i] <= kernel->max) {
                good = run_size(&settings, kernel, sizes[i], triad);
            }
        }
    }
    return good ? 0 : 1;
}
