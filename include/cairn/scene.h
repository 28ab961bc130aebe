// cairn/scene.h
// Scene files (YAML, and so JSON) to models. The format is docs/reference/scene.md; its JSON Schema comes
// from the same tables.
#ifndef CAIRN_SCENE_H
#define CAIRN_SCENE_H

#include <cairn/model.h>

#ifdef __cplusplus
extern "C" {
#endif

// A value to put instead of a file's, as --set does: "solver.tolerance=1e-6",
// "bodies.2.position=[0,0,1]".
typedef struct cn_override {
    const char *path, *value; // value is YAML
} cn_override;

// The finished model. Errors have file:line:column and a hint.
CN_API cn_status cn_scene_read(const cn_env *env, const char *path, const cn_override *overrides,
                               int32_t override_count, cn_model **out, cn_error *error);
// The same from text; name stands for the file in errors, and includes are relative to its folder.
CN_API cn_status cn_scene_read_text(const cn_env *env, const char *name, const char *text,
                                    size_t size, const cn_override *overrides,
                                    int32_t override_count, cn_model **out, cn_error *error);
// The same with all bodies, forces and joints of generators written one by one in the text that the
// model keeps, as cn_model_write writes them.
CN_API cn_status cn_scene_read_expanded(const cn_env *env, const char *path,
                                        const cn_override *overrides, int32_t override_count,
                                        cn_model **out, cn_error *error);
// One entry of `bodies` or `joints` as text, for cn_sim_add_body and cn_sim_add_joint. Materials, bodies
// and inputs are those of the model; name stands for the file in errors, and files that it names are
// relative to its folder. What the definition points to lives in memory.
CN_API cn_status cn_scene_read_body(const cn_model *model, const char *name, const char *text,
                                    size_t size, cn_arena *memory, cn_body_def *out,
                                    cn_error *error);
CN_API cn_status cn_scene_read_joint(const cn_model *model, const char *name, const char *text,
                                     size_t size, cn_arena *memory, cn_joint_def *out,
                                     cn_error *error);
// The file of a scene of the gallery by its name, "newtons-cradle"; the gallery's folder for NULL. It
// is where $CAIRN_SCENES says; else share/cairn/scenes beside the program, or where the library was
// to be installed or was built. CN_ERR_INPUT: it has no such scene; CN_ERR_IO: there is no gallery.
CN_API cn_status cn_gallery_path(const char *name, cn_arena *memory, const char **path,
                                 cn_error *error);
// The scene as resolved: includes, overrides and defaults in place, one YAML text that reads back
// to the same model. Lives as long as the model. Of a model built in C: what cn_model_write gives,
// NULL where that fails.
CN_API const char *cn_model_scene_text(const cn_model *model);
CN_API const char *cn_model_name(const cn_model *model);

// Texts made from the tables of the format; they live in memory. CN_ERR_MEMORY is all that can
// fail.
// First scenes for a beginner, of at most 25 lines with comments; index from 0.
typedef struct cn_starter {
    const char *name, *about, *text; // "2d", one line, the scene file
} cn_starter;
CN_API const cn_starter *cn_scene_starter(int32_t index);              // NULL: there are no more
CN_API cn_status cn_scene_schema(cn_arena *memory, const char **text); // JSON Schema, draft-07

#ifdef __cplusplus
}
#endif
#endif
