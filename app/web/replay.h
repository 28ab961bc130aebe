// app/web/replay.h
// A run file as the page sees it: what is known of the run, its bodies, and answers to requests,
// as the messages of docs/reference/viewer-protocol.md. Frames are read one by one when asked for; the file
// is never read whole.
#ifndef CAIRN_APP_WEB_REPLAY_H
#define CAIRN_APP_WEB_REPLAY_H

#include "support/json.h"
#include "web/message.h"

typedef struct replay_file {
    const char *path;
    cn_run *run;
    cn_model *model; // of the run's own scene; NULL: it has none
    int32_t dim, bodies;
    double h, theta, tolerance;
    double gravity[3];
    bool unturned;                      // every body is a sphere about its own origin
    bool checked;                       // the facts below were gathered from frames that were there
    double low[3], high[3];             // [m] box of moving bodies, without those that fell away
    double start_low[3], start_high[3]; // the same of the first frame
    double force_ref, force_mean;       // [N]; NaN: no contact presses
    double length;                      // [m] the median size of moving bodies
    double scale;                       // [J] what energy errors are measured by
    double *q, *v;                      // a frame
    cn_arena *memory;                   // of the meshes
    cn_run_mesh *soft;                  // of the deformable bodies
    int32_t soft_count;
    double *stress; // of all their elements, 6 each; NULL: the scene is not known
    int64_t elements;
    char *bodies_text; // of replay_bodies; NULL: not asked for so far
} replay_file;

// On failure there is nothing to close.
cn_status replay_open(const char *path, replay_file *out, cn_error *error);
void replay_close(replay_file *replay);
// Looks again at a file that is being written: frames added or, after a reset, dropped.
cn_status replay_refresh(replay_file *replay, cn_error *error);

// The part of hello that only a live run has.
typedef struct hello_live {
    bool running;
    double speed, friction;
    double gravity[3];
    double until;     // [s]; NaN: no end
    const char *save; // NULL: the run file will not be kept
    int64_t step;     // reached
    double t;
} hello_live;

// JSON text, to be freed. mode: "replay", "live" or "file"; live: NULL unless it is one.
cn_status replay_hello(replay_file *replay, const char *mode, const hello_live *live, char **text,
                       cn_error *error);
// JSON text, made once and kept: a run's bodies do not change.
cn_status replay_bodies(replay_file *replay, const char **text, cn_error *error);

// ---- deformable bodies ----

// Their meshes, when the run is opened.
cn_status replay_meshes(replay_file *replay, cn_error *error);
// Keys of the bodies message: each with its mesh and where it is in the first frame; the meshes that
// differ.
cn_status replay_put_deformable(replay_file *replay, json_writer *json, cn_error *error);
// Nodes and stresses of a frame that was read into q; in memory, and until the next call.
cn_status replay_soft(replay_file *replay, int64_t place, cn_arena *memory, message_soft *out,
                      cn_error *error);

// For each body the index of the first one with the same shapes. To be freed.
int32_t *bodies_alike(const cn_run_body *rows, int32_t count);

// The place of the frame of a step, or else of the last before it; -1: there is none.
int64_t replay_find(const replay_file *replay, int64_t step);
// Messages of types 1 and 2 of the frame at a place.
cn_status replay_frame(replay_file *replay, int64_t place, uint32_t id, byte_buffer *frame,
                       byte_buffer *contacts, cn_error *error);
void replay_index(const replay_file *replay, uint32_t id, int64_t first, byte_buffer *out);
cn_status replay_ledger(replay_file *replay, uint32_t id, int64_t from, int64_t to, int64_t bins,
                        byte_buffer *out, cn_error *error);
double replay_energy_initial(replay_file *replay);

#endif
