// step/save/save.h
// A state as bytes, in parts where they lie, so that one who writes them needs no copy.
#ifndef CAIRN_STEP_SAVE_H
#define CAIRN_STEP_SAVE_H

#include "base/hash.h"
#include "step/sim.h"

typedef struct step_save_head {
    uint64_t magic;
    uint64_t checksum; // XXH3 of all parts, this one read as 0
    int64_t step;
    double last_h, drift_limit;
    int32_t dim, bodies, impulses;
    int32_t motion;   // 1: with the motion of the contacts
    int32_t outside;  // STEP_SAVE_... bits of what acts from outside
    int32_t steered;  // 1: a step_save_steering follows the arrays, and all that sleeps follows it
    int32_t contacts; // of the last step, as step_stored_contact behind the arrays
    int32_t unused;   // so that the struct has no gaps
    int64_t journal;  // bytes of what was added and removed, right behind the head
} step_save_head;

enum {
    STEP_SAVE_HELD = 1,   // loads that are held, 6 numbers per body
    STEP_SAVE_ONCE = 2,   // loads of the next step, likewise
    STEP_SAVE_JUMPED = 4, // the state was set since the last step
    STEP_SAVE_OUTSIDE = 7
};

typedef struct step_save_steering {
    cn_steering steering;
    double work;
} step_save_steering;

#define STEP_SAVE_PARTS 24

typedef struct step_save {
    step_save_head head;
    step_save_steering steered;
    int64_t kept; // contacts of bodies that sleep
    int32_t count;
    size_t size; // of all parts
    base_hash_part part[STEP_SAVE_PARTS];
} step_save;

// What cn_sim_save gives, one part after the other, of a sim without a system; valid until the next
// step, and as long as save is where it is. contacts: with those of the last step, which the next
// step does not need. false: no memory.
bool sim_parts(const cn_sim *sim, bool contacts, step_save *save);

// What cn_sim_hash gives, which is 0 where memory is short: here that is an error.
cn_status sim_hash(const cn_sim *sim, uint64_t *hash);

// Bytes of what sleeping knows of the bodies: quiet, rest_load, island, and how many contacts are
// stored, which follow.
size_t step_save_sleep_size(const cn_sim *sim);
// Impulses of the rows and angles of the joints, what controllers store, inputs, damage of bonds,
// and displacements and velocities of nodes.
size_t step_save_other_numbers(const cn_model *model, int32_t bonds);
// Bytes of the head, the journal and the arrays that follow, all that sleeps left out.
size_t step_save_size(const step_save_head *head, size_t others);
// Whether the bytes have a head and are what was written.
cn_status step_save_check_bytes(const void *bytes, size_t size, cn_error *error);
// Whether they are a state that this sim can take, with every count and index in range and every
// number finite, after its model has become that of their journal. CN_ERR_INPUT: why not.
cn_status step_save_check(const cn_sim *sim, const void *bytes, size_t size, cn_error *error);
#define STEP_SAVE_MAGIC 0x38304e5249414331u // "1CAIRN08": the last digits count the layouts

#endif
