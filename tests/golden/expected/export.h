/* Tuned configuration of spmv (openmp), written by `tune export`: include it, do not edit it.
 *
 * problem   generator=fem, n=120000
 * machine   sample (id 0f1e2d3c4b5a69788796a5b4c3d2e1f0)
 * cpu       Sample CPU @ 2.60GHz
 * time      2.470 ms [2.450, 2.497] per call
 * speed-up  3.89x [3.81, 3.95] over the defaults
 * gap       1.23x [1.19, 1.25] from the bound 2.013 ms
 * ceiling   DRAM load huge 2t; measured 2026-11-21: tune probe 0.1.0: best of 300 windows of 1 ms
 * verdict   conclusive
 * compiler  g++ 12.2.0
 * apply     arrays huge_pages=true
 * apply     arrays numa_policy=local
 * apply     OpenMP threads=2
 * study     9a8b7c6d5e4f30211203f4e5d6c7b8a9, strategy local, seed 1
 * date      2026-11-21T10:01:06Z
 * tool      rooftune 0.1.0
 * note      1 other configuration cannot be told from the best beyond the noise after 12 interleaved rounds: format=bcsr index_bits=16 prefetch=8 simd_width=4 threads=2
 * note      least traffic counts every matrix entry once in the smallest format of the space
 */
#ifndef ROOFTUNE_SPMV_TUNED_H
#define ROOFTUNE_SPMV_TUNED_H

#define ROOFTUNE_SPMV_FORMAT_CSR 0
#define ROOFTUNE_SPMV_FORMAT_BCSR 1
#define ROOFTUNE_SPMV_FORMAT_SELL 2
#define ROOFTUNE_SPMV_FORMAT ROOFTUNE_SPMV_FORMAT_BCSR  /* storage format */
#define ROOFTUNE_SPMV_FORMAT_TEXT "bcsr"
#define ROOFTUNE_SPMV_HUGE_PAGES 1  /* 2 MiB pages for arrays */
#define ROOFTUNE_SPMV_INDEX_BITS 16  /* width of the column indices */
#define ROOFTUNE_SPMV_NUMA_POLICY_LOCAL 0
#define ROOFTUNE_SPMV_NUMA_POLICY ROOFTUNE_SPMV_NUMA_POLICY_LOCAL  /* where pages live */
#define ROOFTUNE_SPMV_NUMA_POLICY_TEXT "local"
#define ROOFTUNE_SPMV_PREFETCH 8  /* software prefetch distance [elements] */
#define ROOFTUNE_SPMV_SIMD_WIDTH 8  /* vector length [elements] */
#define ROOFTUNE_SPMV_THREADS 2  /* OpenMP threads */
#define ROOFTUNE_SPMV_STUDY "9a8b7c6d5e4f30211203f4e5d6c7b8a9"
#define ROOFTUNE_SPMV_MACHINE_ID "0f1e2d3c4b5a69788796a5b4c3d2e1f0"

#endif  /* ROOFTUNE_SPMV_TUNED_H */
