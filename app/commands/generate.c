// app/commands/generate.c
// cairn generate: planted problems, whose solution is chosen first and stored with them, so that
// anybody can have a problem file.
#include "support/arguments.h"
#include "support/problem_file.h"
#include "support/support.h"
#include "support/terminal.h"

#include <stdlib.h>
#include <string.h>

typedef struct generate_job {
    cn_planted_opts opts;
    const char *kind, *out;
    bool local, quiet;
} generate_job;

static void generate_friction(void *job, const char *command, const command_option *option,
                              char *text) {
    (void)option;
    ((generate_job *)job)->opts.friction =
        strcmp(text, "spread") == 0 ? -1.0 : parse_real(command, "--friction", text, 0.0, 1e3);
}

static void generate_seed(void *job, const char *command, const command_option *option,
                          char *text) {
    (void)option;
    ((generate_job *)job)->opts.seed = (uint64_t)parse_int(command, "--seed", text, 0, INT64_MAX);
}

static const command_option generate_options[] = {
    {"output", 'o', "FILE", "File to write (.hdf5: FCLIB; .dat: text)", TO_TEXT(generate_job, out)},
    {"dim", 'd', "2|3", "Dimension of a friction problem (default 3)",
     TO_INT(generate_job, opts.dim, 2, 3)},
    {"contacts", 'n', "N", "Contacts; for an LCP its size (default 100)",
     TO_INT(generate_job, opts.contacts, 1, 10000000)},
    {"bodies", 0, "N", "Bodies (default: about half the contacts)",
     TO_INT(generate_job, opts.bodies, 1, 10000000)},
    {"deficiency", 'x', "X", "Share of the unknowns by which W lacks rank, 0 (default) to 0.9",
     TO_REAL(generate_job, opts.deficiency, 0.0, 0.9)},
    {"friction", 0, "MU", "Coefficient of all contacts (default 0.5), or \"spread\" over [0, 1]",
     TO_FUNCTION(generate_friction)},
    {"open", 0, "X", "Share of contacts planted open (default 0.2)",
     TO_REAL(generate_job, opts.open, 0.0, 1.0)},
    {"slide", 0, "X", "Share planted sliding (default 0.3); the rest stick",
     TO_REAL(generate_job, opts.slide, 0.0, 1.0)},
    {"seed", 0, "N", "The same seed gives the same problem (default 1)",
     TO_FUNCTION(generate_seed)},
    {"local", 0, NULL, "Write the local form (W, q) instead of (M, H)",
     TO_SET(generate_job, local)},
    {"quiet", 'q', NULL, "Print nothing but errors", TO_SET(generate_job, quiet)},
    {0}};

static const command_line generate_line = {
    .options = generate_options,
    .args_doc = "friction|lcp",
    ONE_ARGUMENT(generate_job, kind, "one kind at a time: friction or lcp"),
    .doc = "Make a problem with a known solution and write it with that solution."};

// The same problem as (W, q, mu), with the planted answer. The new problem borrows r and u.
static cn_status generate_localise(const cn_problem *global, cn_problem **out, cn_error *error) {
    *out = cn_problem_create(NULL, CN_PROBLEM_FRICTION);
    if (!*out) {
        return error_memory(error);
    }
    cn_problem *local = *out;
    local->r = global->r;
    local->u = global->u;
    return cn_friction_condense(&global->global, local->memory, &local->friction, error);
}

int command_generate(int argc, char **argv) {
    generate_job job = {.opts = cn_planted_opts_default()};
    parse_arguments(&generate_line, argc, argv, &job);
    if (!job.kind) {
        usage_error("generate", "no kind of problem given; use friction or lcp");
    }
    bool lcp = strcmp(job.kind, "lcp") == 0;
    if (!lcp && strcmp(job.kind, "friction") != 0) {
        usage_error("generate", "no kind of problem '%s'; use friction or lcp", job.kind);
    }
    if (!job.out) {
        usage_error("generate", "no file to write; give -o FILE");
    }
    if (job.opts.open + job.opts.slide > 1.0) {
        usage_error("generate", "--open and --slide together are more than all contacts");
    }
    cn_error error = {.status = CN_OK};
    cn_problem *problem = NULL, *local = NULL;
    cn_status status = lcp ? cn_planted_lcp(NULL, &job.opts, &problem, &error)
                           : cn_planted_friction(NULL, &job.opts, &problem, &error);
    if (status == CN_OK && job.local && !lcp) {
        status = generate_localise(problem, &local, &error);
    }
    cn_problem *written = local ? local : problem;
    char *description = format_text(
        "planted by cairn %s: %d %s, deficiency %g, friction %g, open %g, slide %g, seed "
        "%llu",
        cn_version(), (int)job.opts.contacts, lcp ? "unknowns" : "contacts", job.opts.deficiency,
        job.opts.friction, job.opts.open, job.opts.slide, (unsigned long long)job.opts.seed);
    if (status == CN_OK) {
        // Where the problem comes from, for `cairn info` and for whoever gets the file.
        written->title = "planted problem";
        written->description = description;
        written->math_info = "an exact solution is stored";
        status = cn_problem_write(written, job.out, CN_FILE_AUTO, &error);
    }
    int code = EXIT_DONE;
    if (status != CN_OK) {
        report_error(&error);
        bool asked_wrongly = status == CN_ERR_ARGUMENT || status == CN_ERR_UNSUPPORTED;
        code = asked_wrongly ? EXIT_USAGE : EXIT_FAILED;
    } else if (!job.quiet) {
        print_format(stdout, "wrote %s: %s,\n%d %s, seed %llu, with its solution\n", job.out,
                     problem_kind_text(written), (int)job.opts.contacts,
                     lcp ? "unknowns" : "contacts", (unsigned long long)job.opts.seed);
    }
    free(description);
    cn_problem_destroy(local);
    cn_problem_destroy(problem);
    return code;
}
