// detect/impact_time.c
// Conservative advancement (Mirtich 1996): from a gap g with normal n the two shapes cannot touch
// before g / m, with m = -n . (v_c - v_k) + |omega_c| R_c + |omega_k| R_k a bound of the approach
// speed of any two of their points. The motion is advanced by that time until the gap is closed,
// the bound is not positive (they part) or time is up. For shapes that only translate it ends after
// two or three evaluations; with rotation it converges linearly and never steps past the impact.
#include "detect/impact_time.h"

#include "detect/narrow/narrow.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "model/deformable.h"

#include <math.h>
#include <string.h>

#define IMPACT_EVALUATIONS 96
#define IMPACT_CLOSED 0.02 // of the depth: a gap this small is closed

// The shape of one side of a contact. The upper half of the feature holds the index of the
// candidate's shape in its upper 16 bits and that of the antagonist's in its lower 16.
static const geom_shape *side_shape(const cn_model *model, const model_contact_key *key,
                                    bool candidate) {
    const model_body *body = &model->body[candidate ? key->candidate : key->antagonist];
    uint32_t number = (uint32_t)(key->feature >> 32);
    number = candidate ? number >> 16 : number & 0xffffu;
    int32_t shape = number < (uint32_t)body->shape_count ? (int32_t)number : 0;
    return &model->shape[body->shape_first + shape];
}

// Half the thickness of the deformable bodies of a contact; infinite: both are rigid.
static double deformable_depth(const cn_model *model, const model_contact_key *key) {
    const model_deformable *a = model_deformable_of(model, key->candidate),
                           *b = model_deformable_of(model, key->antagonist);
    return fmin(a ? a->depth : HUGE_VAL, b ? b->depth : HUGE_VAL);
}

double det_contact_depth(const cn_model *model, const model_contact_key *key) {
    double soft = deformable_depth(model, key);
    if (soft < HUGE_VAL) {
        return soft;
    }
    return 0.5 * (side_shape(model, key, false)->depth + side_shape(model, key, true)->depth);
}

double det_contact_thinner(const cn_model *model, const model_contact_key *key) {
    double soft = deformable_depth(model, key);
    if (soft < HUGE_VAL) {
        return soft;
    }
    return fmin(side_shape(model, key, false)->depth, side_shape(model, key, true)->depth);
}

typedef struct det_moving {
    int32_t dim;
    const geom_shape *shape;
    const double *pose, *velocity;
    double turning; // [m/s] the fastest that rotation moves a point of the shape
} det_moving;

static det_moving moving_side(const cn_model *model, const model_contact_key *key, bool candidate,
                              const double *q, const double *v) {
    int32_t body = candidate ? key->candidate : key->antagonist, dim = model->dim;
    det_moving side = {dim, side_shape(model, key, candidate),
                       q + (int64_t)model_pose_size(dim) * body,
                       v + (int64_t)model_velocity_size(dim) * body, 0.0};
    double spin = dim == 3 ? math_norm3(side.velocity + 3) : fabs(side.velocity[2]);
    side.turning = model->body[body].sphere ? 0.0 : spin * model->body[body].bound;
    return side;
}

// Where the shape is after time t, and the centre of its body.
static void moving_place(const det_moving *side, double t, det_placed *placed) {
    double pose[7];
    rigid_move(side->dim, side->pose, side->velocity, t, pose);
    *placed = (det_placed){.shape = side->shape};
    memcpy(placed->position, pose, sizeof(double) * (size_t)side->dim);
    if (side->dim == 3) {
        math_quat_matrix(pose + 3, placed->R);
    } else {
        math_angle_matrix(pose[2], placed->R);
    }
}

// Velocity of the material point of a side at the end of an arm.
static void moving_velocity(const det_moving *side, const double arm[3], double out[3]) {
    const double *v = side->velocity;
    double spin[3] = {0.0, 0.0, side->dim == 3 ? v[5] : v[2]};
    if (side->dim == 3) {
        spin[0] = v[3];
        spin[1] = v[4];
    }
    math_cross3(spin, arm, out);
    out[0] += v[0];
    out[1] += v[1];
    out[2] += side->dim == 3 ? v[2] : 0.0;
}

// The nearest two points at time t, their gap into *gap; false: they are farther apart than reach.
static bool nearest_points(const det_moving side[2], double t, double reach, double *gap,
                           det_impact *out) {
    det_placed placed[2];
    det_manifold manifold;
    moving_place(&side[0], t, &placed[0]);
    moving_place(&side[1], t, &placed[1]);
    if (!det_narrow(side->dim, &placed[1], &placed[0], reach, &manifold) || manifold.count == 0) {
        return false;
    }
    int32_t nearest = 0;
    for (int32_t k = 1; k < manifold.count; k++) {
        nearest = manifold.point[k].gap < manifold.point[nearest].gap ? k : nearest;
    }
    const det_manifold_point *point = &manifold.point[nearest];
    double first[3], second[3], apart[3];
    *gap = point->gap;
    out->t = t;
    memcpy(out->normal, point->normal, sizeof out->normal);
    math_sub3(point->point, placed[0].position, out->arm);
    math_sub3(point->point, placed[1].position, out->arm + 3);
    moving_velocity(&side[0], out->arm, first);
    moving_velocity(&side[1], out->arm + 3, second);
    math_sub3(second, first, apart);
    out->approach = -math_dot3(apart, out->normal);
    return true;
}

bool det_impact_time(const cn_model *model, const model_contact_key *key, const double *q,
                     const double *v, double h, double reach, det_impact *out) {
    det_moving side[2] = {moving_side(model, key, false, q, v),
                          moving_side(model, key, true, q, v)};
    double closed = IMPACT_CLOSED * det_contact_depth(model, key), t = 0.0, apart[3] = {0.0};
    for (int32_t k = 0; k < model->dim; k++) {
        apart[k] = side[1].velocity[k] - side[0].velocity[k];
    }
    bool hit = false;
    double gap = 0.0;
    *out = (det_impact){.t = 0.0};
    for (int32_t i = 0; i < IMPACT_EVALUATIONS && !hit; i++) {
        if (!nearest_points(side, t, reach, &gap, out)) {
            return false;
        }
        // A corner that turns away while its body comes nearer is passed by in small steps.
        hit = gap <= closed && out->approach > 0.0;
        double bound = side[0].turning + side[1].turning - math_dot3(apart, out->normal);
        t += fmax(gap, closed) / bound;
        if (!hit && !(bound > 0.0 && t <= h)) {
            return false;
        }
    }
    det_impact end;
    out->caught = nearest_points(side, h, reach, &gap, &end) && gap <= closed &&
                  gap > -det_contact_depth(model, key) &&
                  math_dot3(end.normal, out->normal) > 0.0 && end.approach > 0.0;
    return true;
}

bool det_impact_inverts(const cn_model *model, const model_contact_key *key, const double *q,
                        const double *v, double h, double reach, const double n[3]) {
    det_moving side[2] = {moving_side(model, key, false, q, v),
                          moving_side(model, key, true, q, v)};
    det_impact end = {.t = h};
    double gap = 0.0;
    return nearest_points(side, h, reach, &gap, &end) &&
           (gap < -2.0 * det_contact_depth(model, key) || math_dot3(end.normal, n) < 0.0);
}
