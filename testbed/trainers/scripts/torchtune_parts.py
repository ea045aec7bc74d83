"""What torchtune's recipe is put together from, small enough for a CPU."""

import random
import time

import torch
import truth
from torchtune.models.llama2 import llama2

WORDS = 64


def model():
    return llama2(vocab_size=WORDS, num_layers=1, num_heads=2, num_kv_heads=2, embed_dim=16, max_seq_len=32)


class Tokenizer:
    pad_id = 0


class Dataset(torch.utils.data.Dataset):
    def __init__(self, tokenizer):
        self.rows = [[random.randrange(1, WORDS) for _ in range(16)] for _ in range(60)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        time.sleep(0.02)
        return {"tokens": self.rows[index], "labels": self.rows[index]}


class Checkpointer:
    def __init__(self, should_load_recipe_state=False):
        self.output = None

    def load_checkpoint(self):
        return {"model": model().state_dict()}

    def save_checkpoint(self, *_, **__):
        """Nothing is kept."""


class Truth:
    """A metric logger: the recipe calls it after each step."""

    def log_config(self, config):
        """Nothing is kept."""

    def log_dict(self, payload, step):
        truth.step(step)

    def close(self):
        """Nothing is open."""
