#!/usr/bin/env python3
"""Writes a database of TensorStore whose tree of keys has several levels, as a zip for OcdbtTreeTest.

  ocdbt_tree.py --out FILE

Orbax's own trees have one level, as its nodes may have 100 MB.
"""

import argparse
import os
import tempfile
import zipfile

import tensorstore


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as root, zipfile.ZipFile(options.out, "w", zipfile.ZIP_DEFLATED) as out:
        config = {"max_decoded_node_bytes": 600, "max_inline_value_bytes": 8}
        store = tensorstore.KvStore.open({"driver": "ocdbt", "base": "file://" + root + "/", "config": config}).result()
        with tensorstore.Transaction() as transaction:
            for key in range(300):
                name = "layer/%d/chunk/%d" % (key // 7, key)
                store.with_transaction(transaction)[name] = bytes([key % 256]) * (key % 40)
        for folder, _, files in os.walk(root):
            for name in sorted(files):
                path = os.path.join(folder, name)
                if os.path.getsize(path):
                    out.write(path, os.path.relpath(path, root))


if __name__ == "__main__":
    main()
