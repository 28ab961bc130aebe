// The yardstick of the kernels: a sweep over spheres in body space as anybody would first write it,
// one loop over an array of contact records in natural order, plain C, built with -O3
// -march=native.
#ifndef CAIRN_BENCH_NAIVE_H
#define CAIRN_BENCH_NAIVE_H

#include <stdint.h>

typedef struct naive_body {
    double v[3], w[3], inv_mass, inv_inertia;
} naive_body;

typedef struct naive_contact {
    int32_t a, b;         // the last body is static
    double n[3], t[2][3]; // from A to B, and across
    double q[3], r[3];    // in the axes n, t
    double mu, radius_a, radius_b, wn, wt;
} naive_contact;

void naive_spheres(int32_t contacts, naive_contact *contact, naive_body *body);

#endif
