#include "requests.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 4096, AT_ONCE = 256 };

struct node {
    uint64_t handle;
    struct request request;
    struct node *next;
};

static struct node *buckets[BUCKETS], *unused;

static uint64_t key_of(MPI_Request handle)
{
    uint64_t key = 0;
    memcpy(&key, &handle, sizeof handle);
    return key;
}

static struct node **place_of(uint64_t key)
{
    struct node **place = &buckets[(key * 0x9e3779b97f4a7c15u >> 40) % BUCKETS];
    while (*place && (*place)->handle != key) place = &(*place)->next;
    return place;
}

static struct node *take_unused(void)
{
    if (!unused) {
        struct node *more = malloc(AT_ONCE * sizeof *more);
        if (!more) abort();
        for (int i = 0; i < AT_ONCE; i++) {
            more[i].next = unused;
            unused = &more[i];
        }
    }
    struct node *node = unused;
    unused = node->next;
    return node;
}

void request_add(MPI_Request handle, const struct request *request)
{
    if (handle == MPI_REQUEST_NULL) return;
    uint64_t key = key_of(handle);
    struct node **place = place_of(key);
    while (*place) place = &(*place)->next;
    struct node *node = take_unused();
    *node = (struct node){.handle = key, .request = *request};
    *place = node;
}

struct request *request_find(MPI_Request handle)
{
    struct node *node = *place_of(key_of(handle));
    return node ? &node->request : NULL;
}

int request_take(MPI_Request handle, struct request *taken)
{
    struct node **place = place_of(key_of(handle)), *node = *place;
    if (!node) return 0;
    *taken = node->request;
    *place = node->next;
    node->next = unused;
    unused = node;
    return 1;
}
