/* Values go to the ranks that keep the ids of their ordinals, which makes them lines in order; rank 0 writes the lines
   of one rank after the other, so that it holds no more than a piece. Reals have 17 digits and so lose nothing; hops to
   what cannot be reached are 9223372036854775807, distances `infinity`, as Graphalytics' reference output has them. */
#include "results.h"

#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "random.h"
#include "shuffle.h"

enum { TAG = 92, PIECE = 1 << 20, LONGEST_LINE = 64 };

/* The value of an own vertex as 64 bits; labels as ordinals. */
static uint64_t bits_of(const struct job *j, uint32_t v)
{
    uint64_t bits;
    switch (j->kind) {
    case HOPS: return j->depth[v] == NO_INDEX ? INT64_MAX : j->depth[v];
    case LABELS: return j->label[v];
    case REALS: break;
    }
    memcpy(&bits, &j->real[v], sizeof bits);
    return bits;
}

uint64_t results_digest(const struct job *j)
{
    uint64_t sum = 0;
    for (uint32_t v = 0; v < j->graph->own; v++) sum += random_word(j->graph->ordinal[v], 0, bits_of(j, v));
    net_sum(j->graph->net, &sum, 1);
    return sum;
}

struct valued {
    uint64_t ordinal, bits;
};

/* Per ordinal that this rank keeps the ids of: its value. */
static uint64_t *values_in_order(const struct job *j)
{
    const struct graph *g = j->graph;
    int ranks = g->net->ranks;
    uint64_t counts[ranks], *order = take(((size_t)g->own + 1) * sizeof *order), first = g->block_start[g->net->rank];
    uint32_t *block = take(((size_t)g->own + 1) * sizeof *block);
    struct valued *out = take(((size_t)g->own + 1) * sizeof *out);
    uint64_t *label = take(((size_t)g->own + 1) * sizeof *label);
    if (j->kind == LABELS) graph_ids_of(g, j->label, g->own, label);
    for (uint32_t v = 0; v < g->own; v++) block[v] = (uint32_t)graph_block_of(g, g->ordinal[v]);
    order_by_rank(block, g->own, ranks, counts, order);
    for (uint32_t v = 0; v < g->own; v++)
        out[order[v]] = (struct valued){g->ordinal[v], j->kind == LABELS ? label[v] : bits_of(j, v)};
    free(label);
    free(block);
    free(order);
    struct shuffled came = shuffle(g->net, out, counts, sizeof *out);
    free(out);
    uint64_t *values = take((came.total + 1) * sizeof *values);
    const struct valued *value = came.data;
    for (uint64_t k = 0; k < came.total; k++) values[value[k].ordinal - first] = value[k].bits;
    shuffled_free(&came);
    return values;
}

static int put_line(char *to, const struct job *j, uint64_t id, uint64_t bits)
{
    double real;
    if (j->kind != REALS) return sprintf(to, "%" PRIu64 " %" PRIu64 "\n", id, bits);
    memcpy(&real, &bits, sizeof real);
    return isinf(real) ? sprintf(to, "%" PRIu64 " infinity\n", id) : sprintf(to, "%" PRIu64 " %.17g\n", id, real);
}

/* Own lines in pieces, to the file or to rank 0; an empty one is the last. */
static void put_lines(const struct job *j, const uint64_t *values, FILE *file)
{
    const struct graph *g = j->graph;
    uint64_t count = g->block_start[g->net->rank + 1] - g->block_start[g->net->rank];
    char *piece = take(PIECE);
    int length = 0;
    for (uint64_t k = 0; k <= count; k++) {
        if (k == count || length > PIECE - LONGEST_LINE) {
            if (g->net->rank == 0) fwrite(piece, 1, (size_t)length, file);
            else if (length > 0) MPI_Send(piece, length, MPI_CHAR, 0, TAG, MPI_COMM_WORLD);
            length = 0;
        }
        if (k < count) length += put_line(piece + length, j, g->ids[k], values[k]);
    }
    if (g->net->rank != 0) MPI_Send(piece, 0, MPI_CHAR, 0, TAG, MPI_COMM_WORLD);
    free(piece);
}

static void write_received(FILE *file, int rank)
{
    char *piece = take(PIECE);
    for (int length = 1; length > 0;) {
        MPI_Status status;
        MPI_Recv(piece, PIECE, MPI_CHAR, rank, TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_CHAR, &length);
        fwrite(piece, 1, (size_t)length, file);
    }
    free(piece);
}

void results_write(const struct job *j, FILE *file)
{
    uint64_t *values = values_in_order(j);
    put_lines(j, values, file);
    for (int rank = 1; j->graph->net->rank == 0 && rank < j->graph->net->ranks; rank++) write_received(file, rank);
    free(values);
}
