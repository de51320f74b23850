//! The sorted writer: one text for all spellings of the same document.
//!
//! Nothing here recurses, so depth costs memory and never the stack.

use std::borrow::Cow;

use super::number::write_number;
use super::string::{unescape, write_string};
use super::token::{Token, Tokens};

/// What becomes of number tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    /// They stay as they are spelled.
    Kept,
    /// They are written in their canonical spelling.
    Respelled,
}

/// Appends a valid JSON text without white space, with keys in code point order at every depth,
/// the last of equal keys standing, and strings escaped in the one way [`write_string`] does it.
pub(super) fn write_sorted(out: &mut String, text: &str, numbers: Numbers) {
    out.reserve(text.len());
    let before = out.len();
    if !write_in_order(out, text, numbers) {
        out.truncate(before);
        write_by_key(out, text, numbers);
    }
}

/// Writes in the order of the text and answers whether that was the sorted one. Most documents
/// come from a sorted writer, and this takes no more memory than they are deep.
fn write_in_order(out: &mut String, text: &str, numbers: Numbers) -> bool {
    let mut open: Vec<Open<'_>> = Vec::new();
    for token in Tokens::new(text) {
        match token {
            Token::ObjectEnd | Token::ArrayEnd => {
                open.pop();
                write_token(out, token, numbers);
                continue;
            }
            Token::String(key) if open.last().is_some_and(Open::wants_key) => {
                let key = unescape(key).text;
                if let Some(object) = open.last_mut() {
                    if object.last_key.as_ref().is_some_and(|last| *last >= key) {
                        return false;
                    }
                    object.separate(out);
                    write_string(out, &key);
                    out.push(':');
                    object.last_key = Some(key);
                    object.after_key = true;
                }
                continue;
            }
            _ => {}
        }
        if let Some(container) = open.last_mut() {
            if !container.after_key {
                container.separate(out);
            }
            container.after_key = false;
        }
        write_token(out, token, numbers);
        if matches!(token, Token::ObjectStart | Token::ArrayStart) {
            open.push(Open::new(token == Token::ObjectStart));
        }
    }
    true
}

/// A container being written in order.
struct Open<'a> {
    object: bool,
    empty: bool,
    after_key: bool,
    last_key: Option<Cow<'a, str>>,
}

impl Open<'_> {
    fn new(object: bool) -> Self {
        Self {
            object,
            empty: true,
            after_key: false,
            last_key: None,
        }
    }

    fn wants_key(&self) -> bool {
        self.object && !self.after_key
    }

    fn separate(&mut self, out: &mut String) {
        if !self.empty {
            out.push(',');
        }
        self.empty = false;
    }
}

/// Writes from a flat list of the tokens, so that the members of an object can be visited in any
/// order without reading anything twice.
fn write_by_key(out: &mut String, text: &str, numbers: Numbers) {
    let nodes = nodes(text);
    let mut open: Vec<Level<'_>> = Vec::new();
    let mut current = Some(0);
    loop {
        if let Some(node) = current.and_then(|index| nodes.get(index)) {
            write_token(out, node.token, numbers);
            match node.token {
                Token::ObjectStart => open.push(Level::object(&nodes, current.unwrap_or(0))),
                Token::ArrayStart => open.push(Level::array(&nodes, current.unwrap_or(0))),
                _ => {}
            }
        }
        let Some(level) = open.last_mut() else {
            return;
        };
        current = level.children.next().map(|(key, index)| {
            if level.empty {
                level.empty = false;
            } else {
                out.push(',');
            }
            if level.end == Token::ObjectEnd {
                write_string(out, &key);
                out.push(':');
            }
            index
        });
        if current.is_none() {
            write_token(out, level.end, numbers);
            open.pop();
        }
    }
}

/// A token and the place of the one after its whole value.
struct Node<'a> {
    token: Token<'a>,
    next: usize,
}

fn nodes(text: &str) -> Vec<Node<'_>> {
    let mut nodes: Vec<Node<'_>> = Vec::new();
    let mut open = Vec::new();
    for token in Tokens::new(text) {
        match token {
            Token::ObjectEnd | Token::ArrayEnd => {
                let next = nodes.len();
                if let Some(start) = open.pop().and_then(|start: usize| nodes.get_mut(start)) {
                    start.next = next;
                }
                continue;
            }
            Token::ObjectStart | Token::ArrayStart => open.push(nodes.len()),
            _ => {}
        }
        nodes.push(Node {
            token,
            next: nodes.len() + 1,
        });
    }
    nodes
}

/// A container whose children are being written.
struct Level<'a> {
    end: Token<'static>,
    empty: bool,
    children: std::vec::IntoIter<(Cow<'a, str>, usize)>,
}

impl<'a> Level<'a> {
    fn array(nodes: &[Node<'a>], start: usize) -> Self {
        let children: Vec<_> = children(nodes, start)
            .map(|index| (Cow::Borrowed(""), index))
            .collect();
        Self::new(Token::ArrayEnd, children)
    }

    fn object(nodes: &[Node<'a>], start: usize) -> Self {
        let mut members: Vec<(Cow<'a, str>, usize)> = Vec::new();
        let mut indices = children(nodes, start);
        while let (Some(key), Some(value)) = (indices.next(), indices.next()) {
            if let Some(Token::String(key)) = nodes.get(key).map(|node| node.token) {
                members.push((unescape(key).text, value));
            }
        }
        // The sort is stable, so among equal keys the last one written comes last: turned around,
        // it is the first, and the one that stays.
        members.reverse();
        members.sort_by(|left, right| left.0.cmp(&right.0));
        members.dedup_by(|later, earlier| later.0 == earlier.0);
        Self::new(Token::ObjectEnd, members)
    }

    fn new(end: Token<'static>, children: Vec<(Cow<'a, str>, usize)>) -> Self {
        Self {
            end,
            empty: true,
            children: children.into_iter(),
        }
    }
}

/// The places of the direct children of the container at `start`, keys among them.
fn children(nodes: &[Node<'_>], start: usize) -> impl Iterator<Item = usize> {
    let end = nodes.get(start).map_or(start, |node| node.next);
    std::iter::successors(Some(start + 1), |index| {
        nodes.get(*index).map(|node| node.next)
    })
    .take_while(move |index| *index < end)
}

fn write_token(out: &mut String, token: Token<'_>, numbers: Numbers) {
    match token {
        Token::ObjectStart => out.push('{'),
        Token::ObjectEnd => out.push('}'),
        Token::ArrayStart => out.push('['),
        Token::ArrayEnd => out.push(']'),
        Token::Word(word) => out.push_str(word),
        Token::String(token) => write_string(out, &unescape(token).text),
        Token::Number(token) if numbers == Numbers::Respelled => write_number(out, token),
        Token::Number(token) => out.push_str(token),
    }
}
