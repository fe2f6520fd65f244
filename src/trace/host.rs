//! What the events of host threads are.

use crate::recording::SpanKind;

/// Calls that return when the GPU has done what they are about (CUDA Runtime API and CUDA Driver API, "API synchronization behavior").
const WAITS: [&str; 8] = [
    "cudaDeviceSynchronize",
    "cudaStreamSynchronize",
    "cudaEventSynchronize",
    "cudaMemcpy",
    "cuCtxSynchronize",
    "cuStreamSynchronize",
    "cuEventSynchronize",
    "hipDeviceSynchronize",
];

/// Calls that go to the driver for memory.
const ALLOCATES: [&str; 8] = [
    "cudaMalloc",
    "cudaFree",
    "cudaHostAlloc",
    "cudaFreeHost",
    "cudaMallocHost",
    "cuMemAlloc",
    "cuMemFree",
    "cudaMallocManaged",
];

/// What an event of a host thread is; `None` for one that has no place on its lane.
pub(super) fn kind(category: &str, name: &str) -> Option<SpanKind> {
    match category {
        "cpu_op" | "Operator" => Some(SpanKind::Operation),
        "user_annotation" => Some(SpanKind::Annotation),
        "python_function" => Some(SpanKind::Python),
        "cuda_runtime" | "cuda_driver" | "Runtime" => Some(call(name)),
        _ => None,
    }
}

fn call(name: &str) -> SpanKind {
    // The driver has versions of a call: `cuMemAlloc_v2`.
    let plain = name.split("_v").next().unwrap_or(name);
    if WAITS.contains(&plain) {
        SpanKind::Blocked
    } else if ALLOCATES.contains(&plain) {
        SpanKind::Allocation
    } else if plain.contains("Capture") && !plain.contains("IsCapturing") || plain.contains("GraphInstantiate") {
        SpanKind::Capture
    } else {
        SpanKind::Call
    }
}

/// Whether a call launches a graph.
pub(super) fn launches_graph(name: &str) -> bool {
    name.contains("GraphLaunch")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_by_what_they_do() {
        let kinds = ["cudaStreamSynchronize", "cuMemAlloc_v2", "cudaGraphInstantiate_v12000", "cudaLaunchKernel"];
        let kinds = kinds.map(|name| kind("cuda_runtime", name));
        let wanted = [SpanKind::Blocked, SpanKind::Allocation, SpanKind::Capture, SpanKind::Call];
        assert_eq!(kinds, wanted.map(Some));
        assert_eq!(kind("cuda_runtime", "cudaStreamIsCapturing"), Some(SpanKind::Call));
        assert_eq!(kind("ac2g", "ac2g"), None);
    }
}
