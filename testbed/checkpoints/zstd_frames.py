#!/usr/bin/env python3
"""Compresses made-up contents with the reference library, as frames for ZstdInputStreamTest (see README.md).

  zstd_frames.py --out FILE      a zip of frames, and the length and SHA-256 of what is in each
"""

import argparse
import hashlib
import random
import struct
import zipfile

import zstandard

LEVELS = (-5, 1, 3, 9, 19)


def contents(random):
    """Contents by name: each uses another part of the format."""
    words = [bytes(random.choices(b"abcdefghij/._", k=random.randrange(2, 12))) for _ in range(60)]
    yield "empty", b""
    yield "one", b"x"
    yield "noise", random.randbytes(700)
    yield "zeros", bytes(400_000)
    yield "two-letters", bytes(random.choices(b"ab", k=2000))
    yield "skewed", bytes(random.choices(range(256), weights=[1 / (i + 1) ** 2 for i in range(256)], k=3000))
    yield "words", b"".join(random.choices(words, k=900))
    yield "keys", b"".join(b"params/layers/%d/kernel/c/%d/%d" % (i // 8, i % 7, i * i % 11) for i in range(3000))
    yield "floats", b"".join(struct.pack("<f", random.gauss(0, 1)) for _ in range(400))
    copies = bytearray(random.randbytes(300))
    while len(copies) < 280_000:
        back = random.randrange(1, len(copies) + 1)
        copies += copies[-back:][: random.randrange(3, 2000)] + random.randbytes(random.randrange(200) == 0)
    yield "copies", bytes(copies)


def frames(random):
    for name, content in contents(random):
        for level in LEVELS:
            whole = zstandard.ZstdCompressor(level=level, write_checksum=level % 2 == 1)
            yield "%s-%d" % (name, level), whole.compress(content), content
        # As a stream: no length in the header, and blocks that end anywhere.
        stream = zstandard.ZstdCompressor(level=3, write_content_size=False).compressobj()
        frame = b""
        for start in range(0, len(content), len(content) // 3 + 1):
            frame += stream.compress(content[start:start + len(content) // 3 + 1])
            frame += stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        yield name + "-stream", frame + stream.flush(), content
        parameters = zstandard.ZstdCompressionParameters.from_level(9, window_log=10)
        window = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
        yield name + "-window", window.compress(content) + window.flush(), content


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    sums = []
    with zipfile.ZipFile(options.out, "w") as out:
        for name, frame, content in frames(random.Random(1)):
            out.writestr(zipfile.ZipInfo(name), frame)
            sums.append("%s %d %s" % (name, len(content), hashlib.sha256(content).hexdigest()))
        out.writestr(zipfile.ZipInfo("sums"), "\n".join(sums) + "\n", zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()
