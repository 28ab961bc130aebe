// Bodies on a lattice, each touching its next neighbours and the lowest layer the ground: problems
// of any size whose sweep costs what one over a packing does, without simulating one. Bodies and
// contacts are numbered along the lattice.
#ifndef CAIRN_BENCH_LATTICE_H
#define CAIRN_BENCH_LATTICE_H

#include <cairn/problem.h>

// At least the number of contacts asked: spheres with a contact a pair, or boxes with four points a
// pair. CN_ERR_MEMORY when memory is full.
cn_status lattice_spheres(int32_t contacts, cn_arena *memory, cn_friction *out);
cn_status lattice_boxes(int32_t contacts, cn_arena *memory, cn_friction *out);

#endif
