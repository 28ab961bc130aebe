// assemble/assemble.c
// The one-step problem in body space. Contact a between candidate c and antagonist k, point p,
// frame (n, t1, t2):
//     u = F' ((v_c + w_c x (p - x_c)) - (v_k + w_k x (p - x_k))),   F = (n t1 t2),
// so the column of H for direction d is (d, (p - x) x d) on the candidate and its negative on the
// antagonist. Bodies that do not answer to impulses (fixed, driven) have no columns; their
// velocities enter through u_free.
#include "assemble/assemble.h"

#include "assemble/approach.h"
#include "assemble/bond.h"
#include "assemble/contact_start.h"
#include "assemble/deformable.h"
#include "assemble/joints.h"
#include "assemble/law.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/parallel.h"
#include "math/vec3.h"
#include "problem/operator/operator.h"
#include "problem/operator/point_map.h"
#include "problem/operator/sphere_map.h"

#include <stddef.h>
#include <string.h>

#define ARMS_KEPT 16384 // contacts of spheres; of more, 16 bytes each count for more than time

// The row of H for a body: velocity of its material point at the contact, along one axis.
static void lever_row(int32_t dim, const double arm[3], const double d[3], double *row) {
    double moment[3];
    math_cross3(arm, d, moment);
    row[0] = d[0];
    row[1] = d[1];
    if (dim == 2) {
        row[2] = moment[2];
        return;
    }
    row[2] = d[2];
    memcpy(row + 3, moment, sizeof moment);
}

// Velocity of the material point of a body at the end of an arm, for a dimension known to the
// compiler.
static inline __attribute__((always_inline)) void
gs_point_velocity(int dim, const double arm[3], const double *v, double out[3]) {
    double spin[3] = {dim == 3 ? v[3] : 0.0, dim == 3 ? v[4] : 0.0, dim == 3 ? v[5] : v[2]};
    math_cross3(spin, arm, out);
    out[0] += v[0];
    out[1] += v[1];
    out[2] += dim == 3 ? v[2] : 0.0;
}

void asm_contact_arms(int32_t dim, const double *q, const det_contact_list *contacts, int32_t c,
                      const asm_early_hits *early, double arm[6]) {
    const det_contact *contact = &contacts->contact[c];
    int64_t pose = model_pose_size(dim);
    if (early && early->place[c] >= 0) {
        memcpy(arm, early->arm + 6 * (int64_t)early->place[c], 6 * sizeof *arm);
        return;
    }
    asm_contact_arm(dim, q + pose * contact->key.antagonist, contact, arm);
    asm_contact_arm(dim, q + pose * contact->key.candidate, contact, arm + 3);
}

void asm_contact_velocity(int32_t dim, const double *v, const model_contact_key *key,
                          const double arm[6], double out[3]) {
    int64_t size = model_velocity_size(dim);
    double first[3], second[3];
    gs_point_velocity(dim, arm + 3, v + size * key->candidate, first);
    gs_point_velocity(dim, arm, v + size * key->antagonist, second);
    math_sub3(first, second, out);
}

// Where the next contact that takes part goes.
typedef struct asm_place {
    int32_t next;  // contact of the problem
    int64_t entry; // of H in body space
    int32_t from;  // where the search for its impulse of the last step goes on
} asm_place;

// u of a contact of spheres, v_c - v_k - (R_k omega_k + R_c omega_c) x n, for a dimension known to
// the compiler. Fixed bodies have no arm and no velocity.
static inline __attribute__((always_inline)) void
gs_sphere_velocity(int dim, const det_contact *contact, const double axes[9], const double arm[2],
                   const double *v, double *u) {
    int size = dim == 3 ? 6 : 3;
    const double *antagonist = v + size * (int64_t)contact->key.antagonist,
                 *candidate = v + size * (int64_t)contact->key.candidate;
    double spin[3] = {0.0, 0.0, 0.0}, turn[3], apart[3] = {0.0, 0.0, 0.0};
    for (int k = dim == 3 ? 0 : 2; k < 3; k++) {
        int at = dim == 3 ? 3 + k : 2;
        spin[k] = arm[0] * antagonist[at] + arm[1] * candidate[at];
    }
    math_cross3(spin, contact->normal, turn);
    for (int k = 0; k < dim; k++) {
        apart[k] = candidate[k] - antagonist[k] - turn[k];
    }
    asm_to_axes(dim, axes, apart, u);
}

// u of a contact of any bodies.
static void any_velocity(const asm_assembling *job, int32_t c, const double axes[9],
                         const double *v, double *u) {
    double arm[6], apart[3];
    if (asm_is_deformed(job->contacts, c)) {
        asm_deformed_velocity(job->model, job->contacts, c, job->inertia->q, v, apart);
    } else {
        asm_contact_arms(job->model->dim, job->inertia->q, job->contacts, c, job->opts->early, arm);
        asm_contact_velocity(job->model->dim, v, &job->contacts->contact[c].key, arm, apart);
    }
    asm_to_axes(job->model->dim, axes, apart, u);
}

// u of a listed contact for body velocities v, in contact axes; arm: of spheres.
static void relative_velocity(const asm_assembling *job, int32_t c, const double axes[9],
                              const double arm[2], const double *v, double *u) {
    const cn_model *model = job->model;
    const det_contact *contact = &job->contacts->contact[c];
    if (job->form != CN_OPERATOR_SPHERES ||
        model->body[contact->key.candidate].role == MODEL_BODY_DRIVEN ||
        model->body[contact->key.antagonist].role == MODEL_BODY_DRIVEN) {
        any_velocity(job, c, axes, v, u);
    } else if (model->dim == 3) {
        gs_sphere_velocity(3, contact, axes, arm, v, u);
    } else {
        gs_sphere_velocity(2, contact, axes, arm, v, u);
    }
}

// The form that W takes: with H where there are joints or deformable bodies, else that of spheres where every body that
// answers to the impulses of the contacts is one, else that of points.
static cn_operator_kind form_of(const cn_model *model, const det_contact_list *contacts) {
    if (model->joint_row_count > 0 || contacts->sides || contacts->bond) {
        return CN_OPERATOR_BODY;
    }
    if (model->only_spheres) {
        return CN_OPERATOR_SPHERES;
    }
    bool spheres = contacts->count > 0;
    for (int32_t c = 0; spheres && c < contacts->count; c++) {
        const model_contact_key *key = &contacts->contact[c].key;
        const model_body *first = &model->body[key->antagonist],
                         *second = &model->body[key->candidate];
        spheres = (first->sphere || first->role != MODEL_BODY_FREE) &&
                  (second->sphere || second->role != MODEL_BODY_FREE);
    }
    return spheres ? CN_OPERATOR_SPHERES : CN_OPERATOR_POINTS;
}

// R on both sides of a contact of spheres, the antagonist's first; 0 for bodies that do not answer.
static void round_arms(const asm_assembling *job, int32_t c, double arm[2]) {
    const det_contact *contact = &job->contacts->contact[c];
    const model_body *first = &job->model->body[contact->key.antagonist],
                     *second = &job->model->body[contact->key.candidate];
    double half = asm_is_early(job, c) ? 0.0 : 0.5 * contact->gap;
    arm[0] = first->role == MODEL_BODY_FREE ? first->bound + half : 0.0;
    arm[1] = second->role == MODEL_BODY_FREE ? second->bound + half : 0.0;
}

// Writes H and M^-1 H of one body's side of a contact at entry k, for sizes known to the compiler:
// `count` velocities of the centre of mass or of the spin, which M^-1 does not couple.
static inline __attribute__((always_inline)) void fill_part(int dim, int count, int stride,
                                                            const double *inverse,
                                                            const double lever[3][3], double sign,
                                                            double *H, double *MinvH) {
    for (int j = 0; j < count; j++) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int l = 0; l < count; l++) {
            for (int i = 0; i < dim; i++) {
                sum[i] += inverse[stride * j + l] * lever[l][i];
            }
        }
        for (int i = 0; i < dim; i++) {
            H[dim * j + i] = sign * lever[j][i];
            MinvH[dim * j + i] = sign * sum[i];
        }
    }
}

static inline __attribute__((always_inline)) void
fill_side_of(int dim, int size, const double arm[3], const double *inverse, const double axes[9],
             int32_t body, double sign, cn_body_map *map, int64_t k) {
    double along[3][3], about[3][3];
    for (int i = 0; i < dim; i++) {
        double row[6];
        lever_row(dim, arm, axes + 3 * i, row);
        for (int j = 0; j < dim; j++) {
            along[j][i] = row[j];
        }
        for (int j = dim; j < size; j++) {
            about[j - dim][i] = row[j];
        }
    }
    double *H = map->H + dim * k, *MinvH = map->MinvH + dim * k;
    fill_part(dim, dim, size, inverse, along, sign, H, MinvH);
    fill_part(dim, size - dim, size, inverse + (size + 1) * dim, about, sign, H + dim * dim,
              MinvH + dim * dim);
    for (int j = 0; j < size; j++) {
        map->dof[k + j] = size * body + j;
    }
}

// The same for a body of the model; returns the entries written, none for one that is not free.
static int32_t fill_side(const cn_model *model, const asm_inertia_map *inertia, const double arm[3],
                         const double axes[9], int32_t body, double sign, cn_body_map *map,
                         int64_t k) {
    int32_t dim = model->dim, size = model_velocity_size(dim);
    if (model->body[body].role != MODEL_BODY_FREE) {
        return 0;
    }
    const double *inverse = inertia->inverse + (int64_t)size * size * body;
    if (dim == 3) {
        fill_side_of(3, 6, arm, inverse, axes, body, sign, map, k);
    } else {
        fill_side_of(2, 3, arm, inverse, axes, body, sign, map, k);
    }
    return size;
}

// The first of the last step's impulses, which are sorted, that is not before a key.
static int32_t impulses_from(const model_state *state, const model_contact_key *key) {
    int32_t low = 0, high = state->impulse_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (model_key_before(&state->key[middle], key)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint8_t asm_state_past(const model_state *state, const model_contact_key *key) {
    int32_t at = impulses_from(state, key);
    bool found = at < state->impulse_count && !model_key_before(key, &state->key[at]);
    return found ? state->past[at] : 0;
}

// The place of a key among them; -1: not there. *from only moves forward.
static int32_t find_impulse(const model_state *state, const model_contact_key *key, int32_t *from) {
    while (*from < state->impulse_count && model_key_before(&state->key[*from], key)) {
        ++*from;
    }
    bool found = *from < state->impulse_count && !model_key_before(key, &state->key[*from]);
    return found ? *from : -1;
}

static bool allocate_boxes(int64_t max, int64_t rows, cn_arena *memory, asm_assembled *out) {
    cn_bounds *bounds = &out->problem.bounds;
    bounds->boxed = BASE_TAKE_ZERO(memory, uint8_t, max);
    bounds->lower = BASE_TAKE_ZERO(memory, double, rows);
    bounds->upper = BASE_TAKE_ZERO(memory, double, rows);
    bounds->compliance = BASE_TAKE_ZERO(memory, double, rows);
    out->value = BASE_TAKE_ZERO(memory, double, rows);
    out->correction = BASE_TAKE_ZERO(memory, double, rows);
    out->missed = BASE_TAKE_ZERO(memory, double, rows);
    return bounds->boxed && bounds->lower && bounds->upper && bounds->compliance && out->value &&
           out->correction && out->missed;
}

static bool allocate_body_map(const cn_model *model, int32_t max, cn_arena *memory,
                              cn_operator *W) {
    int32_t dim = model->dim, size = model_velocity_size(dim);
    int64_t entries = 2 * (int64_t)size * max;
    W->kind = CN_OPERATOR_BODY;
    W->body.dofs = size * model->body_count;
    W->body.start = BASE_TAKE_ZERO(memory, int64_t, (int64_t)max + 1);
    W->body.dof = BASE_TAKE(memory, int32_t, entries);
    W->body.H = BASE_TAKE(memory, double, dim *entries);
    W->body.MinvH = BASE_TAKE(memory, double, dim *entries);
    return W->body.start && W->body.dof && W->body.H && W->body.MinvH;
}

// Whether all listed contacts take part, whatever they are.
static bool all_take_part(const cn_model *model, const asm_assemble_opts *opts) {
    if (opts->scheme == ASM_SHIFT_GIVEN) {
        return true;
    }
    bool all = opts->scheme == ASM_SHIFT_LAW;
    for (int32_t i = 0; all && i < model->material_count; i++) {
        for (int32_t j = 0; all && j <= i; j++) {
            all = asm_law_takes_all(model_pair(model, i, j)->law);
        }
    }
    return all;
}

_Static_assert(offsetof(det_contact, gap) == offsetof(det_contact, normal) + 3 * sizeof(double),
               "the gap is the number behind the normal");

// Normals and gaps are those of the list where it has all contacts of the problem, and no others.
// Lever arms that follow from them are kept while that is the faster way.
static bool allocate_spheres(const asm_assembling *job, int32_t max, cn_arena *memory,
                             cn_operator *W) {
    const cn_model *model = job->model;
    W->kind = CN_OPERATOR_SPHERES;
    W->spheres.bodies = model->body_count;
    W->spheres.body = BASE_TAKE(memory, int32_t, 2 * (int64_t)max);
    bool listed = max > 0 && job->all;
    if (listed) {
        W->spheres.normal = job->contacts->contact->normal;
        W->spheres.stride = (int32_t)(sizeof(det_contact) / sizeof(double));
    } else {
        W->spheres.normal = BASE_TAKE(memory, double, 3 * (int64_t)max);
    }
    if (listed && max > ARMS_KEPT) {
        W->spheres.radius = BASE_TAKE(memory, double, model->body_count);
    } else {
        W->spheres.arm = BASE_TAKE(memory, double, 2 * (int64_t)max);
    }
    return W->spheres.body && W->spheres.normal && (W->spheres.radius || W->spheres.arm);
}

static bool allocate_points(const cn_model *model, int32_t max, cn_arena *memory, cn_operator *W) {
    W->kind = CN_OPERATOR_POINTS;
    W->points.bodies = model->body_count;
    W->points.body = BASE_TAKE(memory, int32_t, 2 * (int64_t)max);
    W->points.arm = BASE_TAKE(memory, double, 6 * (int64_t)max);
    W->points.frame = BASE_TAKE(memory, double, 6 * (int64_t)max);
    return W->points.body && W->points.arm && W->points.frame;
}

static bool allocate_operator(const asm_assembling *job, int32_t max, cn_arena *memory,
                              cn_operator *W) {
    return job->form == CN_OPERATOR_SPHERES  ? allocate_spheres(job, max, memory, W)
           : job->form == CN_OPERATOR_POINTS ? allocate_points(job->model, max, memory, W)
                                             : allocate_body_map(job->model, max, memory, W);
}

static cn_status allocate(const asm_assembling *job, int32_t max, bool boxes, cn_arena *memory,
                          asm_assembled *out) {
    const cn_model *model = job->model;
    int32_t dim = model->dim;
    cn_friction *p = &out->problem;
    *out = (asm_assembled){
        .problem = {.dim = dim, .convex = model->settings.friction == CN_FRICTION_CONVEX}};
    p->q = BASE_TAKE(memory, double, (int64_t)dim *max);
    p->mu = BASE_TAKE(memory, double, max);
    out->contact = job->all ? NULL : BASE_TAKE(memory, int32_t, max);
    out->r = BASE_TAKE(memory, double, (int64_t)dim *max);
    bool spheres = job->form == CN_OPERATOR_SPHERES;
    bool complete = p->q && p->mu && (out->contact || job->all) && out->r &&
                    allocate_operator(job, max, memory, &p->W);
    if (complete && !spheres) {
        p->W.diagonal = BASE_TAKE(memory, double, (int64_t)dim *dim *max);
        complete = p->W.diagonal != NULL;
    }
    out->past = BASE_TAKE(memory, uint8_t, max);
    complete = complete && out->past;
    if (complete && (!spheres || model->stores_motion)) {
        out->shift = BASE_TAKE(memory, double, (int64_t)dim *max);
        out->velocity_before = BASE_TAKE(memory, double, (int64_t)dim *max);
        out->frame_change = BASE_TAKE(memory, double, (int64_t)dim *max);
        complete = out->shift && out->velocity_before && out->frame_change;
    }
    complete = complete && (!boxes || allocate_boxes(max, (int64_t)dim * max, memory, out));
    if (complete && job->contacts->bond) {
        out->layer = BASE_TAKE_ZERO(memory, asm_layer, max);
        complete = out->layer != NULL;
    }
    return complete ? CN_OK : CN_ERR_MEMORY;
}

static void pick_inv_mass(void *user, int64_t first, int64_t end) {
    const asm_assembling *job = user;
    int32_t size = model_velocity_size(job->model->dim);
    double *inv_mass = job->out->problem.W.spheres.inv_mass;
    for (int64_t i = first; i < end; i++) {
        const double *inverse = job->inertia->inverse + size * size * i;
        inv_mass[2 * i] = inverse[0];
        inv_mass[2 * i + 1] = inverse[size * size - 1];
    }
}

static void pick_radii(void *user, int64_t first, int64_t end) {
    const asm_assembling *job = user;
    for (int64_t i = first; i < end; i++) {
        const model_body *body = &job->model->body[i];
        job->out->problem.W.spheres.radius[i] = body->role == MODEL_BODY_FREE ? body->bound : -1.0;
    }
}

// 1/m and 1/I of the bodies, known already where there are only spheres; NULL: no memory.
static double *inv_mass_of(asm_assembling *job, cn_arena *memory) {
    double *inv_mass = job->inertia->inv_mass;
    if (!inv_mass) {
        inv_mass = BASE_TAKE(memory, double, 2 * (int64_t)job->model->body_count);
        job->out->problem.W.spheres.inv_mass = inv_mass;
        base_parallel_ranges(cn_arena_env(memory), inv_mass ? job->model->body_count : 0,
                             pick_inv_mass, job);
    }
    return inv_mass;
}

// The columns of H of problem contact a, listed contact c, from an entry on; arm: of spheres.
// Returns the entry behind.
static int64_t fill_contact(const asm_assembling *job, int32_t c, const double axes[9],
                            const double arm[2], int32_t a, int64_t k) {
    cn_operator *W = &job->out->problem.W;
    const det_contact *contact = &job->contacts->contact[c];
    int32_t candidate = contact->key.candidate, antagonist = contact->key.antagonist;
    if (job->form == CN_OPERATOR_SPHERES) {
        W->spheres.body[2 * (int64_t)a] = antagonist;
        W->spheres.body[2 * (int64_t)a + 1] = candidate;
        if (W->spheres.arm) {
            memcpy(W->spheres.arm + 2 * (int64_t)a, arm, 2 * sizeof *arm);
        }
        if (W->spheres.stride == 0) {
            memcpy(W->spheres.normal + 3 * (int64_t)a, contact->normal, sizeof contact->normal);
        }
        return k;
    }
    // Velocities ascend in a row: the lower body first.
    bool candidate_first = candidate < antagonist;
    double arms[6];
    asm_contact_arms(job->model->dim, job->inertia->q, job->contacts, c, job->opts->early, arms);
    k += fill_side(job->model, job->inertia, arms + (candidate_first ? 3 : 0), axes,
                   candidate_first ? candidate : antagonist, candidate_first ? 1.0 : -1.0, &W->body,
                   k);
    k += fill_side(job->model, job->inertia, arms + (candidate_first ? 0 : 3), axes,
                   candidate_first ? antagonist : candidate, candidate_first ? -1.0 : 1.0, &W->body,
                   k);
    W->body.start[a + 1] = k;
    return k;
}

// ---- contacts one by one ----

// What a listed contact brings to the problem, when it takes part.
typedef struct asm_touching {
    const model_body_pair *pair;
    double axes[9]; // n, t1, t2
    double arm[2];  // of spheres
    asm_contact_start start;
} asm_touching;

// Whether its law lets it take part. last: its place among the state's impulses, -1: none; past:
// what it did before. with_velocity: u_i is wanted whatever the law; zero where nobody asks for it.
static bool takes_part(const asm_assembling *job, int32_t c, int32_t last, uint8_t past,
                       bool with_velocity, asm_touching *out) {
    const cn_model *model = job->model;
    const det_contact *contact = &job->contacts->contact[c];
    out->pair = model_pair_of(model, contact->key.candidate, contact->key.antagonist);
    math_contact_axes(model->dim, contact->normal, out->axes);
    round_arms(job, c, out->arm);
    cn_law law = job->opts->scheme == ASM_SHIFT_LAW ? out->pair->law : CN_LAW_STABILISED;
    memset(out->start.before, 0, sizeof out->start.before);
    if (with_velocity || asm_law_needs_velocity(law, out->pair)) {
        relative_velocity(job, c, out->axes, out->arm, job->v_old, out->start.before);
    }
    if (job->contacts->bond && job->contacts->bond[c] >= 0 &&
        job->opts->scheme != ASM_SHIFT_GIVEN) {
        memset(out->start.frame_change, 0, sizeof out->start.frame_change);
        memset(out->start.shift, 0, sizeof out->start.shift); // asm_bonds_complete knows it
        return true;
    }
    asm_find_frame_change(job, contact, out->axes, out->start.before, last, past,
                          out->start.frame_change);
    return asm_find_shift(job, c, law, out->pair, &out->start, out->start.shift);
}

// Writes u_i, s, delta and the past of problem contact a where they are stored.
static inline void put_start(const asm_assembling *job, int32_t dim, int64_t a,
                             const asm_contact_start *start, uint8_t past) {
    asm_assembled *out = job->out;
    out->past[a] = past;
    for (int32_t i = 0; out->shift && i < dim; i++) {
        out->shift[dim * a + i] = start->shift[i];
        out->velocity_before[dim * a + i] = start->before[i];
        out->frame_change[dim * a + i] = start->frame_change[i];
    }
}

// The coefficient of friction of a contact of a pair.
static inline double friction_of(const asm_assembling *job, const model_body_pair *pair,
                                 uint8_t past) {
    return job->opts->scheme == ASM_SHIFT_GIVEN ? 0.0
           : past & MODEL_PAST_SLID             ? pair->friction_dynamic
                                                : pair->friction;
}

// Listed contact c, as the next one of the problem where its law says so.
static void add_contact(const asm_assembling *job, int32_t c, asm_place *place) {
    const det_contact *contact = &job->contacts->contact[c];
    asm_touching touching;
    asm_assembled *out = job->out;
    int32_t last = find_impulse(job->state, &contact->key, &place->from);
    uint8_t past = last >= 0 ? job->state->past[last] : 0;
    if (!takes_part(job, c, last, past, out->shift != NULL, &touching)) {
        return;
    }
    cn_friction *p = &out->problem;
    double u_free[3], r[3] = {0.0, 0.0, 0.0};
    int32_t dim = p->dim, a = place->next++;
    relative_velocity(job, c, touching.axes, touching.arm, job->v_free, u_free);
    if (last >= 0) {
        asm_to_axes(dim, touching.axes, job->state->impulse + 3 * (int64_t)last, r);
    }
    if (out->contact) {
        out->contact[a] = c;
    }
    p->mu[a] = friction_of(job, touching.pair, past);
    put_start(job, dim, a, &touching.start, past);
    for (int32_t i = 0; i < dim; i++) {
        int64_t row = (int64_t)dim * a + i;
        p->q[row] = u_free[i] + touching.start.shift[i];
        out->r[row] = r[i];
    }
    place->entry = fill_contact(job, c, touching.axes, touching.arm, a, place->entry);
}

// ---- contacts as points ----

// What contacts in a row share: their bodies' law, and mostly their normal.
typedef struct asm_between {
    int32_t candidate, antagonist;
    const model_body_pair *pair; // NULL: nothing is known yet
    cn_law law;
    double axes[9];
} asm_between;

static inline void between_look(const asm_assembling *job, const det_contact *contact,
                                asm_between *between) {
    const cn_model *model = job->model;
    const model_contact_key *key = &contact->key;
    bool first = between->pair == NULL;
    if (first || key->candidate != between->candidate || key->antagonist != between->antagonist) {
        between->candidate = key->candidate;
        between->antagonist = key->antagonist;
        between->pair = model_pair_of(model, key->candidate, key->antagonist);
        between->law = job->opts->scheme == ASM_SHIFT_LAW ? between->pair->law : CN_LAW_STABILISED;
    }
    if (first || memcmp(contact->normal, between->axes, sizeof contact->normal) != 0) {
        math_contact_axes(model->dim, contact->normal, between->axes);
    }
}

// Listed contact c, where its law says so, with its arms and u for the velocities before and
// without contacts, for a dimension known to the compiler.
static inline __attribute__((always_inline)) void
put_point(int dim, const asm_assembling *job, int32_t c, const asm_between *between,
          const double arm[6], const double before[3], const double u_free[3], asm_place *place) {
    const det_contact *contact = &job->contacts->contact[c];
    asm_assembled *out = job->out;
    cn_friction *p = &out->problem;
    asm_contact_start start;
    double r[3] = {0.0, 0.0, 0.0};
    int32_t last = find_impulse(job->state, &contact->key, &place->from);
    uint8_t past = last >= 0 ? job->state->past[last] : 0;
    memcpy(start.before, before, sizeof start.before);
    asm_find_frame_change(job, contact, between->axes, before, last, past, start.frame_change);
    if (!asm_find_shift(job, c, between->law, between->pair, &start, start.shift)) {
        return;
    }
    if (last >= 0) {
        asm_to_axes(dim, between->axes, job->state->impulse + 3 * (int64_t)last, r);
    }
    int64_t a = place->next++;
    if (out->contact) {
        out->contact[a] = c;
    }
    p->mu[a] = friction_of(job, between->pair, past);
    put_start(job, dim, a, &start, past);
    for (int i = 0; i < dim; i++) {
        p->q[dim * a + i] = u_free[i] + start.shift[i];
        out->r[dim * a + i] = r[i];
    }
    p->W.points.body[2 * a] = between->antagonist;
    p->W.points.body[2 * a + 1] = between->candidate;
    memcpy(p->W.points.frame + 6 * a, between->axes, 6 * sizeof(double));
    memcpy(p->W.points.arm + 6 * a, arm, 6 * sizeof *arm);
}

// Contact c on its own, for a dimension known to the compiler.
static inline __attribute__((always_inline)) void
add_point(int dim, const asm_assembling *job, int32_t c, asm_between *between, asm_place *place) {
    double arm[6], before[3], u_free[3];
    between_look(job, &job->contacts->contact[c], between);
    asm_contact_arms(dim, job->inertia->q, job->contacts, c, job->opts->early, arm);
    any_velocity(job, c, between->axes, job->v_old, before);
    any_velocity(job, c, between->axes, job->v_free, u_free);
    put_point(dim, job, c, between, arm, before, u_free, place);
}

// Contacts from c on, before the end and at most ASM_APPROACH, that have the same bodies and
// normal.
static int32_t alike(const asm_assembling *job, int32_t c, int64_t end) {
    const det_contact *first = &job->contacts->contact[c], *next = first + 1;
    int32_t count = 1;
    while (count < ASM_APPROACH && c + count < end && next->key.candidate == first->key.candidate &&
           next->key.antagonist == first->key.antagonist &&
           memcmp(next->normal, first->normal, sizeof first->normal) == 0) {
        count++;
        next++;
    }
    return count;
}

// Contacts from c on in space, as many as go together; returns how many.
static int32_t add_space_points(const asm_assembling *job, asm_approach_fn *fn, int32_t c,
                                int64_t end, asm_between *between, asm_place *place) {
    const det_contact *contact = &job->contacts->contact[c];
    int32_t count = alike(job, c, end);
    if (job->opts->early) {
        add_point(3, job, c, between, place);
        return 1;
    }
    between_look(job, contact, between);
    asm_approach approach = {.axes = between->axes};
    asm_approached approached;
    for (int side = 0; side < 2; side++) {
        int64_t body = side == 0 ? between->antagonist : between->candidate;
        approach.center[side] = job->inertia->q + 7 * body;
        approach.v_old[side] = job->v_old + 6 * body;
        approach.v_free[side] = job->v_free + 6 * body;
    }
    for (int32_t i = 0; i < ASM_APPROACH; i++) {
        approach.point[i] = contact[i < count ? i : count - 1].point;
    }
    fn(&approach, &approached);
    for (int32_t i = 0; i < count; i++) {
        put_point(3, job, c + i, between, approached.arm[i], approached.before[i],
                  approached.free[i], place);
    }
    return count;
}

// Listed contacts from the first to before the end that take part, from *place on.
static void add_some(const asm_assembling *job, int64_t first, int64_t end, asm_place *place) {
    asm_between between = {.pair = NULL};
    asm_approach_fn *fn = asm_approach_avx2();
    fn = fn ? fn : asm_approach_plain;
    for (int32_t c = (int32_t)first; c < end;) {
        if (job->form == CN_OPERATOR_POINTS && job->model->dim == 3) {
            c += add_space_points(job, fn, c, end, &between, place);
        } else if (job->form == CN_OPERATOR_POINTS) {
            add_point(2, job, c++, &between, place);
        } else {
            add_contact(job, c++, place);
        }
    }
}

// How much room the contacts of a range take.
static void count_range(void *user, int64_t first, int64_t end) {
    const asm_assembling *job = user;
    const model_body *body = job->model->body;
    asm_place count = {0, 0, impulses_from(job->state, &job->contacts->contact[first].key)};
    for (int32_t c = (int32_t)first; c < end; c++) {
        const det_contact *contact = &job->contacts->contact[c];
        asm_touching touching;
        int32_t last = find_impulse(job->state, &contact->key, &count.from);
        uint8_t past = last >= 0 ? job->state->past[last] : 0;
        if (takes_part(job, c, last, past, job->out->shift != NULL, &touching)) {
            int free = (body[contact->key.candidate].role == MODEL_BODY_FREE) +
                       (body[contact->key.antagonist].role == MODEL_BODY_FREE);
            count.next++;
            count.entry += (int64_t)free * model_velocity_size(job->model->dim);
        }
    }
    job->place[first / BASE_RANGE] = count;
}

static void add_range(void *user, int64_t first, int64_t end) {
    const asm_assembling *job = user;
    asm_place place = job->place[first / BASE_RANGE];
    place.from = impulses_from(job->state, &job->contacts->contact[first].key);
    add_some(job, first, end, &place);
}

// Every listed contact that takes part, in order; returns how many. Several threads count a range's
// contacts first, so that each range knows its place.
static int32_t add_contacts(const cn_env *env, asm_assembling *job) {
    int32_t count = job->contacts->count, ranges = base_range_count(count);
    asm_place end = {0, 0, 0};
    if (base_thread_count(env) < 2 || ranges < 2) {
        add_some(job, 0, count, &end);
        return end.next;
    }
    base_parallel_ranges(env, count, count_range, job);
    for (int32_t i = 0; i < ranges; i++) {
        asm_place own = job->place[i];
        job->place[i] = end;
        end.next += own.next;
        end.entry += own.entry;
    }
    base_parallel_ranges(env, count, add_range, job);
    return end.next;
}

cn_status asm_assemble(const cn_model *model, const model_state *state,
                       const det_contact_list *contacts, const asm_inertia_map *inertia,
                       const double *v_old, const double *v_free, const asm_assemble_opts *opts,
                       cn_arena *memory, asm_assembled *out, cn_error *error) {
    int32_t blocks = model->joint_row_count / model->dim;
    asm_assembling job = {.model = model,
                          .state = state,
                          .inertia = inertia,
                          .v_old = v_old,
                          .v_free = v_free,
                          .opts = opts,
                          .contacts = contacts,
                          .form = form_of(model, contacts),
                          .all = all_take_part(model, opts),
                          .out = out};
    const cn_env *env = cn_arena_env(memory);
    job.place = BASE_TAKE(memory, asm_place, base_range_count(contacts->count));
    bool boxes = blocks > 0 || contacts->bond;
    if (!job.place || allocate(&job, contacts->count + blocks, boxes, memory, out) != CN_OK) {
        return base_fail_memory(error);
    }
    cn_friction *p = &out->problem;
    p->W.body.inverse = p->W.points.inverse = inertia->inverse;
    if (job.form == CN_OPERATOR_SPHERES) {
        p->W.spheres.inv_mass = inv_mass_of(&job, memory);
        if (!p->W.spheres.inv_mass) {
            return base_fail_memory(error);
        }
        if (p->W.spheres.radius) {
            base_parallel_ranges(env, model->body_count, pick_radii, &job);
        }
    }
    out->contacts = p->contacts = add_contacts(env, &job);
    asm_joints_append(model, state, inertia, v_old, v_free, opts, out);
    if (job.form != CN_OPERATOR_SPHERES) {
        prob_operator_diagonal(&p->W, model->dim, p->contacts, p->W.diagonal);
    }
    asm_joints_soften(out);
    CN_TRY(contacts->sides ? asm_deform(model, contacts, inertia, opts->answers, memory, out, error)
                           : CN_OK);
    if (out->layer) {
        asm_bonds_complete(model, contacts, inertia->q, opts, out);
    }
    return CN_OK;
}

void asm_assembled_start(const cn_model *model, const det_contact_list *contacts,
                         const asm_inertia_map *inertia, const double *v_old,
                         const asm_assemble_opts *opts, const asm_assembled *assembled, int32_t a,
                         asm_contact_start *out) {
    size_t bytes = sizeof(double) * (size_t)model->dim;
    int64_t row = (int64_t)model->dim * a;
    *out = (asm_contact_start){.shift = {0.0}};
    if (assembled->shift) {
        memcpy(out->before, assembled->velocity_before + row, bytes);
        memcpy(out->frame_change, assembled->frame_change + row, bytes);
        memcpy(out->shift, assembled->shift + row, bytes);
        return;
    }
    const asm_assembling job = {.model = model,
                                .inertia = inertia,
                                .v_old = v_old,
                                .opts = opts,
                                .contacts = contacts,
                                .form = CN_OPERATOR_SPHERES};
    asm_touching touching;
    takes_part(&job, asm_assembled_listed(assembled, a), -1, assembled->past[a], true, &touching);
    *out = touching.start;
}

void asm_apply_impulses(const cn_env *env, const cn_model *model, const asm_assembled *step,
                        const double *v_free, const double *r, double *v) {
    const cn_friction *p = &step->problem;
    const cn_body_map *map = step->deformed ? &step->deformed->rigid : &p->W.body;
    int32_t dim = model->dim, dofs = step->deformed ? map->dofs : cn_operator_dofs(&p->W, dim);
    if (p->W.kind == CN_OPERATOR_POINTS) {
        prob_point_map_push(&p->W.points, dim, p->contacts, r, v);
        for (int64_t i = 0; i < dofs; i++) {
            v[i] += v_free[i];
        }
        return;
    }
    if (v != v_free) {
        memcpy(v, v_free, sizeof *v * (size_t)dofs);
    }
    if (p->W.kind == CN_OPERATOR_SPHERES) {
        prob_sphere_map_push(env, &p->W.spheres, dim, p->contacts, r, v);
        return;
    }
    for (int32_t a = 0; a < p->contacts; a++) {
        for (int64_t k = map->start[a]; k < map->start[a + 1]; k++) {
            for (int32_t i = 0; i < dim; i++) {
                v[map->dof[k]] += map->MinvH[dim * k + i] * r[dim * a + i];
            }
        }
    }
}
