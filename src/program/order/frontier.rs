//! What the next work of a stream has to wait for.

use super::{Edge, EdgeKind, Node};

/// What the next work of a stream has to wait for.
#[derive(Clone, Debug, Default)]
pub(super) struct Frontier {
    /// Last work of the stream itself.
    pub last: Option<Node>,
    /// What waits have added since.
    pub joined: Vec<Edge>,
}

impl Frontier {
    pub fn edges_into(&self, edges: &mut Vec<Edge>) {
        edges.extend(self.last.map(|from| Edge { from, kind: EdgeKind::Stream }));
        for join in &self.joined {
            if edges.iter().all(|edge| edge.from != join.from) {
                edges.push(*join);
            }
        }
    }

    pub fn nodes(&self) -> impl Iterator<Item = Node> {
        self.last.into_iter().chain(self.joined.iter().map(|edge| edge.from))
    }

    pub fn advance(&mut self, node: Node) {
        self.last = Some(node);
        self.joined.clear();
    }

    pub fn join(&mut self, from: Node, kind: EdgeKind) {
        if self.last != Some(from) && self.joined.iter().all(|edge| edge.from != from) {
            self.joined.push(Edge { from, kind });
        }
    }
}
