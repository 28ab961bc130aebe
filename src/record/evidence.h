// record/evidence.h
// What a frame records of its step, so that it can be checked without the solver.
#ifndef CAIRN_RECORD_EVIDENCE_H
#define CAIRN_RECORD_EVIDENCE_H

#include "step/sim.h"

// Of the last step, or of its last part where it was cut; NULL: not needed, or there is none.
typedef struct rec_evidence {
    double start, h;        // [s] when it starts and its length; NaN: no evidence
    int32_t limited;        // contacts that were stopped without the bounce of their law
    const double *v_before; // velocities before the impulses, at q~
    // q~ and the velocities after the impulses there, where the frame does not follow from them by
    // free motion alone (projection onto joints, bodies that fell asleep).
    const double *v_after, *q_middle;
    const double *projection; // by which bodies were lifted out of penetration at q~, as a velocity
    const double *load;       // 6 each: given forces where the scene's text does not say them
    const uint8_t *asleep;    // 0 awake, 1 asleep through the step, 2 fell asleep at its end
    const double *steering;   // gravity, factor of friction
    int32_t sleeping;         // contacts at the end of the list that belong to bodies asleep
    const double *early;      // 7 each: place in the list, arms to the antagonist and the candidate
    int64_t early_count;
} rec_evidence;

#define REC_STEERING_NUMBERS 4

// false: no memory.
bool rec_evidence_take(const cn_sim *sim, cn_arena *memory, rec_evidence *out);

// Of the joints, arrays in their order: value and rate of the coordinate that a motor would drive,
// at the end of the step (0: it has none); effort of its motor and what the joint gave its second
// body about its centre of mass, 6 each (2D: 3); impulses of its rows and their gauges at the start
// of the step; angles with whole turns, 2 each; impulses of the rows that projected the velocities
// at the end, NULL: they were not.
typedef struct rec_joint_evidence {
    double *value, *rate, *effort, *impulse, *angle;
    const double *rows, *start, *settled;
} rec_joint_evidence;

bool rec_joint_evidence_take(const cn_sim *sim, cn_arena *memory, rec_joint_evidence *out);

#endif
