"""Local checkpoints of nvidia-resiliency-ext: nvrx_local.py DIRECTORY STEP GENERATION; each rank has a file of its own.

BasicTensorAwareStateDict wants CUDA tensors, so a state of CPU tensors is given instead.
"""

import sys

import torch
import torch.distributed as dist
from nvidia_resiliency_ext.checkpointing.local.base_state_dict import TensorAwareStateDict
from nvidia_resiliency_ext.checkpointing.local.ckpt_managers.local_manager import LocalCheckpointManager


class State(TensorAwareStateDict):
    """Tensors on the CPU."""

    def __init__(self, state):
        self.state = state

    def pop_tensors(self):
        out, self.state = list(self.state.values()), {}
        return out

    @property
    def tensors(self):
        return self.state.values()

    @property
    def is_hollow(self):
        return not self.state

    def insert_tensors(self, tensor_data):
        self.state = dict(enumerate(tensor_data))

    def init_tensors(self):
        pass

    def copy_tensors_to_cpu(self, non_blocking=False):
        pass

    def restore_tensor_device(self, non_blocking=True):
        pass

    def to_state_dict(self):
        return self.state

    def values(self):
        return self.state.values()


directory, step, generation = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
dist.init_process_group("cpu:gloo")
torch.manual_seed(step * 1000 + generation * 10 + dist.get_rank())
manager = LocalCheckpointManager(directory, session_id="session")
manager.save(State({"weight": torch.randn(16, 16)}), step, is_async=False)
dist.barrier()
dist.destroy_process_group()
