// app/run/steps.c
// The loop of steps.h. An interrupt ends it after the step under way.
#include "run/steps.h"

#include "support/gallery.h"
#include "support/progress.h"

#include <stdlib.h>

int steps_run(const char *scene, const cn_override *set, int32_t count, double until,
              steps_fn *visit, void *user) {
    cn_error error = {.status = CN_OK};
    cn_model *model = NULL;
    cn_sim *sim = NULL;
    char *path = gallery_path(scene);
    if (!path) {
        return report_failure("the gallery has no scene '%s'; CAIRN_SCENES may say where it is",
                              scene);
    }
    cn_status status = cn_scene_read(NULL, path, set, count, &model, &error);
    free(path);
    status = status == CN_OK ? cn_sim_create(model, NULL, &sim, &error) : status;
    bool goes_on = true;
    while (status == CN_OK && goes_on && cn_sim_time(sim) < until - STEPS_SLACK && !interrupted()) {
        cn_step_report report;
        status = cn_sim_step(sim, &report, &error);
        goes_on = status == CN_OK && visit(user, sim, &report);
    }
    cn_sim_destroy(sim);
    cn_model_destroy(model);
    return status == CN_OK ? EXIT_DONE : report_error(&error);
}

typedef struct problem_moment {
    double until; // [s]
    moment_fn *visit;
    void *user;
} problem_moment;

static bool problem_visit(void *user, cn_sim *sim, const cn_step_report *report) {
    const problem_moment *moment = user;
    bool last = report->t >= moment->until - STEPS_SLACK;
    const double *r, *u;
    const cn_friction *problem = last ? cn_sim_problem(sim, &r, &u) : NULL;
    if (problem) {
        moment->visit(problem, moment->user);
    }
    return !last;
}

int problem_at(const char *scene, const cn_override *set, int32_t count, double until,
               moment_fn *visit, void *user) {
    problem_moment moment = {until, visit, user};
    return steps_run(scene, set, count, until, problem_visit, &moment);
}
