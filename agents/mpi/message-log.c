/* Instead of waiting for all messages at once, the rank waits for any, reads the clock, and waits on. What is there
   sooner than the library can look for it had come before, and held up nothing. The clock is read once per look, so the
   cost is some 30 ns a message and what MPI takes to come back more often. */
#define _POSIX_C_SOURCE 200809L
#include "message-log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "gather.h"
#include "memory.h"

/* A look takes a microsecond, a thread that was let go again some more to see what there is. */
enum { LEAST_ROOM = 256, LOOKS = 32, LOOK_NS = 1000, SEEN_WITHIN_NS = 200000 };

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

static int64_t held_so_far(void)
{
    int64_t held_ns, until_ns;
    thread_was_held(&held_ns, &until_ns);
    return held_ns;
}

void message_log_send(struct message_log *log, int peer, uint64_t bytes)
{
    int64_t now_ns = clock_ns(CLOCK_REALTIME);
    add(log, (struct message_record){.t_ns = now_ns,
                                     .done_ns = now_ns,
                                     .queued_ns = -held_so_far(),
                                     .peer = peer,
                                     .bytes = (int64_t)bytes});
}

void message_log_sent(struct message_log *log) { log->records[log->count - 1].queued_ns += held_so_far(); }

/* When the rank looked last, and what it had lacked a processor by then. */
struct look {
    int64_t at_ns, held_ns, queued_ns;
};

static struct look look_now(struct thread_times *times)
{
    struct look now = {.at_ns = clock_ns(CLOCK_REALTIME), .held_ns = held_so_far()};
    thread_times_read(times, now.at_ns);
    now.queued_ns = times->queued_ns;
    return now;
}

/* Since the last look, what the thread lacked a processor right before now: the queue, which comes last, and what it
   was held before that. Held earlier it was so while nothing was there, for it would have seen it. */
static int64_t queued_before(const struct look *now, const struct look *last)
{
    int64_t all_held_ns, until_ns, held_ns = now->held_ns - last->held_ns, in_queue_ns = 0;
    thread_was_held(&all_held_ns, &until_ns);
    if (last->queued_ns >= 0 && now->queued_ns > last->queued_ns + held_ns)
        in_queue_ns = now->queued_ns - last->queued_ns - held_ns;
    int64_t lacked_ns = now->at_ns - until_ns < SEEN_WITHIN_NS + in_queue_ns ? held_ns + in_queue_ns : in_queue_ns;
    int64_t most_ns = now->at_ns - last->at_ns;
    return lacked_ns < most_ns ? lacked_ns : most_ns;
}

static void complete(struct message_record *r, int64_t waited_ns, int64_t queued_ns, int64_t now_ns, MPI_Status *status)
{
    r->waited_ns = waited_ns > LOOK_NS ? waited_ns : 0;
    if (r->done_ns) {
        r->done_ns = now_ns;
        return;
    }
    r->t_ns = now_ns;
    r->queued_ns = r->waited_ns ? queued_ns : 0;
    r->bytes = (int64_t)bytes_received(status);
}

/* The library's wait for some sets up and takes down more than a look does, which pays only where a wait is long. */
static int wait_for_some(int n, MPI_Request *requests, int *which, MPI_Status *found)
{
    int count = 0;
    for (int look = 0; look < LOOKS && count == 0; look++) MPI_Testsome(n, requests, &count, which, found);
    if (count == 0) MPI_Waitsome(n, requests, &count, which, found);
    return count;
}

void message_log_wait(struct message_log *log, int n, MPI_Request *requests, MPI_Status *statuses)
{
    struct message_record *records = log->records + log->count - n;
    struct look last = look_now(log->times);
    int64_t begun_ns = last.at_ns;
    int which[n], count;
    MPI_Status found[n];
    for (int left = n; left > 0; left -= count) {
        count = wait_for_some(n, requests, which, found);
        struct look now = look_now(log->times);
        int64_t queued_ns = queued_before(&now, &last);
        for (int i = 0; i < count; i++) {
            statuses[which[i]] = found[i];
            complete(&records[which[i]], now.at_ns - begun_ns, queued_ns, now.at_ns, &found[i]);
        }
        last = now;
    }
}

static void write_rows(void *file, int rank, const void *records, uint64_t count)
{
    FILE *f = file;
    const struct message_record *r = records;
    for (; count > 0; count--, r++) {
        fprintf(f, "%d,%s,%" PRId64 ",%" PRId32 ",%" PRId64 ",,", rank, r->done_ns ? "send" : "receive", r->t_ns,
                r->peer, r->bytes);
        if (r->done_ns) fprintf(f, "%" PRId64, r->done_ns);
        fprintf(f, ",%" PRId64 ",%" PRId64 "\n", r->waited_ns, r->queued_ns);
    }
}

void message_log_write(const struct message_log *log, FILE *file)
{
    if (file) fputs(MESSAGE_COLUMNS "\n", file);
    gather(log->records, log->count, sizeof *log->records, write_rows, file);
}
