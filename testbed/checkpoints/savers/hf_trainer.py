"""Hugging Face Trainer: hf_trainer.py DIRECTORY STEP GENERATION [KEEP].

Trains a tiny GPT-2 from the newest checkpoint below STEP to STEP, which is saved as checkpoint-STEP; it keeps KEEP
checkpoints.
"""

import os
import re
import sys

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

directory, step, generation = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
keep = int(sys.argv[4]) if len(sys.argv) > 4 else None
torch.manual_seed(generation)
model = GPT2LMHeadModel(GPT2Config(vocab_size=16, n_positions=4, n_embd=4, n_layer=1, n_head=1,
                                   bos_token_id=0, eos_token_id=0))


class Data(torch.utils.data.Dataset):
    """Random tokens."""

    def __len__(self):
        return 64

    def __getitem__(self, at):
        tokens = torch.randint(0, 16, (4,))
        return {"input_ids": tokens, "labels": tokens}


arguments = TrainingArguments(directory,
                              max_steps=step,
                              save_steps=step,
                              save_total_limit=keep,
                              per_device_train_batch_size=1,
                              use_cpu=True,
                              report_to="none",
                              disable_tqdm=True,
                              seed=generation,
                              dataloader_num_workers=0,
                              logging_steps=step,
                              learning_rate=0.01)
steps = [int(m[1]) for m in map(re.compile(r"^checkpoint-(\d+)$").match, os.listdir(directory)) if m]
earlier = max((s for s in steps if s < step), default=None)
trainer = Trainer(model=model, args=arguments, train_dataset=Data())
trainer.train(resume_from_checkpoint=os.path.join(directory, "checkpoint-%d" % earlier) if earlier else None)
