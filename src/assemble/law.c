// assemble/law.c
// The laws of METHOD section 2. Velocity Signorini is exact in energy at theta = 1/2 with e = 1;
// the quasi-inelastic shock lets a body come to rest on the surface instead of above it; the gap
// law takes overlaps back, at most `correction` a step, since an uncapped one injects energy in
// large rigid collections.
#include "assemble/law.h"

#include <math.h>

typedef bool cn_law_fn(const cn_law_input *in, double shift[3]);

// Active when the gap predicted from q_i is closed: g(q_i) + gamma h u_N,i <= 0, with g(q_i) = g~ -
// h (1 - theta) u_N,i.
static bool cn_signorini(const cn_law_input *in, double shift[3]) {
    double predicted = in->gap + in->h * (in->activation - (1.0 - in->theta)) * in->before[0];
    shift[0] = in->pair->restitution * in->before[0];
    return predicted <= 0.0;
}

// The overlap that one step takes back.
static double cn_capped(const cn_law_input *in) {
    return in->gap > 0.0 ? in->gap : fmax(in->gap, -in->pair->correction);
}

static bool cn_quasi_inelastic(const cn_law_input *in, double shift[3]) {
    shift[0] = cn_capped(in) / in->h;
    return true;
}

// The gap brought to zero at the end of the step, whatever its sign.
static bool cn_stabilised_gap(const cn_law_input *in, double shift[3]) {
    shift[0] = in->gap / in->h;
    return in->gap <= in->active_gap;
}

static cn_law_fn *const cn_law_table[CN_LAW_KINDS] = {
    [CN_LAW_AUTO] = cn_quasi_inelastic,
    [CN_LAW_SIGNORINI] = cn_signorini,
    [CN_LAW_QUASI_INELASTIC] = cn_quasi_inelastic,
    [CN_LAW_GAP] = cn_quasi_inelastic,
    [CN_LAW_STABILISED] = cn_stabilised_gap,
};

bool cn_law_takes_all(cn_law law) {
    return cn_law_table[law] == cn_quasi_inelastic;
}

bool cn_law_needs_velocity(cn_law law, const cn_pair *pair) {
    return law == CN_LAW_SIGNORINI || pair->restitution_tangent != 0.0;
}

bool cn_law_shift(cn_law law, const cn_law_input *in, double shift[3]) {
    shift[0] = 0.0;
    shift[1] = in->pair->restitution_tangent * in->before[1];
    shift[2] = in->pair->restitution_tangent * in->before[2];
    return cn_law_table[law](in, shift);
}
