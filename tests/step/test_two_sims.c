// Several simulations of one model: the model never changes, so each gives the hashes that it gives
// alone, whether they take turns or run in two threads (CI runs this under ThreadSanitizer).
#include "world.h"

#include <dirent.h>
#include <inttypes.h>
#include <pthread.h>

#define LAG 7 // steps by which the second is behind the first, inside a controller's period
#define STEPS_OF_FEW 60
#define STEPS_OF_MANY 10 // past the lag
#define MANY 200         // bodies; such scenes are left out where every access is checked

static cn_sim *start(const cn_model *model) {
    cn_error error = {0};
    cn_sim *sim = NULL;
    if (cn_sim_create(model, NULL, &sim, &error) != CN_OK) {
        world_fail(&error);
    }
    return sim;
}

static void step(cn_sim *sim) {
    cn_step_report report;
    cn_error error = {0};
    if (cn_sim_step(sim, &report, &error) != CN_OK) {
        world_fail(&error);
    }
}

static uint64_t end(cn_sim *sim) {
    uint64_t hash = cn_sim_hash(sim);
    cn_sim_destroy(sim);
    return hash;
}

static uint64_t alone(const cn_model *model, int steps) {
    cn_sim *sim = start(model);
    for (int i = 0; i < steps; i++) {
        step(sim);
    }
    return end(sim);
}

static void in_turns(const cn_model *model, int steps, uint64_t hash[2]) {
    cn_sim *one = start(model), *two = NULL;
    for (int i = 0; i < steps + LAG; i++) {
        if (i == LAG) {
            two = start(model);
        }
        if (i < steps) {
            step(one);
        }
        if (two) {
            step(two);
        }
    }
    hash[0] = end(one);
    hash[1] = end(two);
}

typedef struct job {
    const cn_model *model;
    int steps;
    uint64_t hash;
} job;

static void *work(void *user) {
    job *own = user;
    own->hash = alone(own->model, own->steps);
    return NULL;
}

static void in_threads(const cn_model *model, int steps, uint64_t hash[2]) {
    job jobs[2] = {{model, steps, 0}, {model, steps, 0}};
    pthread_t thread[2];
    for (int i = 0; i < 2; i++) {
        CN_CHECK_TRUE(pthread_create(&thread[i], NULL, work, &jobs[i]) == 0);
    }
    for (int i = 0; i < 2; i++) {
        CN_CHECK_TRUE(pthread_join(thread[i], NULL) == 0);
        hash[i] = jobs[i].hash;
    }
}

// Scenes in which something is evaluated over time: controllers, functions of time, systems.
static bool is_evaluated(const cn_model *model) {
    static const char *const keys[] = {"\ncontrol:", "\nforces:", "\nmotions:", "motor"};
    const char *text = cn_model_scene_text(model);
    bool found = cn_model_system(model) != NULL;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        found = found || strstr(text, keys[i]);
    }
    return found;
}

typedef void way(const cn_model *model, int steps, uint64_t hash[2]);

// Runs two simulations of a model; whether both have the hash of one alone.
static bool agree(const cn_model *model, const char *name, int steps, way *run) {
    uint64_t want = alone(model, steps), got[2];
    run(model, steps, got);
    if (got[0] != want || got[1] != want) {
        print_error("%s: %016" PRIx64 " and %016" PRIx64 ", alone %016" PRIx64 "\n", name, got[0],
                    got[1], want);
    }
    return got[0] == want && got[1] == want;
}

static void check_gallery(way *run) {
    DIR *folder = opendir(CAIRN_SOURCE_DIR "/scenes");
    CN_CHECK_TRUE(folder != NULL);
    int scenes = 0, differ = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[512];
        cn_model *model;
        cn_error error = {0};
        if (!strstr(entry->d_name, ".yaml")) {
            continue;
        }
        snprintf(path, sizeof path, "%s/scenes/%s", CAIRN_SOURCE_DIR, entry->d_name);
        if (cn_scene_read(NULL, path, NULL, 0, &model, &error) != CN_OK) {
            world_fail(&error);
        }
        bool many = cn_model_body_count(model) > MANY;
        if (is_evaluated(model) && !(many && CN_WORLD_SLOW)) {
            int steps = many ? STEPS_OF_MANY : STEPS_OF_FEW;
            scenes++;
            differ += !agree(model, entry->d_name, steps, run);
        }
        cn_model_destroy(model);
    }
    closedir(folder);
    CN_CHECK_TRUE(scenes >= (CN_WORLD_SLOW ? 15 : 20) && differ == 0);
}

CN_TEST(in_turns_they_are_as_alone) {
    check_gallery(in_turns);
}

CN_TEST(in_two_threads_they_are_as_alone) {
    check_gallery(in_threads);
}

// Controllers of bodies and of systems with memory, sampled at every second step: one that went on
// with the other's memory or outputs would differ at once.
static const char bodies_text[] =
    "cairn: 1\ndimension: 2\ngravity: [0, 0]\ntime: {step: 1.0e-3}\nintegrator: {scheme: %s}\n"
    "materials: {m: {density: 1}}\nbodies:\n"
    "  - {name: ground, fixed: true, material: m}\n"
    "  - {name: disc, material: m, mass: 1, inertia: 0.5, angular_velocity: 1}\n"
    "forces: [{body: disc, force: [\"u*sin(t)\", \"sum + t\"]}]\n"
    "joints: [{name: axle, kind: hinge, bodies: [ground, disc], point: [0, 0], motor: {torque: "
    "\"u\"}}]\n"
    "control:\n  - period: 0.002\n    sensors: {a: \"axle_q - 1\", w: \"axle_v\"}\n"
    "    memory: {last: 0}\n    outputs: {u: \"-4*a - 2*w - last\", sum: \"last\"}\n"
    "    next: {last: \"last + 0.02*a\"}\n";
static const char system_text[] =
    "cairn: 1\ndimension: 2\ngravity: [0, 0]\ntime: {step: 1.0e-3}\n%s"
    "system:\n  q: [1]\n  v: [0]\n  mass: [[1]]\n  define: {pull: \"-4*q1 + t\"}\n"
    "  force: [\"pull - u\"]\n"
    "control:\n  - period: 0.002\n    memory: {last: 0}\n    outputs: {u: \"2*v1 + last\"}\n"
    "    next: {last: \"last + 0.1*q1\"}\n";

CN_TEST(controllers_have_their_own_memory) {
    const struct {
        const char *text, *word;
    } cases[] = {{bodies_text, "moreau-jean"}, {bodies_text, "event-driven"}, {system_text, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        cn_model *model;
        cn_error error = {0};
        int length = snprintf(text, sizeof text, cases[i].text, cases[i].word);
        if (cn_scene_read_text(NULL, "scene.yaml", text, (size_t)length, NULL, 0, &model, &error) !=
            CN_OK) {
            world_fail(&error);
        }
        CN_CHECK_TRUE(agree(model, cases[i].word, 41, in_turns));
        CN_CHECK_TRUE(agree(model, cases[i].word, 41, in_threads));
        // A state that was saved goes on the same in another simulation of the model.
        cn_sim *one = start(model), *two = start(model);
        void *bytes;
        size_t size;
        for (int k = 0; k < 21; k++) {
            step(one);
        }
        CN_CHECK_TRUE(cn_sim_save(one, &bytes, &size) == CN_OK);
        CN_CHECK_TRUE(cn_sim_load(two, bytes, size, &error) == CN_OK);
        cn_sim_free(one, bytes, size);
        for (int k = 0; k < 20; k++) {
            step(one);
            step(two);
        }
        uint64_t hash = end(one);
        CN_CHECK_TRUE(end(two) == hash);
        cn_model_destroy(model);
    }
}
