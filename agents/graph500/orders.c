/* Ranks that wait for an order look for it every 20 ms at most, so that waiting disturbs nothing that is measured. Rank
   0 asks MPI as often as the others: a message that it has handed over must not wait for the next order. */
#define _GNU_SOURCE
#include "orders.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "outputs.h"
#include "searches.h"

enum verb { SEARCH, WRITE, END };
enum { LEAST_WAIT_MS = 1, MOST_WAIT_MS = 20, LONGEST_ORDER = PATH_MAX + 16 };

/* Rank 0's end of the FIFO. */
struct reader {
    int file;
    size_t length; /* of what was read and is no whole line yet */
    char text[LONGEST_ORDER], folder[LONGEST_ORDER];
};

static void say(const struct run *r, const char *word)
{
    if (!leader(r)) return;
    fprintf(stderr, "%s\n", word);
    printf("%s\n", word);
    fflush(stdout);
}

/* Reads on; false at the end of the FIFO, or of a line that is too long for an order. */
static int read_more(struct reader *in)
{
    struct pollfd one = {.fd = in->file, .events = POLLIN};
    int flag;
    while (poll(&one, 1, MOST_WAIT_MS) <= 0)
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    ssize_t got = read(in->file, in->text + in->length, sizeof in->text - in->length);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return 1;
    if (got > 0) in->length += (size_t)got;
    return got > 0;
}

static enum verb parse(struct reader *in, const char *line)
{
    if (strcmp(line, "search") == 0) return SEARCH;
    if (strncmp(line, "write ", 6) == 0) {
        memmove(in->folder, line + 6, strlen(line + 6) + 1);
        return WRITE;
    }
    if (strcmp(line, "end") != 0) fprintf(stderr, "predict-graph500: there is no order '%s'.\n", line);
    return END;
}

static enum verb read_order(struct reader *in)
{
    char *end;
    while (!(end = memchr(in->text, '\n', in->length)))
        if (!read_more(in)) return END;
    *end = '\0';
    enum verb verb = parse(in, in->text);
    in->length -= (size_t)(end + 1 - in->text);
    memmove(in->text, end + 1, in->length);
    return verb;
}

/* The same on every rank. */
static enum verb next_order(const struct run *r, struct reader *in)
{
    int verb = leader(r) ? (int)read_order(in) : END, done = 0;
    MPI_Request request;
    MPI_Ibcast(&verb, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    for (int ms = LEAST_WAIT_MS; MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done;) {
        nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
        ms = ms * 2 < MOST_WAIT_MS ? ms * 2 : MOST_WAIT_MS;
    }
    return (enum verb)verb;
}

/* False, on every rank, where it cannot be read. */
static int open_fifo(struct run *r, struct reader *in)
{
    const char *path = r->options.orders;
    uint64_t failed = 0;
    if (leader(r)) failed = (in->file = open(path, O_RDONLY | O_CLOEXEC)) < 0;
    if (failed) fprintf(stderr, "predict-graph500: cannot read orders from %s: %s.\n", path, strerror(errno));
    net_max(&r->net, &failed, 1);
    return !failed;
}

static void write_files(struct run *r, const struct reader *in)
{
    if (!outputs_open(r, in->folder)) {
        r->unwritten = 1;
        return;
    }
    if (r->roots_file) searches_write(r);
    outputs_write(r);
}

void orders_follow(struct run *r)
{
    static struct reader in;
    if (!open_fifo(r, &in)) {
        r->unwritten = 1;
        return;
    }
    searches_check(r);
    if (!r->failed) say(r, "Ready.");
    while (!r->failed && !r->unwritten) {
        switch (next_order(r, &in)) {
        case SEARCH:
            searches_repeat(r);
            outputs_print(r);
            if (!r->failed) say(r, "Measured.");
            break;
        case WRITE:
            write_files(r, &in);
            if (!r->unwritten) say(r, "Written.");
            break;
        case END: return;
        }
    }
}
