#!/usr/bin/env python3
"""How `checker dev check` uses the cores of a machine. At the top of the repository, with nothing else at work:

    scripts/cores.py CHECKER [--cores 1,2,4,8,16] [NAME...]

Runs it without a GPU's use, once so that everything is compiled, then for each number of cores; all problems, or those named. Prints
seconds on the clock, processor time of the checker and of all its workers, page faults and switches, and how many cores that was.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time


def all_of(root):
    """Processor seconds (user, system) of a process and of all that it has waited for; of those that are alive, too."""
    children = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            text = open(f"/proc/{pid}/stat").read()
        except OSError:
            continue
        rest = text[text.rindex(")") + 2 :].split()
        times = [int(field) for field in rest[11:15]]
        children.setdefault(int(rest[1]), []).append((int(pid), times))
    tick = os.sysconf("SC_CLK_TCK")
    user = system = 0
    left = [root]
    own = [times for some in children.values() for pid, times in some if pid == root]
    found = own + []
    while left:
        for pid, times in children.get(left.pop(), []):
            left.append(pid)
            found.append(times)
    for times in found:
        user += times[0] + times[2]
        system += times[1] + times[3]
    return user / tick, system / tick


def run(checker, cores, names, seed):
    allowed = sorted(os.sched_getaffinity(0))[:cores]
    command = [checker, "dev", "check", "--backend", "sim", "--plain", "--seed", str(seed), *names]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    said = tempfile.TemporaryFile("w+")
    child = subprocess.Popen(command, stdout=said, preexec_fn=lambda: os.sched_setaffinity(0, allowed))
    user = system = 0.0
    # Workers that wait for the next job are not waited for by the checker: they are looked at while they live.
    while child.poll() is None:
        now = all_of(child.pid)
        user, system = max(user, now[0]), max(system, now[1])
        time.sleep(0.2)
    took = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    user = max(user, after.ru_utime - before.ru_utime)
    system = max(system, after.ru_stime - before.ru_stime)
    faults, switches = after.ru_minflt - before.ru_minflt, after.ru_nvcsw - before.ru_nvcsw
    said.seek(0)
    said = said.read().strip().splitlines()
    print(
        f"{cores:>3} cores  {took:7.1f} s  user {user:7.1f}  system {system:6.1f}  busy {(user + system) / took:5.2f}"
        f"  faults {faults:>9}  waits {switches:>8}  {said[-1] if said else ''}",
        flush=True,
    )
    for line in said:
        if "fault" in line:
            print("     ", line)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("checker")
    arguments.add_argument("--cores", help="numbers of cores, with commas between")
    arguments.add_argument("--seed", type=int, default=31)
    arguments.add_argument("names", nargs="*")
    asked = arguments.parse_args()
    here = len(os.sched_getaffinity(0))
    every = [cores for cores in (16, 8, 4, 2) if cores <= here]
    wanted = [int(cores) for cores in asked.cores.split(",")] if asked.cores else every
    checker = os.path.abspath(asked.checker)
    print(f"{here} cores here; the first run compiles", flush=True)
    for cores in [here, *wanted]:
        run(checker, cores, asked.names, asked.seed)


if __name__ == "__main__":
    sys.exit(main())
