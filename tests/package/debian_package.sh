#!/usr/bin/env bash
# Packs the build folder $1, unpacks the package where nothing else is, and runs what it holds.
set -euo pipefail
for tool in cpack dpkg-deb; do
  command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The fastest compression: this one is thrown away. Libraries that the programs need are looked for at night, where the
# package is installed (clean_root.sh): `file` runs for each of a thousand headers.
cpack -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip -D CPACK_DEBIAN_PACKAGE_SHLIBDEPS=OFF --config "$1/CPackConfig.cmake" \
  -B "$folder" >"$folder/log" 2>&1 ||
  { cat "$folder/log"; exit 1; }
package=$(echo "$folder"/rooftune_*.deb)
dpkg-deb -f "$package" Depends | tee "$folder/depends"
grep -qF 'g++' "$folder/depends"
dpkg-deb -x "$package" "$folder/root"
env --unset=ROOFTUNE_HOME "$folder/root/usr/bin/tune" list kernels | grep -q spmv
for file in share/man/man1/tune.1 share/bash-completion/completions/tune share/rooftune/LICENSE; do
  test -s "$folder/root/usr/$file" || { echo "$file is not there"; exit 1; }
done
