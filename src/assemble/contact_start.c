// assemble/contact_start.c
// The frame change of contacts and the shifts of their laws (assemble/law.c says what they are
// for). Of spheres among themselves and on fixed planes the frame change follows from their
// velocities; others store their relative velocity from step to step.
#include "assemble/contact_start.h"

#include "assemble/law.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Contacts nearer than this times the round-off of the coordinates touch.
#define SLACK_ROUNDINGS 64.0
// A contact point that moved farther than this times what its bodies moved has jumped: the change
// of u is not that of a frame that turns.
#define JUMP 4.0

// Round-off of the gap of a contact: that of the coordinates of its two bodies.
static double gap_slack(const asm_assembling *job, const det_contact *contact) {
    const cn_model *model = job->model;
    int32_t side[2] = {contact->key.candidate, contact->key.antagonist}, dim = model->dim;
    double sum = 0.0;
    for (int i = 0; i < 2; i++) {
        const double *x = job->inertia->q + (int64_t)model_pose_size(dim) * side[i];
        double max = 0.0, bound = model->body[side[i]].bound;
        for (int32_t k = 0; k < dim; k++) {
            max = fmax(max, fabs(x[k]));
        }
        sum += max + (bound < HUGE_VAL ? bound : 0.0);
    }
    return SLACK_ROUNDINGS * DBL_EPSILON * sum;
}

// The frame change of two spheres, whose normal turns with n' = V / d, V the tangential part of v_c
// - v_k and d the distance of the centres: -h (S . n) n x n' with S = R_k omega_k + R_c omega_c.
// The normal part, h V^2 / d, only opens the gap.
static void sphere_frame_change(const asm_assembling *job, const det_contact *contact,
                                const double axes[9], double change[3]) {
    const cn_model *model = job->model;
    int32_t candidate = contact->key.candidate, antagonist = contact->key.antagonist;
    if (model->dim == 2 || !model->body[candidate].sphere || !model->body[antagonist].sphere) {
        return; // in the plane S . n = 0, and a plane's normal does not turn
    }
    const double *c = job->v_old + 6 * (int64_t)candidate,
                 *k = job->v_old + 6 * (int64_t)antagonist;
    double radius[2] = {model->body[antagonist].bound + 0.5 * contact->gap,
                        model->body[candidate].bound + 0.5 * contact->gap};
    double spin = 0.0, apart[3];
    for (int i = 0; i < 3; i++) {
        spin += (radius[0] * k[3 + i] + radius[1] * c[3 + i]) * contact->normal[i];
        apart[i] = c[i] - k[i];
    }
    // n x t1 = t2 and n x t2 = -t1.
    double factor = -job->opts->h * spin / (radius[0] + radius[1]);
    change[1] = -factor * math_dot3(axes + 6, apart);
    change[2] = factor * math_dot3(axes + 3, apart);
}

// Whether a contact point moved farther than its bodies can have taken it.
static bool point_jumped(const asm_assembling *job, const det_contact *contact,
                         const double last[3]) {
    const cn_model *model = job->model;
    int32_t side[2] = {contact->key.candidate, contact->key.antagonist}, dim = model->dim;
    double way[3], reach = 0.0;
    for (int i = 0; i < 2; i++) {
        const double *v = job->v_old + (int64_t)model_velocity_size(dim) * side[i];
        const double *x = job->inertia->q + (int64_t)model_pose_size(dim) * side[i];
        double arm[3], bound = model->body[side[i]].bound;
        asm_contact_arm(dim, x, contact, arm);
        bound = bound < HUGE_VAL ? bound : math_norm3(arm);
        reach += dim == 3 ? math_norm3(v) + bound * math_norm3(v + 3)
                          : hypot(v[0], v[1]) + bound * fabs(v[2]);
    }
    math_sub3(contact->point, last, way);
    return !(math_norm3(way) <= JUMP * job->opts->h * reach);
}

// The frame change of a contact that pressed in the last step, `last` among the state's: u_i less
// what the same velocities gave in the frame of that step, taken for drifts of the present length.
static void stored_frame_change(const asm_assembling *job, const det_contact *contact,
                                const double axes[9], const double before[3], int32_t last,
                                double change[3]) {
    const model_contact_motion *motion = &job->state->motion[last];
    int32_t dim = job->model->dim;
    double then[3], h = job->opts->h, theta = job->opts->theta;
    asm_to_axes(dim, axes, motion->velocity, then);
    double scale = h / (theta * job->state->last_h + (1.0 - theta) * h);
    change[0] = before[0] - motion->normal;
    change[1] = before[1] - then[1];
    change[2] = dim == 3 ? before[2] - then[2] : 0.0;
    for (int i = 0; i < 3; i++) {
        change[i] *= scale == 1.0 ? 1.0 : scale;
    }
    if (math_norm3(change) > job->opts->still && point_jumped(job, contact, motion->point)) {
        change[0] = change[1] = change[2] = 0.0;
    }
}

void asm_find_frame_change(const asm_assembling *job, const det_contact *contact,
                           const double axes[9], const double before[3], int32_t last, uint8_t past,
                           double change[3]) {
    change[0] = change[1] = change[2] = 0.0;
    if (job->opts->scheme != ASM_SHIFT_LAW || !(past & MODEL_PAST_SUSTAINED) ||
        !job->model->settings.frame_change ||
        model_is_deformable(job->model, contact->key.candidate) ||
        model_is_deformable(job->model, contact->key.antagonist)) {
        return;
    }
    if (!job->model->stores_motion) {
        sphere_frame_change(job, contact, axes, change);
    } else if (last >= 0 && job->state->last_h > 0.0) {
        stored_frame_change(job, contact, axes, before, last, change);
    }
    if (!(math_norm3(change) > job->opts->still)) {
        change[0] = change[1] = change[2] = 0.0;
    }
}

bool asm_find_shift(const asm_assembling *job, int32_t c, cn_law law, const model_body_pair *pair,
                    const asm_contact_start *start, double shift[3]) {
    const det_contact *contact = &job->contacts->contact[c];
    const asm_assemble_opts *opts = job->opts;
    if (opts->scheme == ASM_SHIFT_GIVEN) {
        shift[0] = opts->given[c];
        shift[1] = shift[2] = 0.0;
        return true;
    }
    asm_law_input input = {.pair = pair,
                           .gap = contact->gap,
                           .h = opts->h,
                           .theta = opts->theta,
                           .activation = job->model->settings.activation,
                           .active_gap = job->model->settings.active_gap,
                           .early = asm_is_early(job, c)};
    // A contact that pressed and whose frame turns opens by up to h |delta|, and stays a contact.
    input.slack = asm_law_takes_all(law)
                      ? 0.0
                      : gap_slack(job, contact) + opts->h * math_norm3(start->frame_change);
    memcpy(input.before, start->before, sizeof input.before);
    memcpy(input.frame_change, start->frame_change, sizeof input.frame_change);
    bool takes_part = asm_law_shift(law, &input, shift);
    shift[0] = opts->scheme == ASM_SHIFT_NONE ? 0.0 : shift[0];
    return takes_part;
}
