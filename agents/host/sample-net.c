/* proc_pid_net(5), /proc/net/dev: one read gives every interface of the namespace. */
#include "agent.h"
#include "files.h"
#include "sample.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 1 << 17 };

bool net_open(struct net_source *net, const char *const *interfaces, int interfaces_count)
{
    net->interfaces = interfaces;
    net->interfaces_count = interfaces_count;
    net->text = malloc(TEXT_BYTES);
    net->file = open("/proc/net/dev", O_RDONLY | O_CLOEXEC);
    if (net->file >= 0 && net->text) return true;
    fail("cannot open /proc/net/dev (%s); is /proc mounted here?", strerror(errno));
    return false;
}

static bool is_wanted(const struct net_source *net, const char *name)
{
    if (net->interfaces_count == 0) return strcmp(name, "lo") != 0;
    for (int i = 0; i < net->interfaces_count; i++)
        if (strcmp(net->interfaces[i], name) == 0) return true;
    return false;
}

void net_sample(struct net_source *net, struct output *output)
{
    enum { RX_BYTES, RX_PACKETS, TX_BYTES = 8, TX_PACKETS, FIELDS };
    output_stamp(output);
    if (read_again(net->file, net->text, TEXT_BYTES) <= 0) return;
    for (char *line = net->text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        line += strspn(line, " ");
        char *colon = line + strcspn(line, ":|\n");
        if (*colon != ':') continue;
        *colon = '\0';
        const char *at = colon + 1;
        if (!is_wanted(net, line)) {
            line = colon + 1;
            continue;
        }
        uint64_t counts[FIELDS];
        for (int i = 0; i < FIELDS; i++) counts[i] = take_count(&at);
        output_value(output, "net.rx_bytes", line, counts[RX_BYTES]);
        output_value(output, "net.tx_bytes", line, counts[TX_BYTES]);
        output_value(output, "net.rx_packets", line, counts[RX_PACKETS]);
        output_value(output, "net.tx_packets", line, counts[TX_PACKETS]);
        line = colon + 1;
    }
}
