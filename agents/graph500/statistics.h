/* The figures of the output block: five-number summary, mean and deviation (specification 2.0, section 9). */
#ifndef G500_STATISTICS_H
#define G500_STATISTICS_H

struct summary {
    double min, first_quartile, median, third_quartile, max;
    double mean, stddev;                   /* arithmetic */
    double harmonic_mean, harmonic_stddev; /* of rates: the deviation is that of the mean's estimate */
};

struct summary summarise(const double *values, int count);

#endif
