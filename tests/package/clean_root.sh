#!/usr/bin/env bash
# Installs the package of the build folder $1 by apt in a Debian root that holds nothing else, tunes there, and links
# an application. Takes minutes and downloads 300 MB: only where ROOFTUNE_TEST_CLEAN_ROOT=1 asks for it, as root.
set -euo pipefail
skip() { echo "skipped: $1"; exit 77; }
[ "${ROOFTUNE_TEST_CLEAN_ROOT:-}" = 1 ] || skip "ROOFTUNE_TEST_CLEAN_ROOT=1 was not asked for"
[ "$(id -u)" -eq 0 ] || skip "only root can make a root"
for tool in cpack dpkg-deb dpkg-shlibdeps mmdebstrap chroot; do command -v $tool >/dev/null || skip "there is no $tool"; done
sources=/etc/apt/sources.list.d/debian.sources
[ -s "$sources" ] || sources=/etc/apt/sources.list
grep -q bookworm "$sources" || skip "apt knows no packages of Debian 12 here"

folder=$(mktemp -d)
root="$folder/root"
leave() {
  for mounted in dev sys proc; do umount "$root/$mounted" 2>/dev/null || true; done
  # Never through a mount that is still there.
  mountpoint -q "$root/dev" || rm -rf --one-file-system "$folder"
}
trap leave EXIT
cpack -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip --config "$1/CPackConfig.cmake" -B "$folder" >"$folder/log" 2>&1 ||
  { cat "$folder/log"; exit 1; }
mmdebstrap --quiet --variant=minbase bookworm "$root" - <"$sources" || skip "no packages could be had"
dpkg-deb -f "$folder"/rooftune_*.deb Depends | grep -F libnuma
cp "$folder"/rooftune_*.deb "$root/tmp/rooftune.deb"
for mounted in proc sys dev; do mount --bind "/$mounted" "$root/$mounted"; done

cat >"$root/tmp/application.c" <<'C'
#include <rooftune/rooftune.h>
#include <stdio.h>
int main(void) { return puts(rooftune_this_machine()->id) < 0; }
C
cat >"$root/tmp/test" <<'S'
set -eux
cd /tmp
export HOME=/tmp/home DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -y -q --no-install-recommends ./rooftune.deb pkg-config unifdef
tune --version
tune list kernels | grep -q spmv
tune --kernel triad --problem n=1000000 --budget 10s --quiet
tune export --kernel triad --format library -o tuned_triad --as-recorded
test -s tuned_triad/src/v1.cpp
test -s /usr/share/bash-completion/completions/tune
test -s /usr/share/man/man1/tune.1
gcc application.c $(pkg-config --cflags --libs rooftune) -o shared && ./shared
gcc -static application.c $(pkg-config --static --cflags --libs rooftune) -o static && ./static
S
chroot "$root" sh /tmp/test
