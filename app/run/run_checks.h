// What is watched besides each step's report while a run goes on: bodies that have sunk into one
// another, and bodies that have fallen out of the scene.
#ifndef CAIRN_APP_RUN_RUN_CHECKS_H
#define CAIRN_APP_RUN_RUN_CHECKS_H

#include <cairn/cairn.h>

// Steps in a row after which a penetration beyond the limit counts; at the end of a run one does,
// unless the bodies bounce out of it in the next step.
#define DEEP_STEPS 10
// Pairs beyond the limit that are followed at a time.
#define DEEP_PAIRS 64
// Bodies and pairs that are named; the others are counted.
#define NAMED_MAX 5

// How the text of such an event begins, by which a run file's events are counted.
#define DEEP_TEXT "penetration beyond the limit: "
#define WARNING_TEXT "warning: "
#define PASSED_TEXT "may have passed: "
#define LIMITED_TEXT "stopped without bouncing: "

typedef struct deep_pair {
    cn_body_id a, b;
    int32_t steps;       // in a row
    bool seen, reported; // in this step; reported
    bool parting;        // fast enough to be within the limit a step later
    double depth, share;
} deep_pair;

typedef struct run_checks {
    cn_model *model;
    // Penetration.
    double limit;    // share of the smaller inradius
    double accepted; // [m] overlap that a scene may start with
    deep_pair pair[DEEP_PAIRS];
    int32_t pairs;
    int64_t deep;       // pairs reported
    double worst_share; // of them
    // Free fall.
    bool falls; // gravity acts and no plane lies under the scene
    double up[3], gravity;
    float *speed;     // upwards, at the last check
    uint8_t *falling; // checks in a row that a body has been in free fall; FALL_TOLD: reported
    double checked;   // [s] the last check
    int64_t fallen;   // bodies reported
} run_checks;

// place: of a warning; NULL for a penetration.
typedef void check_fn(void *user, const cn_source *place, const char *text);

void run_checks_start(run_checks *checks, cn_model *model, const cn_sim *sim);
// After a step. say is called for each thing that is found.
void run_checks_step(run_checks *checks, const cn_sim *sim, const cn_step_report *report, bool last,
                     check_fn *say, void *user);
void run_checks_end(run_checks *checks); // frees

// "body 7 (sphere)", or "body 7" where it has no name. Fresh memory.
char *body_label(const cn_model *model, cn_body_id id);

#endif
