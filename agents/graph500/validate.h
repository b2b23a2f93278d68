/* The five rules of the Graph500 specification 2.0, section 8, on the input edges, on all ranks.
     1 the parents form a tree that hangs from the root: no cycle, every chain ends there
     2 every tree edge joins levels one apart
     3 every input edge joins levels at most one apart
     4 the tree spans the root's component: no input edge leaves it
     5 every tree edge is an input edge
   Levels are those the search claims. If rule 2 holds everywhere and the root alone has level 0, levels
   fall along every chain of parents, which proves rule 1; else the chains are followed one by one. */
#ifndef G500_VALIDATE_H
#define G500_VALIDATE_H

#include "bfs.h"

enum { RULES = 5 };

struct verdict {
    uint64_t broken[RULES + 1]; /* offences against rule r, whole graph */
};

struct verdict validate(const struct bfs *b, struct search_key key, const uint8_t *levels);

const char *rule_text(int rule);

#endif
