/* Records of all ranks, one rank after the other. */
#ifndef PREDICT_MPI_GATHER_H
#define PREDICT_MPI_GATHER_H
#include <stddef.h>
#include <stdint.h>

/* What rank 0 does with the records of a rank; `context` is the caller's. */
typedef void (*gathered)(void *context, int rank, const void *records, uint64_t count);

/* Call on all ranks. Rank 0 takes its own records and then those of the others in order, so it holds no more than one
   rank's beside its own. All hosts have the same byte order. */
void gather(const void *records, uint64_t count, size_t size, gathered take_in, void *context);

#endif
