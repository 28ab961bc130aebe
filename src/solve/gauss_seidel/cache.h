// solve/gauss_seidel/cache.h
// What a solve leaves to the next.
#ifndef CAIRN_SOLVE_GAUSS_SEIDEL_CACHE_H
#define CAIRN_SOLVE_GAUSS_SEIDEL_CACHE_H

#include "solve/gauss_seidel/batches.h"

#include <cairn/solve.h>

struct cn_solve_cache {
    cn_arena *memory;         // of this struct
    gs_batches_cache batches; // of the last sweep that was prepared
};

#endif
