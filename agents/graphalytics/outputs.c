#include "outputs.h"

#include <sys/resource.h>

#include "output-file.h"
#include "results.h"

int outputs_open(struct program *p, const char *folder)
{
    const struct options *o = &p->options;
    uint64_t failed = 0;
    if (leader(p) && o->output) failed |= !(p->output = output_open(folder, o->output));
    if (leader(p) && o->runs_out) failed |= !(p->runs_out = output_open(folder, o->runs_out));
    if (leader(p) && o->phases) failed |= !(p->phases = output_open(folder, o->phases));
    if (leader(p) && o->messages) failed |= !(p->message_file = output_open(folder, o->messages));
    net_max(&p->net, &failed, 1);
    return !failed;
}

static void write_values(struct program *p)
{
    double start = net_time();
    if (p->options.output) results_write(&p->job, p->output);
    output_close(p->output, p->options.output);
    p->output_time = net_time() - start;
}

static uint64_t memory_bytes(struct program *p)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    uint64_t bytes = (uint64_t)usage.ru_maxrss * 1024;
    net_max(&p->net, &bytes, 1);
    return bytes;
}

static struct report report_of(struct program *p)
{
    return (struct report){&p->options, &p->graph, p->load,     p->output_time, p->options.repetitions,
                           p->runs,     p->cache,  &p->degrees, memory_bytes(p)};
}

void outputs_write(struct program *p)
{
    write_values(p);
    if (p->trace.on) trace_write(&p->trace, p->phases);
    output_close(p->phases, p->options.phases);
    if (p->options.messages) message_log_write(&p->messages, p->message_file);
    output_close(p->message_file, p->options.messages);
    struct report report = report_of(p);
    if (p->runs_out) report_runs(&report, p->runs_out);
    output_close(p->runs_out, p->options.runs_out);
}

void outputs_print(struct program *p)
{
    struct report report = report_of(p);
    if (leader(p)) report_print(&report);
}
