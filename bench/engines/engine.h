// bench/engines/engine.h
// The same scene simulated by us and by other engines: one start, one step, and what they did
// measured alike, from their states alone.
//
// A course is a scene of the gallery. Its world is what all entrants are given: bodies at their
// centres of mass along their principal axes, with spheres, boxes, hulls and planes. Overlaps are
// found by this library's detection, whoever made the states.
#ifndef CAIRN_BENCH_ENGINES_ENGINE_H
#define CAIRN_BENCH_ENGINES_ENGINE_H

#include "support/support.h"

#define CN_RACE_OVERRIDES 14
#define CN_RACE_FREE 13 // numbers of a body's state: pose 7, velocity 6

typedef struct cn_course {
    const char *scene;                  // of the gallery
    cn_override set[CN_RACE_OVERRIDES]; // ends with a NULL path
    double until;                       // [s]
    double unit;                        // [m] that overlaps are a share of
    int32_t every;                      // steps between the states that are looked at
    double limit;                       // [s] of CPU for an entrant
} cn_course;

// ---- the world ----

typedef struct cn_racing_body {
    bool is_free, is_driven;
    double mass, inertia[3]; // principal
    double com[3], turn[4];  // of the frame used here, in the body's own
    double start[CN_RACE_FREE];
    cn_shape_def *shapes; // in the frame used here
    int32_t shape_count;
} cn_racing_body;

typedef struct cn_drive_change { // from time t on a driven body has this velocity
    int32_t body;
    double t, velocity[3];
} cn_drive_change;

typedef struct cn_race_world {
    cn_model *model; // owned
    cn_racing_body *bodies;
    int32_t count, first_free;
    double step, gravity[3], friction;
    cn_drive_change *changes;
    int32_t change_count;
} cn_race_world;

// false: what is wrong has been said. friction: of all contacts.
bool cn_race_world_open(const cn_course *course, const cn_override *more, double friction,
                        cn_race_world *world);
void cn_race_world_close(cn_race_world *world);
// The text that bench/peers/peer_scene.h reads.
bool cn_race_world_write(const cn_race_world *world, const cn_course *course, const char *path);
// The states of all bodies as the simulation has them, in the frames used here; velocities zero.
void cn_race_world_states(const cn_race_world *world, const cn_sim *sim, double *states);
// The largest overlap [m] of bodies at these states; NaN when it cannot be had.
double cn_race_overlap(const cn_race_world *world, const double *states);

// ---- entrants ----

enum { CN_PHASE_DETECT, CN_PHASE_ASSEMBLE, CN_PHASE_SOLVE, CN_PHASE_ADVANCE, CN_PHASES };

typedef struct cn_race_result {
    char name[48], setting[64];
    bool found, ran;          // the program is there; it went to its end
    double cpu_s, simulated;  // [s]; cut short by the limit where simulated is less than asked
    double contacts;          // mean
    double overlap_worst;     // [m] of all states looked at
    double overlap_settled;   // [m] of those in the last tenth of the run
    double kinetic;           // [J] at the end
    double moved;             // [m] largest way of a free body from the start to the end
    double residual_worst;    // ours: of all steps, theirs: of the states looked at
    double residual_settled;  // median of the last tenth of the run
    double momentum;          // peers: what their impulses leave of their change of velocity
    int64_t steps, missed;    // steps; those that missed the tolerance, -1: there is none
    double phases[CN_PHASES]; // [s] of CPU, ours alone
    double iterations;        // a step, ours alone
} cn_race_result;

double cn_race_speed(const cn_race_result *result); // S_p: simulated over CPU time

// By the library, without a run file. set goes over the course's.
bool cn_race_ours(const cn_course *course, cn_race_world *world, cn_race_result *result);

typedef struct cn_peer_engine {
    const char *name, *program;
} cn_peer_engine;
extern const cn_peer_engine cn_peer_engines[];
extern const int32_t cn_peer_engine_count;

// By another engine; result->ran says whether it is there and came back.
void cn_race_theirs(const cn_course *course, const cn_race_world *world,
                    const cn_peer_engine *engine, cn_race_result *result);

// A contact as peers tell it: the layout of bench/peers/peer_scene.h.
typedef struct cn_told_contact {
    double a, b, point[3], normal[3], gap, impulse[3], push;
} cn_told_contact;

// The checker's residual of a peer's impulses at the peer's own contacts, from its velocities
// before the step; momentum: |M (v - v_free) - H r| over |M v_free|. NaN: there is nothing to
// grade.
double cn_race_grade(const cn_race_world *world, const double *before, const double *after,
                     const cn_told_contact *contacts, int32_t count, double *momentum);

#endif
