# Bash completion for cairn. Commands and options are read from its own --help and names from its own
# tables, so that this file never lags behind the command.

_cairn_commands() {
    "$1" --help 2>/dev/null | awk '/^  [a-z]+ /{ print $1 }'
}

_cairn_options() {
    "$1" "$2" --help 2>/dev/null | grep -oE -- '(^|[ ,[])--[a-z][a-z-]*=?' | tr -d ' ,['
}

# The names of one of the tables friction, lcp, local; without a table of all.
_cairn_names() {
    "$1" solvers --json 2>/dev/null | tr '{}[]' '\n\n\n\n' | awk -v table="$2" '
        match($0, /"(friction|lcp|local)": *$/) { now = $0; gsub(/[",: ]/, "", now) }
        match($0, /^"name": *"[a-z0-9-]+"/) && (table == "" || table == now) {
            split($0, part, "\""); if ($0 ~ /"about"/) { print part[4] } }' | sort -u
}

# The parameters of a solver, as "solver.param=".
_cairn_parameters() {
    "$1" solvers --json 2>/dev/null | tr '{}[]' '\n\n\n\n' | awk '
        match($0, /^"name": *"[a-z0-9-]+"/) {
            split($0, part, "\"")
            if ($0 ~ /"about"/) { solver = part[4] } else { print solver "." part[4] "=" } }'
}

_cairn_scenes() {
    "$1" gallery 2>/dev/null | awk '/^  [a-z0-9-]+ /{ print $1 }'
}

_cairn_words() {
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

# Folders, and files whose names match.
_cairn_files() {
    local word=$1 pattern=$2
    mapfile -t COMPREPLY < <(
        compgen -d -- "$word"
        compgen -f -- "$word" | grep -E -- "$pattern"
    )
    compopt -o filenames 2>/dev/null
}

# What stands after an option.
_cairn_value() {
    local program=$1 command=$2 option=$3 word=$4
    case $command:$option in
    *:--solver | *:-s) _cairn_words "$(_cairn_names "$program" friction) $([[ $command == solve ]] && _cairn_names "$program" lcp) auto $([[ $command == solve ]] && echo all)" "$word" ;;
    *:--solvers) _cairn_words "$(_cairn_names "$program" friction) $(_cairn_names "$program" lcp)" "$word" ;;
    *:--local) _cairn_words "$(_cairn_names "$program" local)" "$word" ;;
    solve:--set) _cairn_words "$(_cairn_parameters "$program")" "$word" && compopt -o nospace ;;
    run:--set) _cairn_words "$(printf 'time.%s= ' step until frames_every) $(printf 'solver.%s= ' name tolerance max_iterations threads) $(printf 'integrator.%s= ' scheme theta) contacts.0.friction= contacts.0.restitution=" "$word" && compopt -o nospace ;;
    *:--formulation) _cairn_words "frictionless inner outer box convex mixed" "$word" ;;
    *:--measure) _cairn_words "scaled q max" "$word" ;;
    *:--operator) _cairn_words "auto assembled body" "$word" ;;
    export:--to) _cairn_words "html pvd gltf csv fclib" "$word" ;;
    render:--theme) _cairn_words "light dark" "$word" ;;
    new:--variant) _cairn_words "3d 2d joints packing wall" "$word" ;;
    run:--output | run:-o | view:--output | view:-o) _cairn_files "$word" '\.run$' ;;
    render:--output | render:-o) _cairn_files "$word" '\.(svg|png)$' ;;
    *:--history) _cairn_files "$word" '\.(csv|svg)$' ;;
    *:--start) _cairn_files "$word" '\.(npy|csv|txt)$' ;;
    *:--plugin) _cairn_files "$word" '\.so$' ;;
    *:--output | *:-o) _cairn_files "$word" '' ;;
    *) COMPREPLY=() ;; # a number
    esac
}

# The arguments of a command.
_cairn_argument() {
    local program=$1 command=$2 word=$3
    local runs='\.run$' scenes='\.(ya?ml|json)$' problems='\.(hdf5|h5|dat|mtx|npy)$'
    case $command in
    resume | export) _cairn_files "$word" "$runs" ;;
    run | view | render | info)
        local pattern=$scenes
        [[ $command == run ]] || pattern="$runs|$scenes"
        [[ $command == info ]] && pattern="$runs|$scenes|$problems"
        _cairn_files "$word" "$pattern"
        [[ $word == */* ]] || COMPREPLY+=($(compgen -W "$(_cairn_scenes "$program")" -- "$word"))
        ;;
    check) _cairn_files "$word" "$runs|$problems" ;;
    solve | profile | convert) _cairn_files "$word" "$problems" ;;
    new) _cairn_files "$word" "$scenes" ;;
    gallery) _cairn_words "$(_cairn_scenes "$program")" "$word" ;;
    demo) _cairn_words "$(_cairn_scenes "$program") solvers" "$word" ;;
    reproduce) _cairn_words "$("$program" reproduce 2>/dev/null | awk '/^ *E[0-9]+ /{ print $1 }')" "$word" ;;
    solvers) _cairn_words "$(_cairn_names "$program" '')" "$word" ;;
    generate) _cairn_words "friction lcp" "$word" ;;
    help) _cairn_words "$(_cairn_commands "$program")" "$word" ;;
    *) _cairn_files "$word" '' ;;
    esac
}

_cairn() {
    local program=$1 word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        _cairn_words "$(_cairn_commands "$program") help --help --version" "$word"
        return
    fi
    # "--solver=ns" arrives as three words: --solver, =, ns
    if [[ $word == = ]]; then
        word=
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [[ $word == -* ]]; then
        _cairn_words "$(_cairn_options "$program" "$command")" "$word"
        if [[ ${COMPREPLY[0]-} == *= ]]; then
            compopt -o nospace 2>/dev/null
        fi
    elif [[ $previous == -* ]] && _cairn_takes "$program" "$command" "$previous"; then
        _cairn_value "$program" "$command" "$previous" "$word"
    else
        _cairn_argument "$program" "$command" "$word"
    fi
}

# Whether the option takes a value: in the help it stands as "-o, --output=RUN".
_cairn_takes() {
    "$1" "$2" --help 2>/dev/null | grep -E -- "(^|[ ,])$3(,|=)" | grep -qE -- '--[a-z-]+='
}

complete -F _cairn cairn
