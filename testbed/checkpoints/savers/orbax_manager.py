"""Orbax's CheckpointManager: orbax_manager.py DIRECTORY STEP GENERATION [async]."""

import sys

import jax
import jax.numpy as jnp
import orbax.checkpoint as ocp

directory, step, generation = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
key = jax.random.key(step * 1000 + generation)
state = {"w": jax.random.normal(key, (16, 16)), "b": jnp.arange(16.0) + generation, "step": step}
options = ocp.CheckpointManagerOptions(enable_async_checkpointing="async" in sys.argv)
with ocp.CheckpointManager(directory, options=options) as manager:
    manager.save(step, args=ocp.args.StandardSave(state))
    manager.wait_until_finished()
