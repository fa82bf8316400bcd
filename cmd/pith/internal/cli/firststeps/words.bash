    if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        _get_comp_words_by_ref "$@" cur prev words cword
        return
    fi
    local i n=-1 rest=$COMP_LINE trimmed
    words=()
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        trimmed=${rest#"${rest%%[![:blank:]]*}"}
        if ((n < 0)) || [[ $trimmed != "$rest" ]]; then
            words[++n]=
        fi
        words[n]+=${COMP_WORDS[i]}
        rest=${trimmed#"${COMP_WORDS[i]}"}
        if ((i == COMP_CWORD)); then
            cword=$n
        fi
    done
    cur=${words[cword]}
    prev=${words[cword > 0 ? cword - 1 : 0]}
