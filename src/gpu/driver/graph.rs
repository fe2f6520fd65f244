//! Graphs and executable graphs.
#![expect(unsafe_code, reason = "calls of the CUDA driver")]

use cudarc::driver::sys;

use super::{Answer, Stream, check};

/// A captured graph.
#[derive(Debug)]
pub(in crate::gpu) struct Graph {
    handle: sys::CUgraph,
}

impl Graph {
    pub(super) fn own(handle: sys::CUgraph) -> Self {
        Self { handle }
    }

    /// Makes it executable. With `node_priorities` each node keeps the priority of the stream that it was captured from;
    /// otherwise all have that of the stream that the graph is launched into.
    pub fn instantiate(&self, node_priorities: bool) -> Answer<Executable> {
        let by_node = u64::from(sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY.0);
        let flags = if node_priorities { by_node } else { 0 };
        let mut handle = std::ptr::null_mut();
        // SAFETY: the graph lives as long as its owner; the driver writes one handle.
        check(unsafe { sys::cuGraphInstantiateWithFlags(&raw mut handle, self.handle, flags) })?;
        Ok(Executable { handle })
    }

    /// Number of its nodes.
    pub fn node_count(&self) -> Answer<usize> {
        let mut count = 0;
        // SAFETY: without a place for nodes the driver writes their number only.
        check(unsafe { sys::cuGraphGetNodes(self.handle, std::ptr::null_mut(), &raw mut count) })?;
        Ok(count)
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            // SAFETY: given out by the end of a capture and destroyed once.
            let _destroyed = unsafe { sys::cuGraphDestroy(self.handle) };
        }
    }
}

/// An executable graph.
#[derive(Debug)]
pub(in crate::gpu) struct Executable {
    handle: sys::CUgraphExec,
}

impl Executable {
    /// Puts it on the device, which the first launch would do otherwise.
    pub fn upload(&self, stream: &Stream) -> Answer {
        // SAFETY: both handles live as long as their owners.
        check(unsafe { sys::cuGraphUpload(self.handle, stream.handle()) })
    }

    /// One launch for all its nodes.
    pub fn launch(&self, stream: &Stream) -> Answer {
        // SAFETY: both handles live as long as their owners.
        check(unsafe { sys::cuGraphLaunch(self.handle, stream.handle()) })
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        // SAFETY: instantiated and destroyed once; the driver waits for a replay under way.
        let _destroyed = unsafe { sys::cuGraphExecDestroy(self.handle) };
    }
}
