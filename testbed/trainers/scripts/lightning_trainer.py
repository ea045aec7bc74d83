"""Lightning's Trainer: three epochs of 30 steps with validation; lightning_trainer.py tqdm|rich."""

import sys
import time

import lightning
import torch
import truth
from lightning.pytorch.callbacks import RichProgressBar, TQDMProgressBar


class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 1)

    def loss(self, batch):
        time.sleep(0.02)
        return torch.nn.functional.mse_loss(self.layer(batch[0]), batch[1])

    def training_step(self, batch, _):
        loss = self.loss(batch)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, _):
        self.log("val_loss", self.loss(batch), prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


class Truth(lightning.Callback):
    def on_train_batch_end(self, trainer, *_):
        truth.step(trainer.global_step)


def batches(count):
    return torch.utils.data.DataLoader([(torch.randn(8), torch.randn(1)) for _ in range(2 * count)], batch_size=2)


bar = RichProgressBar(refresh_rate=5) if sys.argv[1] == "rich" else TQDMProgressBar(refresh_rate=5)
trainer = lightning.Trainer(
    max_epochs=3, accelerator="cpu", logger=False, enable_checkpointing=False, callbacks=[bar, Truth()])
trainer.fit(Module(), batches(30), batches(6))
