// check/geometry.c
// Points, normals and gaps of contacts against the poses at q~. A contact at p with normal n and
// gap g says that p + g/2 n is on the candidate's surface, p - g/2 n on the antagonist's, and that
// n is an outer normal of one of them there: nothing of that body is beyond its point along n. Both
// points together say that the distance is at most g, the plane that it is no less. Of contacts
// with one normal (a patch) one has such a plane; the others lie on the surfaces round it, or where
// these are curved no farther off than their gap exceeds the smallest. Where bodies overlap, edges
// against edges, corners of a patch may be off by a part of the overlap.
#include "check/bonds.h"

#include "check/shapes.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// Of the size of the bodies: what iterations on curved surfaces end with.
#define SURFACE_SHARE 1e-6
#define OUTSIDE_SHARE 0.45 // of an overlap that corners of a patch may be outside of a body

// How far a point is from the surface of a body, at best; and how far the shape that it is on
// reaches beyond the point along d.
typedef struct check_touching {
    double off, beyond;
} check_touching;

static check_touching touch_body(const check_checking *check, int32_t body, const double point[3],
                                 const double d[3]) {
    const cn_model *model = check->model;
    check_touching best = {HUGE_VAL, HUGE_VAL};
    for (int32_t k = 0; k < model->body[body].shape_count; k++) {
        check_solid solid =
            check_solid_at(model, body, k, check_pose_of(model, check->frame.middle, body));
        double off = fabs(check_solid_distance(&solid, point));
        double extent = check_solid_extent(&solid, d), beyond = extent - math_dot3(d, point);
        cn_shape_kind kind = solid.shape->kind;
        if (kind == CN_SHAPE_PLANE || kind == CN_SHAPE_LINE || kind == CN_SHAPE_RING) {
            // Nothing is beyond where d is the way out: the distance grows by a unit along it.
            double ahead[3];
            math_add_scaled3(point, 1e-3, d, ahead);
            double grown =
                check_solid_distance(&solid, ahead) - check_solid_distance(&solid, point);
            beyond = kind == CN_SHAPE_RING && solid.shape->radius > 0.0
                         ? fabs(1e-3 - grown) * 1e3 * solid.shape->radius
                         : fabs(1e-3 - grown) * 1e3;
        }
        if (off < best.off) {
            best = (check_touching){off, beyond};
        }
    }
    return best;
}

static double size_of(const cn_model *model, int32_t body) {
    double bound = model->body[body].bound;
    return bound < HUGE_VAL ? bound : 0.0;
}

// Whether all contacts of a body's patches lie on its surface: it has flat faces, or is round.
static bool is_plain(const cn_model *model, int32_t body) {
    bool plain = true;
    for (int32_t k = 0; k < model->body[body].shape_count; k++) {
        cn_shape_kind kind = model->shape[model->body[body].shape_first + k].kind;
        plain = plain && kind != CN_SHAPE_CAPSULE && kind != CN_SHAPE_CYLINDER &&
                kind != CN_SHAPE_ELLIPSOID && kind != CN_SHAPE_ELLIPSE;
    }
    return plain;
}

// Notes how far the points of contact i are off the surfaces; returns how far both bodies reach
// beyond the plane. *allowed: of both.
static double check_place(check_checking *check, int32_t i, double smallest, check_worst *surface,
                          double *allowed) {
    const cn_model *model = check->model;
    const cn_contact_record *c = &check->frame.contact[i];
    double on_candidate[3], on_antagonist[3], back[3];
    math_add_scaled3(c->point, 0.5 * c->gap, c->normal, on_candidate);
    math_add_scaled3(c->point, -0.5 * c->gap, c->normal, on_antagonist);
    for (int k = 0; k < 3; k++) {
        back[k] = -c->normal[k];
    }
    check_touching candidate = touch_body(check, c->candidate - 1, on_candidate, back),
                   antagonist = touch_body(check, c->antagonist - 1, on_antagonist, c->normal);
    *allowed =
        SURFACE_SHARE * (size_of(model, c->candidate - 1) + size_of(model, c->antagonist - 1)) +
        CHECK_ROUND * math_norm3(c->point);
    bool flat = is_plain(model, c->candidate - 1) && is_plain(model, c->antagonist - 1);
    check_worst_add(surface, fmax(candidate.off, antagonist.off),
                    *allowed + 0.5 * fmax(0.0, -c->gap) + (flat ? 0.0 : c->gap - smallest), i);
    // A point outside of its body is no witness: a gap that is made deeper moves both out by half.
    double min = fmin(candidate.beyond, antagonist.beyond);
    check_worst_add(surface, -min, *allowed + OUTSIDE_SHARE * fmax(0.0, -c->gap), i);
    return min;
}

static bool is_one_patch(const cn_contact_record *a, const cn_contact_record *b) {
    return a->candidate == b->candidate && a->antagonist == b->antagonist &&
           memcmp(a->normal, b->normal, sizeof a->normal) == 0;
}

// Contacts from i on with one normal; returns how many.
static int32_t check_patch(check_checking *check, int32_t i, check_worst *surface,
                           check_worst *plane) {
    const check_frame *frame = &check->frame;
    double min = HUGE_VAL, allowed = 0.0, smallest = HUGE_VAL;
    int32_t end = i;
    for (; end < frame->contacts && !frame->early[end] &&
           is_one_patch(&frame->contact[i], &frame->contact[end]);
         end++) {
        smallest = fmin(smallest, frame->contact[end].gap);
    }
    for (int32_t k = i; k < end; k++) {
        min = fmin(min, check_place(check, k, smallest, surface, &allowed));
    }
    check_worst_add(plane, min, allowed, i);
    return end - i;
}

// ---- contacts that take part before they touch ----

// How far points of a body come within the step at most: by its free motion, and by the impulses
// that it is given.
static double reach_of(const check_checking *check, int32_t body) {
    const cn_model *model = check->model;
    const check_frame *frame = &check->frame;
    const model_body *own = &model->body[body];
    double v[6], size = own->bound < HUGE_VAL ? own->bound : 0.0, speed = 0.0;
    double *const moving[] = {frame->v_before, frame->v_free, frame->v_new};
    for (int k = 0; k < 3; k++) {
        check_six(model->dim, check_velocity_of(model, moving[k], body), v);
        speed = fmax(speed, math_norm3(v) + size * math_norm3(v + 3));
    }
    if (own->role == MODEL_BODY_FREE) {
        speed += 2.0 * frame->scale[2 * (int64_t)body] / own->mass;
    }
    // From q~ of this step to that of the next, which may be as long as the scene has it.
    return speed * (check->theta * frame->h + (1.0 - check->theta) * model->settings.step);
}

static double off_surface(const check_checking *check, int32_t body, const double point[3]) {
    double off = HUGE_VAL;
    for (int32_t k = 0; k < check->model->body[body].shape_count; k++) {
        check_solid solid = check_solid_at(check->model, body, k,
                                           check_pose_of(check->model, check->frame.middle, body));
        off = fmin(off, fabs(check_solid_distance(&solid, point)));
    }
    return off;
}

// Of a pair with restitution that comes together within the step. Its point is midway between the
// bodies, as far from both as its gap says; its arms end where they will be hit, the candidate on
// the side that the normal points away from, and no farther from its centre than it reaches.
static bool may_hit_early(const check_checking *check, int32_t i) {
    const check_frame *frame = &check->frame;
    const cn_model *model = check->model;
    const cn_contact_record *c = &frame->contact[i];
    const int32_t side[2] = {c->antagonist - 1, c->candidate - 1};
    const double *arm = frame->arm + 6 * (int64_t)i;
    const model_body_pair *pair =
        model_pair(model, model->body[side[0]].material, model->body[side[1]].material);
    bool may = model->settings.continuous && pair->law == CN_LAW_SIGNORINI && !check->stabilised;
    double reach = 0.0, room = SURFACE_SHARE * (size_of(model, side[0]) + size_of(model, side[1]));
    for (int k = 0; k < 2; k++) {
        const model_body *body = &model->body[side[k]];
        double out = (k ? -1.0 : 1.0) * math_dot3(arm + 3 * k, c->normal);
        reach += reach_of(check, side[k]);
        may = may && off_surface(check, side[k], c->point) <= fabs(c->gap) + room &&
              (body->role != MODEL_BODY_FREE ||
               math_norm3(arm + 3 * k) <= (1.0 + SURFACE_SHARE) * body->bound) &&
              (body->role != MODEL_BODY_FREE || body->shape_count > 1 || out >= -room);
        if (k && body->sphere) {
            may = may && fabs(out - body->bound) <= room + 1e-3 * body->bound;
        }
    }
    return may && c->gap <= reach + room;
}

void check_geometry(check_checking *check) {
    const check_frame *frame = &check->frame;
    check_worst surface = {.any = false}, plane = {.any = false}, early = {.any = false};
    for (int32_t i = 0; i < frame->contacts;) {
        if (check_is_bond(check, i)) {
            i++; // check/bonds.c
            continue;
        }
        if (check_is_deformed(check, i)) {
            check_deformed_place(check, i, &surface, &plane);
            i++;
            continue;
        }
        if (!frame->early[i]) {
            i += check_patch(check, i, &surface, &plane);
            continue;
        }
        check_worst_add(&early, may_hit_early(check, i) ? 0.0 : 1.0, 0.5, i);
        i++;
    }
    check_worst_find(check, CN_CHECK_GEOMETRY, &surface, "contact",
                     "point and gap are not on the surfaces", "number");
    check_worst_find(check, CN_CHECK_GEOMETRY, &plane, "contact",
                     "the normal is none of the surfaces there", "number");
    check_worst_find(check, CN_CHECK_KINDS, &early, "contact", "it cannot hit before it touches",
                     "number");
}
