// app/commands/generate.c
// cairn generate: planted problems, whose solution is chosen first and stored with them, so that
// anybody can have a problem file.
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

enum { KEY_BODIES = 256, KEY_FRICTION, KEY_OPEN, KEY_SLIDE, KEY_SEED, KEY_LOCAL };

static const struct argp_option generate_options[] = {
    {"output", 'o', "FILE", 0, "File to write (.hdf5: FCLIB; .dat: text)", 0},
    {"dim", 'd', "2|3", 0, "Dimension of a friction problem (default 3)", 0},
    {"contacts", 'n', "N", 0, "Contacts; for an LCP its size (default 100)", 0},
    {"bodies", KEY_BODIES, "N", 0, "Bodies (default: about half the contacts)", 0},
    {"deficiency", 'x', "X", 0, "Share of the unknowns by which W lacks rank, 0 (default) to 0.9",
     0},
    {"friction", KEY_FRICTION, "MU", 0,
     "Coefficient of all contacts (default 0.5), or \"spread\" over [0, 1]", 0},
    {"open", KEY_OPEN, "X", 0, "Share of contacts planted open (default 0.2)", 0},
    {"slide", KEY_SLIDE, "X", 0, "Share planted sliding (default 0.3); the rest stick", 0},
    {"seed", KEY_SEED, "N", 0, "The same seed gives the same problem (default 1)", 0},
    {"local", KEY_LOCAL, NULL, 0, "Write the local form (W, q) instead of (M, H)", 0},
    {"quiet", 'q', NULL, 0, "Print nothing but errors", 0},
    {0}};

static error_t generate_option(int key, char *value, struct argp_state *state) {
    generate_job *job = state->input;
    cn_planted_opts *opts = &job->opts;
    const char *command = "generate";
    switch (key) {
    case 'o':
        job->out = value;
        break;
    case 'd':
        opts->dim = (int32_t)parse_int(command, "--dim", value, 2, 3);
        break;
    case 'n':
        opts->contacts = (int32_t)parse_int(command, "--contacts", value, 1, 10000000);
        break;
    case KEY_BODIES:
        opts->bodies = (int32_t)parse_int(command, "--bodies", value, 1, 10000000);
        break;
    case 'x':
        opts->deficiency = parse_real(command, "--deficiency", value, 0.0, 0.9);
        break;
    case KEY_FRICTION:
        opts->friction = strcmp(value, "spread") == 0
                             ? -1.0
                             : parse_real(command, "--friction", value, 0.0, 1e3);
        break;
    case KEY_OPEN:
        opts->open = parse_real(command, "--open", value, 0.0, 1.0);
        break;
    case KEY_SLIDE:
        opts->slide = parse_real(command, "--slide", value, 0.0, 1.0);
        break;
    case KEY_SEED:
        opts->seed = (uint64_t)parse_int(command, "--seed", value, 0, INT64_MAX);
        break;
    case KEY_LOCAL:
        job->local = true;
        break;
    case 'q':
        job->quiet = true;
        break;
    case ARGP_KEY_ARG:
        if (job->kind) {
            usage_error(command, "one kind at a time: friction or lcp");
        }
        job->kind = value;
        break;
    case ARGP_KEY_END:
        if (!job->kind || !job->out) {
            usage_error(command, "usage: cairn generate friction|lcp -o FILE; see --help");
        }
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp generate_argp = {
    .options = generate_options,
    .parser = generate_option,
    .args_doc = "friction|lcp",
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

// Where the problem comes from, for `cairn info` and for whoever gets the file. The texts are
// borrowed.
static void generate_sign(cn_problem *problem, const char *title, const char *description) {
    problem->title = title;
    problem->description = description;
    problem->math_info = "an exact solution is stored";
}

int command_generate(int argc, char **argv) {
    generate_job job = {.opts = cn_planted_opts_default()};
    parse_arguments(&generate_argp, argc, argv, &job);
    bool lcp = strcmp(job.kind, "lcp") == 0;
    if (!lcp && strcmp(job.kind, "friction") != 0) {
        usage_error("generate", "no kind '%s'; use friction or lcp", job.kind);
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
        generate_sign(written, "planted problem", description);
        status = cn_problem_write(written, job.out, CN_FILE_AUTO, &error);
    }
    int code = EXIT_DONE;
    if (status != CN_OK) {
        report_error(&error);
        bool asked_wrongly = status == CN_ERR_ARGUMENT || status == CN_ERR_UNSUPPORTED;
        code = asked_wrongly ? EXIT_USAGE : EXIT_FAILED;
    } else if (!job.quiet) {
        print_format(stdout, "wrote %s: %s, %d %s, seed %llu, with its solution\n", job.out,
                     problem_kind_text(written), (int)job.opts.contacts,
                     lcp ? "unknowns" : "contacts", (unsigned long long)job.opts.seed);
    }
    free(description);
    cn_problem_destroy(local);
    cn_problem_destroy(problem);
    return code;
}
