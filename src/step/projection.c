// step/projection.c
// Penetration taken back by moving poses, not by velocities. Impacts within one step leave overlaps
// of the order of (h v)^2 / R that the laws do not take back: a shift g/h would turn them into
// velocities and energy. Here bodies are lifted at q~ by the least motion, in the metric of the
// masses, that brings deep contacts nearer to touching and makes no other worse:
//     0 <= lambda  orthogonal to  W_NN lambda + b >= 0,   q~ := q~ + M^-1 H_N lambda,
//     b = beta (g + slop/2) for g < 0,  max(0, g) otherwise.
// Velocities stay as they are (angular ones of asymmetric bodies turn with the body, so that the
// kinetic energy stays). What gravity gains in potential energy is the ledger's work_correction.
//
// A contact triggers it that is deeper than its slop; it ends at half of it, since without this
// hysteresis it would be solved in every step. Contacts with restitution count once they have
// pressed for two steps: a bounce may overlap for one. Those with restitution 1, and laws that take
// overlaps back themselves, are left alone.
#include "step/step.h"

#include "base/arena.h"
#include "base/error.h"
#include "detect/impact_time.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define SLOP_TOLERANCES 0.5 // of the tolerance of the solves: what they leave is not lifted
#define LIFT_SHARE 0.2      // beta: of an overlap that one step takes back
#define LIFT_TOLERANCE 1e-2 // of the lift

// How deep a contact may be before it is lifted [m]; infinite: it never is.
static double slop_of(const step_context *in, const det_contact_list *list, int32_t c) {
    const cn_model *model = in->model;
    const det_contact *contact = &list->contact[c];
    if (list->bond && list->bond[c] >= 0) {
        return HUGE_VAL; // a layer that is pressed
    }
    const model_body_pair *pair =
        model_pair_of(model, contact->key.candidate, contact->key.antagonist);
    bool plain = pair->law == CN_LAW_QUASI_INELASTIC && pair->correction == 0.0;
    bool bounces = pair->law == CN_LAW_SIGNORINI && pair->restitution < 1.0;
    if (!plain &&
        !(bounces && (pair->restitution == 0.0 ||
                      (asm_state_past(in->state, &contact->key) & MODEL_PAST_PRESSED_TWICE)))) {
        return HUGE_VAL;
    }
    double share =
        fmax(model->settings.penetration_slop, SLOP_TOLERANCES * model->settings.tolerance);
    return share * det_contact_thinner(model, &contact->key);
}

// b of every listed contact; NULL: none is too deep, or no memory.
static double *lifts(const step_context *in, const det_contact_list *list, bool *deep,
                     cn_error *error) {
    *deep = false;
    for (int32_t c = 0; c < list->count && !*deep; c++) {
        *deep = list->contact[c].gap < 0.0 && list->contact[c].gap < -slop_of(in, list, c);
    }
    double *lift = *deep ? BASE_TAKE(in->memory, double, list->count) : NULL;
    if (*deep && !lift) {
        base_fail_memory(error);
    }
    for (int32_t c = 0; lift && c < list->count; c++) {
        double gap = list->contact[c].gap;
        double slop = gap < 0.0 ? slop_of(in, list, c) : 0.0;
        lift[c] = gap >= 0.0 ? gap : LIFT_SHARE * fmin(0.0, gap + 0.5 * slop);
    }
    return lift;
}

// Moves body i at q by `way`, its angular velocity with it; returns what that adds to its potential
// energy.
static double lift_body(const step_context *in, int32_t i, const double *way, double *q,
                        double *v) {
    const cn_model *model = in->model;
    int32_t dim = model->dim;
    double *pose = q + (int64_t)model_pose_size(dim) * i, gained = 0.0;
    for (int32_t k = 0; k < dim; k++) {
        gained -= model->body[i].mass * in->steering->gravity[k] * way[k];
    }
    rigid_move(dim, pose, way, 1.0, pose);
    if (dim == 3 && !model->body[i].sphere) {
        double turn[4] = {1.0, 0.0, 0.0, 0.0}, R[9], *spin = v + 6 * (int64_t)i + 3;
        double turned[7] = {0.0, 0.0, 0.0, turn[0], turn[1], turn[2], turn[3]};
        const double about[6] = {0.0, 0.0, 0.0, way[3], way[4], way[5]};
        rigid_move(3, turned, about, 1.0, turned);
        math_quat_matrix(turned + 3, R);
        math_mat3_apply(R, spin, spin);
    }
    return gained;
}

cn_status step_project(const step_context *in, step_data *step, bool *moved, cn_error *error) {
    const cn_model *model = in->model;
    int64_t size = model_velocity_size(model->dim);
    bool deep = false;
    *moved = false;
    if (in->opts.scheme != ASM_SHIFT_LAW || !(model->settings.penetration_slop > 0.0)) {
        return CN_OK;
    }
    const double *lift = lifts(in, &step->contacts, &deep, error);
    if (!lift) {
        return deep ? CN_ERR_MEMORY : CN_OK;
    }
    asm_assembled normals;
    double *rest = BASE_TAKE_ZERO(in->memory, double, model_velocity_count(model));
    double *way = BASE_TAKE(in->memory, double, model_velocity_count(model));
    if (!rest || !way) {
        return base_fail_memory(error);
    }
    CN_TRY(step_solve_normals(in, &step->contacts, &step->inertia, rest, lift, LIFT_TOLERANCE,
                              &normals, error));
    asm_apply_impulses(in->env, model, &normals, rest, normals.r, way);
    for (int32_t i = 0; i < model->body_count; i++) {
        if (model->body[i].role == MODEL_BODY_FREE) {
            step->lifted += lift_body(in, i, way + size * i, step->q_middle, step->v_old);
        }
    }
    step->projection = way;
    *moved = true;
    return CN_OK;
}
