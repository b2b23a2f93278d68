/* What a traced rank leaves: two files, each a header and records of a fixed size, which are the memory that the rank
   records into. What was written before a rank is killed is there; `count` rises once a record is complete.

   rank-N.calls     struct trace_header, then struct call_record: calls of MPI in the order in which they ended. What
   lies between two calls of a thread is computing. rank-N.messages  struct trace_header, then struct message_record:
   sends as they are handed over, receives as they are complete Numbers are little-endian; times are CLOCK_REALTIME in
   ns. analysis and store read them through experiments/mpi-trace, which knows this layout. */
#ifndef PREDICT_MPI_TRACE_FORMAT_H
#define PREDICT_MPI_TRACE_FORMAT_H
#include <stdint.h>

#define TRACE_MAGIC "predict-mpi-trace 1\n"

enum { TRACE_HEADER_BYTES = 8192, TRACE_NAMES_BYTES = 8192 - 100 };

struct trace_header {
    char magic[24];
    uint32_t record_bytes;
    int32_t rank, ranks;
    uint32_t finalized; /* 1: MPI_Finalize was called */
    uint64_t count;
    int64_t begin_ns, end_ns; /* the library was loaded; MPI_Finalize returned, or the process ended; 0 before */
    uint64_t merged;          /* calls that share a record with others, polls included */
    uint64_t unrecorded;      /* events for which there was no room */
    int64_t short_ns;         /* calls below this may share a record */
    int64_t open_since_ns;    /* the call that the first thread is in; 0 none */
    uint32_t open_name;
    char names[TRACE_NAMES_BYTES]; /* of calls, by number, each ended by a line feed */
};
_Static_assert(sizeof(struct trace_header) == TRACE_HEADER_BYTES, "the header fills two pages");

enum {
    CALL_MERGED = 1, /* several calls and the computing between them */
    CALL_POLLED = 2, /* tests that follow each other at once */
    CALL_FOUND = 4,  /* a test or probe that found something */
};

struct call_record {
    int64_t start_ns, end_ns;
    int64_t bytes; /* handed over for other ranks */
    /* Of the computing before the call, and of the call: queued for a processor. */
    int64_t queued_before_ns, queued_ns;
    uint64_t group; /* the communicator or window of a collective call; merged: ns within the calls */
    uint32_t order; /* which collective call of its group, from 1; 0: none */
    int32_t peer;   /* rank of the world; -1 none */
    uint32_t calls;
    uint16_t name;
    uint8_t thread, flags;
};
_Static_assert(sizeof(struct call_record) == 64, "records are read elsewhere");

enum { MESSAGE_SEND = 1, MESSAGE_RECEIVE = 2 };

struct message_record {
    int64_t time_ns;  /* send: handed over; receive: seen complete */
    int64_t other_ns; /* send: its buffer was seen free, 0 never; receive: asked for */
    int64_t waited_ns;
    int64_t bytes;
    uint64_t group; /* the communicator */
    uint32_t order; /* of posting, on this rank: MPI matches by it per pair of ranks, communicator and tag */
    int32_t peer;   /* rank of the world */
    int32_t tag;
    uint32_t kind;
};
_Static_assert(sizeof(struct message_record) == 56, "records are read elsewhere");

#endif
