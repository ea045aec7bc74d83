"""torchtune's own recipe full_finetune_single_device: three epochs of 30 steps."""

import importlib.metadata
import runpy

from omegaconf import OmegaConf

# A recipe is a script, not a module; the package brings it along.
recipes = [file for file in importlib.metadata.files("torchtune") if file.name == "full_finetune_single_device.py"]
FullFinetuneRecipeSingleDevice = runpy.run_path(str(recipes[0].locate()))["FullFinetuneRecipeSingleDevice"]

config = OmegaConf.create({
    "output_dir": "out", "device": "cpu", "dtype": "fp32", "seed": 1, "shuffle": True, "batch_size": 2, "epochs": 3,
    "max_steps_per_epoch": None, "gradient_accumulation_steps": 1, "resume_from_checkpoint": False, "compile": False,
    "optimizer_in_bwd": False, "clip_grad_norm": None, "enable_activation_checkpointing": False,
    "enable_activation_offloading": False, "log_every_n_steps": 1, "log_peak_memory_stats": False,
    "model": {"_component_": "torchtune_parts.model"},
    "tokenizer": {"_component_": "torchtune_parts.Tokenizer"},
    "dataset": {"_component_": "torchtune_parts.Dataset"},
    "checkpointer": {"_component_": "torchtune_parts.Checkpointer"},
    "metric_logger": {"_component_": "torchtune_parts.Truth"},
    "optimizer": {"_component_": "torch.optim.AdamW", "lr": 1e-3},
    "loss": {"_component_": "torchtune.modules.loss.CEWithChunkedOutputLoss"},
})
recipe = FullFinetuneRecipeSingleDevice(cfg=config)
recipe.setup(cfg=config)
recipe.train()
recipe.cleanup()
