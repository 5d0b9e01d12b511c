#!/usr/bin/env bash
# What bash, zsh and fish offer behind some words: source tree $1, program $2.
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
# The functions that zsh has for a completion's results stand in for its line editor.
in_zsh() {
  zsh -fc 'compdef() { : }; _describe() { print -l -- ${(P)2} }; _files() { print -l -- *(N) }
           source $1; words=(${@:2}) CURRENT=$#words; _tune' zsh "$scripts/completion.zsh" "$tune" "$@"
}
in_fish() { fish -c "source $scripts/completion.fish; complete -C 'tune $*'"; }

# offers SHELL EXPECTED WORDS...: all is read before it is looked at, grep -q would end the pipe.
offers() {
  "in_$1" "${@:3}" | grep -E -- "^$2([^a-z-]|\$)" >/dev/null || { echo "$1: no $2 behind: ${*:3}"; exit 1; }
}
for shell in bash zsh fish; do
  command -v $shell >/dev/null || { echo "skipped: there is no $shell"; continue; }
  offers $shell export ex
  offers $shell --format export --for
  offers $shell spmv --kernel sp
  offers $shell library export --format lib
  offers $shell roofline --strategy roo
  offers $shell cold --kernel spmv --cache c
  offers $shell verify records ver
  offers $shell kernels list ker
  offers $shell kind= --kernel spmv --problem ki
done
# Where nothing is known, files.
cd "$(mktemp -d)" && touch plan.json
for shell in bash zsh fish; do
  ! command -v $shell >/dev/null || offers $shell plan.json sweep plan
done
rm plan.json && rmdir "$PWD"
