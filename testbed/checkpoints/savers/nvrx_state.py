"""What LocalCheckpointManager saves, of tensors on the CPU: BasicTensorAwareStateDict wants CUDA tensors."""

from nvidia_resiliency_ext.checkpointing.local.base_state_dict import TensorAwareStateDict


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
