// examples/own_solver.c
// A solver of your own, without touching the library: write the function, fill a row, and let the
// library's driver run and grade it beside the built-in ones, on a generated problem whose solution
// is known.
//
//     cc own_solver.c $(pkg-config --cflags --libs cairn) -lm && ./a.out
#include <cairn/cairn.h>

#include <math.h>
#include <stdio.h>

#define OMEGA 0.3        // damping of a step
#define CHECK_EVERY 50   // sweeps between two looks at the residual
#define MAX_SWEEPS 20000 // default limit

// r_a := P_K(r_a - step u^_a), u^ = (u_N + mu |u_T|, u_T), for one 3D contact.
static void project_step(double mu, double step, const double u[3], double r[3]) {
    double normal = r[0] - step * (u[0] + mu * hypot(u[1], u[2]));
    double t1 = r[1] - step * u[1], t2 = r[2] - step * u[2];
    double tangent = hypot(t1, t2), scale = 1.0;
    if (mu * tangent <= -normal) {
        normal = scale = 0.0;
    } else if (tangent > mu * normal) {
        normal = (normal + mu * tangent) / (1.0 + mu * mu);
        scale = mu * normal / tangent;
    }
    r[0] = normal;
    r[1] = scale * t1;
    r[2] = scale * t2;
}

// Damped projected Jacobi: all contacts at once. The outcome set here is only an opinion; the
// driver measures the residual itself and corrects it.
static cn_status jacobi(const cn_friction *p, const cn_solve_opts *opts, cn_arena *scratch,
                        double *r, double *u, cn_solve_report *report) {
    report->outcome = CN_LIMIT;
    report->detail = "out of sweeps";
    for (int32_t sweep = 0; sweep < opts->max_iterations; sweep++) {
        cn_friction_velocity(p, r, NULL, u);
        for (int32_t a = 0; a < p->contacts; a++) {
            const double *W = p->W.diagonal + 9 * (int64_t)a;
            double step = OMEGA * 3.0 / (W[0] + W[4] + W[8]);
            project_step(p->mu[a], step, u + 3 * (int64_t)a, r + 3 * (int64_t)a);
        }
        report->iterations = sweep + 1;
        if ((sweep + 1) % CHECK_EVERY == 0) {
            cn_grade grade;
            cn_status status = cn_friction_grade(p, r, NULL, scratch, &grade);
            if (status != CN_OK) {
                return status;
            }
            if (cn_grade_residual(&grade, opts->measure) <= opts->tolerance) {
                report->outcome = CN_SOLVED;
                report->detail = "within the tolerance";
                break;
            }
        }
    }
    return CN_OK;
}

static const cn_friction_solver own = {
    .info = {.name = "jacobi",
             .about = "damped projected Jacobi",
             .strengths = "the order of the contacts does not matter",
             .weaknesses = "slow, diverges on dense sets: nsgs",
             .unit = "sweeps",
             .accepts = CN_SOLVES_3D | CN_TAKES_ASSEMBLED,
             .max_iterations = MAX_SWEEPS},
    .solve = jacobi,
};

static int fail(const cn_error *error) {
    char text[1024];
    fprintf(stderr, "%s\n", cn_error_format(error, text, sizeof text));
    return 1;
}

#define CONTACTS 50

int main(void) {
    cn_planted_opts plan = cn_planted_opts_default();
    plan.dim = 3;
    plan.contacts = CONTACTS;
    cn_problem *problem;
    cn_friction friction;
    cn_error error;
    if (cn_planted_friction(NULL, &plan, &problem, &error) != CN_OK ||
        cn_friction_condense(&problem->global, problem->memory, &friction, &error) != CN_OK) {
        return fail(&error);
    }

    const cn_friction_solver *solvers[] = {&own, cn_friction_solver_find("nsgs")};
    cn_arena *scratch = cn_arena_create(NULL);
    int code = 0;
    for (int i = 0; i < 2; i++) {
        cn_solve_opts opts = cn_solve_opts_default(&solvers[i]->info);
        opts.tolerance = 1e-4;
        double r[3 * CONTACTS] = {0}, u[3 * CONTACTS];
        cn_solve_report report;
        if (cn_friction_solve(&friction, solvers[i], &opts, scratch, r, u, &report, &error) !=
            CN_OK) {
            code = fail(&error);
            break;
        }
        printf("%-8s %-8s %6d %s, residual %.1e\n", solvers[i]->info.name,
               cn_outcome_text(report.outcome), (int)report.iterations, solvers[i]->info.unit,
               report.grade.residual);
        code |= report.outcome != CN_SOLVED;
    }
    cn_arena_destroy(scratch);
    cn_problem_destroy(problem);
    return code;
}
