// bench/peers/siconos_problem.c
// Reading and converting; see siconos_problem.h. The blocks of W lie one after the other in memory,
// which a run of Siconos itself need not offer.
#include "siconos_problem.h"

#include <NumericsMatrix.h>
#include <SparseBlockMatrix.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double peer_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void *peer_allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fputs("siconos peer: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

// Our blocks are by columns too: only pointers and indices are made anew.
static SparseBlockStructuredMatrix *peer_blocks(const cn_bsr *W) {
    size_t rows = (size_t)W->block_rows, count = (size_t)W->start[rows];
    size_t size = (size_t)W->dim;
    SparseBlockStructuredMatrix *out = SBM_new();
    out->nbblocks = (unsigned)count;
    out->blocknumber0 = out->blocknumber1 = (unsigned)rows;
    out->filled1 = rows + 1;
    out->filled2 = count;
    out->block = peer_allocate(count, sizeof *out->block);
    out->blocksize0 = peer_allocate(rows, sizeof *out->blocksize0);
    out->blocksize1 = peer_allocate(rows, sizeof *out->blocksize1);
    out->index1_data = peer_allocate(rows + 1, sizeof *out->index1_data);
    out->index2_data = peer_allocate(count, sizeof *out->index2_data);
    for (size_t k = 0; k < count; k++) {
        out->block[k] = W->value + size * size * k;
        out->index2_data[k] = (size_t)W->column[k];
    }
    for (size_t a = 0; a < rows; a++) {
        out->blocksize0[a] = out->blocksize1[a] = (unsigned)(size * (a + 1));
        out->index1_data[a + 1] = (size_t)W->start[a + 1];
    }
    return out;
}

int peer_open(const char *program, const char *path, peer_problem *out) {
    cn_error error;
    char text[1400];
    *out = (peer_problem){.read = NULL};
    cn_status status = cn_problem_read(NULL, path, &out->read, &error);
    if (status == CN_OK && out->read->kind == CN_PROBLEM_FRICTION) {
        out->p = &out->read->friction;
    } else if (status == CN_OK && out->read->kind == CN_PROBLEM_FRICTION_GLOBAL) {
        status =
            cn_friction_condense(&out->read->global, out->read->memory, &out->condensed, &error);
        out->p = &out->condensed;
    } else if (status == CN_OK) {
        fprintf(stderr, "%s: %s is not a friction problem\n", program, path);
        return 4;
    }
    if (status != CN_OK) {
        fprintf(stderr, "%s: %s\n", program, cn_error_format(&error, text, sizeof text));
        return 4;
    }
    const cn_friction *p = out->p;
    int m = (int)p->dim * (int)p->contacts;
    NumericsMatrix *M = NM_new_SBM(m, m, peer_blocks(&p->W.assembled));
    out->siconos = frictionContactProblem_new_with_data(p->dim, p->contacts, M, p->q, p->mu);
    return 0;
}
