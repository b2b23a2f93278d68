/* The second numbering: in every owner's piece vertices by falling degree, those without edges left out.

   Hubs then come first in every block: a bottom-up step meets them first, and the bits of the frontier that are
   asked for most share few cache lines. A vertex without edges takes no bit anywhere.
   The edge ends of a vertex lie on all ranks of its grid row. They send each other their counts piece by piece, a byte
   per vertex (degrees.h); each owner adds up its piece, rounds again and spreads the bytes along its row and column.
   From the same bytes everybody makes the same order by a stable counting sort, so no numbers are sent.
   In memory: bytes in the order of the first numbering (layout.h: by upper half, then by lower); the result is two maps
   of 32-bit numbers from the first numbering of the row and of the column block to the second. */
#include "relabel.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "degrees.h"
#include "memory.h"

/* Vertices a piece has in the first numbering; it enumerates them by a, then by b. */
static uint64_t piece_size(struct span upper, struct span lower) { return upper.count * lower.count; }

static uint8_t *own_classes_alone(const uint32_t *ends, uint64_t n)
{
    uint8_t *classes = take(n);
    for (uint64_t v = 0; v < n; v++) classes[v] = degree_class(ends[v]);
    return classes;
}

/* Classes of the local degrees of one piece of the row block, in the piece's order. */
static void piece_classes(const struct layout *l, struct span lower, const uint32_t *ends, uint8_t *out)
{
    for (uint64_t a = 0; a < l->row.count; a++) {
        const uint32_t *from = ends + (a << l->lower_bits) + lower.first;
        for (uint64_t b = 0; b < lower.count; b++) *out++ = degree_class(from[b]);
    }
}

/* Sums over the grid row what each rank counted for the pieces of the others. */
static uint8_t *own_classes_on_grid(struct net *net, const struct layout *l, const uint32_t *ends)
{
    int q = net->side;
    uint64_t own = piece_size(l->row, l->col);
    struct message *out = take_zero((size_t)q * sizeof *out), *in = take_zero((size_t)q * sizeof *in);
    for (int j = 0; j < q; j++) {
        struct span lower = layout_lower_span(l, j);
        out[j] = (struct message){take(piece_size(l->row, lower)), piece_size(l->row, lower)};
        in[j] = (struct message){take(own), own};
        piece_classes(l, lower, ends, out[j].data);
    }
    net_exchange(net, ALONG_ROW, out, in);
    memcpy(in[net->col].data, out[net->col].data, own);
    uint8_t *sum = take(own);
    for (uint64_t v = 0; v < own; v++) {
        uint64_t degree = 0;
        for (int j = 0; j < q; j++) degree += class_degree(((uint8_t *)in[j].data)[v]);
        sum[v] = degree_class(degree);
    }
    for (int j = 0; j < q; j++) {
        free(out[j].data);
        free(in[j].data);
    }
    free(out);
    free(in);
    return sum;
}

/* Stable counting sort by falling class: place[v] for every vertex of a piece; returns how many have edges. */
static uint32_t order_piece(const uint8_t *classes, uint64_t size, uint32_t *place)
{
    uint32_t count[256] = {0}, next = 0;
    for (uint64_t v = 0; v < size; v++) count[classes[v]]++;
    for (int c = 255; c > 0; c--) {
        uint32_t n = count[c];
        count[c] = next;
        next += n;
    }
    for (uint64_t v = 0; v < size; v++) place[v] = classes[v] ? count[classes[v]]++ : NO_VERTEX;
    return next;
}

static void offset_places(uint32_t *place, uint64_t size, uint32_t start)
{
    for (uint64_t v = 0; v < size; v++)
        if (place[v] != NO_VERTEX) place[v] += start;
}

/* Row-block numbers of piece j, scattered back to the first numbering of the row block. */
static void place_in_row_block(const struct layout *l, struct span lower, const uint32_t *place, uint32_t *map)
{
    for (uint64_t a = 0; a < l->row.count; a++) {
        memcpy(map + (a << l->lower_bits) + lower.first, place, lower.count * sizeof *map);
        place += lower.count;
    }
}

static struct numbering number_alone(struct graph *g, uint8_t *classes, uint64_t n)
{
    uint32_t *map = take(n * sizeof *map);
    g->own_of = take(sizeof *g->own_of);
    g->own_of[0] = order_piece(classes, n, map);
    graph_place_pieces(g);
    return (struct numbering){map, map};
}

/* The ranks of the row and of the column tell each other the classes of their pieces and sort alike. */
static struct numbering number_on_grid(struct graph *g, const struct layout *l, uint8_t *classes)
{
    struct net *net = g->net;
    int q = net->side;
    uint64_t own = piece_size(l->row, l->col);
    struct message row_in[q], col_in[q], mine = {classes, own};
    uint64_t row_sizes[q], col_sizes[q];
    for (int p = 0; p < q; p++) {
        row_sizes[p] = piece_size(l->row, layout_lower_span(l, p));
        col_sizes[p] = piece_size(layout_upper_span(l, p), l->col);
        row_in[p] = (struct message){take(row_sizes[p]), row_sizes[p]};
        col_in[p] = (struct message){take(col_sizes[p]), col_sizes[p]};
    }
    net_spread(net, mine, row_in, col_in);
    memcpy(row_in[net->col].data, classes, own);
    memcpy(col_in[net->row].data, classes, own);

    struct numbering n = {take(layout_row_size(l) * sizeof *n.row), take(layout_col_size(l) * sizeof *n.col)};
    uint32_t *place = take(own * sizeof *place);
    uint32_t mine_left = order_piece(classes, own, place);
    free(place);
    g->own_of = take((size_t)net->ranks * sizeof *g->own_of);
    MPI_Allgather(&mine_left, 1, MPI_UINT32_T, g->own_of, 1, MPI_UINT32_T, MPI_COMM_WORLD);
    net->bytes_sent += (uint64_t)(net->ranks - 1) * sizeof mine_left;
    graph_place_pieces(g);
    uint32_t *col_map = n.col;
    for (int p = 0; p < q; p++) {
        place = take(row_sizes[p] * sizeof *place);
        order_piece(row_in[p].data, row_sizes[p], place);
        offset_places(place, row_sizes[p], g->row_start[p]);
        place_in_row_block(l, layout_lower_span(l, p), place, n.row);
        free(place);
        order_piece(col_in[p].data, col_sizes[p], col_map);
        offset_places(col_map, col_sizes[p], g->col_start[p]);
        col_map += col_sizes[p];
        free(row_in[p].data);
        free(col_in[p].data);
    }
    return n;
}

static uint32_t *sorted_degrees(const uint8_t *classes, uint64_t size, uint32_t own)
{
    uint32_t *degrees = take(((size_t)own + 1) * sizeof *degrees), *place = take(size * sizeof *place);
    order_piece(classes, size, place);
    for (uint64_t v = 0; v < size; v++)
        if (place[v] != NO_VERTEX) degrees[place[v]] = class_degree(classes[v]);
    free(place);
    return degrees;
}

struct numbering number_by_degree(struct graph *g, const struct layout *l, const uint32_t *ends)
{
    int alone = g->net->ranks == 1;
    uint64_t size = piece_size(l->row, l->col);
    uint8_t *classes = alone ? own_classes_alone(ends, size) : own_classes_on_grid(g->net, l, ends);
    struct numbering n = alone ? number_alone(g, classes, size) : number_on_grid(g, l, classes);
    if (!alone) g->own_degree = sorted_degrees(classes, size, g->own);
    free(classes);
    return n;
}

void numbering_free(struct numbering *n)
{
    if (n->col != n->row) free(n->col);
    free(n->row);
}
