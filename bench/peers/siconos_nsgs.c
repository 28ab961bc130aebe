// bench/peers/siconos_nsgs.c
// Siconos' nonsmooth Gauss-Seidel on one of our problem files, for `cairn bench nsgs`.
//
//     siconos_nsgs PROBLEM FEW MANY
//
// Runs FEW and then MANY sweeps from r = 0 and prints one JSON object with the CPU seconds of both.
// Everything is Siconos' default (in 3D the local solver ONECONTACT_NSN_GP_HYBRID) but for the
// error: the tolerance is 0 and the cheapest evaluation is chosen, the "light" one from the change
// of r, so that sweeps are what is timed.
#include "siconos_problem.h"

#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <SolverOptions.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

// Seconds of a run; *done: sweeps that it really did.
static double peer_run(FrictionContactProblem *problem, int sweeps, int *done) {
    bool plane = problem->dimension == 2;
    size_t m = (size_t)problem->dimension * (size_t)problem->numberOfContacts;
    SolverOptions *options =
        solver_options_create(plane ? SICONOS_FRICTION_2D_NSGS : SICONOS_FRICTION_3D_NSGS);
    options->iparam[SICONOS_IPARAM_MAX_ITER] = sweeps;
    options->dparam[SICONOS_DPARAM_TOL] = 0.0;
    options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = // the same place in 2D
        SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT;
    double *r = peer_allocate(m, sizeof *r);
    double *u = peer_allocate(m, sizeof *u);
    double start = peer_clock();
    if (plane) {
        fc2d_driver(problem, r, u, options);
    } else {
        fc3d_driver(problem, r, u, options);
    }
    double seconds = peer_clock() - start;
    *done = options->iparam[SICONOS_IPARAM_ITER_DONE];
    solver_options_delete(options);
    free(options);
    free(r);
    free(u);
    return seconds;
}

int main(int argc, char **argv) {
    int few = argc == 4 ? (int)strtol(argv[2], NULL, 10) : 0;
    int many = argc == 4 ? (int)strtol(argv[3], NULL, 10) : 0;
    if (few < 1 || many <= few) {
        fputs("usage: siconos_nsgs PROBLEM FEW MANY\n", stderr);
        return 2;
    }
    peer_problem peer;
    int failed = peer_open("siconos_nsgs", argv[1], &peer);
    if (failed) {
        return failed;
    }
    int few_done = 0, many_done = 0;
    double few_s = peer_run(peer.siconos, few, &few_done);
    double many_s = peer_run(peer.siconos, many, &many_done);
    printf("{\"peer\":\"siconos\",\"dim\":%d,\"contacts\":%d,\"few\":%d,\"few_s\":%.9f,\"many\":%d,"
           "\"many_s\":%.9f,\"error_evaluation\":\"light\"}\n",
           (int)peer.p->dim, (int)peer.p->contacts, few_done, few_s, many_done, many_s);
    return 0;
}
