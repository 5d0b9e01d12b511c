// The worker of tests: what `tune worker` is, without the rest of tune.
#include "run/host_evaluator.h"

int main() { return rooftune::worker_main(); }
