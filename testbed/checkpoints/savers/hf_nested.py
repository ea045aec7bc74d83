"""Folders of other libraries in a checkpoint-STEP: hf_nested.py DIRECTORY STEP GENERATION
fsdp|deepspeed|deepspeed-scheduler.

The Trainer under FSDP wants GPUs. This writes what it writes, in its order (transformers/trainer.py, _save_checkpoint,
and accelerate/utils/fsdp_utils.py with SHARDED_STATE_DICT): fsdp: pytorch_model_fsdp_0 and optimizer_0 by
torch.distributed.checkpoint; deepspeed: the weights, then global_stepSTEP and latest by DeepSpeed's engine itself. Then
the scheduler (DeepSpeed keeps its own: deepspeed-scheduler writes none), the random states of all ranks, and
trainer_state.json.
"""

import os
import sys

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from safetensors.torch import save_file
from torch.distributed.checkpoint.state_dict import get_model_state_dict, get_optimizer_state_dict
from torch.distributed.device_mesh import init_device_mesh
from transformers.trainer_callback import TrainerState

directory, step, generation, how = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
path = os.path.join(directory, "checkpoint-%d" % step)
torch.manual_seed(step * 1000 + generation)
model = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.Linear(16, 4))
optimizer = torch.optim.AdamW(model.parameters())


def fsdp():
    global optimizer
    from torch.distributed.fsdp import fully_shard
    dist.init_process_group("cpu:gloo")
    fully_shard(model, mesh=init_device_mesh("cpu", (dist.get_world_size(),)))
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.randn(2, 16)).sum().backward()
    optimizer.step()
    os.makedirs(path, exist_ok=True)
    dcp.save({"model": get_model_state_dict(model)},
             storage_writer=dcp.FileSystemWriter(os.path.join(path, "pytorch_model_fsdp_0")))
    dcp.save({"optimizer": get_optimizer_state_dict(model, optimizer)},
             storage_writer=dcp.FileSystemWriter(os.path.join(path, "optimizer_0")))


def deep_speed():
    import deepspeed
    deepspeed.init_distributed("gloo")
    engine, *_ = deepspeed.initialize(model=model, optimizer=optimizer, config={
        "train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 2}, "zero_allow_untested_optimizer": True})
    engine.backward(engine(torch.randn(2, 16)).sum())
    engine.step()
    engine.global_steps = step
    os.makedirs(path, exist_ok=True)
    if dist.get_rank() == 0:
        save_file(model.state_dict(), os.path.join(path, "model.safetensors"), metadata={"format": "pt"})
    dist.barrier()
    engine.save_checkpoint(path)


if how == "fsdp":
    fsdp()
else:
    deep_speed()
rank = dist.get_rank()
if rank == 0 and how != "deepspeed-scheduler":
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda _: 1.0) if how == "fsdp" else None
    torch.save(scheduler.state_dict() if scheduler else {"last_epoch": step}, os.path.join(path, "scheduler.pt"))
torch.save({"cpu": torch.get_rng_state()[:64]}, os.path.join(path, "rng_state_%d.pth" % rank))
if rank == 0:
    state = TrainerState()
    state.global_step = step
    state.save_to_json(os.path.join(path, "trainer_state.json"))
dist.barrier()
dist.destroy_process_group()
