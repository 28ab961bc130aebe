// step/act/moment.c
// The moment stress of bodies (Jean, Comput. Methods Appl. Mech. Eng. 177, 1999): of a body with the
// centre of mass c and the volume V under contact forces R at x,
//     M = 1/V sum (x - c) R'.
// The mean of the Cauchy stress of a body at rest, whose weight acts at c. Not for bodies that move:
// their inertia is left out.
#include "base/error.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "model/model.h"

#include <cairn/sim.h>
#include <string.h>

// The centre of mass of a body whose own frame has a pose.
static void center_of(const cn_model *model, const double *poses, int32_t body, double x[3]) {
    const double *pose = poses + (int64_t)model_pose_size(model->dim) * body;
    double R[9];
    if (model->dim == 2) {
        math_angle_matrix(pose[2], R);
    } else {
        math_quat_matrix(pose + 3, R);
    }
    math_mat3_apply(R, model->body[body].com, x);
    for (int32_t k = 0; k < model->dim; k++) {
        x[k] += pose[k];
    }
}

static void add_force(const cn_model *model, const double *poses, int32_t body,
                      const cn_contact_record *contact, double factor, double *moment) {
    double center[3], arm[3];
    center_of(model, poses, body, center);
    math_sub3(contact->point, center, arm);
    for (int32_t i = 0; i < 3; i++) {
        for (int32_t k = 0; k < 3; k++) {
            moment[3 * i + k] += factor * arm[i] * contact->impulse[k];
        }
    }
}

cn_status cn_moment_stress(const cn_model *model, const double *poses,
                           const cn_contact_record *contacts, int32_t count, double h,
                           double *out) {
    if (!model || !poses || (count > 0 && !contacts) || !out || !(h > 0.0)) {
        return CN_ERR_ARGUMENT;
    }
    memset(out, 0, 9 * sizeof *out * (size_t)model->body_count);
    for (int32_t c = 0; c < count; c++) {
        const int32_t body[2] = {contacts[c].candidate - 1, contacts[c].antagonist - 1};
        for (int side = 0; side < 2; side++) {
            const model_body *own = &model->body[body[side]];
            double density = own->material >= 0 ? model->material[own->material].density : 0.0;
            double volume = density > 0.0 ? own->mass / density : 0.0;
            if (volume > 0.0 && own->role != MODEL_BODY_FIXED) {
                add_force(model, poses, body[side], &contacts[c],
                          (side == 0 ? 1.0 : -1.0) / (h * volume), out + 9 * (int64_t)body[side]);
            }
        }
    }
    return CN_OK;
}
