//! The tokens of a document in sorted order.

use super::token::{Token, Tokens};
use super::unescape::unescape;

/// The tokens of a valid JSON text with the keys of each object in code point order, and of equal
/// keys only the last. The text is read once into a flat list; what is still to be visited waits
/// on a stack of places in it.
pub(super) fn sorted_tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let nodes = nodes(text);
    let mut waiting = vec![0];
    std::iter::from_fn(move || {
        let index = waiting.pop()?;
        let node = nodes.get(index)?;
        let children = match node.token {
            Token::ObjectStart => sorted_members(&nodes, index),
            Token::ArrayStart => children(&nodes, index).collect(),
            _ => return Some(node.token),
        };
        waiting.push(node.end);
        waiting.extend(children.iter().rev());
        Some(node.token)
    })
}

/// A token and the place of the last one of its value: of a container its closing token, of
/// anything else itself.
struct Node<'a> {
    token: Token<'a>,
    end: usize,
}

fn nodes(text: &str) -> Vec<Node<'_>> {
    let mut nodes: Vec<Node<'_>> = Vec::new();
    let mut open = Vec::new();
    for token in Tokens::new(text) {
        let end = nodes.len();
        nodes.push(Node { token, end });
        match token {
            Token::ObjectStart | Token::ArrayStart => open.push(end),
            Token::ObjectEnd | Token::ArrayEnd => {
                if let Some(start) = open.pop().and_then(|start| nodes.get_mut(start)) {
                    start.end = end;
                }
            }
            _ => {}
        }
    }
    nodes
}

/// The places of what is directly inside the container at `start`, keys and values alike.
fn children(nodes: &[Node<'_>], start: usize) -> impl Iterator<Item = usize> {
    let end = nodes.get(start).map_or(start, |node| node.end);
    let next = |index: &usize| nodes.get(*index).map(|node| node.end + 1);
    std::iter::successors(Some(start + 1), next).take_while(move |index| *index < end)
}

/// The same for an object, sorted and without the members that a later one of the same key hides.
fn sorted_members(nodes: &[Node<'_>], start: usize) -> Vec<usize> {
    let mut members = Vec::new();
    for index in children(nodes, start) {
        if let Some(Token::Key(key)) = nodes.get(index).map(|node| node.token) {
            members.push((unescape(key).text, index));
        }
    }
    // Turned around before a sort that is stable, the last of equal keys comes first and stays.
    members.reverse();
    members.sort_by(|left, right| left.0.cmp(&right.0));
    members.dedup_by(|later, first| later.0 == first.0);
    // A value stands right behind its key.
    members
        .into_iter()
        .flat_map(|(_, key)| [key, key + 1])
        .collect()
}
