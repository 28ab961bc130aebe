// detect/detect.h
// State -> contacts: broad phase, narrow phase, keys.
#ifndef CAIRN_DETECT_DETECT_H
#define CAIRN_DETECT_DETECT_H

#include "detect/grid.h"
#include "model/model.h"

// A candidate contact at q~. The candidate is the body with the larger index; the normal points to
// it from the antagonist. The other two axes follow from the normal: math_contact_axes.
typedef struct det_contact {
    model_contact_key key;
    double point[3];
    double normal[3];
    double gap;
} det_contact;

typedef struct det_contact_list {
    int32_t count;
    det_contact *contact; // sorted by key: (candidate, antagonist, feature); owned by the detector,
                          // valid until the next call
    double alert;         // the distance used, besides what velocities add
    int32_t missed; // pairs overlapping now, by more than round-off, that were not candidates the
                    // call before
    int32_t missed_a, missed_b;    // one of them, body indices
    const struct det_sides *sides; // detect/deformable.h; NULL: no body is deformable
    const int32_t
        *bond; // assemble/bond.h: of each contact 2 * bond, or 2 * bond + 1 for its broken
               // share; -1: no bond. NULL: there are none
} det_contact_list;

typedef struct det_detector det_detector;

// NULL: no memory. scratch: an arena that a call may use and gives back; NULL: one of its own.
det_detector *det_detector_create(const cn_model *model, const cn_env *env, cn_arena *scratch);
void det_detector_destroy(det_detector *detector);
// q: poses of the centres of mass where gaps are asked for (q~). v: velocities, h: step, for the
// automatic part of the alert distance (what the pair can close in a step); NULL: at rest. Pairs
// without a free body, pairs that a joint holds and pairs of shapes of one body are left out.
cn_status det_detect(det_detector *detector, const double *q, const double *v, double h,
                     det_contact_list *out, cn_error *error);
// The first contact, in the order of det_detect, that overlaps by more than is accepted [m]; *found:
// there is one. As det_detect otherwise, without storing the contacts. CN_ERR_UNSUPPORTED from both:
// too many bodies are near one another (detect/grid.h).
cn_status det_detect_overlap(det_detector *detector, const double *q, const double *v, double h,
                             double accepted, det_contact *out, bool *found, cn_error *error);
// Pairs of two bodies marked here are left out of further calls; NULL: none. A number per body, to
// outlive them.
void det_detector_rest(det_detector *detector, const bool *resting);
// Bodies are searched as far as they come in a step by their velocities, or as far as this says
// [m]; NULL: by their velocities. A number per body, to outlive further calls.
void det_detector_reach(det_detector *detector, const double *reach);
// Forgets the memory that `missed` is based on, as after loading a state.
void det_detector_reset(det_detector *detector);

// Broad phase alone: pairs of spheres that are near each other.
typedef struct det_broad det_broad;
typedef struct det_near_pairs {
    int64_t count;
    const det_body_pair *pair; // sorted by (b, a)
    uint8_t *mark;             // of each, for the user; it stays with the pair from call to call
} det_near_pairs;

det_broad *det_broad_create(const cn_env *env); // NULL: no memory
void det_broad_destroy(det_broad *broad);
// All pairs of spheres that touch are in the list, others may be: cn_balls_touch checks. Pairs that
// the call before did not list have mark 0. Valid until the next call; the scratch is given back.
cn_status det_broad_near(det_broad *broad, const cn_env *env, int32_t count,
                         const det_bounding *sphere, cn_arena *scratch, det_near_pairs *out);

#endif
