#include "reference.h"

enum { FIRST_STEPS = 100000 };
static const double wanted_seconds = 0.1;

/* Steps wait for each other and need no memory. */
double reference_work(uint64_t steps, struct net *net)
{
    volatile uint64_t kept = 1;
    uint64_t value = kept, ns = 0;
    net_sum(net, &ns, 1); /* none begins while another has not come here */
    net_measured(1);
    double start = net_time();
    for (uint64_t i = 0; i < steps; i++) value = value * UINT64_C(6364136223846793005) + 1;
    kept = value;
    ns = (uint64_t)((net_time() - start) * 1e9);
    net_sum(net, &ns, 1);
    net_measured(0); /* not before: who is done would wait with all of its processor */
    return (double)ns / 1e9 / net->ranks;
}

uint64_t reference_steps(struct net *net)
{
    double seconds = 0;
    uint64_t steps = FIRST_STEPS / 4;
    while (seconds < wanted_seconds / 8 && steps < UINT64_MAX / 8) seconds = reference_work(steps *= 4, net);
    return (uint64_t)((double)steps * wanted_seconds / seconds);
}
