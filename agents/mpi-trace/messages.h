/* What is known of a call, put down between its stop and its finish. */
#ifndef PREDICT_MPI_TRACE_MESSAGES_H
#define PREDICT_MPI_TRACE_MESSAGES_H
#include <mpi.h>
#include <stdint.h>

#include "recorder.h"
#include "requests.h"

/* A send that is complete with the call. */
void note_send(struct call *c, MPI_Comm comm, int to, int tag, int64_t bytes);
/* A receive that is complete with the call and was asked for at its beginning. */
void note_receive(struct call *c, MPI_Comm comm, const MPI_Status *status);
/* Those that a request stands for. */
void note_send_request(struct call *c, MPI_Comm comm, int to, int tag, int64_t bytes, MPI_Request request);
void note_receive_request(struct call *c, MPI_Comm comm, int from, MPI_Request request);
void note_persistent(struct call *c, enum request_kind kind, MPI_Comm comm, int peer, int tag, int64_t bytes,
                     MPI_Request request);
void note_start(struct call *c, MPI_Request request);
void note_free(MPI_Request request);
/* From here on it is looked at whether a request was cancelled. */
void note_cancel(void);
/* A request whose handle was that before the call is complete. */
void note_complete(struct call *c, MPI_Request before, const MPI_Status *status);

/* A probe found a message: the receive that takes it arrived then. `message`: of a matched probe, else NULL. */
void note_probe(struct call *c, MPI_Comm comm, const MPI_Status *status, const MPI_Message *message);
/* The communicator of a matched message; MPI_COMM_NULL where that is not known. */
MPI_Comm note_matched(MPI_Message message);

/* All ranks of a communicator make the call; `root` is one of its ranks or below 0. */
void note_collective(struct call *c, MPI_Comm comm, int root, int64_t bytes);
void note_collective_request(struct call *c, MPI_Comm comm, int root, int64_t bytes, MPI_Request request);

#endif
