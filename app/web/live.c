// app/web/live.c
// The thread of a live run; see live.h. One mutex guards the mailbox and the list of commands; the
// simulation holds it only to swap pointers and append rows, never while it steps or writes.
#include "web/live.h"

#include "support/support.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LIVE_FRAME_TIME (1.0 / 60.0) // [s] between two frames in the mailbox
#define LIVE_FLUSH_TIME 0.5          // [s] until recorded frames can be read
#define LIVE_FACTOR_TIME 0.5         // [s] over which the real-time factor is taken
#define LIVE_LAG 1.0                 // [s] behind its pace that are made up for; more is let go
#define LIVE_COMMANDS 256            // waiting; more are refused
#define LIVE_IDLE 0.01               // [s] between two looks at whether the run is to end

typedef struct live_command {
    page_request request;
    char *text;
    uint64_t page;
} live_command;

struct live_run {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed; // a command came, or the end is wanted
    live_options options;
    // Guarded by the mutex.
    bool stop;
    bool left; // the last try of a step, for a command
    live_command commands[LIVE_COMMANDS];
    int32_t command_count;
    live_news box;
    // The thread's own.
    run_loop *loop;
    live_frame spare; // to be filled while the other lies in the mailbox
    ledger_sums sums;
    void *start; // the state at the start
    size_t start_size;
    int64_t last;       // the step that ends the run
    int64_t steps_left; // to be made although paused
    bool paused;
    double speed;
    double paced_wall, paced_t;     // where the pace is counted from
    double factor_wall, factor_t;   // likewise for the real-time factor
    double published, flushed;      // [s] wall clock
    int64_t bytes;                  // of recorded frames, about
    int64_t frames, frames_flushed; // recorded, readable
    // How it ended.
    cn_status status;
    cn_error error;
};

// ---- the mailbox ----

// Room for one more of a list's elements of a size.
static void *list_room(void *list, int64_t count, int64_t *capacity, size_t size) {
    if (count < *capacity) {
        return list;
    }
    *capacity = 2 * *capacity + 16;
    return reallocate(list, *capacity, size);
}

static void box_reply(live_news *box, uint64_t page, int64_t n, const char *problem) {
    int64_t capacity = box->reply_capacity;
    box->replies = list_room(box->replies, box->reply_count, &capacity, sizeof *box->replies);
    box->reply_capacity = (int32_t)capacity;
    box->replies[box->reply_count++] =
        (live_reply){page, n, problem ? format_text("%s", problem) : NULL};
}

static void box_event(live_news *box, int64_t step, double t, const char *text) {
    int64_t capacity = box->event_capacity;
    box->events = list_room(box->events, box->event_count, &capacity, sizeof *box->events);
    box->event_capacity = (int32_t)capacity;
    box->events[box->event_count++] = (live_event){step, t, format_text("%s", text)};
}

// The lists become empty; their memory stays.
static void news_clear(live_news *news) {
    for (int32_t i = 0; i < news->reply_count; i++) {
        free(news->replies[i].problem);
    }
    for (int32_t i = 0; i < news->event_count; i++) {
        free(news->events[i].text);
    }
    news->has_frame = false;
    news->row_count = 0;
    news->reply_count = news->event_count = 0;
}

static void live_frame_free(live_frame *frame) {
    free(frame->q);
    free(frame->v);
    free(frame->contacts);
    free(frame->joints);
    free(frame->x);
    free(frame->stress);
}

void live_news_free(live_news *news) {
    news_clear(news);
    free(news->rows);
    free(news->replies);
    free(news->events);
    live_frame_free(&news->frame);
    *news = (live_news){.has_frame = false};
}

void live_take(live_run *live, live_news *news) {
    news_clear(news);
    pthread_mutex_lock(&live->mutex);
    live_news taken = live->box;
    // The box goes on with the memory that came back, and with all that is not a list.
    live->box.rows = news->rows;
    live->box.row_count = 0;
    live->box.row_capacity = news->row_capacity;
    live->box.replies = news->replies;
    live->box.reply_count = 0;
    live->box.reply_capacity = news->reply_capacity;
    live->box.events = news->events;
    live->box.event_count = 0;
    live->box.event_capacity = news->event_capacity;
    live->box.frame = news->frame;
    live->box.has_frame = false;
    pthread_mutex_unlock(&live->mutex);
    *news = taken;
}

static void live_wake(live_run *live) {
    if (live->options.wake) {
        live->options.wake(live->options.user);
    }
}

// ---- what the thread reports ----

// What joints hold, as impulses in a second.
static void live_fill_joints(const live_run *live, live_frame *frame) {
    int32_t count = cn_model_joint_count(live->loop->model);
    if (!frame->joints && count > 0) {
        frame->joints = ALLOCATE(cn_joint_record, count);
    }
    for (int32_t i = 0; i < count; i++) {
        cn_joint_state state;
        cn_sim_joint(live->loop->sim, i + 1, &state);
        frame->joints[i] =
            (cn_joint_record){.value = state.value, .rate = state.rate, .effort = state.effort};
        memcpy(frame->joints[i].impulse, state.force, sizeof state.force);
    }
    frame->joint_count = count;
}

// Nodes of deformable bodies and stresses of their elements.
static void live_fill_soft(const live_run *live, live_frame *frame) {
    const cn_model *model = live->loop->model;
    int64_t elements = 0, nodes = cn_model_node_count(model);
    cn_mesh_info mesh;
    if (nodes == 0) {
        return;
    }
    for (cn_body_id id = 1; id <= cn_model_body_count(model); id++) {
        elements += cn_model_mesh(model, id, &mesh) ? mesh.element_count : 0;
    }
    if (!frame->x) {
        frame->x = ALLOCATE(double, cn_model_dim(model) * nodes);
        frame->stress = ALLOCATE(double, 6 * elements);
    }
    double *stress = frame->stress;
    cn_sim_nodes(live->loop->sim, frame->x, NULL);
    for (cn_body_id id = 1; id <= cn_model_body_count(model); id++) {
        if (cn_model_mesh(model, id, &mesh) && cn_sim_stress(live->loop->sim, id, stress)) {
            stress += 6 * (int64_t)mesh.element_count;
        }
    }
    frame->soft = (message_soft){frame->x, frame->stress, nodes, elements};
}

static void live_fill(live_run *live) {
    const cn_sim *sim = live->loop->sim;
    live_frame *frame = &live->spare;
    int64_t bodies = cn_model_body_count(live->loop->model);
    if (!frame->q) {
        frame->q = ALLOCATE(double, 7 * bodies + 1);
        frame->v = ALLOCATE(double, 6 * bodies + 1);
    }
    frame->step = cn_sim_step_index(sim);
    frame->t = cn_sim_time(sim);
    frame->contact_count = cn_sim_contact_count(sim);
    if (frame->contact_count > frame->contact_capacity) {
        frame->contact_capacity = 2 * frame->contact_count;
        frame->contacts =
            reallocate(frame->contacts, frame->contact_capacity, sizeof *frame->contacts);
    }
    cn_sim_poses(sim, frame->q);
    cn_sim_velocities(sim, frame->v);
    for (int32_t i = 0; i < frame->contact_count; i++) {
        cn_sim_contact(sim, i, &frame->contacts[i]);
    }
    live_fill_joints(live, frame);
    live_fill_soft(live, frame);
}

// Puts the state into the mailbox, instead of one that was not taken.
static void live_publish(live_run *live) {
    double now = wall_clock(), t = cn_sim_time(live->loop->sim);
    live_fill(live);
    pthread_mutex_lock(&live->mutex);
    live_news *box = &live->box;
    live_frame replaced = box->frame;
    box->dropped += box->has_frame;
    box->frame = live->spare;
    box->has_frame = true;
    live->spare = replaced;
    box->running = !live->paused && !box->ended;
    box->speed = live->speed;
    box->step = cn_sim_step_index(live->loop->sim);
    box->t = t;
    box->steering = cn_sim_steering(live->loop->sim);
    if (live->paused) {
        box->factor = 0.0;
    } else if (now - live->factor_wall >= LIVE_FACTOR_TIME) {
        box->factor = (t - live->factor_t) / (now - live->factor_wall);
        live->factor_wall = now;
        live->factor_t = t;
    }
    pthread_mutex_unlock(&live->mutex);
    live->published = now;
    live_wake(live);
}

// Makes recorded frames readable now and then.
static cn_status live_flush(live_run *live, bool now, cn_error *error) {
    double wall = wall_clock();
    if (live->frames == live->frames_flushed || (!now && wall - live->flushed < LIVE_FLUSH_TIME)) {
        return CN_OK;
    }
    cn_status status = cn_recorder_flush(live->loop->recorder, error);
    live->flushed = wall;
    live->frames_flushed = live->frames;
    pthread_mutex_lock(&live->mutex);
    live->box.flushes++;
    pthread_mutex_unlock(&live->mutex);
    return status;
}

// An event of the run loop's.
static void live_note(void *user, int64_t step, double t, const char *text) {
    live_run *live = user;
    pthread_mutex_lock(&live->mutex);
    box_event(&live->box, step, t, text);
    pthread_mutex_unlock(&live->mutex);
}

// ---- commands ----

bool live_steering(const page_request *request, cn_steering *steering) {
    switch (request->op) {
    case DO_GRAVITY:
        memcpy(steering->gravity, request->vector, sizeof steering->gravity);
        return true;
    case DO_FRICTION:
        steering->friction = request->value;
        return true;
    case DO_DRAG:
        steering->pulled = (cn_body_id)(request->body + 1);
        steering->stiffness = request->k;
        memcpy(steering->point, request->point, sizeof steering->point);
        memcpy(steering->target, request->target, sizeof steering->target);
        return true;
    case DO_RELEASE:
        steering->pulled = 0;
        return true;
    default:
        return false;
    }
}

// From here on the pace and the real-time factor are counted.
static void live_pace(live_run *live) {
    live->paced_wall = live->factor_wall = wall_clock();
    live->paced_t = live->factor_t = cn_sim_time(live->loop->sim);
}

static cn_status live_reset(live_run *live, cn_error *error) {
    run_loop *loop = live->loop;
    double kinetic, potential;
    cn_status status = cn_sim_load(loop->sim, live->start, live->start_size, error);
    live_pace(live);
    if (status == CN_OK) {
        status = cn_recorder_restart(loop->recorder, loop->sim, error);
    }
    if (status == CN_OK) {
        status = cn_recorder_frame(loop->recorder, loop->sim, error);
    }
    if (status == CN_OK) {
        status = cn_recorder_flush(loop->recorder, error);
    }
    cn_sim_energy(loop->sim, &kinetic, &potential);
    loop->summary = run_summary_start(kinetic + potential);
    live->sums = (ledger_sums){.energy_initial = kinetic + potential};
    live->frames = live->frames_flushed = live->bytes = 0;
    loop->frameless = false;
    pthread_mutex_lock(&live->mutex);
    live->box.resets++;
    live->box.row_count = 0;
    live->box.factor = 0.0;
    pthread_mutex_unlock(&live->mutex);
    return status;
}

static cn_status live_obey(live_run *live, const page_request *request, cn_error *error) {
    cn_sim *sim = live->loop->sim;
    cn_steering steering = cn_sim_steering(sim);
    if (live_steering(request, &steering)) {
        return cn_sim_steer(sim, &steering, error);
    }
    live_pace(live);
    switch (request->op) {
    case DO_PAUSE:
        live->paused = true;
        live->steps_left = 0;
        return live_flush(live, true, error);
    case DO_RESUME:
        live->paused = false;
        return CN_OK;
    case DO_STEP:
        live->paused = true;
        live->steps_left += request->count;
        return CN_OK;
    case DO_SPEED:
        live->speed = request->value;
        return CN_OK;
    case DO_RESET:
        return live_reset(live, error);
    default:
        *error = (cn_error){.status = CN_ERR_ARGUMENT, .message = "no such command"};
        return CN_ERR_ARGUMENT;
    }
}

// Does a command and reports it. Its event names the first step that it acts in, so that a run that
// goes on from an earlier checkpoint drops it.
static void live_command_do(live_run *live, live_command *command) {
    cn_error error = {.status = CN_OK};
    cn_status status = live_obey(live, &command->request, &error);
    int64_t step = cn_sim_step_index(live->loop->sim) + 1;
    double t = cn_sim_time(live->loop->sim);
    char *text = format_text("live: %s", command->text);
    if (status == CN_OK) {
        status = cn_recorder_event(live->loop->recorder, step, t, text, &error);
    }
    pthread_mutex_lock(&live->mutex);
    box_reply(&live->box, command->page, command->request.n,
              status == CN_OK ? NULL : error.message);
    if (status == CN_OK) {
        box_event(&live->box, step, t, text);
    }
    pthread_mutex_unlock(&live->mutex);
    free(text);
    live_publish(live);
}

void live_send(live_run *live, const page_request *request, const char *text, uint64_t page) {
    pthread_mutex_lock(&live->mutex);
    if (live->box.ended || live->command_count == LIVE_COMMANDS) {
        box_reply(&live->box, page, request->n,
                  live->box.ended ? "the run is over" : "too many commands are waiting");
        live_wake(live);
    } else {
        live->commands[live->command_count++] =
            (live_command){*request, format_text("%s", text), page};
        // A step that was left once goes on through a stream of changes, so that the run does not
        // stand still.
        bool ends = request->op == DO_PAUSE || request->op == DO_RESET;
        if (ends || !live->left) {
            atomic_store(&live->loop->leave, true);
        }
        pthread_cond_signal(&live->changed);
    }
    pthread_mutex_unlock(&live->mutex);
}

// Does all commands that wait. They are copied out, so that more may come meanwhile.
static bool live_commands(live_run *live) {
    live_command commands[LIVE_COMMANDS];
    pthread_mutex_lock(&live->mutex);
    int32_t count = live->command_count;
    atomic_store(&live->loop->leave, live->stop);
    memcpy(commands, live->commands, sizeof *commands * (size_t)count);
    live->command_count = 0;
    bool stop = live->stop;
    pthread_mutex_unlock(&live->mutex);
    for (int32_t i = 0; i < count; i++) {
        live_command_do(live, &commands[i]);
        free(commands[i].text);
    }
    return !stop;
}

// ---- going ----

// Waits until a command comes or some time has passed [s]; infinite: as long as it takes.
static void live_wait(live_run *live, double seconds) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    pthread_mutex_lock(&live->mutex);
    bool idle = live->command_count == 0 && !live->stop;
    if (idle && isinf(seconds)) {
        pthread_cond_wait(&live->changed, &live->mutex);
    } else if (idle) {
        double whole = floor(seconds);
        until.tv_sec += (time_t)whole;
        until.tv_nsec += (long)(1e9 * (seconds - whole));
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&live->changed, &live->mutex, &until);
    }
    pthread_mutex_unlock(&live->mutex);
}

// How long until the next step is due [s]; 0: now.
static double live_due(live_run *live) {
    if (live->paused) {
        return live->steps_left > 0 ? 0.0 : (double)INFINITY;
    }
    if (!(live->speed > 0.0)) {
        return 0.0;
    }
    double h = cn_model_settings(live->loop->model)->step, now = wall_clock();
    double ahead =
        (cn_sim_time(live->loop->sim) + h - live->paced_t) / live->speed - (now - live->paced_wall);
    if (ahead < -LIVE_LAG) {
        live->paced_wall = now; // it cannot keep the pace: nothing is to be made up for
        live->paced_t = cn_sim_time(live->loop->sim);
    }
    return fmax(0.0, ahead);
}

// What a frame takes in the file: numbers of bodies, and of contacts.
static int64_t live_frame_bytes(const live_run *live) {
    return 13 * (int64_t)sizeof(double) * cn_model_body_count(live->loop->model) +
           22 * (int64_t)sizeof(double) * cn_sim_contact_count(live->loop->sim);
}

// A run that nobody keeps must not fill the disk when it is forgotten.
static cn_status live_limit(live_run *live, cn_error *error) {
    run_loop *loop = live->loop;
    if (live->options.max == 0 || live->bytes <= live->options.max || loop->frameless) {
        return CN_OK;
    }
    const char *text = "no more frames are recorded: a run that is not kept has its limit";
    int64_t step = cn_sim_step_index(loop->sim);
    loop->frameless = true;
    live_note(live, step, cn_sim_time(loop->sim), text);
    return cn_recorder_event(loop->recorder, step, cn_sim_time(loop->sim), text, error);
}

static cn_status live_step(live_run *live, cn_error *error) {
    run_loop *loop = live->loop;
    cn_step_report report;
    live_row row;
    bool recorded;
    bool last = cn_sim_step_index(loop->sim) + 1 >= live->last;
    cn_status status = run_loop_step(loop, last, &report, &recorded, error);
    pthread_mutex_lock(&live->mutex);
    live->left = status == CN_ERR_CANCELLED;
    pthread_mutex_unlock(&live->mutex);
    if (status == CN_ERR_CANCELLED) {
        live_wait(live, LIVE_IDLE); // after a signal, for the end; commands are there already
        return CN_OK;
    }
    CN_TRY(status);
    live->steps_left -= live->steps_left > 0;
    live->frames += recorded;
    live->bytes += recorded ? live_frame_bytes(live) : 0;
    row.step = report.step;
    row.t = report.t;
    ledger_row(&live->sums, &report, row.row);
    pthread_mutex_lock(&live->mutex);
    live_news *box = &live->box;
    box->rows = list_room(box->rows, box->row_count, &box->row_capacity, sizeof *box->rows);
    box->rows[box->row_count++] = row;
    box->iterations = report.iterations;
    box->solve_ms = 1e3 * report.cpu_solve;
    box->step = report.step;
    box->t = report.t;
    pthread_mutex_unlock(&live->mutex);
    bool shown = wall_clock() - live->published >= LIVE_FRAME_TIME;
    status = live_flush(live, live->paused, error);
    if (status == CN_OK) {
        status = live_limit(live, error);
    }
    if (shown || last || live->paused) {
        live_publish(live);
    }
    return status;
}

static void *live_main(void *user) {
    live_run *live = user;
    cn_error error = {.status = CN_OK};
    cn_status status = CN_OK;
    live_pace(live);
    live_publish(live);
    while (live_commands(live) && status == CN_OK &&
           cn_sim_step_index(live->loop->sim) < live->last) {
        double due = live_due(live);
        if (due > 0.0) {
            live_wait(live, due);
        } else {
            status = live_step(live, &error);
        }
    }
    // All that was recorded becomes readable; the file is closed by who ends the run, once nobody
    // reads it any more.
    cn_recorder_flush(live->loop->recorder, NULL);
    live->status = status;
    live->error = error;
    pthread_mutex_lock(&live->mutex);
    live->box.ended = true;
    live->box.running = false;
    live->box.flushes++;
    for (int32_t i = 0; i < live->command_count; i++) {
        box_reply(&live->box, live->commands[i].page, live->commands[i].request.n,
                  "the run is over");
        free(live->commands[i].text);
    }
    live->command_count = 0;
    pthread_mutex_unlock(&live->mutex);
    live_wake(live);
    return NULL;
}

live_run *live_start(run_loop *loop, const live_options *options) {
    live_run *live = ALLOCATE(live_run, 1);
    const cn_settings *settings = cn_model_settings(loop->model);
    double kinetic, potential;
    live->options = *options;
    live->loop = loop;
    live->speed = options->speed;
    live->paused = options->paused;
    live->last = options->endless ? INT64_MAX : steps_until(settings->until, settings->step);
    cn_sim_energy(loop->sim, &kinetic, &potential);
    live->sums = (ledger_sums){.energy_initial = kinetic + potential};
    loop->note = live_note;
    loop->note_user = live;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&live->mutex, NULL);
    pthread_cond_init(&live->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (cn_sim_save(loop->sim, &live->start, &live->start_size) != CN_OK ||
        pthread_create(&live->thread, NULL, live_main, live) != 0) {
        exit(report_failure("cannot start the thread of the simulation"));
    }
    return live;
}

cn_status live_end(live_run *live, cn_error *error) {
    pthread_mutex_lock(&live->mutex);
    live->stop = true;
    atomic_store(&live->loop->leave, true);
    pthread_cond_signal(&live->changed);
    pthread_mutex_unlock(&live->mutex);
    pthread_join(live->thread, NULL);
    cn_status status = live->status;
    *error = live->error;
    cn_sim_free(live->loop->sim, live->start, live->start_size);
    live->loop->note = NULL;
    live_news_free(&live->box);
    live_frame_free(&live->spare);
    pthread_cond_destroy(&live->changed);
    pthread_mutex_destroy(&live->mutex);
    free(live);
    return status;
}
