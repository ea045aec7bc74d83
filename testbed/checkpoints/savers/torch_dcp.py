"""torch.distributed.checkpoint: torch_dcp.py DIRECTORY NAME GENERATION [sync|async|no-collectives|late|parts].

Tensors are sharded over the ranks, as under FSDP2; each rank writes two files. parts: model and optim are saves of
their own, in folders within NAME, one after the other. late: without collectives, and rank 1 begins when rank 0 is
done, as a slow rank may.
"""

import os
import sys

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Shard, distribute_tensor

directory, name, generation = sys.argv[1], sys.argv[2], int(sys.argv[3])
how = sys.argv[4] if len(sys.argv) > 4 else "sync"
dist.init_process_group("cpu:gloo")
mesh = init_device_mesh("cpu", (dist.get_world_size(),))
torch.manual_seed(sum(name.encode()) * 1000 + generation)
state = {
    "model": {str(i): distribute_tensor(torch.randn(16, 16), mesh, [Shard(0)]) for i in range(3)},
    "optimizer": {str(i): distribute_tensor(torch.randn(16, 16), mesh, [Shard(0)]) for i in range(3)},
    "train_state": {"step": torch.tensor(generation), "rng": torch.get_rng_state()[:64]},
}
path = os.path.join(directory, name)
writer = dcp.FileSystemWriter(path, thread_count=2)
if how == "parts":
    dcp.save({"model": state["model"]}, storage_writer=dcp.FileSystemWriter(os.path.join(path, "model")))
    dcp.save({"optim": state["optimizer"], "train_state": state["train_state"]},
             storage_writer=dcp.FileSystemWriter(os.path.join(path, "optim")))
elif how == "async":
    dcp.async_save(state, checkpoint_id=path, storage_writer=writer).result()
elif how in ("no-collectives", "late"):
    if how == "late" and dist.get_rank() == 1:
        dist.barrier()
    dcp.save(state, checkpoint_id=path, storage_writer=writer, use_collectives=False)
    if how == "late" and dist.get_rank() == 0:
        dist.barrier()
else:
    dcp.save(state, checkpoint_id=path, storage_writer=writer)
dist.barrier()
dist.destroy_process_group()
