/* Words for other ranks in the making: one box per rank. */
#ifndef GA_OUTBOX_H
#define GA_OUTBOX_H
#include <stdint.h>

#include "shuffle.h"

struct outbox {
    uint32_t *words;
    uint64_t count, room;
};

/* Where so many more words go. */
uint32_t *outbox_add(struct outbox *box, uint64_t words);

/* Sends all of them, and returns what came; the boxes are empty then. Call on all ranks. */
struct shuffled outboxes_send(struct net *net, struct outbox *box);

#endif
