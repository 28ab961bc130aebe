// The operator of contacts on weighted nodes of deformable bodies, gathered from their compliance:
// against a condensation of the whole system, and in a stack that stands.
#include "check.h"

#include "assemble/gather.h"
#include "failing_allocator.h"
#include "fe_bodies.h"
#include "figures.h"
#include "sparse/csr.h"

#include <cairn/solve.h>

static const fe_material rubber = {.density = 2.0, .young = 50.0, .poisson = 0.3};

// Three bodies that answer (deformable turned, deformable, rigid) and one that does not, with
// random contacts between them; entries of one body stand together.
typedef struct jumble {
    fe_mesh mesh[2];
    fe_type *type[2];
    asm_body body[4];
    asm_rows rows;
    double turn[9], inverse[36];
    int32_t first[5]; // of each body's velocities
} jumble;

static void random_rotation(base_rng *rng, int32_t dim, double *R) {
    double a = base_rng_uniform(rng, 0.0, 6.0), b = base_rng_uniform(rng, 0.0, 6.0);
    if (dim == 2) {
        const double flat[4] = {cos(a), -sin(a), sin(a), cos(a)};
        memcpy(R, flat, sizeof flat);
        return;
    }
    const double solid[9] = {cos(a) * cos(b), -sin(a), cos(a) * sin(b),
                             sin(a) * cos(b), cos(a),  sin(a) * sin(b),
                             -sin(b),         0.0,     cos(b)};
    memcpy(R, solid, sizeof solid);
}

static void random_rows(cn_arena *memory, base_rng *rng, jumble *j) {
    const int32_t contacts = 14, dim = j->rows.dim, square = dim * dim;
    double *frame = BASE_TAKE(memory, double, contacts *square);
    int64_t *start = BASE_TAKE_ZERO(memory, int64_t, contacts + 1), filled = 0;
    asm_entry *entry = BASE_TAKE(memory, asm_entry, contacts * 6);
    for (int32_t a = 0; a < contacts; a++) {
        random_rotation(rng, dim, frame + square * a);
        int32_t low = base_rng_below(rng, 3), high = low + 1 + base_rng_below(rng, 3 - low);
        const int32_t sides[2] = {low, high};
        for (int s = 0; s < 2; s++) {
            int32_t count = sides[s] < 2 ? 1 + base_rng_below(rng, 3) : 1;
            for (int32_t k = 0; k < count; k++) {
                asm_entry *e = entry + filled++;
                *e = (asm_entry){.body = sides[s], .node = -1, .weight = s ? 1.0 : -1.0};
                if (sides[s] < 2) {
                    const fe_mesh *mesh = j->mesh + sides[s];
                    e->node = mesh->surface_node[base_rng_below(rng, mesh->surface_nodes)];
                    e->weight *= base_rng_uniform(rng, -0.2, 1.0);
                }
                for (int32_t i = 0; i < dim; i++) {
                    e->arm[i] = base_rng_uniform(rng, -0.4, 0.4);
                }
            }
        }
        start[a + 1] = filled;
    }
    j->rows.contacts = contacts;
    j->rows.frame = frame;
    j->rows.start = start;
    j->rows.entry = entry;
}

static void make_jumble(cn_arena *memory, fe_types *types, int32_t dim, jumble *j) {
    static const char *const kinds[2][2] = {{"t3", "q4"}, {"tet4", "h8"}};
    int32_t rigid = dim == 2 ? 3 : 6;
    base_rng rng = base_rng_seed(41);
    memset(j, 0, sizeof *j);
    for (int b = 0; b < 2; b++) {
        j->mesh[b] =
            make_box(memory, kinds[dim - 2][b], 1.0, 0.6, 0.5, 3, 2 + b, 2, FE_PATTERN_UNION_JACK);
        fe_type_key key = {.mesh = j->mesh + b, .material = rubber, .h = 0.1, .theta = 0.5};
        assert_int_equal(fe_types_get(types, &key, j->type + b, NULL), CN_OK);
        assert_int_equal(fe_type_condense(j->type[b], NULL), CN_OK);
        j->body[b].compliance = &j->type[b]->compliance;
        j->first[b + 1] = j->first[b] + j->type[b]->ops.dofs;
    }
    random_rotation(&rng, dim, j->turn);
    j->body[0].turn = j->turn;
    for (int32_t i = 0; i < rigid; i++) {
        j->inverse[(rigid + 1) * i] = 0.3 + 0.1 * i;
    }
    j->body[2].inverse = j->inverse;
    j->first[3] = j->first[2] + rigid;
    j->first[4] = j->first[3];
    j->rows = (asm_rows){.dim = dim, .bodies = 4, .body = j->body};
    random_rows(memory, &rng, j);
}

// Velocity of a point in direction n, per velocity of its body: written down entry by entry.
static void global_column(const jumble *j, int32_t a, int32_t c, double *column) {
    int32_t dim = j->rows.dim;
    const double *n = j->rows.frame + dim * dim * a + dim * c;
    for (int64_t k = j->rows.start[a]; k < j->rows.start[a + 1]; k++) {
        const asm_entry *e = j->rows.entry + k;
        double *v = column + j->first[e->body] + (e->node >= 0 ? dim * e->node : 0);
        if (e->body == 3) {
            continue;
        }
        for (int32_t i = 0; i < dim; i++) {
            for (int32_t w = 0; w < dim; w++) {
                double turn = e->body == 0 ? j->turn[dim * w + i] : (w == i ? 1.0 : 0.0);
                v[i] += e->weight * n[w] * turn;
            }
        }
        if (e->body == 2 && dim == 2) {
            v[2] += e->weight * (e->arm[0] * n[1] - e->arm[1] * n[0]);
        }
        for (int32_t i = 0; e->body == 2 && dim == 3 && i < 3; i++) {
            int32_t p = (i + 1) % 3, q = (i + 2) % 3;
            v[3 + i] += e->weight * (e->arm[p] * n[q] - e->arm[q] * n[p]);
        }
    }
}

// The whole system: M^ of all bodies and H by its columns.
static cn_friction_global global_problem(cn_arena *memory, const jumble *j, double *q, double *mu) {
    int32_t dofs = j->first[4], m = j->rows.dim * j->rows.contacts;
    int64_t room = (int64_t)dofs * m, count = 0;
    for (int b = 0; b < 2; b++) {
        room += j->type[b]->A.start[j->type[b]->ops.dofs];
    }
    int32_t *row = BASE_TAKE(memory, int32_t, room), *at = BASE_TAKE(memory, int32_t, room);
    double *value = BASE_TAKE(memory, double, room), *column = BASE_TAKE(memory, double, dofs);
    cn_friction_global g = {.dim = j->rows.dim, .contacts = j->rows.contacts, .dofs = dofs};
    for (int b = 0; b < 2; b++) {
        const cn_csr *A = &j->type[b]->A;
        for (int32_t i = 0; i < A->rows; i++) {
            for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
                row[count] = j->first[b] + i;
                at[count] = j->first[b] + A->column[k];
                value[count++] = A->value[k];
            }
        }
    }
    int32_t rigid = j->first[3] - j->first[2];
    for (int32_t i = 0; i < rigid; i++) {
        row[count] = at[count] = j->first[2] + i;
        value[count++] = 1.0 / j->inverse[(rigid + 1) * i];
    }
    sparse_csr_from_triplets(memory, dofs, dofs, count, row, at, value, &g.M);
    count = 0;
    for (int32_t c = 0; c < m; c++) {
        memset(column, 0, sizeof *column * (size_t)dofs);
        global_column(j, c / j->rows.dim, c % j->rows.dim, column);
        for (int32_t i = 0; i < dofs; i++) {
            if (column[i] != 0.0) {
                row[count] = i;
                at[count] = c;
                value[count++] = column[i];
            }
        }
    }
    sparse_csr_from_triplets(memory, dofs, m, count, row, at, value, &g.H);
    g.f = BASE_TAKE_ZERO(memory, double, dofs);
    g.w = q;
    g.mu = mu;
    return g;
}

CN_TEST(gathered_operator_is_the_condensed_one) {
    figures f = {0};
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_arena *memory = cn_arena_create(NULL);
        fe_types *types = fe_types_create(NULL);
        jumble j;
        make_jumble(memory, types, dim, &j);
        int32_t m = dim * j.rows.contacts;
        double *q = BASE_TAKE(memory, double, m), *r = BASE_TAKE(memory, double, m);
        double *mu = BASE_TAKE(memory, double, j.rows.contacts);
        double *u = BASE_TAKE(memory, double, m), *want = BASE_TAKE(memory, double, m);
        base_rng rng = base_rng_seed(43);
        for (int32_t i = 0; i < m; i++) {
            q[i] = base_rng_uniform(&rng, -1.0, 1.0);
            mu[i / dim] = 0.5;
        }
        cn_friction_global g = global_problem(memory, &j, q, mu);
        cn_friction got, condensed;
        cn_error error = {0};
        assert_int_equal(asm_gather(&j.rows, q, mu, memory, &got), CN_OK);
        assert_int_equal(cn_friction_validate(&got, &error), CN_OK);
        assert_int_equal(cn_friction_condense(&g, memory, &condensed, &error), CN_OK);
        double off = 0.0, size = 0.0, diagonal = 0.0;
        for (int32_t c = 0; c < m; c++) {
            memset(r, 0, sizeof *r * (size_t)m);
            r[c] = 1.0;
            cn_friction_velocity(&got, r, NULL, u);
            cn_friction_velocity(&condensed, r, NULL, want);
            for (int32_t i = 0; i < m; i++) {
                off = fmax(off, fabs(u[i] - want[i]));
                size = fmax(size, fabs(want[i] - q[i]));
            }
        }
        for (int32_t i = 0; i < dim * m; i++) {
            diagonal = fmax(diagonal, fabs(got.W.diagonal[i] - condensed.W.diagonal[i]));
        }
        figure_below(&f, 1e-14, off / size, "%dD: W", dim);
        figure_below(&f, 1e-14, diagonal / size, "%dD: diagonal", dim);
        // Exactly symmetric.
        cn_csr W;
        cn_csr transposed;
        const cn_bsr *blocks = &got.W.assembled;
        for (int64_t k = 0; k < blocks->start[blocks->block_rows]; k++) {
            CN_CHECK_TRUE(isfinite(blocks->value[k]));
        }
        int64_t entries = 0;
        int32_t *row = BASE_TAKE(memory, int32_t, (int64_t)m * m);
        int32_t *column = BASE_TAKE(memory, int32_t, (int64_t)m * m);
        double *value = BASE_TAKE(memory, double, (int64_t)m *m);
        for (int32_t a = 0; a < blocks->block_rows; a++) {
            for (int64_t k = blocks->start[a]; k < blocks->start[a + 1]; k++) {
                for (int32_t e = 0; e < dim * dim; e++) {
                    row[entries] = dim * a + e % dim;
                    column[entries] = dim * blocks->column[k] + e / dim;
                    value[entries++] = blocks->value[dim * dim * k + e];
                }
            }
        }
        sparse_csr_from_triplets(memory, m, m, entries, row, column, value, &W);
        sparse_csr_transpose(memory, &W, &transposed);
        CN_CHECK_TRUE(memcmp(W.value, transposed.value, sizeof(double) * (size_t)entries) == 0);
        fe_types_destroy(types);
        cn_arena_destroy(memory);
    }
    figures_check(&f);
}

// r . u(v) = sum v . p(r): the two maps are transposes of one another.
CN_TEST(velocity_and_impulse_maps_are_adjoint) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        cn_arena *memory = cn_arena_create(NULL);
        fe_types *types = fe_types_create(NULL);
        jumble j;
        make_jumble(memory, types, dim, &j);
        int32_t m = dim * j.rows.contacts, dofs = j.first[4];
        double *v = BASE_TAKE(memory, double, dofs), *p = BASE_TAKE_ZERO(memory, double, dofs);
        double *r = BASE_TAKE(memory, double, m), *u = BASE_TAKE(memory, double, m);
        base_rng rng = base_rng_seed(47);
        for (int32_t i = 0; i < dofs; i++) {
            v[i] = base_rng_uniform(&rng, -1.0, 1.0);
        }
        for (int32_t i = 0; i < m; i++) {
            r[i] = base_rng_uniform(&rng, -1.0, 1.0);
        }
        const double *velocity[4] = {v, v + j.first[1], v + j.first[2], NULL};
        double *impulse[4] = {p, p + j.first[1], p + j.first[2], NULL};
        asm_velocity(&j.rows, velocity, u);
        asm_impulse(&j.rows, r, impulse);
        double of_contacts = 0.0, of_bodies = 0.0;
        for (int32_t i = 0; i < m; i++) {
            of_contacts += r[i] * u[i];
        }
        for (int32_t i = 0; i < dofs; i++) {
            of_bodies += v[i] * p[i];
        }
        CN_CHECK_NEAR(of_contacts, of_bodies, 1e-13);
        fe_types_destroy(types);
        cn_arena_destroy(memory);
    }
}

CN_TEST(no_contacts_give_an_empty_operator) {
    cn_arena *memory = cn_arena_create(NULL);
    const int64_t start[1] = {0};
    asm_rows rows = {.dim = 3, .start = start};
    cn_friction p;
    assert_int_equal(asm_gather(&rows, NULL, NULL, memory, &p), CN_OK);
    assert_int_equal(p.contacts, 0);
    assert_int_equal(cn_friction_validate(&p, NULL), CN_OK);
    cn_arena_destroy(memory);
}

CN_TEST(every_allocation_of_a_gather_may_fail) {
    cn_arena *own = cn_arena_create(NULL);
    fe_types *types = fe_types_create(NULL);
    jumble j;
    make_jumble(own, types, 3, &j);
    double q[3 * 14] = {0.0}, mu[14] = {0.0};
    for (int64_t k = 1;; k++) {
        cn_failing memory;
        cn_env env = cn_failing_env(&memory, k);
        cn_arena *arena = cn_arena_create(&env);
        cn_friction p;
        cn_status status = arena ? asm_gather(&j.rows, q, mu, arena, &p) : CN_ERR_MEMORY;
        cn_arena_destroy(arena);
        CN_CHECK_TRUE(memory.live == 0);
        CN_CHECK_TRUE(status == (memory.failed ? CN_ERR_MEMORY : CN_OK));
        if (!memory.failed) {
            CN_CHECK_TRUE(k > 3);
            break;
        }
    }
    fe_types_destroy(types);
    cn_arena_destroy(own);
}

// ---- a stack that stands ----

// A column of elastic blocks of n x n cells on a fixed floor: nodes of a block's bottom against the
// nodes of the top below them, which lie at the same places.
enum { BLOCKS = 3, CELLS = 3 };

typedef struct stack {
    fe_mesh mesh;
    fe_type *type;
    fe_body block[BLOCKS];
    asm_body body[BLOCKS + 1]; // the floor is the last
    asm_rows rows;
    double q[2 * BLOCKS * (CELLS + 1)], r[2 * BLOCKS * (CELLS + 1)], mu[BLOCKS * (CELLS + 1)];
} stack;

static void make_stack(cn_arena *memory, fe_types *types, double size, double h, stack *s) {
    s->mesh = make_box(memory, "q4", size, size, 0, CELLS, CELLS, 0, FE_PATTERN_DIAGONAL);
    fe_material material = {.density = 2000.0, .young = 1e7, .poisson = 0.3};
    fe_type_key key = {.mesh = &s->mesh, .material = material, .h = h, .theta = 1.0};
    assert_int_equal(fe_types_get(types, &key, &s->type, NULL), CN_OK);
    assert_int_equal(fe_type_condense(s->type, NULL), CN_OK);
    const double gravity[2] = {0.0, -9.81};
    int32_t contacts = BLOCKS * (CELLS + 1);
    double *frame = BASE_TAKE(memory, double, 4 * contacts);
    int64_t *start = BASE_TAKE_ZERO(memory, int64_t, contacts + 1);
    asm_entry *entry = BASE_TAKE_ZERO(memory, asm_entry, 2 * contacts);
    const fe_group *bottom = group_of(&s->mesh, "bottom"), *top = group_of(&s->mesh, "top");
    for (int b = 0; b < BLOCKS; b++) {
        assert_int_equal(fe_body_create(memory, s->type, true, s->block + b, NULL), CN_OK);
        fe_add_gravity(&s->mesh, &s->type->ops, gravity, s->block[b].load);
        s->body[b].compliance = &s->type->compliance;
        for (int k = 0; k <= CELLS; k++) {
            int a = (CELLS + 1) * b + k;
            const double axes[4] = {0.0, 1.0, -1.0, 0.0};
            memcpy(frame + 4 * a, axes, sizeof axes);
            asm_entry upper = {.body = b, .node = bottom->node[k], .weight = 1.0};
            asm_entry lower = {.body = b ? b - 1 : BLOCKS, .node = -1, .weight = -1.0};
            lower.node = b ? top->node[k] : -1;
            entry[2 * a] = b ? lower : upper;
            entry[2 * a + 1] = b ? upper : lower;
            start[a + 1] = 2 * (a + 1);
            s->mu[a] = 0.5;
        }
    }
    s->rows = (asm_rows){.dim = 2,
                         .contacts = contacts,
                         .bodies = BLOCKS + 1,
                         .body = s->body,
                         .frame = frame,
                         .start = start,
                         .entry = entry};
}

// One quasi-static step with the gap law, u_N + gap / h >= 0; gaps are those of displacements.
static void step_stack(stack *s, double h) {
    const double *velocity[BLOCKS + 1] = {NULL}, *displacement[BLOCKS + 1] = {NULL};
    double *impulse[BLOCKS + 1] = {NULL}, gap[2 * BLOCKS * (CELLS + 1)];
    cn_arena *memory = cn_arena_create(NULL), *scratch = cn_arena_create(NULL);
    for (int b = 0; b < BLOCKS; b++) {
        assert_int_equal(fe_body_free_velocity(s->block + b), CN_OK);
        velocity[b] = s->block[b].v_free;
        displacement[b] = s->block[b].u;
        impulse[b] = s->block[b].impulse;
    }
    asm_velocity(&s->rows, velocity, s->q);
    asm_velocity(&s->rows, displacement, gap);
    for (int32_t a = 0; a < s->rows.contacts; a++) {
        s->q[2 * a] += gap[2 * a] / h;
    }
    cn_friction p;
    assert_int_equal(asm_gather(&s->rows, s->q, s->mu, memory, &p), CN_OK);
    const cn_friction_solver *solver = cn_friction_solver_find("nsgs");
    cn_solve_opts opts = cn_solve_opts_default(&solver->info);
    opts.tolerance = 1e-12;
    cn_solve_report report;
    cn_error error;
    assert_int_equal(cn_friction_solve(&p, solver, &opts, scratch, s->r, NULL, &report, &error),
                     CN_OK);
    CN_CHECK_TRUE(report.outcome == CN_SOLVED);
    asm_impulse(&s->rows, s->r, impulse);
    for (int b = 0; b < BLOCKS; b++) {
        assert_int_equal(fe_body_integrate(s->block + b), CN_OK);
    }
    cn_arena_destroy(scratch);
    cn_arena_destroy(memory);
}

// The floor carries the weight at every scale; every joint what lies above it; the mean stress of a
// block is that of a column, half of its own weight and all above over its width.
CN_TEST(stack_stands_at_any_scale) {
    figures f = {0};
    for (int power = 0; power >= -3; power--) {
        cn_arena *memory = cn_arena_create(NULL);
        fe_types *types = fe_types_create(NULL);
        double size = pow(10.0, power), h = 1.0 * size;
        stack s = {0};
        make_stack(memory, types, size, h, &s);
        for (int n = 0; n < 25; n++) {
            step_stack(&s, h);
        }
        double weight = 2000.0 * 9.81 * size * size;
        double *stress = BASE_TAKE(memory, double, 6 * s.mesh.elements);
        for (int b = 0; b < BLOCKS; b++) {
            double normal = 0.0, tangential = 0.0, mean = 0.0;
            for (int k = 0; k <= CELLS; k++) {
                normal += s.r[2 * ((CELLS + 1) * b + k)] / h;
                tangential += s.r[2 * ((CELLS + 1) * b + k) + 1] / h;
            }
            figure_below(&f, 1e-9, fabs(normal / weight - (BLOCKS - b)), "scale %g: force below %d",
                         size, b);
            figure_below(&f, 1e-9, fabs(tangential / weight), "scale %g: shear below %d", size, b);
            fe_stresses(&s.mesh, &s.type->key.material, FE_PLANE_STRAIN, s.block[b].u, stress);
            for (int32_t e = 0; e < s.mesh.elements; e++) {
                mean += stress[6 * e + 1] / s.mesh.elements;
            }
            double column = -(BLOCKS - b - 0.5) * weight / size;
            figure_below(&f, 1e-9, fabs(mean / column - 1.0), "scale %g: mean stress of %d", size,
                         b);
        }
        fe_types_destroy(types);
        cn_arena_destroy(memory);
    }
    figures_check(&f);
}
