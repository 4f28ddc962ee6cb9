//! The wire between a program and its PostgreSQL, which a test may cut without a word, or make slow. No end of a wire that was cut hears of it:
//! what is written is taken, and never arrives.

use super::{Cluster, path_text};
use std::{
    io,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpListener, UnixStream},
    sync::{mpsc, watch},
    task::JoinHandle,
    time::sleep_until,
};

/// Forwards connections to a server. Dropping it closes all of them.
pub struct Wire {
    /// The database at the other end.
    pub url: String,
    condition: watch::Sender<Condition>,
    accepting: JoinHandle<()>,
}

#[derive(Clone, Copy, Default)]
struct Condition {
    /// How many connections were made.
    made: u64,
    /// Those before this one carry nothing any more.
    dead_before: u64,
    /// `true`: new ones carry nothing, either.
    is_cut: bool,
    /// In each direction.
    delay: Duration,
}

impl Condition {
    fn carries(&self, number: u64) -> bool {
        !self.is_cut && number >= self.dead_before
    }
}

impl Wire {
    /// To the database that this is the URL of.
    pub async fn to(cluster: &Cluster, url: &str) -> io::Result<Self> {
        let socket = format!("{}/.s.PGSQL.5432", path_text(&cluster.folder)?);
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let database = url.split('?').next().unwrap_or_default();
        let url = database.replace("@localhost/", &format!("@{}/", listener.local_addr()?));
        let condition = watch::Sender::new(Condition::default());
        let accepting = tokio::spawn(accept(listener, socket, condition.clone()));
        Ok(Self { url: format!("{url}?sslmode=disable"), condition, accepting })
    }

    /// From now on nothing is carried, and nothing is closed.
    pub fn cut(&self) {
        self.condition.send_modify(|now| *now = Condition { is_cut: true, dead_before: now.made, ..*now });
    }

    /// New connections are carried again. Those from before stay as they are.
    pub fn mend(&self) {
        self.condition.send_modify(|now| *now = Condition { is_cut: false, dead_before: now.made, ..*now });
    }

    /// From now on each way takes so long.
    pub fn slow_down(&self, delay: Duration) {
        self.condition.send_modify(|now| now.delay = delay);
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, socket: String, condition: watch::Sender<Condition>) {
    // Aborted with this task.
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((near, _)) = listener.accept().await {
        let mut number = 0;
        condition.send_modify(|now| {
            number = now.made;
            now.made += 1;
        });
        let (socket, condition) = (socket.clone(), condition.subscribe());
        connections.spawn(async move {
            let Ok(far) = UnixStream::connect(&socket).await else { return };
            let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
            tokio::join!(
                carry(near_in, far_out, number, condition.clone()),
                carry(far_in, near_out, number, condition)
            );
        });
    }
}

/// How many pieces are on their way before the wire takes no more, as a real one's buffers are full at some time.
const ON_THEIR_WAY: usize = 1_024;

async fn carry(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    number: u64,
    mut condition: watch::Receiver<Condition>,
) {
    let (put, mut taken) = mpsc::channel::<(Instant, Vec<u8>)>(ON_THEIR_WAY);
    let looked_at = condition.clone();
    let reading = async move {
        let mut bytes = vec![0; 64 << 10];
        while let Ok(count @ 1..) = from.read(&mut bytes).await {
            let due = Instant::now() + looked_at.borrow().delay;
            if put.send((due, bytes.iter().take(count).copied().collect())).await.is_err() {
                return;
            }
        }
    };
    let writing = async move {
        while let Some((due, bytes)) = taken.recv().await {
            sleep_until(due.into()).await;
            let carried = condition.wait_for(|now| now.carries(number)).await.map(drop);
            if carried.is_err() || to.write_all(&bytes).await.is_err() {
                return;
            }
        }
        // The other side has closed it. What is cut does not even tell that.
        if condition.wait_for(|now| now.carries(number)).await.map(drop).is_ok() {
            let _ = to.shutdown().await;
        }
    };
    tokio::join!(reading, writing);
}
