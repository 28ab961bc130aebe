// bench/engines/engine.h
// The same scene simulated by us and by other engines: one start, one step, and what they did
// measured alike, from their states alone.
//
// A case is a scene of the gallery. Its world is what all engines are given: bodies at their
// centres of mass along their principal axes, with spheres, boxes, hulls and planes. Overlaps are
// found by this library's detection, whoever made the states.
#ifndef CAIRN_BENCH_ENGINES_ENGINE_H
#define CAIRN_BENCH_ENGINES_ENGINE_H

#include "support/support.h"

#define ENGINE_OVERRIDES 14
#define ENGINE_FREE 13 // numbers of a body's state: pose 7, velocity 6

typedef struct engine_case {
    const char *scene;                 // of the gallery
    cn_override set[ENGINE_OVERRIDES]; // ends with a NULL path
    double until;                      // [s]
    double unit;                       // [m] that overlaps are a share of
    int32_t every;                     // steps between the states that are looked at
    double limit;                      // [s] of CPU per engine
} engine_case;

// ---- the world ----

typedef struct engine_body {
    bool is_free, is_driven;
    double mass, inertia[3]; // principal
    double com[3], turn[4];  // of the frame used here, in the body's own
    double start[ENGINE_FREE];
    cn_shape_def *shapes; // in the frame used here
    int32_t shape_count;
} engine_body;

typedef struct velocity_change { // from time t on a driven body has this velocity
    int32_t body;
    double t, velocity[3];
} velocity_change;

typedef struct engine_world {
    cn_model *model; // owned
    engine_body *bodies;
    int32_t count, first_free;
    double step, gravity[3], friction;
    velocity_change *changes;
    int32_t change_count;
} engine_world;

// false: what is wrong has been said. friction: of all contacts.
bool engine_world_open(const engine_case *scene_case, const cn_override *more, double friction,
                       engine_world *world);
void engine_world_close(engine_world *world);
// The text that bench/peers/peer_scene.h reads.
bool engine_world_write(const engine_world *world, const engine_case *scene_case, const char *path);
// The states of all bodies as the simulation has them, in the frames used here; velocities zero.
void engine_world_states(const engine_world *world, const cn_sim *sim, double *states);
// The largest overlap [m] of bodies at these states; NaN when it cannot be had.
double engine_overlap(const engine_world *world, const double *states);

// ---- engines ----

enum { PHASE_DETECT, PHASE_ASSEMBLE, PHASE_SOLVE, PHASE_ADVANCE, PHASES };

typedef struct engine_result {
    char name[48], setting[64];
    bool found, ran;         // the program is there; it went to its end
    double cpu_s, simulated; // [s]; cut short by the limit where simulated is less than asked
    double contacts;         // mean
    double overlap_worst;    // [m] of all states looked at
    double overlap_settled;  // [m] of those in the last tenth of the run
    double kinetic;          // [J] at the end
    double moved;            // [m] largest way of a free body from the start to the end
    double residual_worst;   // ours: of all steps, theirs: of the states looked at
    double residual_settled; // median of the last tenth of the run
    double momentum;         // peers: what their impulses leave of their change of velocity
    int64_t steps, missed;   // steps; those that missed the tolerance, -1: there is none
    double phases[PHASES];   // [s] of CPU, ours alone
    double iterations;       // a step, ours alone
} engine_result;

double engine_speed(const engine_result *result); // S_p: simulated over CPU time

// By the library, without a run file. set goes over the case's.
bool engine_run_cairn(const engine_case *scene_case, engine_world *world, engine_result *result);

typedef struct peer_engine {
    const char *name, *program;
} peer_engine;
extern const peer_engine peer_engines[];
extern const int32_t peer_engine_count;

// By another engine; result->ran says whether it is there and came back.
void engine_run_peer(const engine_case *scene_case, const engine_world *world,
                     const peer_engine *engine, engine_result *result);

// A contact as peers report it: the layout of bench/peers/peer_scene.h.
typedef struct peer_contact_row {
    double a, b, point[3], normal[3], gap, impulse[3], push;
} peer_contact_row;

// The checker's residual of a peer's impulses at the peer's own contacts, from its velocities
// before the step; momentum: |M (v - v_free) - H r| over |M v_free|. NaN: there is nothing to
// grade.
double engine_grade(const engine_world *world, const double *before, const double *after,
                    const peer_contact_row *contacts, int32_t count, double *momentum);

#endif
