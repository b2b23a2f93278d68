/* The local work of a level: the row-block vertices that border the frontier, and one parent for each.

   Top-down goes through the frontier (bits of the column block) and marks who is new in each one's list of by_col.
   Bottom-up goes through the vertices that are not visited (bits of the row block) and stops at the first of a list of
   by_row that is in the frontier. The list of v is lists[ptr[v]] up to lists[ptr[v + 1]], 32-bit numbers of the other
   block; those of by_row come by falling degree, so that a hub of the frontier is met early. Bottom-up writes each word
   of `found` and `visited` once, for 64 vertices; top-down sets bits wherever they fall.
   `parent` gets column-block numbers, and keeps what it has where nothing is found. `other` gets the vertices whose
   parent may not be the first of their list; in Kronecker graphs, some in a hundred.

   Source: the two steps of S. Beamer, K. Asanovic, D. Patterson, "Direction-optimizing breadth-first search", SC'12. */
#include "traverse.h"

#include <string.h>

#include "hot.h"

static inline void reach(uint32_t u, const uint32_t *v, const uint32_t *end, uint64_t *visited, uint64_t *found,
                         uint32_t *parent)
{
    for (; v < end; v++) {
        uint64_t bit = (uint64_t)1 << (*v % 64);
        if (visited[*v / 64] & bit) continue;
        visited[*v / 64] |= bit;
        found[*v / 64] |= bit;
        parent[*v] = u;
    }
}

void traverse_top_down(const struct graph *g, const uint64_t *frontier, uint64_t *visited, uint64_t *found,
                       uint64_t *other, uint32_t *parent)
{
    uint32_t words = words_for(col_bits(g));
    memset(found, 0, words_for(row_bits(g)) * sizeof *found);
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t left = frontier[w]; left; left &= left - 1) {
            uint32_t u = w * 64 + (uint32_t)__builtin_ctzll(left);
            reach(u, g->by_col + g->by_col_ptr[u], g->by_col + g->by_col_ptr[u + 1], visited, found, parent);
        }
    for (uint32_t w = 0; w < words_for(row_bits(g)); w++) other[w] |= found[w];
}

/* Neighbours come best first, so most searches end at the first or second. */
HOT void traverse_bottom_up(const struct graph *g, const uint64_t *restrict frontier, uint64_t *restrict visited,
                            uint64_t *restrict found, uint64_t *restrict other, uint32_t *restrict parent)
{
    uint32_t words = words_for(row_bits(g));
    const uint32_t *restrict ptr = g->by_row_ptr, *restrict lists = g->by_row;
    for (uint32_t w = 0; w < words; w++) {
        uint64_t hits = 0, later = 0;
        for (uint64_t left = g->row_nonempty[w] & ~visited[w]; left; left &= left - 1) {
            uint32_t v = w * 64 + (uint32_t)__builtin_ctzll(left);
            for (uint32_t first = ptr[v], at = first, end = ptr[v + 1]; at < end; at++) {
                uint32_t u = lists[at];
                if (!bit_get(frontier, u)) continue;
                parent[v] = u;
                hits |= left & -left;
                later |= at > first ? left & -left : 0;
                break;
            }
        }
        found[w] = hits;
        visited[w] |= hits;
        other[w] |= later;
    }
}
