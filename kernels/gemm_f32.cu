// Tiled matrix products of f32. A file a type, so that only what is launched is compiled by the driver.
#include "gemm.cuh"

GEMMS(f32)
