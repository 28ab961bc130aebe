// The builder of scenes: defaults, bodies, mass properties, laws of pairs, starts, and refusals
// with their place.
#include "check.h"
#include "failing_allocator.h"
#include "signals.h"

#include "math/rotation.h"
#include "math/vec3.h"
#include "model/model.h"

#include <string.h>

static cn_model *cn_new_model(int32_t dim, double density) {
    cn_model *model = cn_model_create(NULL, dim);
    int32_t material;
    CN_CHECK_TRUE(model != NULL);
    CN_CHECK_TRUE(cn_model_add_material(model,
                                        &(cn_material_def){.name = "stone", .density = density},
                                        &material, NULL) == CN_OK);
    CN_CHECK_TRUE(material == 0);
    return model;
}

static void cn_must(cn_status status, const cn_error *error) {
    if (status != CN_OK) {
        print_error("%s\n", error->message);
        fail();
    }
}

// The call must have failed like this, and said so at scene.yaml:7:3.
static void cn_check_failure(cn_status got, const cn_error *error, cn_status want,
                             const char *words) {
    if (got != want || !strstr(error->message, words)) {
        print_error("status %d, '%s' has not '%s'\n", (int)got, error->message, words);
        fail();
    }
    assert_string_equal(error->file, "scene.yaml");
    CN_CHECK_TRUE(error->line == 7 && error->column == 3);
}

static const cn_source cn_here = {"scene.yaml", 7, 3};

static cn_shape_def cn_sphere(double radius) {
    cn_shape_def def = cn_shape_def_default(CN_SHAPE_SPHERE);
    def.radius = radius;
    return def;
}

static cn_body_def cn_body_of(const char *name, const cn_shape_def *shapes, int32_t count) {
    cn_body_def def = cn_body_def_default();
    def.name = name;
    def.shapes = shapes;
    def.shape_count = count;
    def.source = cn_here;
    return def;
}

static cn_body_id cn_add(cn_model *model, const cn_body_def *def) {
    cn_error error;
    cn_body_id id = 0;
    cn_must(cn_model_add_body(model, def, &id, &error), &error);
    return id;
}

static void cn_finish(cn_model *model) {
    cn_error error;
    cn_must(cn_model_finish(model, &error), &error);
}

// For a model that is not about bodies: a fixed one is added.
static void cn_finish_with_any_body(cn_model *model) {
    cn_shape_def shape = cn_sphere(1.0);
    cn_body_def def = cn_body_of("any", &shape, 1);
    def.fixed = true;
    cn_add(model, &def);
    cn_finish(model);
}

// Adds the body, finishes, and expects one of the two to refuse.
static void cn_check_body_refused(cn_model *model, const cn_body_def *def, const char *words) {
    cn_error error = {0};
    cn_body_id id;
    cn_status status = cn_model_add_body(model, def, &id, &error);
    if (status == CN_OK) {
        status = cn_model_finish(model, &error);
    }
    cn_check_failure(status, &error, CN_ERR_INPUT, words);
    cn_model_destroy(model);
}

CN_TEST(defaults_are_those_of_the_documents) {
    cn_settings s = cn_settings_default(3);
    CN_CHECK_TRUE(s.gravity[2] == -9.81 && s.gravity[1] == 0.0 && s.theta == 0.5);
    CN_CHECK_TRUE(isnan(s.tolerance) && s.settle == 30 && s.activation == 0.5 && s.halvings == 3);
    CN_CHECK_TRUE(s.frames_every == 0.02 && isnan(s.alert) && isnan(s.overlap_max));
    assert_string_equal(s.solver, "auto");
    CN_CHECK_TRUE(s.on_stall == CN_STALL_CONTINUE && cn_settings_default(2).gravity[1] == -9.81);
    assert_string_equal(cn_law_text(CN_LAW_QUASI_INELASTIC), "quasi-inelastic");
    assert_string_equal(cn_law_text(CN_LAW_KINDS), "unknown law");
    assert_string_equal(cn_stall_policy_text(CN_STALL_HALVE), "halve");
    assert_string_equal(cn_stall_policy_text(CN_STALL_KINDS), "unknown policy");
    CN_CHECK_TRUE(cn_model_create(NULL, 4) == NULL);
}

CN_TEST(sphere_has_mass_from_density) {
    cn_model *model = cn_new_model(3, 3.0);
    cn_shape_def shape = cn_sphere(2.0);
    cn_body_def def = cn_body_of("ball", &shape, 1);
    CN_CHECK_TRUE(cn_add(model, &def) == 1);
    cn_finish(model);
    const model_body *body = &model->body[0];
    const model_inertia *inertia = &model->inertia[body->inertia];
    CN_CHECK_NEAR(body->mass, 32.0 * 3.14159265358979323846, 1e-12);
    CN_CHECK_NEAR(inertia->tensor[0], 1.6 * body->mass, 1e-12);
    CN_CHECK_NEAR(inertia->inverse[4] * inertia->tensor[4], 1.0, 1e-15);
    CN_CHECK_NEAR(body->bound, 2.0, 1e-14);
    CN_CHECK_TRUE(body->role == MODEL_BODY_FREE && model->shape_count == 1);
    CN_CHECK_TRUE(cn_model_dim(model) == 3 && cn_model_body_count(model) == 1);
    cn_model_destroy(model);
}

// A hammer: two boxes; shapes are about the centre of mass, q0 is its pose.
CN_TEST(compound_is_placed_about_its_centre_of_mass) {
    cn_model *model = cn_new_model(3, 2.0);
    cn_shape_def shapes[2] = {cn_shape_def_default(CN_SHAPE_BOX),
                              cn_shape_def_default(CN_SHAPE_BOX)};
    for (int k = 0; k < 3; k++) {
        shapes[0].size[k] = shapes[1].size[k] = 1.0;
    }
    shapes[1].position[0] = 3.0;
    shapes[1].size[1] = 2.0; // twice the mass
    cn_body_def def = cn_body_of("hammer", shapes, 2);
    const double half = 0.70710678118654752;
    def.orientation[0] = half;
    def.orientation[3] = 2.0 * half; // not a unit quaternion
    def.orientation[0] = 2.0 * half;
    def.position[2] = 5.0;
    def.velocity[0] = 1.0;
    def.angular_velocity[1] = 2.0;
    cn_add(model, &def);
    cn_finish(model);
    const model_body *body = &model->body[0];
    CN_CHECK_NEAR(body->mass, 6.0, 1e-14);
    CN_CHECK_NEAR(body->com[0], 2.0, 1e-15);
    CN_CHECK_NEAR(model->shape[0].hull.center[0], -2.0, 1e-15);
    CN_CHECK_NEAR(model->shape[1].hull.center[0], 1.0, 1e-15);
    CN_CHECK_NEAR(body->bound, sqrt(2.5 * 2.5 + 0.5), 0.4); // ball of a ball, not the smallest
    const double want[7] = {0.0, 2.0, 5.0, half, 0.0, 0.0, half};
    for (int i = 0; i < 7; i++) {
        CN_CHECK_NEAR(model->q0[i], want[i], 1e-15);
    }
    CN_CHECK_TRUE(model->v0[0] == 1.0 && model->v0[4] == 2.0);
    // Parallel axes: 2 at distance 2 and 4 at distance 1, and their own.
    CN_CHECK_NEAR(model->inertia[body->inertia].tensor[8],
                  2.0 / 6.0 + 4.0 * 5.0 / 12.0 + 2.0 * 4.0 + 4.0, 1e-14);
    cn_model_destroy(model);
}

CN_TEST(given_mass_scales_the_inertia_of_the_shape) {
    cn_model *model = cn_new_model(3, 1000.0);
    cn_shape_def shape = cn_sphere(1.0);
    cn_body_def def = cn_body_of(NULL, &shape, 1);
    def.mass = 5.0;
    cn_add(model, &def);
    def.inertia[0] = 1.0;
    def.inertia[1] = def.inertia[3] = 0.1;
    def.inertia[4] = 2.0;
    def.inertia[8] = 3.0;
    def.inertia[2] = def.inertia[5] = def.inertia[6] = def.inertia[7] = 0.0;
    def.com[0] = 0.5;
    def.com[1] = def.com[2] = 0.0;
    cn_add(model, &def);
    cn_finish(model);
    CN_CHECK_NEAR(model->inertia[model->body[0].inertia].tensor[0], 2.0, 1e-15);
    CN_CHECK_NEAR(model->body[1].mass, 5.0, 0.0);
    CN_CHECK_NEAR(model->shape[1].position[0], -0.5, 0.0);
    const model_inertia *inertia = &model->inertia[model->body[1].inertia];
    double product[9];
    math_mat3_multiply(inertia->tensor, inertia->inverse, product);
    for (int i = 0; i < 9; i++) {
        CN_CHECK_NEAR(product[i], i % 4 == 0, 1e-15);
    }
    cn_model_destroy(model);
}

CN_TEST(plane_body_is_in_the_plane) {
    cn_model *model = cn_new_model(2, 2.0);
    const double triangle[6] = {0, 0, 3, 0, 0, 3};
    cn_shape_def shape = cn_shape_def_default(CN_SHAPE_POLYGON);
    shape.vertices = triangle;
    shape.vertex_count = 3;
    cn_body_def def = cn_body_of("wedge", &shape, 1);
    def.position[0] = 1.0;
    def.position[2] = 7.0; // ignored
    def.angle = 0.5 * 3.14159265358979323846;
    def.angular_velocity[2] = 4.0;
    cn_add(model, &def);
    cn_finish(model);
    CN_CHECK_NEAR(model->body[0].mass, 9.0, 1e-14);
    CN_CHECK_NEAR(model->inertia[0].tensor[8], 9.0, 1e-13);
    CN_CHECK_NEAR(model->inertia[0].inverse[8], 1.0 / 9.0, 1e-15);
    const double want[3] = {0.0, 1.0, 0.5 * 3.14159265358979323846};
    for (int i = 0; i < 3; i++) {
        CN_CHECK_NEAR(model->q0[i], want[i], 1e-15);
    }
    CN_CHECK_TRUE(model->v0[2] == 4.0);
    cn_model_destroy(model);
}

CN_TEST(bodies_are_found_by_name) {
    cn_model *model = cn_new_model(3, 1.0);
    cn_shape_def shape = cn_sphere(1.0);
    for (int i = 0; i < 1000; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        cn_body_def def = cn_body_of(i % 2 ? name : NULL, &shape, 1);
        cn_add(model, &def);
    }
    CN_CHECK_TRUE(cn_model_find_body(model, "b7") == 8);
    cn_finish(model);
    CN_CHECK_TRUE(cn_model_find_body(model, "b999") == 1000);
    CN_CHECK_TRUE(cn_model_find_body(model, "b8") == 0 && cn_model_find_body(model, NULL) == 0);
    assert_string_equal(model->body[7].name, "b7");
    assert_string_equal(model->body[8].name, "");
    cn_model_destroy(model);
}

// ---- pairs ----

static void cn_add_contact(cn_model *model, const char *a, const char *b, double friction,
                           double restitution, cn_law law) {
    cn_error error;
    cn_contact_def def = cn_contact_def_default();
    def.between[0] = a;
    def.between[1] = b;
    def.friction = friction;
    def.restitution = restitution;
    def.law = law;
    cn_must(cn_model_add_contact(model, &def, &error), &error);
}

CN_TEST(last_entry_that_gives_a_key_wins) {
    cn_model *model = cn_new_model(3, 1.0);
    int32_t wood, ice;
    cn_model_add_material(model, &(cn_material_def){.name = "wood", .density = 1.0}, &wood, NULL);
    cn_model_add_material(model, &(cn_material_def){.name = "ice", .density = 1.0}, &ice, NULL);
    cn_add_contact(model, "*", "*", 0.3, 0.5, CN_LAW_KINDS);
    cn_add_contact(model, "wood", "stone", 0.6, NAN, CN_LAW_KINDS);
    cn_add_contact(model, "*", "ice", 0.0, NAN, CN_LAW_KINDS);
    cn_add_contact(model, "wood", "wood", NAN, 0.0, CN_LAW_KINDS);
    cn_add_contact(model, "ice", "wood", NAN, NAN, CN_LAW_GAP);
    cn_finish_with_any_body(model);
    for (int32_t a = 0; a < 3; a++) {
        for (int32_t b = 0; b < 3; b++) {
            const model_body_pair *p = model_pair(model, a, b), *q = model_pair(model, b, a);
            CN_CHECK_TRUE(p->law == q->law && p->friction == q->friction);
            CN_CHECK_TRUE(p->restitution == q->restitution && p->correction == q->correction);
            CN_CHECK_NEAR(p->friction_dynamic, p->friction, 0.0);
        }
    }
    CN_CHECK_NEAR(model_pair(model, 0, 0)->friction, 0.3, 0.0);
    CN_CHECK_NEAR(model_pair(model, 0, wood)->friction, 0.6, 0.0);
    CN_CHECK_NEAR(model_pair(model, 0, wood)->restitution, 0.5, 0.0);
    CN_CHECK_TRUE(model_pair(model, 0, wood)->law == CN_LAW_SIGNORINI);
    CN_CHECK_NEAR(model_pair(model, 0, ice)->friction, 0.0, 0.0);
    CN_CHECK_NEAR(model_pair(model, ice, ice)->friction, 0.0, 0.0);
    CN_CHECK_TRUE(model_pair(model, wood, wood)->law == CN_LAW_QUASI_INELASTIC);
    CN_CHECK_NEAR(model_pair(model, wood, wood)->friction, 0.3, 0.0);
    CN_CHECK_TRUE(model_pair(model, wood, ice)->law == CN_LAW_GAP);
    CN_CHECK_TRUE(isinf(model_pair(model, wood, ice)->correction));
    cn_model_destroy(model);
}

CN_TEST(pair_that_nothing_matches_is_smooth_and_dead) {
    cn_model *model = cn_new_model(3, 1.0);
    cn_finish_with_any_body(model);
    const model_body_pair *pair = model_pair(model, 0, 0);
    CN_CHECK_TRUE(pair->friction == 0.0 && pair->restitution == 0.0 && pair->correction == 0.0);
    CN_CHECK_TRUE(pair->restitution_tangent == 0.0 && pair->law == CN_LAW_QUASI_INELASTIC);
    cn_model_destroy(model);
}

CN_TEST(what_is_legal_and_seldom_meant_is_warned_of) {
    cn_model *model = cn_new_model(3, 1.0);
    cn_error error;
    cn_contact_def def = cn_contact_def_default();
    def.source = cn_here;
    def.between[0] = "stone";
    def.between[1] = "wood";
    def.friction = 1.0;
    def.friction_dynamic = 6.0;
    int32_t wood;
    cn_model_add_material(model, &(cn_material_def){.name = "wood", .density = 1.0}, &wood, NULL);
    cn_must(cn_model_add_contact(model, &def, &error), &error);
    cn_shape_def shape = cn_sphere(1.0);
    cn_body_def body = cn_body_of("", &shape, 1);
    cn_add(model, &body);
    cn_add(model, &body);
    cn_finish(model);
    assert_int_equal(cn_model_warning_count(model), 2);
    const cn_error *friction = cn_model_warning(model, 0), *lawless = cn_model_warning(model, 1);
    assert_string_equal(friction->message, "friction of 6 between 'stone' and 'wood' is above 5");
    assert_string_equal(lawless->message, "no entry of contacts matches the materials 'stone' and "
                                          "'stone' (bodies 1 and 2 can touch)");
    for (int32_t i = 0; i < 2; i++) {
        const cn_error *warning = cn_model_warning(model, i);
        CN_CHECK_TRUE(warning->status == CN_OK && warning->line == 7 && warning->column == 3);
        assert_string_equal(warning->file, "scene.yaml");
    }
    cn_model_destroy(model);
}

CN_TEST(bad_contacts_are_refused) {
    cn_model *model = cn_new_model(3, 1.0);
    cn_error error;
    cn_contact_def def = cn_contact_def_default();
    def.source = cn_here;
    def.friction = -0.1;
    cn_check_failure(cn_model_add_contact(model, &def, &error), &error, CN_ERR_INPUT,
                     "friction must be 0 or more, not -0.1");
    def.friction = NAN;
    def.restitution = 1.5;
    cn_check_failure(cn_model_add_contact(model, &def, &error), &error, CN_ERR_INPUT,
                     "restitution must be between 0 and 1, not 1.5");
    def.restitution = NAN;
    def.between[1] = "stine";
    cn_must(cn_model_add_contact(model, &def, &error), &error);
    cn_check_failure(cn_model_finish(model, &error), &error, CN_ERR_INPUT, "no material 'stine'");
    CN_CHECK_TRUE(strstr(error.hint, "stone") != NULL);
    cn_model_destroy(model);
}

CN_TEST(bad_materials_are_refused) {
    cn_model *model = cn_new_model(3, 1.0);
    cn_error error;
    int32_t material;
    CN_CHECK_TRUE(cn_model_add_material(model, &(cn_material_def){.name = "stone", .density = 1.0},
                                        &material, &error) == CN_ERR_INPUT);
    CN_CHECK_TRUE(strstr(error.message, "duplicate material") != NULL);
    CN_CHECK_TRUE(cn_model_add_material(model, &(cn_material_def){.name = "a", .density = NAN},
                                        &material, &error) == CN_ERR_INPUT);
    CN_CHECK_TRUE(cn_model_add_material(model, &(cn_material_def){.name = "*", .density = 1.0},
                                        &material, &error) == CN_ERR_INPUT);
    cn_model_destroy(model);
}

// ---- bodies that are refused ----

CN_TEST(shape_errors_name_the_body_and_its_place) {
    cn_shape_def shape = cn_sphere(-1.0);
    cn_body_def def = cn_body_of("ball", &shape, 1);
    cn_check_body_refused(cn_new_model(3, 1.0), &def,
                          "body 'ball': sphere: radius must be positive, not -1");
    def.name = NULL;
    cn_check_body_refused(cn_new_model(3, 1.0), &def, "body 1: sphere");
}

CN_TEST(unknown_material_is_refused) {
    cn_shape_def shape = cn_sphere(1.0);
    cn_body_def def = cn_body_of("ball", &shape, 1);
    def.material = 1;
    cn_check_body_refused(cn_new_model(3, 1.0), &def, "no material 1");
}

CN_TEST(mass_must_be_positive_and_finite) {
    cn_shape_def shape = cn_sphere(1.0);
    cn_body_def def = cn_body_of("ball", &shape, 1);
    const double bad[] = {0.0, -1.0, INFINITY};
    for (int i = 0; i < 3; i++) {
        def.mass = bad[i];
        cn_check_body_refused(cn_new_model(3, 1.0), &def, "mass must be positive");
    }
    def.mass = NAN;
    cn_check_body_refused(cn_new_model(3, 0.0), &def, "its mass is zero: material 'stone'");
}

CN_TEST(shapeless_free_body_needs_mass_and_inertia) {
    cn_body_def def = cn_body_of("ghost", NULL, 0);
    cn_check_body_refused(cn_new_model(3, 1.0), &def, "its mass is zero: it has no shape");
    def.mass = 1.0;
    cn_check_body_refused(cn_new_model(3, 1.0), &def, "no inertia");
    for (int i = 0; i < 9; i++) {
        def.inertia[i] = i % 4 == 0;
    }
    cn_model *model = cn_new_model(3, 1.0);
    cn_add(model, &def);
    cn_finish(model);
    cn_model_destroy(model);
    def.inertia[1] = 0.5;
    cn_check_body_refused(cn_new_model(3, 1.0), &def, "symmetric and positive definite");
    def.inertia[1] = 0.0;
    def.inertia[4] = -1.0;
    cn_check_body_refused(cn_new_model(3, 1.0), &def, "symmetric and positive definite");
    def.inertia[4] = INFINITY;
    cn_check_body_refused(cn_new_model(3, 1.0), &def, "inertia is not a finite number");
}

CN_TEST(non_finite_starts_are_refused) {
    cn_shape_def shape = cn_sphere(1.0);
    cn_body_def def = cn_body_of("ball", &shape, 1);
    def.position[1] = NAN;
    cn_check_body_refused(cn_new_model(3, 1.0), &def, "position");
    def.position[1] = 0.0;
    def.velocity[2] = INFINITY;
    cn_check_body_refused(cn_new_model(3, 1.0), &def, "velocity");
    def.velocity[2] = 0.0;
    def.orientation[0] = 0.0;
    cn_check_body_refused(cn_new_model(3, 1.0), &def, "orientation");
    def.orientation[2] = NAN;
    cn_check_body_refused(cn_new_model(3, 1.0), &def, "orientation");
}

CN_TEST(plane_on_a_free_body_is_refused) {
    cn_shape_def shape = cn_shape_def_default(CN_SHAPE_PLANE);
    shape.normal[2] = 1.0;
    cn_body_def def = cn_body_of("ground", &shape, 1);
    def.mass = 1.0;
    cn_check_body_refused(cn_new_model(3, 1.0), &def, "cannot move freely");
    def.mass = NAN;
    def.fixed = true;
    cn_model *model = cn_new_model(3, 1.0);
    cn_add(model, &def);
    cn_finish(model);
    CN_CHECK_TRUE(model->body[0].role == MODEL_BODY_FIXED && isinf(model->body[0].bound));
    cn_model_destroy(model);
}

CN_TEST(locks_are_checked) {
    cn_shape_def shape = cn_sphere(1.0);
    cn_body_def def = cn_body_of("ball", &shape, 1);
    def.lock = 64;
    cn_check_body_refused(cn_new_model(3, 1.0), &def, "tx ty tz rx ry rz");
    def.lock = CN_LOCK_TX;
    def.velocity[0] = 1.0;
    cn_check_body_refused(cn_new_model(3, 1.0), &def, "locked");
    // Held along its own x, which points along the world's y: free to go along x.
    def.lock_body_axes = true;
    def.orientation[0] = def.orientation[3] = 1.0;
    cn_model *model = cn_new_model(3, 1.0);
    cn_add(model, &def);
    cn_finish(model);
    cn_model_destroy(model);
    cn_shape_def disk = cn_shape_def_default(CN_SHAPE_DISK);
    disk.radius = 1.0;
    def = cn_body_of("disk", &disk, 1);
    def.lock = CN_LOCK_TZ;
    cn_check_body_refused(cn_new_model(2, 1.0), &def, "tx ty rz");
    def.lock = CN_LOCK_RZ;
    def.angular_velocity[2] = 1.0;
    cn_check_body_refused(cn_new_model(2, 1.0), &def, "locked");
}

CN_TEST(name_used_twice_is_refused) {
    cn_model *model = cn_new_model(3, 1.0);
    cn_shape_def shape = cn_sphere(1.0);
    cn_body_def def = cn_body_of("ball", &shape, 1);
    cn_add(model, &def);
    cn_check_body_refused(model, &def, "name is used by body 1");
}

CN_TEST(fixed_body_has_no_velocity) {
    cn_shape_def shape = cn_sphere(1.0);
    cn_body_def def = cn_body_of("ball", &shape, 1);
    def.fixed = true;
    def.velocity[1] = 1.0;
    cn_check_body_refused(cn_new_model(3, 1.0), &def, "fixed and has a velocity");
}

// ---- forces, motions, settings ----

CN_TEST(force_point_is_about_the_centre_of_mass) {
    cn_model *model = cn_new_model(3, 1.0);
    cn_shape_def shape = cn_sphere(1.0);
    shape.position[0] = 2.0;
    cn_body_def def = cn_body_of("ball", &shape, 1);
    cn_force_def force = {.body = cn_add(model, &def), .point = {3.0, 1.0, 0.0}};
    force.force[0].expression = "2*t";
    force.torque[2].constant = 4.0;
    cn_error error;
    cn_must(cn_model_add_force(model, &force, &error), &error);
    force.point[0] = NAN;
    cn_must(cn_model_add_force(model, &force, &error), &error);
    cn_finish(model);
    CN_CHECK_NEAR(model->force[0].point[0], 1.0, 1e-15);
    CN_CHECK_NEAR(model->force[0].point[1], 1.0, 0.0);
    CN_CHECK_TRUE(!model->force[0].at_center && model->force[1].at_center);
    CN_CHECK_NEAR(signal_at(model, model->force[1].force[0], 3.0), 6.0, 0.0);
    CN_CHECK_NEAR(signal_at(model, model->force[1].torque[2], 3.0), 4.0, 0.0);
    cn_model_destroy(model);
}

CN_TEST(bad_forces_are_refused) {
    cn_model *model = cn_new_model(3, 1.0);
    cn_shape_def shape = cn_sphere(1.0);
    cn_body_def def = cn_body_of("ball", &shape, 1);
    cn_add(model, &def);
    cn_error error;
    cn_force_def force = {.body = 2, .source = cn_here};
    cn_check_failure(cn_model_add_force(model, &force, &error), &error, CN_ERR_INPUT, "no body 2");
    force.body = 1;
    force.force[1].expression = "2*x";
    cn_check_failure(cn_model_add_force(model, &force, &error), &error, CN_ERR_INPUT,
                     "force[1]: at its character 3: expression");
    force.force[1].source = (cn_source){"scene.yaml", 9, 20};
    CN_CHECK_TRUE(cn_model_add_force(model, &force, &error) == CN_ERR_INPUT && error.line == 9);
    force.force[1].expression = NULL;
    force.point[1] = INFINITY;
    cn_check_failure(cn_model_add_force(model, &force, &error), &error, CN_ERR_INPUT, "point");
    cn_model_destroy(model);
}

CN_TEST(motion_drives_a_body_from_its_start) {
    cn_model *model = cn_new_model(3, 1.0);
    cn_shape_def shape = cn_shape_def_default(CN_SHAPE_PLANE);
    shape.normal[2] = 1.0;
    cn_body_def def = cn_body_of("floor", &shape, 1);
    def.fixed = true;
    cn_motion_def motion = {.body = cn_add(model, &def), .source = cn_here};
    motion.linear[2].expression = "0.5*cos(10*t)";
    motion.angular[0].constant = 2.0;
    cn_error error;
    cn_must(cn_model_add_motion(model, &motion, &error), &error);
    cn_check_failure(cn_model_add_motion(model, &motion, &error), &error, CN_ERR_INPUT, "already");
    cn_finish(model);
    CN_CHECK_TRUE(model->body[0].role == MODEL_BODY_DRIVEN && model->motion_count == 1);
    CN_CHECK_TRUE(model->v0[2] == 0.5 && model->v0[3] == 2.0);
    cn_model_destroy(model);
}

CN_TEST(settings_are_checked_and_kept) {
    cn_model *model = cn_new_model(3, 1.0);
    char solver[] = "nsgs";
    cn_error error;
    cn_settings *s = cn_model_settings(model);
    s->solver = solver;
    s->theta = 0.4;
    CN_CHECK_TRUE(cn_model_finish(model, &error) == CN_ERR_INPUT);
    CN_CHECK_TRUE(strstr(error.message, "theta cannot be 0.4") != NULL);
    s->theta = 1.0;
    s->step = 0.0;
    CN_CHECK_TRUE(cn_model_finish(model, &error) == CN_ERR_INPUT);
    s->step = NAN;
    CN_CHECK_TRUE(cn_model_finish(model, &error) == CN_ERR_INPUT);
    s->step = 0.01;
    cn_finish_with_any_body(model);
    solver[0] = 'x';
    assert_string_equal(model->settings.solver, "nsgs");
    cn_model_destroy(model);
}

// Limits of C are those of scene files, under the same names.
CN_TEST(every_number_of_the_settings_has_its_limits) {
    const struct {
        size_t offset;
        double value;
        const char *message;
    } cases[] = {
        {offsetof(cn_settings, accuracy), 0.0, "integrator.accuracy cannot be 0"},
        {offsetof(cn_settings, damping), 0.5, "integrator.damping cannot be 0.5"},
        {offsetof(cn_settings, alert), -1.0, "detection.alert cannot be -1"},
        {offsetof(cn_settings, joint_tolerance), NAN, "integrator.joint_tolerance cannot be nan"},
        {offsetof(cn_settings, step_min), 0.2, "integrator.step_least of 0.2 s"},
        {offsetof(cn_settings, until), HUGE_VAL, "time.until cannot be inf"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cn_model *model = cn_new_model(3, 1.0);
        cn_error error = {.status = CN_OK};
        cn_settings *s = cn_model_settings(model);
        memcpy((char *)s + cases[i].offset, &cases[i].value, sizeof(double));
        CN_CHECK_TRUE(cn_model_finish(model, &error) == CN_ERR_INPUT);
        if (!strstr(error.message, cases[i].message)) {
            print_error("got \"%s\", want \"%s\"\n", error.message, cases[i].message);
            fail();
        }
        cn_model_destroy(model);
    }
}

CN_TEST(a_step_longer_than_the_run_is_refused) {
    cn_model *model = cn_new_model(3, 1.0);
    cn_error error = {0};
    cn_settings *s = cn_model_settings(model);
    s->step = 0.5;
    s->until = 0.25;
    CN_CHECK_TRUE(cn_model_finish(model, &error) == CN_ERR_INPUT);
    CN_CHECK_TRUE(strstr(error.message, "time.step of 0.5 s is longer than the run") != NULL);
    s->until = 0.5;
    cn_finish_with_any_body(model);
    cn_model_destroy(model);
}

CN_TEST(a_model_without_bodies_is_refused) {
    cn_model *model = cn_new_model(3, 1.0);
    cn_error error = {0};
    CN_CHECK_TRUE(cn_model_finish(model, &error) == CN_ERR_INPUT);
    assert_string_equal(error.message, "there are no bodies");
    cn_finish_with_any_body(model);
    cn_model_destroy(model);
}

CN_TEST(lengths_above_a_million_kilometres_are_refused) {
    static const struct {
        double position, radius, inside, com;
        const char *words;
    } bad[] = {{2e9, 1.0, 0.0, 0.0, "position[1] of 2e+09 m is too large"},
               {0.0, 2e9, 0.0, 0.0, "sphere: radius of 2e+09 m is too large"},
               {0.0, 1.0, -2e9, 0.0, "sphere: position of 2e+09 m is too large"},
               {0.0, 1.0, 0.0, 2e9, "its centre of mass is 2e+09 m from its origin"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cn_shape_def shape = cn_sphere(bad[i].radius);
        shape.position[0] = bad[i].inside;
        cn_body_def def = cn_body_of("far", &shape, 1);
        def.position[1] = bad[i].position;
        if (bad[i].com > 0.0) {
            memcpy(def.com, (double[3]){0.0, 0.0, bad[i].com}, sizeof def.com);
        }
        cn_check_body_refused(cn_new_model(3, 1.0), &def, bad[i].words);
    }
    cn_model *model = cn_new_model(3, 1.0);
    cn_shape_def shape = cn_sphere(1e9);
    cn_body_def def = cn_body_of("earthlike", &shape, 1);
    def.position[0] = -1e9;
    cn_add(model, &def);
    cn_finish(model);
    cn_model_destroy(model);
}

// Principal moments along axes turned by a and b; a body when A + B >= C up to three digits.
CN_TEST(an_inertia_that_no_body_has_is_refused) {
    static const struct {
        double moment[3];
        bool possible;
    } trial[] = {{{1.0, 1.0, 2.0}, true},         // flat
                 {{0.0833, 0.0833, 0.167}, true}, // flat, with three digits
                 {{1.0, 1.0, 1e-3}, true},        // a rod
                 {{1.0, 1.0, 2.1}, false},        {{5.0, 1.0, 1.0}, false},
                 {{1.0, 3.0, 1.5}, false}};
    const double a = 0.7, b = 0.4;
    const double R[9] = {cos(a), -sin(a) * cos(b), sin(a) * sin(b),
                         sin(a), cos(a) * cos(b),  -cos(a) * sin(b),
                         0.0,    sin(b),           cos(b)};
    for (size_t t = 0; t < 2 * sizeof trial / sizeof *trial; t++) {
        const double *moment = trial[t / 2].moment;
        cn_shape_def shape = cn_sphere(1.0);
        cn_body_def def = cn_body_of("wheel", &shape, 1);
        for (int32_t i = 0; i < 9; i++) {
            def.inertia[i] = 0.0;
            for (int32_t k = 0; k < 3; k++) {
                def.inertia[i] += t % 2 ? R[3 * (i / 3) + k] * moment[k] * R[3 * (i % 3) + k]
                                        : (i == 4 * k ? moment[k] : 0.0);
            }
        }
        if (!trial[t / 2].possible) {
            cn_check_body_refused(cn_new_model(3, 1.0), &def, "no body has this inertia");
            continue;
        }
        cn_model *model = cn_new_model(3, 1.0);
        cn_add(model, &def);
        cn_finish(model);
        cn_model_destroy(model);
    }
}

CN_TEST(finished_model_takes_nothing_more) {
    cn_model *model = cn_new_model(3, 1.0);
    cn_finish_with_any_body(model);
    cn_error error;
    int32_t id;
    cn_shape_def shape = cn_sphere(1.0);
    cn_body_def def = cn_body_of("late", &shape, 1);
    CN_CHECK_TRUE(cn_model_add_body(model, &def, &id, &error) == CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(cn_model_finish(model, &error) == CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(model->finished);
    cn_model_destroy(model);
}

// ---- memory ----

// A scene with some of everything; the status of the first call that fails.
static cn_status cn_build_some(const cn_env *env, cn_model **out) {
    const double corner[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    int32_t material;
    cn_model *model = cn_model_create(env, 3);
    *out = model;
    if (!model) {
        return CN_ERR_MEMORY;
    }
    cn_status status = cn_model_add_material(
        model, &(cn_material_def){.name = "stone", .density = 2.0}, &material, NULL);
    cn_contact_def contact = cn_contact_def_default();
    if (status == CN_OK) {
        status = cn_model_add_contact(model, &contact, NULL);
    }
    for (int i = 0; i < 600 && status == CN_OK; i++) {
        cn_shape_def shape = i % 100 ? cn_sphere(1.0) : cn_shape_def_default(CN_SHAPE_POLYHEDRON);
        shape.vertices = corner;
        shape.vertex_count = 4;
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        cn_body_def def = cn_body_of(name, &shape, 1);
        cn_body_id id;
        status = cn_model_add_body(model, &def, &id, NULL);
    }
    cn_force_def force = {.body = 1};
    force.force[0].expression = "t";
    cn_motion_def motion = {.body = 2};
    if (status == CN_OK) {
        status = cn_model_add_force(model, &force, NULL);
    }
    if (status == CN_OK) {
        status = cn_model_add_motion(model, &motion, NULL);
    }
    return status == CN_OK ? cn_model_finish(model, NULL) : status;
}

CN_TEST(every_failing_allocation_is_reported_and_nothing_leaks) {
    for (int64_t k = 1;; k++) {
        cn_failing counter;
        cn_env env = cn_failing_env(&counter, k);
        cn_model *model;
        cn_status status = cn_build_some(&env, &model);
        cn_model_destroy(model);
        assert_int_equal(counter.live, 0);
        assert_int_equal(status, counter.failed ? CN_ERR_MEMORY : CN_OK);
        if (!counter.failed) {
            CN_CHECK_TRUE(k > 40);
            break;
        }
    }
}

// Bodies that follow each other and are alike have one set of shapes and one inertia.
CN_TEST(bodies_alike_share_shapes_and_inertia) {
    cn_model *model = cn_new_model(3, 1.0);
    cn_shape_def box = cn_shape_def_default(CN_SHAPE_BOX), wide;
    box.size[0] = box.size[1] = box.size[2] = 1.0;
    wide = box;
    wide.size[0] = 2.0;
    cn_body_def def = cn_body_of(NULL, &box, 1);
    for (int i = 0; i < 100; i++) {
        def.shapes = i == 50 ? &wide : &box;
        def.position[0] = 10.0 * i;
        cn_add(model, &def);
    }
    def.material = 0;
    def.mass = 3.0; // another inertia, the same shape
    cn_add(model, &def);
    cn_finish(model);
    CN_CHECK_TRUE(model->shape_count == 3 && model->inertia_count == 4);
    for (int i = 0; i <= 100; i++) {
        const model_body *body = &model->body[i];
        CN_CHECK_NEAR(model->shape[body->shape_first].axes[0], i == 50 ? 1.0 : 0.5, 0.0);
        CN_CHECK_NEAR(model->shape[body->shape_first].hull.vertex[0], i == 50 ? -1.0 : -0.5, 0.0);
        CN_CHECK_NEAR(model->inertia[body->inertia].tensor[0],
                      i == 50 ? 2.0 / 6.0 : (i == 100 ? 3.0 : 1.0) / 6.0, 1e-15);
    }
    cn_model_destroy(model);
}
