// tests/pressed_block.h
// Hertz: a fixed disk or sphere pressed into a deformable block whose top is at height 0.
#ifndef CAIRN_TESTS_PRESSED_BLOCK_H
#define CAIRN_TESTS_PRESSED_BLOCK_H

#include "world.h"

#include <cairn/model.h>

#define PRESSED_BALL 2 // the number of its body

// Steps of 10 s without gravity; the ball starts where it is to be, sink [m] below the top.
static inline world pressed_block(const cn_deformable_def *soft, int32_t dim,
                                  const cn_material_def *rubber, double radius, double sink) {
    cn_model *model = cn_model_create(NULL, dim);
    cn_settings *settings = cn_model_settings(model);
    settings->gravity[dim - 1] = 0.0;
    settings->step = 10.0;
    settings->theta = 1.0;
    settings->tolerance = 1e-12;
    settings->overlap_max = 1.0;
    int32_t material;
    cn_body_id id;
    cn_error error = {0};
    assert_int_equal(cn_model_add_material(model, rubber, &material, NULL), CN_OK);
    cn_contact_def contact = cn_contact_def_default();
    contact.correction = HUGE_VAL; // nothing lifts the ball
    assert_int_equal(cn_model_add_contact(model, &contact, NULL), CN_OK);
    cn_body_def block = cn_body_def_default(), ball = block;
    block.deformable = soft;
    cn_shape_def round = cn_shape_def_default(dim == 3 ? CN_SHAPE_SPHERE : CN_SHAPE_DISK);
    round.radius = radius;
    ball.fixed = true;
    ball.position[dim - 1] = radius - sink;
    ball.shapes = &round;
    ball.shape_count = 1;
    if (cn_model_add_body(model, &block, &id, &error) != CN_OK ||
        cn_model_add_body(model, &ball, &id, &error) != CN_OK ||
        cn_model_finish(model, &error) != CN_OK) {
        world_fail(&error);
    }
    return world_start(model);
}

#endif
