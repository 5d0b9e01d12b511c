# Completion of `tune` for bash: commands, their options as --help lists them, and names of kernels,
# machines, strategies and export formats as `tune list` does.
_tune() {
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} tune=${COMP_WORDS[0]}
  local commands command='' word
  commands=$("$tune" --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\{1,\}\) .*/\1/p')
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if grep -qx -- "$word" <<<"$commands"; then command=$word; fi
  done
  local list=''
  case $before in
    -k | --kernel) list=kernels ;;
    -m | --machine) list=machines ;;
    --strategy) list=strategies ;;
    --backend) list=backends ;;
    --format) list=exporters ;;
  esac
  if [ -n "$list" ]; then
    COMPREPLY=($(compgen -W "$("$tune" list $list 2>/dev/null | awk '{print $1}')" -- "$current"))
  elif [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$("$tune" $command --help 2>/dev/null | grep -o -- '--[a-z][a-z-]*')" -- "$current"))
  elif [ -z "$command" ]; then
    COMPREPLY=($(compgen -W "$commands" -- "$current"))
  fi
  # Files where nothing else is meant: plans, recordings, output.
  [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _tune tune
