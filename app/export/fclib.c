// app/export/fclib.c
// The one-step problems of chosen steps, with the solutions that the run used, for other solvers.
//
// A run file holds contacts, not W; so the scene is simulated again, which gives bitwise identical
// results, and the recorded frames passed on the way prove it. What a live page did to the run is
// among its events, and is done again too.
#include "export/export.h"

#include "support/progress.h"
#include "support/support.h"
#include "support/terminal.h"
#include "web/live.h"

#include <stdlib.h>
#include <string.h>

typedef struct retrace {
    const export_job *job;
    recorded_run *recorded;
    cn_sim *sim;
    int64_t frame;             // the next recorded one
    int64_t compared, written; // so far
    double *q[2], *v[2];       // simulated, recorded
    cn_arena *memory;
    cn_run_event *events;
    int64_t event_count, event; // the next
} retrace;

#define LIVE_EVENT "live: "

// The commands that first act in the step to come.
static cn_status retrace_steer(retrace *trace, cn_error *error) {
    const cn_model *model = trace->recorded->model;
    while (trace->event < trace->event_count &&
           trace->events[trace->event].step <= cn_sim_step_index(trace->sim) + 1) {
        const char *text = trace->events[trace->event++].text, *why;
        page_request request;
        cn_steering steering = cn_sim_steering(trace->sim);
        size_t mark = strlen(LIVE_EVENT);
        bool known = strncmp(text, LIVE_EVENT, mark) == 0 &&
                     request_read(text + mark, strlen(text + mark), cn_model_dim(model),
                                  cn_model_body_count(model), &request, &why);
        if (known && live_steering(&request, &steering)) {
            CN_TRY(cn_sim_steer(trace->sim, &steering, error));
        }
    }
    return CN_OK;
}

// Whether the state is the recorded one, where there is a frame of this step.
static cn_status retrace_compare(retrace *trace, cn_error *error) {
    const cn_model *model = trace->recorded->model;
    size_t bodies = (size_t)cn_model_body_count(model);
    size_t poses = bodies * (cn_model_dim(model) == 3 ? 7 : 3) * sizeof(double);
    size_t velocities = bodies * (cn_model_dim(model) == 3 ? 6 : 3) * sizeof(double);
    int64_t step = -1;
    double t;
    cn_status status = CN_OK;
    while (status == CN_OK && step < cn_sim_step_index(trace->sim) &&
           trace->frame < cn_run_frame_count(trace->recorded->run)) {
        status = cn_run_frame(trace->recorded->run, trace->frame, &step, &t, trace->q[1],
                              trace->v[1], error);
        trace->frame += step <= cn_sim_step_index(trace->sim);
    }
    if (status != CN_OK || step != cn_sim_step_index(trace->sim)) {
        return status;
    }
    cn_sim_poses(trace->sim, trace->q[0]);
    cn_sim_velocities(trace->sim, trace->v[0]);
    trace->compared++;
    if (memcmp(trace->q[0], trace->q[1], poses) != 0 ||
        memcmp(trace->v[0], trace->v[1], velocities) != 0) {
        *error = (cn_error){.status = CN_ERR_NUMERIC};
        snprintf(error->message, sizeof error->message,
                 "simulated again, step %lld differs from the recorded frame", (long long)step);
        snprintf(error->hint, sizeof error->hint,
                 "the run was made by another version, or with a time limit");
        return CN_ERR_NUMERIC;
    }
    return CN_OK;
}

// The part of the contacts, in their order, which stand before and between the rows of joints.
static void pick_contacts(const cn_friction *p, const double *of_all, double *out) {
    for (int32_t a = 0, n = 0; a < p->contacts; a++) {
        if (!p->bounds.boxed[a]) {
            memcpy(out + (int64_t)p->dim * n++, of_all + (int64_t)p->dim * a,
                   sizeof *out * (size_t)p->dim);
        }
    }
}

// A step's problem as files can hold it: assembled, and with what joints hold eliminated, so that
// the contacts are left. solution: 2 dim contacts numbers of room, which the problem refers to.
static cn_status fill_problem(const cn_friction *p, const double *r, const double *u,
                              double *solution, cn_problem *problem, cn_error *error) {
    int64_t rows = (int64_t)p->dim * p->contacts;
    problem->r = solution;
    problem->u = solution + rows;
    if (!p->bounds.boxed) {
        memcpy(problem->r, r, sizeof *r * (size_t)rows);
        memcpy(problem->u, u, sizeof *u * (size_t)rows);
        return cn_friction_assemble(p, problem->memory, &problem->friction, error);
    }
    cn_eliminated *eliminated;
    CN_TRY(cn_friction_eliminate(p, problem->memory, &eliminated, error));
    problem->friction = *cn_eliminated_contacts(eliminated);
    pick_contacts(p, r, problem->r);
    cn_friction_velocity(&problem->friction, problem->r, NULL, problem->u);
    return CN_OK;
}

// Blocks that are contacts; the others are rows of joints.
static int32_t count_contacts(const cn_friction *p) {
    int32_t count = p->contacts;
    for (int32_t a = 0; p->bounds.boxed && a < p->contacts; a++) {
        count -= p->bounds.boxed[a] != 0;
    }
    return count;
}

static cn_status retrace_write(retrace *trace, const cn_step_report *report, cn_error *error) {
    const double *r, *u;
    const cn_friction *p = cn_sim_problem(trace->sim, &r, &u);
    int32_t contacts = p ? count_contacts(p) : 0;
    if (contacts == 0) {
        return CN_OK;
    }
    cn_problem *problem = cn_problem_create(NULL, CN_PROBLEM_FRICTION);
    double *solution = calloc(2 * (size_t)p->dim * (size_t)p->contacts, sizeof *solution);
    if (!problem || !solution) {
        cn_problem_destroy(problem);
        free(solution);
        return error_memory(error);
    }
    char *title = format_text("%s, step %lld", trace->job->name, (long long)report->step);
    char *about = format_text("The one-step problem of %s at t = %.17g s, %d contacts, with the "
                              "solution of %s (%s, residual %.3g). Made by cairn %s.",
                              trace->job->name, report->t, (int)contacts, report->solver,
                              cn_outcome_text(report->outcome), report->residual, cn_version());
    char *path = format_text("%s/%s-%06lld.hdf5", trace->job->folder, trace->job->name,
                             (long long)report->step);
    cn_status status = fill_problem(p, r, u, solution, problem, error);
    if (status == CN_OK) {
        problem->title = title;
        problem->description = about;
        status = cn_problem_write(problem, path, CN_FILE_FCLIB, error);
        trace->written += status == CN_OK;
    }
    cn_problem_destroy(problem);
    free(solution);
    free(title);
    free(about);
    free(path);
    return status;
}

static cn_status retrace_run(retrace *trace, int64_t first, int64_t last, cn_error *error) {
    progress_line line = progress_start("simulating again", !trace->job->quiet);
    line.reached = true;
    cn_status status = retrace_compare(trace, error);
    while (status == CN_OK && cn_sim_step_index(trace->sim) < last) {
        cn_step_report report = {.step = 0};
        status = retrace_steer(trace, error);
        if (status == CN_OK) {
            status = cn_sim_step(trace->sim, &report, error);
        }
        if (status == CN_OK) {
            status = retrace_compare(trace, error);
        }
        if (status == CN_OK && report.step >= first) {
            status = retrace_write(trace, &report, error);
        }
        cn_progress progress = {
            .stage = "", .done = report.step, .total = last, .residual = report.residual};
        if (!progress_step(&line, &progress)) {
            *error = (cn_error){.status = CN_ERR_CANCELLED, .message = "interrupted"};
            status = CN_ERR_CANCELLED;
        }
    }
    progress_finish(&line);
    return status;
}

int export_fclib(const export_job *job, recorded_run *recorded) {
    int64_t bodies = cn_model_body_count(recorded->model);
    retrace trace = {.job = job, .recorded = recorded, .memory = cn_arena_create(NULL)};
    cn_error error = {.status = CN_OK};
    for (int32_t i = 0; i < 2; i++) {
        trace.q[i] = ALLOCATE(double, 7 * bodies);
        trace.v[i] = ALLOCATE(double, 6 * bodies);
    }
    interrupt_catch();
    int64_t first = job->first, last = job->last;
    cn_status status = trace.memory ? cn_run_events(recorded->run, trace.memory, &trace.events,
                                                    &trace.event_count, &error)
                                    : error_memory(&error);
    if (status == CN_OK && last < first) {
        status = cn_run_last_checkpoint(recorded->run, &last, &error);
        first = last;
    }
    status = status == CN_OK ? cn_sim_create(recorded->model, NULL, &trace.sim, &error) : status;
    status = status == CN_OK ? retrace_run(&trace, first, last, &error) : status;
    int code = EXIT_DONE;
    if (status != CN_OK) {
        code = report_error_in(&error, recorded->path);
    } else if (!job->quiet) {
        print_format(
            stdout,
            "%s: %lld problems; the scene was simulated again to step %lld and gave the %lld "
            "recorded frames passed, bitwise identical\n",
            job->folder, (long long)trace.written, (long long)last, (long long)trace.compared);
    }
    cn_sim_destroy(trace.sim);
    cn_arena_destroy(trace.memory);
    for (int32_t i = 0; i < 2; i++) {
        free(trace.q[i]);
        free(trace.v[i]);
    }
    return code;
}
