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

#include "memory.h"
#include "reference.h"

enum verb { MEASURE, WRITE, END };
enum { LEAST_WAIT_MS = 1, MOST_WAIT_MS = 20, LONGEST_ORDER = PATH_MAX + 16 };

/* Rank 0's end of the FIFO. */
struct reader {
    int file;
    size_t length; /* of what was read and is no whole line yet */
    char text[LONGEST_ORDER], folder[LONGEST_ORDER];
};

static void say(const struct net *net, const char *word)
{
    if (net->rank != 0) return;
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
    if (strcmp(line, "measure") == 0) return MEASURE;
    if (strncmp(line, "write ", 6) == 0) {
        memmove(in->folder, line + 6, strlen(line + 6) + 1);
        return WRITE;
    }
    if (strcmp(line, "end") != 0) fprintf(stderr, "%s: there is no order '%s'.\n", program_invocation_short_name, line);
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
static enum verb next_order(const struct net *net, struct reader *in)
{
    int verb = net->rank == 0 ? (int)read_order(in) : END, done = 0;
    MPI_Request request;
    MPI_Ibcast(&verb, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    for (int ms = LEAST_WAIT_MS; MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done;) {
        nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
        ms = ms * 2 < MOST_WAIT_MS ? ms * 2 : MOST_WAIT_MS;
    }
    return (enum verb)verb;
}

/* False, on every rank, where it cannot be read. */
static int open_fifo(struct net *net, const char *path, struct reader *in)
{
    uint64_t failed = 0;
    if (net->rank == 0) failed = (in->file = open(path, O_RDONLY | O_CLOEXEC)) < 0;
    if (failed)
        fprintf(stderr, "%s: cannot read orders from %s: %s.\n", program_invocation_short_name, path, strerror(errno));
    net_max(net, &failed, 1);
    return !failed;
}

static int measure(struct net *net, const struct follower *follower, uint64_t steps)
{
    double before = reference_work(steps, net);
    int status = follower->measure(follower->program);
    double after = reference_work(steps, net);
    /* Who takes a processor for a moment takes it from one of them. */
    double seconds = before < after ? before : after;
    if (net->rank == 0) printf("%-31s %.9g\n", "reference_time:", seconds / (double)steps * 1e6);
    return status;
}

int orders_follow(struct net *net, const char *fifo, const struct follower *follower)
{
    static struct reader in;
    if (!open_fifo(net, fifo, &in)) return EXIT_USAGE;
    uint64_t steps = reference_steps(net);
    const char *mark = "Ready.";
    int status = 0;
    while (status == 0) {
        say(net, mark);
        switch (next_order(net, &in)) {
        case MEASURE:
            status = measure(net, follower, steps);
            mark = "Measured.";
            break;
        case WRITE:
            status = follower->write(follower->program, in.folder);
            mark = "Written.";
            break;
        case END: return 0;
        }
    }
    return status;
}
