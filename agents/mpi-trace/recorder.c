#define _GNU_SOURCE
#include "recorder.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "merge.h"
#include "queued.h"
#include "store.h"

enum { USUAL_RECORDS = 200000, MOST_THREADS = 255, POLL_GAP_NS = 10000, MESSAGES_PER_CALL = 2 };

static struct store calls, messages;
static int recording, several_threads, own_rank = -1;
static int64_t loaded_ns;
static pid_t owner;
static uint32_t postings;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int threads;

static __thread struct {
    int depth;
    int number; /* from 1; 0: not yet known */
    int64_t last_ns;
} own;

int64_t recorder_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int recorder_rank(void) { return recording ? own_rank : -1; }

void recorder_lock(void)
{
    if (several_threads) pthread_mutex_lock(&mutex);
}

void recorder_unlock(void)
{
    if (several_threads) pthread_mutex_unlock(&mutex);
}

/* The clock of a thread never runs back, so that its calls follow each other. */
static int64_t later_ns(int64_t than_ns)
{
    int64_t now_ns = recorder_now_ns();
    return now_ns > than_ns ? now_ns : than_ns;
}

struct call call_begin(enum call_name name)
{
    struct call c = {.on = own.depth++ == 0 && (recording || name == CALL_Init || name == CALL_Init_thread),
                     .name = name,
                     .peer = -1};
    if (!c.on) return c;
    c.start_ns = later_ns(own.last_ns);
    c.queued_before_ns = queued_since_ns(c.start_ns);
    if (recording && own.number == 1) {
        calls.header->open_name = name;
        calls.header->open_since_ns = c.start_ns;
    }
    return c;
}

static int thread_number(void)
{
    if (own.number == 0) own.number = threads < MOST_THREADS ? ++threads : MOST_THREADS;
    return own.number;
}

static void add(const struct call *c, uint8_t flags)
{
    struct call_record *r = store_next(&calls);
    if (!r && merge_calls(&calls)) r = store_next(&calls);
    if (!r) {
        calls.header->unrecorded++;
        return;
    }
    *r = (struct call_record){.start_ns = c->start_ns,
                              .end_ns = own.last_ns,
                              .bytes = c->bytes,
                              .queued_before_ns = c->queued_before_ns,
                              .queued_ns = queued_since_ns(own.last_ns),
                              .group = c->group,
                              .order = c->order,
                              .peer = c->peer,
                              .calls = 1,
                              .name = (uint16_t)c->name,
                              .thread = (uint8_t)(thread_number() - 1),
                              .flags = flags};
    if (!merge_last(&calls, r)) store_commit(&calls);
}

static int leave(const struct call *c, int result)
{
    own.depth--;
    if (!c->on) return result;
    if (recording && own.number == 1) calls.header->open_since_ns = 0;
    recorder_unlock();
    return result;
}

int call_finish(struct call *c, int result)
{
    if (!c->on) return leave(c, result);
    own.last_ns = c->end_ns > c->start_ns ? c->end_ns : c->start_ns;
    if (recording) add(c, 0);
    return leave(c, result);
}

/* Whether the poll goes on where the last record, a poll of the same sort, stopped. */
static int continues(const struct call *c, const struct call_record *last)
{
    const int flags = CALL_POLLED | CALL_FOUND | CALL_MERGED;
    return (last->flags & flags) == CALL_POLLED && last->name == c->name && last->thread + 1 == own.number &&
           c->start_ns - last->end_ns < POLL_GAP_NS;
}

int call_finish_poll(struct call *c, int result, int found)
{
    if (!c->on) return leave(c, result);
    own.last_ns = c->end_ns > c->start_ns ? c->end_ns : c->start_ns;
    uint64_t count = calls.header->count;
    struct call_record *last = count > 0 ? (struct call_record *)calls.records + count - 1 : NULL;
    if (last && continues(c, last)) {
        last->end_ns = own.last_ns;
        last->queued_ns += c->queued_before_ns + queued_since_ns(own.last_ns);
        last->calls++;
        last->flags |= found ? CALL_FOUND : 0;
        calls.header->merged++;
    } else {
        add(c, (uint8_t)(CALL_POLLED | (found ? CALL_FOUND : 0)));
    }
    return leave(c, result);
}

uint32_t next_posting(void) { return ++postings; }

static uint32_t add_message(const struct message_record *message)
{
    struct message_record *r = store_next(&messages);
    if (!r) {
        messages.header->unrecorded++;
        return 0;
    }
    *r = *message;
    store_commit(&messages);
    return (uint32_t)messages.header->count;
}

uint32_t message_sent(const struct call *c, const struct message_record *message)
{
    (void)c;
    return add_message(message);
}

/* A wait that tests made is as long as they went on without a pause. */
static int64_t waited_ns(const struct call *c)
{
    uint64_t count = calls.header->count;
    const struct call_record *last = count > 0 ? (struct call_record *)calls.records + count - 1 : NULL;
    return c->end_ns - (last && continues(c, last) ? last->start_ns : c->start_ns);
}

uint32_t message_received(const struct call *c, const struct message_record *message)
{
    struct message_record whole = *message;
    whole.waited_ns = waited_ns(c);
    return add_message(&whole);
}

void message_released(const struct call *c, uint32_t number)
{
    if (number == 0) return;
    struct message_record *r = (struct message_record *)messages.records + number - 1;
    r->other_ns = c->end_ns;
    r->waited_ns = waited_ns(c);
}

static void write_names(char *place, size_t room)
{
#define NAME_LINE(name) "MPI_" #name "\n"
    static const char names[] = ALL_CALLS(NAME_LINE);
    _Static_assert(sizeof names <= TRACE_NAMES_BYTES, "names fit into the header");
    memcpy(place, names, sizeof names < room ? sizeof names : room);
}

static int open_one(struct store *s, const char *folder, const char *what, size_t record_bytes, size_t most)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/rank-%d.%s", folder, own_rank, what);
    if (length < 0 || (size_t)length >= sizeof path) {
        errno = ENAMETOOLONG;
    } else if (store_open(s, path, record_bytes, most) == 0) {
        return 0;
    }
    fprintf(stderr, "predict: nothing is traced on rank %d: %s: %s\n", own_rank, path, strerror(errno));
    return -1;
}

void recorder_open(int rank, int ranks, int may_thread)
{
    const char *folder = getenv("PREDICT_MPI_TRACE");
    if (!folder || recording) return;
    const char *text = getenv("PREDICT_MPI_TRACE_RECORDS");
    size_t most = text && atol(text) > 0 ? (size_t)atol(text) : USUAL_RECORDS;
    own_rank = rank;
    if (open_one(&calls, folder, "calls", sizeof(struct call_record), most) != 0) return;
    if (open_one(&messages, folder, "messages", sizeof(struct message_record), most * MESSAGES_PER_CALL) != 0) return;
    for (int i = 0; i < 2; i++) {
        struct trace_header *header = i == 0 ? calls.header : messages.header;
        header->rank = rank;
        header->ranks = ranks;
        header->begin_ns = loaded_ns;
    }
    write_names(calls.header->names, sizeof calls.header->names);
    thread_number();
    several_threads = may_thread;
    owner = getpid();
    recording = 1;
    recorder_lock();
}

__attribute__((constructor)) static void note_loading(void) { loaded_ns = recorder_now_ns(); }

void recorder_close(int finalized)
{
    /* A process that the rank has forked shares its files, and leaves them to it. */
    if (!recording || getpid() != owner) return;
    pthread_mutex_lock(&mutex);
    recording = 0;
    for (int i = 0; i < 2; i++) {
        struct store *s = i == 0 ? &calls : &messages;
        s->header->finalized = (uint32_t)finalized;
        s->header->end_ns = finalized ? own.last_ns : later_ns(own.last_ns);
        store_cut(s);
    }
    pthread_mutex_unlock(&mutex);
}
