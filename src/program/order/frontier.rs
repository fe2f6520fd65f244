//! What the next work of a stream has to wait for.

use super::edges::Edges;
use super::{EdgeKind, Node};

/// What the next work of a stream has to wait for.
#[derive(Clone, Debug, Default)]
pub(super) struct Frontier {
    /// Last work of the stream itself.
    pub last: Option<Node>,
    /// What waits have added since.
    pub joined: Edges,
}

impl Frontier {
    pub fn edges_into(&self, edges: &mut Edges) {
        if let Some(last) = self.last {
            edges.add(last, EdgeKind::Stream);
        }
        self.joined.as_slice().iter().for_each(|edge| edges.add(edge.from, edge.kind));
    }

    pub fn nodes(&self) -> impl Iterator<Item = Node> {
        self.last.into_iter().chain(self.joined.nodes())
    }

    pub fn advance(&mut self, node: Node) {
        self.last = Some(node);
        self.joined.clear();
    }

    pub fn join(&mut self, from: Node, kind: EdgeKind) {
        if self.last != Some(from) {
            self.joined.add(from, kind);
        }
    }
}
