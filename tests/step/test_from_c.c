// Models built and run from C alone: what is read of a body, and joints with their motors, limits
// and springs against closed forms.
#include "check.h"

#include <cairn/cairn.h>

#include <math.h>
#include <string.h>

typedef struct made {
    cn_model *model;
    cn_sim *sim;
    cn_body_id ground, body;
} made;

static void good(cn_status status, const cn_error *error) {
    if (status != CN_OK) {
        print_error("%s\n", error->message);
        fail();
    }
}

// Fixed ground without a shape and a unit cube (square) of 2 kg at (1, 0, 0), without gravity, which
// goes round the origin with `speed` [rad/s].
static made start(int32_t dim, double speed) {
    made m = {.model = cn_model_create(NULL, dim)};
    cn_error error = {.status = CN_OK};
    cn_material_def stone = {.name = "stone", .density = 1000.0};
    cn_shape_def cube = cn_shape_def_default(CN_SHAPE_BOX);
    cn_body_def ground = cn_body_def_default(), body = cn_body_def_default();
    CN_CHECK_TRUE(m.model != NULL);
    cn_settings *settings = cn_model_settings(m.model);
    memset(settings->gravity, 0, sizeof settings->gravity);
    good(cn_model_add_material(m.model, &stone, &body.material, &error), &error);
    cube.size[0] = cube.size[1] = cube.size[2] = 1.0;
    ground.fixed = true;
    ground.name = "ground";
    ground.material = body.material;
    body.name = "body";
    body.shapes = &cube;
    body.shape_count = 1;
    body.mass = 2.0;
    body.position[0] = 1.0;
    body.velocity[1] = body.angular_velocity[2] = speed;
    good(cn_model_add_body(m.model, &ground, &m.ground, &error), &error);
    good(cn_model_add_body(m.model, &body, &m.body, &error), &error);
    return m;
}

static cn_joint_def joint(const made *m, cn_joint_kind kind) {
    cn_joint_def def = cn_joint_def_default(kind);
    def.body[0] = m->ground;
    def.body[1] = m->body;
    memset(def.point, 0, sizeof def.point);
    return def;
}

static void run(made *m, const cn_joint_def *def, double time) {
    cn_error error = {.status = CN_OK};
    int32_t number = 0;
    if (def) {
        good(cn_model_add_joint(m->model, def, &number, &error), &error);
        CN_CHECK_TRUE(number == 1 && cn_model_joint_count(m->model) == 1);
    }
    good(cn_model_finish(m->model, &error), &error);
    good(cn_sim_create(m->model, NULL, &m->sim, &error), &error);
    while (cn_sim_time(m->sim) < time - 1e-9) {
        cn_step_report report;
        good(cn_sim_step(m->sim, &report, &error), &error);
        CN_CHECK_TRUE(report.outcome == CN_SOLVED);
    }
}

static cn_body_state end(made *m) {
    cn_body_state state;
    CN_CHECK_TRUE(cn_sim_body_named(m->sim, "body", &state));
    cn_sim_destroy(m->sim);
    cn_model_destroy(m->model);
    return state;
}

// A motor of 2 rad/s about z through the origin takes the cube round with it.
CN_TEST(a_hinge_with_a_motor_turns_the_body) {
    for (int32_t dim = 2; dim <= 3; dim++) {
        made m = start(dim, 2.0);
        cn_joint_def hinge = joint(&m, CN_JOINT_HINGE);
        if (dim == 3) { // in the plane there is but one axis
            hinge.axis[0] = hinge.axis[1] = 0.0;
            hinge.axis[2] = 1.0;
        }
        hinge.motor = CN_MOTOR_VELOCITY;
        hinge.motor_target.expression = "2";
        run(&m, &hinge, 1.0);
        cn_body_state body = end(&m);
        CN_CHECK_NEAR(body.position[0], cos(2.0), 1e-5);
        CN_CHECK_NEAR(body.position[1], sin(2.0), 1e-5);
        CN_CHECK_NEAR(body.angular_velocity[2], 2.0, 1e-5);
        CN_CHECK_NEAR(hypot(body.velocity[0], body.velocity[1]), 2.0, 1e-5);
        CN_CHECK_NEAR(body.orientation[0], cos(1.0), 1e-5);
        CN_CHECK_NEAR(body.orientation[3], sin(1.0), 1e-5);
        CN_CHECK_NEAR(body.angle, dim == 2 ? 2.0 : 0.0, 1e-5);
    }
}

// A force of 3 N along a rail moves 2 kg by 3/4 t^2, up to a limit at 0.5 m.
CN_TEST(a_slider_with_a_motor_stops_at_its_limit) {
    static const double times[2] = {0.5, 2.0}, want[2] = {0.1875, 0.5};
    for (int i = 0; i < 2; i++) {
        made m = start(3, 0.0);
        cn_joint_def slider = joint(&m, CN_JOINT_SLIDER);
        slider.axis[0] = slider.axis[2] = 0.0;
        slider.axis[1] = 1.0;
        slider.limits[0] = -0.5;
        slider.limits[1] = 0.5;
        slider.motor = CN_MOTOR_FORCE;
        slider.motor_target.constant = 3.0;
        run(&m, &slider, times[i]);
        cn_body_state body = end(&m);
        CN_CHECK_NEAR(body.position[0], 1.0, 1e-6);
        CN_CHECK_NEAR(body.position[1], want[i], 1e-5);
    }
}

// A spring of 50 N/m between the origin and the middle of the cube, pulled by 0.2 m: half a period
// of 2 pi sqrt(m/k) later it is on the other side.
CN_TEST(a_spring_swings_with_its_period) {
    made m = start(3, 0.0);
    cn_joint_def spring = joint(&m, CN_JOINT_SPRING);
    memset(spring.second_point, 0, sizeof spring.second_point);
    spring.second_point[0] = 1.0;
    spring.stiffness = 50.0;
    spring.rest = 0.8;
    cn_model_settings(m.model)->step = 3.14159265358979323846 * sqrt(2.0 / 50.0) / 1000.0;
    run(&m, &spring, 3.14159265358979323846 * sqrt(2.0 / 50.0));
    cn_body_state body = end(&m);
    CN_CHECK_NEAR(body.position[0], 0.6, 1e-5);
    CN_CHECK_NEAR(body.velocity[0], 0.0, 1e-4);
}

CN_TEST(a_body_is_read_by_number_and_by_name) {
    made m = start(3, 0.0);
    cn_body_state one, other;
    double force[3];
    run(&m, NULL, 0.01);
    CN_CHECK_TRUE(cn_sim_body(m.sim, m.body, &one) && cn_sim_body_named(m.sim, "body", &other));
    CN_CHECK_TRUE(memcmp(&one, &other, sizeof one) == 0);
    CN_CHECK_TRUE(cn_sim_body_named(m.sim, "ground", &other) && other.position[0] == 0.0);
    CN_CHECK_TRUE(!cn_sim_body(m.sim, 0, &one) && !cn_sim_body(m.sim, 3, &one));
    CN_CHECK_TRUE(!cn_sim_body_named(m.sim, "nobody", &one) &&
                  !cn_sim_body_named(m.sim, NULL, &one));
    CN_CHECK_TRUE(!cn_sim_contact_force(m.sim, 3, force));
    CN_CHECK_TRUE(cn_sim_contact_force(m.sim, m.body, force) && force[0] == 0.0);
    end(&m);
}

// A cube at rest on a plane is carried by its weight, and presses on the plane by as much.
CN_TEST(the_contact_force_at_rest_is_the_weight) {
    made m = start(3, 0.0);
    cn_error error = {.status = CN_OK};
    cn_shape_def plane = cn_shape_def_default(CN_SHAPE_PLANE);
    cn_body_def floor = cn_body_def_default();
    cn_body_id id;
    double force[3], against[3];
    plane.normal[2] = 1.0;
    plane.offset = -0.5;
    floor.fixed = true;
    floor.shapes = &plane;
    floor.shape_count = 1;
    good(cn_model_add_body(m.model, &floor, &id, &error), &error);
    cn_model_settings(m.model)->gravity[2] = -10.0;
    cn_model_settings(m.model)->tolerance = 1e-10;
    run(&m, NULL, 0.1);
    CN_CHECK_TRUE(cn_sim_contact_force(m.sim, m.body, force));
    CN_CHECK_TRUE(cn_sim_contact_force(m.sim, id, against));
    CN_CHECK_NEAR(force[2], 20.0, 1e-6);
    CN_CHECK_NEAR(against[2], -20.0, 1e-6);
    CN_CHECK_NEAR(end(&m).position[2], 0.0, 1e-6);
}
