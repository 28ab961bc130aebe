// Scene files: any bytes give a model or an error with text and no model; the resolved text of a
// model reads back to a model with the same text. Memory is bounded, so that a scene that asks for
// much is one more error.
#include "fuzz_problem.h"

#include <cairn/scene.h>

#define CN_FUZZ_MEMORY ((size_t)48 << 20)

typedef struct cn_fuzz_budget {
    size_t used;
} cn_fuzz_budget;

static void *cn_fuzz_resize(void *user, void *ptr, size_t old_bytes, size_t new_bytes) {
    cn_fuzz_budget *budget = user;
    if (new_bytes > old_bytes && budget->used + (new_bytes - old_bytes) > CN_FUZZ_MEMORY) {
        return NULL;
    }
    budget->used = budget->used - old_bytes + new_bytes;
    if (new_bytes == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cn_fuzz_budget budget = {0};
    cn_env env = {.allocator = {.resize = cn_fuzz_resize, .user = &budget}};
    cn_model *model;
    cn_model *again;
    cn_error error;
    const char *bytes = data ? (const char *)data : "";
    cn_status status =
        cn_scene_read_text(&env, "no-folder/input", bytes, size, NULL, 0, &model, &error);
    if (status != CN_OK) {
        CN_FUZZ_REQUIRE(!model && error.status == status && error.message[0]);
        CN_FUZZ_REQUIRE(!strchr(error.message, '\n'));
        CN_FUZZ_REQUIRE(status == CN_ERR_MEMORY || (error.file[0] && error.line >= 0));
    } else {
        const char *text = cn_model_scene_text(model);
        status = cn_scene_read_text(NULL, "no-folder/again", text, strlen(text), NULL, 0, &again,
                                    &error);
        CN_FUZZ_REQUIRE(status == CN_OK);
        CN_FUZZ_REQUIRE(cn_model_body_count(model) == cn_model_body_count(again));
        CN_FUZZ_REQUIRE(strcmp(text, cn_model_scene_text(again)) == 0);
        cn_model_destroy(again);
        cn_model_destroy(model);
    }
    CN_FUZZ_REQUIRE(budget.used == 0);
    return 0;
}
