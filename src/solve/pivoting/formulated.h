// solve/pivoting/formulated.h
// A friction problem solved through one of its formulations; what cn_formulation_solve and the
// friction rows "lemke", "qp" and "mcp" share.
#ifndef CAIRN_SOLVE_PIVOTING_FORMULATED_H
#define CAIRN_SOLVE_PIVOTING_FORMULATED_H

#include <cairn/solve.h>

// r: in, first guess; out, the impulses of the complementarity problem's answer. opts are those of
// its solver; inner is its report, graded by the checker of complementarity problems, with the
// iterations and the time of all repetitions.
cn_status pivot_formulated_run(const cn_friction *p, const cn_formulation_choice *choice,
                               const cn_solve_opts *opts, cn_arena *scratch, double *r,
                               cn_solve_report *inner, cn_error *error);
// What an inner report means for the friction problem before its grade is known: CN_SOLVED becomes
// CN_STALLED with the reason that the cone is facetted, the rest stays.
void pivot_formulated_view(const cn_formulation *formulation, int32_t dim,
                           const cn_solve_report *inner, cn_solve_report *report);

// The friction rows' own settings.
typedef struct pivot_facet_params {
    int32_t facets; // of the cone in 3D
    bool outer;     // outer polytope, else inner
    int32_t max;    // unknowns of the complementarity problem beyond which it is refused
} pivot_facet_params;
#define PIVOT_FACET_PARAM_COUNT 3
extern const cn_param pivot_facet_param_table[PIVOT_FACET_PARAM_COUNT];

#endif
