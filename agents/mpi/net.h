/* The ranks of a program and the messages between them: along the rows and columns of a q x q grid, for programs that
   part their data in two dimensions on a square number of ranks, or among all, for any number. */
#ifndef PREDICT_MPI_NET_H
#define PREDICT_MPI_NET_H
#include <stdint.h>

#include "message-log.h"

struct net {
    int rank, ranks;
    int side;                /* q: ranks = q * q */
    int row, col;            /* rank = row * q + col */
    uint64_t bytes_sent;     /* payload handed to MPI for other ranks, so far */
    struct message_log *log; /* what exchanges tell of their messages; NULL: nothing */
};

/* A message to or from one peer, of any length; for a receive, `bytes` is the room before and the length after. */
struct message {
    void *data;
    uint64_t bytes;
};

/* In the place of bytes: nothing is sent, which the peer has to know. */
#define NO_MESSAGE UINT64_MAX

enum axis { ALONG_ROW, ALONG_COLUMN, ALONG_ALL };

/* False when the number of ranks is no perfect square. */
int net_open(struct net *net);

/* Place of this rank along the axis, and the rank in world of the peer at a place. */
int net_place(const struct net *net, enum axis axis);
int net_peer(const struct net *net, enum axis axis, int place);

/* Sends out[p] to, and receives in[p] from, every other place p along the axis (own place skipped).
   Arrays have as many entries as there are places: q, or all ranks. Lengths of received messages need not be known
   beforehand. */
void net_exchange(struct net *net, enum axis axis, const struct message *out, struct message *in);

/* The same along both axes at once, with one message for everybody. */
void net_spread(struct net *net, struct message out, struct message *row_in, struct message *column_in);

/* Seconds, once all ranks are here. */
double net_time(void);

/* Whether what follows is measured, as everything is until the first call. Tells tools (MPI_Pcontrol) and the lab's
   helper (agents/idle), which does not hold back what nobody measures. */
void net_measured(int is);

/* World sums and maxima; counted as ceil(log2 P) sends of the array (recursive doubling). */
void net_sum(struct net *net, uint64_t *values, int count);
void net_max(struct net *net, uint64_t *values, int count);

/* A number of every rank, by rank; counted as one send to each other rank. */
void net_gather(struct net *net, uint64_t mine, uint64_t *of);

#endif
