#!/usr/bin/env python3
"""Data-parallel training that can be stopped at any moment and resumed from where it is given.

A small network learns a fixed function from synthetic data. What it computes is of no interest; how it behaves is: it
is a real DistributedDataParallel or fully sharded job (NCCL where there is a GPU, else Gloo), its data is a function of
(step, rank) alone, so that a resumed run sees exactly what an undisturbed one would have seen, and its checkpoints are
complete or not there at all.

Rank, world size and master address come from the environment that the training operator (or torchrun) sets. Rekindle
adds

  REKINDLE_RESUME_FROM   the checkpoint that was pinned for this attempt
  REKINDLE_ATTEMPT       names this attempt; it is written into every checkpoint

Output, one line each, flushed at once:

  step 123 loss 2.302585092994046               every rank, every step (the loss is the mean over all ranks)
  resumed from /ckpt/step-00000050.pt at step 50     every rank, once
  saved /ckpt/step-00000050.pt                       rank 0
  REKINDLE restart before_step=40: why               any rank that wants the whole gang restarted; Rekindle does it
"""

import argparse
import datetime
import os
import re
import sys
import threading
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.checkpoint import state_dict as whole
from torch.distributed.fsdp import fully_shard

CHECKPOINT_NAME = re.compile(r"step-(\d{8,})\.pt")
UNFINISHED = ".saving-"  # no step in this name: an unfinished file is never taken for a checkpoint


def arguments():
    def setting(name, kind, default, text):
        """One setting is a flag and an environment variable: --step-seconds or STEP_SECONDS."""
        parser.add_argument(f"--{name}", type=kind, default=os.environ.get(name.upper().replace("-", "_"), default),
                            help=f"{text} (default: {default})")

    parser = argparse.ArgumentParser(
        description="Checkpointed DDP training; every flag is an environment variable, too.")
    setting("steps", int, 1000, "steps to train in all")
    setting("step-seconds", float, 0.0, "let no step be shorter than this")
    setting("checkpoint-dir", str, "/ckpt", "where checkpoints are kept, seen by every rank")
    setting("checkpoint-every", int, 10, "steps between two checkpoints")
    setting("checkpoint-keep", int, 3, "how many checkpoints to keep, at least 3")
    setting("timeout-seconds", float, 600.0, "a collective that takes longer fails the process")
    setting("batch", int, 64, "samples per rank and step")
    setting("hidden", int, 128, "width of the network")
    setting("sharded", int, 0,
            "1 shards model and optimizer over the ranks (FSDP) instead of copying them to each (DDP)")
    setting("ask-restart-at", int, 0,
            "ask for a restart of the gang at this step, if this run began at step 0; 0 never does")
    setting("ask-restart-before", int, 0,
            "with it, ask to go on from a checkpoint of before this step; 0 asks for the newest")
    setting("stall-how", str, "",
            "how --stall-rank holds up the others: lock, loader, mismatch, skip, skip-group, recv, quiet or dynamo; "
            "the last two are no stalls, and last until there is a file \"go-on\" beside the checkpoints: for tests")
    setting("stall-rank", int, 0, "with --stall-how, the rank that does")
    setting("stall-at", int, 50, "with --stall-how, at this step, if this run began at step 0")
    setting("seed", int, 1234, "of the weights and the data")
    setting("checkpoint-atomic", int, 1, "0 writes straight to the final name, as careless scripts do: for tests")
    setting("checkpoint-padding-mb", int, 0, "makes checkpoints this much bigger, so that a save takes time: for tests")
    parsed = parser.parse_args()
    if parsed.checkpoint_every < 1 or parsed.checkpoint_keep < 3:
        parser.error("--checkpoint-every must be at least 1 and --checkpoint-keep at least 3")
    return parsed


def dump_on_request(rank):
    """Over Gloo, what PyTorch's NCCL backend does by itself: a byte in the pipe asks for a dump of the flight
    recorder.
    """
    pipe = os.environ.get("TORCH_NCCL_DEBUG_INFO_PIPE_FILE", "")
    dump = os.environ.get("TORCH_FR_DUMP_TEMP_FILE", "")
    if not (pipe and dump):
        return
    path = f"{pipe}{rank}.pipe"
    if os.path.exists(path):
        os.unlink(path)
    os.mkfifo(path)
    requests = os.open(path, os.O_RDWR)  # for both, so that it never ends

    def serve():
        while os.read(requests, 4096):
            with open(f"{dump}{rank}.new", "wb") as file:
                file.write(torch._C._distributed_c10d._dump_fr_trace())
            os.rename(f"{dump}{rank}.new", f"{dump}{rank}")

    threading.Thread(target=serve, daemon=True).start()


def stall(args, step, rank, world, group):
    """Let --stall-rank hold up the others for ever: by what it does, or by a call that it alone leaves out."""
    at_fault = rank == args.stall_rank
    go_on = os.path.join(args.checkpoint_dir, "go-on")
    if at_fault:
        say(f"stalls at step {step}: {args.stall_how}")
    match args.stall_how:
        case "lock" if at_fault:
            lock = threading.Lock()
            lock.acquire()
            lock.acquire()
        case "loader" if at_fault:
            time.sleep(1e9)
        case "mismatch" if at_fault:
            dist.barrier()
        case "skip" if not at_fault:
            dist.barrier()
        case "skip-group" if not at_fault:
            dist.barrier(group=group)
        case "recv" if rank == (args.stall_rank + 1) % world:  # the send is left out
            dist.recv(torch.zeros(1), src=args.stall_rank)
        case "quiet":  # no rank holds up the others: all are at work, and print nothing
            done = torch.zeros(1)
            while done.item() == 0:
                time.sleep(0.1)
                done.fill_(rank == 0 and os.path.exists(go_on))
                dist.all_reduce(done)
        case "dynamo" if at_fault:  # the others wait for one that compiles; the word alone would announce a pause
            def backend(graph, _):
                while not os.path.exists(go_on):
                    time.sleep(0.1)
                return graph.forward

            torch.compile(torch.nn.Linear(1, 1), backend=backend)(torch.zeros(1))


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


class Checkpoints:
    """The checkpoints of one directory: save, find, prune."""

    def __init__(self, args):
        self.directory = args.checkpoint_dir
        self.keep = args.checkpoint_keep
        self.atomic = args.checkpoint_atomic != 0
        self.padding_mb = args.checkpoint_padding_mb
        self.attempt = os.environ.get("REKINDLE_ATTEMPT", "")
        self.pinned = os.environ.get("REKINDLE_RESUME_FROM", "")

    def by_step(self):
        """(step, path), newest first."""
        found = []
        for name in os.listdir(self.directory):
            match = CHECKPOINT_NAME.fullmatch(name)
            if match:
                found.append((int(match.group(1)), os.path.join(self.directory, name)))
        return sorted(found, reverse=True)

    @staticmethod
    def load(path):
        """The content, on the CPU. weights_only: a checkpoint is data and must not run code."""
        return torch.load(path, map_location="cpu", weights_only=True)

    def try_load(self, path):
        try:
            loaded = self.load(path)
            return loaded if {"model", "optimizer", "step"} <= loaded.keys() else None
        except Exception as e:  # whatever a torn file makes of itself: the next older one may be whole
            say(f"cannot use {path}: {type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}")
            return None

    def choose(self):
        """The path to resume from, or "" to start from scratch. Rank 0 decides for all.

        Given a checkpoint, take that one and none else: it was pinned because newer ones are torn or come from a
        generation that should have been dead. The exception is a container that its kubelet restarted in place: its
        environment still names the checkpoint of the attempt's start, while the attempt itself has got further. Its own
        checkpoints bear its own attempt, which sets them apart from any other's.
        """
        if not self.pinned:
            return next((path for _, path in self.by_step() if self.try_load(path)), "")
        pinned_step = self.load(self.pinned)["step"]  # fails loudly: going elsewhere is not ours to decide
        for step, path in self.by_step():
            if self.attempt and step > pinned_step:
                loaded = self.try_load(path)
                if loaded and loaded.get("attempt") == self.attempt:
                    return path
        return self.pinned

    def save(self, step, state):
        content = {**state, "step": step, "attempt": self.attempt}
        if self.padding_mb:
            content["padding"] = torch.zeros(self.padding_mb << 20, dtype=torch.uint8)
        path = os.path.join(self.directory, f"step-{step:08d}.pt")
        if self.atomic:
            self._save_atomically(content, path)
        else:
            torch.save(content, path)
        say(f"saved {path}")
        self._prune(step)

    def _save_atomically(self, content, path):
        # A name that no other generation has. Not from tempfile, whose files only their owner may read: a checkpoint is
        # also for those who look after it, under a user of their own.
        unfinished = os.path.join(self.directory, f"{UNFINISHED}{os.urandom(8).hex()}.tmp")
        with open(unfinished, "xb") as file:
            torch.save(content, file)
            file.flush()
            os.fsync(file.fileno())
        os.rename(unfinished, path)
        directory = os.open(self.directory, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)

    def _prune(self, step):
        """Never what this attempt began from, and never a file of a later step: that is not ours to judge."""
        ours = [path for at, path in self.by_step() if at <= step]
        for path in ours[self.keep:]:
            if path != self.pinned:
                os.unlink(path)

    def remove_unfinished(self):
        """What a killed save left behind. A frozen writer that wakes up later finds its file gone and fails."""
        for name in os.listdir(self.directory):
            if name.startswith(UNFINISHED):
                try:
                    os.unlink(os.path.join(self.directory, name))
                except FileNotFoundError:
                    pass


def batch_of(step, rank, args, device):
    """Inputs and targets as a function of (seed, step, rank), the same on every run and whatever came before."""
    generator = torch.Generator().manual_seed((args.seed << 40) + (step << 16) + rank)
    inputs = torch.randn(args.batch, 16, generator=generator)
    targets = torch.sin(inputs[:, :8]).sum(1, keepdim=True) + inputs[:, 8:9] * inputs[:, 9:10]
    return inputs.to(device), targets.to(device)


class Replica:
    """The whole model and optimizer on every rank (DDP)."""

    def __init__(self, args, device):
        torch.manual_seed(args.seed)
        self.model = nn.Sequential(nn.Linear(16, args.hidden), nn.Tanh(), nn.Linear(args.hidden, args.hidden),
                                   nn.Tanh(), nn.Linear(args.hidden, 1)).to(device)
        self.optimizer = self._optimizer()

    def _optimizer(self):
        return torch.optim.SGD(self.model.parameters(), lr=0.02, momentum=0.9)

    def parallel(self):
        return nn.parallel.DistributedDataParallel(self.model)

    def state(self, _rank):
        return {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}

    def load(self, content):
        self.model.load_state_dict(content["model"])
        self.optimizer.load_state_dict(content["optimizer"])


class Shards(Replica):
    """A part of model and optimizer on every rank (FSDP). Checkpoints hold the whole, gathered: they fit any number of
    ranks.
    """

    WHOLE = whole.StateDictOptions(full_state_dict=True, cpu_offload=True)

    def __init__(self, args, device):
        super().__init__(args, device)
        fully_shard(self.model)
        self.optimizer = self._optimizer()

    def parallel(self):
        return self.model

    def state(self, rank):
        model, optimizer = whole.get_state_dict(self.model, self.optimizer, options=self.WHOLE)
        return {"model": model, "optimizer": optimizer} if rank == 0 else {}

    def load(self, content):
        whole.set_state_dict(self.model, self.optimizer, model_state_dict=content["model"],
                             optim_state_dict=content["optimizer"], options=self.WHOLE)


def resume(checkpoints, trained, rank):
    """Bring model and optimizer to the state of the checkpoint that rank 0 chose; the step they are at then."""
    if rank == 0:
        os.makedirs(checkpoints.directory, exist_ok=True)
        checkpoints.remove_unfinished()
    choice = [checkpoints.choose() if rank == 0 else None]
    dist.broadcast_object_list(choice, src=0)
    if not choice[0]:
        say("no checkpoint to resume from, starting at step 0")
        return 0
    content = checkpoints.load(choice[0])
    trained.load(content)
    say(f"resumed from {choice[0]} at step {content['step']}")
    return content["step"]


def train(args, rank, world, device):
    checkpoints = Checkpoints(args)
    trained = (Shards if args.sharded else Replica)(args, device)
    done = resume(checkpoints, trained, rank)
    parallel = trained.parallel()
    group = dist.new_group() if args.stall_how == "skip-group" else None
    for step in range(done + 1, args.steps + 1):
        began = time.monotonic()
        if args.stall_how and done == 0 and step == args.stall_at:
            stall(args, step, rank, world, group)
        inputs, targets = batch_of(step, rank, args, device)
        loss = nn.functional.mse_loss(parallel(inputs), targets)
        trained.optimizer.zero_grad()
        loss.backward()
        trained.optimizer.step()
        mean = loss.detach().double()
        dist.all_reduce(mean)
        say(f"step {step} loss {mean.item() / world!r}")
        if rank == 0 and done == 0 and step == args.ask_restart_at:  # a real script would look at its loss here
            before = f" before_step={args.ask_restart_before}" if args.ask_restart_before else ""
            say(f"REKINDLE restart{before}: asked for at step {step}")
        if step % args.checkpoint_every == 0 or step == args.steps:
            state = trained.state(rank)  # by all ranks: shards are gathered
            if rank == 0:
                checkpoints.save(step, state)
        time.sleep(max(0.0, args.step_seconds - (time.monotonic() - began)))


def main():
    args = arguments()
    # Ranks of a testbed share a few cores; a thread pool per process only makes them wait for each other.
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0"))) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo", timeout=datetime.timedelta(seconds=args.timeout_seconds))
    if not cuda:
        dump_on_request(dist.get_rank())
    # A peer that dies makes a collective raise: the process then ends with a traceback and exit code 1, which is what
    # the kubelet, the operator and Rekindle go by. SIGTERM is left alone: a rank that ended well on it would make the
    # job succeed.
    train(args, dist.get_rank(), dist.get_world_size(), device)
    say(f"done at step {args.steps}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
