// What is watched besides each step's report while a run goes on: bodies that have sunk into one
// another, and bodies that have fallen out of the scene.
#ifndef CAIRN_APP_RUN_RUN_CHECKS_H
#define CAIRN_APP_RUN_RUN_CHECKS_H

#include <cairn/cairn.h>

// Steps in a row after which a penetration beyond the limit counts; at the end of a run one does.
#define CN_DEEP_STEPS 10
// Pairs beyond the limit that are followed at a time.
#define CN_DEEP_PAIRS 64
// Bodies and pairs that are named; the others are counted.
#define CN_NAMED_MAX 5

// How the text of such an event begins, by which a run file's events are counted.
#define CN_DEEP_TEXT "penetration beyond the limit: "
#define CN_WARNING_TEXT "warning: "
#define CN_PASSED_TEXT "may have passed: "
#define CN_LIMITED_TEXT "stopped without bouncing: "

typedef struct cn_deep_pair {
    cn_body_id a, b;
    int32_t steps;   // in a row
    bool seen, told; // in this step; reported
    double depth, share;
} cn_deep_pair;

typedef struct cn_run_checks {
    cn_model *model;
    // Penetration.
    double limit;    // share of the smaller inradius
    double accepted; // [m] overlap that a scene may start with
    cn_deep_pair pair[CN_DEEP_PAIRS];
    int32_t pairs;
    int64_t deep;       // pairs reported
    double worst_share; // of them
    // Free fall.
    bool falls; // gravity acts and no plane lies under the scene
    double up[3], gravity;
    float *speed;     // upwards, at the last check
    uint8_t *falling; // checks in a row that a body has been in free fall; CN_FALL_TOLD: reported
    double checked;   // [s] the last check
    int64_t fallen;   // bodies reported
} cn_run_checks;

// place: of a warning; NULL for a penetration.
typedef void cn_check_fn(void *user, const cn_source *place, const char *text);

void cn_run_checks_start(cn_run_checks *checks, cn_model *model, const cn_sim *sim);
// After a step. say is called for each thing that is found.
void cn_run_checks_step(cn_run_checks *checks, const cn_sim *sim, const cn_step_report *report,
                        bool last, cn_check_fn *say, void *user);
void cn_run_checks_end(cn_run_checks *checks); // frees

// "body 7 (ball)", or "body 7" where it has no name. Fresh memory.
char *cn_body_label(const cn_model *model, cn_body_id id);

#endif
