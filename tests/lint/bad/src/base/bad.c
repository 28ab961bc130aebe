// base may allocate and thread, but know no other room.
#include <omp.h>
#include <stdlib.h>

#include "math/cone.h" // refuse: rooms
#include <mpi.h>       // refuse: mpi

void *cn_good(void) {
    return malloc(8);
}

void cn_bad(void) {
    exit(1); // refuse: never
}
