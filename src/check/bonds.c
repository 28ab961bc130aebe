// check/bonds.c
// Bonds of mortar and glue, recomputed from where the file says that they were made, the scene's law
// and the frame's poses: openings, shifts and compliances, strength, damage. A bond that breaks at
// once must have broken under more than its strength, one that softens must have the damage of its
// opening, and none heals.
#include "check/bonds.h"

#include "base/arena.h"
#include "base/error.h"
#include "math/vec3.h"
#include "model/bond.h"
#include "model/deformable.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define BOND_NUMBERS 13
#define BREAK_NUMBERS 4
#define STRENGTH_ROOM 1e-6  // beyond the strength, and what solves leave
#define RIGID_SOFTNESS 1e-9 // of W_ii, of rigid layers
#define SAME_SHIFT 1e-6     // of velocities
#define PLACE_ROUND 1e-14   // of coordinates
#define DAMAGE_ROUND 1e-6   // damage is steep in the opening where softening begins

typedef struct check_bond {
    int32_t body[2], frame; // antagonist and candidate, indices; -1: of the world
    const model_bond_law *law;
    double area, anchor[2][3], normal[3], offset[3];
    int32_t parts;
    int32_t *part; // body (from 1) and node, pairs
    double *weight;
} check_bond;

struct check_bonds {
    int32_t count;
    check_bond *bond;
    // Of the frame at hand; NULL: not there.
    double *before, *during, *after, *last_after, *broken;
    int64_t last_step;
    int32_t *contact, breaks;
};

// ---- places ----

static void place_point(const check_checking *check, double *q, int32_t body,
                        const double anchor[3], double x[3]) {
    const double *pose = check_pose_of(check->model, q, body);
    double R[9];
    check_rotation_of(check->model->dim, pose, R);
    math_mat3_apply(R, anchor, x);
    for (int32_t k = 0; k < check->model->dim; k++) {
        x[k] += pose[k];
    }
}

// The opening of a bond, with rigid poses q and places x of nodes; normal and point too.
static void bond_place(const check_checking *check, const check_bond *bond, double *q,
                       const double *x, double normal[3], double point[3], double apart[3]) {
    int32_t dim = check->model->dim;
    double offset[3], own[3], other[3];
    memcpy(normal, bond->normal, 3 * sizeof *normal);
    memcpy(offset, bond->offset, sizeof offset);
    if (bond->frame >= 0) {
        double R[9];
        check_rotation_of(dim, check_pose_of(check->model, q, bond->frame), R);
        math_mat3_apply(R, bond->normal, normal);
        math_mat3_apply(R, bond->offset, offset);
    }
    if (bond->parts == 0) {
        place_point(check, q, bond->body[1], bond->anchor[1], own);
        place_point(check, q, bond->body[0], bond->anchor[0], other);
        for (int k = 0; k < 3; k++) {
            apart[k] = own[k] - other[k] - offset[k];
            point[k] = 0.5 * (own[k] + other[k]);
        }
        return;
    }
    for (int k = 0; k < 3; k++) {
        apart[k] = -offset[k];
        point[k] = 0.0;
    }
    for (int32_t i = 0; i < bond->parts; i++) {
        int32_t body = bond->part[2 * i] - 1, node = bond->part[2 * i + 1];
        const model_deformable *soft = model_deformable_of(check->model, body);
        own[0] = own[1] = own[2] = 0.0;
        if (soft) {
            memcpy(own, x + (int64_t)dim * (soft->first_node + node), sizeof *own * (size_t)dim);
        } else {
            place_point(check, q, body, bond->anchor[body == bond->body[1]], own);
        }
        math_add_scaled3(apart, bond->weight[i], own, apart);
        if (body == bond->body[1]) {
            math_add_scaled3(point, bond->weight[i], own, point);
        }
    }
}

// Its parts along the axes of a contact with that normal.
static void along_axes(const check_checking *check, const double normal[3], const double apart[3],
                       double axes[9], double out[3]) {
    math_contact_axes(check->model->dim, normal, axes);
    for (int32_t k = 0; k < 3; k++) {
        out[k] = k < check->model->dim ? math_dot3(axes + 3 * k, apart) : 0.0;
    }
}

static void opening_at(const check_checking *check, const check_bond *bond, double *q,
                       const double *x, double out[3]) {
    double normal[3], point[3], apart[3], axes[9];
    bond_place(check, bond, q, x, normal, point, apart);
    along_axes(check, normal, apart, axes, out);
}

// ---- the bonds of the file ----

static bool read_parts(check_checking *check, io_statement *select, check_bond *bond) {
    size_t part, weight;
    const void *parts = io_column_blob(select, 3, &part);
    bond->part = BASE_TAKE(check->memory, int32_t, (int64_t)(part / sizeof *bond->part) + 1);
    if (!bond->part) {
        return false;
    }
    memcpy(bond->part, part > 0 ? parts : "", part);
    const void *weights = io_column_blob(select, 4, &weight);
    bond->weight = BASE_TAKE(check->memory, double, (int64_t)(weight / sizeof *bond->weight) + 1);
    if (!bond->weight) {
        return false;
    }
    memcpy(bond->weight, weight > 0 ? weights : "", weight);
    bond->parts = (int32_t)(weight / sizeof(double));
    bool sound = part == 2 * sizeof(int32_t) * (size_t)bond->parts;
    double sum[2] = {0.0, 0.0};
    for (int32_t i = 0; sound && i < bond->parts; i++) {
        int32_t body = bond->part[2 * i] - 1, node = bond->part[2 * i + 1];
        sound = body == bond->body[0] || body == bond->body[1];
        const model_deformable *soft = sound ? model_deformable_of(check->model, body) : NULL;
        sound = sound && (soft ? node >= 0 && node < soft->mesh->nodes : node == -1) &&
                isfinite(bond->weight[i]);
        sum[sound && body == bond->body[1]] += bond->weight[i];
    }
    return sound && (bond->parts == 0 ||
                     (fabs(sum[1] - 1.0) <= CHECK_ROUND && fabs(sum[0] + 1.0) <= CHECK_ROUND));
}

static bool read_bond(check_checking *check, io_statement *select, check_bond *bond) {
    const cn_model *model = check->model;
    size_t bodies, numbers;
    int32_t body[3];
    double number[BOND_NUMBERS];
    const void *bytes = io_column_blob(select, 1, &bodies);
    if (bodies != sizeof body) {
        return false;
    }
    memcpy(body, bytes, sizeof body);
    bytes = io_column_blob(select, 2, &numbers);
    if (numbers != sizeof number) {
        return false;
    }
    memcpy(number, bytes, sizeof number);
    for (int i = 0; i < BOND_NUMBERS; i++) {
        if (!isfinite(number[i])) {
            return false;
        }
    }
    for (int i = 0; i < 3; i++) {
        if (body[i] < (i == 2 ? 0 : 1) || body[i] > model->body_count) {
            return false;
        }
    }
    *bond = (check_bond){.body = {body[1] - 1, body[0] - 1}, .frame = body[2] - 1};
    bond->area = number[0];
    memcpy(bond->anchor, number + 1, sizeof bond->anchor);
    memcpy(bond->normal, number + 7, sizeof bond->normal);
    memcpy(bond->offset, number + 10, sizeof bond->offset);
    bond->law = &model_pair_of(model, bond->body[0], bond->body[1])->bond;
    return bond->area > 0.0 && fabs(math_norm3(bond->normal) - 1.0) <= CHECK_ROUND &&
           read_parts(check, select, bond);
}

// Closed at the scene's start, between materials that bond.
static void check_start(check_checking *check, const check_bond *bond, int32_t number) {
    const cn_model *model = check->model;
    double apart[3], axes[3][3];
    bond_place(check, bond, model->q0, model->node_start, axes[0], axes[1], apart);
    double far = math_norm3(axes[1]) + math_norm3(bond->anchor[0]) + math_norm3(bond->anchor[1]);
    if (!bond->law->bonded) {
        check_find(check, "bond", -1, number, 0.0, "bond %d is between materials without a bond",
                   (int)number);
    } else if (!(math_norm3(apart) <= CHECK_ROUND * far)) {
        check_find(check, "bond", -1, math_norm3(apart), CHECK_ROUND * far,
                   "bond %d is not closed at the start", (int)number);
    }
}

cn_status check_bonds_read(check_checking *check) {
    const cn_model *model = check->model;
    if (!model || !model->bonds || !check->stepped || !check_has(check, "bond", "row_hash")) {
        return CN_OK;
    }
    struct check_bonds *bonds = BASE_TAKE_ZERO(check->memory, struct check_bonds, 1);
    io_statement *select = NULL;
    bool row = true, sound = true;
    int32_t room = 0;
    CN_TRY(bonds ? CN_OK : base_fail_memory(check->error));
    cn_status status = io_database_prepare(
        check->run->database, "SELECT id,bodies,numbers,part,weight FROM bond ORDER BY id", &select,
        check->error);
    while (status == CN_OK && sound) {
        status = io_statement_step(check->run->database, select, &row, check->error);
        if (status != CN_OK || !row) {
            break;
        }
        if (bonds->count == room) {
            check_bond *more = BASE_TAKE(check->memory, check_bond, 2 * (int64_t)room + 16);
            status = more ? CN_OK : base_fail_memory(check->error);
            if (more && room > 0) {
                memcpy(more, bonds->bond, sizeof *more * (size_t)room);
            }
            bonds->bond = more;
            room = 2 * room + 16;
        }
        sound = status == CN_OK && io_column_int(select, 0) == bonds->count &&
                read_bond(check, select, &bonds->bond[bonds->count]);
        if (sound) {
            check_start(check, &bonds->bond[bonds->count], bonds->count);
            bonds->count++;
        }
    }
    io_statement_end(select);
    if (status == CN_OK && !sound) {
        check_find(check, "bond", -1, bonds->count, 0.0, "bond %d cannot be read",
                   (int)bonds->count);
    }
    bonds->last_step = -1;
    check->bonds = sound ? bonds : NULL;
    return status;
}

// ---- a frame ----

// Each live bond has the contacts of its shares, in their order, and no other contact is a bond.
static bool contacts_fit(const check_checking *check) {
    const struct check_bonds *bonds = check->bonds;
    const check_frame *frame = &check->frame;
    int64_t expected = 0, found = 0;
    for (int32_t b = 0; b < bonds->count; b++) {
        double d = bonds->during[b];
        expected += d >= MODEL_BOND_RELEASED ? 0 : d >= 1.0 ? 1 : d > 0.0 ? 2 : 1;
    }
    for (int32_t c = 0; c < frame->contacts - frame->sleeping; c++) {
        int32_t bond = bonds->contact[c];
        if (bond < -1 || bond >= 2 * bonds->count) {
            return false;
        }
        if (bond >= 0) {
            const check_bond *own = &bonds->bond[bond / 2];
            double d = bonds->during[bond / 2];
            bool share = bond % 2 == 0 ? d < 1.0 : d > 0.0 && d < MODEL_BOND_RELEASED;
            if (!share || frame->contact[c].candidate != own->body[1] + 1 ||
                frame->contact[c].antagonist != own->body[0] + 1 ||
                (c > 0 && bonds->contact[c - 1] >= bond)) {
                return false;
            }
            found++;
        }
    }
    return found == expected;
}

static bool read_damage_row(check_checking *check, io_statement *select) {
    struct check_bonds *bonds = check->bonds;
    const check_frame *frame = &check->frame;
    size_t contact, broken;
    bonds->after = check_read_numbers(check, select, 2, bonds->count, "damage", "after");
    const void *bytes = io_column_blob(select, 3, &contact);
    if (!bonds->after || contact == 0) {
        return bonds->after != NULL; // without evidence
    }
    size_t listed = (size_t)(frame->contacts - frame->sleeping);
    bonds->contact = BASE_TAKE(check->frame_memory, int32_t, (int64_t)listed + 1);
    bonds->before = check_read_numbers(check, select, 0, bonds->count, "damage", "before");
    bonds->during = check_read_numbers(check, select, 1, bonds->count, "damage", "during");
    if (!bonds->contact || !bonds->before || !bonds->during ||
        contact != sizeof(int32_t) * listed) {
        bonds->contact = NULL;
        return false;
    }
    memcpy(bonds->contact, bytes, contact);
    io_column_blob(select, 4, &broken);
    bonds->breaks = (int32_t)(broken / (BREAK_NUMBERS * sizeof(double)));
    bonds->broken =
        broken == 0 ? NULL
                    : check_read_numbers(check, select, 4, BREAK_NUMBERS * (int64_t)bonds->breaks,
                                         "damage", "broken");
    return broken == 0 || bonds->broken;
}

cn_status check_read_damage(check_checking *check, bool *sound) {
    struct check_bonds *bonds = check->bonds;
    bool there;
    if (!bonds) {
        return CN_OK;
    }
    // The frame before lies in memory that is about to be used again after this one.
    if (check->has_last && bonds->after) {
        double *kept = BASE_TAKE(check->frame_memory, double, bonds->count);
        CN_TRY(kept ? CN_OK : base_fail_memory(check->error));
        memcpy(kept, bonds->after, sizeof *kept * (size_t)bonds->count);
        bonds->last_after = kept;
        bonds->last_step = check->last.step;
    }
    bonds->before = bonds->during = bonds->after = bonds->broken = NULL;
    bonds->contact = NULL;
    bonds->breaks = 0;
    CN_TRY(check_read_row(check, "damage",
                          "SELECT before,during,after,contact,broken FROM damage WHERE step=?",
                          NULL, read_damage_row, &there, sound));
    if (!there || (bonds->contact && !contacts_fit(check))) {
        check_find(check, "damage", check->frame.step, there, 1.0,
                   there ? "the bonds among the contacts are not those of the damage"
                         : "the row of this step is missing");
        *sound = false;
    }
    return CN_OK;
}

bool check_is_bond(const check_checking *check, int32_t contact) {
    return check->bonds && check->bonds->contact &&
           contact < check->frame.contacts - check->frame.sleeping &&
           check->bonds->contact[contact] >= 0;
}

bool check_is_sound(const check_checking *check, int32_t contact) {
    return check_is_bond(check, contact) && check->bonds->contact[contact] % 2 == 0;
}

bool check_is_layer(const check_checking *check, int32_t contact) {
    return check_is_bond(check, contact) &&
           (check_is_sound(check, contact) ||
            !isinf(check->bonds->bond[check->bonds->contact[contact] / 2].law->stiffness[0]));
}

// W_ii of a contact along an axis; of nodes a third of the trace.
static double own_of(check_checking *check, int32_t contact, const double axis[3]) {
    const cn_model *model = check->model;
    const cn_contact_record *c = &check->frame.contact[contact];
    const double *arm = check->frame.arm + 6 * (int64_t)contact;
    const int32_t body[2] = {c->antagonist - 1, c->candidate - 1};
    int32_t dim = model->dim, size = model_velocity_size(dim);
    double sum = 0.0;
    for (int side = 0; side < 2; side++) {
        double inverse[36], moment[3], lever[6];
        if (model_is_deformable(model, body[side])) {
            sum += check_deformed_trace(check, contact, body[side]) / dim;
            continue;
        }
        if (!check_is_moved(check, body[side])) {
            continue;
        }
        body_rigid rigid = model_body_rigid(model, body[side]);
        rigid_inverse_mass(&rigid, check_pose_of(model, check->frame.middle, body[side]), inverse);
        math_cross3(arm + 3 * side, axis, moment);
        memcpy(lever, axis, sizeof(double) * (size_t)dim);
        memcpy(lever + dim, dim == 3 ? moment : moment + 2, sizeof(double) * (size_t)(size - dim));
        for (int32_t i = 0; i < size * size; i++) {
            sum += lever[i / size] * inverse[i] * lever[i % size];
        }
    }
    return sum;
}

// E and s of a row of a layer for a share phi of the way (assemble/bond.h has the equations).
static void row_law(const check_checking *check, double k, double viscosity, double area,
                    double phi, double opening, double before, double *E, double *s) {
    double h = check->frame.h, theta = check->theta;
    double c = h * theta * phi * k + theta * viscosity;
    *E = 1.0 / (h * area * c);
    *s = (k * (opening - h * (1.0 - theta) * (1.0 - phi) * before) +
          viscosity * (1.0 - theta) * before) /
         c;
}

// The share of a bond that a contact is, and its stiffness along an axis; 0: none, as across a
// broken bond's normal.
static double stiffness_of(const check_checking *check, int32_t contact, int32_t axis) {
    const struct check_bonds *bonds = check->bonds;
    int32_t b = bonds->contact[contact] / 2;
    double d = fmin(bonds->during[b], 1.0);
    bool sound = check_is_sound(check, contact);
    return (sound || axis == 0) ? (sound ? 1.0 - d : d) * bonds->bond[b].law->stiffness[axis > 0]
                                : 0.0;
}

// s and E along axis i; of the two ways of the law the one whose shift is nearer to that recorded,
// or whose equation is, where both have one shift.
static void axis_law(check_checking *check, int32_t contact, int32_t i, const double axis[3],
                     double opening, double *E, double *s) {
    const cn_contact_record *c = &check->frame.contact[contact];
    double before = math_dot3(axis, c->velocity_before), after = math_dot3(axis, c->velocity),
           recorded = math_dot3(axis, c->shift), r = math_dot3(axis, c->impulse);
    const check_bond *bond = &check->bonds->bond[check->bonds->contact[contact] / 2];
    double k = stiffness_of(check, contact, i), h = check->frame.h, theta = check->theta;
    bool sound = check_is_sound(check, contact);
    double share = sound ? 1.0 - check->bonds->during[check->bonds->contact[contact] / 2] : 0.0;
    *E = *s = 0.0;
    if (isinf(k)) {
        *E = sound ? RIGID_SOFTNESS * own_of(check, contact, axis) : 0.0;
        *s = sound ? opening / (h * theta) : fmax(0.0, opening) / h;
    } else if (k > 0.0) {
        double other[2];
        row_law(check, k, share * bond->law->viscosity, bond->area, theta, opening, before, E, s);
        row_law(check, k, share * bond->law->viscosity, bond->area, 1.0, opening, before, &other[0],
                &other[1]);
        bool same = fabs(other[1] - *s) <= SAME_SHIFT * (fabs(*s) + fabs(after));
        bool nearer = fabs(other[1] - recorded) < fabs(*s - recorded);
        if (same ? fabs(after + other[1] + other[0] * r) < fabs(after + *s + *E * r) : nearer) {
            *E = other[0];
            *s = other[1];
        }
    }
}

// The sound share bears what it does, unless it is said to have broken in this step.
static void check_strength(check_checking *check, int32_t contact, const double r[3]) {
    const struct check_bonds *bonds = check->bonds;
    int32_t b = bonds->contact[contact] / 2;
    const check_bond *bond = &bonds->bond[b];
    if (bond->law->energy[0] > 0.0 || bonds->after[b] >= 1.0) {
        return;
    }
    double force = 1.0 / (check->frame.h * bond->area);
    double use = model_bond_use(bond->law, -r[0] * force, hypot(r[1], r[2]) * force);
    if (!(use <= 1.0 + STRENGTH_ROOM)) {
        check_find(check, "damage", check->frame.step, use, 1.0,
                   "bond %d bears %.6g of its strength and is said to be whole", (int)b, use);
    }
}

double check_bond_contact(check_checking *check, int32_t contact, double shift[3], double law[3]) {
    const check_frame *frame = &check->frame;
    const cn_contact_record *c = &frame->contact[contact];
    const check_bond *bond = &check->bonds->bond[check->bonds->contact[contact] / 2];
    double normal[3], point[3], apart[3], axes[9], opening[3], r[3];
    bond_place(check, bond, check->frame.middle, frame->x_middle, normal, point, apart);
    along_axes(check, normal, apart, axes, opening);
    double far = math_norm3(point) + math_norm3(bond->anchor[0]) + math_norm3(bond->anchor[1]);
    double off[3], turned[3];
    math_sub3(point, c->point, off);
    math_sub3(normal, c->normal, turned);
    check_worst worst = {.any = false};
    check_worst_add(&worst, fmax(math_norm3(off), fabs(opening[0] - c->gap)), CHECK_ROUND * far,
                    contact);
    check_worst_add(&worst, math_norm3(turned), CHECK_ROUND, contact);
    check_worst_find(check, CN_CHECK_KINDS, &worst, "contact", "a bond is not where it was made",
                     "number");
    for (int k = 0; k < 3; k++) {
        shift[k] = law[k] = 0.0;
    }
    for (int32_t i = 0; i < 3; i++) {
        const double *axis = axes + 3 * i;
        double E, s;
        r[i] = i < check->model->dim ? math_dot3(axis, c->impulse) : 0.0;
        if (i < check->model->dim) {
            axis_law(check, contact, i, axis, opening[i], &E, &s);
            math_add_scaled3(shift, s, axis, shift);
            math_add_scaled3(law, math_dot3(axis, c->velocity) + s + E * r[i], axis, law);
        }
    }
    if (check_is_sound(check, contact)) {
        check_strength(check, contact, r);
    }
    return PLACE_ROUND * far / (frame->h * check->theta);
}

// ---- damage ----

// The opening that the linear motion of the step ends at, of a bond's contact.
static void linear_ends(const check_checking *check, int32_t contact, double start[3],
                        double end[3]) {
    const check_frame *frame = &check->frame;
    const cn_contact_record *c = &frame->contact[contact];
    const check_bond *bond = &check->bonds->bond[check->bonds->contact[contact] / 2];
    double normal[3], point[3], apart[3], axes[9], opening[3];
    bond_place(check, bond, check->frame.middle, frame->x_middle, normal, point, apart);
    along_axes(check, normal, apart, axes, opening);
    for (int32_t i = 0; i < 3; i++) {
        start[i] = end[i] = 0.0;
        if (i < check->model->dim) {
            start[i] = opening[i] - frame->h * (1.0 - check->theta) *
                                        math_dot3(axes + 3 * i, c->velocity_before);
            end[i] = opening[i] + frame->h * check->theta * math_dot3(axes + 3 * i, c->velocity);
        }
    }
}

// Why a bond that breaks at once broke in this step; NULL: as it may.
static const char *break_is_wrong(const check_checking *check, int32_t b) {
    const struct check_bonds *bonds = check->bonds;
    const check_bond *bond = &bonds->bond[b];
    for (int32_t i = 0; i < bonds->breaks; i++) {
        const double *own = bonds->broken + BREAK_NUMBERS * (int64_t)i;
        if (own[0] == b) {
            double force = 1.0 / (check->frame.h * bond->area);
            double use = model_bond_use(bond->law, -own[1] * force, hypot(own[2], own[3]) * force);
            return use > 1.0 ? NULL : "broke below its strength";
        }
    }
    return "broke without a reason";
}

void check_damage(check_checking *check) {
    const struct check_bonds *bonds = check->bonds;
    const check_frame *frame = &check->frame;
    int32_t broken = 0;
    if (!bonds || !bonds->after) {
        return;
    }
    for (int32_t b = 0; b < bonds->count; b++) {
        double after = bonds->after[b];
        bool range = (after >= 0.0 && after <= 1.0) || after == MODEL_BOND_RELEASED;
        bool heals = bonds->last_after && after < bonds->last_after[b];
        bool brittle = bonds->bond[b].law->energy[0] == 0.0;
        const char *wrong = !range                                  ? "has no such damage"
                            : heals                                 ? "heals"
                            : brittle && after > 0.0 && after < 1.0 ? "has cracked half-way"
                                                                    : NULL;
        broken += after >= 1.0;
        if (!wrong && bonds->contact) {
            double before = bonds->before[b], during = bonds->during[b];
            bool next = bonds->last_after && bonds->last_step + 1 == frame->step && !frame->cut;
            wrong = next && before != bonds->last_after[b]    ? "changes between steps"
                    : !(before <= during && during <= after)  ? "heals in the step"
                    : brittle && before < 1.0 && after >= 1.0 ? break_is_wrong(check, b)
                                                              : NULL;
        }
        if (wrong) {
            check_find(check, "damage", frame->step, after, 0.0, "bond %d %s", (int)b, wrong);
        }
    }
    for (int32_t c = 0; bonds->contact && c < frame->contacts - frame->sleeping; c++) {
        int32_t b = check_is_sound(check, c) ? bonds->contact[c] / 2 : -1;
        if (b < 0 || bonds->bond[b].law->energy[0] == 0.0) {
            continue;
        }
        double start[3], end[3];
        linear_ends(check, c, start, end);
        double own =
            model_bond_damage(bonds->bond[b].law, bonds->during[b], end[0], hypot(end[1], end[2]));
        if (!(fabs(own - fmin(bonds->after[b], 1.0)) <= DAMAGE_ROUND)) {
            check_find(check, "damage", frame->step, bonds->after[b], own,
                       "the damage of bond %d is not that of its opening", (int)b);
        }
    }
    if (check->has_row && check->row.bonds_broken != broken) {
        check_find(check, "ledger", frame->step, check->row.bonds_broken, broken,
                   "%d bonds are said to be broken, and %d are", (int)check->row.bonds_broken,
                   (int)broken);
    }
}

// ---- energies ----

static double stored_of(const check_bond *bond, double damage, const double opening[3]) {
    return damage >= MODEL_BOND_RELEASED
               ? 0.0
               : bond->area * model_bond_energy(bond->law, damage, opening[0],
                                                hypot(opening[1], opening[2]));
}

// The terms of an opening round, and the energy of a stiff layer with them.
static double rounds_of(const check_bond *bond, const double opening[3], const double *pose) {
    double far =
        fabs(pose[0]) + fabs(pose[1]) + math_norm3(bond->anchor[0]) + math_norm3(bond->anchor[1]);
    double k = isinf(bond->law->stiffness[0])
                   ? 0.0
                   : fmax(bond->law->stiffness[0], bond->law->stiffness[1]);
    return bond->area * k * far * (math_norm3(opening) + 1e-15 * far) * 1e-6;
}

bool check_bond_energy(check_checking *check, check_sum *elastic) {
    const struct check_bonds *bonds = check->bonds;
    check_frame *frame = &check->frame;
    for (int32_t b = 0; bonds && bonds->after && b < bonds->count; b++) {
        double opening[3];
        opening_at(check, &bonds->bond[b], frame->end, frame->x, opening);
        double value = stored_of(&bonds->bond[b], bonds->after[b], opening);
        elastic->value += value;
        elastic->scale +=
            value + rounds_of(&bonds->bond[b], opening,
                              check_pose_of(check->model, frame->end, bonds->bond[b].body[1]));
    }
    return bonds && bonds->after;
}

// Numerical and viscous parts of one row, and what the linear motion changed of its energy.
static void row_works(check_checking *check, int32_t contact, int32_t i, const double axis[3],
                      const double start[3], const double end[3], double *linear,
                      check_bond_works *works) {
    const cn_contact_record *c = &check->frame.contact[contact];
    const check_bond *bond = &check->bonds->bond[check->bonds->contact[contact] / 2];
    bool broken = !check_is_sound(check, contact);
    double k = stiffness_of(check, contact, i), way = end[i] - start[i];
    double r = math_dot3(axis, c->impulse), u0 = math_dot3(axis, c->velocity_before),
           u1 = math_dot3(axis, c->velocity), mean = -0.5 * (u0 + u1) * r;
    if (broken && (i > 0 || isinf(k))) {
        return;
    }
    if (isinf(k)) {
        works->numerical.value += mean;
        works->numerical.scale += fabs(mean);
        return;
    }
    double a = broken ? fmin(start[i], 0.0) : start[i], b = broken ? fmin(end[i], 0.0) : end[i];
    double change = 0.5 * bond->area * k * (b * b - a * a), viscous = 0.0;
    if (!broken) {
        double share = 1.0 - check->bonds->during[check->bonds->contact[contact] / 2];
        viscous = bond->area * share * bond->law->viscosity * way * way / check->frame.h;
    }
    // What the layer took, less what it stores and what its viscosity takes, is numerical.
    double numerical = mean - change - viscous;
    *linear += change;
    works->numerical.value += numerical;
    works->numerical.scale +=
        fabs(mean) + 0.5 * bond->area * k * (a * a + b * b) + viscous +
        rounds_of(bond, end, check_pose_of(check->model, check->frame.end, bond->body[1]));
    works->viscous.value += viscous;
    works->viscous.scale += viscous;
}

void check_bonds_works(check_checking *check, check_bond_works *works) {
    const struct check_bonds *bonds = check->bonds;
    check_frame *frame = &check->frame;
    double run = 0.0, linear = 0.0;
    *works = (check_bond_works){.known = true};
    if (!bonds || !bonds->contact) {
        works->known = !bonds;
        return;
    }
    works->known = check->has_last && check->last.step + 1 == frame->step && check->last.end;
    for (int32_t b = 0; works->known && b < bonds->count; b++) {
        double start[3], end[3];
        const check_bond *bond = &bonds->bond[b];
        if (bonds->before[b] >= MODEL_BOND_RELEASED) {
            continue;
        }
        opening_at(check, bond, check->last.end, check->last.x, start);
        opening_at(check, bond, frame->end, frame->x, end);
        double first = stored_of(bond, bonds->during[b], start),
               last = stored_of(bond, bonds->during[b], end);
        double lost = stored_of(bond, bonds->before[b], start) - first + last -
                      stored_of(bond, bonds->after[b], end);
        double room = rounds_of(bond, end, check_pose_of(check->model, frame->end, bond->body[1]));
        works->fracture.value += lost;
        works->fracture.scale += first + last + room;
        works->correction.scale += first + last + room;
        run += last - first;
    }
    for (int32_t c = 0; c < frame->contacts - frame->sleeping; c++) {
        double start[3], end[3], axes[9];
        if (!check_is_bond(check, c)) {
            continue;
        }
        linear_ends(check, c, start, end);
        math_contact_axes(check->model->dim, frame->contact[c].normal, axes);
        for (int32_t i = 0; i < check->model->dim; i++) {
            row_works(check, c, i, axes + 3 * i, start, end, &linear, works);
        }
    }
    works->correction.value = run - linear;
    works->correction.scale += fabs(linear);
}
