#!/bin/sh
# Minutes of tuning without a start from elsewhere: the best trial [ms] of every kernel, seed and strategy, as in
# docs/strategies.md. The strategies take turns, each in a minute with empty caches; leave the machine alone.
# Usage: minutes.sh "KERNELS" "SEEDS" ["STRATEGIES"] [TUNE]; a line "kernel seed strategy milliseconds trials" each.
set -eu
tune=${4:-build/release/bin/tune}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for seed in $2; do
  for kernel in $1; do
    for strategy in ${3:-roofline random}; do
      results=$folder/results.$kernel.$seed.$strategy
      XDG_CACHE_HOME=$folder/cache "$tune" -q --kernel "$kernel" --seed "$seed" --strategy "$strategy" --budget 60s \
        --no-transfer --results "$results" >"$results.txt" 2>&1 || cat "$results.txt" >&2
      rm -rf "$folder/cache"
      "$tune" list studies --results "$results" --json |
        jq -r '.[] | "'"$kernel $seed $strategy"' \(.best_seconds * 1e3) \(.trials)"'
    done
  done
done
