/* Messages between ranks: point to point, none of a length known beforehand, all posted at once.
   A rank talks to the q - 1 others of its row or column, or to all others; in step s it sends to the place s after its
   own and receives from the place s before, so no rank is everybody's first target. A receive is posted with the room
   there is, and the status tells the length. bytes_sent counts payload in bytes as it is handed to MPI: a message to n
   peers n times; of an allreduce the array once for each of the ceil(log2 P) rounds of recursive doubling, whatever MPI
   does.

   Source of the pattern: A. Buluc, K. Madduri, "Parallel breadth-first search on distributed memory systems", SC'11,
   whose expand and fold are exchanges along one dimension of the grid. */
#include "net.h"

#include <mpi.h>
#include <stdlib.h>

#include "memory.h"

enum { TAG = 77 };

/* MPI counts in an int: what is longer goes as one item of a type made for it. */
#ifndef MOST_BYTES
#define MOST_BYTES INT32_MAX
#endif
enum { BLOCK = MOST_BYTES / 2 };

/* Of agents/idle (govern.h), where it is preloaded. */
extern void predict_measured(int is) __attribute__((weak));

int net_open(struct net *net)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &net->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &net->ranks);
    int side = 1;
    while ((side + 1) * (side + 1) <= net->ranks) side++;
    net->side = side;
    net->row = net->rank / side;
    net->col = net->rank % side;
    net->bytes_sent = 0;
    net->log = NULL;
    return side * side == net->ranks;
}

static int places(const struct net *net, enum axis axis) { return axis == ALONG_ALL ? net->ranks : net->side; }

int net_place(const struct net *net, enum axis axis)
{
    if (axis == ALONG_ALL) return net->rank;
    return axis == ALONG_ROW ? net->col : net->row;
}

int net_peer(const struct net *net, enum axis axis, int place)
{
    if (axis == ALONG_ALL) return place;
    return axis == ALONG_ROW ? net->row * net->side + place : place * net->side + net->col;
}

/* What so many bytes are to MPI. */
struct items {
    MPI_Datatype type;
    int count;
};

static struct items items_of(uint64_t bytes)
{
    if (bytes <= MOST_BYTES) return (struct items){MPI_BYTE, (int)bytes};
    MPI_Datatype parts[2] = {MPI_BYTE, MPI_BYTE}, whole;
    MPI_Type_contiguous(BLOCK, MPI_BYTE, &parts[0]);
    int counts[2] = {(int)(bytes / BLOCK), (int)(bytes % BLOCK)};
    MPI_Aint places[2] = {0, (MPI_Aint)(bytes - bytes % BLOCK)};
    MPI_Type_create_struct(2, counts, places, parts, &whole);
    MPI_Type_commit(&whole);
    MPI_Type_free(&parts[0]);
    return (struct items){whole, 1};
}

/* Messages that are on their way keep the type. */
static void items_free(struct items *i)
{
    if (i->type != MPI_BYTE) MPI_Type_free(&i->type);
}

/* Receives first, then sends that start at the next place, so that nobody is everyone's first target. */
static int post(struct net *net, enum axis axis, const struct message *out, int one_for_all, struct message *in,
                MPI_Request *requests)
{
    int here = net_place(net, axis), q = places(net, axis), n = 0;
    for (int step = 1; step < q; step++) {
        int from = (here - step + q) % q, peer = net_peer(net, axis, from);
        if (in[from].bytes == NO_MESSAGE) continue;
        if (net->log) message_log_receive(net->log, peer);
        struct items i = items_of(in[from].bytes);
        MPI_Irecv(in[from].data, i.count, i.type, peer, TAG + (int)axis, MPI_COMM_WORLD, &requests[n++]);
        items_free(&i);
    }
    for (int step = 1; step < q; step++) {
        int to = (here + step) % q, peer = net_peer(net, axis, to);
        const struct message *m = one_for_all ? out : &out[to];
        if (m->bytes == NO_MESSAGE) continue;
        if (net->log) message_log_send(net->log, peer, m->bytes);
        struct items i = items_of(m->bytes);
        MPI_Isend(m->data, i.count, i.type, peer, TAG + (int)axis, MPI_COMM_WORLD, &requests[n++]);
        items_free(&i);
        if (net->log) message_log_sent(net->log);
        net->bytes_sent += m->bytes;
    }
    return n;
}

static void wait_for(struct net *net, int n, MPI_Request *requests, MPI_Status *statuses)
{
    if (net->log) message_log_wait(net->log, n, requests, statuses);
    else MPI_Waitall(n, requests, statuses);
}

static void read_lengths(const struct net *net, enum axis axis, struct message *in, MPI_Status *statuses)
{
    int here = net_place(net, axis), q = places(net, axis);
    for (int step = 1; step < q; step++) {
        struct message *m = &in[(here - step + q) % q];
        if (m->bytes != NO_MESSAGE) m->bytes = bytes_received(statuses++);
    }
}

void net_exchange(struct net *net, enum axis axis, const struct message *out, struct message *in)
{
    int q = places(net, axis);
    if (q == 1) return;
    MPI_Request requests[2 * q];
    MPI_Status statuses[2 * q];
    int n = post(net, axis, out, 0, in, requests);
    wait_for(net, n, requests, statuses);
    read_lengths(net, axis, in, statuses);
}

void net_spread(struct net *net, struct message out, struct message *row_in, struct message *column_in)
{
    if (net->side == 1) return;
    MPI_Request requests[4 * net->side];
    MPI_Status statuses[4 * net->side];
    int n = post(net, ALONG_COLUMN, &out, 1, column_in, requests);
    int all = n + post(net, ALONG_ROW, &out, 1, row_in, requests + n);
    wait_for(net, all, requests, statuses);
    read_lengths(net, ALONG_COLUMN, column_in, statuses);
    read_lengths(net, ALONG_ROW, row_in, statuses + n);
}

static void reduce(struct net *net, uint64_t *values, int count, MPI_Op op)
{
    if (net->ranks == 1) return;
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_UINT64_T, op, MPI_COMM_WORLD);
    for (int reach = 1; reach < net->ranks; reach *= 2) net->bytes_sent += (uint64_t)count * sizeof *values;
}

void net_sum(struct net *net, uint64_t *values, int count) { reduce(net, values, count, MPI_SUM); }

void net_max(struct net *net, uint64_t *values, int count) { reduce(net, values, count, MPI_MAX); }

void net_gather(struct net *net, uint64_t mine, uint64_t *of)
{
    MPI_Allgather(&mine, 1, MPI_UINT64_T, of, 1, MPI_UINT64_T, MPI_COMM_WORLD);
    net->bytes_sent += (uint64_t)(net->ranks - 1) * sizeof mine;
}

double net_time(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime();
}

void net_measured(int is)
{
    MPI_Pcontrol(is);
    if (predict_measured) predict_measured(is);
}
