#!/bin/bash
# The library for applications as it is installed, from one language.
# Usage: runtime.sh c|fortran|python PREFIX LIBDIR SOURCE FOLDER [flags of a sanitizer]
set -euo pipefail
language=$1 prefix=$2 library="$2/$3" here="$4/tests/package/runtime" folder=$5 sanitizer=${6:-}
export LD_LIBRARY_PATH="$library"
skip() { echo "skipped: $1"; exit 0; }
fail() { echo "$1"; exit 1; }

case $language in
  c)
    rm -rf "$folder"
    mkdir -p "$folder/exports"
    flags=$(PKG_CONFIG_PATH="$library/pkgconfig" pkg-config --cflags --libs rooftune)
    [[ $flags == *-lrooftune* && $flags != *fmt* && $flags != *numa* ]] || fail "the link line is $flags"
    # shellcheck disable=SC2086
    ${CC:-cc} -std=c99 -Wall -Wextra -Wpedantic -Werror $sanitizer ${sanitizer:+-DSANITIZED} "$here/look_up.c" $flags \
      -o "$folder/look_up_c"
    "$folder/look_up_c" "$folder/exports"
    if [ -z "$sanitizer" ]; then
      # No library at all is needed at run time; -lrooftune means the archive there.
      # shellcheck disable=SC2046
      ${CC:-cc} -std=c99 -static -DSANITIZED "$here/look_up.c" $(PKG_CONFIG_PATH="$library/pkgconfig" \
        pkg-config --static --cflags --libs rooftune) -o "$folder/look_up_static"
      env --unset=LD_LIBRARY_PATH "$folder/look_up_static" "$folder/exports"
    fi
    if command -v readelf >/dev/null && [ -z "$sanitizer" ]; then
      needed=$(readelf -d "$library/librooftune.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
      foreign=$(grep -Ev '^(libstdc\+\+|libm|libgcc_s|libc|ld-linux.*)\.so' <<<"$needed" || true)
      [ -z "$foreign" ] || fail "librooftune.so needs $foreign"
      given=$(readelf --dyn-syms -W "$library/librooftune.so" | awk '$7 ~ /^[0-9]+$/ && $5 != "LOCAL" {print $8}')
      [ -n "$given" ] && ! grep -qv '^rooftune_' <<<"$given" || fail "librooftune.so gives away: $given"
    fi ;;
  fortran)
    command -v gfortran >/dev/null || skip "gfortran is not installed"
    # shellcheck disable=SC2086
    gfortran -std=f2008 -Wall -Wextra -Wno-c-binding-type -Werror $sanitizer -J"$folder" \
      "$prefix/include/rooftune/rooftune.f90" "$here/look_up.f90" -L"$library" -lrooftune -o "$folder/look_up_f"
    "$folder/look_up_f" "$folder/exports" ;;
  python)
    command -v python3 >/dev/null || skip "python3 is not installed"
    [ -z "$sanitizer" ] || skip "the interpreter is not built with the sanitizer"
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$prefix/share/rooftune/python" python3 "$here/look_up.py" "$folder/exports" ;;
esac
