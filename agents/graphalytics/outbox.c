#include "outbox.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

uint32_t *outbox_add(struct outbox *box, uint64_t words)
{
    if (box->count + words > box->room) {
        uint64_t room = (box->count + words) * 2;
        box->words = take_more(box->words, box->count * sizeof *box->words, room * sizeof *box->words);
        box->room = room;
    }
    box->count += words;
    return box->words + box->count - words;
}

struct shuffled outboxes_send(struct net *net, struct outbox *box)
{
    uint64_t counts[net->ranks], all = 0;
    for (int r = 0; r < net->ranks; r++) all += counts[r] = box[r].count;
    uint32_t *words = take((all + 1) * sizeof *words), *to = words;
    for (int r = 0; r < net->ranks; to += box[r++].count) {
        if (box[r].count) memcpy(to, box[r].words, box[r].count * sizeof *words);
    }
    for (int r = 0; r < net->ranks; r++) box[r].count = 0;
    struct shuffled came = shuffle(net, words, counts, sizeof *words);
    free(words);
    return came;
}
