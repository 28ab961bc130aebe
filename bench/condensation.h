// bench/condensation.h
// The operator of the last step of a simulation of triangles made the plain way.
#ifndef CAIRN_BENCH_CONDENSATION_H
#define CAIRN_BENCH_CONDENSATION_H

#include <cairn/cairn.h>

typedef struct condensation {
    double time;       // [s] of CPU
    double difference; // of the diagonals of the two operators, over the entry
} condensation;
cn_status condensation_of(cn_sim *sim, condensation *out, cn_error *error);

#endif
