// check/check.h
// The check of a run file, as the files of this room share it. Nothing of detect, assemble, solve
// or step takes part: what the run did is recomputed here from its scene and its frames.
#ifndef CAIRN_CHECK_CHECK_H
#define CAIRN_CHECK_CHECK_H

#include <cairn/check.h>

#include "record/run.h"

#include "model/model.h"

// Identities hold to this share of their largest term: round-off, with room for many terms.
#define CHECK_ROUND 1e-9
// Of the largest energy or work of the run: where all has come to rest, coordinates still round.
#define CHECK_PEAK 1e-14

// A frame as the file has it, and what follows from it. Arrays of bodies as in the model (poses of
// centres of mass); NULL: the file has none.
typedef struct check_frame {
    int64_t step;
    double t, start, h; // h NaN: no evidence of its step
    int32_t limited;
    char hash[REC_HASH_TEXT]; // as recorded
    double *q, *v;            // as recorded: poses of the bodies' own frames
    double *end;              // poses of the centres of mass
    double *v_before, *v_after, *projection, *load;
    uint8_t *asleep;
    double gravity[3], friction; // as steered
    bool steered, by_hand;       // gravity or friction; or loads that are not the scene's
    bool jumped;                 // since the frame before the state was set from outside
    bool cut;                    // this is the last part of the step
    double *middle, *v_new;      // q~, and the velocities after the impulses there
    double *v_free;              // v_before with the given forces
    double *impulse;             // 6 each: what contacts and joints gave, about the centre of mass
    double *scale;               // 2 each: sums of the magnitudes of linear and angular terms
    // contacts
    bool has_contacts;
    int32_t contacts, sleeping;
    cn_contact_record *contact;
    double *arm;  // 6 each: to the antagonist's and the candidate's side
    bool *early;  // takes part before it touches
    bool *active; // takes part
    bool shifted; // frame changes were recorded
    // joints
    bool has_joints;
    double *value, *rate, *joint_impulse, *effort, *rows, *gauge_start, *angle, *settled;
    // deformable bodies: places of their nodes, dim each, at the end of the step, at q~ and at the
    // start; parts of the sides of contacts. v, v_before, v_new and v_free hold the nodes' as well.
    double *x, *x_middle, *x_start;
    int32_t *part_start, *part_body, *part_node; // part_start NULL: there are none
    double *part_weight;
    // sums of the residual
    double error, pressing, all, lever, r_square;
    double round; // square of what round-off of places may add to the error
    bool presses;
    int64_t row_count;
} check_frame;

typedef struct check_path check_path;               // check/path.c
typedef struct check_acts check_acts;               // check/acts.c
typedef struct check_deformables check_deformables; // check/deformable.h

typedef struct check_checking {
    cn_run *run;
    const cn_model *model;   // NULL: none
    base_evaluator *signals; // of the model
    cn_run_grade *grade;
    cn_error *error;
    cn_arena *memory; // for the whole check
    cn_arena *frame_memory, *last_memory;
    bool stepped;    // bodies under a scheme of one problem per step: its equations are checked
    bool stabilised; // under that scheme
    check_deformables *deformables; // NULL: there are none
    struct check_bonds *bonds;      // check/bonds.h; NULL: there are none
    double theta;
    double peak;             // largest energy or work of a row of the ledger [J]
    int64_t first_command;   // step of the first event of a person or a program; INT64_MAX: none
    check_acts *acts;        // NULL: there is no scene
    check_frame frame, last; // last.step -1: there is none
    bool has_last;
    check_path *path;   // NULL: there is none to follow
    cn_step_report row; // of the ledger at the frame's step
    bool has_row;
    bool memory_out; // something could not be looked at: there is no answer
} check_checking;

// ---- findings (check/finding.c) ----

void check_find(check_checking *check, const char *table, int64_t step, double value,
                double allowed, const char *format, ...) CN_PRINTF(6, 7);
void check_missing(check_checking *check, const char *format, ...) CN_PRINTF(2, 3);

// The worst of many measurements: the largest value over what is allowed; NaN is worse than all.
typedef struct check_worst {
    double value, allowed;
    int64_t where;
    bool any;
} check_worst;
void check_worst_add(check_worst *worst, double value, double allowed, int64_t where);
// Notes it in the grade; true: it is beyond what is allowed.
bool check_worst_note(check_checking *check, cn_check_kind kind, const check_worst *worst,
                      int64_t step);
// Notes it, and finds what is beyond: "text (name where)". kind CN_CHECK_KINDS: not in the grade.
void check_worst_find(check_checking *check, cn_check_kind kind, const check_worst *worst,
                      const char *table, const char *text, const char *name);

// ---- parts ----

// Whether a table has a column. (check/rows.c)
bool check_has(check_checking *check, const char *table, const char *column);
// Hashes of rows, numbers, counts, times; the ledger with its balance. (check/rows.c)
cn_status check_ledger_rows(check_checking *check);
cn_status check_ledger(check_checking *check);
// Bodies of the file against those of the scene. (check/bodies.c)
cn_status check_bodies(check_checking *check);
// Reads a frame with its contacts and joints; *usable: its sizes are right and its numbers finite.
// (check/frame.c)
cn_status check_read_frame(check_checking *check, int64_t step, bool *usable);
// The numbers of a blob; count: how many there must be. NULL: there are none or they are wrong,
// which is found.
double *check_read_numbers(check_checking *check, io_statement *select, int32_t column,
                           int64_t count, const char *table, const char *name);
// Reads the row of the frame's step in a table; *there: whether there is one. old: what files of
// older versions are asked; NULL: they have no such table. read returns whether all is sound.
typedef bool check_row_fn(check_checking *check, io_statement *select);
cn_status check_read_row(check_checking *check, const char *table, const char *sql, const char *old,
                         check_row_fn *read, bool *there, bool *sound);
// Poses and velocities: from them q~ and the velocities there; fixed and driven bodies, the way
// from the frame before. (check/motion.c)
void check_middle(check_checking *check);
void check_motion(check_checking *check);
// Whether steps of this run may have been cut.
bool check_may_be_cut(const check_checking *check, int64_t step);
// The way from the frame before: rows of the ledger up to this one, then the frame. (check/path.c)
bool check_path_prepare(check_checking *check);
void check_path_start(check_checking *check, double kinetic);
void check_path_row(check_checking *check, const cn_step_report *row);
void check_path_to(check_checking *check);
// Given forces, contacts, joints; then the balance of each body. (check/momentum.c)
void check_loads(check_checking *check);
double check_mean_signal(const check_checking *check, const base_signal *signal);
void check_momentum(check_checking *check);
// The force or torque of a motor that is given one, as a mean over the step; else 0.
double check_motor_force(const check_checking *check, const model_joint *joint);
void check_give_impulse(check_frame *frame, int32_t body, const double arm[3],
                        const double impulse[3], double sign);
// (check/contacts.c)
void check_contact_rows(check_checking *check);
void check_recorded_law(check_checking *check); // with the recorded shifts alone
void check_residual(check_checking *check);
// (check/joints.c)
void check_joints(check_checking *check);
// Force, and torque about the joint's point, that a joint gave its second body as means over the
// step, with all that it has; scale: of their terms.
void check_joint_wrench(const check_checking *check, int32_t joint, double force[3],
                        double torque[3], double *scale);
// (check/geometry.c, check/pairs.c)
void check_geometry(check_checking *check);
void check_missed_pairs(check_checking *check);
// What a program did to the run, read from its events; the values of the inputs that signals see,
// and those at a step put there: whether they are not those of the start; whether the state was set
// before a step from after + 1 to step. (check/acts.c)
cn_status check_acts_create(check_checking *check);
double *check_inputs(check_checking *check);
bool check_inputs_at(check_checking *check, int64_t step);
bool check_jumped(const check_checking *check, int64_t after, int64_t step);
// (check/energy.c)
void check_energy(check_checking *check);
// The columns that the scene records: names and rows; the values of a frame. (check/columns.c)
cn_status check_columns(check_checking *check);
cn_status check_frame_columns(check_checking *check);

// ---- deformable bodies ----

// Nodes of the frame, and the parts of the sides of its contacts. (check/frame_nodes.c)
cn_status check_read_nodes(check_checking *check, bool *sound);
cn_status check_read_sides(check_checking *check, bool *sound);
// The recorded meshes against those of the scene.
cn_status check_meshes(check_checking *check);
cn_status check_deformable_create(check_checking *check);
void check_deformable_destroy(check_checking *check);
// Axes, velocities there and free velocities of the frame's step. (check/deformable.c)
cn_status check_deformable_place(check_checking *check);
bool check_is_deformed(const check_checking *check, int32_t contact);
// Of such a contact what check/contacts.c finds of others.
void check_deformed_apart(const check_checking *check, int32_t contact, const double arm[6],
                          double *v, double out[3], double *size);
double check_deformed_trace(const check_checking *check, int32_t contact, int32_t body);
void check_deformable_balance(check_checking *check);
// Points, gaps and normals of contact i. (check/deformable_geometry.c)
void check_deformed_place(check_checking *check, int32_t contact, check_worst *surface,
                          check_worst *plane);
// Nodes inside rigid bodies without a contact of the two.
void check_deformed_missed(check_checking *check);

// A sum with the magnitudes of its terms.
typedef struct check_sum {
    double value, scale;
} check_sum;
// false: no memory, or no such type. (check/deformable_energy.c)
bool check_deformable_energies(check_checking *check, check_sum *kinetic, check_sum *potential,
                               check_sum *elastic);
typedef struct check_soft_works {
    check_sum external, viscous, numerical;
    bool dropped; // a body without inertia: what it drops of its velocities is numerical too
} check_soft_works;
void check_deformable_works(check_checking *check, check_soft_works *works);

// ---- shared ----

static inline double *check_pose_of(const cn_model *model, double *q, int32_t body) {
    return q + (int64_t)model_pose_size(model->dim) * body;
}
static inline double *check_velocity_of(const cn_model *model, double *v, int32_t body) {
    return v + (int64_t)model_velocity_size(model->dim) * body;
}
// Velocity and angular velocity with three parts each, whatever the dimension.
void check_six(int32_t dim, const double *v, double out[6]);
void check_rotation_of(int32_t dim, const double *pose, double R[9]);
// Of the bodies as they move in the step: false for what sleeps through it, is fixed or driven.
bool check_is_moved(const check_checking *check, int32_t body);

#endif
