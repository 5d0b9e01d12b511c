"""strategy, seed and objectives of a call, in the words of `tune`."""

import math
import typing

from ._faults import ArgumentError, tell
from ._results import ErrorConfig

# Kernel Tuner's strategies that Rooftune has; its own names are taken, too.
_STRATEGIES = {None: "exhaustive", "brute_force": "exhaustive", "random_sample": "random", "bayes_opt": "bayes_gp",
               "exhaustive": "exhaustive", "random": "random", "bayes_gp": "bayes_gp", "roofline": "roofline"}
# Those whose work Rooftune's own search does.
_OTHERS = ("minimize", "basinhopping", "diff_evo", "genetic_algorithm", "greedy_mls", "ordered_greedy_mls", "greedy_ils",
           "dual_annealing", "mls", "pso", "simulated_annealing", "skopt", "firefly_algorithm", "pyatf_strategies",
           "hybrid_vndx", "adaptive_tabu_greywolf", "nsga2", "nsga3")
_EVALUATIONS = 100    # Kernel Tuner's usual max_fevals
_LEAST = ("time", "energy", "cost", "loss")


class Search(typing.NamedTuple):
    """A strategy. name: of Rooftune; evaluations: most of them, is_open where the script sets no limit; words: of `tune`."""
    name: str
    evaluations: int
    words: typing.List[str]
    seed: int
    is_open: bool


def search_of(strategy, options, seed, space, goals):
    """Raises ArgumentError."""
    known = "one of " + ", ".join([*filter(None, _STRATEGIES), *_OTHERS])
    if not (strategy is None or isinstance(strategy, str)):
        raise ArgumentError("strategy", "a strategy of the script's own is not supported", known)
    if strategy not in _STRATEGIES and strategy not in _OTHERS:
        raise ArgumentError("strategy", f"{strategy!r} is not supported", known)
    name, size = _STRATEGIES.get(strategy, "roofline"), space.size()
    options = dict(options or {})
    seed = options.pop("seed", 1) if seed is None else seed
    options.pop("searchspace_construction_options", None)
    limit, seconds = options.pop("max_fevals", None), options.pop("time_limit", None)
    fraction = options.pop("fraction", None)
    if strategy in _OTHERS:
        ignored = f"; {', '.join(map(str, options))} of strategy_options has no effect" if options else ""
        tell(f"strategy: the search of Rooftune (roofline) does the work of {strategy}{ignored}")
    elif options:
        raise ArgumentError("strategy_options", f"{', '.join(map(str, options))} cannot be set",
                            "max_fevals, time_limit, seed and (random_sample) fraction can")
    if name not in ("exhaustive", "random") and list(goals) != ["time"]:
        tell(f"strategy: it looks for the least time, not for {', '.join(goals)}: best_config is of what it tried "
              "(brute_force tries all)")
    if limit is None and fraction is not None:
        limit = math.ceil(fraction * size)
    is_open = limit is None
    if is_open:
        limit = size if name == "exhaustive" or seconds is not None else min(size, _EVALUATIONS)
    budget = str(int(min(limit, 2**31 - 1))) + (f",{seconds:g}s" if seconds is not None else "")
    words = ["--strategy", name, "--budget", budget, "--seed", str(int(seed))]
    if name != "roofline":
        # As in Kernel Tuner nothing is left out, and nothing ends the search early.
        words += ["--no-pruning", "--target-gap", "1", "--no-transfer"]
    return Search(name, limit, words, seed, is_open)


def goals_of(objective, higher, objectives, named):
    """Objective -> whether more of it is better. named: of metrics; None: whatever observers will name, too."""
    if objectives is not None:
        if not hasattr(objectives, "items") or not objectives:
            raise ArgumentError("objectives", 'a dict is needed: {"time": False, "GFLOP/s": True}')
        goals = {name: bool(more) for name, more in objectives.items()}
    else:
        objective = objective or "time"
        if not isinstance(objective, str):
            raise ArgumentError("objective", "several are given by objectives", '{"time": False, "GFLOP/s": True}')
        if higher is None and objective not in _LEAST and "/" not in objective:
            raise ArgumentError("objective_higher_is_better", f"is needed for the objective {objective!r}")
        goals = {objective: objective not in _LEAST if higher is None else bool(higher)}
    for name in goals:
        if named is not None and name != "time" and name not in named:
            raise ArgumentError("objectives" if objectives else "objective", f"{name!r} is neither time nor one of metrics")
    return goals


def best_of(rows, goals):
    """The best row that ran, or None; of several objectives the rows that no other beats in all of them, as Kernel Tuner
    marks them: row["optimal"] is True."""
    ran = [row for row in rows if not isinstance(row["time"], ErrorConfig) and all(name in row for name in goals)]
    if len(goals) == 1:
        (name, more), = goals.items()
        return (max if more else min)(ran, key=lambda row: row[name]) if ran else None
    losses = [[-row[name] if more else row[name] for name, more in goals.items()] for row in ran]
    front = [row for row, mine in zip(ran, losses)
             if not any(theirs != mine and all(a <= b for a, b in zip(theirs, mine)) for theirs in losses)]
    for row in front:
        row["optimal"] = True
    return front or None
