// A box falls onto the ground: cc hello.c $(pkg-config --cflags --libs cairn) && ./a.out
#include <cairn/cairn.h>
#include <stdio.h>
int main(void) {
    cn_model *model = cn_model_create(NULL, 3); // lengths in [m], times in [s]
    cn_shape_def plane = {.kind = CN_SHAPE_PLANE, .orientation = {1}, .normal = {0, 0, 1}};
    cn_shape_def cube = {.kind = CN_SHAPE_BOX, .orientation = {1}, .size = {1, 1, 1}};
    cn_body_def ground = cn_body_def_default(), box = ground;
    ground.fixed = true, ground.shapes = &plane, ground.shape_count = 1;
    box.position[2] = 2, box.shapes = &cube, box.shape_count = 1;
    cn_model_add_material(model, &(cn_material_def){.name = "stone", .density = 2500},
                          &ground.material, NULL);
    box.material = ground.material;
    cn_body_id id;
    cn_sim *sim = NULL;
    cn_error error;
    bool good = !cn_model_add_body(model, &ground, &id, &error) &&
                !cn_model_add_body(model, &box, &id, &error) && !cn_model_finish(model, &error) &&
                !cn_sim_create(model, NULL, &sim, &error);
    cn_step_report report;
    while (good && cn_sim_time(sim) < 1) {
        good = !cn_sim_step(sim, &report, &error);
    }
    cn_body_state state = {.position = {0}};
    double force[3] = {0};
    good = good && cn_sim_body(sim, id, &state) && cn_sim_contact_force(sim, id, force);
    printf("height %.4f m, contact force %.1f N\n", state.position[2], force[2]);
    printf("%s\n", good ? "at rest after 1 s" : error.message);
    cn_sim_destroy(sim), cn_model_destroy(model);
    return good ? 0 : 1;
}
