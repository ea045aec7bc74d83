#!/usr/bin/env python3
"""Hugging Face's Trainer, data-parallel, that saves as it always does and resumes from what it is given.

The Trainer writes into the final folder, checkpoint-100, `trainer_state.json` last; what a kill leaves is a folder
without it. It would resume from the highest number without a look whether that is whole.

Rekindle sets REKINDLE_RESUME_FROM, REKINDLE_RESUME_STEP and REKINDLE_ATTEMPT; `rekindle` is the package in python/.
Settings are environment variables, see `setting`. The model is a tiny GPT-2 made from a config: nothing is downloaded.
"""

import os
import time

import torch
from rekindle.huggingface import StepCallback, resume_path
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments


def setting(name, default):
    return type(default)(os.environ.get(name, default))


class Tokens(torch.utils.data.Dataset):
    """Sample n is a function of n alone, and the Trainer skips those that a checkpoint has seen."""

    def __len__(self):
        return 1 << 20

    def __getitem__(self, n):
        tokens = torch.arange(n, n + 16) * 7 % 61
        return {"input_ids": tokens, "labels": tokens}


class Pace(TrainerCallback):
    """Lets no step be shorter than STEP_SECONDS, as a bigger model would."""

    def on_step_begin(self, args, state, control, **kwargs):
        self.began = time.monotonic()

    def on_step_end(self, args, state, control, **kwargs):
        time.sleep(max(0.0, setting("STEP_SECONDS", 0.0) - (time.monotonic() - self.began)))


def main():
    os.environ.setdefault("LOCAL_RANK", "0")  # one rank in a pod: the training operator sets RANK and WORLD_SIZE alone
    torch.set_num_threads(setting("OMP_NUM_THREADS", 1))
    every = setting("CHECKPOINT_EVERY", 10)
    arguments = TrainingArguments(
        setting("CHECKPOINT_DIR", "/ckpt"),
        max_steps=setting("STEPS", 1000),
        save_steps=every,
        save_total_limit=setting("CHECKPOINT_KEEP", 3),
        logging_steps=1,
        logging_nan_inf_filter=False,  # the default prints an older loss instead of NaN, which hides it
        ignore_data_skip=False,
        per_device_train_batch_size=4,
        learning_rate=0.001,
        use_cpu=not torch.cuda.is_available(),
        ddp_backend="nccl" if torch.cuda.is_available() else "gloo",
        ddp_timeout=setting("TIMEOUT_SECONDS", 600),
        disable_tqdm=True,  # a bar without line breaks reaches the log late; steps are said by the callback
        report_to="none",
    )
    torch.manual_seed(1234)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=61, n_positions=16, n_embd=32, n_layer=2, n_head=2, bos_token_id=0,
                                       eos_token_id=0))
    trainer = Trainer(model=model,
                      args=arguments,
                      train_dataset=Tokens(),
                      callbacks=[Pace(), StepCallback(every_seconds=0)])
    trainer.train(resume_from_checkpoint=resume_path(arguments.output_dir))


if __name__ == "__main__":
    main()
