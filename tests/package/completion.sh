#!/usr/bin/env bash
# What bash offers behind some words: source tree $1, program $2.
set -euo pipefail
. "$1/scripts/completion.bash"
offered() {
  COMP_WORDS=("$tune" "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  _tune
  printf '%s\n' "${COMPREPLY[@]}"
}
tune=$2
# All is read before it is looked at: grep -q would end the pipe while words are still written to it.
offers() { grep -x -- "$1" >/dev/null; }
offered ex | offers export
offered export --for | offers --format
offered --kernel sp | offers spmv
offered export --format lib | offers library
offered --strategy roo | offers roofline
