#!/bin/bash
# scripts/install-packages against stand-ins for Debian's commands. Usage: install_packages.sh SOURCE
set -euo pipefail
script="$1/scripts/install-packages"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bin="$work/bin"
mkdir "$bin"
for tool in bash env grep awk dirname readlink rm; do ln -s "$(command -v "$tool")" "$bin/$tool"; done

stand_in() { printf '#!/bin/bash\n%s\n' "$2" >"$bin/$1"; chmod +x "$bin/$1"; }
# Knows as installed what the file says; logs every call of apt-get and sudo.
stand_in dpkg-query 'grep -qx "${@: -1}" "'"$work"'/installed" && printf installed || exit 1'
stand_in apt-get 'echo "apt-get $*" >>"'"$work"'/log"
case "$*" in *" -s "*) [ ! -e "'"$work"'/stale" ];; update*) rm -f "'"$work"'/stale";; esac'
stand_in sudo 'echo sudo >>"'"$work"'/log"; exec "$@"'
stand_in id 'echo "${FAKE_USER:-0}"'

run() { : >"$work/log"; out=$(PATH="$bin" FAKE_USER="${user:-0}" "$script" "$@" 2>&1) && code=0 || code=$?; }
fail() { printf '%s\noutput: %s\nlog: %s\n' "$1" "$out" "$(cat "$work/log")"; exit 1; }
logged() { grep -q -- "$1" "$work/log"; }

awk '/^\[/ {next} NF && !/^#/ {print $1}' "$1/scripts/packages.txt" >"$work/all"
cp "$work/all" "$work/installed"
run build test
[ $code -eq 0 ] && [ ! -s "$work/log" ] || fail "with everything installed nothing is to be done"

grep -v kokkos "$work/all" >"$work/installed"
run build
[ $code -eq 0 ] && [ ! -s "$work/log" ] || fail "Kokkos comes only when it is asked for"
run build kokkos
logged 'install -y .* libtrilinos-kokkos-dev$' || fail "Kokkos comes when it is asked for"

grep -vx -e ninja-build -e catch2 "$work/all" >"$work/installed"
run build
[ $code -eq 0 ] && logged 'install -y .* ninja-build$' || fail "exactly the missing package is installed"
! logged sudo && ! logged update || fail "root needs no sudo, and fresh lists no update"
run build kokkos test
logged 'install -y .* ninja-build catch2$' || fail "both groups are installed"

user=1000 run build
[ $code -eq 0 ] && logged sudo || fail "a user needs sudo"
touch "$work/stale"
run build
[ $code -eq 0 ] && logged update || fail "stale lists are updated"

rm "$bin/sudo"
user=1000 run build
[ $code -eq 3 ] && [[ $out == *administrator*ninja-build* ]] || fail "without root or sudo the user is told whom to ask"
[[ $out == *--no-install*docs/installing.md* ]] || fail "without root or sudo the user is told how to do without"
! logged 'install -y' || fail "nothing is installed without the right to"
run nonsense
[ $code -eq 3 ] && [[ $out == *'no group "nonsense"'* ]] || fail "an unknown group is refused"
rm "$bin/apt-get"
run build
[ $code -eq 3 ] && [[ $out == *'not Debian'*g++* ]] || fail "other systems are told what is needed"
