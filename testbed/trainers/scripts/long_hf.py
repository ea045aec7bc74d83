"""Hugging Face's Trainer for minutes, with its bar, lines each 20 steps, evaluations and saves."""

import work
from transformers import Trainer, TrainerCallback, TrainingArguments


class Ends(TrainerCallback):
    def on_step_end(self, args, state, control, **kwargs):
        control.should_training_stop = control.should_training_stop or work.over()


arguments = TrainingArguments(
    "out", max_steps=200_000, per_device_train_batch_size=8, logging_steps=20, eval_strategy="steps", eval_steps=500,
    save_steps=400, save_total_limit=2, dataloader_num_workers=1, report_to=[], use_cpu=True)
Trainer(model=work.Model(), args=arguments, train_dataset=work.Batches(6_000), eval_dataset=work.Batches(1_200),
        callbacks=[Ends()]).train()
