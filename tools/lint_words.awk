# tools/lint_words.awk: the words that lint_words.sh refuses in C sources and in documents, by where they stand.
#
# text: in comments, in strings and in Markdown outside code, as a regular expression in lower case, with | between the standard uses that are allowed around it.
# name: in identifiers, as one or several parts between underscores.

function text(pattern, instead, allowed) {
    text_pattern[++texts] = pattern
    text_instead[texts] = instead
    text_allowed[texts] = allowed
}
# source: in comments only; page: in Markdown only.
function source(pattern, instead, allowed) {
    text(pattern, instead, allowed)
    text_sources[texts] = 1
}
function page(pattern, instead, allowed) {
    text(pattern, instead, allowed)
    text_pages[texts] = 1
}
function name(pattern, instead, allowed) {
    name_pattern[++names] = "(^|_)(" pattern ")(_|$)"
    name_instead[names] = instead
    name_allowed[names] = allowed
}

BEGIN {
    text("glid(e|es|ed|ing)", "momentum (heavy-ball)")
    text("mixer|mixing|mixes", "Anderson acceleration", "mixing index|bed mixes")
    text("forth and back|sweeps that return", "symmetric sweep (forward + backward)")
    text("foret(ell|ells|old)", "predicted, predicts")
    text("launch(es|ed)?", "cold-start momentum boost", "mpi|launcher")
    text("leap(s|ed)?", "extrapolation step", "leapfrog")
    text("singles", "single precision")
    text("light", "inverse mass: inv_mass, inv_inertia", "light (colour|theme|comes|from|and dark)|light or dark|as light as|\"light\"|error_evaluation")
    source("balls?", "spheres (3D), disks (2D); round bodies for both", "heavy.ball|ball joint|ball.and.socket|\"ball\"|bouncing ball|kind: ball|ball-")
    text("packets?", "SIMD batch", "network|ogg|tcp")
    text("lanes? left empty|empty lanes?", "unused lanes")
    text("memo", "cache")
    text("numbers too small for the usual form", "denormals")
    text("the same bits|bits are the same|bit for bit", "bitwise identical")
    text("left the finite numbers|unfinite", "non-finite, NaN or infinite")
    text("there twice", "duplicate")
    text("entrants?|contests?|races?", "engine, comparison", "data race|race condition|race between|re-entrant")
    text("tally", "run summary")
    text("calm", "limit, quiet")
    text("limit of time", "time limit")
    text("tried and left", "tried, rejected (reason, figure)")
    text("in place of", "instead of", "in place of what is there|works in place")
    text("(sweeps|bytes|numbers|contacts|steps|times|iterations|rows|products?( with [wmh])?|factorisations?|bodies|problems|unknowns|once|seconds|nanoseconds|ns) an? (step|contact|body|sweep|row|second|joint|side|solve)", "per", "bodies a contact holds|times a second|steps a second")

    page("balls", "spheres (3D), disks (2D)", "cannonballs|thousand-balls")
    page("tells?|told", "prints, reports, says")
    page("ways? forks?", "trajectories diverge")
    page("doubles", "double precision")
    page("look out", "poll, spin-wait")

    name("glide|gliding|glided", "momentum")
    name("foretell|foretold", "predict")
    name("launch", "boost")
    name("leap", "extrapolate")
    name("singles|doubles", "single, double (precision)")
    name("light", "inv_mass, inv_inertia", "^siconos_")
    name("balls?", "sphere, disk or round", "joint_ball|heavy_ball")
    name("packets?", "batch", "^lws_")
    name("memo", "cache")
    name("unfinite", "nonfinite")
    name("entrants?|contests?|tally", "engine, comparison, run_summary")
    name("calm", "quiet, limit")
    name("most|least", "max, min", "at_most|at_least|most_likely|least_squares")
}

function report(word, instead) {
    printf "%s:%d: %s: %s\n", FILENAME, FNR, word, instead
    bad = 1
}

function check(k, given,    word) {
    if (given == "" || !match(given, "(^|[^a-z0-9_])(" text_pattern[k] ")($|[^a-z0-9_])")) { return }
    word = substr(given, RSTART, RLENGTH)
    if (text_allowed[k] == "" || given !~ text_allowed[k]) {
        gsub(/^[^a-z0-9]+|[^a-z0-9]+$/, "", word)
        report(word, text_instead[k])
    }
}

FNR == 1 { fence = 0 }

{
    line = tolower($0)
    markdown = FILENAME ~ /[.]md$/
    if (markdown) {
        if (line ~ /^ *```/) { fence = !fence; next }
        if (fence || line ~ /^    /) { next }
        gsub(/`[^`]*`/, "code", line)
        gsub(/\]\([^)]*\)/, "]", line)
        gsub(/<[^>]*>/, "", line)
        sub(/^#+ .*/, "& ", line)
        code = said = ""
        comment = line
    } else {
        code = rest = line
        comment = said = ""
        # What the program says: strings before a comment.
        while (line !~ /^ *#/ && match(rest, /"([^"\\]|\\.)*"/) && substr(rest, 1, RSTART - 1) !~ /\/\//) {
            said = said " " substr(rest, RSTART, RLENGTH)
            rest = substr(rest, RSTART + RLENGTH)
        }
        gsub(/"([^"\\]|\\.)*"/, "\"\"", code)
        if (match(code, /\/\//)) {
            code = substr(code, 1, RSTART - 1)
            match(line, /\/\/.*/)
            comment = substr(line, RSTART + 2)
        }
    }
    for (k = 1; k <= texts; k++) {
        if (!(markdown ? text_sources[k] : text_pages[k])) { check(k, comment) }
        if (!text_sources[k]) { check(k, said) }
    }
    while (match(code, /[a-z_][a-z0-9_]*/)) {
        identifier = substr(code, RSTART, RLENGTH)
        code = substr(code, RSTART + RLENGTH)
        for (k = 1; k <= names; k++) {
            if (identifier ~ name_pattern[k] && (name_allowed[k] == "" || identifier !~ name_allowed[k])) {
                report(identifier, name_instead[k])
            }
        }
    }
}

END { exit bad }
