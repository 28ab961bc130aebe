// bench/peers/bullet_run.cpp
// A scene of `cairn bench` in Bullet, single precision as it is packaged and used: sequential
// impulses with warm start, no sleeping, collision margins small beside the shapes.
//
//     bullet_run SCENE STATES [ITERATIONS]
#include "peer_scene.h"

#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace {

constexpr int BULLET_ITERATIONS = 50;
constexpr double BULLET_MARGIN = 0.002; // of the smallest edge of a box or hull

struct bullet_engine {
    const peer_scene *scene = nullptr;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::vector<btRigidBody *>> bodies; // one body, or one a plane
};

btVector3 bullet_vector(const double *v) {
    return btVector3(btScalar(v[0]), btScalar(v[1]), btScalar(v[2]));
}

btTransform bullet_transform(const double pose[7]) {
    btTransform out;
    out.setRotation(
        btQuaternion(btScalar(pose[4]), btScalar(pose[5]), btScalar(pose[6]), btScalar(pose[3])));
    out.setOrigin(bullet_vector(pose));
    return out;
}

double bullet_width(const peer_shape &shape) {
    double least = HUGE_VAL;
    for (int k = 0; k < 3; k++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int32_t i = 0; i < shape.vertex_count; i++) {
            low = std::fmin(low, shape.vertices[3 * i + k]);
            high = std::fmax(high, shape.vertices[3 * i + k]);
        }
        least = std::fmin(least, high - low);
    }
    return least;
}

// Bullet's boxes have their margin inside; hulls are shrunk by it so that they touch where they
// should.
std::unique_ptr<btCollisionShape> bullet_shape(const peer_shape &shape) {
    switch (shape.kind) {
    case PEER_SPHERE:
        return std::make_unique<btSphereShape>(btScalar(shape.radius));
    case PEER_BOX: {
        double least = std::fmin(shape.size[0], std::fmin(shape.size[1], shape.size[2]));
        auto box = std::make_unique<btBoxShape>(bullet_vector(shape.size) * btScalar(0.5));
        box->setMargin(btScalar(BULLET_MARGIN * least));
        return box;
    }
    case PEER_PLANE: {
        auto plane = std::make_unique<btStaticPlaneShape>(bullet_vector(shape.normal),
                                                          btScalar(shape.offset));
        plane->setMargin(btScalar(0.0));
        return plane;
    }
    case PEER_HULL:
        break;
    }
    double width = bullet_width(shape), margin = BULLET_MARGIN * width;
    auto hull = std::make_unique<btConvexHullShape>();
    for (int32_t i = 0; i < shape.vertex_count; i++) {
        btVector3 vertex = bullet_vector(shape.vertices + 3 * i);
        hull->addPoint(vertex * btScalar(1.0 - 2.0 * BULLET_MARGIN), false);
    }
    hull->recalcLocalAabb();
    hull->setMargin(btScalar(margin));
    hull->initializePolyhedralFeatures();
    return hull;
}

btRigidBody *bullet_add(bullet_engine &bullet, int32_t index, const peer_shape &shape) {
    const peer_body &body = bullet.scene->bodies[index];
    bullet.shapes.push_back(bullet_shape(shape));
    bool is_free = body.role == PEER_FREE;
    btRigidBody::btRigidBodyConstructionInfo info(
        btScalar(is_free ? body.mass : 0.0), nullptr, bullet.shapes.back().get(),
        is_free ? bullet_vector(body.inertia) : btVector3(0, 0, 0));
    info.m_startWorldTransform = bullet_transform(body.pose);
    // Bullet multiplies the coefficients of the two bodies.
    info.m_friction = btScalar(std::sqrt(bullet.scene->friction));
    auto *made = new btRigidBody(info);
    if (is_free) {
        made->setLinearVelocity(bullet_vector(body.velocity));
        made->setAngularVelocity(bullet_vector(body.velocity + 3));
    } else if (body.role == PEER_DRIVEN) {
        made->setCollisionFlags(made->getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
    }
    made->setActivationState(DISABLE_DEACTIVATION);
    made->setUserIndex(index);
    bullet.world.addRigidBody(made);
    return made;
}

void bullet_step(void *world, double t) {
    auto &bullet = *static_cast<bullet_engine *>(world);
    const peer_scene *scene = bullet.scene;
    for (int32_t i = 0; scene->motion_count > 0 && i < scene->body_count; i++) {
        if (scene->bodies[i].role == PEER_DRIVEN) {
            double v[3];
            peer_driven_velocity(scene, i, t, v);
            for (btRigidBody *body : bullet.bodies[size_t(i)]) {
                btTransform pose = body->getWorldTransform();
                pose.setOrigin(pose.getOrigin() + bullet_vector(v) * btScalar(scene->step));
                body->setWorldTransform(pose);
                body->setInterpolationWorldTransform(pose);
                body->setLinearVelocity(bullet_vector(v));
            }
        }
    }
    bullet.world.stepSimulation(btScalar(scene->step), 0);
}

void bullet_state(void *world, int32_t index, double pose[7], double velocity[6]) {
    auto &bullet = *static_cast<bullet_engine *>(world);
    const btRigidBody *body = bullet.bodies[size_t(index)].front();
    const btTransform &at = body->getWorldTransform();
    btQuaternion turn = at.getRotation();
    const double values[] = {turn.w(), turn.x(), turn.y(), turn.z()};
    for (int k = 0; k < 3; k++) {
        pose[k] = double(at.getOrigin()[k]);
        velocity[k] = double(body->getLinearVelocity()[k]);
        velocity[3 + k] = double(body->getAngularVelocity()[k]);
    }
    std::memcpy(pose + 3, values, sizeof values);
}

int32_t bullet_contacts(void *world, peer_contact *contacts, int32_t room) {
    auto &bullet = *static_cast<bullet_engine *>(world);
    int32_t count = 0;
    for (int m = 0; m < bullet.dispatcher.getNumManifolds(); m++) {
        const btPersistentManifold *manifold = bullet.dispatcher.getManifoldByIndexInternal(m);
        for (int i = 0; i < manifold->getNumContacts() && count < room; i++) {
            const btManifoldPoint &point = manifold->getContactPoint(i);
            peer_contact &out = contacts[count++];
            out.a = manifold->getBody0()->getUserIndex();
            out.b = manifold->getBody1()->getUserIndex();
            out.gap = double(point.getDistance());
            out.push = 0.0; // overlaps are taken back by split impulses, beside the velocities
            btVector3 impulse = point.m_normalWorldOnB * point.m_appliedImpulse +
                                point.m_lateralFrictionDir1 * point.m_appliedImpulseLateral1 +
                                point.m_lateralFrictionDir2 * point.m_appliedImpulseLateral2;
            for (int k = 0; k < 3; k++) {
                out.point[k] =
                    0.5 * double(point.getPositionWorldOnA()[k] + point.getPositionWorldOnB()[k]);
                out.normal[k] = double(point.m_normalWorldOnB[k]);
                out.impulse[k] = double(impulse[k]);
            }
        }
    }
    return count;
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 3) {
        std::fputs("usage: bullet_run SCENE STATES [ITERATIONS]\n", stderr);
        return 2;
    }
    peer_scene *scene = peer_scene_read(argv[1]);
    int iterations = argc > 3 ? std::atoi(argv[3]) : BULLET_ITERATIONS;
    bullet_engine bullet;
    bullet.scene = scene;
    bullet.world.setGravity(bullet_vector(scene->gravity));
    bullet.world.getSolverInfo().m_numIterations = iterations;
    bullet.bodies.resize(size_t(scene->body_count));
    for (int32_t i = 0; i < scene->body_count; i++) {
        for (int32_t k = 0; k < scene->bodies[i].shape_count; k++) {
            bullet.bodies[size_t(i)].push_back(
                bullet_add(bullet, i, scene->bodies[i].shapes[k]));
        }
    }
    char setting[64];
    std::snprintf(setting, sizeof setting, "%d sequential impulses", iterations);
    peer_engine engine = {};
    engine.name = "Bullet";
    engine.setting = setting;
    engine.world = &bullet;
    engine.step = bullet_step;
    engine.state = bullet_state;
    engine.contacts = bullet_contacts;
    int code = peer_scene_run(scene, &engine, argv[2]);
    for (auto &parts : bullet.bodies) {
        for (btRigidBody *body : parts) {
            bullet.world.removeRigidBody(body);
            delete body;
        }
    }
    return code;
}
