"""A small transformer and its batches: steps that take as long as the machine needs, and no sleep in them."""

import os
import time

import torch

STARTED = time.monotonic()
SECONDS = float(os.environ.get("TRAIN_SECONDS", "600"))
LENGTH = 48
WORDS = 256


def over():
    """Whether this job has trained for as long as it was given."""
    return time.monotonic() - STARTED > SECONDS


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(WORDS, 96)
        layer = torch.nn.TransformerEncoderLayer(96, 4, 192, dropout=0.0, batch_first=True)
        self.layers = torch.nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
        self.out = torch.nn.Linear(96, WORDS)

    def forward(self, x, labels):
        logits = self.out(self.layers(self.words(x)))
        return {"loss": torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten()), "logits": logits}


class Batches(torch.utils.data.Dataset):
    """Sequences that count up from a random word."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        words = (torch.arange(LENGTH + 1) + int(torch.randint(WORDS, ()))) % WORDS
        return {"x": words[:-1], "labels": words[1:]}
