# tools/lint_names.awk: the prefixes of names, for lint_names.sh.
BEGIN {
    of["assemble"] = "asm"
    of["base"] = "base"
    of["body"] = "body|rigid|fe"
    of["check"] = "check"
    of["detect"] = "det"
    of["geom"] = "geom"
    of["io"] = "io"
    of["joint"] = "joint"
    of["math"] = "math"
    of["model"] = "model"
    of["problem"] = "prob|problem"
    of["record"] = "rec"
    of["scene"] = "scene"
    of["solve"] = "solve|gs|local|newton|pivot|proj|ipm"
    of["sparse"] = "sparse"
    of["step"] = "step|sim"
    of["system"] = "sys"
    # Prefixes that are no words: body, joint, model, check, step and solve may also begin a file's own names.
    shared = "asm|base|det|fe|geom|gs|io|ipm|math|prob|proj|rec|scene|sys"
}

FNR == 1 {
    split(FILENAME, part, "/")
    room = part[2]
    header = FILENAME ~ /^src\/.*\.h$/
}

{
    code = $0
    gsub(/"([^"\\]|\\.)*"/, "\"\"", code)
    sub(/\/\/.*/, "", code)
}

FILENAME ~ /^include\// {
    line = $0
    while (match(line, /(cn|CN)_[A-Za-z0-9_]+/)) {
        public[substr(line, RSTART, RLENGTH)] = 1
        line = substr(line, RSTART + RLENGTH)
    }
    next
}

{
    line = code
    while (match(line, /[A-Za-z0-9_]+/)) {
        word = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        if (word ~ /^(cn|CN)_/ && !(word in public) && !(word ~ /_$/)) {
            printf "%s:%d: %s is no public name: a name of one file has no prefix, a shared one that of its room\n",
                FILENAME, FNR, word
            bad = 1
        }
    }
}

# A function that a header of the library declares or defines: a line that begins with its type.
header && code ~ /^[a-z]/ && code !~ /^(typedef|static (void|int|double|bool))/ && match(code, /[A-Za-z0-9_]+\(/) {
    word = substr(code, RSTART, RLENGTH - 1)
    if (word !~ "^(" of[room] ")_" && word !~ /^cn_/ && word !~ /^__/ && word !~ /^[A-Z_]+$/) {
        printf "%s:%d: %s does not begin with a prefix of its room (%s)\n", FILENAME, FNR, word, of[room]
        bad = 1
    }
}

# What one file has for itself may not look like a name that another room shares.
FILENAME ~ /^src\/.*\.c$/ {
    word = ""
    if (code ~ /^static / && match(code, /[A-Za-z0-9_]+\(/)) {
        word = substr(code, RSTART, RLENGTH - 1)
    } else if (code ~ /^typedef (struct|enum) [a-z]/) {
        word = code
        sub(/^typedef (struct|enum) /, "", word)
        sub(/[^A-Za-z0-9_].*/, "", word)
    }
    if (word ~ "^(" shared ")_" && word !~ "^(" of[room] ")_") {
        printf "%s:%d: %s belongs to this file and begins like a name of another room\n", FILENAME, FNR, word
        bad = 1
    }
}

END { exit bad }
