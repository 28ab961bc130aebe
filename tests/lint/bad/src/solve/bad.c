// Every line that says "refuse" must be refused, for that reason; every other must pass.
#include "base/arena.h"
#include "problem/grade.h"
#include "solve/local/local.h"
#include <cairn/solve.h>
#include <math.h>

#include "../base/arena.h" // refuse: rooms
#include "io/hdf5.h"       // refuse: rooms
#include "kitchen/knife.h" // refuse: rooms
#include "local.h"         // refuse: rooms
#include <mpi.h>           // refuse: mpi
#include <omp.h>           // refuse: threads
#include <pthread.h>       // refuse: threads

/* malloc(1) in a comment,
   exit(2) in its second line */
static const char *scene_words = "malloc(3) \" printf(4)"; // and sin(x) here

static void cn_good(cn_thing *thing) {
    snprintf(thing->text, sizeof thing->text, "%d", 'x');
    thing->free(thing);
    cn_free(thing);
    double free_velocity = thing->malloc + cos_angle(thing) + sqrt(2.0) / 3.0;
    (void)free_velocity;
}

static void cn_bad(cn_thing *thing) {
    void *a = malloc(8);       // refuse: allocation
    a = calloc(1, 8);          // refuse: allocation
    a = realloc(a, 16);        // refuse: allocation
    free(a);                   // refuse: allocation
    thing->resize = realloc;   // refuse: allocation
    char *b = strdup("x");     // refuse: allocation
    printf("%s", b);           // refuse: never
    puts(b);                   // refuse: never
    fflush(stdout);            // refuse: never
    /* here */ exit(1);        // refuse: never
    abort();                   // refuse: never
    assert(a);                 // refuse: never
    int c = rand();            // refuse: never
    srand(1);                  // refuse: never
    if (setjmp(thing->jump)) { // refuse: never
        c = 1;
    }
    double d = sin(1.0);       // refuse: trigonometry
    d = 2 * atan2(d, 1.0);     // refuse: trigonometry
    FILE *f = fopen("x", "r"); // refuse: files
#pragma omp parallel for       // refuse: threads
    for (int i = 0; i < c; i++) {
        d += omp_get_wtime(); // refuse: threads
    }
    cn_status status = cn_good(thing);
    if (status != CN_OK) {
        return status; // refuse: errors
    }
    if (status != CN_OK) {
        cn_free(thing);
        return status;
    }
}
