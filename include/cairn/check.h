// cairn/check.h
// The check of a run file without the solver: the laws, balances and geometry of its frames are
// recomputed from its scene. docs/design/theory.md says what each part proves.
#ifndef CAIRN_CHECK_H
#define CAIRN_CHECK_H

#include <cairn/model.h>
#include <cairn/record.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a check measures in each frame or step; docs/design/theory.md says what each proves.
typedef enum cn_check_kind {
    CN_CHECK_RESIDUAL, // the law of the contacts and joints, in the measure of the solvers
    CN_CHECK_MOMENTUM, // M (v - v_before) = h F + H r + joints, of each body [N s]
    CN_CHECK_VELOCITY, // recorded velocities against those of the bodies [m/s]
    CN_CHECK_SHIFT,    // recorded shifts against those of the law [m/s]
    CN_CHECK_GEOMETRY, // points, normals and gaps against the poses [m]
    CN_CHECK_MOTION,   // poses and velocities from one frame to the next, given motions [m, m/s]
    CN_CHECK_JOINT,    // what joints hold [m], [rad]
    CN_CHECK_ENERGY,   // energies and works of the ledger against the frame [J]
    CN_CHECK_BALANCE,  // the ledger's balance of a step [J]
    CN_CHECK_KINDS
} cn_check_kind;
CN_API const char *cn_check_kind_text(cn_check_kind kind);

#define CN_RUN_FINDINGS 64 // that are stored; more are counted
typedef struct cn_run_finding {
    int64_t step; // -1: of the file as a whole
    char table[12];
    char what[180];
    double value, allowed;
} cn_run_finding;

typedef struct cn_run_worst {
    double value, allowed; // where value/allowed is largest
    int64_t step;          // -1: nothing was measured
} cn_run_worst;

typedef struct cn_run_grade {
    bool within, complete; // nothing was found; all was there that a check needs
    int64_t frames, contacts, steps;
    int64_t bad_hashes, unsolved_steps;
    bool finished;   // the run came to the end of its scene
    int64_t checked; // frames whose step was checked as a whole
    int64_t limited; // frames in which bodies were stopped without the bounce of their law
    int64_t steered; // frames that were acted on: other gravity, friction, loads, inputs or states
    double tolerance;
    cn_run_worst worst[CN_CHECK_KINDS];
    double energy_balance_error; // [J] sum over the ledger
    int64_t finding_count;
    cn_run_finding finding[CN_RUN_FINDINGS];
    char incomplete[180]; // the first thing that is missing; "": nothing
} cn_run_grade;

// Verifies a run without the solver. scene: the model of the run's own scene text, finished; NULL:
// it cannot be had, and the check is incomplete. tolerance: of the residual; NaN: the scene's.
// CN_ERR_INPUT: the file is no run; all that is wrong inside is a finding.
CN_API cn_status cn_run_check(cn_run *run, const cn_model *scene, double tolerance,
                              cn_run_grade *grade, cn_error *error);

#ifdef __cplusplus
}
#endif
#endif
