/* Both halves of a label are cut into q ranges as even as can be: range k of 2^bits values starts at k * 2^bits / q,
   rounded up. The grid of blocks is that of A. Buluc, K. Madduri, "Parallel breadth-first search on distributed memory
   systems", SC'11. */
#include "layout.h"

static struct span part(int bits, int parts, int which)
{
    uint64_t size = (uint64_t)1 << bits, n = (uint64_t)parts;
    uint64_t first = ((uint64_t)which * size + n - 1) / n;
    uint64_t end = (((uint64_t)which + 1) * size + n - 1) / n;
    return (struct span){first, end - first};
}

struct span layout_upper_span(const struct layout *l, int row) { return part(l->scale - l->lower_bits, l->side, row); }

struct span layout_lower_span(const struct layout *l, int col) { return part(l->lower_bits, l->side, col); }

void layout_open(struct layout *l, int scale, const struct net *net)
{
    l->scale = scale;
    l->side = net->side;
    l->lower_bits = scale / 2;
    l->row = layout_upper_span(l, net->row);
    l->col = layout_lower_span(l, net->col);
}

struct naming layout_naming(const struct layout *l, int col)
{
    struct span lower = layout_lower_span(l, col);
    struct naming n = {.first = lower.first};
    while (lower.count > (uint64_t)1 << n.bits) n.bits++;
    n.name_bits = l->scale - l->lower_bits + n.bits;
    return n;
}

static int place_of(uint64_t x, int bits, int parts)
{
    int which = 0;
    while (!in_span(part(bits, parts, which), x)) which++;
    return which;
}

int layout_owner(const struct layout *l, uint64_t label)
{
    int row = place_of(upper_of(l, label), l->scale - l->lower_bits, l->side);
    return row * l->side + place_of(lower_of(l, label), l->lower_bits, l->side);
}
