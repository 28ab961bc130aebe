// examples/solve_one.c
// One contact, one step: a block of 2 kg on a slope of 30 degrees. Does it stick or slide?
//
//     cc solve_one.c $(pkg-config --cflags --libs cairn) && ./a.out 0.4
//
// The argument is the friction coefficient; the block slides where it is below tan(30) = 0.577.
#include <cairn/cairn.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    // What the step would do without contact: u = q, normal first. Gravity presses the block by
    // g cos(30) h into the slope and pulls it by g sin(30) h along.
    double mass = 2.0, h = 0.01, g = 9.81;                       // [kg] [s] [m/s2]
    double q[3] = {-0.8660254037844387 * g * h, 0.5 * g * h, 0}; // [m/s]
    double mu = argc > 1 ? strtod(argv[1], NULL) : 0.4;

    // What an impulse r does: u = W r + q. A block that cannot turn has W = I / mass.
    double w = 1.0 / mass;
    double diagonal[9] = {w, 0, 0, 0, w, 0, 0, 0, w};
    double value[9 + CN_BSR_PAD] = {w, 0, 0, 0, w, 0, 0, 0, w};
    int64_t start[2] = {0, 1};
    int32_t column[1] = {0};
    cn_friction problem = {
        .dim = 3,
        .contacts = 1,
        .W = {.kind = CN_OPERATOR_ASSEMBLED,
              .diagonal = diagonal,
              .assembled = {3, 1, start, column, value}},
        .q = q,
        .mu = &mu,
    };

    const cn_friction_solver *solver = cn_friction_solver_find("auto");
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    cn_arena *scratch = cn_arena_create(NULL);
    double r[3] = {0, 0, 0}, u[3];
    cn_solve_report report;
    cn_error error;
    cn_status status = cn_friction_solve(&problem, solver, &opts, scratch, r, u, &report, &error);
    cn_arena_destroy(scratch);
    if (status != CN_OK) {
        char text[1024];
        fprintf(stderr, "%s\n", cn_error_format(&error, text, sizeof text));
        return 1;
    }

    // The residual was measured by the library's checker, not by the solver.
    printf("%s: the block %s\n", cn_outcome_text(report.outcome),
           report.grade.slide ? "slides" : (report.grade.stick ? "sticks" : "flies"));
    printf("impulse:  %8.5f N s normal, %8.5f N s along the slope\n", r[0], r[1]);
    printf("velocity: %8.5f m/s normal, %8.5f m/s along the slope\n", u[0], u[1]);
    printf("residual: %.1e\n", report.grade.residual);
    return report.outcome == CN_SOLVED ? 0 : 3;
}
