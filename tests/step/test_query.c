// Rays, the nearest to a point, and what overlaps a shape: against closed forms, against a search
// along the ray with distances that the checker computes, against planes that prove a distance, and
// against asking one body after the other.
#include "world.h"

#include "check/shapes.h"
#include "step/sim.h"

#include <cairn/query.h>
#include <math.h>

static cn_query *query_of(const world *w) {
    cn_query *query;
    cn_error error = {0};
    if (cn_query_create(w->sim, &query, &error) != CN_OK) {
        world_fail(&error);
    }
    return query;
}

#define HEAD                                                                                       \
    "materials: {stone: {density: 1000}}\n"                                                        \
    "contacts: [{between: [\"*\", \"*\"], friction: 0.5}]\nbodies:\n"

static world solids(void) {
    return world_open(
        "cairn: 1\n" HEAD
        "  - {fixed: true, material: stone, shape: {plane: {normal: [0, 0, 1], offset: -5}}}\n"
        "  - {material: stone, position: [0, 0, 0], shape: {sphere: {radius: 1}}}\n"
        "  - {material: stone, position: [5, 0, 0], shape: {box: {size: [2, 4, 1]}}}\n"
        "  - {material: stone, position: [10, 0, 0], shape: {capsule: {radius: 0.5, length: 2}}}\n"
        "  - {material: stone, position: [15, 0, 0], shape: {cylinder: {radius: 1, length: 2}}}\n"
        "  - {material: stone, position: [20, 0, 0], shape: {ellipsoid: {axes: [2, 4, 6]}}}\n"
        "  - {material: stone, position: [25, 0, 0], shape: [{box: {size: [1, 1, 1]}}, {sphere: "
        "{radius: 0.5}, position: [0, 2, 0]}]}\n");
}

CN_TEST(rays_hit_shapes_where_closed_forms_say) {
    static const struct {
        double origin[3], direction[3], distance, normal[3];
        cn_body_id body;
        int32_t shape;
    } rays[] = {
        {{0, 0, 9}, {0, 0, -2}, 8.0, {0, 0, 1}, 2, 0},
        {{0.6, 0, 9}, {0, 0, -1}, 8.2, {0.6, 0, 0.8}, 2, 0},
        {{2, 0, 9}, {0, 0, -1}, 14.0, {0, 0, 1}, 1, 0},
        {{4.5, 1, 9}, {0, 0, -1}, 8.5, {0, 0, 1}, 3, 0},
        {{5, 9, 0.2}, {0, -1, 0}, 7.0, {0, 1, 0}, 3, 0},
        {{10, 0.3, 9}, {0, 0, -1}, 7.6, {0, 0.6, 0.8}, 4, 0},
        {{10.3, 9, 0.7}, {0, -1, 0}, 8.6, {0.6, 0.8, 0}, 4, 0},
        {{15.5, 0, 9}, {0, 0, -1}, 8.0, {0, 0, 1}, 5, 0},
        {{15.6, 9, 0.5}, {0, -1, 0}, 8.2, {0.6, 0.8, 0}, 5, 0},
        {{20, 9, 0}, {0, -1, 0}, 7.0, {0, 1, 0}, 6, 0},
        {{20.6, 9, 0}, {0, -1, 0}, 7.4, {0, 0, 0}, 6, 0},
        {{25, 9, 0}, {0, -1, 0}, 6.5, {0, 1, 0}, 7, 1},
        {{25, -9, 0}, {0, 1, 0}, 8.5, {0, -1, 0}, 7, 0},
        {{0, 0, 0.5}, {0, 0, 1}, 0.0, {0, 0, -1}, 2, 0},
    };
    world w = solids();
    cn_query *query = query_of(&w);
    for (size_t i = 0; i < sizeof rays / sizeof rays[0]; i++) {
        cn_query_hit hit;
        CN_CHECK_TRUE(cn_query_ray(query, rays[i].origin, rays[i].direction, 100.0, NULL, &hit) ==
                      CN_OK);
        CN_CHECK_TRUE(hit.body == rays[i].body && hit.shape == rays[i].shape);
        CN_CHECK_NEAR(hit.distance, rays[i].distance, 1e-14 * 10.0);
        bool given =
            rays[i].normal[0] != 0.0 || rays[i].normal[1] != 0.0 || rays[i].normal[2] != 0.0;
        for (int k = 0; k < 3 && given; k++) {
            CN_CHECK_NEAR(hit.normal[k], rays[i].normal[k], 1e-13);
        }
        double length = sqrt(hit.normal[0] * hit.normal[0] + hit.normal[1] * hit.normal[1] +
                             hit.normal[2] * hit.normal[2]);
        CN_CHECK_NEAR(length, 1.0, 1e-14);
    }
    cn_query_destroy(query);
    world_close(&w);
}

CN_TEST(rays_stop_at_their_reach_and_pass_bodies_left_out) {
    world w = solids();
    cn_query *query = query_of(&w);
    const double origin[3] = {-9, 0, 0}, along[3] = {1, 0, 0};
    cn_query_hit hit, hits[8];
    CN_CHECK_TRUE(cn_query_ray(query, origin, along, 7.9, NULL, &hit) == CN_OK && hit.body == 0);
    const cn_query_filter filter = {.ignore = 2};
    CN_CHECK_TRUE(cn_query_ray(query, origin, along, 50.0, &filter, &hit) == CN_OK);
    CN_CHECK_TRUE(hit.body == 3);
    CN_CHECK_NEAR(hit.distance, 13.0, 1e-14);
    int32_t count;
    CN_CHECK_TRUE(cn_query_ray_all(query, origin, along, 50.0, NULL, hits, 8, &count) == CN_OK);
    CN_CHECK_TRUE(count == 6);
    for (int32_t i = 0; i < count; i++) {
        CN_CHECK_TRUE(hits[i].body == i + 2 && (i == 0 || hits[i].distance > hits[i - 1].distance));
    }
    CN_CHECK_TRUE(cn_query_ray_all(query, origin, along, 50.0, NULL, hits, 2, &count) == CN_OK);
    CN_CHECK_TRUE(count == 6 && hits[0].body == 2 && hits[1].body == 3);
    // Wrong numbers.
    const double zero[3] = {0.0}, wrong[3] = {0, (double)NAN, 0};
    CN_CHECK_TRUE(cn_query_ray(query, origin, zero, 1.0, NULL, &hit) == CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(cn_query_ray(query, wrong, along, 1.0, NULL, &hit) == CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(cn_query_ray(query, origin, along, -1.0, NULL, &hit) == CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(cn_query_ray(NULL, origin, along, 1.0, NULL, &hit) == CN_ERR_ARGUMENT);
    CN_CHECK_TRUE(cn_query_closest(query, wrong, 1.0, NULL, &hit) == CN_ERR_ARGUMENT);
    cn_query_destroy(query);
    world_close(&w);
}

// ---- crowds ----

static uint64_t seed = 1;
static double random_in(double low, double high) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * ((double)(seed >> 11) / 9007199254740992.0);
}

#define CROWD 120
static const char *const shapes_3d[] = {"sphere: {radius: 0.4}",
                                        "box: {size: [0.5, 0.8, 1.2]}",
                                        "capsule: {radius: 0.2, length: 0.8}",
                                        "cylinder: {radius: 0.3, length: 0.9}",
                                        "ellipsoid: {axes: [0.5, 0.9, 1.3]}",
                                        ("polyhedron: {vertices: [[0, 0, 0], [1, 0, 0], [0, 0.8, "
                                         "0], [0.1, 0.2, 0.9], [0.7, 0.6, 0.5]]}")};
static const char *const shapes_2d[] = {
    "disk: {radius: 0.4}", "box: {size: [0.5, 1.1]}", "ellipse: {axes: [0.5, 1.3]}",
    "polygon: {vertices: [[0, 0], [0.9, 0.1], [0.8, 0.7], [0.1, 0.6]]}"};

static world crowd(int32_t dim, bool walls) {
    static char text[CROWD * 400];
    int length = snprintf(text, sizeof text, "cairn: 1\ndimension: %d\n" HEAD, (int)dim);
    seed = 7;
    for (int i = 0; i < CROWD; i++) {
        const char *shape = dim == 3 ? shapes_3d[i % 6] : shapes_2d[i % 4];
        double size = dim == 3 ? 4.0 : 9.0;
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "  - {fixed: true, material: stone, position: [%.9g, %.9g",
                           random_in(-size, size), random_in(-size, size));
        if (dim == 3) {
            length += snprintf(text + length, sizeof text - (size_t)length,
                               ", %.9g], rotation: {axis: [%.9g, %.9g, 1], angle: %.9g}",
                               random_in(-size, size), random_in(-1, 1), random_in(-1, 1),
                               random_in(-3, 3));
        } else {
            length += snprintf(text + length, sizeof text - (size_t)length, "], angle: %.9g",
                               random_in(-3, 3));
        }
        length += snprintf(text + length, sizeof text - (size_t)length, ", shape: {%s}}\n", shape);
    }
    if (walls) {
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "  - {fixed: true, material: stone, shape: {%s}}\n%s",
                           dim == 3 ? "plane: {normal: [0, 0, 1], offset: -6}"
                                    : "line: {normal: [0, 1], offset: -11}",
                           dim == 3 ? ""
                                    : "  - {fixed: true, material: stone, shape: {ring: {radius: "
                                      "20}}}\n");
    }
    cn_model *model;
    cn_error error = {0};
    if (cn_scene_read_text(NULL, "crowd", text, (size_t)length, NULL, 0, &model, &error) != CN_OK) {
        world_fail(&error);
    }
    return world_start(model);
}

// The checker's distance of a point to body i.
static double distance_to(const world *w, int32_t i, const double point[3]) {
    const double *pose = w->sim->state.q + (int64_t)w->pose * i;
    check_solid solid = check_solid_at(w->model, i, 0, pose);
    return check_solid_distance(&solid, point);
}

#define MARCH 3000
static double march(const world *w, int32_t i, const double o[3], const double d[3], double reach) {
    double last = 0.0, point[3];
    for (int step = 0; step <= MARCH; step++) {
        double t = reach * step / MARCH;
        for (int k = 0; k < 3; k++) {
            point[k] = o[k] + t * d[k];
        }
        if (distance_to(w, i, point) <= 0.0) {
            for (int halving = 0; halving < 60 && step > 0; halving++) {
                double middle = 0.5 * (last + t);
                for (int k = 0; k < 3; k++) {
                    point[k] = o[k] + middle * d[k];
                }
                *(distance_to(w, i, point) <= 0.0 ? &t : &last) = middle;
            }
            return t;
        }
        last = t;
    }
    return HUGE_VAL;
}

static void random_ray(int32_t dim, double o[3], double d[3]) {
    double length = 0.0;
    for (int k = 0; k < 3; k++) {
        o[k] = k < dim ? random_in(-5, 5) : 0.0;
        d[k] = k < dim ? random_in(-1, 1) : 0.0;
        length = hypot(length, d[k]);
    }
    for (int k = 0; k < 3; k++) {
        d[k] /= length;
    }
}

static void rays_of(int32_t dim) {
    world w = crowd(dim, true);
    cn_query *query = query_of(&w);
    int hits = 0, inside = 0;
    for (int i = 0; i < 60; i++) {
        double o[3], d[3], best = HUGE_VAL;
        cn_query_hit hit;
        int32_t body = -1, bodies = cn_model_body_count(w.model);
        random_ray(dim, o, d);
        for (int32_t b = 0; b < bodies; b++) {
            double t = march(&w, b, o, d, 12.0);
            body = t < best ? b : body;
            best = fmin(best, t);
        }
        CN_CHECK_TRUE(cn_query_ray(query, o, d, 12.0, NULL, &hit) == CN_OK);
        // A ray that grazes a body may slip through the steps of the search.
        bool grazed = hit.body > 0 && hit.body != body + 1 && hit.distance < best;
        if (grazed) {
            CN_CHECK_NEAR(distance_to(&w, hit.body - 1, hit.point), 0.0, 1e-9);
            continue;
        }
        CN_CHECK_TRUE(hit.body == body + 1 || (best == 0.0 && hit.distance == 0.0));
        if (hit.body > 0) {
            CN_CHECK_NEAR(hit.distance, best, 1e-11);
            double along = hit.normal[0] * d[0] + hit.normal[1] * d[1] + hit.normal[2] * d[2];
            CN_CHECK_TRUE(along < 0.0);
        }
        hits += hit.body > 0;
        inside += hit.body > 0 && hit.distance == 0.0;
    }
    CN_CHECK_TRUE(hits >= 30 && inside >= 1 && inside <= 40);
    cn_query_destroy(query);
    world_close(&w);
}

CN_TEST(rays_hit_what_a_search_along_them_finds) {
    rays_of(3);
}

CN_TEST(rays_hit_what_a_search_along_them_finds_in_2d) {
    rays_of(2);
}

static bool only_one(void *user, cn_body_id body) {
    return body == *(const cn_body_id *)user;
}

// The plane through the nearest point with the normal there leaves the body on one side: no point
// of it is nearer.
static void nearest_of(int32_t dim) {
    world w = crowd(dim, true);
    cn_query *query = query_of(&w);
    int outside = 0, far = 0;
    double worst = 0.0;
    for (int i = 0; i < 300; i++) {
        double point[3], least = HUGE_VAL, unused[3];
        cn_query_hit hit, single;
        cn_body_id one, nearest = 0;
        random_ray(dim, point, unused);
        CN_CHECK_TRUE(cn_query_closest(query, point, 0.6, NULL, &hit) == CN_OK);
        const cn_query_filter filter = {.accept = only_one, .user = &one};
        for (one = 1; one <= cn_model_body_count(w.model); one++) {
            CN_CHECK_TRUE(cn_query_closest(query, point, 0.6, &filter, &single) == CN_OK);
            if (single.body > 0 && single.distance < least) {
                least = single.distance;
                nearest = one;
            }
        }
        CN_CHECK_TRUE(hit.body == nearest);
        far += nearest == 0;
        if (nearest == 0 || hit.distance <= 0.0) {
            continue;
        }
        CN_CHECK_NEAR(hit.distance, least, 0.0);
        check_solid solid = check_solid_at(w.model, hit.body - 1, 0,
                                           w.sim->state.q + (int64_t)w.pose * (nearest - 1));
        double apart = 0.0, along = 0.0;
        for (int k = 0; k < 3; k++) {
            apart = hypot(apart, point[k] - hit.point[k]);
            along += hit.normal[k] * hit.point[k];
        }
        worst = fmax(worst, fabs(apart - hit.distance));
        if (check_solid_extent(&solid, hit.normal) < HUGE_VAL) {
            worst = fmax(worst, fabs(check_solid_extent(&solid, hit.normal) - along));
        }
        outside++;
    }
    CN_CHECK_BELOW(worst, 1e-9);
    CN_CHECK_TRUE(outside >= 100 && far >= 5);
    cn_query_destroy(query);
    world_close(&w);
}

CN_TEST(the_nearest_is_proved_by_a_plane) {
    nearest_of(3);
}

CN_TEST(the_nearest_is_proved_by_a_plane_in_2d) {
    nearest_of(2);
}

// What overlaps a shape is what asking each body alone gives, with planes that part the others.
static void overlaps_of(int32_t dim) {
    static const cn_shape_kind kinds[] = {CN_SHAPE_BOX,      CN_SHAPE_SPHERE,    CN_SHAPE_CAPSULE,
                                          CN_SHAPE_CYLINDER, CN_SHAPE_ELLIPSOID, CN_SHAPE_BOX,
                                          CN_SHAPE_DISK,     CN_SHAPE_ELLIPSE};
    world w = crowd(dim, false);
    cn_query *query = query_of(&w);
    int found = 0;
    for (int i = 0; i < 60; i++) {
        cn_shape_def shape = cn_shape_def_default(kinds[dim == 3 ? i % 5 : 5 + i % 3]);
        double unused[3], margin = i % 2 ? 0.3 : 0.0;
        cn_query_hit hits[CROWD], single[4];
        int32_t count, alone = 0, at;
        cn_error error = {0};
        random_ray(dim, shape.position, unused);
        shape.radius = 0.7;
        shape.length = 1.5;
        shape.size[0] = 2.0;
        shape.size[1] = 0.5;
        shape.size[2] = 1.0;
        CN_CHECK_TRUE(cn_query_overlap(query, &shape, margin, NULL, hits, CROWD, &count, &error) ==
                      CN_OK);
        for (cn_body_id one = 1; one <= CROWD; one++) {
            const cn_query_filter filter = {.accept = only_one, .user = &one};
            CN_CHECK_TRUE(
                cn_query_overlap(query, &shape, margin, &filter, single, 4, &at, &error) == CN_OK);
            alone += at;
            bool listed = false;
            for (int32_t k = 0; k < count; k++) {
                listed = listed || (hits[k].body == one && hits[k].distance == single[0].distance);
            }
            CN_CHECK_TRUE(at == 0 || listed);
        }
        CN_CHECK_TRUE(alone == count);
        for (int32_t k = 0; k < count; k++) {
            CN_CHECK_TRUE(hits[k].distance <= margin);
            CN_CHECK_TRUE(k == 0 || hits[k].distance >= hits[k - 1].distance);
        }
        found += count;
    }
    CN_CHECK_TRUE(found > 60);
    cn_query_destroy(query);
    world_close(&w);
}

CN_TEST(overlaps_are_those_of_each_body_alone) {
    overlaps_of(3);
}

CN_TEST(overlaps_are_those_of_each_body_alone_in_2d) {
    overlaps_of(2);
}

CN_TEST(overlaps_of_a_sphere_have_closed_forms) {
    world w = solids();
    cn_query *query = query_of(&w);
    cn_shape_def ball = cn_shape_def_default(CN_SHAPE_SPHERE);
    ball.radius = 1.0;
    ball.position[2] = 1.75;
    cn_query_hit hits[4];
    int32_t count;
    cn_error error = {0};
    CN_CHECK_TRUE(cn_query_overlap(query, &ball, 0.0, NULL, hits, 4, &count, &error) == CN_OK);
    CN_CHECK_TRUE(count == 1 && hits[0].body == 2);
    CN_CHECK_NEAR(hits[0].distance, -0.25, 1e-15);
    CN_CHECK_NEAR(hits[0].normal[2], 1.0, 1e-15);
    ball.position[2] = 2.5;
    CN_CHECK_TRUE(cn_query_overlap(query, &ball, 0.5, NULL, hits, 4, &count, &error) == CN_OK);
    CN_CHECK_TRUE(count == 1);
    CN_CHECK_NEAR(hits[0].distance, 0.5, 1e-15);
    ball.radius = -1.0;
    CN_CHECK_TRUE(cn_query_overlap(query, &ball, 0.5, NULL, hits, 4, &count, &error) != CN_OK);
    CN_CHECK_TRUE(strstr(error.message, "radius") != NULL && count == 0);
    cn_shape_def plane = cn_shape_def_default(CN_SHAPE_PLANE);
    plane.normal[2] = 1.0;
    CN_CHECK_TRUE(cn_query_overlap(query, &plane, 0.5, NULL, hits, 4, &count, &error) ==
                  CN_ERR_ARGUMENT);
    cn_query_destroy(query);
    world_close(&w);
}

// Bodies that move: a query is what it was until it is updated, then what a new one is.
CN_TEST(a_query_follows_the_bodies_when_it_is_updated) {
    world w = world_open("cairn: 1\ntime: {step: 0.01}\n" HEAD
                         "  - {fixed: true, material: stone, shape: {plane: {normal: [0, 0, 1]}}}\n"
                         "generate:\n  - {grid: {material: stone, count: [5, 5, 8], spacing: [1.1, "
                         "1.1, 1.3], position: [0, 0, 1], velocity: [0.2, 0, 0], shape: {sphere: "
                         "{radius: 0.5}}}}\n");
    cn_query *query = query_of(&w);
    const double down[3] = {0, 0, -1}, origin[3] = {0.05, 0.02, 50};
    cn_query_hit before, same, hit, fresh;
    CN_CHECK_TRUE(cn_query_ray(query, origin, down, 100.0, NULL, &before) == CN_OK);
    cn_error error = {0};
    for (int part = 0; part < 8; part++) {
        world_steps(&w, 15);
        CN_CHECK_TRUE(cn_query_ray(query, origin, down, 100.0, NULL, &same) == CN_OK);
        CN_CHECK_NEAR(same.distance, before.distance, 0.0);
        CN_CHECK_TRUE(cn_query_update(query, w.sim, &error) == CN_OK);
        cn_query *other = query_of(&w);
        for (int i = 0; i < 50; i++) {
            double o[3], d[3];
            random_ray(3, o, d);
            CN_CHECK_TRUE(cn_query_ray(query, o, d, 30.0, NULL, &hit) == CN_OK);
            CN_CHECK_TRUE(cn_query_ray(other, o, d, 30.0, NULL, &fresh) == CN_OK);
            CN_CHECK_TRUE(hit.body == fresh.body && hit.distance == fresh.distance);
        }
        cn_query_destroy(other);
        CN_CHECK_TRUE(cn_query_ray(query, origin, down, 100.0, NULL, &before) == CN_OK);
    }
    CN_CHECK_TRUE(before.distance > 40.0);
    cn_query_destroy(query);
    world_close(&w);
}
