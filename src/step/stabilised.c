// step/stabilised.c
// The time stepping of Hart and Anitescu (2003): one problem per step, contacts and joints
// linearised at the start of the step and brought to zero at its end,
//     Theta + h u = 0,   0 <= g + h u_N  orthogonal to  r_N >= 0,   contacts with g <= active_gap,
// backward Euler for the velocities, q_{i+1} = q_i + h v_{i+1}. What is violated is taken back in
// the next step, so violations stay of the order of (h |v|)^2 for any length of run, at one solve
// per step. Motion is that of the Moreau-Jean scheme with theta = 1: there is no drift to q~.
//
// It loses energy at first order (theta = 1), knows no restitution, and a large overlap comes back
// as a velocity: "moreau-jean" where energy counts. Without stabilise the shifts are left out and
// violations add up: for comparison.
#include "step/step.h"

void step_opts_stabilised(const cn_settings *settings, asm_assemble_opts *opts) {
    opts->theta = 1.0;
    opts->scheme = settings->stabilise ? ASM_SHIFT_GAP : ASM_SHIFT_NONE;
    opts->drift = settings->stabilise ? CN_DRIFT_LINEARISED : CN_DRIFT_NONE;
    opts->baumgarte = settings->baumgarte;
}
