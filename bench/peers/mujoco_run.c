// bench/peers/mujoco_run.c
// A scene of `cairn bench` in MuJoCo: elliptic cone, Newton's solver (conjugate gradients for many
// bodies, whose Hessian is too large), soft contacts with the stiffest reference that the step
// allows. Driven bodies are mocap bodies.
//
//     mujoco_run SCENE STATES
#include "peer_scene.h"

#include <mujoco/mujoco.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MUJOCO_NEWTON 50         // bodies up to which Newton's solver is used
#define MUJOCO_CONTACTS 16       // a body, at most
#define MUJOCO_CONTACTS_SPHERE 4 // a sphere
#define MUJOCO_STACK 200000000   // numbers of scratch: Newton keeps a dense matrix there

typedef struct mujoco_engine {
    const peer_scene *scene;
    mjModel *model;
    mjData *data;
    int32_t *joint; // of each body: where its free joint's coordinates start; -1: it has none
    int32_t *velocity;
    int32_t *body_of; // by MuJoCo's bodies
} mujoco_engine;

// ---- the model as text ----

// The rotation that takes z to a normal.
static void mujoco_turn(const double n[3], double turn[4]) {
    double w = 1.0 + n[2], x = -n[1], y = n[0];
    if (w < 1e-9) {
        w = 0.0;
        x = 1.0;
        y = 0.0;
    }
    double length = sqrt(w * w + x * x + y * y);
    turn[0] = w / length;
    turn[1] = x / length;
    turn[2] = y / length;
    turn[3] = 0.0;
}

static void mujoco_geom(FILE *out, int32_t body, int32_t index, const peer_shape *shape) {
    double turn[4];
    switch (shape->kind) {
    case PEER_SPHERE:
        fprintf(out, "<geom type='sphere' size='%.17g'/>\n", shape->radius);
        break;
    case PEER_BOX:
        fprintf(out, "<geom type='box' size='%.17g %.17g %.17g'/>\n", 0.5 * shape->size[0],
                0.5 * shape->size[1], 0.5 * shape->size[2]);
        break;
    case PEER_PLANE:
        mujoco_turn(shape->normal, turn);
        fprintf(out,
                "<geom type='plane' size='0 0 1' pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g "
                "%.17g'/>\n",
                shape->offset * shape->normal[0], shape->offset * shape->normal[1],
                shape->offset * shape->normal[2], turn[0], turn[1], turn[2], turn[3]);
        break;
    case PEER_HULL:
        fprintf(out, "<geom type='mesh' mesh='m%d_%d'/>\n", (int)body, (int)index);
        break;
    }
}

static void mujoco_body(FILE *out, int32_t index, const peer_body *body) {
    const double *q = body->pose;
    fprintf(out, "<body name='b%d' pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'%s>\n",
            (int)index, q[0], q[1], q[2], q[3], q[4], q[5], q[6],
            body->role == PEER_DRIVEN ? " mocap='true'" : "");
    // What does not move has a mass all the same, or MuJoCo would ask its planes for one.
    fprintf(out, "%s<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>\n",
            body->role == PEER_FREE ? "<freejoint/>" : "", body->mass, body->inertia[0],
            body->inertia[1], body->inertia[2]);
    for (int32_t i = 0; i < body->shape_count; i++) {
        mujoco_geom(out, index, i, &body->shapes[i]);
    }
    fputs("</body>\n", out);
}

// MuJoCo moves the frame of a mesh to its own centre and axes; the vertices then are where they
// were, since a geometry that names a mesh is moved back.
static void mujoco_mesh(FILE *out, int32_t body, int32_t index, const peer_shape *shape) {
    fprintf(out, "<mesh name='m%d_%d' vertex='", (int)body, (int)index);
    for (int32_t i = 0; i < 3 * shape->vertex_count; i++) {
        fprintf(out, "%.17g ", shape->vertices[i]);
    }
    fputs("'/>\n", out);
}

static void mujoco_write(const peer_scene *scene, FILE *out) {
    const peer_body *last = &scene->bodies[scene->body_count - 1];
    bool is_sphere = last->shapes[0].kind == PEER_SPHERE;
    int contacts = (is_sphere ? MUJOCO_CONTACTS_SPHERE : MUJOCO_CONTACTS) * scene->body_count;
    fprintf(out,
            "<mujoco>\n<option timestep='%.17g' gravity='%.17g %.17g %.17g' cone='elliptic' "
            "solver='%s' iterations='100'/>\n",
            scene->step, scene->gravity[0], scene->gravity[1], scene->gravity[2],
            scene->body_count > MUJOCO_NEWTON ? "CG" : "Newton");
    fprintf(out, "<size nconmax='%d' njmax='%d' nstack='%d'/>\n", contacts, 3 * contacts,
            MUJOCO_STACK);
    fprintf(out, "<default><geom friction='%.17g 0 0' condim='3' solref='%.17g 1'/></default>\n",
            scene->friction, 2.0 * scene->step);
    fputs("<asset>\n", out);
    for (int32_t i = 0; i < scene->body_count; i++) {
        for (int32_t k = 0; k < scene->bodies[i].shape_count; k++) {
            if (scene->bodies[i].shapes[k].kind == PEER_HULL) {
                mujoco_mesh(out, i, k, &scene->bodies[i].shapes[k]);
            }
        }
    }
    fputs("</asset>\n<worldbody>\n", out);
    for (int32_t i = 0; i < scene->body_count; i++) {
        mujoco_body(out, i, &scene->bodies[i]);
    }
    fputs("</worldbody>\n</mujoco>\n", out);
}

static mjModel *mujoco_load(const peer_scene *scene, const char *states) {
    char path[4096], error[1024] = "";
    snprintf(path, sizeof path, "%s.xml", states);
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "mujoco_run: cannot write %s\n", path);
        exit(1);
    }
    mujoco_write(scene, file);
    fclose(file);
    mjModel *model = mj_loadXML(path, NULL, error, sizeof error);
    remove(path);
    if (!model) {
        fprintf(stderr, "mujoco_run: %s\n", error);
        exit(1);
    }
    return model;
}

// ---- a step ----

static void mujoco_step(void *world, double t) {
    mujoco_engine *mujoco = world;
    const peer_scene *scene = mujoco->scene;
    for (int32_t i = 0; scene->motion_count > 0 && i < scene->body_count; i++) {
        if (scene->bodies[i].role == PEER_DRIVEN) {
            double v[3];
            char name[32];
            peer_driven_velocity(scene, i, t, v);
            snprintf(name, sizeof name, "b%d", (int)i);
            int id = mujoco->model->body_mocapid[mj_name2id(mujoco->model, mjOBJ_BODY, name)];
            for (int32_t k = 0; k < 3; k++) {
                mujoco->data->mocap_pos[3 * id + k] += scene->step * v[k];
            }
        }
    }
    mj_step(mujoco->model, mujoco->data);
}

// ---- looking ----

static void mujoco_state(void *world, int32_t body, double pose[7], double velocity[6]) {
    const mujoco_engine *mujoco = world;
    memset(velocity, 0, 6 * sizeof *velocity);
    if (mujoco->joint[body] < 0) {
        memcpy(pose, mujoco->scene->bodies[body].pose, 7 * sizeof *pose);
        char name[32];
        snprintf(name, sizeof name, "b%d", (int)body);
        int id = mujoco->model->body_mocapid[mj_name2id(mujoco->model, mjOBJ_BODY, name)];
        if (id >= 0) {
            memcpy(pose, mujoco->data->mocap_pos + 3 * (size_t)id, 3 * sizeof *pose);
        }
        return;
    }
    const mjtNum *q = mujoco->data->qpos + mujoco->joint[body];
    const mjtNum *v = mujoco->data->qvel + mujoco->velocity[body];
    memcpy(pose, q, 7 * sizeof *pose);
    memcpy(velocity, v, 3 * sizeof *velocity);
    mju_rotVecQuat(velocity + 3, v + 3, q + 3); // from body axes
}

static int32_t mujoco_contacts(void *world, peer_contact *contacts, int32_t room) {
    const mujoco_engine *mujoco = world;
    int32_t count = mujoco->data->ncon < room ? mujoco->data->ncon : room;
    for (int32_t i = 0; i < count; i++) {
        const mjContact *contact = &mujoco->data->contact[i];
        peer_contact *out = &contacts[i];
        mjtNum force[6];
        mj_contactForce(mujoco->model, mujoco->data, i, force);
        // The frame's first axis points from the first geometry to the second.
        out->a = mujoco->body_of[mujoco->model->geom_bodyid[contact->geom2]];
        out->b = mujoco->body_of[mujoco->model->geom_bodyid[contact->geom1]];
        out->gap = contact->dist;
        out->push = 0.0;
        for (int32_t k = 0; k < 3; k++) {
            out->point[k] = contact->pos[k];
            out->normal[k] = contact->frame[k];
            out->impulse[k] = 0.0;
            for (int32_t j = 0; j < 3; j++) {
                out->impulse[k] += mujoco->scene->step * force[j] * contact->frame[3 * j + k];
            }
        }
    }
    return count;
}

static void mujoco_place(mujoco_engine *mujoco) {
    const peer_scene *scene = mujoco->scene;
    mujoco->joint = peer_scene_allocate((size_t)scene->body_count, sizeof *mujoco->joint);
    mujoco->velocity = peer_scene_allocate((size_t)scene->body_count, sizeof *mujoco->velocity);
    mujoco->body_of = peer_scene_allocate((size_t)mujoco->model->nbody, sizeof(int32_t));
    for (int32_t i = 0; i < scene->body_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "b%d", (int)i);
        int id = mj_name2id(mujoco->model, mjOBJ_BODY, name);
        mujoco->body_of[id] = i;
        mujoco->joint[i] = -1;
        if (scene->bodies[i].role == PEER_FREE) {
            int joint = mujoco->model->body_jntadr[id];
            mujoco->joint[i] = mujoco->model->jnt_qposadr[joint];
            mujoco->velocity[i] = mujoco->model->jnt_dofadr[joint];
            mjtNum *v = mujoco->data->qvel + mujoco->velocity[i], inverse[4];
            memcpy(v, scene->bodies[i].velocity, 3 * sizeof *v);
            mju_negQuat(inverse, scene->bodies[i].pose + 3);
            mju_rotVecQuat(v + 3, scene->bodies[i].velocity + 3, inverse);
        }
    }
}

// MuJoCo's own way writes a file where it is started.
static void mujoco_warn(const char *text) {
    fprintf(stderr, "mujoco_run: %s\n", text);
}

static void mujoco_fail(const char *text) {
    mujoco_warn(text);
    exit(1);
}

int main(int argc, char **argv) {
    mju_user_warning = mujoco_warn;
    mju_user_error = mujoco_fail;
    if (argc < 3) {
        fputs("usage: mujoco_run SCENE STATES\n", stderr);
        return 2;
    }
    peer_scene *scene = peer_scene_read(argv[1]);
    mujoco_engine mujoco = {.scene = scene, .model = mujoco_load(scene, argv[2])};
    mujoco.data = mj_makeData(mujoco.model);
    if (!mujoco.data) {
        return 1;
    }
    mujoco_place(&mujoco);
    const peer_engine engine = {.name = "MuJoCo",
                                .setting = scene->body_count > MUJOCO_NEWTON ? "CG, elliptic"
                                                                             : "Newton, elliptic",
                                .world = &mujoco,
                                .step = mujoco_step,
                                .state = mujoco_state,
                                .contacts = mujoco_contacts};
    int code = peer_scene_run(scene, &engine, argv[2]);
    mj_deleteData(mujoco.data);
    mj_deleteModel(mujoco.model);
    return code;
}
