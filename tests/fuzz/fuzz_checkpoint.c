// Checkpoints: any bytes are a state or an error with text, and then the state is what it was. What
// is taken can be stepped. The first byte chooses the scene, and whether the checksum is made to
// fit, so that what lies behind it is reached.
#include "fuzz_checkpoint.h"

#define CN_FUZZ_POLLS 2000 // of a step, after which it is cancelled: states may be hard to solve

typedef struct cn_fuzz_sim {
    cn_model *model;
    cn_sim *sim;
    void *start;
    size_t size;
    int64_t polls;
} cn_fuzz_sim;

static bool cn_fuzz_cancel(void *user) {
    cn_fuzz_sim *own = user;
    return ++own->polls > CN_FUZZ_POLLS;
}

static void cn_fuzz_open(cn_fuzz_sim *own, const char *text) {
    cn_error error;
    cn_env env = cn_env_default();
    env.cancel = cn_fuzz_cancel;
    env.cancel_user = own;
    CN_FUZZ_REQUIRE(cn_scene_read_text(NULL, "scene", text, strlen(text), NULL, 0, &own->model,
                                       &error) == CN_OK);
    CN_FUZZ_REQUIRE(cn_sim_create(own->model, &env, &own->sim, &error) == CN_OK);
    CN_FUZZ_REQUIRE(cn_sim_save(own->sim, &own->start, &own->size) == CN_OK);
}

// Bytes 8 to 15 of a checkpoint are its checksum, XXH3 of all of it with these as zeros.
static void cn_fuzz_sign(uint8_t *bytes, size_t size) {
    if (size >= 16) {
        memset(bytes + 8, 0, 8);
        const base_hash_part part = {bytes, size};
        uint64_t checksum = base_hash_parts(&part, 1);
        memcpy(bytes + 8, &checksum, sizeof checksum);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static cn_fuzz_sim sims[CN_FUZZ_SCENES];
    if (size == 0) {
        return 0;
    }
    int32_t which = data[0] % CN_FUZZ_SCENES;
    cn_fuzz_sim *own = &sims[which];
    if (!own->sim) {
        cn_fuzz_open(own, cn_fuzz_scenes[which]);
    }
    uint8_t *bytes = malloc(size);
    CN_FUZZ_REQUIRE(bytes != NULL);
    memcpy(bytes, data + 1, size - 1);
    if (data[0] < 128) {
        cn_fuzz_sign(bytes, size - 1);
    }
    cn_error error = {.status = CN_OK};
    uint64_t before = cn_sim_hash(own->sim);
    cn_status status = cn_sim_load(own->sim, bytes, size - 1, &error);
    if (status != CN_OK) {
        CN_FUZZ_REQUIRE(error.status == status && error.message[0]);
        CN_FUZZ_REQUIRE(cn_sim_hash(own->sim) == before);
    } else {
        void *again;
        size_t again_size;
        CN_FUZZ_REQUIRE(cn_sim_save(own->sim, &again, &again_size) == CN_OK);
        CN_FUZZ_REQUIRE(cn_sim_load(own->sim, again, again_size, &error) == CN_OK);
        cn_sim_free(own->sim, again, again_size);
        cn_step_report report;
        own->polls = 0;
        cn_sim_step(own->sim, &report, &error);
        CN_FUZZ_REQUIRE(cn_sim_load(own->sim, own->start, own->size, &error) == CN_OK);
    }
    free(bytes);
    return 0;
}
