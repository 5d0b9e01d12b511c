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
offered ex | grep -qx export
offered export --for | grep -qx -- --format
offered --kernel sp | grep -qx spmv
offered export --format lib | grep -qx library
offered --strategy roo | grep -qx roofline
