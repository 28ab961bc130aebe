// assemble/contact_start.h
// How a contact starts into a step: the change of its frame, its shift, and whether it takes part.
// Shared by the files that make contacts into a problem.
#ifndef CAIRN_ASSEMBLE_CONTACT_START_H
#define CAIRN_ASSEMBLE_CONTACT_START_H

#include "assemble/assemble.h"
#include "math/vec3.h"

// What the contacts of a step are made into a problem from.
typedef struct asm_assembling {
    const cn_model *model;
    const model_state *state;
    const asm_inertia_map *inertia;
    const double *v_old, *v_free;
    const asm_assemble_opts *opts;
    const det_contact_list *contacts;
    cn_operator_kind form;
    bool all; // listed contacts are those of the problem
    asm_assembled *out;
    struct asm_place *place; // one a range of listed contacts
} asm_assembling;

// From a body's centre of mass to the contact.
static inline void asm_contact_arm(int dim, const double *pose, const det_contact *contact,
                                   double arm[3]) {
    arm[0] = contact->point[0] - pose[0];
    arm[1] = contact->point[1] - pose[1];
    arm[2] = dim == 3 ? contact->point[2] - pose[2] : 0.0;
}

// x in contact axes.
static inline void asm_to_axes(int32_t dim, const double axes[9], const double x[3],
                               double out[3]) {
    out[0] = math_dot3(axes, x);
    out[1] = math_dot3(axes + 3, x);
    out[2] = dim == 3 ? math_dot3(axes + 6, x) : 0.0;
}

// Whether a listed contact takes part before it touches.
static inline bool asm_is_early(const asm_assembling *job, int32_t c) {
    return job->opts->early && job->opts->early->place[c] >= 0;
}

// delta of a contact; zero within the dead band, and for laws without it. before: u_i; last: its
// place among the state's impulses, -1: none; past: what it did before.
void asm_find_frame_change(const asm_assembling *job, const det_contact *contact,
                           const double axes[9], const double before[3], int32_t last, uint8_t past,
                           double change[3]);
// s of listed contact c; true: it takes part. start: u_i and delta.
bool asm_find_shift(const asm_assembling *job, int32_t c, cn_law law, const model_body_pair *pair,
                    const asm_contact_start *start, double shift[3]);

#endif
