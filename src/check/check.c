// check/check.c
// The check of a run file without the solver, frame by frame, so that memory holds two frames at a
// time: rows and their hashes, the bodies of the scene, and of every recorded step the poses, the
// balance of every body, the law of every contact and joint, the geometry, the energies.
#include "check/bonds.h"

#include "base/arena.h"
#include "base/error.h"
#include "math/rotation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void check_six(int32_t dim, const double *v, double out[6]) {
    memset(out, 0, 6 * sizeof *out);
    memcpy(out, v, sizeof *out * (dim == 3 ? 6 : 2));
    out[5] = dim == 3 ? v[5] : v[2];
}

void check_rotation_of(int32_t dim, const double *pose, double R[9]) {
    if (dim == 3) {
        math_quat_matrix(pose + 3, R);
    } else {
        math_angle_matrix(pose[2], R);
    }
}

bool check_is_moved(const check_checking *check, int32_t body) {
    return check->model->body[body].role == MODEL_BODY_FREE &&
           !(check->frame.asleep && check->frame.asleep[body] == 1);
}

// What is checked of a frame whose numbers can be used.
static void check_step(check_checking *check) {
    check_frame *frame = &check->frame;
    cn_run_grade *grade = check->grade;
    if (!check->model) {
        return;
    }
    bool evident = check->stepped && !isnan(frame->h) && frame->v_before;
    bool due = frame->step > 0 && check->stepped;
    if (due && !evident) {
        check_missing(check, "the frame of step %lld has no evidence of its step",
                      (long long)frame->step);
    }
    if (due && check->model->joint_count > 0 && evident && !frame->has_joints) {
        check_find(check, "joint", frame->step, 0.0, 0.0, "the row of this step is missing");
        evident = false;
    }
    grade->steered += frame->by_hand;
    // What acted on the start acts in the first step.
    int64_t step = frame->step > 0 ? frame->step : 1;
    if (frame->by_hand && !(check->first_command <= step)) {
        check_missing(check, "the frame of step %lld was steered, and no event says how",
                      (long long)frame->step);
    }
    if (evident && frame->step > 0) {
        check_middle(check);
        check_motion(check);
        check_loads(check);
        if (check_deformable_place(check) != CN_OK) {
            check->memory_out = true;
            return;
        }
        check_contact_rows(check);
        check_damage(check);
        check_joints(check);
        check_momentum(check);
        check_deformable_balance(check);
        check_residual(check);
        check_geometry(check);
        check_missed_pairs(check);
        check_deformed_missed(check);
        grade->checked++;
        grade->limited += frame->limited > 0;
    } else {
        check_motion(check);
        check_recorded_law(check);
    }
    check_path_to(check);
    check_energy(check);
}

// What was done to the run from outside, before and in this frame's step.
static void look_outside(check_checking *check, int64_t before) {
    check_frame *frame = &check->frame;
    bool first = frame->step == 0; // what is set before the first step may have been set before it
    frame->jumped = check_jumped(check, before, first ? 1 : frame->step);
    frame->by_hand = check_inputs_at(check, frame->step) || frame->jumped || frame->by_hand;
}

static bool keep_row(void *user, const cn_step_report *row) {
    check_checking *check = user;
    check_path_row(check, row);
    check->row = *row;
    check->row.solver = "";
    check->has_row = row->step == check->frame.step;
    return true;
}

static cn_status check_frames(check_checking *check) {
    cn_status status = CN_OK;
    for (int64_t i = 0; status == CN_OK && i < check->run->frames; i++) {
        int64_t step = check->run->steps[i];
        bool usable = false;
        // Two frames are in memory: this one, and the one before.
        cn_arena *room = check->last_memory;
        check->last_memory = check->frame_memory;
        check->frame_memory = room;
        base_arena_release(room, (base_arena_mark){0});
        check->last = check->frame;
        status = check_read_frame(check, step, &usable);
        check->has_row = false;
        if (status == CN_OK && step > 0) {
            status = cn_run_ledger_each(check->run, i > 0 ? check->run->steps[i - 1] + 1 : step,
                                        step, keep_row, check, check->error);
        }
        if (check->model) {
            look_outside(check, i > 0 ? check->run->steps[i - 1] : -1);
        }
        if (status == CN_OK && usable) {
            check_step(check);
            status = check->model ? check_frame_columns(check) : CN_OK;
        }
        check->has_last = status == CN_OK && usable;
    }
    return status;
}

// Whether bodies go by the equations of one problem per step.
static void check_scheme(check_checking *check) {
    const cn_model *model = check->model;
    const char *scheme = model->settings.scheme;
    check->stabilised = strcmp(scheme, "stabilised") == 0;
    check->stepped = !model->system && (check->stabilised || strcmp(scheme, "moreau-jean") == 0);
    check->theta = check->stabilised ? 1.0 : model->settings.theta;
}

static cn_status check_everything(check_checking *check) {
    CN_TRY(check_ledger_rows(check));
    CN_TRY(check_bodies(check));
    CN_TRY(check_meshes(check));
    CN_TRY(check_deformable_create(check));
    CN_TRY(check_bonds_read(check));
    CN_TRY(check_ledger(check));
    CN_TRY(check_columns(check));
    return check_frames(check);
}

// What there was no memory for was left out somewhere, so that nothing is known of the run.
static bool is_memory_out(const check_checking *check) {
    return check->memory_out || base_arena_exhausted(check->memory) ||
           base_arena_exhausted(check->frame_memory) || base_arena_exhausted(check->last_memory);
}

cn_status cn_run_check(cn_run *run, const cn_model *scene, double tolerance, cn_run_grade *grade,
                       cn_error *error) {
    if (!run || !grade) {
        return base_fail_missing(error);
    }
    const cn_env *env = cn_arena_env(run->memory);
    check_checking check = {
        .run = run, .model = scene, .grade = grade, .error = error, .first_command = INT64_MAX};
    *grade = (cn_run_grade){.within = true, .complete = true, .frames = run->frames};
    for (int i = 0; i < CN_CHECK_KINDS; i++) {
        grade->worst[i].step = -1;
    }
    check.memory = cn_arena_create(env);
    check.frame_memory = cn_arena_create(env);
    check.last_memory = cn_arena_create(env);
    bool complete = check.memory && check.frame_memory && check.last_memory;
    cn_status status = complete ? CN_OK : base_fail_memory(error);
    if (status == CN_OK && scene) {
        status = check_acts_create(&check);
    }
    if (status == CN_OK && scene) {
        check.signals = model_evaluator(scene, env, NULL, check_inputs(&check));
        status = check.signals ? CN_OK : base_fail_memory(error);
    }
    if (status == CN_OK && !scene) {
        check_missing(&check, "its scene cannot be read");
    } else if (status == CN_OK && (scene->dim != run->dim || scene->body_count != run->bodies)) {
        check_find(&check, "body", -1, run->bodies, scene->body_count,
                   "the file has %d bodies in %d dimensions, its scene %d in %d", (int)run->bodies,
                   (int)run->dim, (int)scene->body_count, (int)scene->dim);
        check.model = NULL;
    } else if (status == CN_OK) {
        check_scheme(&check);
        status =
            check.model->system || check_path_prepare(&check) ? CN_OK : base_fail_memory(error);
    }
    grade->tolerance = !isnan(tolerance) ? tolerance
                       : check.model     ? check.model->settings.tolerance
                                         : 0.0;
    if (status == CN_OK) {
        status = check_everything(&check);
    }
    if (status == CN_OK && is_memory_out(&check)) {
        status = base_fail_memory(error);
    }
    check_deformable_destroy(&check);
    base_evaluator_destroy(check.signals);
    cn_arena_destroy(check.memory);
    cn_arena_destroy(check.frame_memory);
    cn_arena_destroy(check.last_memory);
    return status;
}
