//! Connections: hyper speaks HTTP, this file says how long, how much and to whom. Everything that touches a file is done on
//! threads beside the one that serves.

use super::api::{Api, ApiAnswer, ApiRequest, LARGEST};
use super::built::{Built, Shown};
use super::guard::{Claims, Guard, GuardError, Visitor};
use super::jobs::Listener;
use super::site;
use http_body_util::{BodyExt, Limited};
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::net::TcpListener;

/// The token travels in a header of its own: no other site can send one without being asked first.
const TOKEN: &str = "x-warpbook-token";
/// Seconds for the head of a request, which is also how long a connection may idle; and for its body.
const PATIENCE: Duration = Duration::from_secs(30);
/// Connections at the same time.
const CONNECTIONS: usize = 512;
/// Pages load nothing from elsewhere, and nobody frames them.
const POLICY: &str = "default-src 'self' 'unsafe-inline' data:; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; \
                      connect-src 'self'; frame-ancestors 'none'; base-uri 'self'; form-action 'self'";

/// Everything that a connection needs to answer.
#[derive(Debug)]
pub struct Server {
    /// The book.
    pub built: Arc<Built>,
    /// Who may ask.
    pub guard: Guard,
    /// What is answered.
    pub api: Api,
}

/// Serves until somebody says why it must end.
///
/// # Errors
/// The listeners cannot be used. A connection's failure is its own.
pub fn serve<E>(
    listeners: Vec<std::net::TcpListener>,
    server: Arc<Server>,
    end: tokio::sync::oneshot::Receiver<E>,
) -> std::io::Result<E> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    runtime.block_on(async {
        let open = Arc::new(AtomicUsize::new(0));
        for listener in listeners {
            listener.set_nonblocking(true)?;
            let listener = TcpListener::from_std(listener)?;
            tokio::spawn(accept(listener, server.clone(), open.clone()));
        }
        end.await.map_err(std::io::Error::other)
    })
}

async fn accept(listener: TcpListener, server: Arc<Server>, open: Arc<AtomicUsize>) {
    loop {
        let Ok((stream, from)) = listener.accept().await else {
            // Too many open files: some will close.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        if open.fetch_add(1, Ordering::Relaxed) >= CONNECTIONS {
            open.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let (server, open) = (server.clone(), open.clone());
        tokio::spawn(async move {
            let service = service_fn(|request| respond(request, from, server.clone()));
            let _ = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(PATIENCE)
                .serve_connection(TokioIo::new(stream), service)
                .await;
            open.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

async fn respond(
    request: Request<Incoming>,
    from: SocketAddr,
    server: Arc<Server>,
) -> Result<Response<Reply>, Infallible> {
    let mut response = match answer(request, from.ip(), server).await {
        Ok(Answered::File(kind, bytes)) => reply(StatusCode::OK, kind, bytes),
        Ok(Answered::Wait(page)) => {
            reply(StatusCode::SERVICE_UNAVAILABLE, "text/html; charset=utf-8", page.into_bytes())
        }
        Ok(Answered::Api(ApiAnswer::Value(status, value))) => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            reply(status, "application/json", value.to_string().into_bytes())
        }
        Ok(Answered::Api(ApiAnswer::Job(listener))) => {
            let mut response = Response::new(Reply::Job(Box::new(listener)));
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
            response
        }
        Err((status, words)) => reply(status, "text/plain; charset=utf-8", words.into_bytes()),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (CACHE_CONTROL, "no-cache"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (CONTENT_SECURITY_POLICY, POLICY),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    Ok(response)
}

/// What is found for a request.
enum Answered {
    File(&'static str, Vec<u8>),
    /// The book is not there yet.
    Wait(String),
    Api(ApiAnswer),
}

async fn answer(
    request: Request<Incoming>,
    from: IpAddr,
    server: Arc<Server>,
) -> Result<Answered, (StatusCode, String)> {
    let (head, body) = request.into_parts();
    let claims = claims(&head.headers);
    let refused = |refused: GuardError| {
        let status = if refused == GuardError::Token { StatusCode::UNAUTHORIZED } else { StatusCode::FORBIDDEN };
        (status, format!("{refused}\n"))
    };
    server.guard.reader(&claims).map_err(refused)?;
    let path = head.uri.path().to_owned();
    let Some(question) = path.strip_prefix("/api/").map(str::to_owned) else {
        if head.method != Method::GET && head.method != Method::HEAD {
            return Err((StatusCode::METHOD_NOT_ALLOWED, "pages are read only\n".to_owned()));
        }
        let folder = match server.built.shown() {
            Shown::Book(folder) => folder,
            Shown::Coming { done, of } => return Ok(Answered::Wait(site::waiting(done, of))),
        };
        let found = off_thread(move || site::file(&folder, &path)).await;
        return found
            .map(|(kind, bytes)| Answered::File(kind, bytes))
            .ok_or((StatusCode::NOT_FOUND, "no such page\n".to_owned()));
    };
    let visitor: Visitor = server.guard.visitor(&claims).map_err(refused)?;
    let body = tokio::time::timeout(PATIENCE, Limited::new(body, LARGEST).collect()).await;
    let body = match body {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(_)) => {
            return Err((StatusCode::PAYLOAD_TOO_LARGE, format!("a question has at most {LARGEST} bytes\n")));
        }
        Err(_) => return Err((StatusCode::REQUEST_TIMEOUT, "the question did not come\n".to_owned())),
    };
    let answer = off_thread(move || {
        let path = question.split('/').collect();
        server.api.answer(&ApiRequest { method: head.method.as_str(), path, body: &body, visitor, from })
    });
    Ok(Answered::Api(answer.await))
}

/// On another thread. One that panics has no answer, and takes nothing with it.
async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(value) => value,
        Err(panic) => std::panic::resume_unwind(panic.into_panic()),
    }
}

fn claims(headers: &HeaderMap) -> Claims<'_> {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    Claims {
        host: text(HOST.as_str()),
        origin: text(ORIGIN.as_str()),
        site: text("sec-fetch-site"),
        token: text(TOKEN),
    }
}

fn reply(status: StatusCode, kind: &'static str, bytes: Vec<u8>) -> Response<Reply> {
    let mut response = Response::new(Reply::Whole(Some(bytes.into())));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// A body: bytes, or what a job says as server-sent events. A connection that goes away drops it, and with it the job.
enum Reply {
    Whole(Option<Bytes>),
    Job(Box<Listener>),
}

impl Body for Reply {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(match &mut *self {
            Self::Whole(bytes) => bytes.take().map(|bytes| Ok(Frame::data(bytes))),
            Self::Job(listener) => {
                // A line of JSON has no line ends in it.
                ready!(listener.lines.poll_recv(context))
                    .map(|line| Ok(Frame::data(format!("data: {line}\n\n").into())))
            }
        })
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(None))
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        match self {
            Self::Whole(bytes) => {
                hyper::body::SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Self::Job(_) => hyper::body::SizeHint::default(),
        }
    }
}
