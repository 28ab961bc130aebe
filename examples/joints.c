// examples/joints.c
// A crank turned by a motor drives a slider through a rod: four joints, without a scene file.
//
//     cc joints.c $(pkg-config --cflags --libs cairn) -lm && ./a.out
//
// With a crank of length a and a rod of length l the slider's pin is at
// x = a cos(w t) + sqrt(l^2 - a^2 sin(w t)^2).
#include <cairn/cairn.h>

#include <math.h>
#include <stdio.h>

#define CRANK 0.2   // [m]
#define ROD 0.5     // [m]
#define SPEED 3.0   // [rad/s] of the crank
#define ANGLE "3*t" // that the motor keeps

// A thin bar along x with its middle at x [m]; without a length it is the ground.
static cn_status add_bar(cn_model *model, const char *name, double x, double length, cn_body_id *id,
                         cn_error *error) {
    cn_shape_def shape = cn_shape_def_default(CN_SHAPE_BOX);
    cn_body_def body = cn_body_def_default();
    shape.size[0] = length;
    shape.size[1] = 0.02;
    body.name = name;
    body.fixed = length == 0.0;
    body.position[0] = x;
    body.shapes = &shape;
    body.shape_count = body.fixed ? 0 : 1;
    return cn_model_add_body(model, &body, id, error);
}

static cn_status add_hinge(cn_model *model, cn_body_id first, cn_body_id second, double x,
                           const char *angle, cn_error *error) {
    cn_joint_def joint = cn_joint_def_default(CN_JOINT_HINGE);
    joint.body[0] = first;
    joint.body[1] = second;
    joint.point[0] = x;
    joint.point[1] = 0.0;
    if (angle) {
        joint.motor = CN_MOTOR_POSITION;
        joint.motor_target.expression = angle;
    }
    return cn_model_add_joint(model, &joint, &(int32_t){0}, error);
}

// The ground, the crank on its pin, the rod, and the slider that the rod pushes along x.
static cn_status build(cn_model *model, cn_body_id *slider, cn_error *error) {
    const cn_material_def steel = {.name = "steel", .density = 7800.0};
    cn_joint_def rail = cn_joint_def_default(CN_JOINT_SLIDER);
    cn_body_id ground = 0, crank = 0, rod = 0;
    cn_model_settings(model)->gravity[1] = 0.0;
    rail.axis[0] = 1.0;
    rail.axis[1] = rail.axis[2] = 0.0;
    rail.point[0] = CRANK + ROD;
    rail.point[1] = 0.0;
    cn_status status = cn_model_add_material(model, &steel, &(int32_t){0}, error);
    status = status ? status : add_bar(model, "ground", 0.0, 0.0, &ground, error);
    status = status ? status : add_bar(model, "crank", 0.5 * CRANK, CRANK, &crank, error);
    status = status ? status : add_bar(model, "rod", CRANK + 0.5 * ROD, ROD, &rod, error);
    status = status ? status : add_bar(model, "slider", CRANK + ROD, 0.05, slider, error);
    status = status ? status : add_hinge(model, ground, crank, 0.0, ANGLE, error);
    status = status ? status : add_hinge(model, crank, rod, CRANK, NULL, error);
    status = status ? status : add_hinge(model, rod, *slider, CRANK + ROD, NULL, error);
    rail.body[0] = ground;
    rail.body[1] = *slider;
    rail.contact = false;
    status = status ? status : cn_model_add_joint(model, &rail, &(int32_t){0}, error);
    return status ? status : cn_model_finish(model, error);
}

int main(void) {
    cn_error error = {.status = CN_OK};
    cn_model *model = cn_model_create(NULL, 2);
    cn_sim *sim = NULL;
    cn_body_id slider = 0;
    cn_status status = model ? build(model, &slider, &error) : CN_ERR_MEMORY;
    status = status ? status : cn_sim_create(model, NULL, &sim, &error);
    double worst = 0.0;
    while (status == CN_OK && cn_sim_time(sim) < 2.0) {
        cn_step_report report;
        cn_body_state state;
        status = cn_sim_step(sim, &report, &error);
        cn_sim_body(sim, slider, &state);
        double angle = SPEED * cn_sim_time(sim), height = CRANK * sin(angle);
        double x = CRANK * cos(angle) + sqrt(ROD * ROD - height * height);
        worst = fmax(worst, fabs(state.position[0] - x));
        if (cn_sim_step_index(sim) % 250 == 0) {
            printf("t = %.2f s: slider at %.4f m, rate %+.4f m/s\n", report.t, state.position[0],
                   state.velocity[0]);
        }
    }
    if (status != CN_OK) {
        char text[1200];
        fprintf(stderr, "%s\n", cn_error_format(&error, text, sizeof text));
    } else {
        printf("farthest from the closed form: %.1e m\n", worst);
    }
    cn_sim_destroy(sim);
    cn_model_destroy(model);
    return status != CN_OK || !(worst < 1e-5);
}
