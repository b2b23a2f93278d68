/* The counts of many samples as lines of one slice. */
#include "files.h"
#include "pipes.h"

#include <inttypes.h>
#include <stdio.h>

/* CPU time and time in the run queue, of all threads; false where they may not be read. */
static bool read_times(const struct process *process, uint64_t *cpu_ns, uint64_t *queue_ns)
{
    *cpu_ns = *queue_ns = 0;
    for (int i = 0; i < process->threads_count; i++) {
        char path[64], text[128];
        struct thread *thread = &process->threads[i];
        snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", process->pid, thread->tid);
        if (read_kept(&thread->schedstat, path, text, sizeof text) <= 0) return false;
        const char *at = text;
        *cpu_ns += take_count(&at);
        *queue_ns += take_count(&at);
    }
    return process->threads_count > 0;
}

/* proc_pid_io(5): what calls of read and write carried. */
static bool read_bytes(struct process *process, uint64_t *read, uint64_t *written)
{
    char path[32], text[512];
    snprintf(path, sizeof path, "/proc/%d/io", process->pid);
    return read_kept(&process->io, path, text, sizeof text) > 0 && find_count(text, "rchar:", read) &&
           find_count(text, "wchar:", written);
}

static void print_waits(struct pipes *pipes, const struct process *process)
{
    char line[CHANNEL_NAME + 128];
    for (int i = 0; i < process->ends_count; i++) {
        const struct end *end = &process->ends[i];
        const char *channel = pipes->channels[end->channel].name;
        const uint64_t counts[] = {end->read_waits, end->write_waits};
        for (int way = 0; way < 2; way++) {
            if (counts[way] == 0) continue;
            snprintf(line, sizeof line, "waited\t%d\t%s\t%s\t%" PRIu64, process->pid, channel, way ? "w" : "r",
                     counts[way]);
            output_line(&pipes->output, line);
        }
    }
}

static void print_process_slice(struct pipes *pipes, struct process *process)
{
    char line[256], times[64] = "-\t-", bytes[64] = "-\t-";
    uint64_t a, b;
    if (process->seen == 0) return;
    if (read_times(process, &a, &b)) snprintf(times, sizeof times, "%" PRIu64 "\t%" PRIu64, a, b);
    if (read_bytes(process, &a, &b)) snprintf(bytes, sizeof bytes, "%" PRIu64 "\t%" PRIu64, a, b);
    snprintf(line, sizeof line, "did\t%d\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%s\t%s\t%d",
             process->pid, process->seen, process->running, process->disk, process->polling, process->holding, times,
             bytes, process->threads_count);
    output_line(&pipes->output, line);
    print_waits(pipes, process);
    process->seen = process->running = process->disk = process->polling = process->holding = 0;
    for (int i = 0; i < process->ends_count; i++) process->ends[i].read_waits = process->ends[i].write_waits = 0;
}

void print_slice(struct pipes *pipes, uint64_t from, uint64_t to)
{
    char line[CHANNEL_NAME + 160];
    snprintf(line, sizeof line, "slice\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, from, to, pipes->ticks,
             pipes->missed);
    output_line(&pipes->output, line);
    for (int i = 0; i < pipes->processes_count; i++) print_process_slice(pipes, &pipes->processes[i]);
    for (int i = 0; i < pipes->channels_count; i++) {
        struct channel *channel = &pipes->channels[i];
        if (channel->samples > 0) {
            snprintf(line, sizeof line,
                     "level\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64,
                     channel->name, channel->samples, channel->full_samples, channel->level_sum, channel->capacity,
                     channel->sent, channel->received);
            output_line(&pipes->output, line);
        }
        channel->samples = channel->full_samples = channel->level_sum = 0;
    }
    pipes->ticks = 0;
    pipes->slices++;
    output_hurry(&pipes->output);
}
