// app/commands/solvers.c
// cairn solvers: the solver tables as they are in the library, for people or as JSON.
#include "support/arguments.h"
#include "support/json.h"
#include "support/solver_choice.h"
#include "support/support.h"
#include "support/terminal.h"

#include <stdlib.h>
#include <string.h>

typedef struct solvers_job {
    const char *name; // NULL: all, briefly
    bool json;
} solvers_job;

static const command_option solvers_options[] = {
    {"json", 'j', NULL, "One JSON object on standard output", TO_SET(solvers_job, json)}, {0}};

static const command_line solvers_line = {
    .options = solvers_options,
    .args_doc = "[NAME]",
    ONE_ARGUMENT(solvers_job, name, "one name at most"),
    .doc = "List the solvers for friction problems, for LCPs, and for one contact; with NAME, all "
           "about one."};

// ---- walking the tables ----

static const char *const param_kind_text[] = {"int", "real", "bool"};
#define TABLES 3
static const char *const text_table_titles[TABLES] = {"friction", "lcp", "mcp"};
static const char *const text_table_of[TABLES] = {"friction problems", "LCPs",
                                                  "mixed complementarity problems"};

static int32_t text_table_rows(int32_t table) {
    return table == 0   ? cn_friction_solver_count()
           : table == 1 ? cn_lcp_solver_count()
                        : cn_mcp_solver_count();
}

static const cn_solver_info *text_table_row(int32_t table, int32_t row) {
    return table == 0   ? &cn_friction_solver_at(row)->info
           : table == 1 ? &cn_lcp_solver_at(row)->info
                        : &cn_mcp_solver_at(row)->info;
}

// ---- for people ----

static void solvers_print_one(int32_t table, const cn_solver_info *info) {
    printf("%s%s%s (%s)\n", ink_begin(stdout, INK_BOLD), info->name, ink_end(stdout, INK_BOLD),
           text_table_of[table]);
    print_wrapped(stdout, "  what", 10, info->about);
    print_wrapped(stdout, "  strong", 10, info->strengths);
    print_wrapped(stdout, "  weak", 10, info->weaknesses);
    if (table == 0) {
        bool d2 = info->accepts & CN_SOLVES_2D, d3 = info->accepts & CN_SOLVES_3D;
        bool assembled = info->accepts & CN_TAKES_ASSEMBLED, body = info->accepts & CN_TAKES_BODY;
        char *text = format_text("%s%s%s; %s%s%s%s%s%s", d2 ? "2D" : "", d2 && d3 ? " and " : "",
                                 d3 ? "3D" : "", assembled ? "W assembled" : "",
                                 assembled && body ? " or " : "", body ? "in body space" : "",
                                 info->accepts & CN_TAKES_BOUNDS ? "; joints" : "",
                                 info->accepts & CN_TAKES_CONVEX ? "; convex friction" : "",
                                 info->accepts & CN_USES_LOCAL ? "; a local solver (--local)" : "");
        print_wrapped(stdout, "  takes", 10, text);
        free(text);
    }
    printf("  limit   %d %s (--max-iter)\n", (int)info->max_iterations, info->unit);
    for (int32_t i = 0; i < info->param_count; i++) {
        const cn_param *param = &info->params[i];
        char *label = format_text("  --set %s.%s=%g", info->name, param->name, param->initial);
        char *text = format_text("%s (%s, %g to %g)", param->help, param_kind_text[param->kind],
                                 param->min, param->max);
        puts(label);
        print_wrapped(stdout, "", 10, text);
        free(label);
        free(text);
    }
}

static void solvers_print_briefly(void) {
    for (int32_t t = 0; t < TABLES; t++) {
        static const char *const titles[TABLES] = {
            "Friction problems (2D and 3D):", "\nLinear complementarity problems:",
            "\nMixed complementarity problems (with --formulation):"};
        puts(titles[t]);
        for (int32_t i = 0; i < text_table_rows(t); i++) {
            const cn_solver_info *info = text_table_row(t, i);
            char *label = format_text("  %s", info->name);
            print_wrapped(stdout, label, 18, info->about);
            free(label);
        }
    }
    puts("\nLocal solvers, of one 3D contact (--local; in 2D a closed form is used):");
    for (int32_t i = 0; i < cn_local_solver_count(); i++) {
        const cn_local_solver *local = cn_local_solver_at(i);
        char *label = format_text("  %s", cn_local_solver_name(local));
        print_wrapped(stdout, label, 18, cn_local_solver_about(local));
        free(label);
    }
    puts("\nFormulations of friction as complementarity problems (--formulation):");
    for (int32_t i = 0; i < cn_formulation_count(); i++) {
        const cn_formulation *formulation = cn_formulation_at(i);
        char *label = format_text("  %s", formulation->name);
        print_wrapped(stdout, label, 18, formulation->about);
        free(label);
    }
    puts("\n`cairn solvers NAME` prints strengths, weaknesses and parameters.");
}

// A name may be in several tables, and be that of a local solver too.
static void solvers_print_named(const char *name) {
    for (int32_t t = 0; t < TABLES; t++) {
        for (int32_t i = 0; i < text_table_rows(t); i++) {
            if (strcmp(text_table_row(t, i)->name, name) == 0) {
                solvers_print_one(t, text_table_row(t, i));
            }
        }
    }
    const cn_local_solver *local = cn_local_solver_find(name);
    if (local) {
        printf("%s%s%s (one 3D contact)\n", ink_begin(stdout, INK_BOLD), name,
               ink_end(stdout, INK_BOLD));
        print_wrapped(stdout, "  what", 10, cn_local_solver_about(local));
    }
}

// ---- as JSON ----

static void solvers_json_one(json_writer *json, int32_t table, const cn_solver_info *info) {
    put_open(json, NULL, '{');
    put_text(json, "name", info->name);
    put_text(json, "about", info->about);
    put_text(json, "strengths", info->strengths);
    put_text(json, "weaknesses", info->weaknesses);
    put_text(json, "unit", info->unit);
    put_int(json, "max_iterations", info->max_iterations);
    if (table == 0) {
        put_bool(json, "solves_2d", info->accepts & CN_SOLVES_2D);
        put_bool(json, "solves_3d", info->accepts & CN_SOLVES_3D);
        put_bool(json, "takes_assembled", info->accepts & CN_TAKES_ASSEMBLED);
        put_bool(json, "takes_body", info->accepts & CN_TAKES_BODY);
        put_bool(json, "takes_bounds", info->accepts & CN_TAKES_BOUNDS);
        put_bool(json, "takes_convex", info->accepts & CN_TAKES_CONVEX);
        put_bool(json, "uses_local", info->accepts & CN_USES_LOCAL);
        put_bool(json, "facets_cone", info->accepts & CN_FACETS_CONE);
    }
    put_open(json, "params", '[');
    for (int32_t i = 0; i < info->param_count; i++) {
        const cn_param *param = &info->params[i];
        put_open(json, NULL, '{');
        put_text(json, "name", param->name);
        put_text(json, "kind", param_kind_text[param->kind]);
        put_real(json, "default", param->initial);
        put_real(json, "min", param->min);
        put_real(json, "max", param->max);
        put_text(json, "help", param->help);
        put_close(json, '}');
    }
    put_close(json, ']');
    put_close(json, '}');
}

static void solvers_json(const char *name) {
    json_writer json = put_start(stdout);
    put_open(&json, NULL, '{');
    for (int32_t t = 0; t < TABLES; t++) {
        put_open(&json, text_table_titles[t], '[');
        for (int32_t i = 0; i < text_table_rows(t); i++) {
            const cn_solver_info *info = text_table_row(t, i);
            if (!name || strcmp(info->name, name) == 0) {
                solvers_json_one(&json, t, info);
            }
        }
        put_close(&json, ']');
    }
    put_open(&json, "local", '[');
    for (int32_t i = 0; i < cn_local_solver_count(); i++) {
        const cn_local_solver *local = cn_local_solver_at(i);
        if (!name || strcmp(cn_local_solver_name(local), name) == 0) {
            put_open(&json, NULL, '{');
            put_text(&json, "name", cn_local_solver_name(local));
            put_text(&json, "about", cn_local_solver_about(local));
            put_close(&json, '}');
        }
    }
    put_close(&json, ']');
    put_open(&json, "formulations", '[');
    for (int32_t i = 0; !name && i < cn_formulation_count(); i++) {
        const cn_formulation *formulation = cn_formulation_at(i);
        put_open(&json, NULL, '{');
        put_text(&json, "name", formulation->name);
        put_text(&json, "about", formulation->about);
        put_text(&json, "source", formulation->source);
        put_bool(&json, "lcp", formulation->traits & CN_FORMULATES_LCP);
        put_bool(&json, "facets", formulation->traits & CN_FORMULATES_FACETS);
        put_close(&json, '}');
    }
    put_close(&json, ']');
    put_close(&json, '}');
    put_end(&json);
}

int command_solvers(int argc, char **argv) {
    solvers_job job = {.name = NULL};
    parse_arguments(&solvers_line, argc, argv, &job);
    if (job.name) {
        check_solver_name("solvers", job.name, true);
    }
    if (job.json) {
        solvers_json(job.name);
    } else if (job.name) {
        solvers_print_named(job.name);
    } else {
        solvers_print_briefly();
    }
    return EXIT_DONE;
}
