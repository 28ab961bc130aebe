// app/commands/info_scene.c
// cairn info of a scene: what it becomes once read, generators and includes worked in.
#include "commands/info.h"

#include "run/run_loop.h"
#include "support/json.h"
#include "support/support.h"
#include "support/terminal.h"

#include <string.h>

typedef struct scene_facts {
    int32_t bodies, rigid, fixed, driven;
    int32_t shapes[CN_SHAPE_KINDS];
    double mass; // [kg] of the rigid ones
} scene_facts;

static scene_facts scene_facts_find(const cn_model *model) {
    scene_facts facts = {.bodies = cn_model_body_count(model)};
    for (cn_body_id id = 1; id <= facts.bodies; id++) {
        cn_body_info body;
        cn_model_body(model, id, &body);
        bool is_rigid = strcmp(body.kind, "rigid") == 0;
        facts.rigid += is_rigid;
        facts.fixed += strcmp(body.kind, "fixed") == 0;
        facts.driven += strcmp(body.kind, "driven") == 0;
        facts.mass += is_rigid ? body.mass : 0.0;
        for (int32_t i = 0; i < body.shape_count; i++) {
            cn_shape_info shape;
            cn_model_shape(model, id, i, &shape);
            facts.shapes[shape.kind]++;
        }
    }
    return facts;
}

static void info_scene_print(const char *path, cn_model *model, const scene_facts *facts) {
    const cn_settings *settings = cn_model_settings(model);
    print_safe(stdout, path);
    printf("\n  kind        scene in %dD, %lld bytes\n", (int)cn_model_dim(model),
           (long long)file_bytes(path));
    print_wrapped(stdout, "  name", 14, cn_model_name(model));
    printf("  bodies      %d: %d rigid (%.6g kg together), %d fixed, %d driven\n",
           (int)facts->bodies, (int)facts->rigid, facts->mass, (int)facts->fixed,
           (int)facts->driven);
    printf("  shapes     ");
    for (int32_t i = 0; i < CN_SHAPE_KINDS; i++) {
        if (facts->shapes[i] > 0) {
            printf(" %d %s", (int)facts->shapes[i], cn_shape_kind_text((cn_shape_kind)i));
        }
    }
    printf("\n  time        %lld steps of %g s to t = %g s, frames every %g s\n",
           (long long)steps_until(settings->until, settings->step), settings->step, settings->until,
           settings->frames_every);
    printf("  integrator  theta %g\n", settings->theta);
    printf("  solver      %s to %g; when a step stalls: %s\n", settings->solver,
           settings->tolerance, cn_stall_policy_text(settings->on_stall));
    printf("  detection   alert distance %.4g m besides what speeds add,\n"
           "              overlap at the start up to %.4g m\n",
           settings->alert, settings->overlap_max);
}

static void info_scene_print_json(const char *path, cn_model *model, const scene_facts *facts) {
    const cn_settings *settings = cn_model_settings(model);
    json_writer json = put_start(stdout);
    put_open(&json, NULL, '{');
    put_text(&json, "scene", cn_model_name(model));
    put_text(&json, "kind", "scene");
    put_text(&json, "file", path);
    put_int(&json, "bytes", file_bytes(path));
    put_int(&json, "dim", cn_model_dim(model));
    put_int(&json, "bodies", facts->bodies);
    put_int(&json, "rigid", facts->rigid);
    put_int(&json, "fixed", facts->fixed);
    put_int(&json, "driven", facts->driven);
    put_real(&json, "mass", facts->mass);
    put_open(&json, "shapes", '{');
    for (int32_t i = 0; i < CN_SHAPE_KINDS; i++) {
        if (facts->shapes[i] > 0) {
            put_int(&json, cn_shape_kind_text((cn_shape_kind)i), facts->shapes[i]);
        }
    }
    put_close(&json, '}');
    put_real(&json, "step", settings->step);
    put_real(&json, "until", settings->until);
    put_real(&json, "frames_every", settings->frames_every);
    put_real(&json, "theta", settings->theta);
    put_text(&json, "solver", settings->solver);
    put_real(&json, "tolerance", settings->tolerance);
    put_text(&json, "on_stall", cn_stall_policy_text(settings->on_stall));
    put_real(&json, "alert", settings->alert);
    put_real(&json, "overlap", settings->overlap_max);
    put_close(&json, '}');
    put_end(&json);
}

int info_scene(const char *path, bool json) {
    cn_error error = {.status = CN_OK};
    cn_model *model;
    if (cn_scene_read(NULL, path, NULL, 0, &model, &error) != CN_OK) {
        return report_error(&error);
    }
    scene_facts facts = scene_facts_find(model);
    if (json) {
        info_scene_print_json(path, model, &facts);
    } else {
        info_scene_print(path, model, &facts);
    }
    cn_model_destroy(model);
    return EXIT_DONE;
}
