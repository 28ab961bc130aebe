// body/fe/type.h
// What deformable bodies alike share: the matrices of their mesh and one factorisation of
//     M^ = M + h theta V + h^2 theta^2 K
// over the dofs that are not held, and the compliance of their surface.
//
// A cache finds the type of (mesh, material, plane, mass, h, theta, held dofs). Steps of another
// length have another type: released types stay for a while, so that a step that is halved and
// doubled again is factorised once.
//
// A type is not shared between threads at the same time: its solves use scratch of the type.
#ifndef CAIRN_BODY_FE_TYPE_H
#define CAIRN_BODY_FE_TYPE_H

#include "body/fe/operators.h"

// Up to so many free dofs the skyline factorisation is used, whose results are bitwise identical on
// every machine; above, the fastest one of the build.
#define FE_SKYLINE_DOFS_MAX 5000
#define FE_TYPES_UNUSED 2           // released types that a cache keeps
#define FE_COMPLIANCE_DOFS_MAX 3000 // of the surface, to condense them all at once
// Above, columns are solved when a contact first asks for them, so many together. A group of columns
// only depends on the type, so that their bits do not depend on what was asked for before.
#define FE_COLUMNS 30

typedef struct fe_type_key {
    const fe_mesh *mesh; // compared by address; must outlive the type
    fe_material material;
    fe_plane plane;
    fe_mass mass;
    double h, theta;     // h > 0 [s], theta in [1/2, 1]
    const uint8_t *held; // per dof: 1, its velocity is prescribed; NULL: none
} fe_type_key;

// C = P M^^-1 P' over the surface nodes: the velocity of one per impulse on another, dense, held
// dofs zero. Entry (dim*a + i, dim*b + j) is C[size * (dim*a + i) + dim*b + j], exactly symmetric;
// a, b count the surface nodes. Of a large surface C is NULL, and there are groups of columns instead,
// from the first row down to their own: the other triangle is its transpose.
typedef struct fe_compliance {
    int32_t dim, size; // dim * surface nodes
    int32_t *place;    // per node of the mesh: its number among the surface nodes, or -1
    double *C;
    int32_t group_nodes; // nodes of a group of columns
    double **group;      // NULL: not solved yet; rows of dim * group_nodes, fewer in the last
} fe_compliance;

// The block of two nodes: the response of `of` to an impulse on `to`, rows *stride apart. room: dim x
// dim numbers, for a block that is stored as its transpose. Both must have been asked for.
static inline const double *fe_compliance_block(const fe_compliance *c, int32_t of, int32_t to,
                                                double *room, int32_t *stride) {
    int32_t dim = c->dim, row = dim * c->place[of], column = dim * c->place[to];
    if (c->C) {
        *stride = c->size;
        return c->C + (int64_t)c->size * row + column;
    }
    int32_t low = row < column ? row : column, high = row < column ? column : row;
    int32_t per = dim * c->group_nodes, group = high / per, first = group * per;
    int32_t width = c->size - first < per ? c->size - first : per;
    const double *block = c->group[group] + (int64_t)width * low + (high - first);
    *stride = width;
    if (row <= column) {
        return block;
    }
    for (int32_t i = 0; i < dim; i++) {
        for (int32_t k = 0; k < dim; k++) {
            room[dim * i + k] = block[(int64_t)width * k + i];
        }
    }
    *stride = dim;
    return room;
}

typedef struct fe_type {
    fe_type_key key; // with its own copy of held, never NULL
    fe_operators ops;
    cn_csr A;                 // M^ over all dofs
    int32_t free;             // dofs not held
    int32_t *place;           // per dof: its number among the free ones, or -1
    fe_compliance compliance; // C NULL until fe_type_condense
    void *state;              // the factor; private to type.c
} fe_type;

typedef struct fe_types fe_types;
fe_types *fe_types_create(const cn_env *env); // NULL: no memory
void fe_types_destroy(fe_types *types);       // and all its types; NULL is allowed
// The type of a key, made when there is none; to be given back. CN_ERR_INPUT: the material, h or
// theta is not valid.
cn_status fe_types_get(fe_types *types, const fe_type_key *key, fe_type **out, cn_error *error);
void fe_types_release(fe_types *types, fe_type *type);
int32_t fe_types_count(const fe_types *types); // used and unused

// x := M^^-1 x on the free dofs, 0 on the others.
cn_status fe_type_solve(fe_type *type, double *x);
// Prepares the compliance once; later calls return at once. That of a small surface is all there
// then.
cn_status fe_type_condense(fe_type *type, cn_error *error);
// Of a large surface: the columns of a node, if they are not there yet.
cn_status fe_type_ask(fe_type *type, int32_t node, cn_error *error);

#endif
