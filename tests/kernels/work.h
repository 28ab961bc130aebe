// tests/kernels/work.h
// What kernels do with made-up batches, as a hash of the bits that come out. Nothing else of the
// library is needed than the kernels, so that it also runs where the library does not: on emulated
// processors, with or without a system.
#ifndef TESTS_KERNELS_WORK_H
#define TESTS_KERNELS_WORK_H

#include "detect/narrow/spheres.h"
#include "problem/grade/grade_contacts.h"
#include "solve/acceleration/anderson.h"
#include "solve/sweep_manifolds/manifolds.h"
#include "solve/sweep_spheres/spheres.h"

#include <stdint.h>

uint64_t spheres_work(const gs_sphere_kernel *kernel);
uint64_t manifolds_work(const gs_manifold_kernel *kernel);
uint64_t anderson_work(const gs_anderson_kernel *kernel);
uint64_t grade_work(prob_grade_fours_fn *fours);
uint64_t pairs_work(const det_pair_kernel *kernel);

// Kernels of eight doubles at a time for any processor: what AVX-512 runs, without its registers.
extern const gs_sphere_kernel eight_spheres;
extern const gs_manifold_kernel eight_manifolds;
extern const det_pair_kernel eight_pairs;
// The checker's errors as any processor has them.
extern prob_grade_fours_fn *const plain_grade;

#endif
