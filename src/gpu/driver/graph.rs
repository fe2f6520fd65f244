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

    /// Makes it executable. `as_pytorch`, each node keeps the priority of the stream that it was captured from, and a launch first
    /// frees what the one before has allocated; otherwise all have the priority of the stream that the graph is launched into.
    pub fn instantiate(&self, as_pytorch: bool) -> Answer<Executable> {
        use sys::CUgraphInstantiate_flags as Flags;
        let by_node = Flags::CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY.0;
        let auto_free = Flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH.0;
        let flags = if as_pytorch { u64::from(by_node | auto_free) } else { 0 };
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

impl Executable {
    /// Destroys it; where the driver refuses, it stays.
    pub fn destroy(&mut self) -> Answer {
        if !self.handle.is_null() {
            // SAFETY: instantiated and destroyed once, since it is null afterwards; the driver waits for a replay under way.
            check(unsafe { sys::cuGraphExecDestroy(self.handle) })?;
            self.handle = std::ptr::null_mut();
        }
        Ok(())
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        let _destroyed = self.destroy();
    }
}
