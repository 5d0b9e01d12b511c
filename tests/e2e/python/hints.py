"""What a user's editor knows of results; checked by mypy, never run."""

from typing import Optional

import rooftune

study: rooftune.Study = rooftune.program("./app {B}", {"B": [1, 2]}, budget=2)
other: rooftune.Study = rooftune.kernel("void f(int* x) {}", [], {}, budget=2)
bound: Optional[rooftune.Bound] = study.bound
best: Optional[rooftune.Contender] = other.best
