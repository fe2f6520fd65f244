//! Edges into one node, each predecessor once.

use std::collections::HashSet;

use super::{Edge, EdgeKind, Node};

/// Up to so many predecessors it is faster to look at all of them.
const FEW: usize = 8;

/// Edges into one node, in the order in which they came, each predecessor once.
#[derive(Clone, Debug, Default)]
pub(super) struct Edges {
    list: Vec<Edge>,
    /// The predecessors of the first edges; of all of them only when there are many.
    known: HashSet<Node>,
}

impl Edges {
    /// Adds an edge, unless there is one from the same node.
    pub fn add(&mut self, from: Node, kind: EdgeKind) {
        if !self.has(from) {
            self.list.push(Edge { from, kind });
        }
    }

    fn has(&mut self, node: Node) -> bool {
        if self.list.len() <= FEW {
            return self.list.iter().any(|edge| edge.from == node);
        }
        let new = self.list.get(self.known.len()..).unwrap_or_default();
        self.known.extend(new.iter().map(|edge| edge.from));
        self.known.contains(&node)
    }

    pub fn clear(&mut self) {
        self.list.clear();
        self.known.clear();
    }

    pub fn as_slice(&self) -> &[Edge] {
        &self.list
    }

    /// The predecessors.
    pub fn nodes(&self) -> impl Iterator<Item = Node> {
        self.list.iter().map(|edge| edge.from)
    }
}
