// bench/peers/peer_scene.h
// What `cairn bench` and the peers that simulate say to each other (docs/design/engines.md): a scene
// as plain text in, states and contacts as plain doubles out. A body's frame is at its centre of
// mass along its principal axes, so that an engine needs no inertia but three numbers.
#ifndef CAIRN_PEER_SCENE_H
#define CAIRN_PEER_SCENE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum peer_kind { PEER_SPHERE, PEER_BOX, PEER_HULL, PEER_PLANE } peer_kind;

// In the frame of its body. Vertices and normals are relative to it; spheres and boxes are centred.
typedef struct peer_shape {
    peer_kind kind;
    double radius;
    double size[3];                 // box: full edges, along the body's axes
    double normal[3], offset;       // plane: free where normal . x >= offset
    double *vertices;               // hull: 3 each
    int32_t vertex_count;           //
    int32_t *faces;                 // hull: for each face its count, then its vertices
    int32_t face_count, face_words; // counter-clockwise from outside; numbers in faces
} peer_shape;

typedef enum peer_role { PEER_FREE, PEER_FIXED, PEER_DRIVEN } peer_role;

typedef struct peer_body {
    peer_role role;
    double mass, inertia[3];
    double pose[7];     // x y z, w x y z
    double velocity[6]; // of the centre of mass, and angular, world axes
    peer_shape *shapes;
    int32_t shape_count;
} peer_body;

// From time t on a driven body moves with this velocity.
typedef struct peer_motion {
    int32_t body;
    double t, velocity[3];
} peer_motion;

typedef struct peer_scene {
    double step, gravity[3], friction;
    int32_t steps, every; // states go out after every so many steps
    double limit;         // [s] of CPU after which the peer stops stepping
    peer_body *bodies;
    int32_t body_count;
    peer_motion *motions; // in the order of time
    int32_t motion_count;
} peer_scene;

// Ends the program with a message when the file is not such a scene.
peer_scene *peer_scene_read(const char *path);
// The velocity of a driven body at time t; zero before its first motion.
void peer_driven_velocity(const peer_scene *scene, int32_t body, double t, double v[3]);

// A contact of a step as the engine saw it. Bodies count from 0.
typedef struct peer_contact {
    double a, b;
    double point[3], normal[3]; // normal towards a
    double gap;                 // [m] negative: overlap
    double impulse[3];          // [N s] on a; NaN: not known
    double push;                // [m/s] normal velocity that the engine aims at against overlap
} peer_contact;

// ---- a run ----

// What an engine has to offer. Its world is its own.
typedef struct peer_engine {
    const char *name, *setting;
    void *world;
    void (*step)(void *world, double t); // the only part that is timed
    void (*state)(void *world, int32_t body, double pose[7], double velocity[6]);
    // The contacts of the last step into contacts, at most room of them; returns how many. NULL:
    // the engine does not report.
    int32_t (*contacts)(void *world, peer_contact *contacts, int32_t room);
} peer_engine;

// Steps the world, writes states to the file, prints the JSON object. Returns an exit code. A frame
// of the file is: t, contacts; 13 numbers per body before the step, as many after it; the contacts.
int peer_scene_run(const peer_scene *scene, const peer_engine *engine, const char *path);

double peer_scene_clock(void); // [s] of CPU
void *peer_scene_allocate(size_t count, size_t size);

#ifdef __cplusplus
}
#endif
#endif
