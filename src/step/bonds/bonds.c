// step/bonds/bonds.c
// Bonds in a step. What breaks at once breaks before the step: the step is made again without it, as
// often as something breaks, the most loaded ones first, since each break changes the load of the
// others. What softens keeps its damage during the step and takes that of the opening at its end.
//
// Where a bond of two rigid bodies is gone they may roll over an edge of theirs, which the bonds that
// are left know nothing of: from then on contacts that are found count beside these.
#include "step/bonds/bonds.h"
#include "step/sim.h"

#include "base/arena.h"
#include "base/error.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define RELEASE_SHARE 0.1 // of the size of a bond's area: its bodies have moved

void step_bonds_begin(step_bonds *bonds) {
    if (bonds) {
        memset(bonds->broken, 0, (size_t)bonds->list.count);
        bonds->tries = bonds->breaks = 0;
    }
}

bool step_bonds_take(const step_context *in, step_data *step) {
    const step_bonds *bonds = in->bonds;
    if (!bonds) {
        return true;
    }
    step->damage = BASE_TAKE(in->memory, double, bonds->list.count);
    step->damage_end = BASE_TAKE(in->memory, double, bonds->list.count);
    step->damage_before = BASE_TAKE(in->memory, double, bonds->list.count);
    step->broke_at = bonds->broke_at;
    if (!step->damage || !step->damage_end || !step->damage_before) {
        return false;
    }
    for (int32_t b = 0; b < bonds->list.count; b++) {
        const asm_bond *bond = &bonds->list.bond[b];
        bool gone = in->model->body[bond->candidate].role == MODEL_BODY_REMOVED ||
                    in->model->body[bond->antagonist].role == MODEL_BODY_REMOVED;
        double before = in->state->damage[b];
        step->damage_before[b] = before;
        step->damage[b] = gone || bonds->broken[b] ? MODEL_BOND_RELEASED : before;
        step->damage_end[b] = step->damage[b];
    }
    step->bonds = bonds->list;
    step->bonds.damage = step->damage;
    return true;
}

// ---- the list of contacts ----

// The end of the bonds of one pair of bodies, from its first.
static int32_t pair_end(const asm_bonds *list, int32_t first) {
    int32_t end = first + 1;
    while (end < list->count && list->bond[end].candidate == list->bond[first].candidate &&
           list->bond[end].antagonist == list->bond[first].antagonist) {
        end++;
    }
    return end;
}

// The list with bonds, as it is made.
typedef struct bond_merge {
    const cn_model *model;
    const asm_bonds *bonds;
    const det_contact_list *from;
    int32_t count;
    det_contact *contact;
    int32_t *bond;
    struct det_sides *sides; // NULL: all bodies are rigid
} bond_merge;

static void put_parts(bond_merge *m, const det_node_weight *part, int64_t parts) {
    if (m->sides) {
        int64_t at = m->sides->start[m->count];
        if (parts > 0) {
            memcpy(m->sides->part + at, part, sizeof *part * (size_t)parts);
        }
        m->sides->start[m->count + 1] = at + parts;
    }
}

static void put_listed(bond_merge *m, int32_t c) {
    const struct det_sides *sides = m->from->sides;
    put_parts(m, sides ? sides->part + sides->start[c] : NULL,
              sides ? sides->start[c + 1] - sides->start[c] : 0);
    if (m->sides) {
        m->sides->area[m->count] = sides->area[c];
    }
    m->contact[m->count] = m->from->contact[c];
    m->bond[m->count++] = -1;
}

// The shares of bond b, at poses q.
static void put_bond(bond_merge *m, int32_t b, const double *q) {
    const asm_bond *bond = &m->bonds->bond[b];
    double damage = m->bonds->damage[b];
    if (damage >= MODEL_BOND_RELEASED) {
        return;
    }
    for (int32_t broken = damage >= 1.0; broken <= (damage > 0.0); broken++) {
        det_contact *contact = &m->contact[m->count];
        double apart[3];
        *contact = (det_contact){.key = {bond->candidate, bond->antagonist,
                                         ASM_BOND_FEATURE | (uint64_t)(2 * (int64_t)b + broken)}};
        asm_bond_place(m->model, m->bonds, b, q, contact->normal, contact->point, apart);
        contact->gap = math_dot3(contact->normal, apart);
        put_parts(m, m->bonds->part + bond->part_first, bond->part_count);
        m->bond[m->count++] = 2 * b + broken;
    }
}

static bool before_pair(const model_contact_key *key, const asm_bond *bond) {
    return key->candidate < bond->candidate ||
           (key->candidate == bond->candidate && key->antagonist < bond->antagonist);
}

// Whether bonds of a pair, first .. end - 1, stand for a contact that was found: of bodies with nodes
// that of the same point; of others all, while none is released.
static bool stands_for(const asm_bonds *list, int32_t first, int32_t end, uint64_t feature) {
    bool all = true, same = false;
    for (int32_t b = first; b < end; b++) {
        bool held = list->damage[b] < MODEL_BOND_RELEASED;
        all = all && held;
        same = same || (held && list->bond[b].feature == feature);
    }
    return list->bond[first].part_count > 0 ? same : all;
}

static bool merge_take(bond_merge *m, cn_arena *memory) {
    int64_t room = (int64_t)m->from->count + 2 * (int64_t)m->bonds->count;
    int64_t parts = m->from->sides ? m->from->sides->start[m->from->count] : 0;
    for (int32_t b = 0; b < m->bonds->count; b++) {
        parts += 2 * (int64_t)m->bonds->bond[b].part_count;
    }
    m->contact = BASE_TAKE(memory, det_contact, room);
    m->bond = BASE_TAKE(memory, int32_t, room);
    if (m->from->sides) {
        m->sides = BASE_TAKE(memory, struct det_sides, 1);
        if (!m->sides) {
            return false;
        }
        m->sides->start = BASE_TAKE_ZERO(memory, int64_t, room + 1);
        m->sides->part = BASE_TAKE(memory, det_node_weight, parts);
        m->sides->area = BASE_TAKE_ZERO(memory, double, room);
        return m->contact && m->bond && m->sides->start && m->sides->part && m->sides->area;
    }
    return m->contact && m->bond;
}

cn_status step_bonds_list(const step_context *in, const step_data *step, const double *q,
                          det_contact_list *contacts, cn_error *error) {
    if (!in->bonds) {
        return CN_OK;
    }
    const asm_bonds *bonds = &step->bonds;
    bond_merge m = {.model = in->model, .bonds = bonds, .from = contacts};
    if (!merge_take(&m, in->memory)) {
        return base_fail_memory(error);
    }
    int32_t c = 0;
    for (int32_t b = 0, end; b < bonds->count; b = end) {
        const asm_bond *bond = &bonds->bond[b];
        end = pair_end(bonds, b);
        while (c < contacts->count && before_pair(&contacts->contact[c].key, bond)) {
            put_listed(&m, c++);
        }
        for (; c < contacts->count && contacts->contact[c].key.candidate == bond->candidate &&
               contacts->contact[c].key.antagonist == bond->antagonist;
             c++) {
            if (!stands_for(bonds, b, end, contacts->contact[c].key.feature)) {
                put_listed(&m, c);
            }
        }
        for (int32_t k = b; k < end; k++) {
            put_bond(&m, k, q);
        }
    }
    while (c < contacts->count) {
        put_listed(&m, c++);
    }
    contacts->contact = m.contact;
    contacts->count = m.count;
    contacts->bond = m.bond;
    contacts->sides = m.sides ? m.sides : contacts->sides;
    return CN_OK;
}

// ---- breaking ----

// How near the sound share of a block is to its strength.
static double use_of(const step_data *step, int32_t a) {
    const asm_layer *layer = &step->assembled.layer[a];
    const asm_bond *bond = &step->bonds.bond[layer->bond];
    int32_t dim = step->assembled.problem.dim;
    const double *r = step->r + (int64_t)dim * a;
    double force = 1.0 / (step->h * bond->area);
    double shear = dim == 3 ? hypot(r[1], r[2]) : fabs(r[1]);
    return model_bond_use(bond->law, -r[0] * force, shear * force);
}

static bool is_brittle(const step_data *step, int32_t a) {
    const asm_layer *layer = &step->assembled.layer[a];
    return layer->kind == ASM_LAYER_SOUND && step->bonds.bond[layer->bond].law->energy[0] == 0.0;
}

// Damage of bonds that soften, by their opening at the end.
static void soften(step_data *step) {
    double *u = step->u;
    for (int32_t a = 0; a < step->assembled.contacts; a++) {
        const asm_layer *layer = &step->assembled.layer[a];
        if (layer->kind != ASM_LAYER_SOUND || is_brittle(step, a)) {
            continue;
        }
        double start[3], end[3];
        asm_layer_ends(&step->assembled, &step->opts, a, step->r, u, start, end);
        double *damage = &step->damage_end[layer->bond];
        *damage = model_bond_damage(step->bonds.bond[layer->bond].law, *damage, end[0],
                                    hypot(end[1], end[2]));
    }
}

// Broken bonds are released. Layers that never had strength stay until the bodies have moved.
static void release(const step_context *in, step_data *step) {
    const asm_bonds *bonds = &step->bonds;
    for (int32_t b = 0; b < bonds->count; b++) {
        const asm_bond *bond = &bonds->bond[b];
        bool strong = bond->law->tension > 0.0 || bond->law->cohesion > 0.0;
        if (!(step->damage_end[b] >= MODEL_BOND_BROKEN)) {
            continue;
        }
        double opening[3], size = in->model->dim == 3 ? sqrt(bond->area) : bond->area;
        asm_bond_opening(in->model, bonds, b, step->q, opening);
        if (strong || math_norm3(opening) > RELEASE_SHARE * size) {
            step->damage_end[b] = MODEL_BOND_RELEASED;
        }
    }
}

void step_bonds_break(const step_context *in, step_data *step) {
    step_bonds *bonds = in->bonds;
    double max = 1.0;
    if (!step->assembled.layer) {
        return;
    }
    for (int32_t a = 0; a < step->assembled.contacts; a++) {
        max = is_brittle(step, a) ? fmax(max, use_of(step, a)) : max;
    }
    bool again = max > 1.0 && bonds->tries < STEP_BOND_RETRIES;
    for (int32_t a = 0; max > 1.0 && a < step->assembled.contacts; a++) {
        if (is_brittle(step, a) && use_of(step, a) > (again ? 0.5 * (1.0 + max) : 1.0)) {
            int32_t dim = step->assembled.problem.dim;
            memcpy(bonds->broke_at + 3 * (int64_t)step->assembled.layer[a].bond,
                   step->r + (int64_t)dim * a, sizeof(double) * (size_t)dim);
            bonds->broken[step->assembled.layer[a].bond] = again;
            step->damage_end[step->assembled.layer[a].bond] = MODEL_BOND_RELEASED;
        }
    }
    if (again) {
        bonds->tries++;
        step->verdict = STEP_AGAIN;
        return;
    }
    soften(step);
    release(in, step);
    bonds->breaks = 0;
    for (int32_t b = 0; b < bonds->list.count; b++) {
        if (step->damage_end[b] >= 1.0 && in->state->damage[b] < 1.0) {
            bonds->break_of[bonds->breaks++] = b;
        }
    }
    step->breaks = bonds->breaks;
}

// ---- energy ----

static double energy_of(const asm_bonds *bonds, int32_t b, double damage, const double opening[3]) {
    const asm_bond *bond = &bonds->bond[b];
    return bond->area *
           model_bond_energy(bond->law, damage, opening[0], hypot(opening[1], opening[2]));
}

int32_t step_bonds_broken(const step_bonds *bonds, const double *damage) {
    int32_t count = 0;
    for (int32_t b = 0; b < step_bonds_count(bonds); b++) {
        count += damage[b] >= MODEL_BOND_BROKEN;
    }
    return count;
}

// Energy of one row of a layer at an opening.
static double row_energy(const asm_layer *layer, double area, int32_t i, double opening) {
    if (isinf(layer->stiffness[i]) || (layer->kind == ASM_LAYER_BROKEN && i > 0)) {
        return 0.0;
    }
    double x = layer->kind == ASM_LAYER_BROKEN ? fmin(opening, 0.0) : opening;
    return 0.5 * area * layer->stiffness[i] * x * x;
}

// What row i of the layer of problem contact a did; the linear motion's change of energy to *linear.
static void row_work(const step_data *step, int32_t a, int32_t i, const double start[3],
                     const double end[3], double *linear, step_bond_work *work) {
    const asm_layer *layer = &step->assembled.layer[a];
    const asm_assemble_opts *opts = &step->opts;
    double area = step->bonds.bond[layer->bond].area, k = layer->stiffness[i];
    int64_t row = (int64_t)step->assembled.problem.dim * a + i;
    bool broken = layer->kind == ASM_LAYER_BROKEN;
    if (broken && (i > 0 || isinf(k))) {
        return; // friction, and shocks of rigid contacts: booked with those of contacts
    }
    double u0 = step->assembled.velocity_before[row],
           u1 = asm_row_after(&step->assembled, step->r, step->u, row), r = step->r[row];
    double way = end[i] - start[i];
    double change = row_energy(layer, area, i, end[i]) - row_energy(layer, area, i, start[i]);
    if (isinf(k)) {
        work->numerical -= 0.5 * (u0 + u1) * r;
        return;
    }
    *linear += change;
    if (broken && !(r > 0.0 && start[i] <= 0.0 && end[i] <= 0.0)) {
        work->numerical += -0.5 * (u0 + u1) * r - change; // it opens or closes on the way
        return;
    }
    work->numerical +=
        (opts->theta - 0.5) * (u1 - u0) * r + (layer->phi[i] - 0.5) * k * area * way * way;
    work->viscous += area * layer->viscosity * way * way / step->h;
}

step_bond_work step_bonds_work(const step_context *in, const step_data *step) {
    step_bond_work work = {.before = 0.0};
    const asm_bonds *bonds = &step->bonds;
    double run[2] = {0.0, 0.0}, linear = 0.0;
    for (int32_t b = 0; in->bonds && b < bonds->count; b++) {
        double start[3], end[3], before = in->state->damage[b];
        if (before >= MODEL_BOND_RELEASED) {
            continue;
        }
        asm_bond_opening(in->model, bonds, b, in->state->q, start);
        asm_bond_opening(in->model, bonds, b, step->q, end);
        double first = energy_of(bonds, b, step->damage[b], start),
               last = energy_of(bonds, b, step->damage[b], end);
        double own[2] = {energy_of(bonds, b, before, start),
                         energy_of(bonds, b, step->damage_end[b], end)};
        work.before += own[0];
        work.after += own[1];
        work.fracture += (own[0] - first) + (last - own[1]);
        run[0] += first;
        run[1] += last;
    }
    for (int32_t a = 0; step->assembled.layer && a < step->assembled.contacts; a++) {
        double start[3], end[3];
        if (step->assembled.layer[a].kind == ASM_LAYER_NONE) {
            continue;
        }
        asm_layer_ends(&step->assembled, &step->opts, a, step->r, step->u, start, end);
        for (int32_t i = 0; i < in->model->dim; i++) {
            row_work(step, a, i, start, end, &linear, &work);
        }
    }
    work.correction = (run[1] - run[0]) - linear;
    return work;
}

// ---- queries ----

int32_t cn_sim_bond_count(const cn_sim *sim) {
    return sim ? step_bonds_count(sim->bonds) : 0;
}

cn_status cn_sim_bond(const cn_sim *sim, int32_t index, cn_bond_record *out) {
    if (!sim || !out || index < 0 || index >= step_bonds_count(sim->bonds)) {
        return CN_ERR_ARGUMENT;
    }
    const asm_bond *bond = &sim->bonds->list.bond[index];
    *out = (cn_bond_record){.candidate = bond->candidate + 1,
                            .antagonist = bond->antagonist + 1,
                            .area = bond->area,
                            .damage = sim->state.damage[index]};
    asm_bond_place(sim->model, &sim->bonds->list, index, sim->state.q, out->normal, out->point,
                   out->opening);
    return CN_OK;
}
