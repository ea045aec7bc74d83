"""Composer's Trainer: three epochs of 30 batches with evaluation; lines, or with --bar its bar."""

import sys
import time

import torch
import truth
from composer import Callback, Trainer
from composer.models import ComposerModel


class Model(ComposerModel):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 1)

    def forward(self, batch):
        time.sleep(0.02)
        return self.layer(batch[0])

    def loss(self, outputs, batch, *_):
        return torch.nn.functional.mse_loss(outputs, batch[1])


class Truth(Callback):
    def batch_end(self, state, logger):
        truth.step(state.timestamp.batch.value)


def batches(count):
    return torch.utils.data.DataLoader([(torch.randn(8), torch.randn(1)) for _ in range(2 * count)], batch_size=2)


bar = "--bar" in sys.argv
model = Model()
Trainer(model=model, train_dataloader=batches(30), max_duration="3ep", device="cpu",
        optimizers=torch.optim.SGD(model.parameters(), lr=0.01), callbacks=[Truth()], progress_bar=bar,
        log_to_console=not bar, console_log_interval="5ba").fit()
