/* The edge file: every rank parses its lines and sends each edge to the owners of its ends, in rounds; who gets one
   looks its ids up at once, so that an edge takes eight bytes from then on, or sixteen with its weight. */
#include "edges.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"
#include "memory.h"
#include "shuffle.h"
#include "text.h"

enum { BLOCKS_A_ROUND = 4, AHEAD = 32 };

static void add_chunk(struct edge_list *l)
{
    if (l->count == l->room) {
        uint32_t room = l->room * 2 + 16;
        l->chunks = take_more(l->chunks, l->count * sizeof *l->chunks, room * sizeof *l->chunks);
        l->room = room;
    }
    uint32_t *numbers = take(2 * (size_t)CHUNK * sizeof *numbers);
    l->chunks[l->count++] = (struct edge_chunk){.tail = numbers,
                                                .head = numbers + CHUNK,
                                                .weight = l->weighted ? take(CHUNK * sizeof(double)) : NULL};
}

void edge_list_free(struct edge_list *l)
{
    for (uint32_t c = 0; c < l->count; c++) {
        free(l->chunks[c].tail);
        free(l->chunks[c].weight);
    }
    free(l->chunks);
    *l = (struct edge_list){0};
}

struct edge {
    uint64_t tail, head;
    double weight;
};

static inline void edge_list_add(struct edge_list *l, uint32_t tail, uint32_t head, const struct edge *e)
{
    if (l->count == 0 || l->chunks[l->count - 1].count == CHUNK) add_chunk(l);
    struct edge_chunk *c = &l->chunks[l->count - 1];
    c->tail[c->count] = tail;
    c->head[c->count] = head;
    if (c->weight) c->weight[c->count] = e->weight;
    c->count++;
}

/* Edges of this rank's lines that wait to be sent, and where each goes; the memory serves all rounds. */
struct batch {
    struct edge *edge;
    uint64_t count, room;
    uint32_t *owner; /* of head and tail */
    char *out;
    uint64_t out_room; /* edges */
};

/* One line: NO_FAULT and past it, or what is wrong with it. */
static inline enum fault_kind read_edge(const char **at, int directed, int weighted, struct edge *e)
{
    const char *p = skip_blanks(*at);
    int tail = read_id(&p, &e->tail);
    if (tail > 0 && *p != ' ' && *p != '\t') return NOT_AN_EDGE;
    if (tail > 0) p = skip_blanks(p);
    int head = tail > 0 ? read_id(&p, &e->head) : 1;
    if (tail < 0 || head < 0) return EDGE_ID_RANGE;
    if (tail == 0 || head == 0) return *p == '-' && p[1] >= '0' && p[1] <= '9' ? EDGE_ID_RANGE : NOT_AN_EDGE;
    if (weighted) {
        const char *past = skip_blanks(p);
        if (*past == '\n' || *past == '\r') return NO_WEIGHT;
        if (past == p) return NOT_AN_EDGE;
        p = past;
        int is_weight = read_weight(&p, &e->weight);
        if (is_weight <= 0) return is_weight < 0 ? BAD_WEIGHT : NOT_AN_EDGE;
    }
    const char *next = end_line(p);
    if (!next) return !weighted && (*p == ' ' || *p == '\t') ? THIRD_COLUMN : NOT_AN_EDGE;
    if (e->tail == e->head) return SELF_LOOP;
    if (!directed && e->tail > e->head) return LARGER_FIRST;
    *at = next;
    return NO_FAULT;
}

static void batch_make_room(struct batch *b, uint64_t more)
{
    if (b->count + more <= b->room) return;
    uint64_t room = b->count + more;
    b->edge = take_more(b->edge, b->count * sizeof *b->edge, room * sizeof *b->edge);
    b->room = room;
}

static void batch_make_room_to_send(struct batch *b)
{
    if (b->room <= b->out_room) return;
    free(b->owner);
    free(b->out);
    b->owner = take(2 * b->room * sizeof *b->owner);
    b->out = take(2 * b->room * sizeof *b->edge);
    b->out_room = b->room;
}

static void read_block(const struct block *block, const struct files *files, struct batch *b, struct fault *fault)
{
    if (block->too_long) {
        fault_note(fault, LINE_TOO_LONG, block->offset);
        return;
    }
    batch_make_room(b, (uint64_t)(block->to - block->from) / 4 + 1); /* "1 2" and a newline */
    for (const char *p = block->from; p < block->to;) {
        const char *line = p;
        enum fault_kind kind = read_edge(&p, files->directed, files->weighted, &b->edge[b->count]);
        if (kind != NO_FAULT) {
            int last = block->cut && next_line(line) == block->to;
            if (last && (kind == NOT_AN_EDGE || kind == NO_WEIGHT)) kind = EDGE_CUT_OFF;
            fault_note(fault, kind, block->offset + (uint64_t)(line - block->from));
            return;
        }
        b->count++;
    }
}

/* Its slot; ids of other ranks get the next number at first sight, an own id that is none is marked. */
static inline struct slot *look_up(struct loading *l, uint64_t id, uint64_t hash)
{
    struct slot *s = table_find(&l->table, id, hash);
    if (s->id == NO_ID) {
        const struct net *net = l->graph->net;
        int is_unknown = owner_of(hash, net->ranks) == net->rank || (l->table.dense && id >= l->table.mask);
        l->unknown += (uint64_t)is_unknown;
        table_put(&l->table, s, id, is_unknown ? NO_INDEX : l->numbers++);
    }
    return s;
}

static inline void keep(struct loading *l, uint32_t tail, uint32_t head, const struct edge *e)
{
    if (tail == NO_INDEX || head == NO_INDEX) return;
    int one_list = !l->graph->directed || l->graph->net->ranks == 1;
    if (one_list || head < l->graph->own) edge_list_add(&l->heads, tail, head, e);
    if (!one_list && !l->heads.weighted && tail < l->graph->own) edge_list_add(&l->tails, tail, head, e);
}

/* Looks the ids of a group up once their slots are on their way to the cache; files by tail have the same tail often in
   a row. An edge is `width` bytes. */
static void enter(struct loading *l, const char *edges, uint64_t count, size_t width)
{
    uint64_t heads[AHEAD];
    for (uint64_t first = 0; first < count; first += AHEAD) {
        uint64_t n = count - first < AHEAD ? count - first : AHEAD;
        struct slot *tail = NULL;
        table_make_room(&l->table, 2 * n);
        for (uint64_t k = 0; k < n; k++) {
            const struct edge *e = (const void *)(edges + (first + k) * width);
            table_prefetch(&l->table, e->head, heads[k] = id_hash(e->head));
        }
        for (uint64_t k = 0; k < n; k++) {
            const struct edge *e = (const void *)(edges + (first + k) * width);
            if (!tail || tail->id != e->tail) tail = look_up(l, e->tail, id_hash(e->tail));
            struct slot *head = look_up(l, e->head, heads[k]);
            tail->ends++;
            head->ends++;
            keep(l, tail->number, head->number, e);
        }
    }
}

/* To the owner of its head, and to that of its tail where that one needs it too. */
static void send_and_enter(struct loading *l, struct batch *b, size_t width)
{
    struct net *net = l->graph->net;
    batch_make_room_to_send(b);
    int ranks = net->ranks, heads_only = l->graph->directed && l->heads.weighted;
    uint64_t counts[ranks], next[ranks], n = 0;
    memset(counts, 0, sizeof counts);
    for (uint64_t k = 0; k < b->count; k++) {
        int head = owner_of(id_hash(b->edge[k].head), ranks), tail = owner_of(id_hash(b->edge[k].tail), ranks);
        if (heads_only) tail = head;
        b->owner[2 * k] = (uint32_t)head;
        b->owner[2 * k + 1] = (uint32_t)tail;
        counts[head]++;
        counts[tail] += head != tail;
    }
    for (int r = 0; r < ranks; n += counts[r++]) next[r] = n;
    for (uint64_t k = 0; k < b->count; k++) {
        uint32_t head = b->owner[2 * k], tail = b->owner[2 * k + 1];
        memcpy(b->out + next[head]++ * width, &b->edge[k], width);
        if (head != tail) memcpy(b->out + next[tail]++ * width, &b->edge[k], width);
    }
    struct shuffled came = shuffle(net, b->out, counts, width);
    enter(l, came.data, came.total, width);
    shuffled_free(&came);
}

/* One round: false when no rank has lines left. */
static int read_round(struct loading *l, struct text *text, struct batch *b, struct fault *fault)
{
    struct net *net = l->graph->net;
    struct block block;
    uint64_t more = 0;
    b->count = 0;
    for (int i = 0; i < (net->ranks > 1 ? BLOCKS_A_ROUND : 1) && fault->kind == NO_FAULT; i++) {
        if (!text_next(text, &block)) break;
        read_block(&block, l->files, b, fault);
        more = fault->kind == NO_FAULT;
    }
    l->graph->edges += b->count;
    if (net->ranks == 1) {
        enter(l, (const char *)b->edge, b->count, sizeof *b->edge);
        return (int)more;
    }
    send_and_enter(l, b, l->heads.weighted ? sizeof *b->edge : offsetof(struct edge, weight));
    net_max(net, &more, 1);
    return (int)more;
}

int edges_read(struct loading *l)
{
    struct net *net = l->graph->net;
    struct text text;
    struct batch batch = {0};
    struct fault fault = {NO_FAULT, 0};
    uint64_t closed = !text_open(&text, l->files->edges, net, 0);
    l->numbers = l->graph->own;
    net_max(net, &closed, 1);
    if (closed && net->rank == 0)
        fprintf(stderr, "predict-graphalytics: %s cannot be read on every host.\n", l->files->edges);
    if (closed) return 0;
    while (read_round(l, &text, &batch, &fault)) continue;
    text_close(&text);
    free(batch.edge);
    free(batch.owner);
    free(batch.out);
    net_sum(net, &l->graph->edges, 1);
    return !fault_said(net, l->files->edges, fault);
}
