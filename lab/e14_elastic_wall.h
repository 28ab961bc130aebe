// lab/e14_elastic_wall.h
// E14 in two files: what is simulated and measured, and what is drawn.
#ifndef CAIRN_LAB_E14_ELASTIC_WALL_H
#define CAIRN_LAB_E14_ELASTIC_WALL_H

#include "lab/experiments.h"

#define E14_COURSES 12
#define E14_BRICKS 12
#define E14_WIDTH 0.1   // [m] of a block
#define E14_HEIGHT 0.05 // [m]
#define E14_GRAVITY 9.81

// A moment of a simulation in 2D: poses, nodes, contacts.
typedef struct e14_moment {
    const cn_model *model;
    double t, h;
    double *q, *x; // 3 a body, 2 a node of all
    cn_contact_record *contacts;
    int32_t count;
} e14_moment;
bool e14_take(const cn_sim *sim, e14_moment *out); // out is freed first
void e14_moment_free(e14_moment *moment);

// With the ground, between courses, within one.
typedef enum e14_joint { E14_GROUND, E14_BED, E14_HEAD } e14_joint;
e14_joint e14_joint_of(const cn_contact_record *contact);

typedef struct e14_sums {
    double force[3]; // [N] normal, of each kind of joint
    double lateral;  // [N] of the ground on the wall
    double m_xx, m_yy, tension;
    int32_t contacts, pressed, slides[3];
} e14_sums;

// Moment stresses times area, 4 a body by rows; to be freed.
double *e14_moments(const e14_moment *at);

typedef struct e14_principal {
    double value[2]; // the larger first
    double angle;    // of its direction
} e14_principal;
e14_principal e14_principal_of(double xx, double yy, double xy);

// Forces over the weight.
typedef struct e14_curve {
    point_series ground, heads;
} e14_curve;

typedef struct e14_figures {
    e14_moment start, loaded, later, solid, shaken;
    double *stress; // of the elements of the wall in one piece, 6 each
    e14_curve loading, resting;
} e14_figures;

// The wall of blocks with common nodes: body 2, the ground being body 1.
cn_status e14_make_solid(cn_model **out, cn_error *error);
void e14_draw(reproduction *lab, trial_result *result, const e14_figures *figures);

#endif
