/* Written by `tune export`: include it, do not edit it. `--format json` has more. */
#ifndef ROOFTUNE_TRIAD_TUNED_H
#define ROOFTUNE_TRIAD_TUNED_H

#define ROOFTUNE_TRIAD_NT_STORE 1
#define ROOFTUNE_TRIAD_SCHEDULE_STATIC 1
#define ROOFTUNE_TRIAD_SCHEDULE_TEXT "static"
#define ROOFTUNE_TRIAD_UNROLL 4
#define ROOFTUNE_TRIAD_STUDY "5d0c1f6a7b8e9d0c1f6a7b8e9d0c1f6a"
#define ROOFTUNE_TRIAD_MACHINE_ID "0f1e2d3c4b5a69788796a5b4c3d2e1f0"

#endif
