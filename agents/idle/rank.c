/* Launchers tell ranks their number in variables, which whatever a rank starts inherits. So do helpers of a launcher
   that SLURM starts as its tasks, and a launcher in a batch script: they are told by what they execute. */
#include "rank.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID",
                                        "MPI_LOCALRANKID"};

static const char *const helpers[] =
    {"orted", "prted", "prte", "prterun", "orterun", "mpirun", "mpiexec", "hydra_pmi_proxy", "hydra_bstrap_proxy",
     "srun",  "ssh",   "rsh"};

/* Names may end in that of a kind: mpiexec.hydra. */
static int is_helper(void)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = '\0';
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t shown = strcspn(name, ".");
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++)
        if (strlen(helpers[i]) == shown && strncmp(name, helpers[i], shown) == 0) return 1;
    return 0;
}

int is_rank(void)
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i])) return !is_helper();
    return 0;
}
