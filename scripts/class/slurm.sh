#!/usr/bin/env bash
# `checker grade --slurm` on a real Slurm: slurmctld, slurmd and munge of this machine, started for it in a folder of its own and ended
# after. A class is graded as a job array; then once more with a task that is killed, which Slurm starts again. Both grade books must be
# that of a run without Slurm. Where there is no Slurm, or it cannot be started, a word says so, and nothing failed.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
checker=$(realpath "${CHECKER:-$top/target/release/checker}")
PATH=$PATH:/usr/sbin:/sbin
skip() { echo "not tried: $*"; exit 0; }
for program in slurmctld slurmd munged sbatch scontrol; do
    command -v "$program" > /dev/null || skip "there is no $program (Debian: slurmctld, slurmd, slurm-client, munge)"
done
[ "$(id -u)" = 0 ] || skip "slurmd is started by root only"

# On a path that every node sees: here there is one.
work=$(mktemp -d)
chmod 755 "$work"
pids=()
cleanup() {
    for pid in "${pids[@]}"; do kill "$pid" 2> /dev/null || true; done
    wait 2> /dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT
mkdir -p "$work"/{munge,state,spool,log}
chmod 700 "$work/munge"
head -c 1024 /dev/urandom > "$work/munge/key"
chmod 400 "$work/munge/key"
munged --foreground --key-file="$work/munge/key" --socket="$work/munge.socket" --pid-file="$work/munge/pid" \
    --log-file="$work/munge/log" --seed-file="$work/munge/seed" --force > "$work/log/munged" 2>&1 &
pids+=($!)

host=$(hostname -s)
ports=$((20000 + RANDOM % 20000))
cat > "$work/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$ports
SlurmdPort=$((ports + 1))
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CryptoType=crypto/munge
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0,requeue_delay=0
MinJobAge=10
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/log/slurmctld
SlurmdLogFile=$work/log/slurmd
MpiDefault=none
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
END
export SLURM_CONF=$work/slurm.conf
for _ in $(seq 50); do [ -S "$work/munge.socket" ] && break; sleep 0.1; done
[ -S "$work/munge.socket" ] || skip "munged does not start: $(tail -1 "$work/munge/log" 2> /dev/null || tail -1 "$work/log/munged")"
slurmctld -D -f "$SLURM_CONF" > "$work/log/ctld.out" 2>&1 &
pids+=($!)
slurmd -D -f "$SLURM_CONF" -N "$host" > "$work/log/d.out" 2>&1 &
pids+=($!)
for _ in $(seq 150); do sinfo -h -o %T 2> /dev/null | grep -q idle && break; sleep 0.2; done
sinfo -h -o %T 2> /dev/null | grep -q idle \
    || skip "Slurm does not start here: $(tail -n 2 "$work/log/slurmctld" "$work/log/slurmd" 2> /dev/null | tr '\n' ' ')"
echo "Slurm $(sinfo --version | cut -d' ' -f2) on one node with two cores"

cp -r "$top/tests/fixtures/small" "$work/workbook"
for student in $(seq 12); do
    exercise=ex0$((1 + student % 2))
    mkdir -p "$work/class/student$student/$exercise"
    { cat "$work/workbook/solutions/$exercise/solution.cu"; echo "// $student"; } > "$work/class/student$student/$exercise/kernel.cu"
done
grade() { "$checker" grade "$work/class" --workbook "$work/workbook" --seed 7 --book "$work/$1" "${@:2}"; }
grade alone > /dev/null
same() {
    cmp "$work/alone/grades.csv" "$work/$1/grades.csv"
    [ "$(find "$work/alone/grades" -name '*.json' | wc -l)" = "$(find "$work/$1/grades" -name '*.json' | wc -l)" ]
}

grade array --slurm 3 | sed 's/^/  /'
same array
[ "$(ls "$work"/array/slurm-*.log | wc -l)" = 3 ] || { echo "not every task ran"; exit 1; }
grep -q '^#SBATCH --array=0-2$' "$work/array/slurm.sh"
echo "an array of three tasks: the same grade book as without Slurm"

# A task is killed as if its node were lost: Slurm starts it again (--requeue), and it goes on where it was.
grade killed --slurm 3 > "$work/killed.out" &
submitted=$!
job=
for _ in $(seq 100); do
    job=$(squeue -h -t R -o '%A %K' 2> /dev/null | awk '$2 == 1 { print $1; exit }')
    [ -z "$job" ] || break
    sleep 0.1
done
if [ -n "$job" ] && scontrol requeue "$job"; then echo "a task was taken from its node and queued again"; else echo "no task ran long enough to be killed"; fi
wait "$submitted"
sed 's/^/  /' "$work/killed.out"
same killed

# One that fails for good is made up for by the command itself.
mkdir "$work/bin"
cat > "$work/bin/checker-of-a-bad-node" <<END
#!/bin/sh
case "\$*" in *--share\ 2/3*) kill -9 \$\$ ;; esac
exec "$checker" "\$@"
END
chmod 755 "$work/bin/checker-of-a-bad-node"
sed "s|'$checker'|'$work/bin/checker-of-a-bad-node'|; s|^#SBATCH --output=.*|#SBATCH --output=\"$work/log/failed-%a\"|; \
s|$work/array|$work/failed|g; s|'--quiet'|'--seed' '7' '--quiet'|" "$work/array/slurm.sh" > "$work/failed.sh"
sbatch --wait "$work/failed.sh" > /dev/null || echo "a task of three died"
lost=$(find "$work/failed/grades" -name '*.json' | wc -l)
[ "$lost" -lt 12 ] || { echo "no grade is missing after a task died"; exit 1; }
grade failed | sed 's/^/  /'
same failed
echo "a task that died ($((12 - lost)) grades missing): the next command makes up for it, and the grade book is the same"
