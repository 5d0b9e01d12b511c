#!/bin/bash
# The wheel of an installed tree, in a fresh environment without network: its module runs a study with its own tune.
# Usage: wheel.sh PREFIX SOURCE FOLDER
set -euo pipefail
prefix=$1 source=$2 folder=$3
skip() { echo "skipped: $1"; exit 77; }
fail() { echo "$1"; exit 1; }

# Debian's own interpreter has the packages of Debian.
python=/usr/bin/python3
[ -x "$python" ] || skip "python3 is not installed"
"$python" -c 'import ensurepip' 2>/dev/null || skip "python3-venv is not installed"
"$python" -m pip --version >/dev/null 2>&1 || skip "python3-pip is not installed"
for name in $(compgen -e); do
  case $name in ROOFTUNE_* | PYTHON* | PIP_*) unset "$name" ;; esac
done
export PYTHONDONTWRITEBYTECODE=1 PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
rm -rf "$folder"
mkdir -p "$folder/work"

if "$python" -m pip wheel -q --no-deps --no-build-isolation --config-settings prefix=/nowhere -w "$folder" "$source" \
  >"$folder/fault" 2>&1; then fail "a wheel of no tree was made"; fi
grep -q "prefix=/nowhere: no installed tree" "$folder/fault" || fail "$(cat "$folder/fault")"
"$python" -m pip wheel -q --no-deps --no-build-isolation --config-settings "prefix=$prefix" -w "$folder" "$source"
"$python" -m venv "$folder/fresh"
"$folder/fresh/bin/python" -m pip install -q --no-deps "$folder"/rooftune-*.whl

cd "$folder/work"
export ROOFTUNE_CACHE=$folder/cache ROOFTUNE_LOCKS=$folder/locks
mkdir -p "$ROOFTUNE_CACHE" "$ROOFTUNE_LOCKS"
PATH=/usr/bin:/bin "$folder/fresh/bin/python" - <<'PYTHON'
import importlib.metadata
import os
import subprocess
import sys
import rooftune
from rooftune import _tune

assert _tune.program() == os.path.join(sys.prefix, "bin", "tune"), _tune.program()
told = subprocess.run([_tune.program(), "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
assert importlib.metadata.version("rooftune") in told, told
assert "triad" in _tune.ask(["list", "kernels"])
assert rooftune.this_machine().cores > 0
study = rooftune.program("sh -c 'echo time: {B}'", {"B": [3, 2, 1]}, metric=r"regex:time: ([0-9.]+)", budget=3)
assert study.best.configuration == {"B": 1}, study.headline
assert len(study.trials(frame=False)) == 3 and study.page.is_file()
print(study)
PYTHON

# A tree whose program needs libraries that not every system has is for this system alone.
case "$(echo "$folder"/rooftune-*.whl)" in
  *manylinux*) readelf -d "$prefix/bin/tune" | grep -q 'NEEDED.*libfmt' && fail "the tag promises what the program lacks" ;;
esac

# A release of the sources has what builds and is read by pip; in the making of the editable one cmake builds nothing here.
cd "$folder"
"$python" - "$source" "$folder" <<'PYTHON'
import pathlib
import sys
import tarfile
import zipfile
sys.path.insert(0, sys.argv[1] + "/packaging")
import rooftune_wheel

rooftune_wheel._cmake = lambda preset: None
folder = pathlib.Path(sys.argv[2])
name = rooftune_wheel.build_sdist(folder)
with tarfile.open(folder / name) as archive:
    held = archive.getnames()
    root = name[:-len(".tar.gz")]
    for file in ("PKG-INFO", "pyproject.toml", "packaging/rooftune_wheel.py", "tuner/cli/main.cpp", "kernels/triad/kernel.json"):
        assert f"{root}/{file}" in held, file
    assert not [file for file in held if file.startswith(f"{root}/build/") or file.endswith("machines/host.json")]
    assert b"Name: rooftune\n" in archive.extractfile(f"{root}/PKG-INFO").read()
wheel = rooftune_wheel.build_editable(folder)
with zipfile.ZipFile(folder / wheel) as archive:
    place = pathlib.Path(archive.read("rooftune.pth").decode().strip())
assert (place / "rooftune/__init__.py").is_file(), place
print(name, wheel)
PYTHON
