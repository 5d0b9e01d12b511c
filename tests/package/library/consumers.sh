#!/bin/bash
# Builds an exported library of the kernel `small` by each compiler, static and shared, with the warnings of a strict
# application, and calls it from projects of all kinds. Usage: consumers.sh LIBRARY FOLDER
set -euo pipefail
library=$1 work=$2
here=$(dirname "$(readlink -f "$0")")
export CMAKE_BUILD_PARALLEL_LEVEL=2
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
# A project of CMake that finds the library.
project() {
  quietly cmake -S "$here/$1" -B "$2" -DCMAKE_PREFIX_PATH="$prefix" "${@:3}"
  quietly cmake --build "$2"
  right "$2/app"
}
mkdir -p "$work"

for cxx in g++ clang++; do
  has "$cxx" || continue
  cc=${cxx/g++/gcc} && cc=${cc/clanggcc/clang}
  if ! echo '#include <omp.h>' | $cxx -fopenmp -x c++ -fsyntax-only - 2>/dev/null; then
    skip "OpenMP of $cxx is not installed"
    continue
  fi
  for form in static shared; do
    prefix=$work/$cxx-$form
    # The folder of the shared one is that of the static one, configured again.
    quietly cmake -S "$library" -B "$work/$cxx" -DCMAKE_CXX_COMPILER=$cxx -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" \
      -DBUILD_TESTING=OFF -DBUILD_SHARED_LIBS=$([ $form = shared ] && echo ON || echo OFF) \
      -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib
    quietly cmake --build "$work/$cxx" --target install
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib
    rm -f "$work"/app_*
    quietly make -C "$work" -f "$here/Makefile" HERE="$here" CC="$cc" CXX="$cxx"
    right "$work/app_c"
    right "$work/app_cxx"
    if [ $form = shared ]; then
      # Templates of the C++ library are everybody's.
      shown=$(nm -DC --defined-only "$prefix/lib/libtuned_small.so" | cut -c20- | grep -Ev '^tuned_small_|std::' || true)
      [ -z "$shown" ] || { echo "libtuned_small.so shows $shown"; exit 1; }
      has python3 && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$prefix/lib right python3 "$here/app.py"
    fi
    # The other languages once for each form; their compilers are GCC's.
    [ $cxx = g++ ] || continue
    project c "$work/c-$form"
    if has gfortran; then project fortran "$work/fortran-$form" -DCMAKE_Fortran_FLAGS="-Wall -Wextra -Werror"; fi
  done
done

prefix=$work/g++-static
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
if has meson; then
  mkdir "$work/meson" && cp "$here/app.c" "$here/meson/meson.build" "$work/meson/"
  quietly meson setup "$work/meson/build" "$work/meson"
  quietly ninja -C "$work/meson/build"
  right "$work/meson/build/app"
fi
project parent "$work/parent" -DLIBRARY="$library"
quietly cmake --install "$work/parent" --prefix "$work/installed"
grep -q tuned_small::tuned_small "$work"/installed/lib/cmake/parent/*.cmake
echo "all consumers are right"
