/* Communicators and windows: a number that is the same on all of their ranks, and who is who in the world. Nothing is
   sent for it: a new group's number comes from that of its parent, from how many the parent had made before, and from
   its lowest rank, which all of its ranks know. */
#ifndef PREDICT_MPI_TRACE_GROUPS_H
#define PREDICT_MPI_TRACE_GROUPS_H
#include <mpi.h>
#include <stdint.h>

struct group {
    uint64_t id;
    int ranks, own;
    int *world; /* rank of the world of each rank (of an intercommunicator's remote group) */
    uint32_t collectives, children;
};

/* Of a communicator; made on first sight for one that nobody announced. */
struct group *group_of(MPI_Comm comm);
struct group *group_of_window(MPI_Win window);
/* A communicator was made of another by a call that all ranks of the other make. */
void group_made(MPI_Comm made, MPI_Comm of);
/* By a call that both sides of an intercommunicator make. */
void group_made_between(MPI_Comm made, int tag);
void window_made(MPI_Win made, MPI_Comm of);
void group_freed(MPI_Comm comm);
void window_freed(MPI_Win window);

/* Rank of the world; -1 for no rank (MPI_PROC_NULL, MPI_ANY_SOURCE, MPI_ROOT). */
int world_rank(const struct group *group, int rank);

#endif
