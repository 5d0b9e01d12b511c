// What a GPU kernel (cuda.cu) is written in. The compiler of a GPU runtime sees device code; a host
// compiler sees the launching half (between #if ROOFTUNE_HOST and #endif) and the kernels as plain
// functions that the emulation runs thread by thread. The caller marks kernels ROOFTUNE_KERNEL and
// launches them with ROOFTUNE_LAUNCH.
#pragma once
#include "rooftune/portable.h"

/// Threads of a warp, where the build says nothing else.
#if !defined(ROOFTUNE_WARP)
#define ROOFTUNE_WARP 32
#endif

#if defined(__CUDACC__)
#define ROOFTUNE_HOST 0
#else
#define ROOFTUNE_HOST 1
#include "rooftune/cuda_device.h"
#include "rooftune/cuda_emulation.h"
#include "rooftune/cuda_launch.h"
#endif
// What is not spelled alike everywhere: another runtime brings its own version of this header,
// which is chosen here.
#include "rooftune/gpu_cuda.h"
