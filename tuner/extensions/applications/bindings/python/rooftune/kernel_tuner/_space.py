"""tune_params and restrictions as a search space (rooftune-space-1)."""

import ast
import inspect
import itertools
import math
import re

from ._faults import ArgumentError

# Configurations that a Python function is asked about at most.
ENUMERATED = 1_000_000
_WORDS = {"and", "or", "not", "in", "if", "else", "is", "for", "lambda", "true", "false", "pi"}
_CALLS = {"min", "max", "abs", "round", "int", "float", "bool", "len", "str", "range", "list", "sum", "any", "all",
          "ceil", "floor", "sqrt", "log2", "exp", "log", "sin", "cos", "pow"}
_NODES = (ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.UAdd, ast.BinOp, ast.Add,
          ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.BitAnd, ast.BitOr, ast.BitXor, ast.Compare,
          ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.IfExp, ast.Call, ast.Constant, ast.List,
          ast.Name, ast.Load)


def plain(value):
    """Turns NumPy's scalars into Python's numbers."""
    return value.item() if hasattr(value, "item") and getattr(value, "shape", None) == () else value


class Parameter:
    """A tunable parameter, and the knob that stands for it.

    Numbers are values of the knob; texts are, where their macros differ; all else is a position in `values`.
    """

    def __init__(self, name, values, taken):
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise ArgumentError("tune_params", f"{name!r} cannot be the name of a macro")
        if isinstance(values, str) or not hasattr(values, "__iter__"):
            raise ArgumentError("tune_params", f"{name} needs a list of values, not {values!r}")
        self.name, self.values = name, [plain(value) for value in values]
        if not self.values:
            raise ArgumentError("tune_params", f"{name} has no values")
        for at, value in enumerate(self.values):
            if value in self.values[:at]:
                raise ArgumentError("tune_params", f"{name} has the value {value!r} twice")
        self.knob = re.sub("^[^a-z]+", "", name.lower()) or "knob"
        if self.knob in _WORDS or self.knob.startswith("machine_"):
            self.knob = "knob_" + self.knob
        while self.knob in taken:
            self.knob += "_"
        taken.add(self.knob)
        macros = [re.sub("[^A-Z0-9]", "_", str(value).upper()) for value in self.values]
        if all(isinstance(value, (bool, int)) and -2**63 <= value < 2**63 for value in self.values):
            self.form = "whole"
        elif all(isinstance(value, (int, float)) and value - value == 0 for value in self.values):
            self.form = "real"
        elif (all(isinstance(value, str) and value and not value.startswith("=") and len(value) < 200
                  for value in self.values) and len(set(macros)) == len(macros)):
            self.form = "word"
        else:
            self.form = "position"

    @property
    def macro(self):
        return "KNOB_" + self.knob.upper()

    def knob_value(self, value):
        return self.values.index(value) if self.form == "position" else value

    def value_of(self, knob_value):
        """The parameter's value for that of the knob, in the type that the script gave."""
        if self.form == "position":
            return self.values[int(knob_value)]
        return next(value for value in self.values if value == knob_value)

    def text(self, value):
        """As Kernel Tuner writes it into the source; True and False are 1 and 0."""
        return str(int(value)) if isinstance(value, bool) else str(value)

    def condition(self, value):
        """Asks the preprocessor whether the configuration has this value."""
        if self.form == "real":
            raise ArgumentError("tune_params", f"{self.name} has fractions, and a function of the configuration reads it",
                                "let it choose among whole numbers or texts")
        if self.form == "word":
            return f"{self.macro} == {self.word_macro(value)}"
        return f"{self.macro} == {int(self.knob_value(value))}"

    def word_macro(self, value):
        return self.macro + "_" + re.sub("[^A-Z0-9]", "_", value.upper())

    def definition(self, name):
        """Preprocessor lines that give `name` the value."""
        if self.form in ("whole", "real"):
            return [f"#define {name} {self.macro}"]
        lines = []
        for at, value in enumerate(self.values):
            lines += [f"#{'if' if at == 0 else 'elif'} {self.condition(value)}", f"#define {name} {self.text(value)}"]
        return lines + ["#endif"]

    def macros(self, value):
        """The -D flags by which `tune` builds this value."""
        if self.form != "word":
            return [f"-D{self.macro}={self.text(self.knob_value(value))}"]
        return [f"-D{self.word_macro(one)}={at}" for at, one in enumerate(self.values)] + [
            f"-D{self.macro}={self.word_macro(value)}"]

    def paradigms(self, block_names):
        if self.name in block_names:
            return ["occupancy", "balance"]
        return ["tlp"] if "thread" in self.knob else ["issue"]


class _Reading(dict):
    """A configuration that knows which of its parameters were read."""

    def __init__(self, values, read):
        super().__init__(values)
        self.read = read

    def __getitem__(self, name):
        self.read.add(name)
        return super().__getitem__(name)

    def get(self, name, default=None):
        return self[name] if name in self else default


def _reading_all(name):
    def method(self, *arguments):
        self.read.update(dict.keys(self))
        return getattr(dict, name)(self, *arguments)
    return method


for _name in ("__iter__", "keys", "values", "items", "copy", "__eq__"):
    setattr(_Reading, _name, _reading_all(_name))


class _NoExpression(Exception):
    pass


class _Symbol:
    """Stands for a parameter while a restriction's function is called once: it writes the expression down."""

    def __init__(self, text):
        self.text = text

    def __bool__(self):
        raise _NoExpression  # and, or, not, if, chained comparisons: the function is asked about values instead

    __hash__ = None  # type: ignore[assignment]


def _operator(sign, turned):
    def method(self, other):
        if not isinstance(other, (_Symbol, int, float)):
            raise _NoExpression
        sides = [self.text, other.text if isinstance(other, _Symbol) else repr(plain(other))]
        return _Symbol("(" + f" {sign} ".join(reversed(sides) if turned else sides) + ")")
    return method


for _name, _sign in (("add", "+"), ("sub", "-"), ("mul", "*"), ("truediv", "/"), ("floordiv", "//"), ("mod", "%"),
                     ("and", "&"), ("or", "|")):
    setattr(_Symbol, f"__{_name}__", _operator(_sign, False))
    setattr(_Symbol, f"__r{_name}__", _operator(_sign, True))
for _name, _sign in (("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="), ("eq", "=="), ("ne", "!=")):
    setattr(_Symbol, f"__{_name}__", _operator(_sign, False))


def _caller(function, names, argument):
    """function(configuration), whether it takes a dict or the parameters by name."""
    try:
        wanted = [one.name for one in inspect.signature(function).parameters.values()
                  if one.default is inspect.Parameter.empty and one.kind is not inspect.Parameter.VAR_KEYWORD]
    except (TypeError, ValueError):
        wanted = ["p"]
    if len(wanted) == 1 and wanted[0] not in names:
        return function
    unknown = [name for name in wanted if name not in names]
    if unknown:
        raise ArgumentError(argument, f"a function asks for {', '.join(unknown)}, which tune_params does not name")
    return lambda configuration: function(**{name: configuration[name] for name in wanted})


class Space:
    """The parameters, and the restrictions as constraints. evaluated: those that no expression states."""

    def __init__(self, tune_params, restrictions=None, block_names=()):
        if not hasattr(tune_params, "items"):
            raise ArgumentError("tune_params", f"a dict of lists is needed, not {type(tune_params).__name__}")
        taken = set()
        self.parameters = [Parameter(name, values, taken) for name, values in tune_params.items()]
        self.by_name = {one.name: one for one in self.parameters}
        self.block_names = block_names
        self.constraints, self.predicates, self.evaluated = [], [], []
        if restrictions is None:
            restrictions = []
        for one in [restrictions] if isinstance(restrictions, str) or callable(restrictions) else list(restrictions):
            self._restrict(one)
        self.first = self._first()

    def add(self, restriction):
        self._restrict(restriction)
        self.first = self._first()

    def _restrict(self, one):
        if isinstance(one, str):
            text = one.strip()
            try:
                tree = ast.parse(text, mode="eval")
            except SyntaxError as fault:
                raise ArgumentError("restrictions", f"{one!r} is no expression of Python: {fault.msg}") from fault
            code = compile(tree, "restrictions", "eval")
            predicate = lambda configuration: eval(code, {"__builtins__": __builtins__}, configuration)  # noqa: E731,S307
            names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            expression = self._translated(tree)
            reason = text
        elif callable(one):
            predicate = _caller(one, self.by_name, "restrictions")
            expression, names = self._traced(one)
            reason = f"the function {getattr(one, '__name__', type(one).__name__)} of the script"
        else:
            raise ArgumentError("restrictions", f"{one!r} is neither a text nor a function")
        if expression is None:
            self.evaluated.append(reason)
            expression, names = self._table(predicate, reason)
        self.predicates.append((predicate, reason, names & set(self.by_name)))
        if expression != "True":
            self.constraints.append({"expression": expression, "reason": reason[:200]})

    def _translated(self, tree):
        """The expression over knobs; None where Rooftune's language lacks a part of it."""
        for node in ast.walk(tree):
            if not isinstance(node, _NODES):
                return None
            if isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id in _CALLS
                                                   and not node.keywords):
                return None
            if isinstance(node, ast.Constant) and not isinstance(node.value, (bool, int, float, str)):
                return None
        calls = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Name) or id(node) in calls:
                continue
            if node.id not in self.by_name:
                raise ArgumentError("restrictions", f"{ast.unparse(tree)!r} names {node.id}, which tune_params does not")
            if self.by_name[node.id].form == "position":
                return None
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and id(node) not in calls:
                node.id = self.by_name[node.id].knob
        return ast.unparse(tree)

    def _traced(self, function):
        """The expression that a function writes down and the names in it; None where it needs values."""
        names = set()

        class Symbols(dict):
            def __missing__(symbols, name):  # noqa: N805
                names.add(name)
                parameter = self.by_name[name]
                if parameter.form == "position":
                    raise _NoExpression
                return _Symbol(parameter.knob)
        try:
            result = _caller(function, self.by_name, "restrictions")(Symbols())
        except ArgumentError:
            raise
        except Exception:  # whatever a function does with symbols, it is asked about values then
            return None, names
        return (result.text if isinstance(result, _Symbol) else None), names

    def tabulate(self, function, argument):
        """The parameters that the function reads, and its result for each combination of their values."""
        read, known = set(), None
        while known != read:
            known = set(read)
            over = [one for one in self.parameters if one.name in known]
            count = math.prod(len(one.values) for one in over)
            if count > ENUMERATED:
                raise ArgumentError(argument, f"a function of {count} configurations is too large to be evaluated",
                                    "write it as a text")
            results = {}
            start = {one.name: one.values[0] for one in self.parameters}
            for values in itertools.product(*(one.values for one in over)):
                configuration = _Reading({**start, **dict(zip((one.name for one in over), values))}, read)
                try:
                    results[values] = function(configuration)
                except Exception as fault:
                    raise ArgumentError(argument, f"raises {type(fault).__name__}: {fault} for "
                                        f"{dict(configuration)}") from fault
                if not read <= known:
                    break
        return over, results

    def _table(self, predicate, reason):
        """The combinations that a function allows, as an expression, and the names in it."""
        over, results = self.tabulate(predicate, "restrictions")
        names = {one.name for one in over}
        allowed = [values for values, holds in results.items() if holds]
        if not allowed:
            raise ArgumentError("restrictions", f"{reason} allows no configuration")
        if len(allowed) == len(results):
            return "True", names
        negated = 2 * len(allowed) > len(results)
        rows = [values for values, holds in results.items() if not holds] if negated else allowed
        grouped = {}
        for values in rows:
            grouped.setdefault(values[:-1], []).append(values[-1])
        terms = []
        for values, last in grouped.items():
            term = [f"{one.knob} == {one.knob_value(value)!r}" for one, value in zip(over, values)]
            term.append(f"{over[-1].knob} in {[over[-1].knob_value(value) for value in last]!r}")
            terms.append("(" + " and ".join(term) + ")")
        text = " or ".join(terms)
        if len(text) > 4_000_000:
            raise ArgumentError("restrictions", f"{reason} allows too irregular a set of configurations",
                                "write it as a text")
        return (f"not ({text})" if negated else text), names

    def _holds(self, index, configuration):
        predicate, reason, _ = self.predicates[index]
        try:
            return bool(predicate(configuration))
        except Exception as fault:
            raise ArgumentError("restrictions", f"{reason} raises {type(fault).__name__}: {fault}") from fault

    def allows(self, configuration):
        return all(self._holds(index, configuration) for index in range(len(self.predicates)))

    def configurations(self):
        """Those allowed, in the order of tune_params; each restriction is asked as soon as its parameters are set."""
        last = [max((at for at, one in enumerate(self.parameters) if one.name in names), default=0)
                for _, _, names in self.predicates]
        asked = [[index for index, at in enumerate(last) if at == depth] for depth in range(len(self.parameters))]

        def below(depth, configuration):
            if depth == len(self.parameters):
                yield dict(configuration)
                return
            one = self.parameters[depth]
            for value in one.values:
                configuration[one.name] = value
                if all(self._holds(index, configuration) for index in asked[depth]):
                    yield from below(depth + 1, configuration)
            del configuration[one.name]
        yield from below(0, {})

    def size(self):
        return math.prod(len(one.values) for one in self.parameters)

    def _first(self):
        """The baseline: the first configuration in the order of tune_params."""
        first = next(self.configurations(), None)
        if first is None:
            raise ArgumentError("restrictions", "together they allow no configuration")
        return first

    def parameters_of(self, knobs):
        """A configuration of `tune`, in the script's names and values."""
        return {one.name: one.value_of(knobs[one.knob]) for one in self.parameters}

    def macros(self, configuration):
        return [flag for one in self.parameters for flag in one.macros(configuration[one.name])]

    def json(self, kernel, backend):
        knobs = []
        for one in self.parameters:
            doc = f"{one.name} of the script, which does not say what it can break"
            if one.form == "position":
                doc = f"{one.name} of the script: position in {one.values!r}"
            knobs.append({"name": one.knob, "kind": "compile", "values": [one.knob_value(value) for value in one.values],
                          "default": one.knob_value(self.first[one.name]),
                          "breaks": one.paradigms(self.block_names), "doc": doc[:300]})
        return {"schema": "rooftune-space-1", "kernel": kernel, "backend": backend, "knobs": knobs,
                "constraints": self.constraints}
