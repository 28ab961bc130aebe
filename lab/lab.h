// lab/lab.h
// Reproducing an experiment of the literature: trials (scenes of the gallery, simulated into run
// files), what is measured in them, and a report that has our figures beside the source's.
//
// To add an experiment write lab/<id>_<name>.c and add its row in lab/experiments.c. It
// reads nothing but run files, so that a finished trial need not be simulated again.
#ifndef CAIRN_LAB_LAB_H
#define CAIRN_LAB_LAB_H

#include "draw/plot.h"
#include "run/recorded.h"
#include "run/run_summary.h"
#include "support/support.h"
#include "support/table_writer.h"

typedef struct reproduction reproduction;

// Makes the trials and fills the lab's table, checks and figures. What goes wrong has been said and
// is in lab->code.
typedef void experiment_fn(reproduction *lab);

#define OVERRIDES 10 // values that a trial may put instead of its scene's

// A way of solving the steps that an experiment is repeated with.
typedef struct lab_method {
    const char *label;
    cn_override set[OVERRIDES]; // as solver.name and solver.tolerance; ends with a NULL path
    double limit;               // what is asked of it, where methods differ in that
    const char *paper;          // what the source says of it
} lab_method;

// Where the experiments are published.
#define SOURCE_RENOUF_2005                                                                         \
    "M. Renouf, V. Acary, G. Dumont: 3D frictional contact and impact multibody dynamics. A "      \
    "comparison of algorithms suitable for real-time applications, ECCOMAS Multibody Dynamics "    \
    "2005"
#define SOURCE_RENOUF_2006                                                                         \
    "M. Renouf, V. Acary: Comparison and coupling of algorithms for collisions, contact and "      \
    "friction in rigid multi-body simulations, ECCM 2006"
#define SOURCE_HART_2003                                                                           \
    "G. D. Hart, M. Anitescu: A hard-constraint time-stepping approach for rigid multibody "       \
    "dynamics with joints, contact, and friction, TAPIA 2003"
#define SOURCE_JEAN_1999                                                                           \
    "M. Jean: The non-smooth contact dynamics method, Computer Methods in Applied Mechanics and "  \
    "Engineering 177, 1999"

#define SOURCE_ACARY_2009                                                                          \
    "V. Acary: Methodes numeriques pour la simulation des systemes multi-corps en presence de "    \
    "contact, de frottement et d'impacts, JNRR 2009"

typedef struct lab_experiment {
    const char *id, *title;
    const char *source;        // where it is published
    const char *scenes;        // of the gallery
    const lab_method *methods; // what it is repeated with; the last one has no label
    const heading *columns;    // of its table
    const char *differs;       // what differs from the source, and why
    experiment_fn *run;
} lab_experiment;

const lab_experiment *experiment_at(int32_t index);      // NULL: there are no more
const lab_experiment *experiment_find(const char *word); // an id or a scene; NULL: none
const char *experiment_nearest(const char *word);        // a scene; NULL: none is near

// ---- one reproduction ----

#define LAB_REPLAYS 8

typedef struct lab_file {
    char *name;
    const char *about;
} lab_file;

struct reproduction {
    const lab_experiment *experiment;
    const char *folder; // for all that is written
    bool quick;         // a short version: some figures are then shown without a verdict
    bool force;         // simulate again what is there already
    bool quiet;         // no progress
    int code;           // exit code so far
    data_table table;   // the experiment's own
    data_table checks;  // what was asked beside what came out
    int32_t judged;     // checks that have a limit
    int32_t failed;     // of them
    lab_file *files;
    int32_t file_count;
    const char *shown[LAB_REPLAYS]; // scenes that a replay was written of: the first trial of each
    int32_t shown_count;
    double cpu_s; // of all trials
    int64_t steps, unsolved;
};

// Runs the experiment and writes the table, the checks and the report. Returns an exit code: 3 when
// a step did not reach its tolerance or a check failed.
int lab_run_experiment(reproduction *lab);
void lab_print(const reproduction *lab, FILE *out);
void lab_print_json(const reproduction *lab);
void lab_free(reproduction *lab);
// Ends it with an exit code after what went wrong was said. Returns false.
bool lab_fail(reproduction *lab, int code);

// ---- trials ----

typedef struct lab_trial {
    const char *name;           // of its run file, without ending
    const char *scene;          // of the gallery
    const lab_method *method;   // may be NULL
    cn_override set[OVERRIDES]; // over the method's; ends with a NULL path
    bool inexact; // not meant to reach the tolerance: shown as it is, not counted as unsolved
} lab_trial;

// What a trial left behind.
typedef struct trial_result {
    char *path;
    recorded_run recorded;
    cn_arena *memory;
    cn_step_report *rows; // one per step
    int64_t count;
    run_summary summary;
} trial_result;

// Simulates the trial, takes it up where it was interrupted, or takes it as it is when this program
// has already finished the same scene. false: there is no result.
bool lab_run_trial(reproduction *lab, const lab_trial *trial, trial_result *out);
void result_free(trial_result *result);

// The frame nearest to a time: q and v have room for all bodies (7 and 6 numbers each; 2D: 3, 3).
bool result_frame(reproduction *lab, trial_result *result, double t, double *q, double *v);
// Room for the poses or velocities of all bodies. To be freed.
double *result_room(const trial_result *result);

// Time simulated over the CPU time of the steps, up to a time and without recording; NaN when the
// run ended before.
double result_speed(const trial_result *result, double t);

// Points of a curve.
typedef struct point_series {
    double *x, *y;
    int32_t count, capacity;
} point_series;

void series_add(point_series *series, double x, double y);
void series_free(point_series *series);

// Calls visit for every frame, from the first to the last.
typedef void frame_fn(void *user, double t, const double *q, const double *v);
bool result_frames(reproduction *lab, trial_result *result, frame_fn *visit, void *user);
// The three coordinates (2D: x, y, angle) of a body over all frames.
bool result_track(reproduction *lab, trial_result *result, cn_body_id body, point_series out[3]);

// ---- one step ----

// steps.h's problem_at for an experiment. false: something went wrong.
typedef void problem_fn(reproduction *lab, const cn_friction *problem, void *user);
bool lab_problem(reproduction *lab, const char *scene, const cn_override *set, int32_t count,
                 double until, problem_fn *visit, void *user);

// A solver at work on one problem, from r = 0.
typedef struct solve_attempt {
    const char *solver, *local; // local NULL: the solver's own choice
    const char *param, *value;  // one of the solver's parameters; param NULL: none
    double tolerance, time_limit;
    int32_t max_iterations;         // 0: the solver's own
    point_series *iterations, *cpu; // residual over iterations and over CPU time [s]; may be NULL
} solve_attempt;

bool lab_solve(reproduction *lab, const cn_friction *problem, const solve_attempt *attempt,
               cn_solve_report *report);

// ---- what is written ----

// A check. paper: what the source says, "" when it says nothing. limit NaN: shown, not judged.
void lab_below(reproduction *lab, const char *what, const char *paper, double got, double limit);
void lab_above(reproduction *lab, const char *what, const char *paper, double got, double limit);
void lab_check_shown(reproduction *lab, const char *what, const char *paper, double got);
// limit, or NaN in the short version, where it says nothing.
double lab_limit(const reproduction *lab, double limit);

// NAME.svg and, with the points of the curves, NAME.csv.
void lab_plot(reproduction *lab, const char *name, const char *about, const plot_spec *plot);
// NAME.svg: moments of a trial. picture has the titles; the rest is filled in.
void lab_picture(reproduction *lab, const char *name, const char *about, trial_result *result,
                 const double *times, int32_t count, picture_spec picture);

#endif
