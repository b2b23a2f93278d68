/* What rank 0 prints: the block and the lines of the Graph500 3.0 reference, and our CSV per root. */
#ifndef G500_OUTPUT_H
#define G500_OUTPUT_H
#include <stdint.h>
#include <stdio.h>

#include "graph.h"
#include "options.h"

struct search {
    double seconds, validate_seconds; /* validate_seconds is -1 when not validated */
    uint64_t edges, bytes_sent;
    uint64_t spanned; /* edges of the tree that was validated */
    int supersteps;   /* of kernel 3 */
};

/* Of one kernel. */
struct results {
    enum kernel kernel;
    struct search *search; /* NULL: it did not run */
    int validated;         /* how many of the first */
    float delta;           /* of kernel 3 */
};

struct report {
    const struct options *options;
    const struct graph *graph;
    double generation, construction; /* seconds */
    int searches;
    struct results bfs, sssp;
    const char *cache;
};

/* BFS or SSSP. */
const char *kernel_name(enum kernel kernel);

double search_teps(const struct search *s);

void output_block(const struct report *r);

/* The CSV of searches; each row is flushed, so that nothing is lost. */
void roots_file_head(FILE *f);
void roots_file_add(FILE *f, int root, uint64_t key, const struct search *s);

#endif
