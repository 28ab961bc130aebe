// solve/pivoting/mcp_reduce.h
// A mixed complementarity problem as a dense LCP, for the pivoting methods, and the way back.
//
//     z = z0 + S y   with z0 the bound (0 for free unknowns) and S = -1 where only an upper bound
//     is, boxes          y _|_ F + v,  v _|_ (upper - lower) - y free unknowns  are pivoted in
//     first: their equations are solved for them what is left of the free ones (a singular block)
//     is split, y = y+ - y-.
#ifndef CAIRN_SOLVE_PIVOTING_MCP_REDUCE_H
#define CAIRN_SOLVE_PIVOTING_MCP_REDUCE_H

#include "solve/drivers/watch.h"

#include <cairn/solve.h>

typedef struct pivot_mcp_reduced {
    cn_lcp lcp;
    int32_t n;          // unknowns of the mixed problem
    int32_t size;       // of the dense system: n and one for each box
    double *origin;     // z0
    double *sign;       // S
    double *A;          // size x size by rows: F = A y + b, with the pivots done
    double *b;          // size
    int32_t *pivot_row; // of an unknown: the equation solved for it, or -1
    bool *used_row;     // of an equation: whether it was
    int32_t *unknown;   // of an LCP unknown: its place in y
    double *lcp_sign;   // -1: the negative part of a split one
} pivot_mcp_reduced;

// CN_OK with *stopped: the watch said so, and the report is filled. Memory from scratch.
cn_status pivot_mcp_reduce(const cn_mcp *p, solve_watch *watch, cn_arena *scratch,
                           pivot_mcp_reduced *out, cn_solve_report *report, bool *stopped);
// The first guess of the LCP from z, and z from its answer.
void pivot_mcp_reduced_start(const pivot_mcp_reduced *reduced, const double *z, double *y);
void pivot_mcp_reduced_finish(const pivot_mcp_reduced *reduced, const cn_mcp *p, const double *y,
                              double *z);

#endif
