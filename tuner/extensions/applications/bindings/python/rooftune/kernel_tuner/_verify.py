"""A function of the script that decides whether a result is right, asked by every variant that `tune` validates."""

import hashlib
import inspect
import os
import select
import threading

import numpy

from ._faults import ArgumentError
from ._running import from_file, outputs_of


def normal(verify, answer, atol):
    """A function of the arrays alone. Without the script's own it is numpy.allclose."""
    if verify is None:
        return lambda output: all(right is None or numpy.allclose(right, computed, atol=atol)
                                  for right, computed in zip(answer, output))
    takes_atol = "atol" in inspect.signature(verify).parameters
    return lambda output: verify(answer, output, atol=atol) if takes_atol else verify(answer, output)


def identity(verify, answer):
    """Changes with the function and the answers: another judge makes another study."""
    try:
        source = inspect.getsource(verify) if verify else ""
    except (OSError, TypeError):
        source = getattr(verify, "__qualname__", "")
    content = hashlib.sha256(source.encode())
    for right in answer or []:
        content.update(b"" if right is None else numpy.ascontiguousarray(right).tobytes())
    return content.hexdigest()


class Verifier:
    """While it is entered, answers the variants: by named pipes, since they run in processes of `tune`.

    A request is the variant's process, and POSITION:OPTION of each argument that a parameter chooses; it lies in
    `data`/POSITION.out what the call left.
    """

    def __init__(self, folder, data, verify, answer):
        self.folder, self.data, self.verify, self.answer, self.fault = folder, data, verify, answer, None
        self.ending, self.thread = threading.Event(), threading.Thread(target=self._serve, daemon=True)

    def __enter__(self):
        for name in ("asked", "told"):
            if not (self.data / name).is_fifo():
                os.mkfifo(self.data / name)
        self.asked, self.told = (os.open(self.data / name, os.O_RDWR) for name in ("asked", "told"))
        self.thread.start()
        return self

    def __exit__(self, kind, *_):
        self.ending.set()
        self.thread.join()
        os.close(self.asked)
        os.close(self.told)
        if self.fault and kind is None:
            raise fault_of(self.fault) from self.fault

    def _serve(self):
        while not self.ending.is_set():
            if select.select([self.asked], [], [], 0.2)[0]:
                for line in os.read(self.asked, 4096).decode().splitlines():
                    process, *options = line.split()
                    os.write(self.told, b"%010d%d" % (int(process), self._takes(dict(one.split(":") for one in options))))

    def _takes(self, options):
        after = {}
        try:
            for one in self.folder.arguments:
                if one.is_array:
                    like = one.alternatives[int(options.get(str(one.position), 0))]
                    after[one.position] = (from_file(self.data / f"{one.position}.out", like) if one.role != "read"
                                           else like)
            return bool(self.verify(outputs_of(self.folder, after, self.answer)))
        except Exception as fault:  # whatever the function does; it is told at the end
            self.fault = fault
            return False


def fault_of(fault):
    return ArgumentError("verify", f"raises {type(fault).__name__}: {fault}")
