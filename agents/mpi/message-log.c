/* Instead of waiting for all messages at once, the rank waits for any, reads the clock, and waits on.
   A first look at all of them tells which had come before the rank began to wait: those held up nothing. The clock is
   read once per look, so the cost is some 30 ns a message and what MPI takes to come back more often. */
#define _POSIX_C_SOURCE 200809L
#include "message-log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "gather.h"
#include "memory.h"

enum { LEAST_ROOM = 256 };

void message_log_make_room(struct message_log *log, uint64_t records)
{
    if (log->room - log->count >= records) return;
    uint64_t room = log->room * 2 + records + LEAST_ROOM;
    log->records = take_more(log->records, log->count * sizeof *log->records, room * sizeof *log->records);
    memset(log->records + log->count, 0, (room - log->count) * sizeof *log->records);
    log->room = room;
}

void message_log_close(struct message_log *log) { free(log->records); }

static void add(struct message_log *log, struct message_record record)
{
    message_log_make_room(log, 1);
    log->records[log->count++] = record;
}

void message_log_receive(struct message_log *log, int peer) { add(log, (struct message_record){.peer = peer}); }

void message_log_send(struct message_log *log, int peer, int bytes)
{
    int64_t now_ns = clock_ns(CLOCK_REALTIME);
    add(log, (struct message_record){.t_ns = now_ns, .done_ns = now_ns, .peer = peer, .bytes = bytes});
}

static void complete(struct message_record *r, int64_t begun_ns, int64_t now_ns, MPI_Status *status)
{
    r->waited_ns = now_ns - begun_ns;
    if (r->done_ns) {
        r->done_ns = now_ns;
        return;
    }
    r->t_ns = now_ns;
    MPI_Get_count(status, MPI_BYTE, &r->bytes);
}

void message_log_wait(struct message_log *log, int n, MPI_Request *requests, MPI_Status *statuses)
{
    struct message_record *records = log->records + log->count - n;
    int64_t begun_ns = clock_ns(CLOCK_REALTIME), now_ns = begun_ns;
    int which[n], count;
    MPI_Status found[n];
    MPI_Testsome(n, requests, &count, which, found);
    for (int left = n;;) {
        for (int i = 0; i < count; i++) {
            statuses[which[i]] = found[i];
            complete(&records[which[i]], begun_ns, now_ns, &found[i]);
        }
        left -= count;
        if (left == 0) return;
        MPI_Waitsome(n, requests, &count, which, found);
        now_ns = clock_ns(CLOCK_REALTIME);
    }
}

static void write_rows(void *file, int rank, const void *records, uint64_t count)
{
    FILE *f = file;
    const struct message_record *r = records;
    for (; count > 0; count--, r++) {
        fprintf(f, "%d,%s,%" PRId64 ",%" PRId32 ",%" PRId32 ",,", rank, r->done_ns ? "send" : "receive", r->t_ns,
                r->peer, r->bytes);
        if (r->done_ns) fprintf(f, "%" PRId64, r->done_ns);
        fprintf(f, ",%" PRId64 "\n", r->waited_ns);
    }
}

void message_log_write(const struct message_log *log, FILE *file)
{
    if (file) fputs(MESSAGE_COLUMNS "\n", file);
    gather(log->records, log->count, sizeof *log->records, write_rows, file);
}
