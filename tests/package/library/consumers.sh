#!/bin/bash
# Builds an exported library of the kernel `small`, static and shared, with the warnings of a strict application, and
# calls it from projects of all kinds. Usage: consumers.sh LIBRARY FOLDER
set -euo pipefail
library=$1 work=$2
here=$(dirname "$(readlink -f "$0")")
export CMAKE_BUILD_PARALLEL_LEVEL=2
# It was timed with two threads; with others the variants would race.
export TUNED_SMALL_VARIANT=v1
skip() { echo "skipped: $1"; }
has() { command -v "$1" >/dev/null || { skip "$1 is not installed"; return 1; }; }
# What a failing step printed is the last to be said.
quietly() { "$@" >"$work/log" 2>&1 || { echo "failed: $*"; tail -40 "$work/log"; exit 1; }; }
right() {
  local said
  said=$("$@" 2>&1) || true
  [[ $said == *"0 wrong"* ]] || { echo "$*: $said"; exit 1; }
  grep "^skipped" <<<"$said" || true
}
# A project of CMake that finds the library; its folder is configured again for another form.
project() {
  quietly cmake -S "$here/$1" -B "$work/$1" -Dtuned_small_DIR="$prefix/lib/cmake/tuned_small" "${@:2}"
  quietly cmake --build "$work/$1"
  right "$work/$1/app"
}
mkdir -p "$work"

# GCC makes the static form and clang the shared one, where it is: each form, each compiler, once.
shared=clang++
if ! { has $shared && echo '#include <omp.h>' | $shared -fopenmp -x c++ -fsyntax-only - 2>/dev/null; }; then
  skip "clang with OpenMP is not installed"
  shared=g++
fi
command -v ninja >/dev/null && export CMAKE_GENERATOR=Ninja
for form in static shared; do
  [ $form = static ] && cxx=g++ || cxx=$shared
  [ $cxx = g++ ] && cc=gcc || cc=clang
  prefix=$work/$form
  # A project of C carries the library, and installs it beside its own.
  quietly cmake -S "$here/parent" -B "$work/build-$form" -DLIBRARY="$library" -DCMAKE_C_COMPILER=$cc -DCMAKE_CXX_COMPILER=$cxx \
    -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" -DBUILD_SHARED_LIBS=$([ $form = shared ] && echo ON || echo OFF) \
    -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib
  quietly cmake --build "$work/build-$form" --target install
  right "$work/build-$form/app"
  grep -q tuned_small::tuned_small "$prefix"/lib/cmake/parent/*.cmake
  export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib
  rm -f "$work"/app_*
  quietly make -C "$work" -f "$here/Makefile" HERE="$here" CC="$cc" CXX="$cxx"
  right "$work/app_c"
  right "$work/app_cxx"
  if [ $form = shared ]; then
    shown=$(nm -DC --defined-only "$prefix/lib/libtuned_small.so" | cut -c20- | grep -v '^tuned_small_' || true)
    [ -z "$shown" ] || { echo "libtuned_small.so shows $shown"; exit 1; }
    has python3 && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$prefix/lib right python3 "$here/app.py"
  fi
  project c
  if [ $form = static ] && has gfortran; then project fortran -DCMAKE_Fortran_FLAGS="-Wall -Wextra -Werror"; fi
done

prefix=$work/static
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
if has meson; then
  mkdir "$work/meson" && cp "$here/app.c" "$here/meson/meson.build" "$work/meson/"
  quietly meson setup "$work/meson/build" "$work/meson"
  quietly ninja -C "$work/meson/build"
  right "$work/meson/build/app"
fi
echo "all consumers are right"
