// scene/generate/generate_chain.c
// chain: links on joints, from a point on along a direction, with bends.
//
// A link is a capsule whose middle line joins its two joints (2D: a box as long), so that
// neighbours share the sphere about their joint; jointed bodies do not touch. A bend turns the
// direction evenly at the joints that it covers: over a drum of radius R, rho being the distance of
// the joints from its axis, a link of length l turns by 2 asin(l/(2 rho)).
#include "scene/generate/generate.h"

#include "base/elementary/elementary.h"
#include "base/error.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define JOINT_NAME_MAX 256

typedef struct scene_bend {
    const io_yaml *node;
    int32_t after, links;
    double angle;
} scene_bend;

typedef struct scene_chain {
    const io_yaml *node;
    scene_lot lot;
    int32_t links;
    double length, radius;
    double direction[3], axis[3];
    int32_t joint; // cn_joint_kind
    scene_items bends;
} scene_chain;

static const scene_field bend_fields[] = {
    SCENE_KEY("after", int, scene_bend, after, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .help = "how many links come before the first joint that is bent"),
    SCENE_KEY("links", int, scene_bend, links, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .help = "how many joints share the angle"),
    SCENE_KEY("angle", real, scene_bend, angle, .flags = SCENE_REQUIRED, .unit = "rad",
              .help = "all together, about axis; 2D counter-clockwise"),
};

static const scene_table_of bend_table = {
    .name = "bend",
    .help = "A turn of the direction, spread evenly over some joints.",
    .field = bend_fields,
    .count = SCENE_COUNT(bend_fields),
    .size = sizeof(scene_bend),
};

static const scene_choice chain_joints[] = {
    {.text = "ball", .value = CN_JOINT_BALL},
    {.text = "hinge", .value = CN_JOINT_HINGE},
    {0},
};

static const scene_field chain_fields[] = {
    SCENE_KEY("links", int, scene_chain, links, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .help = "how many"),
    SCENE_KEY("length", real, scene_chain, length, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .unit = "m", .help = "of a link, from joint to joint"),
    SCENE_KEY("radius", real, scene_chain, radius, .flags = SCENE_REQUIRED | SCENE_ABOVE_ZERO,
              .unit = "m", .help = "of the capsules; 2D half the width of the boxes"),
    SCENE_LOT_POSITION(scene_chain, "of the free end where the first link begins"),
    SCENE_KEY("direction", vector, scene_chain, direction, .flags = SCENE_UNIT_LENGTH,
              .help = "of the first link"),
    SCENE_KEY("axis", vector, scene_chain, axis, .flags = SCENE_UNIT_LENGTH | SCENE_ONLY_3D,
              .help = "about which bends turn, and hinges"),
    SCENE_KEY("joint", choice, scene_chain, joint, .flags = SCENE_ONLY_3D, .choice = chain_joints,
              .help = "between links; 2D they are hinges"),
    SCENE_KEY("bends", list, scene_chain, bends, .table = &bend_table,
              .help = "turns on the way, each counted from the first link"),
    SCENE_LOT_FIELDS(scene_chain),
};

static void chain_initial(void *out, int32_t dim) {
    scene_chain *chain = out;
    scene_lot_initial(&chain->lot);
    chain->direction[0] = 1.0;
    chain->axis[dim == 3 ? 1 : 2] = 1.0;
    chain->joint = dim == 3 ? CN_JOINT_BALL : CN_JOINT_HINGE;
}

static cn_status chain_count(scene_reader *reader, const void *params, double *bodies) {
    const scene_chain *chain = params;
    const scene_bend *bend = chain->bends.item;
    if (!(2.0 * chain->radius < chain->length)) {
        return scene_fail_node(reader, io_yaml_get(chain->node, "radius"), CN_ERR_INPUT,
                               "links that are thicker than long overlap those after the next");
    }
    for (int32_t i = 0; i < chain->bends.count; i++) {
        if (!((double)bend[i].after + bend[i].links <= chain->links)) {
            return scene_fail_node(reader, bend[i].node, CN_ERR_INPUT,
                                   "the bend goes on to joint %g, and the chain has %d",
                                   (double)bend[i].after + bend[i].links - 1.0,
                                   (int)chain->links - 1);
        }
    }
    *bodies = chain->links;
    return CN_OK;
}

// By how much the direction turns before link k, counted from 0.
static double chain_turn(const scene_chain *chain, int32_t k) {
    const scene_bend *bend = chain->bends.item;
    double sum = 0.0;
    for (int32_t i = 0; i < chain->bends.count; i++) {
        if (k >= bend[i].after && k < bend[i].after + bend[i].links) {
            sum += bend[i].angle / bend[i].links;
        }
    }
    return sum;
}

// The rotation of the z axis into a direction.
static void chain_upright(const double direction[3], double q[4]) {
    q[0] = 1.0 + direction[2];
    q[1] = -direction[1];
    q[2] = direction[0];
    q[3] = 0.0;
    if (!(q[0] > 1e-9)) { // straight down: about x
        q[0] = q[2] = 0.0;
        q[1] = 1.0;
    }
    math_quat_normalize(q);
}

// The joint between the body made last and the one before it.
static cn_status chain_join(scene_maker *maker, const scene_chain *chain, const double point[3]) {
    char name[JOINT_NAME_MAX];
    cn_joint_def joint = cn_joint_def_default((cn_joint_kind)chain->joint);
    joint.body[0] = maker->last - 1;
    joint.body[1] = maker->last;
    joint.source = (cn_source){
        .file = maker->node->file, .line = maker->node->line, .column = maker->node->column};
    memcpy(joint.point, point, sizeof joint.point);
    if (maker->reader->dim == 3 && joint.kind == CN_JOINT_HINGE) {
        memcpy(joint.axis, chain->axis, sizeof joint.axis);
    }
    if (chain->lot.name) {
        snprintf(name, sizeof name, "%.*s-%lld", JOINT_NAME_MAX - 24, chain->lot.name,
                 (long long)maker->made - 1);
        joint.name = name;
    }
    return maker->joint(maker, &joint);
}

static cn_status chain_run(scene_maker *maker, const void *params) {
    const scene_chain *chain = params;
    int32_t dim = maker->reader->dim;
    cn_shape_def shape = cn_shape_def_default(dim == 3 ? CN_SHAPE_CAPSULE : CN_SHAPE_BOX);
    shape.radius = chain->radius;
    shape.length = shape.size[0] = chain->length;
    shape.size[1] = 2.0 * chain->radius;
    cn_body_def body = scene_lot_body(maker);
    body.shapes = &shape;
    body.shape_count = 1;
    body.angle = base_atan2(chain->direction[1], chain->direction[0]);
    chain_upright(chain->direction, body.orientation);
    double point[3], R[9];
    memcpy(point, chain->lot.position, sizeof point);
    for (int32_t k = 0; k < chain->links; k++) {
        double turn = chain_turn(chain, k), along[3], start[3];
        double w[3] = {turn * chain->axis[0], turn * chain->axis[1], turn * chain->axis[2]};
        body.angle += turn;
        math_quat_rotate(body.orientation, w);
        if (dim == 3) {
            math_quat_matrix(body.orientation, R);
        } else {
            math_angle_matrix(body.angle, R);
        }
        for (int32_t i = 0; i < 3; i++) {
            along[i] = R[3 * i + (dim == 3 ? 2 : 0)];
        }
        memcpy(start, point, sizeof start);
        math_add_scaled3(point, 0.5 * chain->length, along, body.position);
        math_add_scaled3(point, chain->length, along, point);
        CN_TRY(scene_make_body(maker, &body));
        if (k > 0) {
            CN_TRY(chain_join(maker, chain, start));
        }
    }
    return CN_OK;
}

const scene_table_of scene_chain_table = {
    .name = "chain",
    .help = "Links on joints, one after the other. The joints have the names of the links before "
            "them; ends are held, if at all, by joints of the scene.",
    .field = chain_fields,
    .count = SCENE_COUNT(chain_fields),
    .size = sizeof(scene_chain),
    .initial = chain_initial,
    .use = &(const scene_generator){.count = chain_count, .run = chain_run},
};
