// cairn/record.h
// Run files (SQLite): written while a run goes on, read back, checked without the solver. Layout:
// docs/run-file.md.
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
    X(work_correction, R)
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
// A row of the body table. com, inertia and shape are JSON in the body's own frame.
typedef struct cn_run_body {
    const char *name, *kind, *material;
    double mass;
    const char *com, *inertia, *shape;
} cn_run_body;
// One a body; texts go to memory.
CN_API cn_status cn_run_bodies(cn_run *run, cn_arena *memory, cn_run_body **rows, cn_error *error);
// The rows of the ledger from one step to another, both included, one after the other; each returns
// false to stop. The texts of a row are valid during the call.
typedef bool cn_run_ledger_fn(void *user, const cn_step_report *row);
CN_API cn_status cn_run_ledger_each(cn_run *run, int64_t from, int64_t to, cn_run_ledger_fn *each,
                                    void *user, cn_error *error);
CN_API int64_t cn_run_last_step(cn_run *run); // of the ledger; 0: there is none
CN_API cn_status cn_run_ledger(cn_run *run, cn_arena *memory, cn_step_report **rows, int64_t *count,
                               cn_error *error);

// What was remarkable: retries, warnings, resumptions. Texts go to memory.
typedef struct cn_run_event {
    int64_t step;
    double t;
    const char *text;
} cn_run_event;
CN_API cn_status cn_run_events(cn_run *run, cn_arena *memory, cn_run_event **rows, int64_t *count,
                               cn_error *error);
// The step that cn_recorder_resume would go on from; -1: there is none.
CN_API int64_t cn_run_last_checkpoint(cn_run *run);

#ifdef __cplusplus
}
#endif
#endif
