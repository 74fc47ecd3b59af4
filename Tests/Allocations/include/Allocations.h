#ifndef REJOIN_ALLOCATIONS_H
#define REJOIN_ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

/// Whether allocations are counted here: with glibc, and without a sanitizer that counts its own.
bool rejoin_allocations_are_counted(void);

/// Starts counting what this thread allocates.
void rejoin_allocations_begin(void);

/// The most bytes that this thread held at one time since counting began, beyond what it held then.
int64_t rejoin_allocations_peak(void);

#endif
