# Completion of analytics-mcp in bash, 3.2 and newer. Put this line into ~/.bashrc:
#   eval "$(analytics-mcp completion bash)"
# or, with the package bash-completion, which reads it when it is first needed:
#   mkdir -p ~/.local/share/bash-completion/completions
#   analytics-mcp completion bash > ~/.local/share/bash-completion/completions/analytics-mcp

_analytics_mcp() {
  local rest=${COMP_LINE:0:COMP_POINT} quotes=$'["\'\\\\]' index piece gap current option tail line value quote= open=
  local -a words
  words=()
  COMPREPLY=()

  # bash 4 cuts words at "=" and ":" too: what stands together on the line, up to the cursor, is one word again.
  for ((index = 0; index <= COMP_CWORD; index++)); do
    piece=${COMP_WORDS[index]}
    gap=${rest%%[![:space:]]*}
    rest=${rest#"$gap"}
    piece=${rest:0:${#piece}}
    rest=${rest:${#piece}}
    if [[ $index -eq 0 || -n $gap ]]; then
      words[${#words[@]}]=$piece
    else
      words[${#words[@]}-1]=${words[${#words[@]}-1]}$piece
    fi
  done
  words=("${words[@]//$quotes/}")

  current=${words[${#words[@]}-1]}
  option=
  [[ $current == --*=* ]] && option=${current%%=*}=
  # Of the word, readline replaces only this: what stands behind an open quote, or else behind the last "=" or ":".
  tail=${2//$quotes/}
  [[ ${COMP_LINE:0:COMP_POINT-${#2}} == *[\'\"] ]] && open=1

  # The candidates are never evaluated: each is a line that is compared and kept as it is.
  while IFS= read -r line; do
    value=$option${line%%$'\t'*}
    if [[ $line == :files ]]; then
      # readline quotes the names of files itself, but for bash 3.2, which has no compopt.
      compopt -o filenames 2>/dev/null || quote=1
      while IFS= read -r line; do
        [[ -n $line ]] || continue
        if [[ -n $quote ]]; then
          [[ -d $line ]] && line=$line/
          printf -v line %q "$line"
          [[ $line == '\~/'* ]] && line=${line:1}
        fi
        COMPREPLY[${#COMPREPLY[@]}]=$line
      done <<<"$(compgen -f -- "$tail")"
    elif [[ -n $line && $value == "$current"* ]]; then
      value=${value#"${current%"$tail"}"}
      # Of what a shell would read, a candidate has spaces alone.
      [[ -n $open ]] || value=${value// /\\ }
      COMPREPLY[${#COMPREPLY[@]}]=$value
    fi
  done <<<"$(analytics-mcp complete -- "${words[@]:1}" 2>/dev/null)"
  # A value follows.
  [[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace 2>/dev/null
}

complete -F _analytics_mcp analytics-mcp
