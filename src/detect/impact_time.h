// detect/impact_time.h
// Time of impact of two shapes that move with constant velocities, by conservative advancement.
#ifndef CAIRN_DETECT_IMPACT_TIME_H
#define CAIRN_DETECT_IMPACT_TIME_H

#include "detect/detect.h"

// Where and when two shapes meet.
typedef struct det_impact {
    double t;         // [s] since the start of the motion
    double normal[3]; // at time t, towards the candidate
    double arm[6];    // from the centres of mass of the antagonist and the candidate, at time t
    double approach;  // [m/s] -u_N there; > 0 but in searches that have not ended
    bool caught;      // at the end of the motion the two overlap, not too deep, and still approach:
                      // a law that acts on overlaps will stop them
} det_impact;

// Half the thickness of the two shapes of a contact together: an overlap up to it has the right
// normal with a factor of two to spare. Infinite with a plane, a line or a ring [m].
double det_contact_depth(const cn_model *model, const model_contact_key *key);
// Half the thickness of the thinner shape of the two; infinite where both have no other side [m].
double det_contact_thinner(const cn_model *model, const model_contact_key *key);
// Whether two contacts are of the same shapes of the same bodies.
static inline bool det_same_shapes(const model_contact_key *a, const model_contact_key *b) {
    return a->candidate == b->candidate && a->antagonist == b->antagonist &&
           a->feature >> 32 == b->feature >> 32;
}

// Whether the two shapes of a contact, `reach` apart at most, touch within time h while their
// bodies move from poses q with velocities v. Shapes that pass by do not touch. A search that has
// not ended after many evaluations says that they touch.
bool det_impact_time(const cn_model *model, const model_contact_key *key, const double *q,
                     const double *v, double h, double reach, det_impact *out);

// Whether two shapes that touch, with the normal n, are too deep or on the wrong sides of one
// another after time h.
bool det_impact_inverts(const cn_model *model, const model_contact_key *key, const double *q,
                        const double *v, double h, double reach, const double n[3]);

#endif
