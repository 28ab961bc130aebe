// bench/peers/siconos_problem.h
// What the Siconos peers share: one of our problem files as Siconos' own structure, and a clock.
#ifndef CAIRN_BENCH_SICONOS_PROBLEM_H
#define CAIRN_BENCH_SICONOS_PROBLEM_H

#include <cairn/problem.h>

#include <FrictionContactProblem.h>

#include <stddef.h>

// [s] CPU time of this thread: what idle threads of a linear algebra library burn is not counted.
double peer_clock(void);
// Zeroed memory; ends the program when there is none.
void *peer_allocate(size_t count, size_t size);

typedef struct peer_problem {
    cn_problem *read;
    cn_friction condensed;           // where the file is global
    const cn_friction *p;            // assembled
    FrictionContactProblem *siconos; // sparse blocks, which borrow the arrays of p
} peer_problem;

// Reads the file and brings it to the local, assembled form. Returns 0, or an exit code after a
// message. Nothing is given back: Siconos' structures borrow our arrays, and the process ends soon.
int peer_open(const char *program, const char *path, peer_problem *out);

#endif
