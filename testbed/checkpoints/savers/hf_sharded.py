"""Hugging Face save_pretrained in shards: hf_sharded.py DIRECTORY STEP GENERATION [safetensors|bin].

Writes checkpoint-STEP in the order of the Trainer (weights, optimizer, scheduler, rng, trainer_state.json); for shards
the Trainer itself needs a model above 5 GB (50 GB since version 5). Bin shards are written as transformers 4 did.
"""

import json
import os
import sys

import torch
from transformers import GPT2Config, GPT2LMHeadModel
from transformers.trainer_callback import TrainerState

directory, step, generation = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
how = sys.argv[4] if len(sys.argv) > 4 else "safetensors"
torch.manual_seed(step * 1000 + generation)
model = GPT2LMHeadModel(GPT2Config(vocab_size=16, n_positions=4, n_embd=4, n_layer=1, n_head=1,
                                   bos_token_id=0, eos_token_id=0))
optimizer = torch.optim.AdamW(model.parameters())
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1.0)
path = os.path.join(directory, "checkpoint-%d" % step)
os.makedirs(path, exist_ok=True)
if how == "safetensors":
    model.save_pretrained(path, max_shard_size="1KB")
else:
    model.config.save_pretrained(path)
    names = list(model.state_dict())
    parts = [names[:len(names) // 2], names[len(names) // 2:]]
    weight_map = {}
    for number, part in enumerate(parts, 1):
        file = "pytorch_model-%05d-of-%05d.bin" % (number, len(parts))
        torch.save({name: model.state_dict()[name].clone() for name in part}, os.path.join(path, file))
        weight_map.update({name: file for name in part})
    with open(os.path.join(path, "pytorch_model.bin.index.json"), "w", encoding="utf-8") as index:
        json.dump({"metadata": {"total_size": 1}, "weight_map": weight_map}, index, indent=2)
torch.save(optimizer.state_dict(), os.path.join(path, "optimizer.pt"))
torch.save(scheduler.state_dict(), os.path.join(path, "scheduler.pt"))
torch.save({"cpu": torch.get_rng_state()}, os.path.join(path, "rng_state.pth"))
state = TrainerState()
state.global_step = step
state.save_to_json(os.path.join(path, "trainer_state.json"))
