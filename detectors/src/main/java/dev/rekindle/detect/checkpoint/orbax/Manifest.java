package dev.rekindle.detect.checkpoint.orbax;

import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.zstd.ZstdException;
import java.io.EOFException;
import java.io.IOException;
import java.util.Optional;

/** The manifest of a database of arrays (TensorStore, OCDBT storage format). */
final class Manifest {
  static final String NAME = "manifest.ocdbt";

  private static final int MAGIC = 0x0cdb3a2a;
  private static final int LONGEST = 64 * 1024 * 1024;
  private static final int IDENTITY = 16;
  private static final int LEVEL = 4;
  private static final int SINGLE = 0;
  private static final int UNCOMPRESSED = 0;
  private static final int MOST_VERSIONS = 1 << 16;

  private Manifest() {}

  /**
   * Where the newest version begins that the manifest of this folder names; empty where it names
   * none itself.
   *
   * @throws OcdbtException when it is not whole, or cannot be judged
   */
  static Optional<NodeRef> newest(Folder folder) throws IOException {
    try (var source = folder.open(NAME)) {
      if (source.size() > LONGEST) {
        throw OcdbtException.torn(Level.L3, NAME + " has " + source.size() + " bytes");
      }
      return newest(Framed.open(source, 0, source.size(), MAGIC, NAME));
    } catch (EOFException | ZstdException e) {
      throw OcdbtException.unknown(NAME + " cannot be read: " + e.getMessage());
    }
  }

  private static Optional<NodeRef> newest(Fields in) throws IOException {
    in.skip(IDENTITY);
    boolean hasVersions = in.number() == SINGLE;
    in.skipNumbers(2);
    in.oneByte();
    if (in.number() != UNCOMPRESSED) {
      in.skip(LEVEL);
    }
    if (!hasVersions) {
      // They are in manifests with numbers, which Orbax does not write.
      throw OcdbtException.unknown(NAME + " names no version itself");
    }
    var files = DataFiles.read(in, "");
    int versions = in.count(MOST_VERSIONS, "versions");
    if (versions == 0) {
      return Optional.empty();
    }
    in.skipNumbers(versions);
    int height = 0;
    for (int i = 0; i < versions; i++) {
      height = in.oneByte();
    }
    in.skipNumbers(versions - 1);
    int file = files.read(in);
    in.skipNumbers(versions - 1);
    long offset = in.number();
    in.skipNumbers(versions - 1);
    long length = in.number();
    return Optional.of(new NodeRef(files.path(file), files.base(file), offset, length, height))
        .filter(root -> !root.isMissing());
  }
}
