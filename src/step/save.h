// step/save.h
// A state as bytes, in parts where they lie, so that one who writes them needs no copy.
#ifndef CAIRN_STEP_SAVE_H
#define CAIRN_STEP_SAVE_H

#include "step/sim.h"

typedef struct cn_save_head {
    uint64_t magic;
    int64_t step;
    double last_h, drift_limit;
    int32_t dim, bodies, impulses;
    int32_t motion;  // 1: with the motion of the contacts
    int32_t unused;  // so that the struct has no gaps
    int32_t steered; // 1: a cn_save_steering follows the arrays, and all that sleeps follows it
} cn_save_head;

typedef struct cn_save_steering {
    cn_steering steering;
    double work;
} cn_save_steering;

#define CN_SAVE_PARTS 16

typedef struct cn_save {
    cn_save_head head;
    cn_save_steering steered;
    int64_t kept; // contacts of bodies that sleep
    int32_t count;
    size_t size; // of all parts
    struct {
        const void *bytes;
        size_t size;
    } part[CN_SAVE_PARTS];
} cn_save;

// What cn_sim_save gives, one part after the other, of a sim without a system; valid until the next
// step, and as long as save is where it is.
void cn_sim_parts(const cn_sim *sim, cn_save *save);

#endif
