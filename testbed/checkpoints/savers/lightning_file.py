"""Lightning's ModelCheckpoint, one file: lightning_file.py DIRECTORY STEP GENERATION [copy|link].

Trains from the newest checkpoint below STEP to STEP; save_last copies the newest to last.ckpt, or links it. fsspec
writes to the folder of temporary files, which is on another file system than a volume, and moves the file from there.
"""

import os
import re
import shutil
import sys
import tempfile

import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint

tempfile.tempdir = "/dev/shm"
# By write, as sendfile would leave its bytes in a file that is gone when the trace is read.
shutil._USE_CP_SENDFILE = False
directory, step, generation = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
last = {"link": "link", "copy": True}.get(sys.argv[4] if len(sys.argv) > 4 else "")


class Tiny(L.LightningModule):
    """A linear layer."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(16, 16)

    def training_step(self, batch, _):
        return self.layer(batch).sum()

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())


L.seed_everything(generation)
callback = ModelCheckpoint(directory,
                           filename="{epoch}-{step}",
                           every_n_train_steps=step,
                           save_top_k=-1,
                           save_last=last)
trainer = L.Trainer(max_steps=step,
                    accelerator="cpu",
                    devices=1,
                    logger=False,
                    callbacks=[callback],
                    default_root_dir=directory,
                    enable_progress_bar=False,
                    enable_model_summary=False)
files = {int(m[1]): m[0] for m in map(re.compile(r"^epoch=\d+-step=(\d+)\.ckpt$").match, os.listdir(directory)) if m}
earlier = max((s for s in files if s < step), default=None)
trainer.fit(Tiny(), torch.utils.data.DataLoader(torch.randn(400, 16), batch_size=4),
            ckpt_path=os.path.join(directory, files[earlier]) if earlier else None)
