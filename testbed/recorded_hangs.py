#!/usr/bin/env python3
"""Hangs of real PyTorch over Gloo on this machine, with a known culprit, recorded and then judged.

  recorded_hangs.py record DIRECTORY [--hangs 200] [--seed 1] [--at-once 4]
  recorded_hangs.py compare DIRECTORY      how many each names rightly, wrongly, or not at all

Needs torch and numpy, and for stacks py-spy (pip install torch==2.15.0 numpy tabulate py-spy==0.4.3). Three or four
ranks train with random collectives in random groups, some with async_op, the flight recorder on. At one call of one
rank something is wrong:

  stopped    its process is stopped by a signal; it writes no dump
  gil        it holds the GIL in C code; it writes no dump
  lock       its main thread waits for a lock that another thread holds
  loader     its data loader does not come back, with a worker process or without
  mismatch   it calls another collective, or one of another size
  skip       it leaves one collective out
  send       it leaves out a send that another rank receives
  healthy    nothing: dumps are taken while it trains, and no rank may be named

Runs that end with an error instead of a hang, or make all their steps, are thrown away and drawn again. Dumps are taken
some seconds after the fault, as agents do; stacks by py-spy. A folder of a hang has truth.json, dumps/rank_N,
stacks/rank_N.txt and stacks/rank_N.status, which is /proc/PID/status. truth.json also has the times at which dumps were
written, which `compare` sets again: archives keep seconds at best.

Gloo's recorder lists no members of groups, has everything in the state `scheduled`, completes collectives of a group
in any order, and keeps no receives. So each hang is judged twice: by its dumps as they are, and with all four as NCCL's
recorder has them, from what is known of the job.

Beside `rekindle analyze`, with dumps alone and with stacks as well, are judged: fr_trace of torch, and the attribution
of nvidia-resiliency-ext where it can be imported. Its wheel is made for a newer glibc; the part that reads dumps is
plain Python:

  pip install --no-deps --only-binary :all: --platform manylinux_2_39_x86_64 --python-version 3.12 \\
    --target /tmp/nvrx nvidia-resiliency-ext==0.7.0

fr_trace prints ranks for each collective; the one that it prints most often counts as named, several where they are
even. NVRx prints one list of ranks.
"""

import argparse
import contextlib
import io
import json
import os
import pickle
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
KINDS = ["stopped", "gil", "lock", "loader", "mismatch", "skip", "send", "healthy"]
OPERATIONS = ["all_reduce", "all_gather", "all_gather_into_tensor", "broadcast", "reduce_scatter", "barrier",
              "all_to_all"]
STEPS = 16
MOST_DRAWS = 5  # of one hang
STANDS = 2.5  # seconds after the fault; dumps of less than one are of a job that trains


class Plan:
    """What one job does, drawn from a seed."""

    def __init__(self, kind, seed):
        chance = random.Random(seed)
        self.kind = kind
        self.world = chance.choice([3, 4])
        everyone = list(range(self.world))
        rows = [[0, 1], [2, 3]] if self.world == 4 else [[0, 1], [1, 2]]
        columns = [[0, 2], [1, 3]] if self.world == 4 else []
        self.groups = chance.choice([[everyone], [everyone] + rows, [everyone] + rows + columns])
        calls = [(chance.randrange(len(self.groups)), chance.choice(OPERATIONS), chance.choice([16, 64, 256]))
                 for _ in range(chance.randint(2, 5))]
        # Without one call of all ranks in a step, ranks would drift apart.
        self.calls = calls + [(0, "all_reduce", 8)]
        self.ahead = chance.random() < 0.5
        self.workers = chance.choice([0, 1])
        self.culprit = chance.randrange(self.world)
        self.step = chance.randint(4, 9)
        mine = [i for i, (group, _, _) in enumerate(self.calls) if self.culprit in self.groups[group]]
        self.call = chance.choice(mine)
        self.other = chance.choice(["size"] + [name for name in OPERATIONS if name != self.calls[self.call][1]])

    def truth(self):
        return {"kind": self.kind, "ranks": self.world, "culprit": None if self.kind == "healthy" else self.culprit,
                "groups": self.groups, "calls": self.calls, "async": self.ahead, "step": self.step, "call": self.call}


class Batches:
    """A data set; one of its items never comes."""

    def __init__(self, never):
        self.never = never

    def __len__(self):
        return STEPS

    def __getitem__(self, item):
        if item == self.never:
            time.sleep(1e6)
        return float(item)


def wait_for_lock():
    lock = threading.Lock()
    taken = threading.Event()

    def hold():
        with lock:
            taken.set()
            time.sleep(1e6)

    threading.Thread(target=hold, daemon=True).start()
    taken.wait()
    with lock:
        pass


def hold_gil():
    import ctypes
    ctypes.PyDLL(None).sleep(1_000_000)


def collective(dist, torch, name, size, group, members, ahead):
    one = torch.ones(size)
    many = [torch.zeros(size) for _ in members]
    match name:
        case "all_reduce":
            return dist.all_reduce(one, group=group, async_op=ahead)
        case "all_gather":
            return dist.all_gather(many, one, group=group, async_op=ahead)
        case "all_gather_into_tensor":
            return dist.all_gather_into_tensor(torch.zeros(size * len(members)), one, group=group, async_op=ahead)
        case "broadcast":
            return dist.broadcast(one, src=members[0], group=group, async_op=ahead)
        case "reduce_scatter":
            return dist.reduce_scatter(one, many, group=group, async_op=ahead)
        case "barrier":
            return dist.barrier(group=group, async_op=ahead)
        case "all_to_all":
            whole = size * len(members)
            return dist.all_to_all_single(torch.zeros(whole), torch.ones(whole), group=group, async_op=ahead)


def train(plan, rank, directory):
    """One rank. It is a fork of a process that has imported torch and done nothing with it."""
    import torch
    import torch.distributed as dist
    from torch.utils.data import DataLoader

    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{directory}/store", rank=rank, world_size=plan.world)
    groups = [dist.group.WORLD] + [dist.new_group(members) for members in plan.groups[1:]]
    at_fault = rank == plan.culprit
    never = plan.step if plan.kind == "loader" and at_fault else -1
    batches = iter(DataLoader(Batches(never), num_workers=plan.workers))
    for step in range(STEPS):
        if step == plan.step:
            open(f"{directory}/at-fault-{rank}", "w").close()
        next(batches)
        pending = []
        for i, (number, name, size) in enumerate(plan.calls):
            faulty = step == plan.step and i == plan.call
            if faulty and plan.kind == "send" and rank == (plan.culprit + 1) % plan.world:
                dist.recv(torch.zeros(1), src=plan.culprit)
            if rank not in plan.groups[number]:
                continue
            if faulty and at_fault:
                match plan.kind:
                    case "stopped":
                        os.kill(os.getpid(), signal.SIGSTOP)
                    case "gil":
                        hold_gil()
                    case "lock":
                        wait_for_lock()
                    case "skip":
                        continue
                    case "mismatch":
                        name, size = (name, 3 * size) if plan.other == "size" else (plan.other, size)
            work = collective(dist, torch, name, size, groups[number], plan.groups[number], plan.ahead)
            if work is not None:
                pending.append(work)
        for work in pending:
            work.wait()
        time.sleep(0.01)
        while plan.kind == "healthy" and step == STEPS - 1:
            dist.all_reduce(torch.ones(8))
            time.sleep(0.01)
    open(f"{directory}/over-{rank}", "w").close()
    time.sleep(1e6)


def dump_when_asked(requests, rank, directory):
    """Over Gloo, what PyTorch's NCCL backend does on its own for a byte in its pipe."""
    import torch

    os.read(requests, 1)
    with open(f"{directory}/dumps/.{rank}", "wb") as file:
        file.write(torch._C._distributed_c10d._dump_fr_trace(includeStackTraces=False))
    os.rename(f"{directory}/dumps/.{rank}", f"{directory}/dumps/rank_{rank}")


class Job:
    """The processes of one job."""

    most_seconds = 30
    stands_for = STANDS

    def __init__(self, plan, directory):
        self.plan, self.directory = plan, directory
        os.makedirs(f"{directory}/dumps")
        os.makedirs(f"{directory}/stacks")
        self.pids, self.pipes = [], []
        self.asked = self.stands = None
        self.began = time.monotonic()
        for rank in range(plan.world):
            reads, writes = os.pipe()
            pid = os.fork()
            if pid == 0:
                self.child(rank, reads)
            os.close(reads)
            self.pids.append(pid)
            self.pipes.append(writes)

    def child(self, rank, requests):
        try:
            os.setpgid(0, 0)
            log = os.open(f"{self.directory}/log_{rank}", os.O_WRONLY | os.O_CREAT)
            os.dup2(log, 1)
            os.dup2(log, 2)
            self.run(rank, requests)
        except BaseException as e:  # for any exception, the child must not continue as its parent
            os.write(2, f"{type(e).__name__}: {e}\n".encode())
        finally:
            os._exit(1)

    def run(self, rank, requests):
        threading.Thread(target=dump_when_asked, args=(requests, rank, self.directory), daemon=True).start()
        train(self.plan, rank, self.directory)

    def request_dumps(self):
        for pipe in self.pipes:
            os.write(pipe, b"d")

    def written(self, rank):
        return os.path.exists(f"{self.directory}/dumps/rank_{rank}")

    def failed(self):
        return any(os.waitpid(pid, os.WNOHANG)[0] for pid in self.pids)

    def look(self):
        """None while it runs; then whether it was a hang that could be recorded."""
        now = time.monotonic()
        if self.failed() or now - self.began > self.most_seconds:
            return False
        if self.stands is None:
            if all(os.path.exists(f"{self.directory}/at-fault-{rank}") for rank in range(self.plan.world)):
                self.stands = now
            return None
        if self.asked is None:
            if now - self.stands >= self.stands_for:
                self.stacks()
                self.request_dumps()
                self.asked = time.monotonic()
            return None
        missing = [rank for rank in range(self.plan.world) if not self.written(rank)]
        if missing and now - self.asked < 3:
            return None
        silent = [self.plan.culprit] if self.plan.kind in ("stopped", "gil") else []
        through = all(os.path.exists(f"{self.directory}/over-{rank}") for rank in range(self.plan.world))
        return missing == silent and not through

    def stacks(self):
        for rank, pid in enumerate(self.pids):
            with contextlib.suppress(OSError):
                shutil.copyfile(f"/proc/{pid}/status", f"{self.directory}/stacks/rank_{rank}.status")
        if not shutil.which("py-spy"):
            return
        for rank, pid in enumerate(self.pids):
            with contextlib.suppress(subprocess.TimeoutExpired):
                run = subprocess.run(["py-spy", "dump", "--nonblocking", "-p", str(pid)], capture_output=True,
                                     timeout=10)
                if run.returncode == 0:
                    with open(f"{self.directory}/stacks/rank_{rank}.txt", "wb") as file:
                        file.write(run.stdout)

    def keep_failure(self, draw):
        """What is left of a run that did not hang is of no use."""

    def end(self):
        for pid in self.pids:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
        for pid, pipe in zip(self.pids, self.pipes):
            os.close(pipe)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
        for name in os.listdir(self.directory):
            if name.startswith(("at-fault-", "over-", "store")):
                os.unlink(os.path.join(self.directory, name))


def record(directory, hangs, seed, at_once):
    os.environ.update(TORCH_FR_BUFFER_SIZE="2000", GLOO_SOCKET_IFNAME="lo", OMP_NUM_THREADS="1",
                      TORCH_INCLUDE_STACK_TRACE="0")
    import torch  # noqa: F401  once for all ranks, which are forks
    import torch.distributed  # noqa: F401
    import torch.utils.data  # noqa: F401

    record_all(directory, [KINDS[number % len(KINDS)] for number in range(hangs)], seed, at_once,
               lambda kind, seed, path: Job(Plan(kind, seed), path))


def record_all(directory, kinds, seed, at_once, start, most_seconds=86400):
    """Starts a job of each kind, and draws those again that do not hang. After the given seconds none is started."""
    os.makedirs(directory)
    until = time.monotonic() + most_seconds
    wanted = [(number, kind, 0) for number, kind in enumerate(kinds)]
    running, done, again = {}, 0, {}
    while (wanted and time.monotonic() < until) or running:
        while wanted and len(running) < at_once and time.monotonic() < until:
            number, kind, draw = wanted.pop(0)
            path = os.path.join(os.path.realpath(directory), f"{number:03d}-{kind}")
            shutil.rmtree(path, ignore_errors=True)
            running[number] = (start(kind, (seed * 1009 + number) * 1009 + draw, path), draw)
        for number, (job, draw) in list(running.items()):
            hung = job.look()
            if hung is None:
                continue
            job.end()
            del running[number]
            if hung:
                done += 1
                with open(os.path.join(job.directory, "truth.json"), "w") as file:
                    json.dump({**job.plan.truth(), "written": written(job.directory)}, file)
            else:
                again[job.plan.kind] = again.get(job.plan.kind, 0) + 1
                job.keep_failure(draw)
                if draw < MOST_DRAWS:
                    wanted.append((number, job.plan.kind, draw + 1))
                else:
                    shutil.rmtree(job.directory)
        time.sleep(0.05)
    print(f"{done} recorded; did not hang, and drawn again: {again}")


def written(directory):
    """When each rank's dump was, in nanoseconds: most archives keep seconds, which makes it a copy."""
    dumps = os.path.join(directory, "dumps")
    return {name.rsplit("_", 1)[1]: os.stat(os.path.join(dumps, name)).st_mtime_ns for name in os.listdir(dumps)}


def set_times(directory, truth):
    for rank, nanoseconds in truth.get("written", {}).items():
        os.utime(os.path.join(directory, "dumps", f"rank_{rank}"), ns=(nanoseconds, nanoseconds))


def filled_in(directory, truth):
    """A folder with the same dumps, with members of groups, states and names as the recorder of NCCL has them."""
    folder = tempfile.mkdtemp()
    for name in os.listdir(os.path.join(directory, "dumps")):
        path = os.path.join(directory, "dumps", name)
        with open(path, "rb") as file:
            dump = pickle.load(file)
        rank = int(name.rsplit("_", 1)[1])
        labels = ["default_pg" if i == 0 else "undefined" for i in range(len(truth["groups"]))]
        dump["pg_config"] = {str(i): {"name": str(i), "desc": labels[i], "ranks": str(members)}
                             for i, members in enumerate(truth["groups"]) if rank in members}
        # A group of NCCL completes its collectives in their order, one of Gloo in any.
        pending = {}
        for entry in dump["entries"]:
            number, group = entry["collective_seq_id"], str(entry["pg_id"])
            entry["retired"] = entry["retired"] and group not in pending
            if not entry["retired"]:
                pending.setdefault(group, number)
            entry["state"] = "completed" if entry["retired"] else "scheduled"
            entry["profiling_name"] = entry["profiling_name"].replace("gloo:", "nccl:")
        if truth["kind"] == "send" and rank == (truth["culprit"] + 1) % truth["ranks"]:
            # NCCL's recorder has the receive that waits.
            dump["entries"].append({**dump["entries"][-1], "pg_id": 0, "process_group": ("0", "default_pg"),
                                    "profiling_name": f"nccl:recv {rank}<-{truth['culprit']}", "is_p2p": True,
                                    "p2p_seq_id": 1, "retired": False, "state": "scheduled",
                                    "input_sizes": [[1]], "output_sizes": [[1]]})
        for group, first in pending.items():
            if group in dump["pg_status"]:
                dump["pg_status"][group]["last_completed_collective"] = first - 1
        with open(os.path.join(folder, name), "wb") as file:
            pickle.dump(dump, file, protocol=2)
        shutil.copystat(path, file.name)  # a dump written just after its newest collective is of a job that trains
    return folder


def rekindle(dumps, stacks, ranks):
    paths = [dumps] + ([stacks] if stacks else [])
    run = subprocess.run([os.path.join(ROOT, "rekindle"), "analyze", "--json", "--ranks", str(ranks), *paths],
                         capture_output=True, text=True)
    if run.returncode == 2:
        raise RuntimeError(run.stderr)
    # 3: no rank is named, but for a guess.
    return {culprit["rank"] for culprit in json.loads(run.stdout)["culprits"]} if run.returncode == 0 else set()


def forked(work):
    """What a function returns, or None where it fails, in a process of its own: torch is imported once."""
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(BaseException):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            os.write(writes, json.dumps(sorted(work())).encode())
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads) as answer:
        text = answer.read()
    os.waitpid(pid, 0)
    return set(json.loads(text)) if text else None


def fr_trace(dumps):
    from torch.distributed.flight_recorder import fr_trace as theirs

    printed = io.StringIO()
    import logging
    logging.getLogger().addHandler(logging.StreamHandler(printed))
    for name in list(logging.root.manager.loggerDict):
        if "flight" in name.lower():
            logging.getLogger(name).addHandler(logging.StreamHandler(printed))
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        theirs.main([dumps, "-p", "rank_", "--allow-incomplete-ranks"])
    reports = {}
    for line in printed.getvalue().splitlines():
        ranks = set(re.findall(r"Culprit rank (\d+)", line))
        for missing in re.findall(r"missing ranks: \{([\d, ]+)\}", line):
            ranks.update(missing.split(", "))
        for rank in ranks:
            reports[int(rank)] = reports.get(int(rank), 0) + 1
    return {rank for rank, count in reports.items() if count == max(reports.values())}


def nvrx(dumps):
    from nvidia_resiliency_ext.attribution.trace_analyzer.fr_attribution import CollectiveAnalyzer

    asked = {"fr_path": dumps, "pattern": "rank_*"}
    answer, _ = CollectiveAnalyzer(asked).run_sync(asked)
    return {int(rank) for rank in re.findall(r"\d+", answer["hanging_ranks"])}


def tools():
    found = {"rekindle analyze, dumps": lambda dumps, stacks, ranks: rekindle(dumps, None, ranks),
             "rekindle analyze, dumps and stacks": rekindle}
    import torch
    import torch.distributed.flight_recorder.fr_trace  # noqa: F401
    found["fr_trace of torch " + torch.__version__] = lambda dumps, stacks, ranks: forked(lambda: fr_trace(dumps))
    try:
        import nvidia_resiliency_ext.attribution.trace_analyzer.fr_attribution  # noqa: F401
        found["NVRx attribution"] = lambda dumps, stacks, ranks: forked(lambda: nvrx(dumps))
    except ImportError as missing:
        print(f"nvidia-resiliency-ext cannot be imported ({missing}): it is left out", file=sys.stderr)
    return found


def compare(directory, verbose):
    tally, kinds = {}, []
    for name in sorted(os.listdir(directory)):
        at = os.path.join(directory, name)
        if not os.path.exists(os.path.join(at, "truth.json")):
            continue
        with open(os.path.join(at, "truth.json")) as file:
            truth = json.load(file)
        set_times(at, truth)
        true = set() if truth["culprit"] is None else {truth["culprit"]}
        forms = {"as recorded": os.path.join(at, "dumps")}
        if truth.get("backend") != "nccl":
            forms["filled in"] = filled_in(at, truth)
        kinds.append(truth["kind"])
        for form, dumps in forms.items():
            for tool, judge in tools().items():
                named = judge(dumps, os.path.join(at, "stacks"), truth["ranks"])
                column = 3 if named is None else 0 if named == true else 2 if not named else 1
                tally.setdefault((form, tool, truth["kind"]), [0, 0, 0, 0])[column] += 1
                if verbose and column:
                    print(f"{name}, {form}: {tool} names {named}, true is {true}", file=sys.stderr)
        if "filled in" in forms:
            shutil.rmtree(forms["filled in"])
    kinds = list(dict.fromkeys(kinds))
    print("| dumps | tool | " + " | ".join(kinds) + " | right | wrong | silent | failed |")
    print("|---|---|" + "---|" * (len(kinds) + 4))
    for form, tool in dict.fromkeys((form, tool) for form, tool, _ in tally):
        rows = {kind: counts for (of, by, kind), counts in tally.items() if (of, by) == (form, tool)}
        cells = ["/".join(map(str, rows.get(kind, [0] * 4))) for kind in kinds]
        sums = [sum(column) for column in zip(*rows.values())]
        print(f"| {form} | {tool} | " + " | ".join(cells) + " | " + " | ".join(map(str, sums)) + " |")


def add_recording(arguments, hangs):
    """The arguments of a recording."""
    arguments.add_argument("directory")
    arguments.add_argument("--hangs", type=int, default=hangs)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--at-once", type=int, default=4)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record")
    add_recording(recording, 200)
    comparing = commands.add_parser("compare")
    comparing.add_argument("directory")
    comparing.add_argument("--verbose", action="store_true", help="each hang that is not named rightly")
    args = parser.parse_args()
    if args.command == "record":
        record(args.directory, args.hangs, args.seed, args.at_once)
    else:
        compare(args.directory, args.verbose)


if __name__ == "__main__":
    main()
