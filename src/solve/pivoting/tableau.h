// solve/pivoting/tableau.h
// The dense tableau of the pivoting methods: w - M z - cover z0 = q, solved for a basis.
//
// Variables: 0..n-1 are w, n..2n-1 are z, 2n is z0. A row is a basic variable, a column a free one
// (at zero); x_basic = right side - T x_free. Ties are decided by the rows of the basis inverse
// (lexicographic rule), so that degenerate problems do not make a method cycle.
#ifndef CAIRN_SOLVE_PIVOTING_TABLEAU_H
#define CAIRN_SOLVE_PIVOTING_TABLEAU_H

#include "solve/drivers/watch.h"
#include "solve/pivoting/lcp_dense.h"

#define PIVOT_TABLEAU_PIVOT 1e-11 // of the column's largest entry: less is rounding, no pivot
#define PIVOT_TABLEAU_TIE 1e-12   // of the largest basic value: closer than this is equal

typedef struct pivot_tableau {
    const pivot_lcp_dense *d;
    int32_t n;
    int64_t stride; // n + 2: n + 1 free variables, then the right side
    double *T;
    double *cover;
    int32_t *basic; // variable of a row
    int32_t *free;  // variable of a column
    int32_t *first; // variable of a row in the basis that the lexicographic rule refers to
    int32_t *place; // of a variable: its row, or -1 - its column
    int32_t *tied;  // rows still equal in a ratio test
    double *factors, *column;
    int32_t *exchange;
    int64_t pivots;
    solve_watch *watch; // asked during a refresh too, which costs as much as n pivots
    cn_solve_report *report;
} pivot_tableau;

// Numbers that a tableau of n rows needs: in the caller's arrays, or from scratch.
#define PIVOT_TABLEAU_REALS(n) ((n) * ((n) + 2) + (n) * (n) + 2 * (n))
#define PIVOT_TABLEAU_INTS(n) (7 * (n) + 2)
void pivot_tableau_place(const pivot_lcp_dense *d, double *reals, int32_t *ints, pivot_tableau *t);
cn_status pivot_tableau_prepare(const pivot_lcp_dense *d, cn_arena *scratch, pivot_tableau *t);
// All w basic, all z and z0 free, no cover.
void pivot_tableau_reset(pivot_tableau *t);
// Exchange the basic variable of a row with the free one of a column.
void pivot_tableau_pivot(pivot_tableau *t, int32_t row, int32_t column);
// w_i for z_i and z_i for w_i.
int32_t pivot_tableau_complement(const pivot_tableau *t, int32_t variable);
// Entry i of a variable's column in w - M z - cover z0 = q.
double pivot_tableau_entry(const pivot_tableau *t, int32_t variable, int32_t i);
// Whether the watch says that it is time to stop, which is noted in the report.
bool pivot_tableau_stops(pivot_tableau *t);

// The tableau anew from the basis, so that rounding does not pile up over many pivots.
typedef enum pivot_tableau_state {
    PIVOT_TABLEAU_FRESH,
    PIVOT_TABLEAU_SINGULAR, // the basis became singular in rounding
    PIVOT_TABLEAU_STOPPED   // the watch said so
} pivot_tableau_state;
pivot_tableau_state pivot_tableau_refresh(pivot_tableau *t);
// Steps of iterative refinement on the basic values, x := x + B^-1 (q - B x).
void pivot_tableau_refine(pivot_tableau *t, int32_t steps);

// Of the count rows in tied, keeps those whose ratio to column c is least, in the right side (j =
// -1) or column j of the basis inverse. Returns how many.
int32_t pivot_tableau_narrow(pivot_tableau *t, int32_t count, int32_t j, int32_t c);
// The rows in tied narrowed down to one by the lexicographic rule.
int32_t pivot_tableau_break_tie(pivot_tableau *t, int32_t count, int32_t c);

// Basic values of z, or with a column >= 0 the direction of z along its ray, unscaled and cut at
// zero.
void pivot_tableau_read(const pivot_tableau *t, int32_t column, double *z);
// v >= 0, M'v <= 0, q'v < 0: then v'(M z + q) < 0 for every z >= 0, so none is feasible. sum and
// size: scratch of n.
bool pivot_ray_proves(const cn_lcp *p, const double *v, double *sum, double *size);

// One path of Lemke's method from z = 0, and one search of the active-set method, on a tableau
// whose watch and report are set; true when it ended with a solution, to be read.
bool pivot_tableau_lemke(pivot_tableau *t);
bool pivot_tableau_qp(pivot_tableau *t, bool *barred); // barred: n, all false

#endif
