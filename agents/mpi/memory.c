/* Aligned memory in huge pages where it is large, or the end of the run on all ranks. */
#define _GNU_SOURCE
#include "memory.h"

#include <errno.h>
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LINE = 64, MAPPED_FROM = 4 << 20, KEPT = 16 << 20, HUGE_FROM = 8 << 20, HUGE_PAGE = 2 << 20 };

void out_of_memory(size_t bytes)
{
    fprintf(stderr, "%s: out of memory: %zu more bytes are not to be had; use a smaller graph or more ranks.\n",
            program_invocation_short_name, bytes);
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, EXIT_MEMORY);
    exit(EXIT_MEMORY);
}

/* Random access over large arrays is bound by TLB misses; ask for huge pages there only. */
void *take(size_t bytes)
{
    int huge = bytes >= HUGE_FROM;
    size_t align = huge ? HUGE_PAGE : LINE;
    size_t rounded = (bytes + LINE) / LINE * LINE;
    void *p = NULL;
    if (rounded < bytes || posix_memalign(&p, align, rounded) != 0) out_of_memory(bytes);
    if (huge) madvise(p, rounded, MADV_HUGEPAGE);
    return p;
}

void *take_zero(size_t bytes) { return memset(take(bytes), 0, bytes); }

void *take_more(void *old, size_t old_bytes, size_t new_bytes)
{
    void *p = take(new_bytes);
    if (old) memcpy(p, old, old_bytes);
    free(old);
    return p;
}

/* The C library else raises the size from which it maps pieces, and keeps the rest (mallopt(3)). */
void give_memory_back(void)
{
    mallopt(M_MMAP_THRESHOLD, MAPPED_FROM);
    mallopt(M_TRIM_THRESHOLD, KEPT); /* buffers of each round else come as fresh pages */
}
