/* `shape`: holds what a port sends and receives at one rate; the emulated lab's links are made so. */
#include "agent.h"
#include "link.h"

#include <stdlib.h>
#include <string.h>

/* Of a port as it is made. */
enum { USUAL_MTU = 1500 };

static int run_shape(struct arguments *arguments);

const struct command shape_command = {
    .name = "shape",
    .summary = "give a port of the emulated lab its rate, for good (root)",
    .help = "predict-agent shape --interface IF --back IFB --rate BIT_PER_S --burst BYTES\n"
            "Holds what IF sends at the rate, and what arrives at IF behind the device IFB, which must be there.\n\n"
            "Example: predict-agent shape --interface p1 --back i1 --rate 200000000 --burst 100000\n",
    .run = run_shape,
};

static int run_shape(struct arguments *arguments)
{
    const char *devices[2] = {NULL, NULL};
    struct tree tree = {.mtu = USUAL_MTU, .queue = {.kind = QUEUE_FAIR}};
    while (next_option(arguments)) {
        if (option_is(arguments, "interface")) devices[0] = option_text(arguments);
        else if (option_is(arguments, "back")) devices[1] = option_text(arguments);
        else if (option_is(arguments, "rate")) tree.rate_bps = option_rate(arguments);
        else if (option_is(arguments, "burst")) tree.burst_bytes = option_burst(arguments);
        else refuse_option(arguments);
    }
    expect_end(arguments);
    for (int i = 0; i < 2; i++)
        if (!devices[i] || !is_interface_name(devices[i])) return misuse("give --interface IF and --back IFB");
    if (!tree.rate_bps || !tree.burst_bytes) return misuse("give --rate BIT_PER_S and --burst BYTES");
    char *text = NULL, problem[PROBLEM];
    size_t size;
    FILE *batch = open_memstream(&text, &size);
    if (!batch) return fail("no memory");
    for (int i = 0; i < 2; i++) {
        tree.device = devices[i];
        write_shaped_device(batch, &tree);
    }
    write_redirect(batch, devices[0], devices[1]);
    bool done =
        fclose(batch) == 0 && run_tool((const char *const[]){"tc", "-batch", "-", NULL}, text, NULL, problem) == 0;
    free(text);
    return done ? EXIT_DONE : fail("%s cannot be shaped: %s", devices[0], problem);
}
