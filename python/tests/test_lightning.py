"""Lightning's own Trainer on the CPU with the callback. Skipped where lightning is not installed."""

import contextlib
import importlib.util
import io
import logging
import tempfile
import unittest
import warnings

LIGHTNING = importlib.util.find_spec("lightning") or importlib.util.find_spec("pytorch_lightning")


@unittest.skipUnless(LIGHTNING, "lightning is not installed")
class LightningTest(unittest.TestCase):
    def train(self, epochs, **options):
        """What is printed of training with four batches in an epoch, and the steps that the Trainer has made."""
        # What lightning and what it imports warn of is not ours.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import torch

            try:
                import lightning.pytorch as trainers
            except ImportError:
                import pytorch_lightning as trainers
            from rekindle.lightning import StepCallback

            class Module(trainers.LightningModule):
                def __init__(self):
                    super().__init__()
                    self.layer = torch.nn.Linear(2, 1)

                def training_step(self, batch, _):
                    return self.layer(batch[0]).square().mean()

                def validation_step(self, batch, _):
                    self.log("loss", self.layer(batch[0]).square().mean())

                def configure_optimizers(self):
                    return torch.optim.SGD(self.parameters(), lr=0.1)

            def batches():
                return torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(8, 2)), batch_size=2)

            for name in ("lightning.pytorch", "pytorch_lightning", "lightning.fabric"):
                logging.getLogger(name).setLevel(logging.ERROR)
            out = io.StringIO()
            with tempfile.TemporaryDirectory() as directory, contextlib.redirect_stdout(out), \
                    contextlib.redirect_stderr(io.StringIO()):
                trainer = trainers.Trainer(
                    max_epochs=epochs, accelerator="cpu", devices=1, logger=False, enable_progress_bar=False,
                    enable_model_summary=False, default_root_dir=directory,
                    callbacks=[StepCallback(every_seconds=0)], **options)
                trainer.fit(Module(), batches(), batches())
            said = [line for line in out.getvalue().splitlines() if line.startswith("REKINDLE")]
            return said, trainer.global_step

    def test_should_say_each_step_as_lightning_makes_it(self):
        said, steps = self.train(2)
        self.assertEqual(8, steps)
        self.assertEqual([f"REKINDLE step {n}" for n in [*range(1, 9), 8]], said)

    def test_should_count_optimizer_steps_where_gradients_are_accumulated(self):
        said, steps = self.train(2, accumulate_grad_batches=2)
        self.assertEqual(4, steps)
        self.assertEqual([f"REKINDLE step {n}" for n in (1, 2, 3, 4, 4)], said)


if __name__ == "__main__":
    unittest.main()
