/* Requests that are under way, by their handle. A library may give one handle to several that are complete at once
   (MPICH does): then they are taken in the order in which they were made, those of the thread that asks before others'.
 */
#ifndef PREDICT_MPI_TRACE_REQUESTS_H
#define PREDICT_MPI_TRACE_REQUESTS_H
#include <mpi.h>
#include <stdint.h>

enum request_kind { REQUEST_SEND = 1, REQUEST_RECEIVE, REQUEST_COLLECTIVE, REQUEST_OTHER };

struct request {
    enum request_kind kind;
    int persistent, active;
    MPI_Comm comm; /* of a receive */
    /* Of a persistent send: whereto and what. */
    int peer, tag;
    int64_t bytes;
    int64_t posted_ns;
    uint32_t posting;
    uint32_t message; /* of a send: number of its record */
    uint64_t group;
    uint32_t order; /* of a collective call */
};

void request_add(MPI_Request handle, const struct request *request);
/* The first with that handle, or NULL. */
struct request *request_find(MPI_Request handle);
/* Takes the first with that handle out; 0 where there is none. */
int request_take(MPI_Request handle, struct request *taken);

#endif
