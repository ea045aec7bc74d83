"""Hugging Face's Trainer: 60 steps, an evaluation at 30 and at the end, a save at 40."""

import sys
import time

import torch
import truth
from transformers import Trainer, TrainerCallback, TrainingArguments


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 1)

    def forward(self, x, labels):
        time.sleep(0.02)
        out = self.layer(x).squeeze(-1)
        return {"loss": torch.nn.functional.mse_loss(out, labels), "logits": out}


class Truth(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        truth.step(state.global_step)


data = [{"x": torch.randn(8), "labels": torch.randn(())} for _ in range(64)]
arguments = TrainingArguments(
    "out", max_steps=60, per_device_train_batch_size=2, logging_steps=10, eval_strategy="steps", eval_steps=30,
    save_steps=40, report_to=[], use_cpu=True, disable_tqdm="--no-bar" in sys.argv)
Trainer(model=Model(), args=arguments, train_dataset=data, eval_dataset=data[:32], callbacks=[Truth()]).train()
