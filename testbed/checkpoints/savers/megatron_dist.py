"""Megatron: megatron_dist.py DIRECTORY STEP GENERATION [verify].

Shards are written by megatron.core.dist_checkpointing (torch_dist). The folder's name, common state and tracker are
written as megatron/training/checkpointing.py does, which is not in the package: iter_%07d, a barrier, then the tracker
by rank 0.
"""

import os
import sys

import torch
import torch.distributed as dist
from megatron.core import dist_checkpointing
from megatron.core.dist_checkpointing import ShardedTensor


def main():
    directory, step, generation = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    # There is no GPU to wait for, and flags are exchanged on the CPU.
    torch.cuda.synchronize = lambda *_: None
    torch.cuda.current_device = lambda: "cpu"
    dist.init_process_group("cpu:gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(step * 1000 + generation * 10 + rank)
    state = {"layer.weight": ShardedTensor.from_rank_offsets("layer.weight", torch.randn(16, 16), (0, rank, world)),
             "layer.bias": ShardedTensor.from_rank_offsets("layer.bias", torch.randn(16), (0, rank, world)),
             "iteration": step, "args": {"tensor_model_parallel_size": 1}}
    path = os.path.join(directory, "iter_%07d" % step)
    if rank == 0:
        os.makedirs(path, exist_ok=True)
    dist.barrier()
    dist_checkpointing.save(state, path)
    dist.barrier()
    if rank == 0:
        with open(os.path.join(directory, "latest_checkpointed_iteration.txt"), "w", encoding="ascii") as tracker:
            tracker.write(str(step))
    dist.barrier()
    dist.destroy_process_group()


# The writers are processes that import this script.
if __name__ == "__main__":
    main()
