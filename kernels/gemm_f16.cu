// Tiled matrix products of f16. A file a type, so that only what is launched is compiled by the driver.
#include "gemm.cuh"

GEMMS(f16)
