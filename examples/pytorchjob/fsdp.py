#!/usr/bin/env python3
"""Sharded training (FSDP) that saves with torch.distributed.checkpoint (DCP), and resumes from what it is given.

A checkpoint is a folder, step-00000100, with the shards of every rank and, written last, the index `.metadata`. It is
written under a hidden name and renamed when all ranks are done, so it is there completely or not at all.

Rekindle sets REKINDLE_RESUME_FROM, REKINDLE_RESUME_STEP and REKINDLE_ATTEMPT; `rekindle` is the package in python/.
Settings are environment variables, see `setting`. Output: one line per step, `step 123 loss 2.302585092994046`.
"""

import datetime
import os
import re
import shutil
import time

import rekindle
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.fsdp import fully_shard


def setting(name, default):
    return type(default)(os.environ.get(name, default))


DIRECTORY = setting("CHECKPOINT_DIR", "/ckpt")
EVERY = setting("CHECKPOINT_EVERY", 10)
KEEP = setting("CHECKPOINT_KEEP", 3)
STEPS = setting("STEPS", 1000)
STEP_SECONDS = setting("STEP_SECONDS", 0.0)
TIMEOUT_SECONDS = setting("TIMEOUT_SECONDS", 600.0)
UNFINISHED = ".saving-"


def batch_of(step, rank, device):
    """Inputs and targets as a function of (step, rank): a resumed run sees what an undisturbed one would have seen."""
    generator = torch.Generator().manual_seed((step << 16) + rank)
    inputs = torch.randn(64, 16, generator=generator)
    return inputs.to(device), torch.sin(inputs[:, :8]).sum(1, keepdim=True).to(device)


class Training:
    """Model, optimizer and step; `dcp` asks it for its state, in shards, and gives it back."""

    def __init__(self, device):
        torch.manual_seed(1234)
        self.model = nn.Sequential(nn.Linear(16, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(),
                                   nn.Linear(128, 1)).to(device)
        fully_shard(self.model)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=0.001)
        self.step = 0

    def state_dict(self):
        model, optimizer = get_state_dict(self.model, self.optimizer)
        return {"model": model, "optimizer": optimizer, "step": self.step}

    def load_state_dict(self, state):
        set_state_dict(self.model, self.optimizer, model_state_dict=state["model"], optim_state_dict=state["optimizer"])
        self.step = state["step"]

    def train(self, step, rank, device):
        inputs, targets = batch_of(step, rank, device)
        loss = nn.functional.mse_loss(self.model(inputs), targets)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.step = step
        mean = loss.detach().double()
        dist.all_reduce(mean)
        return mean.item() / dist.get_world_size()


def checkpoints():
    """(step, path) of each that is there."""
    names = (re.fullmatch(r"step-(\d+)", name) for name in os.listdir(DIRECTORY))
    return sorted((int(name[1]), os.path.join(DIRECTORY, name[0])) for name in names if name)


def attempt_of(path):
    """The attempt that is written into a checkpoint; nothing else of it is read."""
    content = {"attempt": ""}
    dcp.load(content, checkpoint_id=path, no_dist=True)
    return content["attempt"]


def resume(training, rank):
    """Rank 0 decides, for all. What does not load is an error, and ends the script: Rekindle goes one back."""
    chosen = [None]
    if rank == 0:
        os.makedirs(DIRECTORY, exist_ok=True)
        for name in os.listdir(DIRECTORY):
            if name.startswith(UNFINISHED):
                shutil.rmtree(os.path.join(DIRECTORY, name))
        chosen = [rekindle.resume_path(checkpoints(), attempt_of)]
    dist.broadcast_object_list(chosen, src=0)
    if chosen[0]:
        dcp.load({"training": training}, checkpoint_id=chosen[0])
        print(f"resumed from {chosen[0]} at step {training.step}", flush=True)


def save(training, rank):
    """By all ranks: each writes its shards. The index comes last, then the name."""
    name = f"step-{training.step:08d}"
    unfinished = os.path.join(DIRECTORY, UNFINISHED + name)
    dcp.save({"training": training, "attempt": rekindle.attempt()}, checkpoint_id=unfinished)
    if rank != 0:
        return
    path = os.path.join(DIRECTORY, name)
    shutil.rmtree(path, ignore_errors=True)  # of a course that this training went back from
    os.rename(unfinished, path)
    print(f"saved {path}", flush=True)
    ours = [
        old for step, old in checkpoints() if step <= training.step and old != os.environ.get("REKINDLE_RESUME_FROM")
    ]
    for old in ours[:-KEEP]:
        shutil.rmtree(old)


def main():
    torch.set_num_threads(setting("OMP_NUM_THREADS", 1))
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", setting("LOCAL_RANK", 0)) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("cuda:nccl,cpu:gloo" if cuda else "gloo",
                            timeout=datetime.timedelta(seconds=TIMEOUT_SECONDS))
    rank = dist.get_rank()
    training = Training(device)
    resume(training, rank)
    for step in range(training.step + 1, STEPS + 1):
        began = time.monotonic()
        print(f"step {step} loss {training.train(step, rank, device)!r}", flush=True)
        if step % EVERY == 0 or step == STEPS:
            save(training, rank)
        time.sleep(max(0.0, STEP_SECONDS - (time.monotonic() - began)))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
