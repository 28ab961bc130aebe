// solve/drivers/islands.h
// Islands: sets of contacts that no impulse of one can reach from another, so that each is a
// problem of its own. In body space contacts are of one island when they share a body of finite
// mass; W assembled, when a chain of its blocks joins them. Spheres are taken with H.
#ifndef CAIRN_SOLVE_DRIVERS_ISLANDS_H
#define CAIRN_SOLVE_DRIVERS_ISLANDS_H

#include <cairn/solve.h>

typedef struct solve_islands {
    int32_t count;
    int32_t *first;   // count + 1: island i is contact[first[i]] .. contact[first[i+1] - 1]
    int32_t *contact; // rising in an island; islands by their first contact
    // Body space: the same of its bodies, runs of size consecutive velocities (6 in 3D, 3 in 2D).
    int32_t size;
    int32_t *first_body, *body;
    int32_t *place; // of a contact (assembled) or body (body space) in its island; -1: in none
} solve_islands;

// The same problem in a form of the operator that can be cut; arrays are shared where they are the
// same.
cn_status solve_islands_expand(const cn_friction *p, cn_arena *memory, cn_friction *out);
// kept: the contacts that count; NULL: all. Arrays go to memory.
cn_status solve_islands_find(const cn_friction *p, const bool *kept, cn_arena *memory,
                             solve_islands *out);
// Island i as a problem. Arrays go to memory.
cn_status solve_islands_cut(const cn_friction *p, const solve_islands *islands, int32_t i,
                            cn_arena *memory, cn_friction *out);
// Each island by solve, as well as the whole needs it, from the r at hand; those that are good
// enough are left alone, and so are contacts that stay open. *split: false, and nothing done, when
// one island has most of the contacts. Limits of opts are for all of it: islands count as if solved
// side by side (the iterations are those of the one that took most), time goes to each by its
// number of contacts.
cn_status solve_islands_solve(const cn_friction *p, cn_friction_fn *solve,
                              const cn_solve_opts *opts, cn_arena *scratch, double *r, double *u,
                              cn_solve_report *report, bool *split);

#endif
