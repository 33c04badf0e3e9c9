//! `checker book serve`: the built book for one reader on this machine, or for a class room, with everything that takes a compiler
//! or writes a file behind a token.

mod api;
mod built;
mod desk;
mod guard;
mod http;
mod jobs;
mod site;

use api::{Api, Exercise};
use built::Built;
use check::BackendChoice;
use command::{Context, Fault, Outcome, usage, workbook};
use desk::Desk;
use guard::Guard;
use http::Server;
use jobs::Queue;
use problem::Kind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// Options of `checker book serve`.
#[derive(Debug, Clone, clap::Args)]
pub struct ServeArgs {
    /// Port; 0: one that is free
    #[arg(long, default_value_t = 3000)]
    port: u16,
    /// Open it in the browser
    #[arg(long)]
    open: bool,
    /// For a class room: others in the network may read, edit on their page, and have it checked here
    #[arg(long)]
    lan: bool,
    /// Jobs at the same time [default: one; with --lan one for two cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
}

fn bind(args: &ServeArgs) -> Result<TcpListener, Fault> {
    let address: IpAddr = if args.lan { Ipv4Addr::UNSPECIFIED.into() } else { Ipv4Addr::LOCALHOST.into() };
    TcpListener::bind(SocketAddr::new(address, args.port))
        .map_err(|error| usage(format!("port {}: {error}\nnext: choose another with --port", args.port)))
}

/// Answers at once, and shows the book when it is built.
pub fn run(context: &Context, args: &ServeArgs) -> Outcome {
    let listener = bind(args)?;
    let workbook = workbook::open(context)?;
    let root = workbook.root().to_path_buf();
    let port = listener.local_addr()?.port();
    let guard = Guard::new(args.lan)?;
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let jobs = args.jobs.map_or(if args.lan { (cores / 2).max(1) } else { 1 }, usize::from);
    let exercises = workbook::problems(context, &workbook).into_iter().filter(|problem| problem.kind == Kind::Exercise);
    let exercises = exercises.map(|problem| Exercise {
        name: problem.id.to_string(),
        title: problem.manifest.title.clone(),
        page: problem.manifest.chapter.clone(),
        hints: problem.manifest.hints.len(),
    });
    let api =
        Api { exercises: exercises.collect(), queue: Queue::new(jobs), jobs, gpu: gpu(), desk: Desk::new(workbook) };
    let link = format!("http://localhost:{port}/#token={}", guard.owner());
    let mut said = format!("{link}\n");
    if let Some(token) = guard.guest() {
        let own = outside().map_or_else(|| "ADDRESS-OF-THIS-MACHINE".to_owned(), |address| address.to_string());
        said += &format!(
            "for the class: http://{own}:{port}/#token={token}\n  they edit on their own page; {jobs} jobs at a time run here, on \
             the simulator; the first link is yours alone\n"
        );
    }
    context.print(said)?;
    if args.open && !open(&link) {
        context.note("no browser could be started; next: open the link above");
    }
    // Some browsers try this one first.
    let other = TcpListener::bind((Ipv6Addr::LOCALHOST, port)).ok();
    let built = Arc::new(Built::new());
    let (fault, end) = tokio::sync::oneshot::channel();
    let (builder, shown) = (context.clone(), built.clone());
    std::thread::Builder::new().spawn(move || {
        // Nobody listens when the server has ended before.
        let _ = fault.send(built::keep(&builder, &root, &shown));
    })?;
    Err(http::serve([listener].into_iter().chain(other).collect(), Arc::new(Server { built, guard, api }), end)?)
}

/// The first GPU's name.
fn gpu() -> Option<String> {
    Some(check::find_gpu(BackendChoice::Auto).ok()??.gpu?.name)
}

/// The address that others in the network know this machine by: that of its usual way out. Nothing is sent.
fn outside() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

/// Opens a link as the desktop does.
fn open(link: &str) -> bool {
    let named = std::env::var("BROWSER").ok().filter(|name| !name.is_empty());
    let known = ["xdg-open", "wslview", "open"].map(str::to_owned);
    named.into_iter().chain(known).any(|program| {
        let nothing = Stdio::null;
        Command::new(program).arg(link).stdin(nothing()).stdout(nothing()).stderr(nothing()).spawn().is_ok()
    })
}
