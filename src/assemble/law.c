// assemble/law.c
// The laws of contacts, Newton's restitution among them (docs/design/theory.md, section 2).
// Velocity Signorini is exact in energy at theta = 1/2 with e = 1;
// the quasi-inelastic shock lets a body come to rest on the surface instead of above it; the gap
// law takes overlaps back, at most `correction` a step, since an uncapped one injects energy in
// large rigid collections.
//
// Frames turn during the drift from one q~ to the next, and with them u changes by delta = H(q~_i)'
// v_i - H(q~_{i-1})' v_i. A law on u_{i+1} alone is one-sided in time: contacts on curved surfaces
// sink by h^2 delta/2 in every step and lose energy, sticking bodies on turning supports drift
// outwards. The laws therefore act on u + delta/2, the velocity at q_{i+1}, in the middle of the
// drift. Of the normal part only a negative delta counts: a positive one opens the gap, which the
// next step closes. Both parts belong together: the normal error is a loss of energy, the
// tangential one a gain.
#include "assemble/law.h"

#include <math.h>

typedef bool law_fn(const asm_law_input *in, double shift[3]);

// The part of delta/2 that would close the gap.
static double sinking(const asm_law_input *in) {
    return 0.5 * fmin(0.0, in->frame_change[0]);
}

// Active when the gap predicted from q_i is closed: g(q_i) + gamma h u_N,i <= 0, with g(q_i) = g~ -
// h (1 - theta) u_N,i.
static bool signorini(const asm_law_input *in, double shift[3]) {
    double predicted = in->gap + in->h * (in->activation - (1.0 - in->theta)) * in->before[0];
    double e = in->pair->restitution;
    // Nothing closes a gap under this law, so in steady motion (u_i = delta/2) a positive delta
    // counts as well: without it the contact would press while it opens, and gain energy.
    double change = in->frame_change[0];
    bool steady = change > 0.0 && in->before[0] > 0.0 && in->before[0] <= change;
    shift[0] = e * in->before[0] + (1.0 - e) * (steady ? 0.5 * change : sinking(in));
    return in->early || predicted <= in->slack;
}

// The overlap that one step takes back.
static double capped(const asm_law_input *in) {
    return in->gap > 0.0 ? in->gap : fmax(in->gap, -in->pair->correction);
}

static bool quasi_inelastic(const asm_law_input *in, double shift[3]) {
    shift[0] = capped(in) / in->h + sinking(in);
    return true;
}

// The gap brought to zero at the end of the step, whatever its sign.
static bool stabilised_gap(const asm_law_input *in, double shift[3]) {
    shift[0] = in->gap / in->h;
    return in->gap <= in->active_gap;
}

static law_fn *const law_table[CN_LAW_KINDS] = {
    [CN_LAW_AUTO] = quasi_inelastic,
    [CN_LAW_SIGNORINI] = signorini,
    [CN_LAW_QUASI_INELASTIC] = quasi_inelastic,
    [CN_LAW_GAP] = quasi_inelastic,
    [CN_LAW_STABILISED] = stabilised_gap,
};

bool asm_law_takes_all(cn_law law) {
    return law_table[law] == quasi_inelastic;
}

bool asm_law_needs_velocity(cn_law law, const model_body_pair *pair) {
    return law == CN_LAW_SIGNORINI || pair->restitution_tangent != 0.0;
}

bool asm_law_shift(cn_law law, const asm_law_input *in, double shift[3]) {
    double e = in->pair->restitution_tangent;
    shift[0] = 0.0;
    for (int k = 1; k < 3; k++) {
        shift[k] = e * in->before[k] + (1.0 - e) * 0.5 * in->frame_change[k];
    }
    return law_table[law](in, shift);
}
