//! An HTTP server on loopback that answers byte for byte as it is told, well or badly.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sess::Json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What a server does with one connection, after it has read the request. When nothing is left to
/// do it closes the connection.
pub type Reply = Vec<Act>;

/// One act of a reply.
#[derive(Clone, Debug)]
pub enum Act {
    /// Sends these bytes.
    Send(Vec<u8>),
    /// Sends these bytes this many times.
    Repeat(Vec<u8>, usize),
    /// Waits.
    Pause(Duration),
    /// Does nothing until the client closes the connection.
    Hang,
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Received {
    /// Method and path, such as `POST /v1/chat/completions`.
    pub line: String,
    /// The headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body; `null` when there was none.
    pub body: Json,
}

/// A running server. It ends with the runtime it was started in.
pub struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Received>>>,
    hung_up: watch::Receiver<usize>,
}

impl Server {
    /// A server that gives each request the next reply, and the last one to all further ones.
    pub async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::<Mutex<Vec<Received>>>::default();
        let (count, hung_up) = watch::channel(0);
        let replies = Arc::new(Mutex::new(replies.into_iter().collect::<VecDeque<_>>()));
        tokio::spawn({
            let requests = Arc::clone(&requests);
            async move {
                while let Ok((connection, _)) = listener.accept().await {
                    let served = serve(
                        connection,
                        Arc::clone(&requests),
                        Arc::clone(&replies),
                        count.clone(),
                    );
                    tokio::spawn(served);
                }
            }
        });
        Self {
            address,
            requests,
            hung_up,
        }
    }

    /// The base of its API.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Received> {
        self.requests.lock().unwrap().clone()
    }

    /// The body of the only request so far.
    pub fn body(&self) -> Json {
        let requests = self.requests();
        assert_eq!(requests.len(), 1, "{requests:?}");
        requests[0].body.clone()
    }

    /// Waits until this many connections were closed by the client while they hung.
    pub async fn hung_up(&self, times: usize) {
        let mut count = self.hung_up.clone();
        let enough = count.wait_for(|&count| count >= times);
        let waited = tokio::time::timeout(Duration::from_secs(30), enough).await;
        waited
            .expect("the client never closed the connection")
            .unwrap();
    }
}

async fn serve(
    mut connection: TcpStream,
    requests: Arc<Mutex<Vec<Received>>>,
    replies: Arc<Mutex<VecDeque<Reply>>>,
    hung_up: watch::Sender<usize>,
) {
    connection.set_nodelay(true).unwrap();
    let Some(request) = read_request(&mut connection).await else {
        return;
    };
    requests.lock().unwrap().push(request);
    let reply = {
        let mut replies = replies.lock().unwrap();
        match replies.len() {
            0 | 1 => replies.front().cloned().unwrap_or_default(),
            _ => replies.pop_front().unwrap(),
        }
    };
    for act in reply {
        match act {
            Act::Send(bytes) => {
                // A client may have what it wants and close before everything is sent.
                let _ = connection.write_all(&bytes).await;
            }
            Act::Repeat(bytes, times) => {
                for _ in 0..times {
                    if connection.write_all(&bytes).await.is_err() {
                        break;
                    }
                }
            }
            Act::Pause(time) => tokio::time::sleep(time).await,
            Act::Hang => {
                let mut byte = [0];
                while matches!(connection.read(&mut byte).await, Ok(1)) {}
                hung_up.send_modify(|count| *count += 1);
            }
        }
    }
}

async fn read_request(connection: &mut TcpStream) -> Option<Received> {
    let mut bytes = Vec::new();
    let head_end = loop {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        if let Some(end) = end {
            break end;
        }
        if connection.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).ok()?;
    let mut lines = head.lines();
    let line = lines.next()?.trim_end_matches(" HTTP/1.1").to_owned();
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length = headers
        .get("content-length")
        .map_or(0, |length| length.parse().unwrap());
    let mut body = bytes.split_off(head_end + 4);
    while body.len() < length {
        if connection.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    let body = match body.is_empty() {
        true => Json::null(),
        false => Json::parse(String::from_utf8(body).unwrap()).unwrap(),
    };
    Some(Received {
        line,
        headers,
        body,
    })
}

/// An event stream, in HTTP chunks of `size` bytes, ended properly.
pub fn events(body: impl AsRef<[u8]>, size: usize) -> Reply {
    let mut reply = unfinished_events(body, size);
    reply.push(Act::Send(b"0\r\n\r\n".to_vec()));
    reply
}

/// An event stream whose connection closes in its midst.
pub fn unfinished_events(body: impl AsRef<[u8]>, size: usize) -> Reply {
    let mut bytes = EVENTS_HEAD.as_bytes().to_vec();
    for piece in body.as_ref().chunks(size) {
        bytes.extend(format!("{:x}\r\n", piece.len()).bytes());
        bytes.extend(piece);
        bytes.extend(b"\r\n");
    }
    vec![Act::Send(bytes)]
}

/// The head of an event stream.
pub const EVENTS_HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
     transfer-encoding: chunked\r\nconnection: close\r\n\r\n";

/// A whole answer with this status, further header lines (each ended by `\r\n`), and body.
pub fn answer(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Reply {
    let length = body.as_ref().len();
    let head = format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n"
    );
    let mut bytes = head.into_bytes();
    bytes.extend(body.as_ref());
    vec![Act::Send(bytes)]
}

/// A JSON document with status 200.
pub fn document(body: &str) -> Reply {
    answer("200 OK", "content-type: application/json\r\n", body)
}
