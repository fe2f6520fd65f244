//! What has been captured so far: streams, sizes and private pools of graphs.

use std::collections::HashSet;

use super::super::effects::{self, InCapture};
use super::super::{Action, GraphId, MAX_GRAPH_NODES, StreamId};
use super::threads::Mark;

/// Most nodes that one graph may have.
const MAX_NODES: u64 = 500_000;

/// What has been captured so far.
#[derive(Debug, Default)]
pub(super) struct Captures {
    /// By graph.
    begun: Vec<Begun>,
    executable: HashSet<GraphId>,
    /// Nodes that all replays so far run.
    replayed: u64,
    /// The highest number of a private pool; 0 is the ordinary pool.
    last_pool: u32,
}

#[derive(Debug)]
struct Begun {
    stream: StreamId,
    at: Mark,
    /// Nodes that the graph has at most, once its capture has ended.
    nodes: u64,
}

impl Captures {
    /// The capture of the next graph has begun.
    pub fn begin(&mut self, stream: StreamId, pool: u32, at: Mark) {
        self.last_pool = self.last_pool.max(pool);
        self.begun.push(Begun { stream, at, nodes: 0 });
    }

    /// The stream that its capture began on.
    pub fn stream(&self, graph: GraphId) -> Option<StreamId> {
        self.begun.get(graph.index()).map(|begun| begun.stream)
    }

    /// Its capture ends here.
    pub fn end(&mut self, graph: GraphId, at: Mark) -> Result<(), String> {
        let Some(begun) = self.begun.get_mut(graph.index()) else { return Ok(()) };
        begun.nodes = at.nodes_since(begun.at);
        if begun.nodes > MAX_NODES {
            return Err(format!(
                "the graph has more than {MAX_NODES} nodes; lower a loop count or use fewer child graphs"
            ));
        }
        Ok(())
    }

    /// It can be replayed from here on.
    pub fn instantiate(&mut self, graph: GraphId) {
        self.executable.insert(graph);
    }

    /// Whether it can be replayed.
    pub fn is_executable(&self, graph: GraphId) -> bool {
        self.executable.contains(&graph)
    }

    /// It is replayed once more.
    pub fn replay(&mut self, graph: GraphId) -> Result<(), String> {
        self.replayed += self.nodes(graph);
        if self.replayed > MAX_GRAPH_NODES {
            return Err(format!(
                "the replays of this program run more than {MAX_GRAPH_NODES} graph nodes; lower a loop count"
            ));
        }
        Ok(())
    }

    /// The number of a private pool that no graph has yet.
    pub fn next_pool(&self) -> u32 {
        self.last_pool + 1
    }

    /// Nodes that an action becomes in a graph.
    pub fn nodes_of(&self, action: &Action) -> u64 {
        match *action {
            Action::ChildGraph { graph, .. } => self.nodes(graph),
            ref action => {
                let is_node = matches!(effects::in_capture(action), InCapture::Node | InCapture::NodeOrUnsafe(_));
                u64::from(is_node && effects::enqueues(action).is_some())
            }
        }
    }

    fn nodes(&self, graph: GraphId) -> u64 {
        self.begun.get(graph.index()).map_or(0, |begun| begun.nodes)
    }
}
