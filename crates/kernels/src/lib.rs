//! Matrix products and convolutions driven by kernels, and what this machine reaches.
