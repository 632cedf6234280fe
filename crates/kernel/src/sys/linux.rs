//! The calls on Linux.

use std::ffi::OsStr;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, FallocateFlags, FlockOperation, Mode, OFlags, RenameFlags, ResolveFlags, SeekFrom, StatxFlags,
    Timespec, Timestamps, XattrFlags,
};
use rustix::io::Errno;

use super::{Handle, Kind, Moment, Stat, Sys, System};

/// Files of this machine.
#[derive(Debug, Default, Clone, Copy)]
pub struct Linux;

/// How often a resolution is tried again that the kernel could not decide because names changed meanwhile.
const PATIENCE: u32 = 16;

fn fd(handle: &Handle) -> Sys<&OwnedFd> {
    handle.inner().ok_or(Errno::BADF)
}

fn name(bytes: &[u8]) -> &OsStr {
    OsStr::from_bytes(bytes)
}

/// Opens one name in a directory. The name is a single component, but resolving it is confined all the same: a name is
/// data, and a mistake above must not become a way out.
fn open(dir: &Handle, file: &[u8], flags: OFlags, mode: Mode) -> Sys<Handle> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    for _ in 0..PATIENCE {
        match rustix::fs::openat2(fd(dir)?, name(file), flags | OFlags::CLOEXEC | OFlags::NOFOLLOW, mode, resolve) {
            Ok(opened) => return Ok(Handle::new(opened)),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Err(Errno::AGAIN)
}

fn moment(time: rustix::fs::StatxTimestamp) -> Moment {
    (time.tv_sec, time.tv_nsec)
}

fn timespec((tv_sec, tv_nsec): Moment) -> Timespec {
    Timespec { tv_sec, tv_nsec: tv_nsec.into() }
}

fn statx(dir: &OwnedFd, file: &[u8], flags: AtFlags) -> Sys<Stat> {
    let wanted = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
    let stat = rustix::fs::statx(dir, name(file), flags | AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT, wanted)?;
    let kind = match rustix::fs::FileType::from_raw_mode(stat.stx_mode.into()) {
        rustix::fs::FileType::RegularFile => Kind::File,
        rustix::fs::FileType::Directory => Kind::Dir,
        rustix::fs::FileType::Symlink => Kind::Link,
        _ => Kind::Other,
    };
    Ok(Stat {
        dev: rustix::fs::makedev(stat.stx_dev_major, stat.stx_dev_minor),
        ino: stat.stx_ino,
        kind,
        mode: u32::from(stat.stx_mode) & 0o7777,
        size: stat.stx_size,
        links: stat.stx_nlink.into(),
        mtime: moment(stat.stx_mtime),
        atime: moment(stat.stx_atime),
        ctime: moment(stat.stx_ctime),
        born: (stat.stx_mask & StatxFlags::BTIME.bits() != 0).then(|| moment(stat.stx_btime)),
    })
}

impl System for Linux {
    fn open_root(&self, path: &Path) -> Sys<Handle> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Handle::new(rustix::fs::openat(CWD, path, flags, Mode::empty())?))
    }

    fn real_path(&self, dir: &Handle) -> Sys<Vec<u8>> {
        use std::os::fd::AsRawFd as _;
        let link = format!("/proc/self/fd/{}", fd(dir)?.as_raw_fd());
        Ok(rustix::fs::readlinkat(CWD, link, Vec::new())?.into_bytes())
    }

    fn open_dir(&self, dir: &Handle, file: &[u8]) -> Sys<Handle> {
        open(dir, file, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())
    }

    fn open_file(&self, dir: &Handle, file: &[u8]) -> Sys<Handle> {
        // Not blocking: a pipe would wait for a writer.
        let opened = open(dir, file, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY, Mode::empty())?;
        match self.stat_open(&opened)?.kind {
            Kind::File => Ok(opened),
            _ => Err(Errno::INVAL),
        }
    }

    fn open_or_create(&self, dir: &Handle, file: &[u8]) -> Sys<Handle> {
        open(dir, file, OFlags::RDWR | OFlags::CREATE | OFlags::NONBLOCK, Mode::RUSR | Mode::WUSR)
    }

    fn create(&self, dir: &Handle, file: &[u8]) -> Sys<Handle> {
        open(dir, file, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL, Mode::RUSR | Mode::WUSR)
    }

    fn mkdir(&self, dir: &Handle, file: &[u8]) -> Sys<()> {
        rustix::fs::mkdirat(fd(dir)?, name(file), Mode::RWXU)
    }

    fn stat(&self, dir: &Handle, file: &[u8]) -> Sys<Stat> {
        statx(fd(dir)?, file, AtFlags::empty())
    }

    fn stat_open(&self, file: &Handle) -> Sys<Stat> {
        statx(fd(file)?, b"", AtFlags::EMPTY_PATH)
    }

    fn list(&self, dir: &Handle) -> Sys<Vec<Vec<u8>>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(fd(dir)?)? {
            let entry = entry?;
            let bytes = entry.file_name().to_bytes();
            if bytes != b"." && bytes != b".." {
                names.push(bytes.to_vec());
            }
        }
        Ok(names)
    }

    fn read_link(&self, dir: &Handle, file: &[u8]) -> Sys<Vec<u8>> {
        Ok(rustix::fs::readlinkat(fd(dir)?, name(file), Vec::new())?.into_bytes())
    }

    fn read(&self, file: &Handle, offset: u64, len: usize) -> Sys<Vec<u8>> {
        let mut bytes = vec![0; len];
        let mut done = 0;
        while done < len {
            match rustix::io::pread(fd(file)?, &mut bytes[done..], offset + done as u64) {
                Ok(0) => break,
                Ok(count) => done += count,
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno),
            }
        }
        bytes.truncate(done);
        Ok(bytes)
    }

    fn write(&self, file: &Handle, offset: u64, bytes: &[u8]) -> Sys<()> {
        let mut done = 0;
        while done < bytes.len() {
            match rustix::io::pwrite(fd(file)?, &bytes[done..], offset + done as u64) {
                Ok(0) => return Err(Errno::IO),
                Ok(count) => done += count,
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno),
            }
        }
        Ok(())
    }

    fn data(&self, file: &Handle) -> Sys<Vec<(u64, u64)>> {
        let size = self.stat_open(file)?.size;
        let file = fd(file)?;
        let mut stretches = Vec::new();
        let mut at = 0;
        while at < size {
            let start = match rustix::fs::seek(file, SeekFrom::Data(at)) {
                Ok(start) => start,
                Err(Errno::NXIO) => break,
                // The file system cannot tell: all of it is data.
                Err(Errno::INVAL | Errno::OPNOTSUPP) => return Ok(vec![(0, size)]),
                Err(errno) => return Err(errno),
            };
            let end = rustix::fs::seek(file, SeekFrom::Hole(start))?;
            stretches.push((start, end - start));
            at = end;
        }
        Ok(stretches)
    }

    fn truncate(&self, file: &Handle, len: u64) -> Sys<()> {
        rustix::fs::ftruncate(fd(file)?, len)
    }

    fn reserve(&self, file: &Handle, from: u64, bytes: u64) -> Sys<()> {
        match rustix::fs::fallocate(fd(file)?, FallocateFlags::KEEP_SIZE, from, bytes) {
            // Where room cannot be taken beforehand, the write itself tells.
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => Ok(()),
            other => other,
        }
    }

    fn sync_data(&self, file: &Handle) -> Sys<()> {
        rustix::fs::fdatasync(fd(file)?)
    }

    fn sync(&self, file: &Handle) -> Sys<()> {
        rustix::fs::fsync(fd(file)?)
    }

    fn rename(&self, from: &Handle, old: &[u8], to: &Handle, new: &[u8]) -> Sys<()> {
        rustix::fs::renameat_with(fd(from)?, name(old), fd(to)?, name(new), RenameFlags::NOREPLACE)
    }

    fn replace(&self, dir: &Handle, old: &[u8], new: &[u8]) -> Sys<()> {
        let dir = fd(dir)?;
        rustix::fs::renameat(dir, name(old), dir, name(new))
    }

    fn exchange(&self, a: &Handle, old: &[u8], b: &Handle, new: &[u8]) -> Sys<()> {
        rustix::fs::renameat_with(fd(a)?, name(old), fd(b)?, name(new), RenameFlags::EXCHANGE)
    }

    fn unlink(&self, dir: &Handle, file: &[u8]) -> Sys<()> {
        rustix::fs::unlinkat(fd(dir)?, name(file), AtFlags::empty())
    }

    fn rmdir(&self, dir: &Handle, file: &[u8]) -> Sys<()> {
        rustix::fs::unlinkat(fd(dir)?, name(file), AtFlags::REMOVEDIR)
    }

    fn set_mode(&self, file: &Handle, mode: u32) -> Sys<()> {
        rustix::fs::fchmod(fd(file)?, Mode::from_raw_mode(mode))
    }

    fn set_times(&self, file: &Handle, atime: Moment, mtime: Moment) -> Sys<()> {
        let times = Timestamps { last_access: timespec(atime), last_modification: timespec(mtime) };
        rustix::fs::futimens(fd(file)?, &times)
    }

    fn attributes(&self, file: &Handle) -> Sys<Vec<(Vec<u8>, Vec<u8>)>> {
        let file = fd(file)?.as_fd();
        let size = match rustix::fs::flistxattr_query(file) {
            Ok(size) => size,
            Err(Errno::OPNOTSUPP) => return Ok(Vec::new()),
            Err(errno) => return Err(errno),
        };
        let mut names = vec![0_u8; size];
        let used = if size == 0 { 0 } else { rustix::fs::flistxattr(file, &mut names[..])? };
        let mut found = Vec::new();
        for attribute in names[..used].split(|byte| *byte == 0).filter(|attribute| !attribute.is_empty()) {
            let read = || {
                let size = rustix::fs::fgetxattr_query(file, name(attribute))?;
                let mut value = vec![0_u8; size];
                let used = if size == 0 { 0 } else { rustix::fs::fgetxattr(file, name(attribute), &mut value[..])? };
                value.truncate(used);
                Ok(value)
            };
            match read() {
                Ok(value) => found.push((attribute.to_vec(), value)),
                // Listed, and not ours to read: labels of the security modules.
                Err(Errno::ACCESS | Errno::PERM | Errno::NODATA | Errno::OPNOTSUPP) => {}
                Err(errno) => return Err(errno),
            }
        }
        Ok(found)
    }

    fn set_attribute(&self, file: &Handle, attribute: &[u8], value: &[u8]) -> Sys<()> {
        rustix::fs::fsetxattr(fd(file)?, name(attribute), value, XattrFlags::empty())
    }

    fn lock(&self, file: &Handle) -> Sys<()> {
        rustix::fs::flock(fd(file)?, FlockOperation::NonBlockingLockExclusive)
    }

    fn now(&self) -> u64 {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime);
        u64::try_from(now.tv_sec).unwrap_or(0) * 1000 + u64::try_from(now.tv_nsec).unwrap_or(0) / 1_000_000
    }

    fn random(&self) -> Sys<[u8; 16]> {
        let mut bytes = [0; 16];
        let got = rustix::rand::getrandom(&mut bytes[..], rustix::rand::GetRandomFlags::empty())?;
        if got == bytes.len() { Ok(bytes) } else { Err(Errno::AGAIN) }
    }
}
