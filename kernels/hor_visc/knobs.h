// What every knob of the OpenMP source is when nobody sets it: the plain form.
// The caller may define any of the macros before.
#pragma once

#ifndef KNOB_LAYOUT
#define KNOB_LAYOUT_CALLER 0
#define KNOB_LAYOUT_LAYERS 1
#define KNOB_LAYOUT KNOB_LAYOUT_CALLER
#endif
#ifndef KNOB_METRIC
#define KNOB_METRIC_PLANES 0
#define KNOB_METRIC_ROWS 1
#define KNOB_METRIC_FOLDED 2
#define KNOB_METRIC KNOB_METRIC_PLANES
#endif
#ifndef KNOB_SWEEP
#define KNOB_SWEEP_TILE 0
#define KNOB_SWEEP_ROWS 1
#define KNOB_SWEEP KNOB_SWEEP_TILE
#endif
#ifndef KNOB_FUSE
#define KNOB_FUSE_APART 0
#define KNOB_FUSE_PAIRS 1
#define KNOB_FUSE KNOB_FUSE_APART
#endif
#ifndef KNOB_ORDER
#define KNOB_ORDER_LAYERS 0
#define KNOB_ORDER_TILES 1
#define KNOB_ORDER KNOB_ORDER_LAYERS
#endif
#ifndef KNOB_THICKNESS
#define KNOB_THICKNESS_STORE 0
#define KNOB_THICKNESS_RECOMPUTE 1
#define KNOB_THICKNESS KNOB_THICKNESS_STORE
#endif
#ifndef KNOB_SQUARES
#define KNOB_SQUARES_RECOMPUTE 0
#define KNOB_SQUARES_STORE 1
#define KNOB_SQUARES KNOB_SQUARES_RECOMPUTE
#endif
#ifndef KNOB_DIVIDE
#define KNOB_DIVIDE_EACH 0
#define KNOB_DIVIDE_JOINT 1
#define KNOB_DIVIDE_NEWTON 2
#define KNOB_DIVIDE KNOB_DIVIDE_EACH
#endif
#ifndef KNOB_ROOT
#define KNOB_ROOT_EXACT 0
#define KNOB_ROOT_NEWTON 1
#define KNOB_ROOT KNOB_ROOT_EXACT
#endif
#ifndef KNOB_BLOCK_I
#define KNOB_BLOCK_I 0
#endif
#ifndef KNOB_BLOCK_J
#define KNOB_BLOCK_J 0
#endif
#ifndef KNOB_BLOCK_K
#define KNOB_BLOCK_K 1
#endif

#include "rooftune/loop_knobs.h"
