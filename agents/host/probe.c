/* `probe`: measures one flow, or one each way at once, and prints what came as JSON. */
#include "agent.h"
#include "json.h"
#include "probe.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int run_probe(struct arguments *arguments);

const struct command probe_command = {
    .name = "probe",
    .summary = "measure TCP bandwidth to, from or with another host",
    .help = "predict-agent probe --listen ADDRESS:PORT --seconds S --warm-bytes B [--warm-seconds W]\n"
            "                    [--accept-timeout 10] [--ping-after S]\n"
            "predict-agent probe --connect ADDRESS:PORT --seconds S [--bind ADDRESS] [--connect-timeout 5]\n"
            "                    [--ping-after S] [--far]\n"
            "predict-agent probe --both --listen ADDRESS:PORT --connect ADDRESS:PORT --seconds S ...\n"
            "The sender sends for S seconds; the receiver measures after both warm-ups to the last\n"
            "byte. The listener says \"listening PORT\" on stderr (port 0 lets it choose). All ends\n"
            "S + 5 s after the connection at the latest. With --ping-after at both ends small messages\n"
            "go there and back beside it, and count from S on. Prints {role, bytes, seconds, bitsPerSecond,\n"
            "totalBytes, totalSeconds, roundTripMs (the sender's, of nine in ten), complete, peer}; --both\n"
            "prints {received, sent}. With --far the sender has as much under way as the kernel's own bounds allow.\n\n"
            "Example: predict-agent probe --listen 10.0.0.1:5201 --seconds 3 --warm-bytes 2000000\n",
    .run = run_probe,
};

static void write_flow(struct json *json, const char *key, const char *role, const struct flow *flow)
{
    json_open(json, key, '{');
    json_text(json, "role", role);
    json_count(json, "bytes", flow->bytes);
    json_number(json, "seconds", flow->seconds);
    json_number(json, "bitsPerSecond",
                flow->bytes && flow->seconds > 0 ? (double)flow->bytes * 8 / flow->seconds : NAN);
    json_count(json, "totalBytes", flow->total_bytes);
    json_number(json, "totalSeconds", flow->total_seconds);
    if (flow->round_trip_ms >= 0) json_number(json, "roundTripMs", flow->round_trip_ms);
    json_flag(json, "complete", flow->complete);
    json_text(json, "peer", flow->peer[0] ? flow->peer : NULL);
    json_close(json, '}');
}

struct both {
    const struct probe_plan *plan;
    struct flow sent;
};

static void *send_beside(void *context)
{
    struct both *both = context;
    probe_send(both->plan, &both->sent);
    return NULL;
}

static int run_plan(const struct probe_plan *plan)
{
    struct both both = {.plan = plan, .sent = {.round_trip_ms = -1}};
    struct flow received = {.round_trip_ms = -1};
    int listener = plan->listens ? probe_listen(plan) : -1;
    if (plan->listens && listener < 0) {
        char text[ENDPOINT_TEXT];
        format_endpoint(&plan->listen, text);
        return fail("cannot listen on %s (%s); choose one of this host's addresses and a free port", text,
                    strerror(errno));
    }
    pthread_t sender;
    if (plan->listens && plan->connects) {
        int reason = pthread_create(&sender, NULL, send_beside, &both);
        if (reason) return fail("cannot start the sending thread (%s)", strerror(reason));
    } else if (plan->connects) {
        probe_send(plan, &both.sent);
    }
    if (plan->listens) probe_receive(plan, listener, &received);
    if (plan->listens && plan->connects) pthread_join(sender, NULL);

    struct json json = {.out = stdout};
    if (plan->listens && plan->connects) {
        json_open(&json, NULL, '{');
        write_flow(&json, "received", "receiver", &received);
        write_flow(&json, "sent", "sender", &both.sent);
        json_close(&json, '}');
    } else {
        write_flow(&json, NULL, plan->listens ? "receiver" : "sender", plan->listens ? &received : &both.sent);
    }
    int result = EXIT_DONE;
    if (received.problem[0]) result = fail("%s", received.problem);
    if (both.sent.problem[0]) result = fail("%s", both.sent.problem);
    if (!json_end(&json)) return fail("cannot write the result to stdout (%s)", strerror(errno));
    return result;
}

static struct address option_endpoint(struct arguments *arguments)
{
    struct address address;
    const char *text = option_text(arguments);
    if (!parse_endpoint(text, &address))
        exit(misuse("--%s must be a numeric address and a port, like 10.0.0.1:5201, not \"%s\"", arguments->option,
                    text));
    return address;
}

static int run_probe(struct arguments *arguments)
{
    struct probe_plan plan = {.accept_seconds = 10, .connect_seconds = 5, .ping_after_seconds = -1};
    bool both = false;
    while (next_option(arguments)) {
        if (option_is(arguments, "both")) both = true;
        else if (option_is(arguments, "far")) plan.far = true;
        else if (option_is(arguments, "listen")) plan.listen = option_endpoint(arguments), plan.listens = true;
        else if (option_is(arguments, "connect")) plan.connect = option_endpoint(arguments), plan.connects = true;
        else if (option_is(arguments, "seconds")) plan.seconds = option_number(arguments, 0.01, 3600);
        else if (option_is(arguments, "warm-bytes")) plan.warm_bytes = option_count(arguments);
        else if (option_is(arguments, "warm-seconds")) plan.warm_seconds = option_number(arguments, 0, 3600);
        else if (option_is(arguments, "ping-after")) plan.ping_after_seconds = option_number(arguments, 0, 3600);
        else if (option_is(arguments, "accept-timeout")) plan.accept_seconds = option_number(arguments, 0.01, 3600);
        else if (option_is(arguments, "connect-timeout")) plan.connect_seconds = option_number(arguments, 0.01, 3600);
        else if (option_is(arguments, "bind")) {
            const char *text = option_text(arguments);
            plan.binds = true;
            if (!parse_address(text, "0", &plan.bind))
                return misuse("--bind must be a numeric address, not \"%s\"", text);
        } else refuse_option(arguments);
    }
    expect_end(arguments);
    if (!plan.listens && !plan.connects) return misuse("give --listen, --connect, or --both with the two");
    if (both != (plan.listens && plan.connects)) return misuse("--both goes with --listen and --connect together");
    if (plan.seconds <= 0) return misuse("--seconds is missing; say for how long to send");
    if (plan.connects && endpoint_port(&plan.connect) == 0) return misuse("--connect needs the receiver's port, not 0");
    return run_plan(&plan);
}
