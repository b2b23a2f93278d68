/* A program that tests for messages in vain (MPI_Test, MPI_Iprobe and their kin) and then does other work before it
   tests again is put off by a block in a test; one that only waits, whether by MPI_Wait or by tests, is not. Which of
   both a rank does is judged by what followed its last tests in vain. Handles are pointers or integers: both go through
   a register of a pointer's size. */
#include "idle.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* After a block the first steps of a program take longer, whatever they are. */
enum { OWN_WORK_NS = 200, COLD_WORK_NS = 5000, ENOUGH = 4, MOST = 64 };

/* The tests of one thread. */
static __thread struct {
    int in_vain;      /* the last one found nothing */
    int blocked;      /* and blocked */
    uint64_t left_ns; /* when it ended */
    int evidence;     /* that work follows tests in vain */
} tests;

/* Time since the last test is the program's own where no other call of the library waited in between. */
static void test_begins(void)
{
    if (tests.in_vain && !idle_waited()) {
        uint64_t least_ns = tests.blocked ? COLD_WORK_NS : OWN_WORK_NS;
        if (idle_now() - tests.left_ns < least_ns) tests.evidence -= tests.evidence > 0;
        else if (tests.evidence < MOST) tests.evidence += ENOUGH;
    }
    idle_test_begins(tests.evidence >= ENOUGH);
}

static void test_ends(int found)
{
    tests.blocked = idle_test_ends();
    tests.in_vain = !found;
    tests.left_ns = idle_now();
}

/* The MPI library's own; one that an interpreter has loaded for itself is found by its name. */
static void *next_of(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    static const char *const libraries[] = {"libmpi.so.40", "libmpich.so.12", "libmpi.so.12"};
    for (size_t i = 0; !found && i < sizeof libraries / sizeof *libraries; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        if (library) found = dlsym(library, name);
    }
    if (found) return found;
    fprintf(stderr, "libpredict-idle: no MPI library has %s\n", name);
    abort();
}

#define TEST(name, found, parameters, arguments)                     \
    int PMPI_##name parameters __attribute__((alias("MPI_" #name))); \
    int MPI_##name parameters                                        \
    {                                                                \
        static int(*next) parameters;                                \
        if (!next) next = (int(*) parameters)next_of("PMPI_" #name); \
        test_begins();                                               \
        int result = next arguments;                                 \
        test_ends(*found != 0);                                      \
        return result;                                               \
    }

TEST(Test, flag, (void *request, int *flag, void *status), (request, flag, status))
TEST(Testany, flag, (int count, void *all, int *index, int *flag, void *status), (count, all, index, flag, status))
TEST(Testall, flag, (int count, void *all, int *flag, void *statuses), (count, all, flag, statuses))
TEST(Testsome, done, (int count, void *all, int *done, int *which, void *statuses), (count, all, done, which, statuses))
TEST(Iprobe, flag, (int source, int tag, void *comm, int *flag, void *status), (source, tag, comm, flag, status))
TEST(Improbe, flag, (int source, int tag, void *comm, int *flag, void *message, void *status),
     (source, tag, comm, flag, message, status))
TEST(Request_get_status, flag, (void *request, int *flag, void *status), (request, flag, status))
