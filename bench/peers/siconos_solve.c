// bench/peers/siconos_solve.c
// One of Siconos' solvers on one of our problem files, for `cairn bench siconos`.
//
//     siconos_solve --list 2|3                          the names of the settings
//     siconos_solve PROBLEM SETTING TOLERANCE SECONDS   solve from r = 0
//
// Prints one JSON object: the shortest CPU time of a few solves, the iterations as the solver
// counts them, and the residual of the answer by Cairn's checker in the measure "max", which is the
// one that Siconos 4.4 stops on. The process ends itself when SECONDS of CPU are spent: Siconos'
// solvers have no time limit. A setting is Siconos' default for that solver but for what its row
// says.
#include "siconos_problem.h"

#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define PEER_ITERATIONS 10000000 // never reached: the CPU time is what limits
#define PEER_SOLVES 20           // the shortest of so many counts ...
#define PEER_TOGETHER 0.3        // [s] ... unless they take longer than this together
#define PEER_FREEZE 10           // sweeps that a contact without impulse is left alone

typedef struct peer_setting {
    const char *name;
    int plane, space; // solver ids in 2D and 3D; 0: not there
    int local;        // of one contact; 0: the default
    bool full;        // the error is evaluated in full after every sweep
    bool freeze;      // contacts without impulse are left alone for a while
    bool sparse;      // W as one sparse matrix instead of blocks
    int balance;      // ADMM: strategy for rho
} peer_setting;

#define LOCAL(name) SICONOS_FRICTION_3D_ONECONTACT_##name
#define CN_SPACE(name) .space = SICONOS_FRICTION_3D_##name

static const peer_setting peer_settings[] = {
    {"NSGS", SICONOS_FRICTION_2D_NSGS, CN_SPACE(NSGS)},
    {"NSGS-full", SICONOS_FRICTION_2D_NSGS, CN_SPACE(NSGS), .full = true},
    {"NSGS-freeze", .plane = 0, CN_SPACE(NSGS), .freeze = true},
    {"NSGS-P", .plane = 0, CN_SPACE(NSGS), .local = LOCAL(ProjectionOnCone)},
    {"NSGS-P-full", .plane = 0, CN_SPACE(NSGS), .local = LOCAL(ProjectionOnCone), .full = true},
    {"NSGS-PD", .plane = 0, CN_SPACE(NSGS), .local = LOCAL(ProjectionOnConeWithDiagonalization)},
    {"NSGS-PLI", .plane = 0, CN_SPACE(NSGS), .local = LOCAL(ProjectionOnConeWithLocalIteration)},
    {"NSGS-PLI-full", .plane = 0, CN_SPACE(NSGS),
     .local = LOCAL(ProjectionOnConeWithLocalIteration), .full = true},
    {"NSGS-Q", .plane = 0, CN_SPACE(NSGS), .local = LOCAL(QUARTIC)},
    {"NSGS-NSN", .plane = 0, CN_SPACE(NSGS), .local = LOCAL(NSN)},
    {"PROX", .plane = 0, CN_SPACE(PROX)},
    {"PROX-sparse", .plane = 0, CN_SPACE(PROX), .sparse = true},
    {"NSN_AC", .plane = 0, CN_SPACE(NSN_AC)},
    {"NSN_AC-sparse", .plane = 0, CN_SPACE(NSN_AC), .sparse = true},
    {"NSN_FB", .plane = 0, CN_SPACE(NSN_FB)},
    {"NSN_FB-sparse", .plane = 0, CN_SPACE(NSN_FB), .sparse = true},
    {"NSN_NM", .plane = 0, CN_SPACE(NSN_NM)},
    {"NSN_NM-sparse", .plane = 0, CN_SPACE(NSN_NM), .sparse = true},
    {"ADMM", .plane = 0, CN_SPACE(ADMM)},
    {"ADMM-sparse", .plane = 0, CN_SPACE(ADMM), .sparse = true},
    {"ADMM-auto", .plane = 0, CN_SPACE(ADMM), .sparse = true,
     .balance = SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_RESIDUAL_BALANCING},
    {"ADMM-scaled", .plane = 0, CN_SPACE(ADMM), .sparse = true,
     .balance = SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_SCALED_RESIDUAL_BALANCING},
    {"VI_EG", .plane = 0, CN_SPACE(VI_EG)},
    {"VI_FPP", .plane = 0, CN_SPACE(VI_FPP)},
    {"EG", .plane = 0, CN_SPACE(EG)},
    {"DSFP", .plane = 0, CN_SPACE(DSFP)},
    {"TFP", .plane = 0, CN_SPACE(TFP)},
    {"ACLMFP", .plane = 0, CN_SPACE(ACLMFP)},
    {"CPG", .plane = SICONOS_FRICTION_2D_CPG},
    {"LEMKE", .plane = SICONOS_FRICTION_2D_LEMKE},
    {"ENUM", .plane = SICONOS_FRICTION_2D_ENUM},
};
#define PEER_SETTINGS (sizeof peer_settings / sizeof peer_settings[0])

static int peer_id(const peer_setting *setting, int dim) {
    return dim == 2 ? setting->plane : setting->space;
}

static SolverOptions *peer_options(const peer_setting *setting, int dim, double tolerance) {
    SolverOptions *options = solver_options_create(peer_id(setting, dim));
    options->iparam[SICONOS_IPARAM_MAX_ITER] = PEER_ITERATIONS;
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    if (setting->full) {
        options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = // the same place in 2D
            SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL;
    }
    if (setting->freeze) {
        options->iparam[SICONOS_FRICTION_3D_NSGS_FREEZING_CONTACT] = PEER_FREEZE;
    }
    if (setting->balance) {
        options->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY] = setting->balance;
    }
    if (setting->local) {
        solver_options_update_internal(options, 0, setting->local);
    }
    return options;
}

typedef struct peer_answer {
    double seconds, residual;
    int iterations;
} peer_answer;

static peer_answer peer_solve(const peer_problem *peer, const peer_setting *setting,
                              double tolerance, cn_arena *scratch) {
    FrictionContactProblem *problem = peer->siconos;
    int dim = problem->dimension;
    size_t m = (size_t)dim * (size_t)problem->numberOfContacts;
    SolverOptions *options = peer_options(setting, dim, tolerance);
    double *r = peer_allocate(m, sizeof *r);
    double *u = peer_allocate(m, sizeof *u);
    peer_answer answer = {.residual = (double)NAN};
    double start = peer_clock();
    if (dim == 2) {
        fc2d_driver(problem, r, u, options);
    } else {
        fc3d_driver(problem, r, u, options);
    }
    answer.seconds = peer_clock() - start;
    answer.iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
    cn_grade grade;
    if (cn_friction_grade(peer->p, r, NULL, scratch, &grade) == CN_OK) {
        answer.residual = grade.residual_max;
    }
    solver_options_delete(options);
    free(options);
    free(r);
    free(u);
    return answer;
}

// W once more as one sparse matrix. The conversion is not timed.
static void peer_make_sparse(FrictionContactProblem *problem) {
    NumericsMatrix *sparse = NM_create(NM_SPARSE, problem->M->size0, problem->M->size1);
    NM_triplet_alloc(sparse, (CS_INT)1);
    NM_copy_to_sparse(problem->M, sparse, 0.0);
    problem->M = sparse;
}

static int peer_list(int dim) {
    for (size_t i = 0; i < PEER_SETTINGS; i++) {
        if (peer_id(&peer_settings[i], dim)) {
            puts(peer_settings[i].name);
        }
    }
    return 0;
}

static const peer_setting *peer_find(const char *name, int dim) {
    for (size_t i = 0; i < PEER_SETTINGS; i++) {
        if (strcmp(peer_settings[i].name, name) == 0 && peer_id(&peer_settings[i], dim)) {
            return &peer_settings[i];
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--list") == 0) {
        return peer_list((int)strtol(argv[2], NULL, 10));
    }
    double tolerance = argc == 5 ? strtod(argv[3], NULL) : 0.0;
    double limit = argc == 5 ? strtod(argv[4], NULL) : 0.0;
    if (!(tolerance > 0.0 && limit > 0.0)) {
        fputs("usage: siconos_solve PROBLEM SETTING TOLERANCE SECONDS\n", stderr);
        return 2;
    }
    peer_problem peer;
    int failed = peer_open("siconos_solve", argv[1], &peer);
    if (failed) {
        return failed;
    }
    const peer_setting *setting = peer_find(argv[2], peer.siconos->dimension);
    if (!setting) {
        fprintf(stderr, "siconos_solve: no setting %s for this dimension\n", argv[2]);
        return 2;
    }
    if (setting->sparse) {
        peer_make_sparse(peer.siconos);
    }
    rlim_t seconds = (rlim_t)ceil(limit + PEER_TOGETHER);
    setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds + 1});
    // Some of the solvers print; what is ours to say must stay alone on standard output.
    int out = dup(STDOUT_FILENO);
    if (out < 0 || !freopen("/dev/null", "w", stdout)) {
        return 1;
    }
    cn_arena *scratch = cn_arena_create(NULL);
    peer_answer best = {.seconds = HUGE_VAL};
    double together = 0.0;
    for (int i = 0; scratch && i < PEER_SOLVES && together < PEER_TOGETHER; i++) {
        peer_answer answer = peer_solve(&peer, setting, tolerance, scratch);
        together += answer.seconds;
        best = answer.seconds < best.seconds ? answer : best;
    }
    dprintf(out,
            "{\"peer\":\"siconos\",\"setting\":\"%s\",\"iterations\":%d,"
            "\"residual_max\":%.6e,\"cpu_s\":%.9f}\n",
            setting->name, best.iterations, best.residual, best.seconds);
    return 0;
}
