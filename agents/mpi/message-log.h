/* When each message of an exchange was handed over and when it was complete, on each rank: for any C program of ours
   under MPI. Switched off it is not there, and an exchange waits for all its messages at once.

   A record is 48 bytes in a growing array; at the end rank 0 writes one line each: MESSAGE_COLUMNS, as `predict` reads
   messages of any program.
     worker     rank in MPI_COMM_WORLD
     kind       `send` or `receive`
     t_ns       CLOCK_REALTIME of the rank's host: of a send, when it was handed to MPI; of a receive, when the rank saw
                that it was complete
     id         empty: the n-th send of a rank to another is the n-th receive there from it
     done_ns    of a send: when the rank saw that MPI was done with its buffer
     waited_ns  how long the rank had been waiting by then; 0 where it found the message complete as it began to wait
     queued_ns  how long it had lacked a processor right before it saw a message; of a send, while it handed it over */
#ifndef PREDICT_MPI_MESSAGE_LOG_H
#define PREDICT_MPI_MESSAGE_LOG_H
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

#include "thread-times.h"

#define MESSAGE_COLUMNS "worker,kind,t_ns,peer,bytes,id,done_ns,waited_ns,queued_ns"

struct message_record {
    int64_t t_ns, done_ns; /* done_ns 0: a receive */
    int64_t waited_ns, queued_ns;
    int64_t bytes;
    int32_t peer;
};

struct message_log {
    struct thread_times *times; /* of the rank's thread */
    uint64_t count, room;
    struct message_record *records;
};

/* Room for so many more records, touched at once, so that none is made while the clock runs. */
void message_log_make_room(struct message_log *log, uint64_t records);
void message_log_close(struct message_log *log);

/* The record of a message that is posted: of a receive and of a send before, and of a send also after MPI was called.
   An exchange's follow each other in the order of its requests. */
void message_log_receive(struct message_log *log, int peer);
void message_log_send(struct message_log *log, int peer, uint64_t bytes);
void message_log_sent(struct message_log *log);

/* Waits for the `n` requests whose records are the last `n`; as MPI_Waitall. */
void message_log_wait(struct message_log *log, int n, MPI_Request *requests, MPI_Status *statuses);

/* The length of a message that came, which need not fit an int. */
static inline uint64_t bytes_received(const MPI_Status *status)
{
    MPI_Count bytes;
    MPI_Get_elements_x(status, MPI_BYTE, &bytes);
    return (uint64_t)bytes;
}

/* Call on all ranks; rank 0 writes the CSV to `file` (ignored elsewhere). */
void message_log_write(const struct message_log *log, FILE *file);

#endif
