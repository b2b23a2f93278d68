/* The vertex file: each rank keeps the ids of its lines by ordinal, and sends them to their owners, who enter them in
   their table in ascending order. */
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "load.h"
#include "memory.h"
#include "shuffle.h"
#include "text.h"

enum { IDS_PER_VERTEX = 16 };

struct ids {
    uint64_t *id, count, room;
    uint64_t first_offset; /* of the first line */
};

static void ids_make_room(struct ids *v)
{
    uint64_t room = v->room * 2 + 1024;
    v->id = take_more(v->id, v->count * sizeof *v->id, room * sizeof *v->id);
    v->room = room;
}

/* Ids of one block, up to the first fault. */
static void read_block(const struct block *b, struct ids *v, struct fault *fault)
{
    if (b->too_long) {
        fault_note(fault, LINE_TOO_LONG, b->offset);
        return;
    }
    for (const char *line = b->from, *p; line < b->to; line = p) {
        uint64_t id, offset = b->offset + (uint64_t)(line - b->from);
        p = skip_blanks(line);
        const char *minus = *p == '-' ? p + 1 : p;
        int is_id = read_id(&p, &id);
        if (is_id < 0 || (is_id == 0 && *minus >= '0' && *minus <= '9')) {
            fault_note(fault, VERTEX_ID_RANGE, offset);
            return;
        }
        if (!is_id || !(p = end_line(p))) {
            fault_note(fault, NOT_A_VERTEX, offset);
            return;
        }
        if (v->count > 0 && id <= v->id[v->count - 1]) {
            fault_note(fault, id == v->id[v->count - 1] ? VERTEX_TWICE : VERTEX_ORDER, offset);
            return;
        }
        if (v->count == v->room) ids_make_room(v);
        if (v->count == 0) v->first_offset = offset;
        v->id[v->count++] = id;
    }
}

static int read_slice(const struct net *net, const char *path, struct ids *v, struct fault *fault)
{
    struct text text;
    struct block block;
    int opened = text_open(&text, path, net->rank, net->ranks);
    while (opened && fault->kind == NO_FAULT && text_next(&text, &block)) read_block(&block, v, fault);
    if (opened) text_close(&text);
    return opened;
}

/* Against the last id of the ranks before. */
static void check_seam(const struct net *net, const struct ids *v, struct fault *fault)
{
    uint64_t last = v->count > 0 ? v->id[v->count - 1] + 1 : 0, before = 0;
    MPI_Exscan(&last, &before, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    if (net->rank == 0 || v->count == 0 || before == 0 || v->id[0] >= before) return;
    fault_note(fault, v->id[0] + 1 == before ? VERTEX_TWICE : VERTEX_ORDER, v->first_offset);
}

/* Whose ordinals are whose; false where the number of vertices is none that can be worked on. */
static int place_blocks(struct graph *g, uint64_t count, const char *path)
{
    int ranks = g->net->ranks;
    g->block_start = take_zero(((size_t)ranks + 1) * sizeof *g->block_start);
    MPI_Allgather(&count, 1, MPI_UINT64_T, g->block_start + 1, 1, MPI_UINT64_T, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++) g->block_start[r + 1] += g->block_start[r];
    g->vertices = g->block_start[ranks];
    if (g->vertices > 0 && g->vertices < UINT32_MAX) return 1;
    if (g->net->rank != 0) return 0;
    if (g->vertices == 0)
        fprintf(stderr, "predict-graphalytics: %s holds no vertex; a graph has one at least.\n", path);
    else
        fprintf(stderr, "predict-graphalytics: %s holds %" PRIu64 " vertices; at most 4294967294 can be numbered.\n",
                path, g->vertices);
    return 0;
}

struct named {
    uint64_t id, ordinal;
};

static struct shuffled send_to_owners(const struct graph *g, uint64_t count)
{
    int ranks = g->net->ranks;
    uint64_t counts[ranks], *order = take((count + 1) * sizeof *order);
    uint32_t *owner = take((count + 1) * sizeof *owner);
    struct named *out = take((count + 1) * sizeof *out);
    for (uint64_t k = 0; k < count; k++) owner[k] = (uint32_t)owner_of(id_hash(g->ids[k]), ranks);
    order_by_rank(owner, count, ranks, counts, order);
    for (uint64_t k = 0; k < count; k++) out[order[k]] = (struct named){g->ids[k], g->block_start[g->net->rank] + k};
    struct shuffled came = shuffle(g->net, out, counts, sizeof *out);
    free(out);
    free(owner);
    free(order);
    return came;
}

/* A place for every id up to the largest where that takes about as much room as a table does. */
static void open_numbers(struct loading *l, uint64_t count, uint64_t own)
{
    const struct graph *g = l->graph;
    uint64_t limit = count > 0 ? g->ids[count - 1] + 1 : 0;
    net_max(g->net, &limit, 1);
    if (limit <= IDS_PER_VERTEX * own) numbers_open_dense(&l->numbers, limit);
    else numbers_open(&l->numbers, own + own / 4);
}

static void enter_own(struct loading *l, uint64_t count)
{
    struct graph *g = l->graph;
    struct shuffled came = send_to_owners(g, count);
    const struct named *vertex = came.data;
    open_numbers(l, count, came.total);
    g->own = (uint32_t)came.total;
    g->ordinal = take((came.total + 1) * sizeof *g->ordinal);
    for (uint32_t k = 0; k < g->own; k++) {
        number_give(&l->numbers, vertex[k].id);
        g->ordinal[k] = (uint32_t)vertex[k].ordinal;
    }
    shuffled_free(&came);
}

int vertices_read(struct loading *l)
{
    struct graph *g = l->graph;
    const char *path = l->files->vertices;
    struct ids v = {0};
    struct fault fault = {NO_FAULT, 0};
    uint64_t closed = !read_slice(g->net, path, &v, &fault);
    net_max(g->net, &closed, 1);
    if (closed && g->net->rank == 0) fprintf(stderr, "predict-graphalytics: %s cannot be read on every host.\n", path);
    if (!closed) check_seam(g->net, &v, &fault);
    g->ids = v.id ? v.id : take(sizeof *v.id);
    if (closed || fault_said(g->net, path, fault) || !place_blocks(g, v.count, path)) return 0;
    enter_own(l, v.count);
    return 1;
}
