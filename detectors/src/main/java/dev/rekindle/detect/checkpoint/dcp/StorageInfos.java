package dev.rekindle.detect.checkpoint.dcp;

import dev.rekindle.detect.pickle.PickleException;
import dev.rekindle.detect.pickle.PickleValues;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Of the pickle of a {@code Metadata} keeps where data is: each {@code _StorageInfo} has a relative
 * path, an offset and a length (torch/distributed/checkpoint/filesystem.py). Everything else
 * becomes null as soon as it is read, so that half a million entries need little memory.
 */
final class StorageInfos implements PickleValues {
  private static final String PACKAGE = "torch.distributed.checkpoint";

  private final Map<String, Long> ends = new HashMap<>();
  private long entries;

  /** Names of classes that mean something here, and the root that one of them makes. */
  private enum Known {
    STORAGE_INFO,
    METADATA,
    ROOT
  }

  private static final class Info {
    private @Nullable String path;
    private long offset = -1;
    private long length = -1;
  }

  private record State(Info of) {}

  /** How long each file must be at least: where the last piece in it ends. */
  Map<String, Long> ends() {
    return ends;
  }

  /** Pieces of data in all files. */
  long entries() {
    return entries;
  }

  /** Whether a value is the {@code Metadata} itself. */
  static boolean isMetadata(@Nullable Object value) {
    return value == Known.ROOT;
  }

  @Override
  public boolean takesObjects() {
    return true;
  }

  @Override
  public @Nullable Object dictionary(@Nullable Object below) {
    return below instanceof Info info && info.path == null ? new State(info) : null;
  }

  @Override
  public @Nullable Object list() {
    return null;
  }

  @Override
  public @Nullable Object tuple(List<@Nullable Object> values) {
    return null;
  }

  @Override
  public void append(@Nullable Object list, List<@Nullable Object> values) {}

  @Override
  public void put(@Nullable Object dictionary, @Nullable Object key, @Nullable Object value) {
    if (dictionary instanceof State(Info info)) {
      if ("relative_path".equals(key) && value instanceof String path) {
        info.path = path;
      } else if ("offset".equals(key) && value instanceof Long offset) {
        info.offset = offset;
      } else if ("length".equals(key) && value instanceof Long length) {
        info.length = length;
      }
    }
  }

  @Override
  public @Nullable Object global(String module, String name) {
    if (!module.startsWith(PACKAGE)) {
      return null;
    }
    return switch (name) {
      case "_StorageInfo" -> Known.STORAGE_INFO;
      case "Metadata" -> Known.METADATA;
      default -> null;
    };
  }

  @Override
  public @Nullable Object made(@Nullable Object callable, @Nullable Object arguments) {
    return callable == Known.STORAGE_INFO
        ? new Info()
        : callable == Known.METADATA ? Known.ROOT : null;
  }

  @Override
  public void build(@Nullable Object object, @Nullable Object state) throws PickleException {
    if (!(object instanceof Info info)) {
      return;
    }
    var path = info.path;
    // The sum may leave the range of numbers, and is negative then.
    if (path == null || info.offset < 0 || info.length < 0 || info.offset + info.length < 0) {
      throw new PickleException("a piece of data without its file, offset or length");
    }
    entries++;
    ends.merge(path, info.offset + info.length, Math::max);
  }
}
