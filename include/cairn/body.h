// cairn/body.h
// Bodies as they are described and as a model knows them. Lengths [m], masses [kg], angles [rad];
// in 2D mass and inertia are per metre of depth, and the third number of a vector is ignored.
#ifndef CAIRN_BODY_H
#define CAIRN_BODY_H

#include <cairn/shape.h>
#include <cairn/signal.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t cn_body_id; // counts from 1 in scene order; 0 is "none"

enum { // degrees of freedom held, for cn_body_def.lock
    CN_LOCK_TX = 1,
    CN_LOCK_TY = 2,
    CN_LOCK_TZ = 4,
    CN_LOCK_RX = 8,
    CN_LOCK_RY = 16,
    CN_LOCK_RZ = 32
};

// ---- deformable bodies ----

typedef enum cn_mesh_kind {
    CN_MESH_BOX,
    CN_MESH_DISK,
    CN_MESH_GIVEN,
    CN_MESH_SPHERE,
    CN_MESH_CYLINDER // a disk extruded along z
} cn_mesh_kind;

// A named part of the surface of a given mesh: its nodes, counted from 0.
typedef struct cn_node_group {
    const char *name;
    const int32_t *node;
    int32_t count;
} cn_node_group;

typedef struct cn_mesh_def {
    cn_mesh_kind kind;
    const char *element; // "t3", "t6", "q4", "q4-plain", "q8", "tet4", "tet10", "h8", "h8-plain";
                         // NULL: q4 or h8
    double size[3];   // box: full edge lengths, centred at the body's origin; cylinder: [2] length
    int32_t cells[3]; // box: in each direction; disk, cylinder, sphere: [0] edges on a quarter of
                      // the circle; cylinder: [2] layers
    const char *pattern; // box of triangles, tetrahedra: "diagonal", "union-jack", "crossed"; NULL:
                         // diagonal
    double radius;       // disk, sphere, cylinder
    const double *nodes; // given: dim numbers each, in the body's own frame
    int32_t node_count;
    const int32_t *elements; // given: nodes of each, as Gmsh and VTK number them
    int32_t element_count;
    const cn_node_group *groups; // given
    int32_t group_count;
} cn_mesh_def;

// Small strain in axes that turn with the body, or that stay as placed: then the body must not turn.
// auto: small where nodes are held along some axes only, else corotational.
typedef enum cn_strain { CN_STRAIN_AUTO, CN_STRAIN_COROTATIONAL, CN_STRAIN_SMALL } cn_strain;
typedef enum cn_plane { CN_PLANE_STRAIN, CN_PLANE_STRESS } cn_plane;
// What stands for the surface in contacts: its nodes against rigid bodies and dual mortar rows
// between deformable ones; or the midpoints of edges and of overlaps (2D).
typedef enum cn_candidates { CN_CANDIDATES_NODES, CN_CANDIDATES_MIDPOINTS } cn_candidates;

enum { CN_AXIS_X = 1, CN_AXIS_Y = 2, CN_AXIS_Z = 4 };

// Nodes of a group follow a displacement along some axes, those of the body's own frame as placed;
// a displacement of zero holds them.
typedef struct cn_node_drive {
    const char *group;
    uint32_t axes;              // CN_AXIS_...
    cn_signal_def displacement; // [m] along each of them, from where the node is placed
    cn_source source;
} cn_node_drive;

typedef struct cn_pressure_def {
    const char *group;
    cn_signal_def value; // [Pa] against the outward normal of the undeformed face, turned with the
                         // body
    cn_source source;
} cn_pressure_def;

typedef struct cn_deformable_def {
    cn_mesh_def mesh;
    cn_strain strain;
    cn_plane plane;
    cn_candidates candidates;
    bool consistent_mass; // false: lumped
    bool quasi_static;    // without inertia; needs theta = 1
    const cn_node_drive *drives;
    int32_t drive_count;
    const cn_pressure_def *pressures;
    int32_t pressure_count;
} cn_deformable_def;

typedef struct cn_body_def {
    const char *name; // may be NULL
    int32_t material; // from cn_model_add_material
    bool fixed;
    double position[3], orientation[4]; // of the body's own frame
    double angle;                       // 2D
    double velocity[3];                 // of the centre of mass
    double angular_velocity[3];         // world axes; 2D: [2]
    uint32_t lock;
    bool lock_body_axes;
    double mass;       // NaN: from density and shape
    double inertia[9]; // about the centre of mass, body axes, by rows; [0] NaN: from the shape,
                       // scaled to the mass; 2D: [8]
    double com[3];     // centre of mass in the body's own frame; [0] NaN: from the shape
    const cn_shape_def *shapes;
    int32_t shape_count;
    const cn_deformable_def *deformable; // NULL: rigid; then neither shapes, mass nor locks
    cn_source source;
} cn_body_def;

CN_API cn_body_def cn_body_def_default(void);

// What a body has become. Texts live as long as the model.
typedef struct cn_body_info {
    const char *name, *material; // name is "" when none was given
    // "rigid", "fixed", "driven", "deformable", "lagrangian" or "first-order", as in a run file;
    // "removed" of a body that was (cairn/act.h)
    const char *kind;
    double mass, com[3]; // com in the body's own frame
    int32_t shape_count;
    double bound;     // [m] radius of a sphere round the centre of mass; infinite with a plane
    double inradius;  // [m] smallest half extent of its largest shape; infinite with a plane
    cn_source source; // where it was described; line 0: nowhere
    int32_t material_index;
    double inertia[9]; // about the centre of mass, body axes, by rows; 2D: [8]
    uint32_t lock;
    bool lock_body_axes;
    // At the start: of its own frame, and the velocity of the centre of mass; 2D: angle and [2].
    double position[3], orientation[4], angle;
    double velocity[3], angular_velocity[3];
} cn_body_info;

#ifdef __cplusplus
}
#endif
#endif
