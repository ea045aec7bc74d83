"""Local checkpoints of nvidia-resiliency-ext: nvrx_local.py DIRECTORY STEP GENERATION; a file for each rank."""

import sys

import torch
import torch.distributed as dist
from nvidia_resiliency_ext.checkpointing.local.ckpt_managers.local_manager import LocalCheckpointManager
from nvrx_state import State

directory, step, generation = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
dist.init_process_group("cpu:gloo")
torch.manual_seed(step * 1000 + generation * 10 + dist.get_rank())
manager = LocalCheckpointManager(directory, session_id="session")
manager.save(State({"weight": torch.randn(16, 16)}), step, is_async=False)
dist.barrier()
dist.destroy_process_group()
