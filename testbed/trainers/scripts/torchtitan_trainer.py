"""torchtitan's debug model with saves and validation: 40 steps; or --resumed, 40 more with saves in the background.

Needs a GPU. What torchtitan's run_train.sh does, with a tokenizer and a data set that are made here.
"""

import json
import os
import random
import subprocess
import sys

import truth
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

WORDS = "one two three four five six seven eight nine ten".split()


def assets():
    """A tokenizer of single bytes, and texts."""
    os.makedirs("tokenizer", exist_ok=True)
    os.makedirs("texts", exist_ok=True)
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={letter: i for i, letter in enumerate(letters)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.save("tokenizer/tokenizer.json")
    with open("tokenizer/tokenizer_config.json", "w", encoding="ascii") as file:
        json.dump({"bos_token": "<s>", "eos_token": "</s>", "add_bos_token": True, "add_eos_token": True}, file)
    chance = random.Random(1)
    with open("texts/data.json", "w", encoding="ascii") as file:
        for _ in range(400):
            file.write(json.dumps({"text": " ".join(chance.choices(WORDS, k=120))}) + "\n")


def arguments(steps):
    return ["--model.name", "llama3", "--model.flavor", "debugmodel", "--model.hf_assets_path", "tokenizer",
            "--training.dataset", "c4_test", "--training.dataset_path", "texts", "--training.steps", str(steps),
            "--training.local_batch_size", "2", "--training.seq_len", "256", "--lr_scheduler.warmup_steps", "2",
            "--metrics.log_freq", "5", "--checkpoint.enable", "--checkpoint.interval", "10",
            "--checkpoint.no-last-save-model-only", "--job.dump_folder", "out"]


def main():
    from torchtitan import train

    made = train.Trainer.train_step

    def train_step(self, *given):
        made(self, *given)
        truth.step(self.step)

    train.Trainer.train_step = train_step
    train.main(train.Trainer)


if __name__ == "__main__":
    if "LOCAL_RANK" in os.environ:
        main()
    else:
        assets()
        more = arguments(40) + ["--validation.enable", "--validation.dataset", "c4_test",
                                "--validation.dataset_path", "texts", "--validation.freq", "20",
                                "--validation.steps", "3", "--validation.local_batch_size", "2",
                                "--validation.seq_len", "256"]
        run = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "1", "--rdzv-backend", "c10d",
               "--rdzv-endpoint", "localhost:0", "--local-ranks-filter", "0", "--role", "rank", "--tee", "3",
               os.path.realpath(__file__)]
        if "--resumed" in sys.argv:
            subprocess.run(run + more, env=dict(os.environ, STEPS=os.devnull), check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            more = arguments(80) + ["--checkpoint.async-mode", "async"]
        sys.exit(subprocess.run(run + more).returncode)
