"""Lightning's Trainer for minutes, with its bar, validation each epoch and checkpoints."""

import lightning
import torch
import work
from lightning.pytorch.callbacks import ModelCheckpoint, TQDMProgressBar


class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.model = work.Model()

    def training_step(self, batch, _):
        loss = self.model(**batch)["loss"]
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, _):
        self.log("val_loss", self.model(**batch)["loss"], prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())


class Ends(lightning.Callback):
    def on_train_batch_end(self, trainer, *_):
        trainer.should_stop = trainer.should_stop or work.over()


def loader(count):
    return torch.utils.data.DataLoader(work.Batches(count), batch_size=8, num_workers=1)


trainer = lightning.Trainer(
    max_epochs=-1, accelerator="cpu", logger=False,
    callbacks=[TQDMProgressBar(refresh_rate=5), ModelCheckpoint("out", every_n_train_steps=250), Ends()])
trainer.fit(Module(), loader(4_800), loader(1_600))
