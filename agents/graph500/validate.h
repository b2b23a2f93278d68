/* The five rules of the Graph500 specification 2.0, section 8, on the generated edge list, on all ranks.
     1 the parents form a tree that hangs from the root: no cycle, every chain ends there
     2 every tree edge joins levels one apart
     3 every input edge joins levels at most one apart
     4 the tree spans the root's component: no input edge leaves it
     5 every tree edge is an input edge
   Levels are those the search claims. If rule 2 holds everywhere and the root alone has level 0, levels
   fall along every chain of parents, which proves rule 1; else the chains are followed one by one.
   The edges of the list are made once for several searches, which wait for it. */
#ifndef G500_VALIDATE_H
#define G500_VALIDATE_H

#include "claims.h"

enum { RULES = 5 };

struct verdict {
    uint64_t broken[RULES + 1]; /* offences against rule r, whole graph */
    uint64_t edges;             /* edges of the list, self-loops and repeats among them, in the tree */
};

struct validation {
    struct claims claims;
    struct search_key keys[LANES];
    struct verdict verdicts[LANES]; /* of the searches that wait; valid after validation_check */
    int waiting;
};

/* `searches` tells how many will be validated in all. */
void validation_open(struct validation *v, const struct graph *g, int searches);

/* Takes a copy of what a search claims; levels as claimed_levels gives them. True when no further one fits. */
int validation_add(struct validation *v, const struct bfs *b, struct search_key key, const uint8_t *levels);

/* Judges all that wait, into verdicts[0 .. the number returned). */
int validation_check(struct validation *v);

void validation_close(struct validation *v);

const char *rule_text(int rule);

#endif
