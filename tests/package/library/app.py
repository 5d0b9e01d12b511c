"""Calls the shared library by its module: with arrays of Python's own, and NumPy's where that is."""
import array
import tuned_small

n = 1000
expected = [3.0 * i + 2 for i in range(n)]


def refused(kind, *arguments):
    try:
        tuned_small.call(*arguments)
    except kind as fault:
        return str(fault)
    raise SystemExit(f"taken: {arguments}")


x, k, y = array.array("d", range(n)), array.array("i", [2] * n), array.array("d", [0] * n)
tuned_small.call(n, 3, x, k, y)
assert list(y) == expected
with tuned_small.Problem(n, 3, x, k, y) as problem:
    assert problem.variant == "v1", problem.variant
    y[5] = 0
    problem.run()
    problem.finish()
assert list(y) == expected
assert "of int32, and this one is of 'd'" in refused(TypeError, n, 3, x, x, y)
assert "n, s, x, k, y" in refused(TypeError, n, 3, x, k)
assert "999 elements" in refused(ValueError, n, 3, x, k, y[1:])
try:
    import numpy
except ImportError:
    print("skipped: NumPy is not installed, so arrays are Python's own")
else:
    a, b, c = numpy.arange(n, dtype=float), numpy.full(n, 2, numpy.int32), numpy.zeros(n)
    a.flags.writeable = False
    tuned_small.call(n, 3, a, b, c)
    assert list(c) == expected
    assert "gaps" in refused(TypeError, n, 3, numpy.zeros(2 * n)[::2], b, c)
    assert "read-only" in refused(TypeError, n, 3, c, b, a)
    assert "of int32" in refused(TypeError, n, 3, a, b.astype(numpy.int64), c)
print("0 wrong")
