# The rules of lint_rooms.sh. Comments and the insides of strings are taken out first; a function is what
# opens a brace at depth 0 after a closing parenthesis.

BEGIN {
    # room: the rooms that it may include, besides itself
    may["base"] = ""
    may["math"] = "base"
    may["io"] = "base"
    may["sparse"] = "base math"
    may["problem"] = "base math sparse io"
    may["solve"] = "base math sparse problem"
    may["system"] = "base math sparse problem solve"
    may["geom"] = "base math"
    may["body"] = "base math sparse geom"
    may["joint"] = "base math body"
    may["model"] = "base math system geom body joint"
    may["detect"] = "base math geom body model"
    may["assemble"] = "base math sparse problem body joint model detect"
    may["step"] = "base math sparse problem solve system geom body joint model detect assemble"
    may["record"] = "base math io system model step"
    may["check"] = "base math io geom body joint model record"
    may["scene"] = "base math io system geom body joint model step solve"
    may["dist"] = "base math io sparse problem solve system geom body joint model detect assemble step record scene"

    # room: the public headers that are its face, besides one of its own name
    face["base"] = "outcome source signal"
    face["problem"] = "mcp ncp formulation"
    face["solve"] = "eliminate"
    face["system"] = "plugin"
    face["geom"] = "shape"
    face["model"] = "settings"
    face["step"] = "sim act query"
    for (room in may) {
        owner[room] = room
        count = split(face[room], headers, " ")
        for (i = 1; i <= count; i++) {
            owner[headers[i]] = room
        }
    }
    for (room in may) {
        below(room, room)
    }

    # The command is made of these folders; each sees those before it. lab and bench see all of them, and
    # they see neither.
    COMMAND = "support draw run web export commands"

    FUNCTION_LINES = 80
    FILE_LINES = 800
    FOLDER_FILES = 30

    # What a line of the library may not call, or may not name at all.
    never = calls("printf vprintf puts putchar perror exit _exit _Exit quick_exit abort assert rand srand random " \
                  "srandom drand48 rand_r setjmp longjmp sigsetjmp siglongjmp")
    streams = names("stdout stderr stdin")
    allocation = names("malloc calloc realloc reallocarray aligned_alloc posix_memalign memalign valloc alloca " \
                       "strdup strndup asprintf vasprintf getline getdelim open_memstream")
    release = calls("free")
    trigonometry = calls("sin cos tan asin acos atan atan2 sincos sinh cosh tanh asinh acosh atanh")
    files = calls("fopen fdopen freopen fclose fread fwrite fprintf vfprintf fputs fputc fgets fgetc fscanf " \
                  "tmpfile mkstemp rename unlink remove")
    openmp = "^#[ \t]*pragma[ \t]+omp|(^|[^A-Za-z0-9_])omp_[a-z]"
    status = 0
}

# Collects the rooms under `room`, those that rooms under it may include among them; none is its own.
function below(room, next_room,    parts, count, i) {
    count = split(may[next_room], parts, " ")
    for (i = 1; i <= count; i++) {
        if (parts[i] == room) {
            printf "lint_rooms.awk: %s stands on itself, by %s [rooms]\n", room, next_room
            exit status = 1
        }
        if (!((room, parts[i]) in sees)) {
            sees[room, parts[i]] = 1
            below(room, parts[i])
        }
    }
}

# The room of a header, by its path in the tree; "": it has none.
function room_of(path,    parts, name) {
    if (split(path, parts, "/") > 2 && parts[1] == "src") {
        return parts[2]
    }
    name = parts[3]
    sub(/[.]h$/, "", name)
    return parts[1] == "include" && (name in owner) ? owner[name] : ""
}

# Follows the includes of `path`, met on the way from a file of room `own`: each room may be seen
# that stands under it.
function follow(own, first, line, path, way,    i, next_path, target) {
    for (i = 1; i <= includes[path]; i++) {
        next_path = included[path, i]
        target = room_of(next_path)
        if (followed[next_path] == first) {
            continue
        }
        followed[next_path] = first
        if (target != own && target != "" && path != first && !((own, target) in sees)) {
            printf "%s:%d: %s sees %s, which does not stand under it: %s > %s [rooms]\n", first, line, own, \
                target, way, next_path
            status = 1
        }
        follow(own, first, path == first ? included_at[path, i] : line, next_path, \
               path == first ? next_path : way " > " next_path)
    }
}

# Patterns for any word of a list that is not part of a longer name nor a member: named, or called.
function names(list) {
    gsub(/ /, "|", list)
    return "(^|[^A-Za-z0-9_.>])(" list ")([^A-Za-z0-9_]|$)"
}

function calls(list) {
    gsub(/ /, "|", list)
    return "(^|[^A-Za-z0-9_.>])(" list ")[ \t]*\\("
}

function complain(line, rule, text) {
    printf "%s:%d: %s [%s]\n", FILENAME, line, text, rule
    status = 1
}

# The word of the pattern that a line has, for the message.
function found(line, pattern,    word) {
    match(line, pattern)
    word = substr(line, RSTART, RLENGTH)
    gsub(/[^A-Za-z0-9_]/, "", word)
    return word
}

# The line without comments and without what is inside quotes. in_comment lives from line to line.
function stripped(line,    out, at, two, quote) {
    out = ""
    while (line != "") {
        if (in_comment) {
            at = index(line, "*/")
            if (!at) {
                return out
            }
            line = substr(line, at + 2)
            in_comment = 0
            continue
        }
        if (!match(line, /\/\/|\/\*|"|'/)) {
            return out line
        }
        out = out substr(line, 1, RSTART - 1)
        two = substr(line, RSTART, 2)
        quote = substr(two, 1, 1)
        line = substr(line, RSTART + (quote == "/" ? 2 : 1))
        if (two == "//") {
            return out
        } else if (two == "/*") {
            in_comment = 1
            out = out " "
        } else {
            while (line != "" && substr(line, 1, 1) != quote) {
                line = substr(line, substr(line, 1, 1) == "\\" ? 3 : 2)
            }
            line = substr(line, 2)
            out = out quote quote
        }
    }
    return out
}

function note_include(name) {
    includes[FILENAME]++
    included[FILENAME, includes[FILENAME]] = name
    included_at[FILENAME, includes[FILENAME]] = FNR
}

# The include rule of the place that the file is in.
function check_include(line,    name, quoted, parts, target, seen) {
    quoted = line ~ /^#[ \t]*include[ \t]*"/
    name = line
    sub(/^#[ \t]*include[ \t]*["<]/, "", name)
    sub(/[">].*/, "", name)
    split(name, parts, "/")
    target = parts[1]
    if (name == "mpi.h" && room != "dist") {
        complain(FNR, "mpi", "<mpi.h> outside dist")
    }
    if (name ~ /^(omp|pthread|threads)\.h$/ && place == "src" && room != "base") {
        complain(FNR, "threads", "<" name "> outside base; use base_parallel_for")
    }
    if (quoted || target == "cairn") {
        note_include(quoted ? "src/" name : "include/" name)
    }
    if (place == "include" && quoted) {
        complain(FNR, "rooms", "a public header includes only <cairn/...> and the standard library")
    } else if (place ~ /^(src|include)$/ && target == "cairn" && !quoted && path[3] != "cairn.h") {
        target = room_of("include/" name)
        if (target == "") {
            complain(FNR, "rooms", "<" name "> is the face of no room")
        } else if (room != "" && target != room && index(" " may[room] " ", " " target " ") == 0) {
            complain(FNR, "rooms", room " may not include <" name ">, the face of " target " (it may: " may[room] ")")
        }
    } else if (quoted && place == "bind" && (index(name, "/") || index(name, ".."))) {
        complain(FNR, "rooms", "bind includes \"" name "\"; it sees <cairn/...> and the files beside it")
    } else if (quoted && place ~ /^(app|lab|bench)$/ && !program) {
        seen = " " COMMAND " "
        if (place == "app" && folder) {
            seen = substr(seen, 1, index(seen, " " folder " ") + length(folder) + 1)
        } else if (place != "app") {
            seen = seen place " "
        }
        if (name != "git_hash.h" && (index(name, "..") || !index(seen, " " target " "))) {
            complain(FNR, "rooms", place " includes \"" name "\"; it sees <cairn/...> and (as \"folder/file.h\")" seen)
        }
    } else if (place == "src" && quoted) {
        if (!index(name, "/") || index(name, "..") || !(target in may)) {
            complain(FNR, "rooms", "\"" name "\": write includes as \"room/file.h\"")
        } else if (target != room && index(" " may[room] " ", " " target " ") == 0) {
            complain(FNR, "rooms", room " may not include " target " (it may: " may[room] ")")
        }
    }
}

function check_words(line) {
    if (line ~ never) {
        complain(FNR, "never", found(line, never) ": the library never exits, prints or uses C's random numbers")
    }
    if (line ~ streams) {
        complain(FNR, "never", found(line, streams) ": the library never prints; use base_log or the progress callback")
    }
    if (room != "base" && line ~ allocation) {
        complain(FNR, "allocation", found(line, allocation) ": memory is taken in base only; use cn_arena or base_buffer")
    }
    if (room != "base" && line ~ release) {
        complain(FNR, "allocation", "free: memory is given back in base only; use cn_arena or base_buffer")
    }
    if (room !~ /^(base|io)$/ && line ~ files) {
        complain(FNR, "files", found(line, files) ": files are opened in io only")
    }
    if (room !~ /^(base|io|record|scene)$/ && line ~ trigonometry) {
        complain(FNR, "trigonometry", found(line, trigonometry) ": libm differs between machines; use the room math")
    }
    if (room != "base" && line ~ openmp) {
        complain(FNR, "threads", "OpenMP outside base; use base_parallel_for")
    }
}

# One way to pass an error on: a status that is tested and returned at once is CN_TRY.
function check_errors(line) {
    if (tested != "" && line ~ ("^[ \t]*return " tested ";[ \t]*$")) {
        complain(FNR, "errors", "write CN_TRY(...) for a status that is returned at once")
    }
    tested = ""
    if (line ~ /^[ \t]*if \([a-z_]+ != CN_OK\) \{[ \t]*$/) {
        tested = line
        sub(/^[ \t]*if \(/, "", tested)
        sub(/ .*/, "", tested)
    }
}

# Braces at depth 0 that open after a ")" are functions; those after "=", struct, union or enum are not.
# 'extern "C" {' does not count.
function measure(line,    i, c) {
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "{") {
            if (depth == 0 && statement ~ /^extern ""[ \t]*$/) {
                statement = ""
                continue
            }
            if (depth == 0) {
                is_function = statement ~ /\)[ \t]*$/ && statement !~ /=/
                function_line = statement_line
            }
            depth++
        } else if (c == "}") {
            if (depth > 0 && --depth == 0 && is_function && FNR - function_line + 1 > FUNCTION_LINES) {
                complain(function_line, "size", "function of " (FNR - function_line + 1) " lines (at most " FUNCTION_LINES ")")
            }
            if (depth == 0) {
                statement = ""
            }
        } else if (depth == 0 && c == ";") {
            statement = ""
        } else if (depth == 0) {
            if (statement == "" && c != " " && c != "\t") {
                statement_line = FNR
            }
            if (statement != "" || (c != " " && c != "\t")) {
                statement = statement c
            }
        }
    }
}

FNR == 1 {
    count = split(FILENAME, path, "/")
    within = substr(FILENAME, 1, length(FILENAME) - length(path[count]) - 1)
    if (++files_in[within] == FOLDER_FILES + 1) {
        complain(1, "size", within " has more than " FOLDER_FILES " C files: divide it by topic")
    }
    place = path[1]
    room = place == "src" ? path[2] : room_of(FILENAME)
    if (room != "") {
        tree[++file_count] = FILENAME
    }
    if (place == "include" && room == "" && path[3] != "cairn.h") {
        complain(1, "rooms", "a public header that is the face of no room: add it to `face` in lint_rooms.awk")
    }
    folder = place == "app" && 3 in path ? path[2] : ""
    program = place == "bench" && path[2] ~ /^(kernels|peers)$/ # of its own, not part of the command
    in_comment = in_macro = depth = 0
    tested = ""
    statement = ""
    if (place == "src" && !(room in may)) {
        complain(1, "rooms", "no such room: " room)
    }
}

FNR == FILE_LINES + 1 {
    complain(FNR, "size", "file of more than " FILE_LINES " lines")
}

{
    is_include = !in_comment && $0 ~ /^#[ \t]*include/
    code = stripped($0)
    if (is_include) {
        check_include($0)
    } else if (place == "src" || place == "include") {
        check_words(code)
        check_errors(code)
    }
    directive = in_macro || code ~ /^[ \t]*#/
    if (!directive) {
        measure(code)
    }
    in_macro = directive && $0 ~ /\\$/
}

END {
    for (file = 1; file <= file_count; file++) {
        follow(room_of(tree[file]), tree[file], 1, tree[file], "")
    }
    exit status
}
