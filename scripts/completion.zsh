#compdef tune
# Completion of `tune` for zsh: what it says itself about the words so far (tune complete), else files.
_tune() {
  local -a offers
  local word about
  while IFS=$'\t' read -r word about; do
    offers+=("${word//:/\\:}${about:+:$about}")
  done < <("$words[1]" complete "${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( $#offers )); then
    _describe tune offers
  else
    _files
  fi
}
# As an autoloaded file it is the function itself; sourced, it only registers it.
if [[ $funcstack[1] == _tune ]]; then _tune "$@"; else compdef _tune tune; fi
