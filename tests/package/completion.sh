#!/usr/bin/env bash
# What bash and zsh offer behind some words: source tree $1, program $2.
set -euo pipefail
scripts=$1/scripts tune=$2
PATH=$(dirname "$tune"):$PATH

. "$scripts/completion.bash"
in_bash() {
  COMP_WORDS=("$tune" "$@")
  COMP_CWORD=$#
  _tune
  printf '%s\n' "${COMPREPLY[@]}"
}
# Its line editor is not here: its form of the words is.
in_zsh() {
  zsh -fc 'autoload -Uz compinit bashcompinit && compinit -u -d /dev/null && bashcompinit && source $1
           COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2)); _tune; print -l -- $COMPREPLY' \
      zsh "$scripts/completion.bash" "$tune" "$@"
}

# offers SHELL EXPECTED WORDS...: all is read before it is looked at, grep -q would end the pipe.
offers() {
  "in_$1" "${@:3}" | grep -E -- "^$2([^a-z-]|\$)" >/dev/null || { echo "$1: no $2 behind: ${*:3}"; exit 1; }
}
for shell in bash zsh; do
  command -v $shell >/dev/null || { echo "skipped: there is no $shell"; continue; }
  offers $shell export ex
  offers $shell --format export --for
  offers $shell spmv --kernel sp
  offers $shell library export --format lib
  offers $shell roofline --strategy roo
  offers $shell cold --kernel spmv --cache c
  offers $shell verify records ver
  offers $shell kernels list ker
done
# Where nothing is known, files.
cd "$(mktemp -d)" && touch plan.json
for shell in bash zsh; do
  ! command -v $shell >/dev/null || offers $shell plan.json sweep plan
done
rm plan.json && rmdir "$PWD"
