"""A kernel or a program as a script has it: its source or command line, its arguments, its knobs."""

import json
import os
import re
import tempfile
from typing import Any, Callable, Mapping, Optional, Sequence, Union

from ._study import Study, tune


def kernel(source: Union[str, os.PathLike], args: Sequence[Any], knobs: Mapping[str, Sequence[Any]],
           reference: Optional[Callable[..., Any]] = None, name: Optional[str] = None, budget: Optional[int] = None,
           show: bool = False, **more: Any) -> Study:
    """Tunes a function of C, C++ or Fortran over macros (needs NumPy).

    source: text or file; name: of the function, where there are several. args: NumPy's arrays and scalars in its order.
    knobs: name -> values, the first ones are the baseline. reference: a function of Python that changes copies of args
    as the kernel must; without one the baseline's results count. budget: evaluations. more: arguments of
    kernel_tuner.tune_kernel (work, traffic, restrictions, compiler_options, tune_options). Raises RooftuneError.
    """
    from . import kernel_tuner
    from .kernel_tuner._source import is_file_name, read_source
    if name is None:
        text = read_source(source) if is_file_name(str(source)) else str(source)
        found = re.findall(r"\bsubroutine\s+(\w+)|\b(?:void|float|double|int)\s+(\w+)\s*\([^;{]*\{", text, re.I)
        names = sorted({one or other for one, other in found})
        if len(names) != 1:
            raise kernel_tuner.ArgumentError("name", f"the source has {len(names)} functions: {', '.join(names)}",
                                             "name the one to tune")
        name = names[0]
    results, _ = kernel_tuner.tune_kernel(
        name, source, 1, args, knobs, answer=reference and _answer(reference, args), quiet=not show,
        strategy="roofline", strategy_options={} if budget is None else {"max_fevals": budget}, **more)
    return results.study


def _answer(reference, args):
    from .kernel_tuner import ArgumentError
    copies = [one.copy() for one in args]
    reference(*copies)
    answer = [after if after.shape and (after != before).any() else None for after, before in zip(copies, args)]
    if all(one is None for one in answer):
        raise ArgumentError("reference", "changes none of its arguments", "it writes in place: c[:] = a + b")
    return answer


def program(command: str, knobs: Mapping[str, Sequence[Any]], budget: Union[int, str, None] = None,
            constraints: Sequence[str] = (), **options: Any) -> Study:
    """Tunes a whole program: command="./app -b {B}", knobs={"B": [1, 2, 4]}; the first values are the baseline.

    constraints: expressions over knobs. Other options are those of `tune` (build="make B={B}", metric=...). Raises
    RooftuneError.
    """
    space = {"schema": "rooftune-space-1",
             "knobs": [{"name": name, "values": [*values], "default": values[0]} for name, values in knobs.items()],
             "constraints": [{"expression": one, "reason": "the script says so"} for one in constraints]}
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(space, file)
        file.flush()
        return tune(command=command, space=file.name, budget=budget, **options)
