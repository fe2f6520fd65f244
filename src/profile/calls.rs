//! Host time of CUDA calls, and times between one thing and the next.

use serde::{Deserialize, Serialize};

use super::Curve;

/// Host time of CUDA calls on an idle queue, in microseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calls {
    /// `cudaLaunchKernel`.
    pub launch_us: f64,
    /// `cudaEventRecord` of an event without a time.
    pub record_us: f64,
    /// `cudaEventRecord` of a timing event.
    pub record_timing_us: f64,
    /// `cudaStreamWaitEvent`.
    pub wait_us: f64,
    /// `cudaEventQuery`.
    pub query_us: f64,
    /// `cudaEventElapsedTime`.
    pub elapsed_us: f64,
    /// `cudaMemcpyAsync` of pinned memory.
    pub copy_us: f64,
    /// `cudaMemcpyAsync` within the device.
    pub copy_d2d_us: f64,
    /// `cudaMemsetAsync`.
    pub memset_us: f64,
    /// `cudaStreamSynchronize` of an idle stream.
    pub stream_sync_us: f64,
    /// `cudaDeviceSynchronize` of an idle device.
    pub device_sync_us: f64,
    /// `cudaEventSynchronize` of a completed event.
    pub event_sync_us: f64,
    /// `cudaLaunchHostFunc`.
    pub host_function_us: f64,
    /// `cudaMalloc` against bytes.
    pub malloc_us: Curve,
    /// `cudaFree`, besides waiting for the device.
    pub free_us: f64,
    /// `cudaMallocAsync`.
    pub malloc_async_us: f64,
    /// `cudaFreeAsync`.
    pub free_async_us: f64,
    /// `cudaMallocHost` against bytes.
    pub malloc_host_us: Curve,
    /// `cudaFreeHost`, besides waiting for the device.
    pub free_host_us: f64,
    /// `cudaStreamCreate`.
    pub stream_create_us: f64,
    /// `cudaEventCreate`.
    pub event_create_us: f64,
    /// `cudaGraphLaunch` against the number of nodes.
    pub graph_launch_us: Curve,
    /// Added for each node when the same executable graph is still running.
    pub graph_relaunch_node_us: f64,
    /// A call that goes into a graph. Nothing is launched, so this stands in place of what the call takes otherwise.
    pub capture_node_us: f64,
    /// `cudaGraphInstantiate` and upload against the number of nodes.
    pub instantiate_us: Curve,
    /// How long a call holds the driver's lock against other threads.
    pub lock_us: f64,
}

/// Times between one thing and the next, in microseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Latencies {
    /// Return of a launch to the start of the kernel on an idle stream.
    pub launch_us: f64,
    /// Return of a graph launch to the start of its first node.
    pub graph_launch_us: f64,
    /// End of a kernel to the start of the next in its stream.
    pub kernel_gap_us: f64,
    /// End of a node to the start of the next in a chain of a graph.
    pub graph_gap_us: f64,
    /// End of a replay to the start of the next one of the same graph.
    pub replay_gap_us: f64,
    /// End of an operation to the start of work on another stream that waited for it.
    pub cross_stream_us: f64,
    /// End of a kernel to the start of a copy behind it, or the other way round.
    pub engine_hop_us: f64,
    /// Time that a timing event takes on its stream.
    pub timing_event_us: f64,
    /// Time that a timing event takes as a node of a graph.
    pub graph_timing_event_us: f64,
    /// Between the end of work and the time that a timing event behind it stores.
    pub timing_event_delay_us: f64,
    /// End of the work to the return of a spinning synchronization.
    pub wake_us: f64,
    /// End of the work to the return of a sleeping synchronization.
    pub sleep_wake_us: f64,
    /// End of the work to the start of a host function behind it.
    pub host_function_us: f64,
    /// Return of a host function to the start of the next operation.
    pub host_function_return_us: f64,
}
