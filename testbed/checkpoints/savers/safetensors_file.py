"""One safetensors file a step, as scripts without a framework write it: safetensors_file.py DIRECTORY STEP
GENERATION.
"""

import os
import sys

import torch
from safetensors.torch import save_file

directory, step, generation = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
torch.manual_seed(step * 1000 + generation)
model = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.Linear(16, 4))
save_file(model.state_dict(), os.path.join(directory, "model-step-%d.safetensors" % step), metadata={"format": "pt"})
