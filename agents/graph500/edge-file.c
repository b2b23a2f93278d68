/* The edge list of Graph500 specification 2.0, section 3, from the generator to a file, a block at a time: 16 bytes an
   edge, which every kernel of another program may be built from and checked against. */
#define _DEFAULT_SOURCE
#include "edge-file.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "generator.h"
#include "memory.h"

static int write_edges(FILE *f, int scale, uint64_t edges, uint64_t seed)
{
    struct generator g;
    struct edge_block block;
    uint64_t pairs[EDGE_BLOCK][2];
    generator_open(&g, scale, seed);
    for (uint64_t first = 0; first < edges; first += EDGE_BLOCK) {
        int count = edges - first < EDGE_BLOCK ? (int)(edges - first) : EDGE_BLOCK;
        generator_block(&g, first, count, &block);
        for (int e = 0; e < count; e++) {
            pairs[e][0] = htole64(block_u(&block, e, scale));
            pairs[e][1] = htole64(block_v(&block, e, scale));
        }
        if (fwrite(pairs, sizeof *pairs, (size_t)count, f) != (size_t)count) return 0;
    }
    return fflush(f) == 0;
}

int edge_file_make(const struct options *o)
{
    uint64_t edges = (uint64_t)o->edge_factor << o->scale;
    FILE *f = fopen(o->edges_out, "w");
    if (!f) {
        fprintf(stderr, "predict-graph500: cannot write %s: %s.\n", o->edges_out, strerror(errno));
        return EXIT_USAGE;
    }
    int whole = write_edges(f, o->scale, edges, o->seed);
    if ((fclose(f) == 0) & whole) return 0;
    fprintf(stderr, "predict-graph500: %s is not complete: %s; it takes %" PRIu64 " bytes.\n", o->edges_out,
            strerror(errno), 16 * edges);
    return EXIT_UNWRITTEN;
}
