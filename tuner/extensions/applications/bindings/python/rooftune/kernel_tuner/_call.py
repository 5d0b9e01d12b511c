"""Calls one configuration in a process of its own. Usage: python -m ... LIBRARY SPECIFICATION [BEGIN TOLD]

SPECIFICATION: JSON, for each argument {"file": its values, which the call may change} or {"bytes": hexadecimal}. BEGIN,
TOLD: file descriptors; for each "1" that comes by the one there is a call, and a byte goes by the other at its end.
"""

import ctypes
import json
import mmap
import os
import sys


def main(library, specification, begin=None, told=None):
    with open(specification, encoding="utf-8") as file:
        arguments = json.load(file)
    kept, addresses = [], (ctypes.c_void_p * len(arguments))()
    for at, one in enumerate(arguments):
        if "file" in one:
            with open(one["file"], "r+b") as values:
                memory = mmap.mmap(values.fileno(), 0)
            place = ctypes.c_char.from_buffer(memory)
            kept += [memory, place]
        else:
            place = ctypes.create_string_buffer(bytes.fromhex(one["bytes"]), 16)
            kept.append(place)
        addresses[at] = ctypes.addressof(place)
    run = ctypes.CDLL(library).rooftune_run
    if begin is None:
        run(addresses)
    while begin is not None and os.read(int(begin), 1) == b"1":
        run(addresses)
        os.write(int(told), b"1")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
