#!/usr/bin/env python3
"""Hangs of real PyTorch over real NCCL, recorded on a machine with one GPU.

  nccl_hangs.py record DIRECTORY [--hangs 100] [--seed 1] [--at-once 4] [--seconds 3600]
  recorded_hangs.py compare DIRECTORY      how many each names rightly, wrongly, or not at all

Needs torch with CUDA, for stacks py-spy, and for links pyroute2. All ranks share the GPU: each has another NCCL_HOSTID,
so that NCCL takes them for ranks on as many hosts and lets them talk through sockets. Their kernels take turns. Dumps
are requested as agents do, through the pipe of PyTorch's NCCL backend. The faults are those of recorded_hangs.py, and

  device     a kernel that never ends comes before a collective on one rank's GPU; its host continues
  network    the loopback device of the job goes down; no rank may be named
  link       the cable of one rank alone is cut, or takes nothing to it: each rank has a network namespace of its own

Jobs make random collectives, or train a small model with DDP, FSDP2, FSDP2 with tensor parallelism, or a pipeline
(1F1B), or with `--trainers torchtitan` are torchtitan's debug model (nccl_torchtitan.py). Some synchronize with their
device in each step, in every fourth or at the end only; some have recorders that time devices
(TORCH_NCCL_ENABLE_TIMING). In half of the healthy ones a rank is slow. In one of four the watchdog has a time-out of
10 s, and its lines are kept.

A folder of a hang has, beside what recorded_hangs.py keeps: logs/rank_N.log; ras.json, the answer of NCCL's RAS;
use.json, of each rank the share of a core that its main thread and that all of its threads used within half a second,
and the main thread's state.
"""

import argparse
import ctypes
import json
import os
import pickle
import random
import shutil
import signal
import socket
import struct
import sys
import threading
import time

import nccl_torchtitan
import recorded_hangs
from recorded_hangs import STEPS, Batches, Job, Plan, collective, hold_gil, wait_for_lock

KINDS = ["stopped", "gil", "lock", "loader", "device", "mismatch", "skip", "send", "network", "link", "healthy"]
TRAINERS = ["calls", "ddp", "fsdp", "mesh", "pipeline"]
IN_TRAINERS = ["stopped", "gil", "lock", "loader", "device", "network", "link", "healthy"]
LAYERS = 4
WIDTH = 64
RAS_PORT = 28028  # of rank 0; each job has a network of its own


class NcclPlan(Plan):
    """What one job does, drawn from a seed."""

    def __init__(self, kind, seed, trainers):
        super().__init__(kind, seed)
        chance = random.Random(f"nccl {seed}")
        self.trainer = chance.choice(trainers) if kind in IN_TRAINERS else "calls"
        if self.trainer in ("mesh", "pipeline", "torchtitan"):
            self.world = 4
            self.culprit = chance.randrange(self.world)
        if self.trainer != "calls":
            self.groups, self.calls = [list(range(self.world))], []
        self.layer = chance.randrange(LAYERS)
        self.sync = chance.choice([1, 4, 0])
        self.timing = chance.random() < 0.5
        self.slow = kind == "healthy" and chance.random() < 0.5
        self.watchdog = kind != "healthy" and chance.random() < 0.25
        self.parallel = chance.choice(list(nccl_torchtitan.PARALLEL)) if self.trainer == "torchtitan" else None
        self.cut = chance.choice(["down", "blackhole"]) if kind == "link" else None

    def truth(self):
        without = self.kind in ("healthy", "network")
        return {**super().truth(), "backend": "nccl", "culprit": None if without else self.culprit,
                "trainer": self.trainer, "layer": self.layer, "sync": self.sync, "timing": self.timing,
                "slow": self.slow, "watchdog": self.watchdog, "parallel": self.parallel, "cut": self.cut}


class Fault:
    """What is wrong with one rank at one point of one step; with others, nothing."""

    def __init__(self, plan, rank, network):
        self.plan, self.network = plan, network
        self.mine = rank == plan.culprit
        self.step = -1

    def strike(self, step, point, torch):
        """At a point of a step, before its collective: whether it is to be left out."""
        if not self.mine or step != self.plan.step or point != self.point():
            return False
        match self.plan.kind:
            case "stopped":
                os.kill(os.getpid(), signal.SIGSTOP)
            case "gil":
                hold_gil()
            case "lock":
                wait_for_lock()
            case "device":
                torch.cuda._sleep(1 << 62)
            case "network" | "link":
                os.kill(self.network, signal.SIGUSR1)
                time.sleep(0.2)
            case "skip":
                return True
        return False

    def point(self):
        return self.plan.call if self.plan.trainer == "calls" else self.plan.layer


def train(plan, rank, directory, network):
    """One rank. It is a fork of a process that has imported torch and done nothing with it."""
    import torch
    import torch.distributed as dist
    from datetime import timedelta
    from torch.utils.data import DataLoader

    torch.set_num_threads(1)
    torch.cuda.set_device(0)
    fault = Fault(plan, rank, network)
    if plan.trainer == "torchtitan":
        return nccl_torchtitan.train(plan, rank, directory, fault, 1 << 20 if plan.kind == "healthy" else STEPS)
    patience = timedelta(seconds=10 if plan.watchdog else 600)
    dist.init_process_group("nccl", init_method=f"file://{directory}/store", rank=rank, world_size=plan.world,
                            timeout=patience, device_id=torch.device("cuda", 0))
    never = plan.step if plan.kind == "loader" and rank == plan.culprit else -1
    batches = iter(DataLoader(Batches(never), num_workers=plan.workers))
    step_of = calls_of(plan, rank, fault, patience) if plan.trainer == "calls" else model_of(plan, rank, fault)
    for step in range(STEPS):
        if step == plan.step:
            open(f"{directory}/at-fault-{rank}", "w").close()
        fault.step = step
        batch = next(batches)
        if plan.slow and rank == plan.culprit:
            time.sleep(0.2)
        loss = step_of(step, batch)
        if plan.sync and step % plan.sync == 0:
            loss.item()
        time.sleep(0.01)
        print(f"step {step}", flush=True)
        while plan.kind == "healthy" and step == STEPS - 1:
            if plan.slow and rank == plan.culprit:
                time.sleep(0.2)
            fault.step = -1
            step_of(-1, batch).item()
    torch.cuda.synchronize()
    open(f"{directory}/over-{rank}", "w").close()
    time.sleep(1e6)


def calls_of(plan, rank, fault, patience):
    """Random collectives in random groups."""
    import torch
    import torch.distributed as dist

    groups = [dist.group.WORLD] + [dist.new_group(members, timeout=patience) for members in plan.groups[1:]]

    def step_of(step, batch):
        with torch.device("cuda"):
            pending = []
            for i, (number, name, size) in enumerate(plan.calls):
                faulty = step == plan.step and i == plan.call
                if faulty and plan.kind == "send":
                    if rank == (plan.culprit + 1) % plan.world:
                        dist.recv(torch.zeros(1), src=plan.culprit)
                if rank not in plan.groups[number]:
                    continue
                if fault.strike(step, i, torch):
                    continue
                if faulty and fault.mine and plan.kind == "mismatch":
                    name, size = (name, 3 * size) if plan.other == "size" else (plan.other, size)
                work = collective(dist, torch, name, size, groups[number], plan.groups[number], plan.ahead)
                if work is not None:
                    pending.append(work)
            for work in pending:
                work.wait()
            return torch.ones(1)

    return step_of


def model_of(plan, rank, fault):
    """A step of a small model, by one of PyTorch's own ways to distribute it."""
    import torch
    import torch.distributed as dist
    from torch import nn

    torch.manual_seed(0)

    class Block(nn.Module):
        def __init__(self, number):
            super().__init__()
            self.number = number
            self.up, self.down = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)

        def forward(self, x):
            fault.strike(fault.step, self.number, torch)
            return self.down(torch.relu(self.up(x)))

    with torch.device("cuda"):
        blocks = [Block(number) for number in range(LAYERS)]
    if plan.trainer == "pipeline":
        return pipeline_of(plan, rank, blocks[rank], fault)
    model = nn.Sequential(*blocks)
    if plan.trainer == "ddp":
        from torch.nn.parallel import DistributedDataParallel
        model = DistributedDataParallel(model, bucket_cap_mb=0.02)
    else:
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import fully_shard
        if plan.trainer == "mesh":
            from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
            mesh = init_device_mesh("cuda", (2, plan.world // 2), mesh_dim_names=("dp", "tp"))
            for block in model:
                parallelize_module(block, mesh["tp"], {"up": ColwiseParallel(), "down": RowwiseParallel()})
            shards = mesh["dp"]
        else:
            shards = init_device_mesh("cuda", (plan.world,), mesh_dim_names=("dp",))
        for block in model:
            fully_shard(block, mesh=shards)
        fully_shard(model, mesh=shards)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def step_of(step, batch):
        loss = model(torch.ones(4, WIDTH, device="cuda") * batch.item()).square().mean()
        loss.backward()
        if plan.trainer != "ddp":
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        total = loss.detach().clone()
        if step % 4 == 0:
            dist.all_reduce(total)
        return total

    return step_of


def pipeline_of(plan, rank, block, fault):
    import torch
    from torch.distributed.pipelining import PipelineStage, Schedule1F1B

    block.number = plan.layer  # each rank has one of them
    stage = PipelineStage(block, rank, plan.world, torch.device("cuda", 0))
    schedule = Schedule1F1B(stage, n_microbatches=4, loss_fn=lambda out, target: (out - target).square().mean())
    optimizer = torch.optim.SGD(block.parameters(), lr=0.01)
    target = torch.zeros(8, WIDTH, device="cuda")

    def step_of(step, batch):
        losses = []
        if rank == 0:
            schedule.step(torch.ones(8, WIDTH, device="cuda") * batch.item())
        elif rank == plan.world - 1:
            schedule.step(target=target, losses=losses)
        else:
            schedule.step()
        optimizer.step()
        optimizer.zero_grad()
        return torch.ones(1, device="cuda") if not losses else losses[-1].detach()

    return step_of


def namespace(connect, cut):
    """A process with a network namespace of its own, in which connect() has run; a signal makes it run cut()."""
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setpgid(0, 0)
            os.unshare(os.CLONE_NEWNET)
            signal.signal(signal.SIGUSR1, lambda *_: cut())
            loopback(True)
            connect()
            os.write(writes, b"u")
            while True:
                time.sleep(1)
        except BaseException as e:
            os.write(2, f"no network namespace: {e}\n".encode())
        finally:
            os._exit(1)
    os.close(writes)
    os.read(reads, 1)
    os.close(reads)
    return pid


def enter(pid):
    with open(f"/proc/{pid}/ns/net") as of_process:
        os.setns(of_process.fileno(), os.CLONE_NEWNET)


class Network:
    """A network namespace for the processes of a job, whose only device goes down on a signal."""

    device = "lo"

    def __init__(self):
        self.pid = namespace(lambda: None, lambda: loopback(False))

    def enter(self, rank):
        enter(self.pid)

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


class Cables:
    """A network namespace for each rank, with a cable to one that routes between them. A signal cuts that of one."""

    device = "eth0"

    def __init__(self, plan):
        self.plan = plan
        self.ranks = [namespace(lambda: None, lambda: None) for _ in range(plan.world)]
        self.pid = namespace(self.connect, self.cut)
        for rank in range(plan.world):
            child = os.fork()
            if child == 0:
                try:
                    self.connect_rank(rank)
                except BaseException as e:
                    os.write(2, f"no network of rank {rank}: {e}\n".encode())
                finally:
                    os._exit(0)
            os.waitpid(child, 0)

    def connect(self):
        from pyroute2 import IPRoute
        with open("/proc/sys/net/ipv4/ip_forward", "w") as forwards:
            forwards.write("1")
        with IPRoute() as routes:
            for rank, pid in enumerate(self.ranks):
                routes.link("add", ifname=f"rank{rank}", kind="veth", peer={"ifname": self.device, "net_ns_pid": pid})
                number = routes.link_lookup(ifname=f"rank{rank}")[0]
                routes.link("set", index=number, state="up")
                routes.addr("add", index=number, address=f"10.9.{rank}.1", prefixlen=24)

    def connect_rank(self, rank):
        from pyroute2 import IPRoute
        self.enter(rank)
        with IPRoute() as routes:
            number = routes.link_lookup(ifname=self.device)[0]
            routes.addr("add", index=number, address=f"10.9.{rank}.2", prefixlen=24)
            routes.link("set", index=number, state="up")
            routes.route("add", dst="default", gateway=f"10.9.{rank}.1")

    def cut(self):
        from pyroute2 import IPRoute
        rank = self.plan.culprit
        with IPRoute() as routes:
            if self.plan.cut == "down":
                routes.link("set", index=routes.link_lookup(ifname=f"rank{rank}")[0], state="down")
            else:
                routes.route("add", dst=f"10.9.{rank}.2/32", type="blackhole")

    def enter(self, rank):
        enter(self.ranks[rank])

    def end(self):
        for pid in [self.pid, *self.ranks]:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def loopback(up):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        import fcntl
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH14x", b"lo", 1 if up else 0))  # SIOCSIFFLAGS, IFF_UP


class NcclJob(Job):
    """The processes of one job, all on the first GPU."""

    most_seconds = 90
    stands_for = 9  # what a rank has enqueued within five seconds may be of one that trains

    def __init__(self, plan, directory):
        self.network = Cables(plan) if plan.kind == "link" else Network()
        os.makedirs(f"{directory}/logs")
        self.recorded = None
        if plan.trainer == "torchtitan":
            nccl_torchtitan.assets(directory)
        super().__init__(plan, directory)

    def run(self, rank, requests):
        self.network.enter(rank)
        log = os.open(f"{self.directory}/logs/rank_{rank}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.environ.update(
            RANK=str(rank), WORLD_SIZE=str(self.plan.world), LOCAL_RANK="0", MASTER_ADDR="127.0.0.1",
            MASTER_PORT="29500",
            NCCL_HOSTID=f"host-{rank}", NCCL_SOCKET_IFNAME=self.network.device, NCCL_NET="Socket", NCCL_IB_DISABLE="1",
            NCCL_P2P_DISABLE="1", NCCL_SHM_DISABLE="1", NCCL_MAX_NCHANNELS="1", NCCL_DEBUG="WARN",
            NCCL_RAS_ADDR=f"127.0.0.1:{RAS_PORT + rank}",
            TORCH_FR_BUFFER_SIZE="2000", TORCH_NCCL_TRACE_BUFFER_SIZE="2000", TORCH_NCCL_DUMP_ON_TIMEOUT="1",
            TORCH_INCLUDE_STACK_TRACE="0", TORCH_INCLUDE_ONLY_ACTIVE="0",
            TORCH_NCCL_ENABLE_TIMING="1" if self.plan.timing else "0",
            TORCH_FR_DUMP_TEMP_FILE=f"{self.directory}/dumps/rank_",
            TORCH_NCCL_DEBUG_INFO_TEMP_FILE=f"{self.directory}/dumps/rank_",
            TORCH_NCCL_DEBUG_INFO_PIPE_FILE=f"{self.directory}/pipe_")
        train(self.plan, rank, self.directory, self.network.pid)

    def request_dumps(self):
        self.use()
        for rank in range(self.plan.world):
            try:
                pipe = os.open(f"{self.directory}/pipe_{rank}.pipe", os.O_WRONLY | os.O_NONBLOCK)
            except OSError as e:
                print(f"{self.directory}: no pipe of rank {rank}: {e}", file=sys.stderr)
                continue
            os.write(pipe, b"dump\n")
            os.close(pipe)
        threading.Thread(target=self.ask_ras, daemon=True).start()

    def ask_ras(self):
        """In a child, as the ranks' network is not that of this process."""
        pid = os.fork()
        if pid == 0:
            try:
                for rank in range(self.plan.world):
                    if rank == self.plan.culprit:
                        continue
                    self.network.enter(rank)
                    with socket.create_connection(("127.0.0.1", RAS_PORT + rank), timeout=4) as ras:
                        ras.sendall(b"SET FORMAT json\nSTATUS\n")
                        answer = b""
                        while part := ras.recv(1 << 16):
                            answer += part
                    with open(f"{self.directory}/ras.json", "wb") as file:
                        file.write(answer)
                    break
            except BaseException as e:
                os.write(2, f"{self.directory}: no RAS: {e}\n".encode())
            finally:
                os._exit(0)
        os.waitpid(pid, 0)

    def use(self):
        """Of each rank, the share of a core of its main thread and of all its threads, and the main thread's state."""
        def seconds(pid, all_threads):
            path = f"/proc/{pid}/stat" if all_threads else f"/proc/{pid}/task/{pid}/stat"
            with open(path) as file:
                fields = file.read().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), fields[0]

        began = time.monotonic()
        before = [(seconds(pid, False)[0], seconds(pid, True)[0]) for pid in self.pids]
        time.sleep(0.5)
        length = time.monotonic() - began
        use = {}
        for rank, pid in enumerate(self.pids):
            (main, state), (every, _) = seconds(pid, False), seconds(pid, True)
            use[rank] = {"main": round((main - before[rank][0]) / length, 2),
                         "all": round((every - before[rank][1]) / length, 2), "state": state}
        with open(f"{self.directory}/use.json", "w") as file:
            json.dump(use, file)

    def written(self, rank):
        """PyTorch writes a dump in place: it is there once it can be read."""
        try:
            with open(f"{self.directory}/dumps/rank_{rank}", "rb") as file:
                pickle.load(file)
            return True
        except (OSError, EOFError, pickle.UnpicklingError):
            return False

    def look(self):
        if self.recorded is None:
            hung = super().look()
            if not hung or not self.plan.watchdog:
                return hung
            self.recorded = time.monotonic()
            shutil.copytree(f"{self.directory}/dumps", f"{self.directory}/first", copy_function=shutil.copy2)
        # The watchdogs end the job, but for a rank that is stopped.
        if time.monotonic() - self.recorded < 25 and not self.all_over():
            return None
        shutil.rmtree(f"{self.directory}/dumps")
        os.rename(f"{self.directory}/first", f"{self.directory}/dumps")
        return True

    def all_over(self):
        def is_over(pid):
            try:
                with open(f"/proc/{pid}/stat") as file:
                    return file.read().rsplit(")", 1)[1].split()[0] in "ZX"
            except OSError:
                return True
        return all(is_over(pid) for rank, pid in enumerate(self.pids)
                   if self.plan.kind != "stopped" or rank != self.plan.culprit)

    def keep_failure(self, draw):
        kept = os.path.join(os.path.dirname(self.directory), "not-hung")
        os.makedirs(kept, exist_ok=True)
        shutil.copytree(f"{self.directory}/logs", os.path.join(kept, f"{os.path.basename(self.directory)}-{draw}"))

    def end(self):
        super().end()
        self.network.end()
        for name in os.listdir(self.directory):
            if name.startswith(("pipe_", "log_")):
                os.unlink(os.path.join(self.directory, name))
        for name in ("tokenizer", "texts"):
            shutil.rmtree(os.path.join(self.directory, name), ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record")
    recorded_hangs.add_recording(recording, 100)
    recording.add_argument("--seconds", type=int, default=3600, help="start none after so many")
    recording.add_argument("--kinds", default=",".join(KINDS), help="of the hangs, in turn")
    recording.add_argument("--trainers", default=",".join(TRAINERS),
                           help="one is drawn for each; torchtitan is one more")
    args = parser.parse_args()

    os.environ.update(OMP_NUM_THREADS="1")
    import torch
    import torch.distributed.fsdp  # noqa: F401  once for all ranks, which are forks
    import torch.distributed.pipelining  # noqa: F401
    import torch.distributed.tensor.parallel  # noqa: F401
    import torch.utils.data  # noqa: F401
    if torch.cuda.is_initialized():
        sys.exit("CUDA is initialized before the ranks are forked")
    kinds, trainers = args.kinds.split(","), args.trainers.split(",")
    recorded_hangs.record_all(args.directory, [kinds[number % len(kinds)] for number in range(args.hangs)], args.seed,
                              args.at_once, lambda kind, seed, path: NcclJob(NcclPlan(kind, seed, trainers), path),
                              args.seconds)


if __name__ == "__main__":
    main()
