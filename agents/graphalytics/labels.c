/* One superstep of labels that fall: what ranks tell, ask and answer (wcc.c). What is told alone makes all labels of a
   component one; questions and answers only save supersteps. */
#include <stdlib.h>
#include <string.h>

#include "components.h"
#include "memory.h"
#include "shuffle.h"
#include "table.h"

/* A label that a part of the receiver gets: place as in struct reach. */
struct told {
    uint32_t place, vertex, ordinal;
};

size_t labels_room(uint32_t vertices) { return ((size_t)vertices + GIANTS) * sizeof(struct told); }

static void read_told(struct components *c, const struct graph *g, int rank, const struct told *t, uint64_t count)
{
    const uint32_t *copy = g->copy + g->copy_start[rank], copies = copies_of(g, rank);
    struct reach *yours = &c->reaches[c->reaches_start[rank + 1] - GIANTS + YOURS];
    for (uint64_t k = 0; k < count; k++) {
        uint32_t place = t[k].place, part;
        if (place < copies) part = part_of(c->part, copy[place]);
        else part = place == copies + YOURS ? part_of(c->part, c->largest) : c->giant_of[rank];
        uint64_t label = (uint64_t)t[k].ordinal << 32 | t[k].vertex;
        if (part != NO_INDEX) fall(c, part, label);
        if (place == copies + MINE && label < yours->told) yours->told = label;
    }
}

static void tell(struct job *j)
{
    const struct graph *g = j->graph;
    struct components *c = j->state;
    int ranks = g->net->ranks;
    for (uint32_t k = 0; k < c->root_count; k++) c->before[c->roots[k]] = c->label[c->roots[k]];
    for (int r = 0; r < ranks; r++) {
        struct told *t = c->out[r].data;
        for (uint64_t k = c->reaches_start[r]; k < c->reaches_start[r + 1]; k++) {
            struct reach *to = &c->reaches[k];
            if (to->part == NO_INDEX || c->label[to->part] >= to->told) continue;
            to->told = c->label[to->part];
            *t++ = (struct told){to->place, (uint32_t)to->told, (uint32_t)(to->told >> 32)};
        }
        c->out[r].bytes = (uint64_t)((char *)t - (char *)c->out[r].data);
        c->in[r].bytes = labels_room(copies_of(g, r));
    }
    net_exchange(g->net, ALONG_ALL, c->out, c->in);
    for (int r = 0; r < ranks; r++)
        if (r != g->net->rank) read_told(c, g, r, c->in[r].data, c->in[r].bytes / sizeof(struct told));
}

/* Labels, each once. */
struct labels {
    uint64_t *label;
    uint32_t *rank; /* whose vertex names it */
    uint64_t count, remote;
    struct table known; /* from labels to their places here */
};

static struct labels labels_open(uint32_t most)
{
    struct labels l = {.label = take(((size_t)most + 1) * sizeof *l.label),
                       .rank = take(((size_t)most + 1) * sizeof *l.rank)};
    table_open(&l.known, 0);
    return l;
}

static void labels_close(struct labels *l)
{
    free(l->label);
    free(l->rank);
    table_free(&l->known);
}

/* The place of a label, which is added where it is not there. */
static uint64_t labels_add(const struct job *j, struct labels *l, uint64_t label)
{
    const struct components *c = j->state;
    if (l->count > 0 && l->label[l->count - 1] == label) return l->count - 1;
    table_make_room(&l->known, 1);
    struct slot *slot = table_find(&l->known, label, id_hash(label));
    if (slot->id == label) return slot->number;
    table_put(&l->known, slot, label, (uint32_t)l->count);
    l->rank[l->count] = (uint32_t)rank_holding(c->first, j->graph->net->ranks, (uint32_t)label);
    l->remote += l->rank[l->count] != (uint32_t)j->graph->net->rank;
    l->label[l->count] = label;
    return l->count++;
}

/* A label that was given up for another: the part that it stands for is one with that. */
struct better {
    uint64_t place, label;
};

struct hooks {
    struct labels given_up;
    struct better *better; /* of each */
};

static struct hooks hooks_open(const struct job *j)
{
    const struct components *c = j->state;
    struct hooks h = {labels_open(c->root_count), take(((size_t)c->root_count + 1) * sizeof *h.better)};
    for (uint32_t k = 0; k < c->root_count; k++) {
        uint64_t before = c->before[c->roots[k]], label = c->label[c->roots[k]], known = h.given_up.count;
        if (label == before) continue;
        uint64_t at = labels_add(j, &h.given_up, before);
        if (at == known || label < h.better[at].label) h.better[at] = (struct better){(uint32_t)before, label};
    }
    return h;
}

static void hooks_close(struct hooks *h)
{
    labels_close(&h->given_up);
    free(h->better);
}

static void hook(struct job *j, const struct hooks *h)
{
    const struct graph *g = j->graph;
    struct components *c = j->state;
    uint64_t n = h->given_up.count, counts[g->net->ranks], *order = take((n + 1) * sizeof *order);
    struct better *out = take((n + 1) * sizeof *out);
    order_by_rank(h->given_up.rank, n, g->net->ranks, counts, order);
    for (uint64_t k = 0; k < n; k++) out[order[k]] = h->better[k];
    struct shuffled came = shuffle(g->net, out, counts, sizeof *out);
    const struct better *b = came.data;
    for (uint64_t k = 0; k < came.total; k++)
        fall(c, part_of(c->part, b[k].place - c->first[g->net->rank]), b[k].label);
    shuffled_free(&came);
    free(out);
    free(order);
}

/* Labels of others' vertices that parts here have, but for those that a giant would tell of. */
static struct labels questions_open(const struct job *j)
{
    const struct graph *g = j->graph;
    const struct components *c = j->state;
    struct labels l = labels_open(c->root_count);
    uint32_t first = c->first[g->net->rank], last = c->first[g->net->rank + 1];
    for (uint32_t k = 0; k < c->root_count; k++) {
        uint64_t label = c->label[c->roots[k]];
        if ((uint32_t)label >= first && (uint32_t)label < last) continue;
        int owner = rank_holding(c->first, g->net->ranks, (uint32_t)label);
        if (c->giant_of[owner] == c->roots[k] && c->reaches[c->reaches_start[owner + 1] - GIANTS + YOURS].told == label)
            continue;
        labels_add(j, &l, label);
    }
    return l;
}

/* Each part's label for the one that its vertex has by now. */
static void jump(struct job *j)
{
    const struct graph *g = j->graph;
    struct components *c = j->state;
    struct labels l = questions_open(j);
    uint64_t n = l.count, counts[g->net->ranks], *order = take((n + 1) * sizeof *order),
             *reply = take((n + 1) * sizeof *reply);
    uint32_t *ask = take((n + 1) * sizeof *ask);
    order_by_rank(l.rank, n, g->net->ranks, counts, order);
    for (uint64_t k = 0; k < n; k++) ask[order[k]] = (uint32_t)l.label[k];
    struct shuffled asked = shuffle(g->net, ask, counts, sizeof *ask);
    const uint32_t *place = asked.data;
    uint64_t *answers = take((asked.total + 1) * sizeof *answers);
    for (uint64_t k = 0; k < asked.total; k++)
        answers[k] = c->label[part_of(c->part, place[k] - c->first[g->net->rank])];
    shuffle_back(g->net, &asked, answers, counts, reply, sizeof *reply);
    for (uint32_t k = 0; k < c->root_count && n > 0; k++) {
        uint64_t label = c->label[c->roots[k]];
        const struct slot *slot = table_find(&l.known, label, id_hash(label));
        if (slot->id == label) fall(c, c->roots[k], reply[order[slot->number]]);
    }
    free(answers);
    shuffled_free(&asked);
    free(ask);
    free(reply);
    free(order);
    labels_close(&l);
}

int labels_fall(struct job *j)
{
    struct components *c = j->state;
    tell(j);
    struct hooks hooks = hooks_open(j);
    struct labels questions = questions_open(j);
    uint64_t sums[] = {c->falls, hooks.given_up.remote, questions.count};
    labels_close(&questions);
    phase_ends(j, EXCHANGE);
    net_sum(j->graph->net, sums, 3);
    phase_ends(j, SYNCHRONISE);
    c->falls = 0;
    if (sums[0] > 0 && sums[1] > 0) hook(j, &hooks);
    if (sums[0] > 0 && sums[1] + sums[2] > 0) jump(j);
    hooks_close(&hooks);
    return sums[0] > 0;
}
