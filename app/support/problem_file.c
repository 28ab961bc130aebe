// app/support/problem_file.c
// Reading and reducing problem files for the subcommands; see problem_file.h.
#include "support/problem_file.h"

#include "support/support.h"

#include <stdlib.h>
#include <string.h>

void take_form(void *job, const char *command, const command_option *option, char *text) {
    static const char *const names[] = {"auto", "assembled", "body"};
    for (int32_t i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) == 0) {
            *(problem_form *)((char *)job + option->offset) = (problem_form)i;
            return;
        }
    }
    usage_error(command, "no operator '%s'; use auto, assembled or body", text);
}

cn_status problem_file_adopt(const cn_env *env, cn_problem *problem, const char *path,
                             problem_form form, problem_file *out, cn_error *error) {
    *out = (problem_file){.path = path, .problem = problem, .form = form};
    out->memory = cn_arena_create(env);
    if (!out->memory) {
        cn_problem_destroy(problem);
        return error_memory(error);
    }
    out->name = path_stem(path);
    switch (problem->kind) {
    case CN_PROBLEM_LCP:
        out->dim = 1;
        out->contacts = problem->lcp.n;
        break;
    case CN_PROBLEM_FRICTION:
        out->dim = problem->friction.dim;
        out->contacts = problem->friction.contacts;
        break;
    case CN_PROBLEM_FRICTION_GLOBAL:
        out->dim = problem->global.dim;
        out->contacts = problem->global.contacts;
        break;
    }
    out->unknowns = (int64_t)out->dim * out->contacts;
    return CN_OK;
}

cn_status problem_file_open(const cn_env *env, const char *path, problem_form form,
                            problem_file *out, cn_error *error) {
    cn_problem *problem = NULL;
    memset(error, 0, sizeof *error);
    CN_TRY(cn_problem_read(NULL, path, &problem, error));
    return problem_file_adopt(env, problem, path, form, out, error);
}

void problem_file_close(problem_file *c) {
    cn_problem_destroy(c->problem);
    cn_arena_destroy(c->memory);
    free(c->name);
}

bool problem_file_is_lcp(const problem_file *c) {
    return c->problem->kind == CN_PROBLEM_LCP;
}

static cn_status problem_file_reduce(problem_file *c, problem_form form, cn_error *error) {
    static cn_status (*const reduce[])(const cn_friction_global *, cn_arena *, cn_friction *,
                                       cn_error *) = {cn_friction_reduce, cn_friction_condense,
                                                      cn_friction_to_body_space};
    if (c->is_reduced[form]) {
        return CN_OK;
    }
    memset(error, 0, sizeof *error);
    cn_status status = reduce[form](&c->problem->global, c->memory, &c->reduced[form], error);
    c->is_reduced[form] = status == CN_OK;
    if (status != CN_OK && !error->file[0]) {
        snprintf(error->file, sizeof error->file, "%s", c->path);
    }
    return status;
}

const cn_friction *problem_file_friction(problem_file *c, uint32_t accepts, cn_error *error) {
    if (c->problem->kind == CN_PROBLEM_FRICTION) {
        return &c->problem->friction;
    }
    problem_form form = c->form;
    if (form == FORM_AUTO && !(accepts & CN_TAKES_BODY)) {
        form = FORM_ASSEMBLED;
    } else if (form == FORM_AUTO && !(accepts & CN_TAKES_ASSEMBLED)) {
        form = FORM_BODY;
    }
    return problem_file_reduce(c, form, error) == CN_OK ? &c->reduced[form] : NULL;
}

cn_status problem_file_grade(problem_file *c, const double *r, const double *u, cn_grade *grade,
                             cn_error *error) {
    if (problem_file_is_lcp(c)) {
        return cn_lcp_grade(&c->problem->lcp, r, c->memory, grade);
    }
    const cn_friction *p = problem_file_friction(c, CN_TAKES_ASSEMBLED | CN_TAKES_BODY, error);
    return p ? cn_friction_grade(p, r, u, c->memory, grade) : error->status;
}

const char *problem_kind_text(const cn_problem *problem) {
    switch (problem->kind) {
    case CN_PROBLEM_LCP:
        return "linear complementarity problem";
    case CN_PROBLEM_FRICTION:
        return problem->friction.dim == 2 ? "2D friction, local (W, q, mu)"
                                          : "3D friction, local (W, q, mu)";
    default:
        return problem->global.dim == 2 ? "2D friction, global (M, H, f, w, mu)"
                                        : "3D friction, global (M, H, f, w, mu)";
    }
}
