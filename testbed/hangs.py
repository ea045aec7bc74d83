#!/usr/bin/env python3
"""Hangs with a known culprit, as dumps of flight recorders, for `rekindle analyze` and for PyTorch's own fr_trace.

  hangs.py compare [--hangs 200] [--seed 1]   how many each names rightly, wrongly, or not at all
  hangs.py make RANKS DIRECTORY               one hang of so many ranks, to measure how long it takes

A job is played until nothing moves: ranks in rows of 8 (tensor parallel) and columns (data parallel), each of which
enqueues its collectives in order, some ahead of its device; a device completes one once all members have enqueued it
and their devices have come to it. Then something is wrong with one rank at one of its collectives:

  host       its process enqueues no more           device     its device gets no further, after peers have completed
  mismatch   it calls another collective            missing    as host, and it writes no dump
  network    none: a collective that all have joined does not end; no rank may be named

fr_trace is compared where torch can be imported (PYTHONPATH). It prints ranks for each collective, so the one that it
prints most often counts as named.

LM Resiliency is compared where lm_resiliency can be imported (pip install --no-deps lm-resiliency==0.2.0, with numpy).
It reads no dumps: a daemon beside each rank counts how many calls its process has made and the last of them, and
compares that over the replicas of the rank, which are its peers, once the rank has stood for 30 s. Here the daemons'
own check is given what the processes of the job would have answered, that of the rank without a dump as well. What any
of the peer groups names counts.
"""

import argparse
import importlib.metadata
import json
import logging
import os
import pickle
import random
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
KINDS = ["host", "device", "mismatch", "missing", "network"]
WIDTH = 8
STEP = [("row", "all_reduce", 64), ("row", "all_reduce", 32), ("column", "_reduce_scatter_base", 128),
        ("column", "_all_gather_base", 16), ("all", "all_reduce", 1)]


class Job:
    """A job of some ranks, and how far each has come in its list of calls."""

    def __init__(self, ranks, steps, ahead):
        self.ranks, self.ahead = ranks, ahead
        rows = (ranks + WIDTH - 1) // WIDTH
        self.groups = [("0", "default_pg", list(range(ranks)))]
        row_of, column_of = {}, {}
        for row in range(rows):
            members = list(range(row * WIDTH, min(ranks, row * WIDTH + WIDTH)))
            row_of.update((rank, len(self.groups)) for rank in members)
            self.groups.append((str(len(self.groups)), "TENSOR_MODEL_PARALLEL_GROUP", members))
        for column in range(WIDTH):
            members = list(range(column, ranks, WIDTH))
            column_of.update((rank, len(self.groups)) for rank in members)
            self.groups.append((str(len(self.groups)), "DATA_PARALLEL_GROUP", members))
        where = {"row": row_of, "column": column_of, "all": dict.fromkeys(range(ranks), 0)}
        self.calls = [[(where[kind][rank], operation, size) for _ in range(steps) for kind, operation, size in STEP]
                      for rank in range(ranks)]
        self.sequence = []  # of each call, in its group
        for calls in self.calls:
            counted = {}
            for group, _, _ in calls:
                counted.setdefault(group, []).append(None)
            numbers, seen = [], dict.fromkeys(counted, 0)
            for group, _, _ in calls:
                seen[group] += 1
                numbers.append(seen[group])
            self.sequence.append(numbers)
        self.enqueued = [0] * ranks
        self.completed = [0] * ranks

    def in_group(self, rank, until, group):
        return sum(1 for at in self.calls[rank][:until] if at[0] == group)

    def play(self, kind, culprit, at):
        """Until nothing moves. What others may complete of the call at which a device stops is left to them."""
        stop = [len(calls) for calls in self.calls]
        frozen = {}
        if kind in ("host", "missing"):
            stop[culprit] = at
        if kind == "mismatch":
            group, operation, size = self.calls[culprit][at]
            self.calls[culprit][at] = (group, "all_gather" if operation != "all_gather" else "broadcast", size * 3)
        if kind == "device":
            frozen[culprit] = at
        never = (self.calls[culprit][at][0], self.sequence[culprit][at]) if kind in ("network", "mismatch") else None
        joined, reached = {}, {}
        moved = True
        while moved:
            moved = False
            for rank in range(self.ranks):
                while self.enqueued[rank] < min(stop[rank], self.completed[rank] + self.ahead):
                    key = (self.calls[rank][self.enqueued[rank]][0], self.sequence[rank][self.enqueued[rank]])
                    joined[key] = joined.get(key, 0) + 1
                    self.enqueued[rank] += 1
                    moved = True
            for rank in range(self.ranks):
                while self.completed[rank] < self.enqueued[rank]:
                    key = (self.calls[rank][self.completed[rank]][0], self.sequence[rank][self.completed[rank]])
                    came = reached.setdefault(key, set())
                    if rank not in came:
                        came.add(rank)
                        moved = True
                    all_there = len(came) == len(self.groups[key[0]][2]) == joined.get(key, 0)
                    if key == never or not all_there or frozen.get(rank) == self.completed[rank]:
                        break
                    self.completed[rank] += 1
                    moved = True

    def dump(self, rank):
        """What the flight recorder of a rank has: its last calls, and the numbers of its groups."""
        mine = [i for i, group in enumerate(self.groups) if rank in group[2]]
        entries = []
        for i in range(max(0, self.completed[rank] - 4), self.enqueued[rank]):
            group, operation, size = self.calls[rank][i]
            over = i < self.completed[rank]
            members = len(self.groups[group][2])
            given = size * members if operation == "_reduce_scatter_base" else size
            got = size * members if "all_gather" in operation else size
            entries.append({
                "frames": [],
                "record_id": i,
                "pg_id": mine.index(group),
                "process_group": self.groups[group][:2],
                "thread_name": "pt_main",
                "thread_id": "1",
                "collective_seq_id": self.sequence[rank][i],
                "p2p_seq_id": 0,
                "op_id": i + 1,
                "profiling_name": "nccl:" + operation,
                "time_created_ns": 1795506864000000000 + i,
                "duration_ms": 0.1,
                "input_sizes": [[given]],
                "input_dtypes": ["Float"],
                "output_sizes": [[got]],
                "output_dtypes": ["Float"],
                "state": "completed" if over else "scheduled",
                "time_discovered_started_ns": None,
                "time_discovered_completed_ns": None,
                "retired": over,
                "timeout_ms": 600000,
                "is_p2p": False
            })
        status = {str(local): {"last_enqueued_collective": self.in_group(rank, self.enqueued[rank], group),
                               "last_started_collective": -1,
                               "last_completed_collective": self.in_group(rank, self.completed[rank], group)}
                  for local, group in enumerate(mine)}
        config = {self.groups[i][0]: {"name": self.groups[i][0], "desc": self.groups[i][1],
                                      "ranks": str(self.groups[i][2])} for i in mine}
        return {"version": "2.10", "nccl_version": "2.27.3", "comm_lib_version": "2.27.3", "nccl_comm_state": {},
                "pg_config": config, "pg_status": status, "entries": entries}

    def write(self, directory, without=()):
        os.makedirs(directory, exist_ok=True)
        for rank in range(self.ranks):
            if rank not in without:
                with open(os.path.join(directory, f"rank_{rank}"), "wb") as file:
                    pickle.dump(self.dump(rank), file, protocol=2)


def rekindle(directory):
    run = subprocess.run([os.path.join(ROOT, "rekindle"), "analyze", "--json", directory],
                         capture_output=True,
                         text=True)
    if run.returncode == 2:
        raise RuntimeError(run.stderr)
    # 3: no rank is named, but for a guess.
    return {culprit["rank"] for culprit in json.loads(run.stdout)["culprits"]} if run.returncode == 0 else set()


def fr_trace(directory):
    """The rank that it reports in most collectives, as missing or as a culprit; several where they are even."""
    run = subprocess.run([sys.executable, "-m", "torch.distributed.flight_recorder.fr_trace", directory, "-p", "rank_",
                          "--allow-incomplete-ranks"], capture_output=True, text=True, cwd=tempfile.gettempdir())
    if run.returncode != 0:
        return None
    reports = {}
    for line in (run.stdout + run.stderr).splitlines():
        ranks = set(re.findall(r"Culprit rank (\d+)", line))
        for missing in re.findall(r"missing ranks: \{([\d, ]+)\}", line):
            ranks.update(missing.split(", "))
        for rank in ranks:
            reports[int(rank)] = reports.get(int(rank), 0) + 1
    return {rank for rank, count in reports.items() if count == max(reports.values())}


def lm_resiliency(job):
    """What the check of its daemons says in each group of replicas, with the counts of calls as the processes have
    them.
    """
    from unittest import mock

    import torch.distributed as dist
    from lm_resiliency.detection.hang_detector import HangDetectionDaemon
    from lm_resiliency.detection.op_tracker import DiagnosticStage, ProgressSnapshot

    def snapshot(rank):
        made = job.enqueued[rank]
        group, operation, size = job.calls[rank][made - 1]
        call = zlib.crc32(repr((operation, job.groups[group][2], size)).encode())
        return ProgressSnapshot(made, 0.0, 0, call, DiagnosticStage.NONE, 0, 0, 0, DiagnosticStage.NONE, 0, 0, 0)

    named = set()
    for peers in [list(range(column, job.ranks, WIDTH)) for column in range(WIDTH)]:
        def all_gather(gathered, local, group=None, peers=peers):
            for into, rank in zip(gathered, peers):
                of = snapshot(rank)
                into.copy_(local)
                into[0] = of.op_id
                if len(local) > 1:
                    into[2] = of.metadata_fingerprint

        with mock.patch.multiple(dist, all_gather=all_gather, get_rank=lambda *_: 0,
                                 get_world_size=lambda *_, peers=peers: len(peers)):
            daemon = HangDetectionDaemon(rank=peers[0], world_size=len(peers), group=None, peer_ranks=peers)
            daemon._reader = mock.Mock(read_snapshot=lambda peers=peers: snapshot(peers[0]))
            daemon._last_op_id, daemon._last_step, daemon._last_change_time = snapshot(peers[0]).op_id, 0, 0.0
            result = daemon.check_once()
        if result.is_hang:
            named.update(result.culprit_ranks)
    return named


def compare(hangs, seed):
    tools = {"rekindle analyze": lambda directory, job: rekindle(directory)}
    try:
        import torch  # noqa: F401
        tools["fr_trace of torch " + torch.__version__] = lambda directory, job: fr_trace(directory)
    except ImportError:
        print("torch cannot be imported: fr_trace is left out", file=sys.stderr)
    try:
        import lm_resiliency as theirs  # noqa: F401
        logging.disable(logging.WARNING)
        tools["LM Resiliency " +
              importlib.metadata.version("lm-resiliency")] = lambda directory, job: lm_resiliency(job)
    except ImportError as missing:
        print(f"lm_resiliency cannot be imported ({missing}): it is left out", file=sys.stderr)
    tally = {name: {kind: [0, 0, 0, 0] for kind in KINDS} for name in tools}
    for number in range(hangs):
        chance = random.Random(seed * 1_000_003 + number)
        kind = KINDS[number % len(KINDS)]
        job = Job(chance.choice([16, 24, 32]), 12, chance.randint(1, 12))
        culprit = chance.randrange(job.ranks)
        at = chance.randrange(10, len(job.calls[culprit]) - 10)
        job.play(kind, culprit, at)
        directory = tempfile.mkdtemp()
        job.write(directory, without={culprit} if kind == "missing" else ())
        for name, tool in tools.items():
            named = tool(directory, job)
            truth = set() if kind == "network" else {culprit}
            column = 3 if named is None else 0 if named == truth else 2 if not named else 1
            tally[name][kind][column] += 1
        shutil.rmtree(directory)
    print("| tool | kind | right | wrong | silent | failed |\n|---|---|---|---|---|---|")
    for name, kinds in tally.items():
        for kind, counts in kinds.items():
            print(f"| {name} | {kind} | " + " | ".join(map(str, counts)) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    comparing = commands.add_parser("compare")
    comparing.add_argument("--hangs", type=int, default=200)
    comparing.add_argument("--seed", type=int, default=1)
    making = commands.add_parser("make")
    making.add_argument("ranks", type=int)
    making.add_argument("directory")
    args = parser.parse_args()
    if args.command == "compare":
        compare(args.hangs, args.seed)
    else:
        job = Job(args.ranks, 4, 5)
        job.play("host", args.ranks // 3, 12)
        job.write(args.directory)


if __name__ == "__main__":
    main()
