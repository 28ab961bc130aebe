// app/run/run_loop.h
// Driving a simulation into a run file: made fresh from a scene or taken up where it stopped, with
// progress, Ctrl-C, checkpoints and the sums of a run summary.
#ifndef CAIRN_APP_RUN_RUN_LOOP_H
#define CAIRN_APP_RUN_RUN_LOOP_H

#include "run/run_checks.h"
#include "run/run_summary.h"

#include <stdatomic.h>

// Called after every step that was made; may be NULL.
typedef void run_loop_fn(void *user, const cn_sim *sim, const cn_step_report *report);

// Called for every row that goes to the run file's events while stepping; may be NULL.
typedef void run_loop_note_fn(void *user, int64_t step, double t, const char *text);

typedef struct run_loop {
    cn_model *model; // owned, as are the next two
    cn_sim *sim;
    cn_recorder *recorder;
    const char *path;   // of the run file
    bool quiet;         // no progress
    bool warns;         // warnings go to standard error, besides the run file's events
    bool allow_plugins; // of the scene of a run to be resumed
    bool at_rest;       // it is resumed with all velocities zero
    int32_t threads;    // 0: as the scene says
    cn_threads *pool;   // owned; NULL: none of its own
    run_loop_fn *watch;
    void *watch_user;
    bool no_evidence; // frames are recorded without what only a check needs
    bool frameless;   // no more frames are recorded
    // Another thread wants the step under way to be left, which happens if it is a long one; it is
    // for that thread's side to take it back when the step has returned.
    atomic_bool leave;
    double step_start; // [s] wall clock, of the step under way
    run_loop_note_fn *note;
    void *note_user;
    run_summary summary;
    run_checks checks;
    char **warnings; // owned, as they were written
    int32_t warning_count;
    bool *bond_broken;    // of each bond, owned
    int32_t bonds_broken; // how many
    bool paradoxical;     // the last step had paradoxical contacts: an event only when that begins
    char hash[17];        // of the state, once run_loop_run has ended
    double cpu_start;     // [s]
    double cpu_before;    // [s] of the part before a resumption
} run_loop;

// A fresh run of the model, which the run loop then owns whatever happens. Returns an exit code; on
// failure nothing is left of the file and there is nothing to end. The caller sets path, quiet,
// threads and watch first.
int run_loop_create(run_loop *loop, cn_model *model, bool overwrite);
// The same from the last checkpoint of an existing file; overrides go over its scene.
int run_loop_resume(run_loop *loop, const cn_override *overrides, int32_t count);
// Steps until the scene's end. EXIT_DONE or EXIT_TOLERANCE, _INTERRUPTED after a checkpoint,
// _FAILURE; what went wrong has been said. The file is closed in any case.
int run_loop_run(run_loop *loop);
void run_loop_end(run_loop *loop); // frees

// The two parts of run_loop_run, for a loop of one's own. A step, made and recorded; last: the
// run's last one, whose frame is recorded in any case. *recorded: whether it was.
// CN_ERR_CANCELLED: left because of a signal or loop->leave; all is as before the step.
cn_status run_loop_step(run_loop *loop, bool last, cn_step_report *report, bool *recorded,
                        cn_error *error);
// The end of the file after steps that ended with status; an error is said. Exit codes as above.
int run_loop_finish(run_loop *loop, cn_status status, const cn_error *error);
void run_loop_print_interrupted(const run_loop *loop); // and how to go on
// Where a resumed run is at its end already: that nothing was left to do.
void run_loop_print_complete(const run_loop *loop);

// Whether something that happens every so often [s] is due after this step of length h: on the
// first step that reaches a multiple. every = 0: always.
bool is_due(int64_t step, double h, double every);
// How many steps of length h reach t.
int64_t steps_until(double t, double h);

#endif
