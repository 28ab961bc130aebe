// detect/deformable.h
// Contacts of deformable bodies at q~.
//
// With rigid bodies: points of the deformable surface (its nodes, or the midpoints of its edges)
// against every rigid shape, and corners of rigid shapes against faces. Between deformable bodies:
// rows over their overlap (detect/mortar.h), in 3D with the finer surface as candidate. Only points
// whose surface looks towards the other body count.
//
// The deformable body is the candidate against a rigid one. Keys name the candidate point, never
// the face it is on, so that an impulse survives sliding from face to face.
#ifndef CAIRN_DETECT_DEFORMABLE_H
#define CAIRN_DETECT_DEFORMABLE_H

#include "detect/detect.h"
#include "detect/mortar.h"

// What the sides of listed contacts are made of: parts start[c] .. start[c + 1] - 1 of contact c,
// none where both bodies are rigid. node -1: a point fixed to a rigid body.
struct det_sides {
    int64_t *start;
    det_node_weight *part;
    double *area; // of rows over an overlap: what of it is theirs [m]; 0: not such a row
};

typedef struct det_deformables det_deformables;
det_deformables *det_deformables_create(const cn_model *model,
                                        const cn_env *env); // NULL: no memory
void det_deformables_destroy(det_deformables *detector);

// Adds to a list of contacts of rigid bodies those of the model's deformable ones, for positions q
// and velocities v of bodies and nodes; h as in det_detect. The whole list goes to memory, sorted.
cn_status det_deformables_add(det_deformables *detector, const double *q, const double *v, double h,
                              cn_arena *memory, det_contact_list *contacts, cn_error *error);

#endif
