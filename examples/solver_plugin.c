// A plug-in: a solver of friction problems, for `cairn solve` and `cairn run`. Build it as a shared
// library:
//
//     cc -O2 -shared -fPIC $(pkg-config --cflags cairn) -o jacobi.so solver_plugin.c -lm
//
//     cairn solve problem.hdf5 --plugin ./jacobi.so --allow-plugins
//     cairn solve problem.hdf5 --plugin ./jacobi.so --allow-plugins --set jacobi.omega=0.2
//     cairn run scene.yaml --plugin ./jacobi.so --allow-plugins
//
// It calls nothing of the library: the matrix comes as blocks, and the driver measures the residual
// of what is returned.
#include <cairn/plugin.h>

#include <math.h>
#include <stddef.h>

typedef struct jacobi_params {
    double omega;
} jacobi_params;

static const cn_param params[] = {
    {"omega", CN_PARAM_REAL, offsetof(jacobi_params, omega), 0.3, 1e-3, 1.0, "damping"},
};

// The nearest point of the cone |r_T| <= mu r_N.
static void project(int32_t dim, double mu, double *r) {
    double tangent = dim == 3 ? hypot(r[1], r[2]) : fabs(r[1]), normal = r[0], scale = 1.0;
    if (mu * tangent <= -normal) {
        normal = scale = 0.0;
    } else if (tangent > mu * normal) {
        normal = (normal + mu * tangent) / (1.0 + mu * mu);
        scale = mu * normal / tangent;
    }
    r[0] = normal;
    for (int32_t i = 1; i < dim; i++) {
        r[i] *= scale;
    }
}

// u = W r + q, row of blocks by row; blocks are by columns.
static void velocity(const cn_friction *p, const double *r, double *u) {
    const cn_bsr *W = &p->W.assembled;
    int32_t dim = p->dim;
    for (int32_t a = 0; a < p->contacts; a++) {
        double *at = u + (ptrdiff_t)dim * a;
        for (int32_t i = 0; i < dim; i++) {
            at[i] = p->q[(ptrdiff_t)dim * a + i];
        }
        for (int64_t k = W->start[a]; k < W->start[a + 1]; k++) {
            const double *block = W->value + dim * dim * k, *s = r + (ptrdiff_t)dim * W->column[k];
            for (int32_t i = 0; i < dim; i++) {
                for (int32_t j = 0; j < dim; j++) {
                    at[i] += block[i + dim * j] * s[j];
                }
            }
        }
    }
}

// Damped projected Jacobi: every contact steps at once. progress reports what is left, here how far
// r moved [impulse], and says when to stop.
static cn_status jacobi(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                        double *r, double *u, cn_solve_report *report) {
    const jacobi_params *own = (const void *)opts->params;
    (void)scratch;
    report->outcome = CN_LIMIT;
    report->detail = "out of sweeps";
    for (int32_t sweep = 0; sweep < opts->max_iterations; sweep++) {
        double moved = 0.0, size = 1e-300;
        velocity(p, r, u);
        for (int32_t a = 0; a < p->contacts; a++) {
            const double *W = p->W.diagonal + (ptrdiff_t)p->dim * p->dim * a;
            double *r_a = r + (ptrdiff_t)p->dim * a, *u_a = u + (ptrdiff_t)p->dim * a, old[3];
            double trace = 0.0, mu = p->mu[a];
            for (int32_t i = 0; i < p->dim; i++) {
                trace += W[(p->dim + 1) * i];
                old[i] = r_a[i];
            }
            double step = trace > 0.0 ? own->omega * p->dim / trace : 0.0;
            r_a[0] -= step * (u_a[0] + mu * (p->dim == 3 ? hypot(u_a[1], u_a[2]) : fabs(u_a[1])));
            for (int32_t i = 1; i < p->dim; i++) {
                r_a[i] -= step * u_a[i];
            }
            project(p->dim, mu, r_a);
            for (int32_t i = 0; i < p->dim; i++) {
                moved = fmax(moved, fabs(r_a[i] - old[i]));
                size = fmax(size, fabs(r_a[i]));
            }
        }
        report->iterations = sweep + 1;
        cn_progress now = {.stage = "jacobi",
                           .done = sweep + 1,
                           .total = opts->max_iterations,
                           .residual = moved / size};
        if (opts->progress && !opts->progress(opts->progress_user, &now)) {
            return CN_ERR_CANCELLED;
        }
        if (moved <= 0.01 * opts->tolerance * size) {
            report->outcome = CN_SOLVED;
            report->detail = "the impulses stand still";
            break;
        }
    }
    return CN_OK;
}

static const cn_friction_solver solver = {
    .info = {.name = "jacobi",
             .about = "damped projected Jacobi",
             .strengths = "the order of the contacts does not matter",
             .weaknesses = "slow, diverges on dense sets: nsgs",
             .unit = "sweeps",
             .accepts = CN_SOLVES_2D | CN_SOLVES_3D | CN_TAKES_ASSEMBLED,
             .max_iterations = 100000,
             .params = params,
             .param_count = 1},
    .solve = jacobi,
};

const cn_solver_plugin *cn_solver_plugin_v1(void);
const cn_solver_plugin *cn_solver_plugin_v1(void) {
    static const cn_solver_plugin table = {.version = CN_SOLVER_PLUGIN_VERSION,
                                           .opts_size = sizeof(cn_solve_opts),
                                           .friction_size = sizeof(cn_friction),
                                           .friction = &solver};
    return &table;
}
