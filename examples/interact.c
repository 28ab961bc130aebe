// 100 boxes fall at 60 frames per second; one is pushed, one is hit by a ray, removed and replaced.
#include <cairn/cairn.h>
#include <stdio.h>
static const char scene[] =
    "{cairn: 1, time: {step: 0.0166666666666667}, materials: {wood: {density: 600}}, bodies: [\n"
    "{material: wood, fixed: true, shape: {plane: {normal: [0, 0, 1], offset: 0}}}], generate:\n"
    "[{grid: {material: wood, count: [5, 5, 4], spacing: [0.3, 0.3, 0.3], position: [0, 0, 0.6],\n"
    "shape: {box: {size: [0.2, 0.2, 0.2]}}}}]}";
static bool run(cn_sim *sim, int frames, cn_error *error) { // true: a step failed
    cn_step_report report;
    for (; frames > 0 && cn_sim_step(sim, &report, error) == CN_OK; frames--) {
    }
    return frames > 0;
}

int main(void) {
    double push[3] = {20}, from[3] = {0.6, 0.6, 9}, down[3] = {0, 0, -1}, force[3] = {0};
    cn_error error = {0};
    cn_model *model = NULL;
    cn_sim *sim = NULL;
    cn_query *query = NULL;
    cn_query_hit hit = {0};
    cn_shape_def round = {.kind = CN_SHAPE_SPHERE, .orientation = {1.0}, .radius = 0.2};
    cn_body_def def = cn_body_def_default();
    def.shapes = &round;
    def.shape_count = 1;
    def.position[2] = 3.0;
    bool failed =
        cn_scene_read_text(NULL, "boxes", scene, sizeof scene - 1, NULL, 0, &model, &error) ||
        cn_sim_create(model, NULL, &sim, &error) || run(sim, 60, &error) ||
        cn_sim_apply_impulse(sim, 50, push, NULL, NULL, &error) || run(sim, 60, &error) ||
        cn_query_create(sim, &query, &error) || cn_query_ray(query, from, down, 20.0, NULL, &hit) ||
        !cn_sim_contact_force(sim, 1, force) || cn_sim_remove_body(sim, hit.body, &error) ||
        cn_sim_add_body(sim, &def, &hit.body, &error) || run(sim, 60, &error);
    printf("%.0f N on the ground, ray at %.2f m %s\n", -force[2], hit.point[2], error.message);
    cn_query_destroy(query);
    cn_sim_destroy(sim);
    cn_model_destroy(model);
    return failed;
}
