#!/bin/sh
# The table of all strategies over all recorded spaces: 50 searches of 400 evaluations each, with quartiles.
# Which knobs of gemm (CLBlast) are the sides of a block its file does not say: its user does, as with
# Kernel Tuner.
# Needs a built tune (first argument, default build/release/bin/tune) and ROOFTUNE_DATA; takes
# about twenty minutes of one core.
set -eu
tune=${1:-build/release/bin/tune}
data=${ROOFTUNE_DATA:?names the folder with replay/}/replay
exec "$tune" replay "$data/convolution_A100.json.gz" "$data/convolution_W6600.json.gz" \
  "$data/dedispersion_A100.json.gz" "$data/gemm_RTX_2080_Ti.json.gz" "$data/pnpoly_RTX_3090.json.gz" \
  "$data/KTConvolutionOutput_2080Ti.json.gz" "$data/KTConvolutionOutput_3090.json.gz" \
  --block-size-names MDIMC,NDIMC --strategy "${2:-all}" --seeds 50 --budget 400
