// assemble/law.h
// Contact laws as a table: each says when a contact takes part and by which shift s the law 0 <=
// u_N + s_N  orthogonal to r_N >= 0, friction on u_T + s_T, stands for it.
#ifndef CAIRN_ASSEMBLE_LAW_H
#define CAIRN_ASSEMBLE_LAW_H

#include "model/model.h"

// What a law may look at.
typedef struct asm_law_input {
    const model_body_pair *pair;
    double gap;       // g~ [m]
    double before[3]; // u_i in contact axes, normal first [m/s]
    double h, theta;
    double activation; // gamma
    double active_gap; // [m] of the stabilised law
    // delta: how the change of the frame since the last step changed u_i, in contact axes; 0 for
    // contacts that did not press in the last step [m/s]
    double frame_change[3];
    double slack; // [m] round-off of the gap: contacts this near touch
    bool early;   // it takes part before it touches, since a step would take it right through
} asm_law_input;

// Whether the law of a pair looks at u_i; if not, `before` may be anything finite.
bool asm_law_needs_velocity(cn_law law, const model_body_pair *pair);
// Whether contacts under the law take part whatever they are.
bool asm_law_takes_all(cn_law law);
// true: the contact takes part with the shift written.
bool asm_law_shift(cn_law law, const asm_law_input *in, double shift[3]);

#endif
