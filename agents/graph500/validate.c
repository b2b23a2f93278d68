/* The five rules of validate.h, each checked where its data are.

   In: parent and claimed level of each vertex, on its owner. They are spread first (tree.c, levels.c), so that a rank
   has a byte of level for every vertex of its row and column block, and the parent of those column-block vertices
   whose parent is in its row block. Then no further message is needed but the sum of the offences:
     rules 3 to 5 in one pass over the lists of neighbours: the levels at both ends of every input edge, gathered in
     batches, and whether the parent is in the list (on one rank, where a list has not all, a pass of its own);
     rule 2 from the levels of child and parent, rule 1 from each vertex alone.
   Only a tree that breaks rule 2 has its chains of parents followed (chains.c), and which of rules 3 and 4 an edge
   breaks is looked for only when one does.

   Source: Graph500 specification 2.0, section 8. */
#include "validate.h"

#include <stdlib.h>
#include <string.h>

#include "chains.h"
#include "hot.h"
#include "levels.h"
#include "memory.h"
#include "tree.h"

const char *rule_text(int rule)
{
    static const char *const texts[] = {"",
                                        "vertices whose parents do not lead to the root",
                                        "tree edges that do not join levels one apart",
                                        "input edges that join levels more than one apart",
                                        "input edges that leave the tree",
                                        "tree edges that are not in the graph"};
    return texts[rule];
}

/* Rule 1 as far as one vertex shows it: reached or not in both senses, and one root alone. */
static uint64_t own_offences(const struct bfs *b, struct search_key key, const uint8_t *levels)
{
    const struct graph *g = b->graph;
    uint64_t offences = 0;
    for (uint32_t v = 0; v < g->own; v++) offences += (b->parent[v] == NO_PARENT) != (levels[v] == NO_LEVEL);
    if ((int)key.owner != g->net->rank) return offences;
    int own_parent = b->parent[key.local] == g->col_start[g->net->row] + key.local &&
                     (!b->parent_column || b->parent_column[key.local] == g->net->col);
    return offences + !(own_parent && levels[key.local] == 0);
}

/* The root's number in the column block, where its parent, itself, is no tree edge. */
static uint32_t root_here(const struct graph *g, struct search_key key)
{
    int q = g->net->side;
    return (int)key.owner % q == g->net->col ? g->col_start[(int)key.owner / q] + key.local : NO_PARENT;
}

/* Rule 2, each tree edge where the input edges between its ends are. */
static uint64_t level_steps(const struct graph *g, const struct tree *t, uint32_t root)
{
    uint64_t offences = 0;
    uint32_t cols = col_bits(g), rows = row_bits(g);
    for (uint32_t v = 0; v < cols; v++) {
        uint32_t p = t->col_parent[v];
        int above = t->row_level[p < rows ? p : 0]; /* no branch: whether a parent is here is as good as random */
        int wrong = (p >= rows) | (above == NO_LEVEL) | (t->col_level[v] != above + 1);
        offences += (uint64_t)(wrong & (p != NO_PARENT) & (v != root));
    }
    return offences;
}

struct edge_faults {
    uint64_t apart, leaving;
};

/* Lists are taken STRIDE edges at a time whatever their length, which spares a mispredicted branch for each of
   the many short ones; what is too much is overwritten by the next. Arrays of edges have room for that. */
enum { STRIDE = 16, BATCH = 4096 };

struct batch {
    uint32_t row[BATCH + 2 * STRIDE];
    uint8_t col_level[BATCH + 2 * STRIDE], row_level[BATCH + 2 * STRIDE];
};

/* NO_LEVEL is more than one above every level that a search claims: so rules 3 and 4 are one comparison. */
HOT static uint64_t batch_apart(struct batch *restrict b, uint32_t count, const uint8_t *restrict row_level)
{
    uint32_t apart = 0;
    for (uint32_t e = 0; e < count; e++) b->row_level[e] = row_level[b->row[e]];
    for (uint32_t e = 0; e < count; e++) {
        uint8_t x = b->col_level[e], y = b->row_level[e];
        uint8_t steps = (uint8_t)((x > y ? x : y) - (x > y ? y : x));
        apart += steps > 1;
    }
    return apart;
}

/* Narrow enough for every processor: wider vectors are taken apart before the loader's choice of HOT counts. */
typedef int32_t four __attribute__((vector_size(16)));

struct list_faults {
    uint64_t apart;    /* input edges against rules 3 or 4 */
    uint64_t unlisted; /* vertices whose parent is not in their whole list */
};

/* All ones where the first `left` of STRIDE numbers are p. */
static inline four same(const uint32_t *list, int32_t left, int32_t p)
{
    four hits = {0};
    for (int i = 0; i < STRIDE; i += 4) {
        four some, place = {i, i + 1, i + 2, i + 3};
        memcpy(&some, list + i, sizeof some);
        hits |= (some == p) & (place < left);
    }
    return hits;
}

/* One pass over all lists: the levels of each input edge, and the parent among all neighbours. */
HOT static struct list_faults check_lists(const struct graph *g, const struct tree *t)
{
    const uint32_t *restrict row = g->input_row, *restrict parent = t->col_parent;
    const uint32_t *whole_end = g->net->side > 1 ? g->by_col_ptr + 1 : g->input_last;
    const uint8_t *restrict level = t->col_level;
    struct batch b;
    struct list_faults faults = {0, 0};
    uint32_t count = 0, cols = col_bits(g);
    for (uint32_t u = 0; u < cols; u++) {
        uint32_t p = parent[u], first = g->input_first[u];
        for (uint32_t at = first, end = g->input_last[u]; at < end; at += STRIDE) {
            memcpy(b.row + count, row + at, STRIDE * sizeof *row);
            memset(b.col_level + count, level[u], STRIDE);
            count += end - at < STRIDE ? end - at : STRIDE;
            if (count < BATCH) continue;
            faults.apart += batch_apart(&b, count, t->row_level);
            count = 0;
        }
        four found = {0};
        for (uint32_t at = first, end = whole_end[u]; at < end; at += STRIDE)
            found |= same(row + at, end - at < STRIDE ? (int32_t)(end - at) : STRIDE, (int32_t)p);
        uint64_t halves[2];
        memcpy(halves, &found, sizeof halves);
        faults.unlisted += (p != NO_PARENT) & ((halves[0] | halves[1]) == 0);
    }
    faults.apart += batch_apart(&b, count, t->row_level);
    return faults;
}

/* Which of the two rules; only for trees that break one. */
static struct edge_faults sort_faults(const struct graph *g, const struct tree *t)
{
    struct edge_faults f = {0, 0};
    for (uint32_t u = 0; u < col_bits(g); u++)
        for (uint32_t at = g->input_first[u]; at < g->input_last[u]; at++) {
            int a = t->col_level[u], b = t->row_level[g->input_row[at]];
            int both = (a != NO_LEVEL) & (b != NO_LEVEL);
            f.leaving += (a != NO_LEVEL) != (b != NO_LEVEL);
            f.apart += both & (a - b > 1 || b - a > 1);
        }
    return f;
}

/* Rule 5 on one rank, where an edge stands under one of its ends only: marks the children whose tree edge it is. */
static uint64_t strangers_alone(const struct graph *g, const uint32_t *parent, uint32_t root)
{
    uint64_t *seen = take_zero((size_t)words_for(g->own) * 8 + 8), offences = 0;
    for (uint32_t u = 0; u < g->own; u++)
        for (uint32_t at = g->input_first[u], end = g->input_last[u], above = parent[u]; at < end; at++) {
            uint32_t v = g->input_row[at];
            if (parent[v] == u) bit_set(seen, v);
            if (above == v) bit_set(seen, u);
        }
    for (uint32_t v = 0; v < g->own; v++) offences += parent[v] != NO_PARENT && v != root && !bit_get(seen, v);
    free(seen);
    return offences;
}

struct verdict validate(const struct bfs *b, struct search_key key, const uint8_t *levels)
{
    const struct graph *g = b->graph;
    uint32_t root = root_here(g, key);
    struct tree t;
    struct verdict v = {{0}};
    tree_spread(&t, b, key, levels);
    struct list_faults lists = check_lists(g, &t);
    struct edge_faults f = lists.apart > 0 ? sort_faults(g, &t) : (struct edge_faults){0, 0};
    v.broken[1] = own_offences(b, key, levels);
    v.broken[2] = level_steps(g, &t, root);
    v.broken[3] = f.apart;
    v.broken[4] = f.leaving;
    v.broken[5] = g->net->side > 1 ? t.nowhere + lists.unlisted : strangers_alone(g, b->parent, root);
    net_sum(g->net, v.broken + 1, RULES);
    if (v.broken[2] > 0) v.broken[1] += chains_astray(b, key, &t);
    tree_free(&t, b);
    return v;
}
