/* Loops worth compiling three times; the loader picks the widest that the processor has. */
#ifndef PREDICT_MPI_HOT_H
#define PREDICT_MPI_HOT_H

#include <limits.h> /* tells the C library: the choice at load time is glibc's */

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define HOT __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define HOT
#endif

#endif
