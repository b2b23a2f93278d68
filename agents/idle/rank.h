#ifndef PREDICT_RANK_H
#define PREDICT_RANK_H

/* Whether a launcher started this process as a rank of an MPI program: Open MPI's, MPICH's, any over PMIx, or SLURM. */
int is_rank(void);

#endif
