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
#define FE_COMPLIANCE_DOFS_MAX 3000 // of the surface, to condense them all

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
// a, b count the surface nodes.
typedef struct fe_compliance {
    int32_t size;   // dim * surface nodes
    int32_t *place; // per node of the mesh: its number among the surface nodes, or -1
    double *C;
} fe_compliance;

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
// Fills the compliance once; later calls return at once. CN_ERR_UNSUPPORTED: too large a surface.
cn_status fe_type_condense(fe_type *type, cn_error *error);

#endif
