// lab/two_link.h
// A planar arm of two links whose tip draws a half circle that leads it onto the ground and off it
// again: mechanics and the passivity-based controller with its five phases.
//
// The scene two-link says the same in expressions, and tests/system/test_systems_gallery.c holds
// it to the same times of impact. E11 makes 15 million steps in 22 s; with the expressions of the
// scene, at some 42 us a step, they would take 10 minutes, so it has the arm in C.
//
// q = (angle of link 1 to the ground, angle of link 2 to link 1). Gravity is cancelled by the
// controller and left out.
#ifndef CAIRN_LAB_TWO_LINK_H
#define CAIRN_LAB_TWO_LINK_H

#include <cairn/system.h>

typedef enum arm_phase {
    ARM_FREE,        // follow the circle
    ARM_APPROACH,    // turn back on it, then go down
    ARM_IMPACTS,     // until two steps in a row press on the ground
    ARM_CONSTRAINED, // slide along the ground
    ARM_TAKE_OFF
} arm_phase;

typedef struct two_link {
    double gamma[2];    // gains
    double restitution; // of the ground
    arm_phase phase;
    double entered;   // [s] the present phase, where its law needs it
    double x_held;    // x* of the phases 1 to 3
    double storage;   // V1 at the start of phase 1
    double impulse;   // of the last step [N s]
    double beta;      // of the take-off
    int32_t count;    // steps with an impulse in phase 2
    double t_impact;  // the first of them
    double p_impact;  // its impulse
    double t_settled; // end of the accumulation; 0 before
} two_link;

two_link two_link_start(double gamma1, double gamma2, double restitution);
// The description with the arm as its user pointer; its start is that of the experiment.
cn_lagrangian two_link_system(two_link *arm);
// After a step of length h that ended at t: q_before its start, q and v its end, p the impulse.
// Switches the phase.
void two_link_switch(two_link *arm, double t, double h, const double *q_before, const double *q,
                     const double *v, double p);
void two_link_tip(const double *q, double *x, double *y);

#endif
