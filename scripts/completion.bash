# Completion of `tune` for bash: what it says itself about the words so far (tune complete), else files.
_tune() {
  COMPREPLY=()
  local word quoted
  while IFS=$'\t' read -r word _; do
    printf -v quoted %q "$word"
    COMPREPLY+=("$quoted")
  done < <("${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [ ${#COMPREPLY[@]} -eq 0 ]; then
    COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
  elif [[ ${COMPREPLY[0]} == *= ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -F _tune tune
