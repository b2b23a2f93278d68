/* Collective calls (MPI 3.1, chapters 5 and 7.6), blocking and not. Arguments that MPI does not read on a rank are not
   read here either: beside MPI_IN_PLACE, and away from the root, they may be anything. */
#include "groups.h"
#include "messages.h"
#include "wrap.h"

static int64_t sent(const void *buffer, int64_t count, MPI_Datatype type)
{
    return buffer == MPI_IN_PLACE ? 0 : bytes_of(count, type);
}

static int64_t sum(const void *buffer, MPI_Comm comm, const int counts[])
{
    const struct group *g = group_of(comm);
    int64_t all = 0;
    for (int i = 0; buffer != MPI_IN_PLACE && i < g->ranks; i++) all += counts[i];
    return all;
}

static int64_t sum_of_types(const void *buffer, MPI_Comm comm, const int counts[], const MPI_Datatype types[])
{
    const struct group *g = group_of(comm);
    int64_t all = 0;
    for (int i = 0; buffer != MPI_IN_PLACE && i < g->ranks; i++) all += bytes_of(counts[i], types[i]);
    return all;
}

static int is_root(MPI_Comm comm, int root) { return root == MPI_ROOT || root == group_of(comm)->own; }

#define NO_ROOT (-1)

/* Both forms of one call: with a request of its own at the end, and without. */
#define BOTH(name, iname, parameters, arguments, root, bytes)                                                         \
    PLAIN(name, (UNPACK parameters, MPI_Comm comm), (UNPACK arguments, comm), note_collective(&c, comm, root, bytes)) \
    PLAIN(iname, (UNPACK parameters, MPI_Comm comm, MPI_Request * request), (UNPACK arguments, comm, request),        \
          note_collective_request(&c, comm, root, bytes, *request))
#define UNPACK(...) __VA_ARGS__

PLAIN(Barrier, (MPI_Comm comm), (comm), note_collective(&c, comm, NO_ROOT, 0))
PLAIN(Ibarrier, (MPI_Comm comm, MPI_Request *request), (comm, request),
      note_collective_request(&c, comm, NO_ROOT, 0, *request))

BOTH(Bcast, Ibcast, (void *buffer, int count, MPI_Datatype type, int root), (buffer, count, type, root), root,
     is_root(comm, root) ? bytes_of(count, type) : 0)

#define OUT const void *out, int out_count, MPI_Datatype out_type
#define IN void *in, int in_count, MPI_Datatype in_type
#define INS void *in, const int in_counts[], const int in_places[], MPI_Datatype in_type
#define OUTS const void *out, const int out_counts[], const int out_places[], MPI_Datatype out_type
#define ALL_OUTS                                                                                               \
    const void *out, const int out_counts[], const int out_places[], const MPI_Datatype out_types[], void *in, \
        const int in_counts[], const int in_places[], const MPI_Datatype in_types[]

BOTH(Gather, Igather, (OUT, IN, int root), (out, out_count, out_type, in, in_count, in_type, root), root,
     root == MPI_PROC_NULL || root == MPI_ROOT ? 0 : sent(out, out_count, out_type))
BOTH(Gatherv, Igatherv, (OUT, INS, int root), (out, out_count, out_type, in, in_counts, in_places, in_type, root), root,
     root == MPI_PROC_NULL || root == MPI_ROOT ? 0 : sent(out, out_count, out_type))
BOTH(Scatter, Iscatter, (OUT, IN, int root), (out, out_count, out_type, in, in_count, in_type, root), root,
     is_root(comm, root) ? sent(out, (int64_t)out_count *(group_of(comm)->ranks - 1), out_type) : 0)
BOTH(Scatterv, Iscatterv, (OUTS, IN, int root), (out, out_counts, out_places, out_type, in, in_count, in_type, root),
     root, is_root(comm, root) ? sent(out, sum(out, comm, out_counts), out_type) : 0)
BOTH(Allgather, Iallgather, (OUT, IN), (out, out_count, out_type, in, in_count, in_type), NO_ROOT,
     sent(out, out_count, out_type))
BOTH(Allgatherv, Iallgatherv, (OUT, INS), (out, out_count, out_type, in, in_counts, in_places, in_type), NO_ROOT,
     sent(out, out_count, out_type))
BOTH(Alltoall, Ialltoall, (OUT, IN), (out, out_count, out_type, in, in_count, in_type), NO_ROOT,
     sent(out, (int64_t)out_count *(group_of(comm)->ranks - 1), out_type))
BOTH(Alltoallv, Ialltoallv, (OUTS, INS), (out, out_counts, out_places, out_type, in, in_counts, in_places, in_type),
     NO_ROOT, sent(out, sum(out, comm, out_counts), out_type))
BOTH(Alltoallw, Ialltoallw, (ALL_OUTS), (out, out_counts, out_places, out_types, in, in_counts, in_places, in_types),
     NO_ROOT, sum_of_types(out, comm, out_counts, out_types))

#define COMBINED const void *out, void *in, int count, MPI_Datatype type, MPI_Op op
BOTH(Reduce, Ireduce, (COMBINED, int root), (out, in, count, type, op, root), root,
     is_root(comm, root) || root == MPI_PROC_NULL ? 0 : bytes_of(count, type))
BOTH(Allreduce, Iallreduce, (COMBINED), (out, in, count, type, op), NO_ROOT, bytes_of(count, type))
BOTH(Scan, Iscan, (COMBINED), (out, in, count, type, op), NO_ROOT, bytes_of(count, type))
BOTH(Exscan, Iexscan, (COMBINED), (out, in, count, type, op), NO_ROOT, bytes_of(count, type))
BOTH(Reduce_scatter_block, Ireduce_scatter_block, (COMBINED), (out, in, count, type, op), NO_ROOT,
     bytes_of((int64_t)count *(group_of(comm)->ranks - 1), type))
BOTH(Reduce_scatter, Ireduce_scatter, (const void *out, void *in, const int counts[], MPI_Datatype type, MPI_Op op),
     (out, in, counts, type, op), NO_ROOT, bytes_of(sum(out, comm, counts), type))

/* To the neighbours of a topology, whose number is not asked for: bytes to one of them. */
BOTH(Neighbor_allgather, Ineighbor_allgather, (OUT, IN), (out, out_count, out_type, in, in_count, in_type), NO_ROOT,
     bytes_of(out_count, out_type))
BOTH(Neighbor_allgatherv, Ineighbor_allgatherv, (OUT, INS),
     (out, out_count, out_type, in, in_counts, in_places, in_type), NO_ROOT, bytes_of(out_count, out_type))
BOTH(Neighbor_alltoall, Ineighbor_alltoall, (OUT, IN), (out, out_count, out_type, in, in_count, in_type), NO_ROOT,
     bytes_of(out_count, out_type))
BOTH(Neighbor_alltoallv, Ineighbor_alltoallv, (OUTS, INS),
     (out, out_counts, out_places, out_type, in, in_counts, in_places, in_type), NO_ROOT, 0)

#define NEIGHBOURS                                                                                                  \
    const void *out, const int out_counts[], const MPI_Aint out_places[], const MPI_Datatype out_types[], void *in, \
        const int in_counts[], const MPI_Aint in_places[], const MPI_Datatype in_types[]
BOTH(Neighbor_alltoallw, Ineighbor_alltoallw, (NEIGHBOURS),
     (out, out_counts, out_places, out_types, in, in_counts, in_places, in_types), NO_ROOT, 0)
