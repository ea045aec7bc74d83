"""Orbax's CheckpointManager: orbax_manager.py DIRECTORY STEP GENERATION [async]; several ranks share each array."""

import os
import sys

import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp
from jax.sharding import Mesh, NamedSharding, PartitionSpec

directory, step, generation = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
world = int(os.environ.get("WORLD_SIZE", "1"))
if world > 1:
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize("127.0.0.1:" + os.environ["MASTER_PORT"], world, int(os.environ["RANK"]))


def shared(shape):
    """An array of which each rank has a part; chunks of more than 1,024 bytes are not kept in the index."""
    numbers = np.random.default_rng(step * 1000 + generation).standard_normal(shape).astype("f4")
    ranks = NamedSharding(Mesh(np.array(jax.devices()), ("rank",)), PartitionSpec("rank"))
    return jax.make_array_from_callback(shape, ranks, lambda part: numbers[part])


if world > 1:
    state = {"w": shared((16, 64)), "b": shared((16,))}
else:
    key = jax.random.key(step * 1000 + generation)
    state = {"w": jax.random.normal(key, (16, 16)), "b": jnp.arange(16.0) + generation, "step": step}
options = ocp.CheckpointManagerOptions(enable_async_checkpointing="async" in sys.argv)
with ocp.CheckpointManager(directory, options=options) as manager:
    manager.save(step, args=ocp.args.StandardSave(state))
    manager.wait_until_finished()
