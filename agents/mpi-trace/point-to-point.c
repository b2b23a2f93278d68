/* Sends, receives and probes (MPI 3.1, chapter 3). */
#include <stddef.h>

#include "groups.h"
#include "messages.h"
#include "wrap.h"

#define TO const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm
#define FROM void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm
#define TO_ARGUMENTS buffer, count, type, to, tag, comm
#define FROM_ARGUMENTS buffer, count, type, from, tag, comm

#define BLOCKING_SEND(name) PLAIN(name, (TO), (TO_ARGUMENTS), note_send(&c, comm, to, tag, bytes_of(count, type)))
BLOCKING_SEND(Send)
BLOCKING_SEND(Bsend)
BLOCKING_SEND(Ssend)
BLOCKING_SEND(Rsend)

#define IMMEDIATE_SEND(name)                                          \
    PLAIN(name, (TO, MPI_Request * request), (TO_ARGUMENTS, request), \
          note_send_request(&c, comm, to, tag, bytes_of(count, type), *request))
IMMEDIATE_SEND(Isend)
IMMEDIATE_SEND(Ibsend)
IMMEDIATE_SEND(Issend)
IMMEDIATE_SEND(Irsend)

#define PERSISTENT_SEND(name)                                         \
    PLAIN(name, (TO, MPI_Request * request), (TO_ARGUMENTS, request), \
          note_persistent(&c, REQUEST_SEND, comm, to, tag, bytes_of(count, type), *request))
PERSISTENT_SEND(Send_init)
PERSISTENT_SEND(Bsend_init)
PERSISTENT_SEND(Ssend_init)
PERSISTENT_SEND(Rsend_init)

PLAIN(Recv_init, (FROM, MPI_Request *request), (FROM_ARGUMENTS, request),
      note_persistent(&c, REQUEST_RECEIVE, comm, from, tag, 0, *request))

PLAIN(Irecv, (FROM, MPI_Request *request), (FROM_ARGUMENTS, request), note_receive_request(&c, comm, from, *request))

WRAP(Recv, (FROM, MPI_Status *status))
{
    struct call c = call_begin(CALL_Recv);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    int result = call_stop(&c, NEXT(Recv)(FROM_ARGUMENTS, status));
    if (c.on && result == MPI_SUCCESS) note_receive(&c, comm, status);
    return call_finish(&c, result);
}

WRAP(Sendrecv, (const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag, void *in, int in_count,
                MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status))
{
    struct call c = call_begin(CALL_Sendrecv);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    int result = call_stop(&c, NEXT(Sendrecv)(out, out_count, out_type, to, out_tag, in, in_count, in_type, from,
                                              in_tag, comm, status));
    if (c.on && result == MPI_SUCCESS) {
        note_send(&c, comm, to, out_tag, bytes_of(out_count, out_type));
        note_receive(&c, comm, status);
    }
    return call_finish(&c, result);
}

WRAP(Sendrecv_replace, (void *buffer, int count, MPI_Datatype type, int to, int out_tag, int from, int in_tag,
                        MPI_Comm comm, MPI_Status *status))
{
    struct call c = call_begin(CALL_Sendrecv_replace);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    int result = call_stop(&c, NEXT(Sendrecv_replace)(buffer, count, type, to, out_tag, from, in_tag, comm, status));
    if (c.on && result == MPI_SUCCESS) {
        note_send(&c, comm, to, out_tag, bytes_of(count, type));
        note_receive(&c, comm, status);
    }
    return call_finish(&c, result);
}

WRAP(Probe, (int from, int tag, MPI_Comm comm, MPI_Status *status))
{
    struct call c = call_begin(CALL_Probe);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    int result = call_stop(&c, NEXT(Probe)(from, tag, comm, status));
    if (c.on && result == MPI_SUCCESS) note_probe(&c, comm, status, NULL);
    return call_finish(&c, result);
}

WRAP(Iprobe, (int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status))
{
    struct call c = call_begin(CALL_Iprobe);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    int result = call_stop(&c, NEXT(Iprobe)(from, tag, comm, flag, status));
    if (c.on && result == MPI_SUCCESS && *flag) note_probe(&c, comm, status, NULL);
    return call_finish_poll(&c, result, result == MPI_SUCCESS && *flag);
}

WRAP(Mprobe, (int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status))
{
    struct call c = call_begin(CALL_Mprobe);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    int result = call_stop(&c, NEXT(Mprobe)(from, tag, comm, message, status));
    if (c.on && result == MPI_SUCCESS) note_probe(&c, comm, status, message);
    return call_finish(&c, result);
}

WRAP(Improbe, (int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status))
{
    struct call c = call_begin(CALL_Improbe);
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) status = &own;
    int result = call_stop(&c, NEXT(Improbe)(from, tag, comm, flag, message, status));
    if (c.on && result == MPI_SUCCESS && *flag) note_probe(&c, comm, status, message);
    return call_finish_poll(&c, result, result == MPI_SUCCESS && *flag);
}

WRAP(Mrecv, (void *buffer, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status))
{
    struct call c = call_begin(CALL_Mrecv);
    MPI_Status own;
    MPI_Message before = *message;
    if (status == MPI_STATUS_IGNORE) status = &own;
    int result = call_stop(&c, NEXT(Mrecv)(buffer, count, type, message, status));
    MPI_Comm comm = c.on && result == MPI_SUCCESS ? note_matched(before) : MPI_COMM_NULL;
    if (comm != MPI_COMM_NULL) note_receive(&c, comm, status);
    return call_finish(&c, result);
}

WRAP(Imrecv, (void *buffer, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request))
{
    struct call c = call_begin(CALL_Imrecv);
    MPI_Message before = *message;
    int result = call_stop(&c, NEXT(Imrecv)(buffer, count, type, message, request));
    MPI_Comm comm = c.on && result == MPI_SUCCESS ? note_matched(before) : MPI_COMM_NULL;
    if (comm != MPI_COMM_NULL) note_receive_request(&c, comm, -1, *request);
    return call_finish(&c, result);
}

PLAIN(Buffer_detach, (void *buffer, int *bytes), (buffer, bytes), )
