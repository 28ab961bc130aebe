// examples/scene.c
// Runs a scene file and prints where a body is and what touches it.
//
//     cc scene.c $(pkg-config --cflags --libs cairn) && ./a.out block-on-slope.yaml block 1
//
// The arguments are the scene, the name of a body and the time [s] to run to.
#include <cairn/cairn.h>

#include <stdio.h>
#include <stdlib.h>

static int complain(const cn_error *error) {
    char text[1200];
    fprintf(stderr, "%s\n", cn_error_format(error, text, sizeof text));
    return 1;
}

static void print_contacts(const cn_sim *sim, cn_body_id body) {
    const cn_model *model = cn_sim_model(sim);
    for (int32_t i = 0; i < cn_sim_contact_count(sim); i++) {
        cn_contact_record contact;
        cn_body_info other;
        cn_sim_contact(sim, i, &contact);
        if (contact.candidate != body && contact.antagonist != body) {
            continue;
        }
        cn_model_body(model, contact.candidate == body ? contact.antagonist : contact.candidate,
                      &other);
        printf("touches %s at (%.4f, %.4f, %.4f), gap %.1e m: %s\n", other.name, contact.point[0],
               contact.point[1], contact.point[2], contact.gap,
               contact.status == 0 ? "open" : (contact.status == 1 ? "sticks" : "slides"));
    }
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s SCENE BODY TIME\n", argv[0]);
        return 2;
    }
    cn_error error = {.status = CN_OK};
    cn_model *model = NULL;
    cn_sim *sim = NULL;
    if (cn_scene_read(NULL, argv[1], NULL, 0, &model, &error) != CN_OK ||
        cn_sim_create(model, NULL, &sim, &error) != CN_OK) {
        cn_model_destroy(model);
        return complain(&error);
    }
    double end = strtod(argv[3], NULL);
    cn_step_report report = {.outcome = CN_SOLVED};
    cn_status status = CN_OK;
    int64_t unsolved = 0;
    while (status == CN_OK && cn_sim_time(sim) < end) {
        status = cn_sim_step(sim, &report, &error);
        unsolved += report.outcome != CN_SOLVED;
    }
    cn_body_state state;
    cn_body_id body = cn_model_find_body(model, argv[2]);
    if (status != CN_OK) {
        complain(&error);
    } else if (!cn_sim_body(sim, body, &state)) {
        fprintf(stderr, "there is no body named %s\n", argv[2]);
        status = CN_ERR_ARGUMENT;
    } else {
        double force[3];
        printf("%s at t = %g s, %lld steps unsolved\n", argv[2], report.t, (long long)unsolved);
        printf("position (%.4f, %.4f, %.4f) m, orientation (%.4f, %.4f, %.4f, %.4f)\n",
               state.position[0], state.position[1], state.position[2], state.orientation[0],
               state.orientation[1], state.orientation[2], state.orientation[3]);
        printf("velocity (%.4f, %.4f, %.4f) m/s\n", state.velocity[0], state.velocity[1],
               state.velocity[2]);
        print_contacts(sim, body);
        cn_sim_contact_force(sim, body, force);
        printf("contact force (%.1f, %.1f, %.1f) N\n", force[0], force[1], force[2]);
    }
    cn_sim_destroy(sim);
    cn_model_destroy(model);
    return status == CN_OK ? 0 : 1;
}
