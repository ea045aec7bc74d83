"""Makes checkpoints that are big enough to measure `rekindle inspect` on. Needs PyTorch, but for `zip`.

    python3 testbed/big_checkpoints.py metadata DIR   one folder: a .metadata of 384,000 pieces in 256 sparse files
    python3 testbed/big_checkpoints.py orbax DIR      one index of Orbax with 384,000 values; needs TensorStore instead
    python3 testbed/big_checkpoints.py many DIR       1,000 folders of 1,000 shards each, links to the files of one
    python3 testbed/big_checkpoints.py zip DIR        one sparse archive of 4.3 GB with 1,000 tensors
"""

import os
import pickle
import struct
import sys
import zlib

PIECE = 1_049_000


def metadata(folder, pieces, files):
    """A folder of torch.distributed.checkpoint, written by the classes of PyTorch itself."""
    import torch
    from torch.distributed.checkpoint import metadata as of
    from torch.distributed.checkpoint.filesystem import _StorageInfo

    os.makedirs(folder)
    tensors, storage, ends = {}, {}, [0] * files
    for tensor in range(pieces // 96):
        name = f"decoder.layers.{tensor}.mlp.experts.local_experts.linear_fc1.weight"
        chunks = [
            of.ChunkStorageMetadata(torch.Size([row * 128, 0]), torch.Size([128, 4096])) for row in range(96)
        ]
        size = torch.Size([96 * 128, 4096])
        tensors[name] = of.TensorStorageMetadata(of.TensorProperties(torch.bfloat16), size, chunks)
        for row in range(96):
            file = (tensor * 96 + row) % files
            key = of.MetadataIndex(name, torch.Size([row * 128, 0]), row)
            storage[key] = _StorageInfo(f"__{file}_0.distcp", ends[file], PIECE)
            ends[file] += PIECE
    for file, end in enumerate(ends):
        with open(f"{folder}/__{file}_0.distcp", "wb") as out:
            out.truncate(end)
            out.seek(end - 22)
            out.write(b"PK\5\6" + bytes(18))  # a shard of PyTorch ends with an archive
    with open(f"{folder}/.metadata", "wb") as out:
        pickle.dump(of.Metadata(state_dict_metadata=tensors, storage_data=storage), out)


def orbax(root, values):
    """The index of Orbax, written by TensorStore with Orbax's bound of a node."""
    import tensorstore

    folder = f"{root}/1/default"
    os.makedirs(folder)
    config = {"max_decoded_node_bytes": 100_000_000, "max_inline_value_bytes": 8}
    store = tensorstore.KvStore.open({"driver": "ocdbt", "base": f"file://{folder}/", "config": config}).result()
    with tensorstore.Transaction() as transaction:
        writer = store.with_transaction(transaction)
        for value in range(values):
            writer[f"params/layers/{value // 3000}/mlp/kernel/c/{value // 10 % 300}/{value}"] = bytes(20)
    with open(f"{root}/1/commit_success.txt", "w") as marker:
        marker.write("done")


def many(root):
    """Links, since what counts is the listing. A file may have 65,000 of them on ext4."""
    metadata(f"{root}/step-1", 1056, 1000)
    names = os.listdir(f"{root}/step-1")
    for step in range(2, 1001):
        os.mkdir(f"{root}/step-{step}")
        for name in names:
            os.link(f"{root}/step-1/{name}", f"{root}/step-{step}/{name}")


def archive(path, tensors=1000, size=4_300_000):
    """As torch.save writes it: stored, with a ZIP64 end."""
    with open(path, "wb") as out:
        at, central = 0, b""
        for number in range(tensors + 1):
            name = f"a/data/{number - 1}".encode() if number else b"a/data.pkl"
            data = b"" if number else b"\x80\x02}."
            length, crc = size if number else len(data), zlib.crc32(data)
            out.seek(at)
            head = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 0, crc, length, length, len(name), 0)
            out.write(b"PK\x03\x04" + head + name + data)
            big = at >= 0xFFFFFFFF
            extra = struct.pack("<HHQ", 1, 8, at) if big else b""
            central += b"PK\x01\x02" + struct.pack(
                "<HHHHHHIIIHHHHHII", 45, 45, 0, 0, 0, 0, crc, length, length,
                len(name), len(extra), 0, 0, 0, 0, 0xFFFFFFFF if big else at) + name + extra
            at += 30 + len(name) + length
        out.seek(at)
        out.write(central)
        end, count = at + len(central), tensors + 1
        out.write(struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count, len(central), at))
        out.write(struct.pack("<IIQI", 0x07064B50, 0, end, 1))
        out.write(struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, count, count, len(central), 0xFFFFFFFF, 0))


if __name__ == "__main__":
    kind, directory = sys.argv[1:]
    os.makedirs(directory)
    if kind == "zip":
        archive(f"{directory}/step-1.pt")
    elif kind == "many":
        many(directory)
    elif kind == "orbax":
        orbax(directory, 384_000)
    else:
        metadata(f"{directory}/step-1", 384_000, 256)
