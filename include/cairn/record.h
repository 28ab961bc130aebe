// cairn/record.h
// Run files (SQLite): written while a run goes on, read back, checked without the solver. Layout:
// docs/reference/run-file.md.
//
// A killed writer loses at most what was not yet committed, never a committed row.
#ifndef CAIRN_RECORD_H
#define CAIRN_RECORD_H

#include <cairn/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

// The columns of the ledger after step and t: X(name in cn_step_report, kind), with the kinds I
// integer, R real, S the solver's name, O the outcome. The run file, its checks, CSV files and the
// page are made from this list.
#define CN_LEDGER_ADDED(X) /* files of older versions do not have these */                         \
    X(elastic, R)                                                                                  \
    X(dissipated_plastic, R)                                                                       \
    X(dissipated_viscous, R)                                                                       \
    X(dissipated_fracture, R)                                                                      \
    X(bonds_broken, I)
#define CN_LEDGER_VALUES(X)                                                                        \
    X(contacts, I)                                                                                 \
    X(sticking, I)                                                                                 \
    X(sliding, I)                                                                                  \
    X(solver, S)                                                                                   \
    X(iterations, I)                                                                               \
    X(residual, R)                                                                                 \
    X(outcome, O)                                                                                  \
    X(penetration_max, R)                                                                          \
    X(joint_error_max, R)                                                                          \
    X(kinetic, R)                                                                                  \
    X(potential, R)                                                                                \
    X(work_external, R)                                                                            \
    X(work_joints, R)                                                                              \
    X(dissipated_friction, R)                                                                      \
    X(dissipated_impact, R)                                                                        \
    X(dissipated_numerical, R)                                                                     \
    X(cpu_detect, R)                                                                               \
    X(cpu_assemble, R)                                                                             \
    X(cpu_solve, R)                                                                                \
    X(cpu_advance, R)                                                                              \
    X(paradoxes, I)                                                                                \
    X(work_correction, R)                                                                          \
    CN_LEDGER_ADDED(X)
#define CN_LEDGER_LIST(X) X(step, I) X(t, R) CN_LEDGER_VALUES(X)

typedef struct cn_recorder cn_recorder;

// A fresh run file; an existing one is replaced only when overwrite. The scene text, version,
// compiler go to meta. Rows are committed at every flush, checkpoint and 200 steps, not before; a
// checkpoint is on the disk when the call returns. A run file has one writer: while a process (this
// one included) writes it, it is neither replaced nor continued, CN_ERR_IO.
CN_API cn_status cn_recorder_create(const cn_env *env, const char *path, bool overwrite,
                                    const cn_sim *sim, cn_recorder **out, cn_error *error);
// An existing run file to be continued: loads the last checkpoint into sim and drops the rows after
// it. A checkpoint that is damaged is refused, with a warning to env's log and an event, and the
// one before it taken; CN_ERR_INPUT when there is none.
CN_API cn_status cn_recorder_resume(const cn_env *env, const char *path, cn_sim *sim,
                                    cn_recorder **out, cn_error *error);
CN_API cn_status cn_recorder_meta(cn_recorder *recorder, const char *key, const char *value,
                                  cn_error *error);
// Whether further frames have the evidence that cn_run_check needs of their steps (default: yes);
// without it files are smaller, and their check is incomplete.
CN_API cn_status cn_recorder_evidence(cn_recorder *recorder, bool on, cn_error *error);
// Poses, velocities, contacts.
CN_API cn_status cn_recorder_frame(cn_recorder *recorder, const cn_sim *sim, cn_error *error);
CN_API cn_status cn_recorder_ledger(cn_recorder *recorder, const cn_step_report *report,
                                    cn_error *error);
// The columns of the simulation's model (cn_model_add_column) after a step, and as events what was
// done to it from outside before (cairn/act.h).
CN_API cn_status cn_recorder_columns(cn_recorder *recorder, const cn_sim *sim, cn_error *error);
CN_API cn_status cn_recorder_event(cn_recorder *recorder, int64_t step, double t, const char *text,
                                   cn_error *error);
// Commits too.
CN_API cn_status cn_recorder_checkpoint(cn_recorder *recorder, const cn_sim *sim, cn_error *error);
// Commits, so that other readers of the file see what was recorded.
CN_API cn_status cn_recorder_flush(cn_recorder *recorder, cn_error *error);
// Drops all that was recorded but bodies and meta: a run that starts over from what sim now is.
CN_API cn_status cn_recorder_restart(cn_recorder *recorder, const cn_sim *sim, cn_error *error);
// Commits; frees the recorder whatever happens.
CN_API cn_status cn_recorder_close(cn_recorder *recorder, cn_error *error);

// ---- reading ----

// A run is read piece by piece as it is asked for: one of any size opens at once.
typedef struct cn_run cn_run;

CN_API cn_status cn_run_open(const cn_env *env, const char *path, cn_run **out, cn_error *error);
CN_API void cn_run_close(cn_run *run);
// NULL: none; valid until the next refresh.
CN_API const char *cn_run_meta(cn_run *run, const char *key);
CN_API int32_t cn_run_dim(const cn_run *run);
CN_API int32_t cn_run_body_count(const cn_run *run);
CN_API int64_t cn_run_frame_count(const cn_run *run);
// Looks again at a file that is being written: frames that were added or dropped and meta that
// changed since it was opened.
CN_API cn_status cn_run_refresh(cn_run *run, cn_error *error);
// The steps and times [s] of all frames, ascending; returns how many. Valid until the run is
// refreshed or closed.
CN_API int64_t cn_run_moments(const cn_run *run, const int64_t **steps, const double **times);
// Frame index from 0. q and v have room for the run's bodies; contacts go to memory.
CN_API cn_status cn_run_frame(cn_run *run, int64_t index, int64_t *step, double *t, double *q,
                              double *v, cn_error *error);
CN_API cn_status cn_run_contacts(cn_run *run, int64_t index, cn_arena *memory,
                                 cn_contact_record **contacts, int32_t *count, cn_error *error);
// A joint at the end of a step: value and rate of the coordinate that a motor would drive [rad or m],
// 0 where it has none; effort of its motor [N m or N]; impulse that it gave its second body [N s], and
// its moment about that body's centre of mass [N m s]: 6 numbers (2D: 3).
typedef struct cn_joint_record {
    double value, rate, effort, impulse[6];
} cn_joint_record;
// Those of frame index, in the order of the model; none where the file has none. They go to memory.
CN_API cn_status cn_run_joints(cn_run *run, int64_t index, cn_arena *memory,
                               cn_joint_record **joints, int32_t *count, cn_error *error);
// A row of the body table. com, inertia and shape are JSON in the body's own frame.
typedef struct cn_run_body {
    const char *name, *kind, *material;
    double mass;
    const char *com, *inertia, *shape;
} cn_run_body;
// One per body; texts go to memory.
CN_API cn_status cn_run_bodies(cn_run *run, cn_arena *memory, cn_run_body **rows, cn_error *error);
// The deformable bodies of a run, in the order of bodies; none in files without them. Nodes dim
// numbers each, in the body's own frame; elements and faces of the surface as in cn_model_mesh.
typedef struct cn_run_mesh {
    cn_body_id body;
    const char *element;
    double *nodes;
    int32_t *elements, *faces;
    int32_t node_count, element_count, per_element, face_count, per_face;
    int32_t first_node; // among the nodes of all of them
} cn_run_mesh;
CN_API cn_status cn_run_meshes(cn_run *run, cn_arena *memory, cn_run_mesh **meshes, int32_t *count,
                               cn_error *error);
// The nodes of a frame (index from 0), dim numbers each, world axes; v_before: before the impulses
// of the step, NULL where the frame has no evidence. count 0: the run has no deformable bodies.
typedef struct cn_run_node_state {
    int32_t count;
    double *x, *v, *v_before;
} cn_run_node_state;
CN_API cn_status cn_run_nodes(cn_run *run, int64_t index, cn_arena *memory, cn_run_node_state *out,
                              cn_error *error);
// What the sides of a frame's contacts are made of: parts start[c] .. start[c + 1] - 1 of contact c,
// none where both its bodies are rigid. A part is a weighted node of a body's mesh, or node -1, a
// point fixed to a rigid body; weights of the candidate are positive and sum to 1, those of the
// antagonist to -1. The velocity of the contact is the sum of weight times velocity.
typedef struct cn_run_side {
    int32_t contacts;
    int32_t *start;
    cn_body_id *body;
    int32_t *node;
    double *weight;
} cn_run_side;
CN_API cn_status cn_run_sides(cn_run *run, int64_t index, cn_arena *memory, cn_run_side *out,
                              cn_error *error);
// The rows of the ledger from one step to another, both included, one after the other; each returns
// false to stop. The texts of a row are valid during the call.
typedef bool cn_run_ledger_fn(void *user, const cn_step_report *row);
CN_API cn_status cn_run_ledger_each(cn_run *run, int64_t from, int64_t to, cn_run_ledger_fn *each,
                                    void *user, cn_error *error);
// The last step of the ledger; 0: there is none.
CN_API cn_status cn_run_last_step(cn_run *run, int64_t *step, cn_error *error);
CN_API cn_status cn_run_ledger(cn_run *run, cn_arena *memory, cn_step_report **rows, int64_t *count,
                               cn_error *error);

// The columns that the scene records every step: names and units, and the values of all rows, one
// row after the other. All to memory; no columns: counts 0.
typedef struct cn_run_columns {
    int32_t count;
    const char **name, **unit;
    int64_t rows;
    int64_t *step;
    double *t, *value;
} cn_run_columns;
CN_API cn_status cn_run_columns_read(cn_run *run, cn_arena *memory, cn_run_columns *out,
                                     cn_error *error);
// Poses and velocities of one body in the frames from `from` to `to`, both included: 7 and 6 (2D: 3
// and 3) numbers per frame. Either may be NULL.
CN_API cn_status cn_run_track(cn_run *run, cn_body_id body, int64_t from, int64_t to, double *q,
                              double *v, cn_error *error);

// What was remarkable: retries, warnings, resumptions. Texts go to memory.
typedef struct cn_run_event {
    int64_t step;
    double t;
    const char *text;
} cn_run_event;
CN_API cn_status cn_run_events(cn_run *run, cn_arena *memory, cn_run_event **rows, int64_t *count,
                               cn_error *error);
// The step that cn_recorder_resume would go on from; -1: there is none.
CN_API cn_status cn_run_last_checkpoint(cn_run *run, int64_t *step, cn_error *error);

#ifdef __cplusplus
}
#endif
#endif
