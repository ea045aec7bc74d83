"""How each library saves a tiny checkpoint into a folder, and loads it, in one process (see README.md)."""

import os
import re
import sys

import torch


def model():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.Linear(16, 4))


def alone(backend):
    """A group of this one process."""
    import torch.distributed as dist
    if not dist.is_initialized():
        dist.init_process_group(backend)


class Loader:
    """One library. packages are those whose versions are written down."""
    packages = ["torch"]

    def save(self, folder):
        raise NotImplementedError

    def load(self, folder):
        raise NotImplementedError


class TorchSave(Loader):

    def save(self, folder):
        torch.save({"model": model().state_dict(), "step": 10}, folder + "/step_10.pt")

    def load(self, folder):
        torch.load(folder + "/step_10.pt")


class Dcp(Loader):

    def save(self, folder):
        import torch.distributed.checkpoint as dcp
        dcp.save({"model": model().state_dict()}, checkpoint_id=folder + "/step_10")

    def load(self, folder):
        import torch.distributed.checkpoint as dcp
        dcp.load({"model": model().state_dict()}, checkpoint_id=folder + "/step_10")


class Safetensors(Loader):
    packages = ["torch", "safetensors"]

    def save(self, folder):
        from safetensors.torch import save_file
        save_file(model().state_dict(), folder + "/model-step-10.safetensors")

    def load(self, folder):
        from safetensors.torch import load_file
        load_file(folder + "/model-step-10.safetensors")


class Tokens(torch.utils.data.Dataset):
    """Random tokens."""

    def __len__(self):
        return 64

    def __getitem__(self, at):
        tokens = torch.randint(0, 16, (4,))
        return {"input_ids": tokens, "labels": tokens}


class HuggingFace(Loader):
    packages = ["torch", "transformers", "accelerate", "safetensors"]

    def trainer(self, folder, steps):
        from transformers import Trainer, TrainingArguments
        arguments = TrainingArguments(folder, max_steps=steps, save_steps=2, per_device_train_batch_size=1,
                                      use_cpu=True, report_to="none", disable_tqdm=True)
        return Trainer(model=self.model(), args=arguments, train_dataset=Tokens())

    def model(self):
        from transformers import GPT2Config, GPT2LMHeadModel
        return GPT2LMHeadModel(GPT2Config(vocab_size=16, n_positions=4, n_embd=4, n_layer=1, n_head=1,
                                          bos_token_id=0, eos_token_id=0))

    def save(self, folder):
        self.trainer(folder, 2).train()

    def load(self, folder):
        self.trainer(folder, 3).train(resume_from_checkpoint=folder + "/checkpoint-2")


class HuggingFaceSharded(HuggingFace):

    def save(self, folder):
        super().save(folder)
        os.remove(folder + "/checkpoint-2/model.safetensors")
        self.model().save_pretrained(folder + "/checkpoint-2", max_shard_size="1KB")


class Accelerate(Loader):
    packages = ["torch", "accelerate", "safetensors"]

    def accelerator(self):
        from accelerate import Accelerator
        accelerator, net = Accelerator(cpu=True), model()
        optimizer = torch.optim.AdamW(net.parameters())
        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda _: 1.0)
        net, optimizer, scheduler = accelerator.prepare(net, optimizer, scheduler)
        net(torch.randn(2, 16)).sum().backward()
        optimizer.step()
        return accelerator

    def save(self, folder):
        self.accelerator().save_state(folder + "/step_10")

    def load(self, folder):
        self.accelerator().load_state(folder + "/step_10")


class Lightning(Loader):
    packages = ["torch", "lightning"]

    def fit(self, steps, checkpoint=None):
        import lightning as L

        class Tiny(L.LightningModule):
            """A linear layer."""

            def __init__(self):
                super().__init__()
                self.layer = torch.nn.Linear(16, 16)

            def training_step(self, batch, _):
                return self.layer(batch).sum()

            def configure_optimizers(self):
                return torch.optim.AdamW(self.parameters())

        trainer = L.Trainer(max_steps=steps, accelerator="cpu", devices=1, logger=False, enable_checkpointing=False,
                            enable_progress_bar=False, enable_model_summary=False)
        trainer.fit(Tiny(), torch.utils.data.DataLoader(torch.randn(40, 16), batch_size=4), ckpt_path=checkpoint)
        return trainer

    def save(self, folder):
        self.fit(2).save_checkpoint(folder + "/epoch=0-step=2.ckpt")

    def load(self, folder):
        self.fit(3, folder + "/epoch=0-step=2.ckpt")


class DeepSpeed(Loader):
    packages = ["torch", "deepspeed"]
    tag = "global_step10"

    def engine(self):
        import deepspeed
        if not torch.distributed.is_initialized():
            deepspeed.init_distributed("gloo")
        net = model()
        engine, *_ = deepspeed.initialize(model=net, optimizer=torch.optim.AdamW(net.parameters()), config={
            "train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 2},
            "zero_allow_untested_optimizer": True})
        engine.backward(engine(torch.randn(2, 16)).sum())
        engine.step()
        return engine

    def save(self, folder):
        self.engine().save_checkpoint(folder, tag=self.tag)

    def load(self, folder):
        self.engine().load_checkpoint(folder, tag=self.tag)


class Megatron(Loader):
    packages = ["torch", "megatron-core"]

    def state(self):
        from megatron.core.dist_checkpointing import ShardedTensor
        return {"w": ShardedTensor.from_rank_offsets("w", torch.randn(16, 16), (0, 0, 1)), "iteration": 10}

    def save(self, folder):
        from megatron.core import dist_checkpointing
        torch.cuda.synchronize = lambda *_: None
        torch.cuda.current_device = lambda: "cpu"
        alone("cpu:gloo")
        os.mkdir(folder + "/iter_0000010")
        dist_checkpointing.save(self.state(), folder + "/iter_0000010")

    def load(self, folder):
        from megatron.core import dist_checkpointing
        dist_checkpointing.load(self.state(), folder + "/iter_0000010")


class Orbax(Loader):
    packages = ["jax", "orbax-checkpoint"]

    def save(self, folder):
        import jax.numpy as jnp
        import orbax.checkpoint as ocp
        with ocp.CheckpointManager(folder) as manager:
            manager.save(10, args=ocp.args.StandardSave({"w": jnp.ones((16, 16)), "step": 10}))

    def load(self, folder):
        import jax.numpy as jnp
        import orbax.checkpoint as ocp
        with ocp.CheckpointManager(folder) as manager:
            manager.restore(10, args=ocp.args.StandardRestore({"w": jnp.ones((16, 16)), "step": 10}))


class OrbaxBare(Orbax):

    def load(self, folder):
        import orbax.checkpoint as ocp
        with ocp.CheckpointManager(folder) as manager:
            manager.restore(10)


class NvrxLocal(Loader):
    packages = ["torch", "nvidia-resiliency-ext"]

    def manager(self, folder):
        from nvidia_resiliency_ext.checkpointing.local.ckpt_managers.local_manager import LocalCheckpointManager
        alone("cpu:gloo")
        return LocalCheckpointManager(folder, session_id="session")

    def save(self, folder):
        from nvrx_state import State
        self.manager(folder).save(State({"weight": torch.randn(16, 16)}), 10, is_async=False)

    def load(self, folder):
        manager = self.manager(folder)
        if manager.find_latest() >= 0:
            manager.load()


# The name of each: that of its class, with hyphens.
LOADERS = {re.sub(r"(?<!^)(?=[A-Z])", "-", one.__name__).lower(): one
           for one in vars(sys.modules[__name__]).values()
           if isinstance(one, type) and issubclass(one, Loader) and one is not Loader}
