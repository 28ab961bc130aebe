// cairn/body.h
// Bodies as they are described and as a model knows them. Lengths [m], masses [kg], angles [rad];
// in 2D mass and inertia are per metre of depth, and the third number of a vector is ignored.
#ifndef CAIRN_BODY_H
#define CAIRN_BODY_H

#include <cairn/shape.h>
#include <cairn/source.h>

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
    cn_source source;
} cn_body_def;

CN_API cn_body_def cn_body_def_default(void);

// What a body has become. Texts live as long as the model.
typedef struct cn_body_info {
    const char *name, *material; // name is "" when none was given
    const char *kind; // "rigid", "fixed", "driven", "lagrangian" or "first-order", as in a run file
    double mass, com[3]; // com in the body's own frame
    int32_t shape_count;
    double bound;     // [m] radius of a sphere round the centre of mass; infinite with a plane
    double inradius;  // [m] smallest half extent of its largest shape; infinite with a plane
    cn_source source; // where it was described; line 0: nowhere
} cn_body_info;

#ifdef __cplusplus
}
#endif
#endif
