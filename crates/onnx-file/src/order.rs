//! Orders of small-integer graphs: sources before what needs them, or a cycle that forbids it.
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// For each node, by number, the nodes that it needs: its sources.
pub(crate) struct Edges {
    begins: Vec<usize>,
    sources: Vec<u32>,
}

impl Edges {
    /// The sources of each node in turn.
    pub fn new<I: IntoIterator<Item = u32>>(sources: impl Iterator<Item = I>) -> Self {
        let mut edges = Self { begins: vec![0], sources: Vec::new() };
        for list in sources {
            edges.sources.extend(list);
            edges.begins.push(edges.sources.len());
        }
        edges
    }

    fn nodes(&self) -> usize {
        self.begins.len() - 1
    }

    /// What a node needs.
    pub fn sources(&self, node: usize) -> &[u32] {
        &self.sources[self.begins[node]..self.begins[node + 1]]
    }

    /// Does every node come after its sources already?
    pub fn is_sorted(&self) -> bool {
        (0..self.nodes()).all(|node| self.sources(node).iter().all(|source| (*source as usize) < node))
    }

    /// The same edges the other way round.
    fn reversed(&self) -> Self {
        let nodes = self.nodes();
        let mut begins = vec![0; nodes + 1];
        self.sources.iter().for_each(|source| begins[*source as usize + 1] += 1);
        (0..nodes).for_each(|node| begins[node + 1] += begins[node]);
        let mut free = begins.clone();
        let mut sources = vec![0; self.sources.len()];
        for node in 0..nodes {
            for source in self.sources(node) {
                sources[free[*source as usize]] = node as u32;
                free[*source as usize] += 1;
            }
        }
        Self { begins, sources }
    }

    /// An order with sources first, of the nodes that are ready the smallest number first. Nodes on a cycle, and those
    /// that need them, are left out.
    pub fn order(&self) -> Vec<u32> {
        let nodes = self.nodes();
        let readers = self.reversed();
        let mut missing: Vec<usize> = (0..nodes).map(|node| self.sources(node).len()).collect();
        let mut ready: BinaryHeap<_> =
            (0..nodes).filter(|node| missing[*node] == 0).map(|n| Reverse(n as u32)).collect();
        let mut order = Vec::with_capacity(nodes);
        while let Some(Reverse(node)) = ready.pop() {
            order.push(node);
            for reader in readers.sources(node as usize) {
                missing[*reader as usize] -= 1;
                if missing[*reader as usize] == 0 {
                    ready.push(Reverse(*reader));
                }
            }
        }
        order
    }

    /// A cycle among the nodes that `order` leaves out, each node after one that it needs. Empty when none is left out.
    pub fn cycle(&self, order: &[u32]) -> Vec<usize> {
        let nodes = self.nodes();
        let mut placed = vec![false; nodes];
        order.iter().for_each(|node| placed[*node as usize] = true);
        let mut step = vec![usize::MAX; nodes];
        let mut path = Vec::new();
        let Some(mut node) = placed.iter().position(|done| !done) else { return path };
        while step[node] == usize::MAX {
            step[node] = path.len();
            path.push(node);
            let next = self.sources(node).iter().find(|source| !placed[**source as usize]);
            node = next.map_or(node, |source| *source as usize);
        }
        path.drain(..step[node]);
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_sources_first_or_finds_a_cycle() {
        let edges = Edges::new([vec![2, 2], vec![], vec![1], vec![4], vec![3], vec![3]].into_iter());
        assert!(!edges.is_sorted());
        let order = edges.order();
        assert_eq!(order, [1, 2, 0]);
        assert_eq!(edges.cycle(&order), [4, 3]);
        let line = Edges::new([vec![], vec![0], vec![0, 1]].into_iter());
        assert!(line.is_sorted());
        assert!(line.cycle(&line.order()).is_empty());
    }
}
