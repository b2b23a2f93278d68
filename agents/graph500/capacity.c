/* An estimate of the peak, in construction or in validation, against the memory of the host, and the bounds of 32-bit
 * numbers. */
#define _POSIX_C_SOURCE 200809L
#include "capacity.h"

#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "claims.h"

/* Bytes per edge and per block vertex at either peak. Construction: per edge 8 for the input list, 8 for its mirror,
   two lists of two 4-byte ends, and for kernel 3 weights of 4 and two arcs of 8; per vertex counts, numbering, degrees
   and pointers. Validation: two lists of two 4-byte ends, or two arcs; pointers, degrees, names, what a search holds,
   and of each search that waits a parent, two levels or distances, and bits. */
enum { CONSTRUCT_EDGE = 26, CONSTRUCT_VERTEX = 24, VALIDATE_EDGE = 16, VALIDATE_VERTEX = 24 + 6 * LANES + 1 };
enum { SSSP_EDGE = 24, SSSP_KEEPS = 16, SSSP_VERTEX = 40 + 6 * LANES + 1 };

int capacity_suffices(int scale, int edge_factor, int side, int kernels, char error[256])
{
    double ranks = (double)side * side, vertices = (double)((uint64_t)1 << scale), block = vertices / side;
    double edges = vertices * edge_factor / ranks;
    /* Local numbers have 32 bits; a message holds at most 8 bytes for each vertex of a piece. */
    if (block >= 2e9 || edges >= 2e9 || vertices / ranks > 2.5e8) {
        snprintf(error, 256,
                 "scale %d with edge factor %d gives each of %.0f ranks more vertices or edges than it can number.",
                 scale, edge_factor, ranks);
        return 0;
    }
    double construct = edges * CONSTRUCT_EDGE + block * CONSTRUCT_VERTEX;
    double validate = edges * (kernels & KERNEL_BFS ? VALIDATE_EDGE : 0) + block * VALIDATE_VERTEX;
    if (kernels & KERNEL_SSSP) {
        construct += edges * SSSP_EDGE;
        validate += edges * SSSP_KEEPS + block * SSSP_VERTEX;
    }
    double need = construct > validate ? construct : validate;
    double have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (need <= have) return 1;
    snprintf(
        error, 256,
        "out of memory: scale %d with edge factor %d needs some %.1f GiB on each of %.0f ranks, this host has %.1f.",
        scale, edge_factor, need / 0x1p30, ranks, have / 0x1p30);
    return 0;
}
