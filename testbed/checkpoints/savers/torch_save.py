"""torch.save of one file a step: torch_save.py DIRECTORY STEP GENERATION [rename|legacy|rotate]."""

import os
import sys

import torch

directory, step, generation = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
how = sys.argv[4] if len(sys.argv) > 4 else "plain"
torch.manual_seed(step * 1000 + generation)
model = torch.nn.Linear(16, 16)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
model(torch.randn(4, 16)).sum().backward()
optimizer.step()
state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
path = os.path.join(directory, "step-%08d.pt" % step)
if how == "rename":
    torch.save(state, path + ".tmp")
    os.replace(path + ".tmp", path)
elif how == "legacy":
    torch.save(state, path, _use_new_zipfile_serialization=False)
else:
    torch.save(state, path)
if how == "rotate":
    for name in sorted(os.listdir(directory))[:-1]:
        os.remove(os.path.join(directory, name))
