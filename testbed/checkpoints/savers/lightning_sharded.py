"""Lightning's sharded checkpoints: lightning_sharded.py DIRECTORY STEP GENERATION.

FSDPStrategy and ModelParallelStrategy want GPUs, so their save_checkpoint is followed here with Lightning's own
functions: the folder, a distributed checkpoint into it by all ranks, then meta.pt by rank 0.
"""

import os
import sys

import torch
import torch.distributed as dist
from lightning.fabric.strategies.fsdp import _METADATA_FILENAME, _distributed_checkpoint_save
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Shard, distribute_tensor

directory, step, generation = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
dist.init_process_group("cpu:gloo")
mesh = init_device_mesh("cpu", (dist.get_world_size(),))
torch.manual_seed(step * 1000 + generation)
path = os.path.join(directory, "epoch=0-step=%d.ckpt" % step)
os.makedirs(path, exist_ok=True)
state = {"state_dict": {str(i): distribute_tensor(torch.randn(16, 16), mesh, [Shard(0)]) for i in range(2)}}
_distributed_checkpoint_save(state, path)
if dist.get_rank() == 0:
    torch.save({"epoch": 0, "global_step": step, "loops": {}}, os.path.join(path, _METADATA_FILENAME))
dist.barrier()
dist.destroy_process_group()
