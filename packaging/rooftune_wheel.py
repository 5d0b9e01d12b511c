"""Makes the wheel: an installed tree with `tune`, its kernels, the module and the look-up library (PEP 517).

    pip install .                                             # builds the release first
    pip install . --config-settings prefix=/an/installed/tree # of cmake --install
"""

import base64
import hashlib
import os
import pathlib
import subprocess
import sysconfig
import tempfile
import zipfile

_SOURCE = pathlib.Path(__file__).resolve().parents[1]
# Of the tree, what runs; headers and archives of the engine are for CMake.
_CARRIED = ("bin/tune", "lib/**/librooftune*.so", "share/rooftune/**/*", "share/man/man1/tune.1")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    told = (config_settings or {}).get("prefix")
    if told:
        return _wheel(pathlib.Path(told), pathlib.Path(wheel_directory))
    with tempfile.TemporaryDirectory(prefix="rooftune-") as prefix:
        subprocess.run(["cmake", "--preset", "release"], cwd=_SOURCE, check=True)
        subprocess.run(["cmake", "--build", "--preset", "release"], cwd=_SOURCE, check=True)
        subprocess.run(["cmake", "--install", "build/release", "--prefix", prefix], cwd=_SOURCE, check=True)
        return _wheel(pathlib.Path(prefix), pathlib.Path(wheel_directory))


def _wheel(prefix, folder):
    python = prefix / "share/rooftune/python"
    metadata = next(iter(python.glob("rooftune-*.dist-info/METADATA")), None)
    if not metadata or not (prefix / "bin/tune").is_file():
        raise FileNotFoundError(f"prefix={prefix}: no installed tree with bin/tune and the module for Python; "
                                "cmake --install BUILD --prefix FOLDER writes one")
    information = metadata.parent.name
    name = information[:-len(".dist-info")]
    tag = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
    # pip lays "data" out below the environment, where the module looks for bin/tune.
    placed = {f"{name}.data/data/{file.relative_to(prefix)}": file for pattern in _CARRIED
              for file in sorted(prefix.glob(pattern)) if file.is_file() and python not in file.parents}
    placed.update((str(file.relative_to(python)), file) for file in sorted(python.glob("rooftune/**/*.py")))
    placed[f"{information}/METADATA"] = metadata
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
            add(place, file.read_bytes(), 0o755 if os.access(file, os.X_OK) else 0o644)
        add(f"{information}/WHEEL", f"Wheel-Version: 1.0\nGenerator: rooftune\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
        add(f"{information}/RECORD", "".join([*record, f"{information}/RECORD,,\n"]).encode())
    return wheel
