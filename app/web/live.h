// app/web/live.h
// A simulation that goes on in a thread of its own while others look at it and steer it. It never
// waits for them: what there is to see lies in a mailbox, where a newer frame replaces one that was
// not taken.
#ifndef CAIRN_APP_WEB_LIVE_H
#define CAIRN_APP_WEB_LIVE_H

#include "run/run_loop.h"
#include "web/message.h"
#include "web/request.h"

typedef struct live_run live_run;

typedef struct live_options {
    double speed;             // simulated seconds per second; 0: as fast as it goes
    bool endless;             // the scene's end does not count
    bool paused;              // at the start
    int64_t max;              // bytes of frames that are recorded, about; 0: as many as come
    void (*wake)(void *user); // called from the simulation's thread when there is news
    void *user;
} live_options;

// Starts the thread. The run loop has been created and is the thread's until live_end.
live_run *live_start(run_loop *loop, const live_options *options);
// Asks the thread to stop and waits for it. The status is that of its last step; the caller goes on
// with run_loop_finish.
cn_status live_end(live_run *live, cn_error *error);

// A command of a page, with its text for the run file's events and who wants the reply.
void live_send(live_run *live, const page_request *request, const char *text, uint64_t page);

// ---- the mailbox ----

typedef struct live_frame {
    int64_t step;
    double t;
    double *q, *v;
    cn_contact_record *contacts;
    int32_t contact_count, contact_capacity;
    cn_joint_record *joints;
    int32_t joint_count;
    message_soft soft;
    double *x, *stress; // of soft
} live_frame;

typedef struct live_row {
    int64_t step;
    double t;
    double row[LEDGER_COLUMNS];
} live_row;

typedef struct live_reply {
    uint64_t page;
    int64_t n;
    char *problem; // NULL: done
} live_reply;

typedef struct live_event {
    int64_t step;
    double t;
    char *text;
} live_event;

// What the thread reports. Lists are in the order in which things happened.
typedef struct live_news {
    bool has_frame;
    live_frame frame; // the latest
    live_row *rows;
    int64_t row_count, row_capacity;
    live_reply *replies;
    int32_t reply_count, reply_capacity;
    live_event *events;
    int32_t event_count, event_capacity;
    int32_t resets;  // how often the run has started over, so far
    int64_t flushes; // how often recorded frames have become readable, so far
    int64_t dropped; // frames that were replaced in the mailbox, so far
    bool running, ended;
    double speed, factor; // real-time factor of the last moments
    int32_t iterations;
    double solve_ms;
    int64_t step;
    double t;
    cn_steering steering;
} live_news;

// Takes what is in the mailbox; to be given back with live_news_free, or as the next call's
// `news`, whose memory is then used again.
void live_take(live_run *live, live_news *news);
void live_news_free(live_news *news);

// What a command does to the steering of a run; false: it is none of that kind.
bool live_steering(const page_request *request, cn_steering *steering);

#endif
