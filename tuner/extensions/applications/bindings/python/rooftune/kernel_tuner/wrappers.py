"""Kernel Tuner's module wrappers: a function in C++ with another signature, called by addresses and scalars."""

from ._values import arguments_of

_ELEMENTS = {"float32": "float", "float64": "double", "bool": "bool", "complex64": "float _Complex",
             "complex128": "double _Complex", "float16": "_Float16"}


def cpp(function_name, kernel_source, args, convert_to_array=None):
    """kernel_source and a function FUNCTION_wrapper behind it. convert_to_array: for each argument, whether the function
    takes a reference to an array of its length (T (&x)[n]) instead of a pointer. Raises ArgumentError."""
    arguments = arguments_of(args, [f"arg{at}" for at in range(len(args))])
    taken, passed = [], []
    for one, as_array in zip(arguments, convert_to_array or [False] * len(arguments)):
        if not one.is_array:
            taken.append(f"{one.c_type} {one.name}")
            passed.append(one.name)
            continue
        dtype = str(one.array.dtype)
        element = _ELEMENTS.get(dtype, f"std::{dtype}_t")
        taken.append(f"{element}* {one.name}")
        passed.append(f"*reinterpret_cast<{element}(*)[{one.array.size}]>({one.name})" if as_array else one.name)
    return (f'#include <cstdint>\n{kernel_source}\nextern "C" float {function_name}_wrapper({", ".join(taken)}) {{\n'
            f"  {function_name}({', '.join(passed)});\n  return 0.0f;\n}}\n")
