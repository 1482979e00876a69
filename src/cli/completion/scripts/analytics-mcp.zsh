#compdef analytics-mcp
# Completion of analytics-mcp in zsh. Put this line into ~/.zshrc, after compinit:
#   eval "$(analytics-mcp completion zsh)"
# or keep it in a folder of your fpath, such as one set with fpath=(~/.zfunc $fpath) before compinit:
#   mkdir -p ~/.zfunc && analytics-mcp completion zsh > ~/.zfunc/_analytics-mcp

_analytics-mcp() {
  local current=${(Q)PREFIX} line
  local -a lines candidates suffix
  # The candidates are never evaluated: each is a line, "value<tab>description".
  lines=("${(@f)$(analytics-mcp complete -- "${(@Q)words[2,CURRENT-1]}" "$current" 2>/dev/null)}")

  [[ $current == --*=* ]] && compset -P 1 '*='
  if [[ $lines[1] == :files ]]; then
    _files
    return
  fi
  for line in "${(@)lines:#}"; do
    # _describe takes the first colon for the end of the value, and a backslash for an escape.
    candidates+=("${${line%%$'\t'*}//:/\\:}:${${line#*$'\t'}//\\/\\\\}")
  done
  # A value follows.
  [[ $lines[1] == *=$'\t'* ]] && suffix=(-S '')
  (( $#candidates )) && _describe -V analytics-mcp candidates "${(@)suffix}"
}

# Read from the fpath, this file is the function's first call.
if [[ $funcstack[1] == _analytics-mcp ]]; then
  _analytics-mcp "$@"
elif (( $+functions[compdef] )); then
  compdef _analytics-mcp analytics-mcp
else
  print -u2 'analytics-mcp: its completion is to be read after "autoload -Uz compinit && compinit".'
fi
