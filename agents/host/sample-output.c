/* Lines gather in memory and are written when stdout takes them, so that a slow reader delays no sample; samples that
   find no room are left out and counted as missed. */
#include "files.h"
#include "sample.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 64 << 10, OUTPUT_LIMIT = 32 << 20, SAMPLE_ROOM = 1 << 20 };

static const uint64_t flush_interval_ns = 2000000000u;

bool output_open(struct output *output)
{
    memset(output, 0, sizeof *output);
    output->data = mmap(NULL, OUTPUT_LIMIT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (output->data == MAP_FAILED) return false;
    struct stat status;
    output->is_socket = fstat(1, &status) == 0 && S_ISSOCK(status.st_mode);
    /* O_NONBLOCK on stdout itself would also change it for whoever shares it. */
    output->file =
        output->is_socket || S_ISREG(status.st_mode) ? 1 : open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (output->file < 0) output->file = 1;
    output->written_ns = now_ns(MONOTONIC);
    return true;
}

static size_t put_number(char *at, uint64_t number)
{
    char digits[20];
    size_t length = 0;
    do digits[length++] = (char)('0' + number % 10);
    while (number /= 10);
    for (size_t i = 0; i < length; i++) at[i] = digits[length - 1 - i];
    return length;
}

void output_stamp(struct output *output)
{
    output->stamp_length = put_number(output->stamp, now_ns(REALTIME));
    output->stamp[output->stamp_length++] = '\t';
}

static void put(struct output *output, const char *text, size_t length)
{
    memcpy(output->data + output->used, text, length);
    output->used += length;
}

void output_value(struct output *output, const char *metric, const char *instance, uint64_t value)
{
    size_t metric_length = strlen(metric), instance_length = strlen(instance);
    if (output->used + metric_length + instance_length + 64 > OUTPUT_LIMIT) return;
    put(output, output->stamp, output->stamp_length);
    put(output, metric, metric_length);
    put(output, "\t", 1);
    put(output, instance, instance_length);
    put(output, "\t", 1);
    output->used += put_number(output->data + output->used, value);
    put(output, "\n", 1);
}

void output_line(struct output *output, const char *line)
{
    size_t length = strlen(line);
    if (output->used + length + 1 > OUTPUT_LIMIT) return;
    put(output, line, length);
    put(output, "\n", 1);
}

/* Writes one block as far as it goes without waiting; false when stdout takes nothing now. */
static bool write_block(struct output *output)
{
    size_t length = output->used - output->sent;
    if (length > BLOCK) length = BLOCK;
    const char *block = output->data + output->sent;
    ssize_t written =
        output->is_socket ? send(1, block, length, MSG_DONTWAIT | MSG_NOSIGNAL) : write(output->file, block, length);
    if (written < 0 && errno == EINTR) return true;
    if (written < 0 && errno != EAGAIN) output->broken = true;
    if (written <= 0) return false;
    output->sent += (size_t)written;
    if (output->sent == output->used) output->used = output->sent = 0;
    return true;
}

bool output_pump(struct output *output)
{
    uint64_t now = now_ns(MONOTONIC);
    bool due = output->used - output->sent >= BLOCK || now - output->written_ns >= flush_interval_ns;
    if (due) {
        while (output->used > output->sent && write_block(output)) continue;
        output->written_ns = now;
    }
    if (OUTPUT_LIMIT - output->used >= SAMPLE_ROOM) return true;
    memmove(output->data, output->data + output->sent, output->used - output->sent);
    output->used -= output->sent;
    output->sent = 0;
    return OUTPUT_LIMIT - output->used >= SAMPLE_ROOM;
}

void output_hurry(struct output *output) { output->written_ns = 0; }

bool output_finish(struct output *output, double seconds)
{
    uint64_t deadline = now_ns(MONOTONIC) + (uint64_t)(seconds * 1e9);
    while (output->used > output->sent && !output->broken) {
        if (write_block(output)) continue;
        uint64_t now = now_ns(MONOTONIC);
        if (output->broken || now >= deadline) return false;
        struct pollfd watched = {.fd = output->file, .events = POLLOUT};
        poll(&watched, 1, (int)((deadline - now) / 1000000u) + 1);
    }
    return !output->broken;
}
