// bench/peers/siconos_nsgs.c
// Siconos' nonsmooth Gauss-Seidel on one of our problem files, for `cairn bench nsgs`.
//
//     siconos_nsgs PROBLEM FEW MANY
//
// Runs FEW and then MANY sweeps from r = 0 and prints one JSON object with the CPU seconds of both.
// Everything is Siconos' default (in 3D the local solver ONECONTACT_NSN_GP_HYBRID) but for the
// error: the tolerance is 0 and the cheapest evaluation is chosen, the "light" one from the change
// of r, so that sweeps are what is timed. The blocks of W lie one after the other in memory, which
// a run of Siconos itself need not offer.
#include <cairn/problem.h>

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// CPU time of this thread: what idle threads of a linear algebra library burn is not counted.
static double cn_peer_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *cn_peer_allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fputs("siconos_nsgs: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

// Our blocks are by columns too: only pointers and indices are made anew.
static SparseBlockStructuredMatrix *cn_peer_blocks(const cn_bsr *W) {
    size_t rows = (size_t)W->block_rows, count = (size_t)W->start[rows];
    size_t size = (size_t)W->dim;
    SparseBlockStructuredMatrix *out = SBM_new();
    out->nbblocks = (unsigned)count;
    out->blocknumber0 = out->blocknumber1 = (unsigned)rows;
    out->filled1 = rows + 1;
    out->filled2 = count;
    out->block = cn_peer_allocate(count, sizeof *out->block);
    out->blocksize0 = cn_peer_allocate(rows, sizeof *out->blocksize0);
    out->blocksize1 = cn_peer_allocate(rows, sizeof *out->blocksize1);
    out->index1_data = cn_peer_allocate(rows + 1, sizeof *out->index1_data);
    out->index2_data = cn_peer_allocate(count, sizeof *out->index2_data);
    for (size_t k = 0; k < count; k++) {
        out->block[k] = W->value + size * size * k;
        out->index2_data[k] = (size_t)W->column[k];
    }
    for (size_t a = 0; a < rows; a++) {
        out->blocksize0[a] = out->blocksize1[a] = (unsigned)(size * (a + 1));
        out->index1_data[a + 1] = (size_t)W->start[a + 1];
    }
    return out;
}

// Seconds of a run; *done: sweeps that it really did.
static double cn_peer_run(FrictionContactProblem *problem, int sweeps, int *done) {
    bool plane = problem->dimension == 2;
    size_t m = (size_t)problem->dimension * (size_t)problem->numberOfContacts;
    SolverOptions *options =
        solver_options_create(plane ? SICONOS_FRICTION_2D_NSGS : SICONOS_FRICTION_3D_NSGS);
    options->iparam[SICONOS_IPARAM_MAX_ITER] = sweeps;
    options->dparam[SICONOS_DPARAM_TOL] = 0.0;
    options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = // the same place in 2D
        SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT;
    double *r = cn_peer_allocate(m, sizeof *r);
    double *u = cn_peer_allocate(m, sizeof *u);
    double start = cn_peer_clock();
    if (plane) {
        fc2d_driver(problem, r, u, options);
    } else {
        fc3d_driver(problem, r, u, options);
    }
    double seconds = cn_peer_clock() - start;
    *done = options->iparam[SICONOS_IPARAM_ITER_DONE];
    solver_options_delete(options);
    free(options);
    free(r);
    free(u);
    return seconds;
}

// The local form, assembled, whatever the file holds; NULL after a message.
static const cn_friction *cn_peer_local(cn_problem *problem, cn_friction *reduced) {
    cn_error error;
    if (problem->kind == CN_PROBLEM_FRICTION) {
        return &problem->friction;
    }
    if (problem->kind == CN_PROBLEM_FRICTION_GLOBAL &&
        cn_friction_condense(&problem->global, problem->memory, reduced, &error) == CN_OK) {
        return reduced;
    }
    fputs("siconos_nsgs: not a friction problem, or one that cannot be condensed\n", stderr);
    return NULL;
}

int main(int argc, char **argv) {
    int few = argc == 4 ? (int)strtol(argv[2], NULL, 10) : 0;
    int many = argc == 4 ? (int)strtol(argv[3], NULL, 10) : 0;
    if (few < 1 || many <= few) {
        fputs("usage: siconos_nsgs PROBLEM FEW MANY\n", stderr);
        return 2;
    }
    cn_problem *read = NULL;
    cn_error error;
    if (cn_problem_read(NULL, argv[1], &read, &error) != CN_OK) {
        char text[1400];
        fprintf(stderr, "siconos_nsgs: %s\n", cn_error_format(&error, text, sizeof text));
        return 4;
    }
    cn_friction reduced;
    const cn_friction *p = cn_peer_local(read, &reduced);
    if (!p) {
        cn_problem_destroy(read);
        return 4;
    }
    int m = (int)p->dim * (int)p->contacts;
    NumericsMatrix *M = NM_new_SBM(m, m, cn_peer_blocks(&p->W.assembled));
    FrictionContactProblem *problem =
        frictionContactProblem_new_with_data(p->dim, p->contacts, M, p->q, p->mu);
    int few_done = 0, many_done = 0;
    double few_s = cn_peer_run(problem, few, &few_done);
    double many_s = cn_peer_run(problem, many, &many_done);
    printf("{\"peer\":\"siconos\",\"dim\":%d,\"contacts\":%d,\"few\":%d,\"few_s\":%.9f,\"many\":%d,"
           "\"many_s\":%.9f,\"error_evaluation\":\"light\"}\n",
           (int)p->dim, (int)p->contacts, few_done, few_s, many_done, many_s);
    // Siconos' structures borrow our arrays, so they are left to the end of the process.
    return 0;
}
