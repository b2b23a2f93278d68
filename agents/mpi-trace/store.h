/* An array in a file: what a rank records is in the file as it is written, whatever ends the process. */
#ifndef PREDICT_MPI_TRACE_STORE_H
#define PREDICT_MPI_TRACE_STORE_H
#include <stddef.h>
#include <stdint.h>

#include "format.h"

struct store {
    struct trace_header *header; /* NULL: not open */
    char *records;
    size_t record_bytes, most;
    size_t mapped, room; /* bytes of the file that are there, and records that they have space for */
    int fd;
};

/* Makes the file, which must not be there, with room for at most `most` records. 0, or -1 with errno. */
int store_open(struct store *s, const char *path, size_t record_bytes, size_t most);
/* A place for one more record, or NULL (full, or the disk is). It counts once store_commit() is called. */
void *store_next(struct store *s);
static inline void store_commit(struct store *s)
{
    __atomic_store_n(&s->header->count, s->header->count + 1, __ATOMIC_RELEASE);
}
/* Cuts the file to what it holds. The memory stays, so that late calls do no harm. */
void store_cut(struct store *s);

#endif
