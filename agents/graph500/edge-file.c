/* The edge list of Graph500 specification 3.0, section 3, from the generator to a file, a block at a time: 16 bytes an
   edge, and 4 of its weight, which every kernel of another program may be built from and checked against. */
#define _DEFAULT_SOURCE
#include "edge-file.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "generator.h"
#include "memory.h"

static uint64_t edge_count(const struct options *o) { return (uint64_t)o->edge_factor << o->scale; }

static int write_weights(FILE *f, const float *weight, int count)
{
    uint32_t words[EDGE_BLOCK];
    memcpy(words, weight, (size_t)count * sizeof *words);
    for (int e = 0; e < count; e++) words[e] = htole32(words[e]);
    return fwrite(words, sizeof *words, (size_t)count, f) == (size_t)count;
}

/* Edges into one file, their weights into the other if there is one. */
static int write_edges(FILE *f, FILE *weights, const struct options *o)
{
    struct generator g;
    struct edge_block block;
    uint64_t pairs[EDGE_BLOCK][2], edges = edge_count(o);
    int scale = o->scale;
    generator_open(&g, scale, o->seed, weights != NULL);
    for (uint64_t first = 0; first < edges; first += EDGE_BLOCK) {
        int count = edges - first < EDGE_BLOCK ? (int)(edges - first) : EDGE_BLOCK;
        generator_block(&g, first, count, &block);
        for (int e = 0; e < count; e++) {
            pairs[e][0] = htole64(block_u(&block, e, scale));
            pairs[e][1] = htole64(block_v(&block, e, scale));
        }
        if (fwrite(pairs, sizeof *pairs, (size_t)count, f) != (size_t)count) return 0;
        if (weights && !write_weights(weights, block.weight, count)) return 0;
    }
    return fflush(f) == 0 && (!weights || fflush(weights) == 0);
}

static FILE *open_file(const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f) fprintf(stderr, "predict-graph500: cannot write %s: %s.\n", path, strerror(errno));
    return f;
}

int edge_file_make(const struct options *o)
{
    FILE *f = open_file(o->edges_out), *weights = f && o->weights_out ? open_file(o->weights_out) : NULL;
    if (!f) return EXIT_USAGE;
    if (o->weights_out && !weights) {
        fclose(f);
        return EXIT_USAGE;
    }
    int whole = write_edges(f, weights, o) & (!weights || fclose(weights) == 0);
    if ((fclose(f) == 0) & whole) return 0;
    fprintf(stderr, "predict-graph500: %s is not complete: %s; it takes %" PRIu64 " bytes.\n", o->edges_out,
            strerror(errno), 16 * edge_count(o));
    return EXIT_UNWRITTEN;
}
