/* Tuned configuration of triad (openmp), written by `tune export`: include it, do not edit it.
 *
 * problem   n=16777216
 * machine   sample (id 0f1e2d3c4b5a69788796a5b4c3d2e1f0)
 * cpu       Sample CPU @ 2.60GHz
 * time      2.470 ms [2.450, 2.497] per call
 * speed-up  3.89x [3.81, 3.95] over the defaults
 * gap       1.23x [1.19, 1.25] from the bound 2.013 ms
 * ceiling   DRAM load huge 2t; measured 2026-11-21: tune probe 0.1.0: best of 300 windows of 1 ms
 * verdict   conclusive
 * compiler  g++ 12.2.0
 * study     5d0c1f6a7b8e9d0c1f6a7b8e9d0c1f6a, strategy local, seed 1
 * date      2026-11-21T10:01:06Z
 * tool      rooftune 0.1.0
 */
#ifndef ROOFTUNE_TRIAD_TUNED_H
#define ROOFTUNE_TRIAD_TUNED_H

#define ROOFTUNE_TRIAD_NT_STORE 1  /* stores that bypass the caches */
#define ROOFTUNE_TRIAD_SCHEDULE_STATIC 0
#define ROOFTUNE_TRIAD_SCHEDULE_DYNAMIC 1
#define ROOFTUNE_TRIAD_SCHEDULE ROOFTUNE_TRIAD_SCHEDULE_STATIC  /* OpenMP schedule */
#define ROOFTUNE_TRIAD_SCHEDULE_TEXT "static"
#define ROOFTUNE_TRIAD_UNROLL 4  /* iterations per loop body */
#define ROOFTUNE_TRIAD_STUDY "5d0c1f6a7b8e9d0c1f6a7b8e9d0c1f6a"
#define ROOFTUNE_TRIAD_MACHINE_ID "0f1e2d3c4b5a69788796a5b4c3d2e1f0"

#endif  /* ROOFTUNE_TRIAD_TUNED_H */
