//! A socket for the bus library that makes few system calls.
//!
//! The bus library writes each message by itself and reads each in two pieces. A snapshot is hundreds of small
//! messages each way, so most of our time would be spent in the kernel, and the application would be woken for
//! each of them. Here messages of a batch are collected and written together, and whatever has arrived is read
//! at once. No file descriptors are passed; nothing that is asked here answers with one.

use std::future::Future;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex as SyncMutex, PoisonError};

use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::Mutex;
use zbus::Address;
use zbus::address::transport::{Transport, UnixSocket};
use zbus::connection::socket::{ReadHalf, Socket, Split, WriteHalf};
use zbus::fdo::ConnectionCredentials;

use crate::frame::Frame;

/// How much is read at once.
const READ: usize = 64 << 10;

/// What is kept until a batch has been put together; the messages of one batch stay in their order.
#[derive(Debug)]
pub(crate) struct Outbox {
    writer: Mutex<OwnedWriteHalf>,
    waiting: SyncMutex<Vec<u8>>,
    /// How many batches are being put together.
    holds: AtomicUsize,
}

impl Outbox {
    /// From now on messages are kept, until the hold is dropped.
    pub(crate) fn hold(&self) -> Hold<'_> {
        self.holds.fetch_add(1, Ordering::Relaxed);
        Hold(self)
    }

    /// Writes everything that is kept. One that is dropped half-way leaves the rest for the next.
    pub(crate) async fn flush(&self) -> io::Result<()> {
        let mut writer = self.writer.lock().await;
        loop {
            let bytes = std::mem::take(&mut *self.kept());
            if bytes.is_empty() {
                return Ok(());
            }
            let mut rest = Rest { outbox: self, bytes, written: 0 };
            while rest.written < rest.bytes.len() {
                rest.written += WriteHalf::sendmsg(&mut *writer, &rest.bytes[rest.written..], &[]).await?;
            }
        }
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Vec<u8>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// While it is there, messages are kept.
pub(crate) struct Hold<'o>(&'o Outbox);

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.0.holds.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What of a flush has not been written, put back if the flush is given up: half a message would make
/// everything after it unreadable.
struct Rest<'o> {
    outbox: &'o Outbox,
    bytes: Vec<u8>,
    written: usize,
}

impl Drop for Rest<'_> {
    fn drop(&mut self) {
        if self.written < self.bytes.len() {
            self.outbox.kept().splice(0..0, self.bytes.drain(self.written..));
        }
    }
}

/// A socket whose messages can be kept together.
#[derive(Debug)]
pub(crate) struct Batched {
    reader: Reader,
    writer: Writer,
}

impl Batched {
    /// Connects to a local address; none where it is of another kind.
    pub(crate) async fn connect(address: &Address) -> Option<io::Result<Batched>> {
        let Transport::Unix(unix) = address.transport() else { return None };
        let stream = match unix.path() {
            UnixSocket::File(path) => UnixStream::connect(path).await,
            UnixSocket::Abstract(name) => {
                let name: Vec<u8> = [b"\0", name.as_bytes()].concat();
                UnixStream::connect(std::ffi::OsStr::from_bytes(&name)).await
            }
            _ => return None,
        };
        Some(stream.map(Batched::of))
    }

    pub(crate) fn of(stream: UnixStream) -> Batched {
        let (read, write) = stream.into_split();
        let outbox = Outbox { writer: Mutex::new(write), waiting: SyncMutex::default(), holds: AtomicUsize::new(0) };
        Batched {
            reader: Reader { socket: read, buffer: vec![0; READ], start: 0, end: 0, frame: Frame::new() },
            writer: Writer(Arc::new(outbox)),
        }
    }

    /// Where messages are kept.
    pub(crate) fn outbox(&self) -> Arc<Outbox> {
        Arc::clone(&self.writer.0)
    }
}

impl Socket for Batched {
    type ReadHalf = Reader;
    type WriteHalf = Writer;

    fn split(self) -> Split<Reader, Writer> {
        Split::new(self.reader, self.writer)
    }
}

/// What the library's traits return.
type Boxed<'f, T> = Pin<Box<dyn Future<Output = T> + Send + 'f>>;

/// Reads what there is, and hands it out in pieces.
#[derive(Debug)]
pub(crate) struct Reader {
    socket: OwnedReadHalf,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    frame: Frame,
}

impl ReadHalf for Reader {
    fn recvmsg<'s, 'b, 'f>(&'s mut self, buffer: &'b mut [u8]) -> Boxed<'f, io::Result<(usize, Vec<OwnedFd>)>>
    where
        's: 'f,
        'b: 'f,
        Self: 'f,
    {
        Box::pin(async move {
            if self.start == self.end {
                // What is as large as the buffer needs no copy.
                if buffer.len() >= self.buffer.len() {
                    let (count, fds) = self.socket.recvmsg(buffer).await?;
                    drop(fds);
                    self.frame.pass(&buffer[..count])?;
                    return Ok((count, Vec::new()));
                }
                let (count, fds) = self.socket.recvmsg(&mut self.buffer).await?;
                // They are not negotiated, so whoever sends some is not to be trusted with more.
                drop(fds);
                (self.start, self.end) = (0, count);
            }
            let count = buffer.len().min(self.end - self.start);
            self.frame.pass(&self.buffer[self.start..self.start + count])?;
            buffer[..count].copy_from_slice(&self.buffer[self.start..self.start + count]);
            self.start += count;
            Ok((count, Vec::new()))
        })
    }

    fn peer_credentials<'s, 'f>(&'s mut self) -> Boxed<'f, io::Result<ConnectionCredentials>>
    where
        's: 'f,
        Self: 'f,
    {
        self.socket.peer_credentials()
    }
}

/// Keeps what is written while a batch is put together.
#[derive(Debug)]
pub(crate) struct Writer(Arc<Outbox>);

impl WriteHalf for Writer {
    fn sendmsg<'s, 'b, 'd, 'e, 'f>(
        &'s mut self,
        buffer: &'b [u8],
        _: &'d [BorrowedFd<'e>],
    ) -> Boxed<'f, io::Result<usize>>
    where
        's: 'f,
        'b: 'f,
        'd: 'f,
        'e: 'f,
        Self: 'f,
    {
        Box::pin(async move {
            self.0.kept().extend_from_slice(buffer);
            if self.0.holds.load(Ordering::Relaxed) == 0 {
                self.0.flush().await?;
            }
            Ok(buffer.len())
        })
    }

    fn close<'s, 'f>(&'s mut self) -> Boxed<'f, io::Result<()>>
    where
        's: 'f,
        Self: 'f,
    {
        Box::pin(async move {
            let mut writer = self.0.writer.lock().await;
            WriteHalf::close(&mut *writer).await
        })
    }

    fn peer_credentials<'s, 'f>(&'s mut self) -> Boxed<'f, io::Result<ConnectionCredentials>>
    where
        's: 'f,
        Self: 'f,
    {
        Box::pin(async move {
            let mut writer = self.0.writer.lock().await;
            WriteHalf::peer_credentials(&mut *writer).await
        })
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    #[tokio::test(flavor = "current_thread")]
    async fn what_is_held_goes_out_in_order_at_the_flush() {
        let (ours, mut theirs) = UnixStream::pair().expect("a pair");
        let (_reader, mut writer) = Batched::of(ours).split().take();
        let outbox = Arc::clone(&writer.0);
        let hold = outbox.hold();
        writer.sendmsg(b"one ", &[]).await.expect("kept");
        writer.sendmsg(b"two ", &[]).await.expect("kept");
        let mut bytes = [0; 32];
        assert!(theirs.try_read(&mut bytes).is_err(), "nothing is written before the flush");
        drop(hold);
        writer.sendmsg(b"three", &[]).await.expect("written");
        theirs.read_exact(&mut bytes[..13]).await.expect("all of it");
        assert_eq!(&bytes[..13], b"one two three");
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_flush_that_is_given_up_loses_nothing() {
        let (ours, mut theirs) = UnixStream::pair().expect("a pair");
        let (_reader, mut writer) = Batched::of(ours).split().take();
        let outbox = Arc::clone(&writer.0);
        let sent: Vec<u8> = (0..4_000_000u32).map(|number| number as u8).collect();
        let hold = outbox.hold();
        writer.sendmsg(&sent, &[]).await.expect("kept");
        drop(hold);
        // Nobody reads, so it gets stuck; then it is given up, which is what a deadline does.
        let stuck = tokio::time::timeout(std::time::Duration::from_millis(20), outbox.flush()).await;
        assert!(stuck.is_err());
        let mut read = vec![0; sent.len()];
        let (flushed, got) = tokio::join!(outbox.flush(), theirs.read_exact(&mut read));
        flushed.expect("written");
        got.expect("read");
        assert!(read == sent);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn what_arrived_together_is_handed_out_in_pieces() {
        let (ours, theirs) = UnixStream::pair().expect("a pair");
        let (mut reader, _writer) = Batched::of(ours).split().take();
        theirs.try_write(b"abcdef").expect("written");
        let mut bytes = [0; 4];
        assert_eq!(reader.recvmsg(&mut bytes).await.expect("read").0, 4);
        assert_eq!(&bytes, b"abcd");
        assert_eq!(reader.recvmsg(&mut bytes).await.expect("read").0, 2);
        assert_eq!(&bytes[..2], b"ef");
        drop(theirs);
        // The bus library's own socket tells the end as an error.
        assert_eq!(reader.recvmsg(&mut bytes).await.expect_err("the end").kind(), io::ErrorKind::BrokenPipe);
    }
}
