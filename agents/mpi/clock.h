/* Nanoseconds of a clock. Include it where _POSIX_C_SOURCE is 200809L or _GNU_SOURCE is defined. */
#ifndef PREDICT_MPI_CLOCK_H
#define PREDICT_MPI_CLOCK_H
#include <stdint.h>
#include <time.h>

static inline int64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#endif
