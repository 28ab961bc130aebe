// cairn/formulation.h
// The friction problem written as complementarity problems over a facetted cone, and the way back
// to impulses (docs/design/formulations.md).
//
//     const cn_formulation *inner = cn_formulation_find("inner");
//     cn_formulation_opts how = cn_formulation_opts_default();
//     cn_formulated f;
//     cn_formulate(inner, problem, &how, memory, &f, NULL);
//     cn_mcp_solve(&f.mcp, cn_mcp_solver_find("lemke"), &opts, scratch, z, w, &report, NULL);
//     cn_formulated_impulse(&f, z, r);
//     cn_friction_grade(problem, r, NULL, scratch, &grade);   // by the exact cone
//
// In 2D the cone has two edges and the facetted problems are exact. In 3D they are not: their
// answer solves another law, and the exact-cone checker says how far it is from Coulomb's.
#ifndef CAIRN_FORMULATION_H
#define CAIRN_FORMULATION_H

#include <cairn/mcp.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CN_FORMULATES_LOCAL = 1,  // takes (W, q, mu)
    CN_FORMULATES_GLOBAL = 2, // takes (M, H, f, w, mu), without forming W
    CN_FORMULATES_FACETS = 4, // has a number of facets in 3D
    CN_FORMULATES_LCP = 8,    // gives a linear complementarity problem: no free and no boxed rows
    CN_FORMULATES_OTHER_LAW = 16, // not Coulomb's law, in 2D neither
    CN_FORMULATES_THRESHOLD = 32  // wants friction thresholds
};

typedef struct cn_formulation {
    const char *name;
    const char *about;  // one line
    const char *source; // where the equations are from
    uint32_t traits;    // CN_FORMULATES_...
} cn_formulation;

CN_API int32_t cn_formulation_count(void);
CN_API const cn_formulation *cn_formulation_at(int32_t index);
CN_API const cn_formulation *cn_formulation_find(const char *name); // NULL: no such

// Bilateral rows on the velocities of a global problem: G' v + s = 0 with free impulses, which act
// as G c in M v = H r + G c + f.
typedef struct cn_bilateral {
    int32_t rows;
    cn_csr G; // dofs x rows
    double *s;
} cn_bilateral;

#define CN_FACETS_MAX 64
typedef struct cn_formulation_opts {
    int32_t facets;             // of the cone in 3D, 2 .. CN_FACETS_MAX; 2D has always two
    const double *threshold;    // contacts: bounds on the tangential impulse [N s], for "box"
    const cn_bilateral *joints; // for global formulations; may be NULL
} cn_formulation_opts;

CN_API cn_formulation_opts cn_formulation_opts_default(void);

// A friction problem as a mixed complementarity problem, with what the way back needs. A contact's
// unknowns are contiguous, r_a = B_a z_a.
typedef struct cn_formulated {
    const cn_formulation *formulation;
    int32_t dim, contacts;
    int32_t facets;       // of one contact: 2 in 2D
    int32_t block;        // unknowns of one contact
    int32_t first;        // unknowns before those of contact 0: velocities and bilateral impulses
    double *B;            // dim x block by columns, the same for every contact
    const uint8_t *boxed; // contacts, or NULL: blocks of joint rows, whose first dim unknowns are r
    cn_mcp mcp;
} cn_formulated;

// All arrays go to memory. Joint rows keep their boxes; unknowns that their blocks do not need are
// held at zero. CN_ERR_ARGUMENT: facets out of range, thresholds missing, or the formulation does
// not take this kind of problem. A W in body space is assembled first.
CN_API cn_status cn_formulate(const cn_formulation *formulation, const cn_friction *p,
                              const cn_formulation_opts *opts, cn_arena *memory, cn_formulated *out,
                              cn_error *error);
CN_API cn_status cn_formulate_global(const cn_formulation *formulation, const cn_friction_global *g,
                                     const cn_formulation_opts *opts, cn_arena *memory,
                                     cn_formulated *out, cn_error *error);
// r (dim * contacts) from z.
CN_API void cn_formulated_impulse(const cn_formulated *f, const double *z, double *r);

// The convex variant with its round cone, K* contains u orthogonal to r in K (no mu |u_T| in u),
// graded as cn_friction_grade grades Coulomb's law.
CN_API cn_status cn_convex_grade(const cn_friction *p, const double *r, cn_arena *scratch,
                                 cn_grade *grade);

#ifdef __cplusplus
}
#endif
#endif
