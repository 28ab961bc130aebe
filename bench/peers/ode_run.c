// bench/peers/ode_run.c
// A scene of `cairn bench` in ODE: QuickStep (projected Gauss-Seidel without warm start, a pyramid
// for the friction cone), ERP 0.2 and the library's own CFM.
//
//     ode_run SCENE STATES [ITERATIONS]
#include "peer_scene.h"

#include <ode/ode.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ODE_ITERATIONS 100
#define ODE_POINTS 8 // contacts of a pair of shapes

typedef struct ode_touch {
    dJointFeedback feedback;
    dContactGeom geom;
    int32_t a, b;
} ode_touch;

typedef struct ode_engine {
    const peer_scene *scene;
    dWorldID world;
    dSpaceID space;
    dJointGroupID joints;
    dBodyID *bodies; // NULL: fixed
    ode_touch *touches;
    int32_t touch_count, touch_room;
} ode_engine;

static dGeomID ode_hull(ode_engine *ode, const peer_shape *shape) {
    // ODE keeps the pointers: planes of the faces, vertices and polygons stay until the end.
    dReal *planes = peer_scene_allocate(4 * (size_t)shape->face_count, sizeof *planes);
    dReal *points = peer_scene_allocate(3 * (size_t)shape->vertex_count, sizeof *points);
    unsigned *polygons = peer_scene_allocate((size_t)shape->face_words, sizeof *polygons);
    for (int32_t i = 0; i < 3 * shape->vertex_count; i++) {
        points[i] = shape->vertices[i];
    }
    const int32_t *face = shape->faces;
    for (int32_t f = 0; f < shape->face_count; f++) {
        const double *a = shape->vertices + 3 * face[1], *b = shape->vertices + 3 * face[2];
        const double *c = shape->vertices + 3 * face[3];
        double u[3], v[3], *n = planes + 4 * (size_t)f;
        for (int32_t k = 0; k < 3; k++) {
            u[k] = b[k] - a[k];
            v[k] = c[k] - a[k];
        }
        n[0] = u[1] * v[2] - u[2] * v[1];
        n[1] = u[2] * v[0] - u[0] * v[2];
        n[2] = u[0] * v[1] - u[1] * v[0];
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int32_t k = 0; k < 3; k++) {
            n[k] /= length;
        }
        n[3] = n[0] * a[0] + n[1] * a[1] + n[2] * a[2];
        face += face[0] + 1;
    }
    for (int32_t i = 0; i < shape->face_words; i++) {
        polygons[i] = (unsigned)shape->faces[i];
    }
    return dCreateConvex(ode->space, planes, (unsigned)shape->face_count, points,
                         (unsigned)shape->vertex_count, polygons);
}

static void ode_add_shape(ode_engine *ode, int32_t index, const peer_shape *shape) {
    const peer_body *body = &ode->scene->bodies[index];
    dGeomID geom = NULL;
    switch (shape->kind) {
    case PEER_SPHERE:
        geom = dCreateSphere(ode->space, shape->radius);
        break;
    case PEER_BOX:
        geom = dCreateBox(ode->space, shape->size[0], shape->size[1], shape->size[2]);
        break;
    case PEER_HULL:
        geom = ode_hull(ode, shape);
        break;
    case PEER_PLANE: // in world axes: bodies with planes are fixed at the origin
        geom = dCreatePlane(ode->space, shape->normal[0], shape->normal[1], shape->normal[2],
                            shape->offset);
        break;
    }
    dGeomSetData(geom, (void *)(intptr_t)index);
    if (ode->bodies[index]) {
        dGeomSetBody(geom, ode->bodies[index]);
    } else if (shape->kind != PEER_PLANE) {
        const double *q = body->pose;
        const dQuaternion turn = {q[3], q[4], q[5], q[6]};
        dGeomSetPosition(geom, q[0], q[1], q[2]);
        dGeomSetQuaternion(geom, turn);
    }
}

static void ode_add_body(ode_engine *ode, int32_t index) {
    const peer_body *body = &ode->scene->bodies[index];
    if (body->role != PEER_FIXED) {
        dBodyID made = ode->bodies[index] = dBodyCreate(ode->world);
        const double *q = body->pose, *v = body->velocity;
        const dQuaternion turn = {q[3], q[4], q[5], q[6]};
        dMass mass;
        dMassSetParameters(&mass, body->mass, 0, 0, 0, body->inertia[0], body->inertia[1],
                           body->inertia[2], 0, 0, 0);
        dBodySetMass(made, &mass);
        dBodySetPosition(made, q[0], q[1], q[2]);
        dBodySetQuaternion(made, turn);
        dBodySetLinearVel(made, v[0], v[1], v[2]);
        dBodySetAngularVel(made, v[3], v[4], v[5]);
        if (body->role == PEER_DRIVEN) {
            dBodySetKinematic(made);
        }
    }
    for (int32_t i = 0; i < body->shape_count; i++) {
        ode_add_shape(ode, index, &body->shapes[i]);
    }
}

// ---- a step ----

// Hulls that touch face to face sometimes get a contact without a direction, which would end the
// program: such ones are left out.
static bool ode_is_sound(const dContactGeom *geom) {
    const dReal *n = geom->normal;
    dReal square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    return isfinite(geom->depth) && fabs(square - 1.0) < 1e-3;
}

static void ode_near(void *user, dGeomID first, dGeomID second) {
    ode_engine *ode = user;
    dBodyID a = dGeomGetBody(first), b = dGeomGetBody(second);
    dContact contacts[ODE_POINTS];
    if ((!a || dBodyIsKinematic(a)) && (!b || dBodyIsKinematic(b))) {
        return;
    }
    int count = dCollide(first, second, ODE_POINTS, &contacts[0].geom, sizeof contacts[0]);
    for (int i = 0; i < count && ode->touch_count < ode->touch_room; i++) {
        dContact *contact = &contacts[i];
        if (!ode_is_sound(&contact->geom)) {
            continue;
        }
        contact->surface.mode = dContactApprox1;
        contact->surface.mu = ode->scene->friction;
        dJointID joint = dJointCreateContact(ode->world, ode->joints, contact);
        dJointAttach(joint, a, b);
        ode_touch *touch = &ode->touches[ode->touch_count++];
        touch->geom = contact->geom;
        touch->a = (int32_t)(intptr_t)dGeomGetData(first);
        touch->b = (int32_t)(intptr_t)dGeomGetData(second);
        memset(&touch->feedback, 0, sizeof touch->feedback);
        dJointSetFeedback(joint, &touch->feedback);
    }
}

static void ode_step(void *world, double t) {
    ode_engine *ode = world;
    for (int32_t i = 0; ode->scene->motion_count > 0 && i < ode->scene->body_count; i++) {
        if (ode->scene->bodies[i].role == PEER_DRIVEN) {
            double v[3];
            peer_driven_velocity(ode->scene, i, t, v);
            dBodySetLinearVel(ode->bodies[i], v[0], v[1], v[2]);
        }
    }
    dJointGroupEmpty(ode->joints);
    ode->touch_count = 0;
    dSpaceCollide(ode->space, ode, ode_near);
    dWorldQuickStep(ode->world, ode->scene->step);
}

// ---- looking ----

static void ode_state(void *world, int32_t body, double pose[7], double velocity[6]) {
    const ode_engine *ode = world;
    if (!ode->bodies[body]) {
        memcpy(pose, ode->scene->bodies[body].pose, 7 * sizeof *pose);
        memset(velocity, 0, 6 * sizeof *velocity);
        return;
    }
    const dReal *x = dBodyGetPosition(ode->bodies[body]);
    const dReal *turn = dBodyGetQuaternion(ode->bodies[body]);
    const dReal *v = dBodyGetLinearVel(ode->bodies[body]);
    const dReal *w = dBodyGetAngularVel(ode->bodies[body]);
    for (int32_t k = 0; k < 3; k++) {
        pose[k] = x[k];
        velocity[k] = v[k];
        velocity[3 + k] = w[k];
    }
    for (int32_t k = 0; k < 4; k++) {
        pose[3 + k] = turn[k];
    }
}

static int32_t ode_contacts(void *world, peer_contact *contacts, int32_t room) {
    const ode_engine *ode = world;
    double h = ode->scene->step, erp = dWorldGetERP(ode->world);
    int32_t count = ode->touch_count < room ? ode->touch_count : room;
    for (int32_t i = 0; i < count; i++) {
        const ode_touch *touch = &ode->touches[i];
        peer_contact *out = &contacts[i];
        // The first body of the joint is the first geometry's, unless only the second has one.
        bool swapped = !ode->bodies[touch->a];
        out->a = touch->a;
        out->b = touch->b;
        out->gap = -touch->geom.depth;
        out->push = erp * touch->geom.depth / h;
        for (int32_t k = 0; k < 3; k++) {
            out->point[k] = touch->geom.pos[k];
            out->normal[k] = touch->geom.normal[k];
            out->impulse[k] = h * (swapped ? -touch->feedback.f1[k] : touch->feedback.f1[k]);
        }
    }
    return count;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fputs("usage: ode_run SCENE STATES [ITERATIONS]\n", stderr);
        return 2;
    }
    peer_scene *scene = peer_scene_read(argv[1]);
    int iterations = argc > 3 ? atoi(argv[3]) : ODE_ITERATIONS;
    dInitODE2(0);
    ode_engine ode = {.scene = scene,
                      .world = dWorldCreate(),
                      .space = dHashSpaceCreate(NULL),
                      .joints = dJointGroupCreate(0),
                      .touch_room = 40 * scene->body_count + 1000};
    ode.bodies = peer_scene_allocate((size_t)scene->body_count, sizeof *ode.bodies);
    ode.touches = peer_scene_allocate((size_t)ode.touch_room, sizeof *ode.touches);
    dWorldSetGravity(ode.world, scene->gravity[0], scene->gravity[1], scene->gravity[2]);
    dWorldSetQuickStepNumIterations(ode.world, iterations);
    for (int32_t i = 0; i < scene->body_count; i++) {
        ode_add_body(&ode, i);
    }
    char setting[64];
    snprintf(setting, sizeof setting, "QuickStep, %d iterations", iterations);
    const peer_engine engine = {.name = "ODE",
                                .setting = setting,
                                .world = &ode,
                                .step = ode_step,
                                .state = ode_state,
                                .contacts = ode_contacts};
    return peer_scene_run(scene, &engine, argv[2]);
}
