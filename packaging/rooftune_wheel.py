"""Makes what pip installs (PEP 517, PEP 660): `tune`, its kernels, the module and the look-up library.

    pip install .                                             # builds it first, with archives of all libraries
    pip install . --config-settings prefix=/an/installed/tree # of cmake --install
    pip install -e .                                          # the module of this checkout, with build/release/bin/tune
"""

import base64
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig
import tarfile
import tempfile
import zipfile

_SOURCE = pathlib.Path(__file__).resolve().parents[1]
_MODULE = _SOURCE / "tuner/extensions/applications/bindings/python"
# Of the tree, what runs; headers and archives of the engine are for CMake.
_CARRIED = ("bin/tune", "lib/**/librooftune*.so", "lib/**/librooftune.so.?.?", "share/rooftune/**/*", "share/man/man1/tune.1")
# What every system of PEP 600's tags "manylinux" has; other libraries must be in the program, or our own.
_EVERYWHERE = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "ld-linux-x86-64.so.2",
               "ld-linux-aarch64.so.1", "libdl.so.2", "libpthread.so.0", "librt.so.1"}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    told = (config_settings or {}).get("prefix")
    if told:
        return _wheel(pathlib.Path(told), pathlib.Path(wheel_directory))
    with tempfile.TemporaryDirectory(prefix="rooftune-") as prefix:
        _cmake("wheel")
        subprocess.run(["cmake", "--install", "build/wheel", "--prefix", prefix], cwd=_SOURCE, check=True)
        return _wheel(pathlib.Path(prefix), pathlib.Path(wheel_directory))


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    _cmake("release")
    name, metadata = _metadata()
    files = {f"{name}.dist-info/METADATA": metadata, "rooftune.pth": f"{_MODULE}\n".encode()}
    return _archive(name, "py3-none-any", files, pathlib.Path(wheel_directory))


def build_sdist(sdist_directory, config_settings=None):
    """The files that git knows, or all of an unpacked release."""
    name, metadata = _metadata()
    listed = []
    if shutil.which("git"):
        known = subprocess.run(["git", "ls-files", "-z"], cwd=_SOURCE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        listed = known.stdout.decode().split("\0")[:-1]
    if not listed:
        listed = [str(file.relative_to(_SOURCE)) for file in sorted(_SOURCE.rglob("*")) if file.is_file()]
        listed = [file for file in listed if not file.startswith(("build/", "PKG-INFO", "machines/host.json"))]
    with tarfile.open(pathlib.Path(sdist_directory) / f"{name}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for file in listed:
            archive.add(_SOURCE / file, f"{name}/{file}", recursive=False)
        information = tarfile.TarInfo(f"{name}/PKG-INFO")
        information.size = len(metadata)
        archive.addfile(information, io.BytesIO(metadata))
    return f"{name}.tar.gz"


def _cmake(preset):
    subprocess.run(["cmake", "--preset", preset], cwd=_SOURCE, check=True)
    subprocess.run(["cmake", "--build", "--preset", preset], cwd=_SOURCE, check=True)


def _metadata():
    """The name with the version, and the metadata, by the project's CMakeLists.txt."""
    project = (_SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")
    version, description = re.search(r'project\(rooftune VERSION (\S+) DESCRIPTION "(.+?)"', project).groups()
    text = (_SOURCE / "cmake/python_metadata.in").read_text(encoding="utf-8")
    text = text.replace("@PROJECT_VERSION@", version).replace("@PROJECT_DESCRIPTION@", description)
    return f"rooftune-{version}", text.encode()


def _wheel(prefix, folder):
    python = prefix / "share/rooftune/python"
    metadata = next(iter(python.glob("rooftune-*.dist-info/METADATA")), None)
    if not metadata or not (prefix / "bin/tune").is_file():
        raise FileNotFoundError(f"prefix={prefix}: no installed tree with bin/tune and the module for Python; "
                                "cmake --install BUILD --prefix FOLDER writes one")
    information = metadata.parent.name
    name = information[:-len(".dist-info")]
    # pip lays "data" out below the environment, where the module looks for bin/tune.
    placed = {f"{name}.data/data/{file.relative_to(prefix)}": file for pattern in _CARRIED
              for file in sorted(prefix.glob(pattern)) if file.is_file() and python not in file.parents}
    programs = [file for place, file in placed.items() if place.endswith((".so", "/bin/tune"))]
    placed.update((str(file.relative_to(python)), file) for file in sorted(python.glob("rooftune/**/*.py")))
    placed[f"{information}/METADATA"] = metadata
    return _archive(name, "py3-none-" + _platform(programs), placed, folder)


def _platform(programs):
    """manylinux_2_35_x86_64 by the newest symbol of glibc, or linux_x86_64 where other libraries are needed."""
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    newest = 17
    for program in programs:
        told = subprocess.run(["readelf", "--dynamic", "--version-info", "--wide", program], stdout=subprocess.PIPE, text=True,
                              check=True).stdout
        needed = re.findall(r"\(NEEDED\).*\[(.+)\]", told)
        if [library for library in needed if library not in _EVERYWHERE and not library.startswith("librooftune")]:
            return platform
        newest = max([newest, *map(int, re.findall(r"GLIBC_2\.(\d+)", told))])
    return platform.replace("linux", f"manylinux_2_{newest}", 1)


def _archive(name, tag, placed, folder):
    """A wheel of files, or of their content, by their places in it."""
    wheel = f"{name}-{tag}.whl"
    record = []
    with zipfile.ZipFile(folder / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        def add(place, content, mode=0o644):
            entry = zipfile.ZipInfo(place, (1980, 1, 1, 0, 0, 0))
            entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{place},sha256={digest},{len(content)}\n")

        for place, file in placed.items():
            if isinstance(file, bytes):
                add(place, file)
            else:
                add(place, file.read_bytes(), 0o755 if os.access(file, os.X_OK) else 0o644)
        information = f"{name}.dist-info"
        pure = str(tag.endswith("any")).lower()
        add(f"{information}/WHEEL", f"Wheel-Version: 1.0\nGenerator: rooftune\nRoot-Is-Purelib: {pure}\nTag: {tag}\n".encode())
        add(f"{information}/RECORD", "".join([*record, f"{information}/RECORD,,\n"]).encode())
    return wheel
