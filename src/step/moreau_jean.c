// step/moreau_jean.c
// One step of the Moreau-Jean theta scheme (Jean 1999; METHOD section 2):
//     drift by h (1 - theta) to q~  ->  detect  ->  v_free = v_i + h M^-1 F  ->  assemble  -> solve
//     ->  v = v_free + M^-1 H r  ->  drift by h theta to q.
//
// theta = 1/2 conserves, theta = 1 damps. Gaps and frames are taken at q~, nowhere else. Impacts
// inside a step are all treated at its end, so the order of an impact is one; smooth motion is
// second order at theta = 1/2.
#include "step/phases.h"

cn_status cn_moreau_jean(cn_sim *sim, double t, double h, cn_error *error) {
    cn_status status = cn_step_begin(sim, t, h, error);
    return status == CN_OK ? cn_step_go(sim, error) : status;
}
