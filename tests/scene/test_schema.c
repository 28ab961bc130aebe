// What the tables of the scene format give besides reading: the JSON Schema, the reference in
// docs/reference/scene.md, the starter scene, the defaults.
#include "check.h"

#include <cairn/scene.h>

#include "base/arena.h"
#include "base/memory.h"
#include "model/model.h"
#include "scene/scene.h"
#include "scene/walk.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

static cJSON *read_schema(cn_arena *memory) {
    const char *text = NULL;
    CN_CHECK_TRUE(cn_scene_schema(memory, &text) == CN_OK);
    cJSON *schema = cJSON_Parse(text);
    if (!schema) {
        print_error("not JSON near: %.80s\n", cJSON_GetErrorPtr());
        fail();
    }
    return schema;
}

CN_TEST(schema_is_json_and_has_every_key_of_every_table) {
    cn_arena *memory = cn_arena_create(NULL);
    cJSON *schema = read_schema(memory);
    const scene_table_of **tables;
    int32_t count;
    int32_t keys = 0;
    CN_CHECK_TRUE(scene_schema_tables(&scene_table, memory, &tables, &count));
    const cJSON *definitions = cJSON_GetObjectItemCaseSensitive(schema, "definitions");
    for (int32_t i = 0; i < count; i++) {
        const cJSON *object =
            i == 0 ? schema : cJSON_GetObjectItemCaseSensitive(definitions, tables[i]->name);
        const cJSON *properties = cJSON_GetObjectItemCaseSensitive(object, "properties");
        CN_CHECK_TRUE(cJSON_GetArraySize(properties) == tables[i]->count);
        CN_CHECK_TRUE(
            cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(object, "additionalProperties")));
        for (int32_t k = 0; k < tables[i]->count; k++, keys++) {
            const cJSON *property =
                cJSON_GetObjectItemCaseSensitive(properties, tables[i]->field[k].key);
            const cJSON *words = cJSON_GetObjectItemCaseSensitive(property, "description");
            if (!cJSON_IsString(words) || cJSON_GetArraySize(property) < 2) {
                print_error("%s.%s is not described\n", tables[i]->name, tables[i]->field[k].key);
                fail();
            }
        }
    }
    CN_CHECK_TRUE(cJSON_GetArraySize(definitions) == count - 1); // no two tables of one name
    CN_CHECK_TRUE(keys > 150);
    cJSON_Delete(schema);
    cn_arena_destroy(memory);
}

// Every "$ref" below the item names a definition.
static void check_references(const cJSON *item, const cJSON *definitions) {
    for (const cJSON *child = item->child; child; child = child->next) {
        if (child->string && strcmp(child->string, "$ref") == 0) {
            const char *prefix = "#/definitions/";
            CN_CHECK_TRUE(strncmp(child->valuestring, prefix, strlen(prefix)) == 0);
            CN_CHECK_TRUE(cJSON_HasObjectItem(definitions, child->valuestring + strlen(prefix)));
            CN_CHECK_TRUE(child->next == NULL && child == item->child); // nothing beside it
        }
        check_references(child, definitions);
    }
}

CN_TEST(references_of_the_schema_lead_somewhere) {
    cn_arena *memory = cn_arena_create(NULL);
    cJSON *schema = read_schema(memory);
    check_references(schema, cJSON_GetObjectItemCaseSensitive(schema, "definitions"));
    assert_string_equal(cJSON_GetObjectItemCaseSensitive(schema, "$schema")->valuestring,
                        "http://json-schema.org/draft-07/schema#");
    cJSON_Delete(schema);
    cn_arena_destroy(memory);
}

CN_TEST(every_row_has_words_and_a_kind) {
    cn_arena *memory = cn_arena_create(NULL);
    const scene_table_of **tables;
    int32_t count;
    CN_CHECK_TRUE(scene_schema_tables(&scene_table, memory, &tables, &count));
    for (int32_t i = 0; i < count; i++) {
        CN_CHECK_TRUE(tables[i]->help && tables[i]->help[0]);
        for (int32_t k = 0; k < tables[i]->count; k++) {
            const scene_field *field = &tables[i]->field[k];
            bool good = field->kind && field->kind->read && field->kind->json && field->help &&
                        field->help[0] && scene_table_field(tables[i], field->key) == field;
            if (!good) {
                print_error("%s.%s is not whole, or there twice\n", tables[i]->name, field->key);
                fail();
            }
        }
    }
    cn_arena_destroy(memory);
}

static char *read_text_file(const char *path) {
    FILE *file = fopen(path, "rb");
    CN_CHECK_TRUE(file != NULL);
    char *text = calloc(1, 1 << 20);
    size_t size = fread(text, 1, (1 << 20) - 1, file);
    CN_CHECK_TRUE(size > 0);
    fclose(file);
    return text;
}

CN_TEST(the_reference_in_the_documents_is_that_of_the_tables) {
    cn_arena *memory = cn_arena_create(NULL);
    base_buffer wanted;
    base_buffer_init(&wanted, NULL);
    CN_CHECK_TRUE(scene_schema_markdown(&scene_table, memory, &wanted));
    CN_CHECK_TRUE(base_buffer_append(&wanted, "", 1));
    char *docs = read_text_file(CAIRN_SOURCE_DIR "/docs/reference/scene.md");
    const char *start = strstr(docs, "<!-- the tables of src/scene, checked by schema.");
    const char *body = start ? strchr(start, '\n') + 1 : "";
    const char *end = strstr(body, "<!-- end of the tables -->");
    bool same = start && end && (size_t)(end - body) == wanted.size - 1 &&
                memcmp(body, wanted.data, wanted.size - 1) == 0;
    if (!same) {
        FILE *out = fopen("scene-reference.md", "wb");
        CN_CHECK_TRUE(out != NULL);
        fputs((const char *)wanted.data, out);
        fclose(out);
        print_error("docs/reference/scene.md is not what the tables say; they are now in "
                    "scene-reference.md, "
                    "to be put between its marks\n");
        fail();
    }
    free(docs);
    base_buffer_free(&wanted);
    cn_arena_destroy(memory);
}

CN_TEST(starter_scenes_are_short_and_read) {
    const cn_starter *starter;
    int32_t count = 0;
    for (; (starter = cn_scene_starter(count)); count++) {
        cn_model *model = NULL;
        cn_error error = {0};
        int32_t lines = 0;
        for (const char *at = starter->text; *at; at++) {
            lines += *at == '\n';
        }
        CN_CHECK_TRUE(lines <= 25 && strchr(starter->text, '#'));
        if (cn_scene_read_text(NULL, "starter.yaml", starter->text, strlen(starter->text), NULL, 0,
                               &model, &error) != CN_OK) {
            print_error("%s:%d:%d: %s\n", starter->name, error.line, error.column, error.message);
            fail();
        }
        CN_CHECK_TRUE(model->body_count >= 3 && model->warning_count == 0);
        cn_model_destroy(model);
    }
    CN_CHECK_TRUE(count == 5 && !cn_scene_starter(-1));
}

CN_TEST(texts_fail_cleanly_without_memory) {
    CN_CHECK_TRUE(cn_scene_schema(NULL, NULL) == CN_ERR_ARGUMENT);
}
