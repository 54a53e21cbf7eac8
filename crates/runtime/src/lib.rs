//! What runs: executable memory, the cache of kernels, threads.
