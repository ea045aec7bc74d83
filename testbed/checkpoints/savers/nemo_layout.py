"""The layout of NeMo 2: nemo_layout.py DIRECTORY STEP GENERATION.

NeMo 2 itself does not run here. This follows its ModelCheckpoint
(nemo/lightning/pytorch/callbacks/model_checkpoint.py): rank 0 makes the marker NAME-unfinished beside the folder, a
barrier, weights/ by Megatron's dist_checkpointing, context/ by rank 0, a barrier, and rank 0 removes the marker.
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
    path = os.path.join(directory, "tiny--val_loss=1.50-step=%d-consumed_samples=%d.0-last" % (step, step * 4))
    marker = path + "-unfinished"
    if rank == 0:
        with open(marker, "w", encoding="ascii"):
            pass
    dist.barrier()
    if rank == 0:
        os.makedirs(os.path.join(path, "weights"), exist_ok=True)
    dist.barrier()
    dist_checkpointing.save({
        "module.weight": ShardedTensor.from_rank_offsets("module.weight", torch.randn(16, 16), (0, rank, world)),
        "global_step": step}, os.path.join(path, "weights"))
    if rank == 0:
        os.makedirs(os.path.join(path, "context"), exist_ok=True)
        for name, text in (("io.json", '{"generation": %d}' % generation), ("model.yaml",
                                                                            "generation: %d\n" % generation)):
            with open(os.path.join(path, "context", name), "w", encoding="ascii") as file:
                file.write(text)
    dist.barrier()
    if rank == 0:
        os.remove(marker)
    dist.barrier()
    dist.destroy_process_group()


# The writers are processes that import this script.
if __name__ == "__main__":
    main()
