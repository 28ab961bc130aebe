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

#define CN_TABLEAU_PIVOT 1e-11 // of the column's largest entry: less is rounding, no pivot
#define CN_TABLEAU_TIE 1e-12   // of the largest basic value: closer than this is equal

typedef struct cn_tableau {
    const cn_lcp_dense *d;
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
    cn_watch *watch; // asked during a refresh too, which costs as much as n pivots
    cn_solve_report *report;
} cn_tableau;

// Numbers that a tableau of n rows needs: in the caller's arrays, or from scratch.
#define CN_TABLEAU_REALS(n) ((n) * ((n) + 2) + (n) * (n) + 2 * (n))
#define CN_TABLEAU_INTS(n) (7 * (n) + 2)
void cn_tableau_place(const cn_lcp_dense *d, double *reals, int32_t *ints, cn_tableau *t);
cn_status cn_tableau_prepare(const cn_lcp_dense *d, cn_arena *scratch, cn_tableau *t);
// All w basic, all z and z0 free, no cover.
void cn_tableau_reset(cn_tableau *t);
// Exchange the basic variable of a row with the free one of a column.
void cn_tableau_pivot(cn_tableau *t, int32_t row, int32_t column);
// w_i for z_i and z_i for w_i.
int32_t cn_tableau_complement(const cn_tableau *t, int32_t variable);
// Entry i of a variable's column in w - M z - cover z0 = q.
double cn_tableau_entry(const cn_tableau *t, int32_t variable, int32_t i);
// Whether the watch says that it is time to stop, which is noted in the report.
bool cn_tableau_stops(cn_tableau *t);

// The tableau anew from the basis, so that rounding does not pile up over many pivots.
typedef enum cn_tableau_state {
    CN_TABLEAU_FRESH,
    CN_TABLEAU_SINGULAR, // the basis became singular in rounding
    CN_TABLEAU_STOPPED   // the watch said so
} cn_tableau_state;
cn_tableau_state cn_tableau_refresh(cn_tableau *t);
// Steps of iterative refinement on the basic values, x := x + B^-1 (q - B x).
void cn_tableau_refine(cn_tableau *t, int32_t steps);

// Of the count rows in tied, keeps those whose ratio to column c is least, in the right side (j =
// -1) or column j of the basis inverse. Returns how many.
int32_t cn_tableau_narrow(cn_tableau *t, int32_t count, int32_t j, int32_t c);
// The rows in tied narrowed down to one by the lexicographic rule.
int32_t cn_tableau_break_tie(cn_tableau *t, int32_t count, int32_t c);

// Basic values of z, or with a column >= 0 the direction of z along its ray, unscaled and cut at
// zero.
void cn_tableau_read(const cn_tableau *t, int32_t column, double *z);
// v >= 0, M'v <= 0, q'v < 0: then v'(M z + q) < 0 for every z >= 0, so none is feasible. sum and
// size: scratch of n.
bool cn_ray_proves(const cn_lcp *p, const double *v, double *sum, double *size);

// One path of Lemke's method from z = 0, and one search of the active-set method, on a tableau
// whose watch and report are set; true when it ended with a solution, to be read.
bool cn_tableau_lemke(cn_tableau *t);
bool cn_tableau_qp(cn_tableau *t, bool *barred); // barred: n, all false

#endif
