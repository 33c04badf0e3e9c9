//! Closes the system to a process that is about to handle hostile input, beyond files: no network, no look into other
//! processes, no signals to them, nothing that changes the machine. What such a process has no use for fails with EPERM, as if
//! it lacked the right; whatever it executes inherits that.

/// May a closed process become, or start, another program or process?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Programs {
    /// It is about to: what it becomes inherits the filter.
    Allowed,
    /// It is what it is.
    Refused,
}

/// Installs the filter for all threads of this process. Returns whether it holds.
#[cfg(target_os = "linux")]
pub fn close(programs: Programs) -> bool {
    use rustix::io::Errno;
    let mut rules: Rules = CLOSED.iter().map(|&number| (number, Vec::new())).collect();
    if programs == Programs::Allowed {
        return install(rules, Errno::PERM);
    }
    rules.extend(STARTS.iter().map(|&number| (number, Vec::new())));
    let Some(process) = a_process() else { return false };
    rules.insert(libc::SYS_clone, vec![process]);
    // What `clone3` is to make stands in memory, which no filter reads. Who is told that there is none takes `clone`.
    install(rules, Errno::PERM) && install([(libc::SYS_clone3, Vec::new())].into(), Errno::NOSYS)
}

#[cfg(target_os = "linux")]
type Rules = std::collections::BTreeMap<i64, Vec<seccompiler::SeccompRule>>;

/// A `clone` that makes a process, and no thread.
#[cfg(target_os = "linux")]
fn a_process() -> Option<seccompiler::SeccompRule> {
    use seccompiler::{SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};
    let thread = libc::CLONE_THREAD.cast_unsigned().into();
    let none = SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(thread), 0);
    SeccompRule::new(vec![none.ok()?]).ok()
}

/// These calls fail with that error from now on.
#[cfg(target_os = "linux")]
fn install(rules: Rules, error: rustix::io::Errno) -> bool {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter_all_threads};
    let Ok(arch) = std::env::consts::ARCH.try_into() else { return false };
    let refuse = SeccompAction::Errno(error.raw_os_error().unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch)
        .and_then(BpfProgram::try_from)
        .is_ok_and(|program| apply_filter_all_threads(&program).is_ok())
}

/// Not available elsewhere.
#[cfg(not(target_os = "linux"))]
pub fn close(_: Programs) -> bool {
    false
}

/// What starts a program, or another process. (`clone` is asked what it is to make.)
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
const STARTS: &[i64] = &[libc::SYS_execve, libc::SYS_execveat, libc::SYS_fork, libc::SYS_vfork];
/// What starts a program. (`clone` is asked what it is to make.)
#[cfg(all(target_os = "linux", not(target_arch = "x86_64")))]
const STARTS: &[i64] = &[libc::SYS_execve, libc::SYS_execveat];

/// What is refused. (`tgkill` is not: a process aborts by it.)
#[cfg(target_os = "linux")]
const CLOSED: &[i64] = &[
    // The network, and talk to other processes.
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_sendto,
    libc::SYS_sendmsg,
    libc::SYS_sendmmsg,
    libc::SYS_recvmsg,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_mq_open,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_kcmp,
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    // Ways around the filter and around Landlock, and large parts of the system that nobody needs here.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // The machine.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_mount_setattr,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_acct,
    libc::SYS_quotactl,
];

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::Programs;
    use rustix::io::Errno;
    use rustix::net::{AddressFamily, SocketType, socket};

    /// Makes a process that ends at once, by the call itself.
    #[expect(unsafe_code, reason = "there is no safe way to ask for a process that is no program")]
    fn forked() -> Result<(), Errno> {
        let flags = libc::SIGCHLD;
        // SAFETY: without flags that share anything the child is a copy, and it does nothing but end.
        match unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) } {
            -1 => Err(Errno::from_io_error(&std::io::Error::last_os_error()).expect("a number of the system")),
            // SAFETY: as above.
            0 => unsafe { libc::_exit(0) },
            _ => Ok(()),
        }
    }

    /// In a process of its own: the filter stays for good.
    #[test]
    fn a_closed_process_opens_no_socket_and_signals_nobody() {
        const CHILD: &str = "WARPBOOK_TEST_CLOSED";
        if std::env::var_os(CHILD).is_some() {
            assert!(socket(AddressFamily::UNIX, SocketType::STREAM, None).is_ok(), "a socket before");
            // A thread that is there already is closed as well.
            let (tell, told) = std::sync::mpsc::channel();
            let other = std::thread::spawn(move || {
                told.recv().unwrap();
                socket(AddressFamily::INET, SocketType::STREAM, None).map(drop)
            });
            assert!(super::close(Programs::Allowed), "the filter holds");
            tell.send(()).unwrap();
            assert_eq!(other.join().unwrap(), Err(Errno::PERM));
            assert_eq!(socket(AddressFamily::UNIX, SocketType::STREAM, None).map(drop), Err(Errno::PERM));
            let own = rustix::process::getpid();
            assert_eq!(rustix::process::test_kill_process(own), Err(Errno::PERM));
            // What is executed inherits it, and works otherwise.
            assert!(std::process::Command::new("true").status().unwrap().success());
            assert_eq!(forked(), Ok(()));
            // Until that is refused as well, for good.
            assert!(super::close(Programs::Refused), "one filter on top of the other");
            let refused = std::process::Command::new("true").status().unwrap_err();
            assert_eq!(refused.kind(), std::io::ErrorKind::PermissionDenied);
            // No process at all, by whatever call; threads are no processes.
            assert_eq!(forked(), Err(Errno::PERM));
            assert_eq!(std::thread::spawn(|| 7).join().unwrap(), 7);
            return;
        }
        let test = "calls::tests::a_closed_process_opens_no_socket_and_signals_nobody";
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .env(CHILD, "1")
            .output()
            .unwrap();
        assert!(child.status.success(), "{child:?}");
    }
}
