"""arguments and answer: NumPy's arrays and scalars as a kernel's arguments in memory and in files."""

import numpy

from ._faults import ArgumentError
from .accuracy import Tunable

# Types of elements: dtype -> in kernel.json, in C++.
ELEMENTS = {**{f"{sign}int{bits}": (f"{sign}int{bits}", f"std::{sign}int{bits}_t") for sign in ("", "u")
               for bits in (8, 16, 32, 64)},
            "bool": ("bool", "bool"), "float16": ("half", "rooftune::Half"), "float32": ("float", "float"),
            "float64": ("double", "double"), "complex64": ("complex<float>", "std::complex<float>"),
            "complex128": ("complex<double>", "std::complex<double>")}
_NO_SCALARS = ("float16", "complex64", "complex128")


class Argument:
    """One argument of the kernel. position: in `arguments`; name: in messages; is_array; array: its values in C's
    memory order. role: "read", "output" (compared), or "held" (not compared: a copy that the kernel keeps). tunable: the
    choice among `alternatives` by the configuration, or None; such an argument is held."""

    def __init__(self, position, name, value):
        where = f"arguments[{position}]"
        self.position, self.name, self.role, self.answer, self.tunable = position, name, "read", None, None
        if isinstance(value, Tunable):
            if not value:
                raise ArgumentError(where, "has nothing to choose from")
            self.alternatives = [Argument(position, name, one).array_or_fault(where) for one in value.values()]
            self.tunable, self.role, self.is_array, self.array = value, "held", True, self.alternatives[0]
            return
        if type(value).__module__.split(".")[0] == "cupy":
            value = value.get()
        if not isinstance(value, (numpy.ndarray, numpy.generic)):
            raise ArgumentError(where, f"is a {type(value).__name__}", "NumPy's arrays and scalars can be passed "
                                "(numpy.int32(n), numpy.float32(x))")
        self.is_array = isinstance(value, numpy.ndarray) and value.ndim > 0
        dtype = str(value.dtype)
        if not self.is_array:
            if dtype not in ELEMENTS or dtype in _NO_SCALARS:
                raise ArgumentError(where, f"a scalar of type {dtype} cannot be passed")
            self.value = value if isinstance(value, numpy.generic) else value[()]
            if dtype.startswith("float") and not numpy.isfinite(self.value):
                raise ArgumentError(where, f"{self.value} cannot be passed: only finite scalars can")
            self.type, self.c_type = ELEMENTS[dtype]
            return
        if dtype not in ELEMENTS:
            raise ArgumentError(where, f"an array of type {dtype} cannot be passed",
                                f"one of {', '.join(ELEMENTS)}")
        if value.dtype.byteorder not in "=|" and not value.dtype.isnative:
            raise ArgumentError(where, "the array has the other byte order", "array.astype(array.dtype.newbyteorder('='))")
        if not (value.flags.c_contiguous or value.flags.f_contiguous):
            raise ArgumentError(where, "the array is not contiguous", "numpy.ascontiguousarray(array)")
        if value.size == 0:
            raise ArgumentError(where, "the array is empty")
        self.array, self.alternatives = value, [value]
        self.type, self.c_type = ELEMENTS[dtype]

    def array_or_fault(self, where):
        if not self.is_array:
            raise ArgumentError(where, "only arrays can be chosen by a parameter")
        return self.array

    def index(self, configuration):
        """Says which of the alternatives the configuration takes."""
        return list(self.tunable).index(self.tunable.option(configuration)) if self.tunable else 0

    def of(self, configuration):
        return self.alternatives[self.index(configuration)]

    def in_memory(self, array=None):
        """The elements in the order of the memory."""
        return (self.array if array is None else array).ravel(order="K")

    def expect(self, answer, judged):
        """Takes what the caller says that this argument holds after a call. judged: by a function of the script, which may
        want an answer of another shape."""
        where = f"answer[{self.position}]"
        if type(answer).__module__.split(".")[0] == "cupy":
            answer = answer.get()
        if not self.is_array:
            raise ArgumentError(where, "is given for a scalar, which no call changes", "None")
        answer = numpy.asarray(answer)
        if self.tunable:
            return  # compared by Python, whatever its type
        if answer.shape != self.array.shape and answer.size != self.array.size:
            if judged:
                self.role = "output"
                return
            raise ArgumentError(where, f"has shape {answer.shape}, and the argument has {self.array.shape}")
        if not numpy.can_cast(answer.dtype, self.array.dtype, "same_kind"):
            raise ArgumentError(where, f"is of type {answer.dtype}, and the argument of {self.array.dtype}")
        if answer.dtype.kind in "fc" and not numpy.isfinite(answer).all():
            raise ArgumentError(where, "has elements that are not finite")
        order = "F" if self.array.flags.f_contiguous and not self.array.flags.c_contiguous else "C"
        answer = numpy.array(answer.reshape(self.array.shape), dtype=self.array.dtype, order=order)
        self.answer, self.role = answer, "output"

    def changed(self, after, answered):
        """Takes the array after a call of the baseline. Without an answer it is an output that variants must match;
        where others have answers and this one has none, nobody compares it."""
        if self.role != "read" or numpy.array_equal(self.in_memory().view(numpy.uint8),
                                                      self.in_memory(after).view(numpy.uint8)):
            return
        self.role = "held" if answered else "output"

    def written_bytes(self, after):
        """Bytes of elements that every right variant must write: those with another value afterwards."""
        final = self.answer if self.answer is not None else after
        before, final = self.in_memory(), self.in_memory(final)
        both_nan = (before != before) & (final != final)
        return int(numpy.count_nonzero((before != final) & ~both_nan)) * min(one.itemsize for one in self.alternatives)


def arguments_of(values, names):
    if not isinstance(values, (list, tuple)):
        raise ArgumentError("arguments", f"a list is needed, not {type(values).__name__}")
    if not values:
        raise ArgumentError("arguments", "a kernel has at least one argument")
    return [Argument(at, name, value) for at, (name, value) in enumerate(zip(names, values))]


def take_answers(arguments, answer, judged):
    if answer is None:
        return False
    if not isinstance(answer, (list, tuple)) or len(answer) != len(arguments):
        count = len(answer) if isinstance(answer, (list, tuple)) else type(answer).__name__
        raise ArgumentError("answer", f"has {count} entries, and arguments has {len(arguments)}",
                            "None for each argument that is not compared")
    for argument, one in zip(arguments, answer):
        if one is not None:
            argument.expect(one, judged)
    return any(one is not None for one in answer)
