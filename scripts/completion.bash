# Completion of `tune` for bash, and for zsh after `autoload bashcompinit && bashcompinit`: what it says itself about
# the words so far (tune complete), else files.
_tune() {
  COMPREPLY=($("${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _tune tune
