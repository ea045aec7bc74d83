"""One rank of torchtitan's debug model that hangs, for nccl_hangs.py: torchtitan as it is, with a fault in one rank.

Needs torchtitan 0.2, which reads its own settings: where dumps go and how much a recorder keeps are torchtitan's
options, whatever the environment of its process says.
"""

import os
import subprocess
import sys
import time

SCRIPTS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "trainers", "scripts")
PARALLEL = {
    "fsdp": ["--parallelism.data-parallel-shard-degree", "4"],
    "hsdp": ["--parallelism.data-parallel-replicate-degree", "2", "--parallelism.data-parallel-shard-degree", "2"],
    "tensor": ["--parallelism.data-parallel-shard-degree", "2", "--parallelism.tensor-parallel-degree", "2"],
    "pipeline": ["--parallelism.pipeline-parallel-degree", "4", "--parallelism.pipeline-parallel-schedule", "1F1B"],
}


def assets(directory):
    """A tokenizer and texts, made in a process of its own: the ranks are forks of this one."""
    subprocess.run([sys.executable, "-c", "import torchtitan_trainer; torchtitan_trainer.assets()"], cwd=directory,
                   env=dict(os.environ, PYTHONPATH=os.pathsep.join([SCRIPTS, os.environ.get("PYTHONPATH", "")])),
                   check=True)


def arguments(plan, directory, steps):
    patience = "10" if plan.watchdog else "600"
    return ["torchtitan", "--model.name", "llama3", "--model.flavor", "debugmodel",
            "--model.hf_assets_path", f"{directory}/tokenizer", "--training.dataset", "c4_test",
            "--training.dataset_path", f"{directory}/texts", "--training.steps", str(steps),
            "--training.local_batch_size", "4", "--training.seq_len", "128", "--lr_scheduler.warmup_steps", "2",
            "--metrics.log_freq", str(plan.sync or 100), "--job.dump_folder", directory,
            "--comm.save_traces_folder", "dumps", "--comm.init_timeout_seconds", "600",
            "--comm.train_timeout_seconds", patience, *PARALLEL[plan.parallel]]


def train(plan, rank, directory, fault, steps):
    """It is a fork of a process that has imported torch and done nothing with it."""
    import torch

    sys.argv = arguments(plan, directory, steps)  # they are read as it is imported
    from torchtitan import train as torchtitan
    from torchtitan.hf_datasets.text_datasets import HuggingFaceTextDataset
    from torchtitan.models.llama3.model.model import TransformerBlock

    forward, one_step, items = TransformerBlock.forward, torchtitan.Trainer.train_step, HuggingFaceTextDataset.__iter__
    at = {"layer": 0}

    def faulty_forward(self, *given, **named):
        layer, at["layer"] = at["layer"], at["layer"] + 1
        fault.strike(fault.step, layer, torch)
        return forward(self, *given, **named)

    def noted_step(self, *given):
        fault.step, at["layer"] = self.step, 0
        if self.step == plan.step:
            open(f"{directory}/at-fault-{rank}", "w").close()
        if plan.slow and fault.mine:
            time.sleep(0.2)
        one_step(self, *given)

    def faulty_items(self):
        for item in items(self):
            if plan.kind == "loader" and fault.mine and fault.step >= plan.step:
                time.sleep(1e6)
            yield item

    TransformerBlock.forward, torchtitan.Trainer.train_step = faulty_forward, noted_step
    HuggingFaceTextDataset.__iter__ = faulty_items
    torchtitan.main(torchtitan.Trainer)
    open(f"{directory}/over-{rank}", "w").close()
    time.sleep(1e6)
