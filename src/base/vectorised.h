// BERTH_VECTORISED marks a function that is also compiled for wider registers, where the machine
// has them. Both versions give the same results.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define BERTH_VECTORISED __attribute__((target_clones("avx2", "default")))
#else
#define BERTH_VECTORISED
#endif
