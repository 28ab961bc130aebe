# Bash completion for cairn. Commands and options are read from its own --help and names from its own
# tables, so that this file never lags behind the command.

_cairn_commands() {
    "$1" --help 2>/dev/null | awk '/^  [a-z]+ /{ print $1 }'
}

_cairn_options() {
    "$1" "$2" --help 2>/dev/null | grep -oE -- '(^|[ ,[])--[a-z][a-z-]*=?' | tr -d ' ,['
}

# The names of all solvers, local ones too.
_cairn_names() {
    "$1" solvers --json 2>/dev/null | grep -oE '"name": *"[a-z0-9-]+","about"' | cut -d '"' -f 4 | sort -u
}

_cairn() {
    local program=$1 word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$(_cairn_commands "$program") --help --version" -- "$word")
        return
    fi
    # "--solver=ns" arrives as three words: --solver, =, ns
    if [[ $word == = ]]; then
        word=
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $previous in
    --solver | --local | -s)
        mapfile -t COMPREPLY < <(compgen -W "$(_cairn_names "$program") auto all" -- "$word")
        return
        ;;
    --formulation)
        mapfile -t COMPREPLY < <(compgen -W "frictionless inner outer box convex mixed" -- "$word")
        return
        ;;
    --measure)
        mapfile -t COMPREPLY < <(compgen -W "scaled q max" -- "$word")
        return
        ;;
    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_cairn_options "$program" "$command")" -- "$word")
        if [[ ${COMPREPLY[0]-} == *= ]]; then
            compopt -o nospace
        fi
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}

complete -o filenames -F _cairn cairn
