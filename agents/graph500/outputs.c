#include "outputs.h"

#include "output-file.h"

int outputs_open(struct run *r, const char *folder)
{
    const char *roots = r->options.roots_out, *parents = r->options.parents_out;
    const char *distances = r->options.distances_out;
    const char *phases = r->options.phases, *messages = r->options.messages;
    uint64_t failed = 0;
    if (leader(r) && roots) failed |= !(r->roots_file = output_open(folder, roots));
    if (leader(r) && phases) failed |= !(r->phases_file = output_open(folder, phases));
    if (leader(r) && messages) failed |= !(r->messages_file = output_open(folder, messages));
    if (leader(r) && parents) failed |= !(r->parents_file = output_open(folder, parents));
    if (leader(r) && distances) failed |= !(r->distances_file = output_open(folder, distances));
    net_max(&r->net, &failed, 1);
    return !failed;
}

void outputs_write(struct run *r)
{
    if (r->options.phases) trace_write(&r->trace, r->phases_file);
    output_close(r->phases_file, r->options.phases);
    if (r->options.messages) message_log_write(&r->messages, r->messages_file);
    output_close(r->messages_file, r->options.messages);
    output_close(r->parents_file, r->options.parents_out);
    output_close(r->distances_file, r->options.distances_out);
    output_close(r->roots_file, r->options.roots_out);
    r->phases_file = r->messages_file = r->parents_file = r->distances_file = r->roots_file = NULL;
}

void outputs_print(const struct run *r)
{
    int is_sssp = r->results.kernel == KERNEL_SSSP;
    struct report report = {.options = &r->options,
                            .graph = &r->graph,
                            .generation = r->generation,
                            .construction = r->construction,
                            .searches = r->searches,
                            .bfs = is_sssp ? r->earlier : r->results,
                            .sssp = is_sssp ? r->results : (struct results){.kernel = KERNEL_SSSP},
                            .cache = r->cache};
    if (leader(r)) output_block(&report);
}
