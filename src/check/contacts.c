// check/contacts.c
// The law of every contact, with velocities and shifts recomputed from the bodies' velocities and
// the scene. Vectors are in world axes, so the tangential part of x is x - (x . n) n. With w = u +
// s and w^ = w + mu |w_T| n the law is K* contains w^ orthogonal to r in K; e = (r - P_K(r - rho
// w^))/rho measures it in [m/s], rho = dim / trace W_aa, and the residual of a step is |e| over the
// norm of u_free + s over what presses: the measure of the solvers.
#include "check/bonds.h"

#include "math/vec3.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SLIDE_MARGIN 1e-9    // |r_T| this near to mu r_N, as a share, is sliding
#define SLACK_ROUNDINGS 64.0 // of the coordinates: contacts this near touch
#define STEEP 1.0            // mu above which u_N < 0 hides behind mu |u_T|
#define STEEP_WEIGHT 0.70710678118654752
#define SCALE_ROUND_OFF 1e-15 // a scale below this, times max(1, |r| tr W / m), is none
#define RESIDUAL_ROOM 1.001   // of the tolerance: round-off of the scale
#define RESIDUAL_FLOOR 1e-11  // of the scale: round-off of velocities
#define STILL_SHARE 1e-10     // of what gravity adds in a step: frame changes below are none
#define CHANGE_SPEEDS 4.0     // a frame change is at most this times the speeds of the bodies

// Of the tolerance, where masses alone weigh contacts; a system has no masses that could.
#define RECORDED_ROOM 10.0
#define SYSTEM_ROOM 100.0

// P_K of z.
static void into_cone(double mu, const double n[3], double z[3]) {
    double normal = math_dot3(z, n), tangent[3];
    math_add_scaled3(z, -normal, n, tangent);
    double length = math_norm3(tangent);
    if (mu * length <= -normal) {
        z[0] = z[1] = z[2] = 0.0;
    } else if (length > mu * normal) {
        double s = (normal + mu * length) / (1.0 + mu * mu);
        for (int k = 0; k < 3; k++) {
            z[k] = s * n[k] + mu * s * tangent[k] / length;
        }
    }
}

// |e| of a contact, w being u + s. convex: without mu |w_T|.
static double law_error(const cn_contact_record *c, const double w[3], double rho, bool convex) {
    double tangent[3], hat[3], z[3], e[3];
    double normal = math_dot3(w, c->normal), force = math_dot3(c->impulse, c->normal);
    math_add_scaled3(w, -normal, c->normal, tangent);
    double slip = math_norm3(tangent);
    math_add_scaled3(w, convex ? 0.0 : c->friction * slip, c->normal, hat);
    math_add_scaled3(c->impulse, -rho, hat, z);
    into_cone(c->friction, c->normal, z);
    math_sub3(c->impulse, z, e);
    double error = math_norm3(e) / rho, open = force / rho;
    double steep = STEEP_WEIGHT * fabs(open <= normal ? open : normal);
    return !convex && c->friction > STEEP && steep > error ? steep : error;
}

// Velocity of the candidate relative to the antagonist at the ends of the arms; *size: of its
// terms.
static void check_apart(const check_checking *check, const cn_contact_record *c,
                        const double arm[6], double *v, double out[3], double *size) {
    const cn_model *model = check->model;
    double candidate[6], antagonist[6], turning[3];
    int32_t number = (int32_t)(c - check->frame.contact);
    if (check_is_deformed(check, number)) {
        check_deformed_apart(check, number, arm, v, out, size);
        return;
    }
    check_six(model->dim, check_velocity_of(model, v, c->candidate - 1), candidate);
    check_six(model->dim, check_velocity_of(model, v, c->antagonist - 1), antagonist);
    math_sub3(candidate, antagonist, out);
    math_cross3(candidate + 3, arm + 3, turning);
    math_add_scaled3(out, 1.0, turning, out);
    math_cross3(antagonist + 3, arm, turning);
    math_add_scaled3(out, -1.0, turning, out);
    // Arms are differences of coordinates and round as these do.
    double far = math_norm3(c->point) + math_norm3(arm) + math_norm3(arm + 3);
    *size += math_norm3(candidate) + math_norm3(antagonist) +
             far * (math_norm3(candidate + 3) + math_norm3(antagonist + 3));
}

// trace W_aa: what unit impulses at the contact do to the velocities there.
static double trace_of(const check_checking *check, const cn_contact_record *c,
                       const double arm[6]) {
    const cn_model *model = check->model;
    int32_t dim = model->dim, size = model_velocity_size(dim);
    const int32_t body[2] = {c->antagonist - 1, c->candidate - 1};
    double trace = 0.0;
    for (int side = 0; side < 2; side++) {
        double inverse[36];
        if (model_is_deformable(model, body[side])) {
            trace += check_deformed_trace(check, (int32_t)(c - check->frame.contact), body[side]);
            continue;
        }
        if (!check_is_moved(check, body[side])) {
            continue;
        }
        body_rigid rigid = model_body_rigid(model, body[side]);
        rigid_inverse_mass(&rigid, check_pose_of(model, check->frame.middle, body[side]), inverse);
        for (int32_t axis = 0; axis < dim; axis++) {
            const double d[3] = {axis == 0, axis == 1, axis == 2};
            double moment[3], lever[6];
            math_cross3(arm + 3 * side, d, moment);
            memcpy(lever, d, sizeof(double) * (size_t)dim);
            memcpy(lever + dim, dim == 3 ? moment : moment + 2,
                   sizeof(double) * (size_t)(size - dim));
            for (int32_t i = 0; i < size * size; i++) {
                trace += lever[i / size] * inverse[i] * lever[i % size];
            }
        }
    }
    return trace;
}

// ---- shifts ----

// What the law of a contact depends on, recomputed.
typedef struct law_view {
    const model_body_pair *pair;
    cn_law law;
    double before[3], change[3]; // u_i and the frame change, world axes
    double u, delta;             // their normal parts
    double size;                 // of the terms of u_i
    double slack;                // [m]
} law_view;

static double slack_of(const check_checking *check, const cn_contact_record *c) {
    const cn_model *model = check->model;
    const int32_t body[2] = {c->candidate - 1, c->antagonist - 1};
    double sum = 0.0;
    for (int i = 0; i < 2; i++) {
        const double *x = check_pose_of(model, check->frame.middle, body[i]);
        double far = 0.0, bound = model->body[body[i]].bound;
        for (int32_t k = 0; k < model->dim; k++) {
            far = fmax(far, fabs(x[k]));
        }
        sum += far + (bound < HUGE_VAL ? bound : 0.0);
    }
    return SLACK_ROUNDINGS * DBL_EPSILON * sum;
}

// s of the law, world axes; *takes: 1 the contact takes part, 0 not, -1 on the border.
static void shift_of(const check_checking *check, const cn_contact_record *c, bool early,
                     const law_view *view, double shift[3], int *takes) {
    const cn_settings *settings = &check->model->settings;
    const model_body_pair *pair = view->pair;
    double h = check->frame.h, e = pair->restitution, et = pair->restitution_tangent, normal = 0.0;
    double sinking = 0.5 * fmin(0.0, view->delta), border = 0.0;
    *takes = 1;
    if (view->law == CN_LAW_STABILISED) {
        normal = check->stabilised && !settings->stabilise ? 0.0 : c->gap / h;
        border = c->gap - settings->active_gap;
    } else if (view->law == CN_LAW_SIGNORINI) {
        bool steady = view->delta > 0.0 && view->u > 0.0 && view->u <= view->delta;
        normal = e * view->u + (1.0 - e) * (steady ? 0.5 * view->delta : sinking);
        border = early ? -HUGE_VAL
                       : c->gap + h * (settings->activation - (1.0 - check->theta)) * view->u -
                             view->slack;
    } else {
        normal = (c->gap > 0.0 ? c->gap : fmax(c->gap, -pair->correction)) / h + sinking;
        border = -HUGE_VAL;
    }
    double doubt = CHECK_ROUND * (fabs(c->gap) + h * view->size) + view->slack;
    *takes = fabs(border) <= doubt ? -1 : border < 0.0;
    for (int k = 0; k < 3; k++) {
        double before = view->before[k] - view->u * c->normal[k],
               change = view->change[k] - view->delta * c->normal[k];
        shift[k] = normal * c->normal[k] + et * before + 0.5 * (1.0 - et) * change;
    }
}

// The frame change of two spheres: -h (S . n) n x V / d, with S = R_k omega_k + R_c omega_c, V the
// relative velocity of the centres and d their distance; none where the normal does not turn.
static void change_of_spheres(const check_checking *check, const cn_contact_record *c,
                              double out[3]) {
    const cn_model *model = check->model;
    const int32_t side[2] = {c->antagonist - 1, c->candidate - 1};
    double v[2][6], spin = 0.0, apart[3], d = 0.0;
    out[0] = out[1] = out[2] = 0.0;
    if (model->dim == 2 || !model->body[side[0]].sphere || !model->body[side[1]].sphere) {
        return;
    }
    for (int k = 0; k < 2; k++) {
        double radius = model->body[side[k]].bound + 0.5 * c->gap;
        check_six(3, check_velocity_of(model, check->frame.v_before, side[k]), v[k]);
        spin += radius * math_dot3(v[k] + 3, c->normal);
        d += radius;
    }
    math_sub3(v[1], v[0], apart);
    math_cross3(c->normal, apart, out);
    for (int k = 0; k < 3; k++) {
        out[k] *= -check->frame.h * spin / d;
    }
}

// Of spheres it follows from the velocities; of others the largest that bodies of such speeds can
// have.
static bool change_is_possible(const check_checking *check, const cn_contact_record *c,
                               const law_view *view) {
    double size = math_norm3(view->change), own[3];
    const cn_settings *settings = &check->model->settings;
    if (size == 0.0) {
        return true;
    }
    if (check_is_deformed(check, (int32_t)(c - check->frame.contact))) {
        return false;
    }
    if (check->stabilised || !settings->frame_change) {
        return false;
    }
    if (!check->model->stores_motion) {
        change_of_spheres(check, c, own);
        math_sub3(own, view->change, own);
        return math_norm3(own) <= CHECK_ROUND * view->size;
    }
    return size <= CHANGE_SPEEDS * view->size && size >= STILL_SHARE * check->frame.h *
                                                             math_norm3(check->frame.gravity) *
                                                             (1.0 - CHECK_ROUND);
}

// ---- one contact ----

typedef struct contacts_worst {
    check_worst velocity, shift, takes, change, friction, normal;
} contacts_worst;

static void arms_of(check_checking *check, int32_t i) {
    check_frame *frame = &check->frame;
    const cn_contact_record *c = &frame->contact[i];
    const double *antagonist = check_pose_of(check->model, frame->middle, c->antagonist - 1),
                 *candidate = check_pose_of(check->model, frame->middle, c->candidate - 1);
    double *arm = frame->arm + 6 * (int64_t)i;
    for (int32_t k = 0; k < check->model->dim && !frame->early[i]; k++) {
        arm[k] = c->point[k] - antagonist[k];
        arm[3 + k] = c->point[k] - candidate[k];
    }
}

// Coefficients as the scene has them; a contact that did not take part has none.
static void check_friction(check_checking *check, int32_t i, const model_body_pair *pair,
                           contacts_worst *worst) {
    const cn_contact_record *c = &check->frame.contact[i];
    double factor = check->frame.friction;
    double apart = fmin(fabs(c->friction - factor * pair->friction),
                        fabs(c->friction - factor * pair->friction_dynamic));
    if (check_is_deformed(check, i)) { // none where its tangents cannot move
        apart = fmin(apart, c->friction);
    }
    check_worst_add(&worst->friction, apart, CHECK_ROUND * (1.0 + c->friction), i);
    double force = math_dot3(c->impulse, c->normal), tangent[3];
    math_add_scaled3(c->impulse, -force, c->normal, tangent);
    double limit = (1.0 - SLIDE_MARGIN) * c->friction * force;
    int status = !(force > 0.0) ? 0 : (math_norm3(tangent) < limit ? 1 : 2);
    // On the border round-off decides.
    bool border = fabs(math_norm3(tangent) - limit) <= 1e-12 * fabs(force) ||
                  fabs(force) <= CHECK_ROUND * math_norm3(c->impulse);
    check_worst_add(&worst->friction, status == c->status || border ? 0.0 : 1.0, 0.5, i);
}

// A contact of bodies that sleep: at rest, with an impulse in the cone.
static void check_sleeping(check_checking *check, int32_t i, contacts_worst *worst) {
    const cn_contact_record *c = &check->frame.contact[i];
    const cn_model *model = check->model;
    double moves = math_norm3(c->velocity) + math_norm3(c->velocity_before) + math_norm3(c->shift);
    double force = math_dot3(c->impulse, c->normal), tangent[3];
    math_add_scaled3(c->impulse, -force, c->normal, tangent);
    double beyond = math_norm3(tangent) - c->friction * force;
    double room = 10.0 * check->grade->tolerance + CHECK_ROUND;
    const uint8_t *asleep = check->frame.asleep;
    bool sleeps = asleep && (asleep[c->candidate - 1] == 1 || asleep[c->antagonist - 1] == 1);
    check_worst_add(&worst->takes, sleeps ? 0.0 : 1.0, 0.5, i);
    check_worst_add(&worst->velocity, moves, 0.0, i);
    check_worst_add(&worst->friction, fmax(-force, beyond), room * math_norm3(c->impulse), i);
    check_friction(check, i,
                   model_pair(model, model->body[c->candidate - 1].material,
                              model->body[c->antagonist - 1].material),
                   worst);
}

static void add_to_residual(check_checking *check, int32_t i, const double w[3],
                            const double shift[3]) {
    check_frame *frame = &check->frame;
    const cn_contact_record *c = &frame->contact[i];
    const double *arm = frame->arm + 6 * (int64_t)i;
    double trace = trace_of(check, c, arm), free[3], size = 0.0;
    double rho = trace > 0.0 ? check->model->dim / trace : 1.0;
    bool sound = check_is_sound(check, i);
    double error =
        sound ? math_norm3(w)
              : law_error(c, w, rho, check->model->settings.friction == CN_FRICTION_CONVEX);
    check_apart(check, c, arm, frame->v_free, free, &size);
    math_add_scaled3(free, 1.0, shift, free);
    double square = math_dot3(free, free);
    bool presses = math_dot3(free, c->normal) < 0.0 || sound;
    frame->error += error * error;
    frame->all += square;
    frame->pressing += presses ? square : 0.0;
    frame->presses = frame->presses || presses;
    frame->lever += trace;
    frame->r_square += math_dot3(c->impulse, c->impulse);
    frame->row_count += check->model->dim;
}

static void check_contact(check_checking *check, int32_t i, contacts_worst *worst) {
    const cn_model *model = check->model;
    check_frame *frame = &check->frame;
    const cn_contact_record *c = &frame->contact[i];
    const double *arm = frame->arm + 6 * (int64_t)i;
    double shift[3], after[3], w[3], apart[3], size = 0.0;
    int takes;
    law_view view = {.pair = model_pair_of(model, c->candidate - 1, c->antagonist - 1)};
    view.law = check->stabilised ? CN_LAW_STABILISED : view.pair->law;
    check_apart(check, c, arm, frame->v_before, view.before, &view.size);
    memcpy(view.change, c->frame_change, sizeof view.change);
    view.u = math_dot3(view.before, c->normal);
    view.delta = math_dot3(view.change, c->normal);
    view.slack = slack_of(check, c) + frame->h * math_norm3(view.change);
    bool bond = check_is_bond(check, i);
    shift_of(check, c, frame->early[i], &view, shift, &takes);
    takes = bond ? 1 : takes;
    check_worst_add(&worst->normal, fabs(math_norm3(c->normal) - 1.0), CHECK_ROUND, i);
    bool silent = math_norm3(c->impulse) == 0.0 && math_norm3(c->velocity) == 0.0 &&
                  math_norm3(c->shift) == 0.0 && math_norm3(c->velocity_before) == 0.0 &&
                  c->friction == 0.0 && c->status == 0;
    frame->active[i] = takes == 1 || (takes == -1 && !silent);
    if (!frame->active[i]) {
        check_worst_add(&worst->takes, silent ? 0.0 : 1.0, 0.5, i);
        return;
    }
    // What the impulses change the velocities by has the size of what they act against.
    check_apart(check, c, arm, frame->v_free, after, &size);
    check_apart(check, c, arm, frame->v_new, after, &size);
    math_sub3(view.before, c->velocity_before, apart);
    check_worst_add(&worst->velocity, math_norm3(apart), CHECK_ROUND * view.size, i);
    double room = DBL_MIN;
    if (bond) {
        room = check_bond_contact(check, i, shift, w);
        frame->round += room * room;
    }
    math_sub3(after, c->velocity, apart);
    check_worst_add(&worst->velocity, math_norm3(apart),
                    CHECK_ROUND * (size + view.size + math_norm3(c->shift)), i);
    math_sub3(shift, c->shift, apart);
    check_worst_add(&worst->shift, math_norm3(apart),
                    CHECK_ROUND * (math_norm3(shift) + view.size) + room, i);
    check_worst_add(&worst->change, change_is_possible(check, c, &view) ? 0.0 : 1.0, 0.5, i);
    if (check_is_sound(check, i)) {
        check_worst_add(&worst->friction, c->friction + (c->status == 1 ? 0.0 : 1.0), 0.0, i);
    } else {
        check_friction(check, i, view.pair, worst);
    }
    if (!bond) {
        math_add_scaled3(after, 1.0, shift, w);
    }
    add_to_residual(check, i, w, shift);
    check_give_impulse(frame, c->candidate - 1, arm + 3, c->impulse, 1.0);
    check_give_impulse(frame, c->antagonist - 1, arm, c->impulse, -1.0);
}

// The counts of the ledger.
static void check_counts(check_checking *check) {
    const check_frame *frame = &check->frame;
    const cn_step_report *row = &check->row;
    int32_t sticking = 0, sliding = 0;
    double deepest = 0.0;
    for (int32_t i = 0; i < frame->contacts; i++) {
        sticking += frame->contact[i].status == 1;
        sliding += frame->contact[i].status == 2;
        deepest = fmax(deepest, -frame->contact[i].gap);
    }
    if (!check->has_row || !check->stepped) {
        return; // integrators of systems may count contacts that they do not record
    }
    if (row->contacts != frame->contacts || row->sticking != sticking || row->sliding != sliding) {
        check_find(check, "ledger", frame->step, row->contacts, frame->contacts,
                   "%d contacts, %d stick, %d slide; recorded are %d, %d, %d", (int)row->contacts,
                   (int)row->sticking, (int)row->sliding, (int)frame->contacts, (int)sticking,
                   (int)sliding);
    }
    if ((frame->cut ? row->penetration_max < deepest : !(row->penetration_max == deepest))) {
        check_find(check, "ledger", frame->step, row->penetration_max, deepest,
                   "penetration_max is not that of the contacts");
    }
}

void check_contact_rows(check_checking *check) {
    check_frame *frame = &check->frame;
    contacts_worst worst = {.velocity = {.any = false}};
    for (int32_t i = 0; i < frame->contacts; i++) {
        const cn_contact_record *c = &frame->contact[i];
        arms_of(check, i);
        if (i < frame->contacts - frame->sleeping) {
            check_contact(check, i, &worst);
            continue;
        }
        check_sleeping(check, i, &worst);
        check_give_impulse(frame, c->candidate - 1, frame->arm + 6 * (int64_t)i + 3, c->impulse,
                           1.0);
        check_give_impulse(frame, c->antagonist - 1, frame->arm + 6 * (int64_t)i, c->impulse, -1.0);
    }
    const struct {
        const check_worst *worst;
        cn_check_kind kind;
        const char *text;
    } list[] = {
        {&worst.velocity, CN_CHECK_VELOCITY, "velocities are not those of the bodies"},
        {&worst.shift, CN_CHECK_SHIFT, "the shift is not that of the law"},
        {&worst.takes, CN_CHECK_KINDS,
         "one that takes no part, or sleeps with no body, has an answer"},
        {&worst.change, CN_CHECK_KINDS, "the frame change is not possible"},
        {&worst.friction, CN_CHECK_KINDS, "friction or status is not that of the law"},
        {&worst.normal, CN_CHECK_KINDS, "the normal is no unit vector"},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        check_worst_find(check, list[i].kind, list[i].worst, "contact", list[i].text, "number");
    }
    check_counts(check);
}

// Bodies are stopped without the bounce of their law only where some have one, and where one moves
// by a quarter of the thinnest shape's thickness in the step, with what impulses it is given.
static void check_stopped(check_checking *check) {
    const cn_model *model = check->model;
    const check_frame *frame = &check->frame;
    double max = 0.0;
    for (int32_t i = 0; i < model->body_count; i++) {
        const model_body *body = &model->body[i];
        double v[6], size = body->sphere || !(body->bound < HUGE_VAL) ? 0.0 : body->bound;
        check_six(model->dim, check_velocity_of(model, frame->v_free, i), v);
        double speed = math_norm3(v) + size * math_norm3(v + 3);
        if (body->role == MODEL_BODY_FREE) {
            speed += frame->scale[2 * (int64_t)i] / body->mass;
        }
        max = fmax(max, speed * model->settings.step);
    }
    bool may = model->settings.continuous && model->bounces && !check->stabilised;
    if (!may || !(2.0 * max > 0.5 * model->depth_min)) {
        check_find(check, "frame", frame->step, frame->limited, 0.0,
                   "bodies are said to have been stopped, and none is fast");
    }
}

void check_residual(check_checking *check) {
    check_frame *frame = &check->frame;
    double lever = frame->row_count > 0
                       ? sqrt(frame->r_square) * frame->lever / (double)frame->row_count
                       : 0.0;
    double round_off = SCALE_ROUND_OFF * fmax(1.0, lever);
    double scale = sqrt(frame->presses ? frame->pressing : frame->all);
    double residual = sqrt(frame->error) / (scale > round_off ? scale : 1.0);
    check_worst worst = {.any = false};
    if (frame->limited > 0) {
        check_stopped(check);
        return; // bodies were stopped by an impulse that is no law's
    }
    double room = sqrt(frame->round) / (scale > round_off ? scale : 1.0);
    check_worst_add(&worst, residual,
                    RESIDUAL_ROOM * check->grade->tolerance + RESIDUAL_FLOOR + room, 0);
    if (check_worst_note(check, CN_CHECK_RESIDUAL, &worst, frame->step)) {
        check_find(check, "contact", frame->step, worst.value, worst.allowed,
                   "the residual of the step is beyond the tolerance");
    }
}

// Without evidence: the recorded velocities and shifts, weighed by the masses of the bodies.
void check_recorded_law(check_checking *check) {
    const cn_model *model = check->model;
    check_frame *frame = &check->frame;
    double error = 0.0, size = 0.0;
    bool convex = model->settings.friction == CN_FRICTION_CONVEX;
    for (int32_t i = 0; i < frame->contacts; i++) {
        const cn_contact_record *c = &frame->contact[i];
        const model_body *candidate = &model->body[c->candidate - 1],
                         *antagonist = &model->body[c->antagonist - 1];
        double inv_mass = (candidate->role == MODEL_BODY_FREE ? 1.0 / candidate->mass : 0.0) +
                          (antagonist->role == MODEL_BODY_FREE ? 1.0 / antagonist->mass : 0.0);
        double rho = inv_mass > 0.0 ? 1.0 / inv_mass : 1.0, w[3], start[3];
        math_add_scaled3(c->velocity, 1.0, c->shift, w);
        math_add_scaled3(c->velocity_before, 1.0, c->shift, start);
        double own = law_error(c, w, rho, convex);
        error += own * own;
        size += math_dot3(c->impulse, c->impulse) / (rho * rho) +
                (math_dot3(start, c->normal) < 0.0 ? math_dot3(start, start) : 0.0);
    }
    check_counts(check);
    if (frame->contacts == 0) {
        return;
    }
    check_worst worst = {.any = false};
    check_worst_add(&worst, sqrt(error) / (size > 1e-24 ? sqrt(size) : 1.0),
                    (model->system ? SYSTEM_ROOM : RECORDED_ROOM) * check->grade->tolerance, 0);
    if (check_worst_note(check, CN_CHECK_RESIDUAL, &worst, frame->step)) {
        check_find(check, "contact", frame->step, worst.value, worst.allowed,
                   "the recorded contacts are beyond the tolerance");
    }
}
