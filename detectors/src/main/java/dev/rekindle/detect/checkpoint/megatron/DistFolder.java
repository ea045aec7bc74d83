package dev.rekindle.detect.checkpoint.megatron;

import dev.rekindle.detect.checkpoint.dcp.DcpFolder;
import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Folder;
import dev.rekindle.detect.checkpoint.files.Names;
import dev.rekindle.detect.checkpoint.format.Level;
import dev.rekindle.detect.checkpoint.format.Verdict;
import dev.rekindle.detect.checkpoint.json.Json;
import dev.rekindle.detect.checkpoint.json.JsonException;
import dev.rekindle.detect.checkpoint.torch.TorchSave;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A folder of {@code torch_dist}, {@code torch_dcp} or {@code fsdp_dtensor}: one of
 * torch.distributed.checkpoint. The first has {@code common.pt} beside it and writes {@code
 * metadata.json} after it (megatron/core/dist_checkpointing).
 */
final class DistFolder {
  static final String MARKER = "metadata.json";
  static final String COMMON = "common.pt";

  private static final String BACKEND = "torch_dist";
  private static final int MOST_BYTES = 1 << 20;

  private DistFolder() {}

  static Verdict judge(Folder folder, boolean markersAreWritten, Level upTo) throws IOException {
    var common = folder.entry(COMMON);
    var marker = folder.entry(MARKER).filter(Entry::isFile);
    if (marker.isEmpty() && (common.isPresent() || markersAreWritten)) {
      return Verdict.torn(Level.L1, MARKER + " is missing: it is written after the shards");
    }
    if (marker.isPresent()) {
      var fault = markerFault(folder);
      if (fault != null) {
        return fault;
      }
      if (common.isEmpty()) {
        return Verdict.torn(Level.L2, COMMON + " is missing");
      }
      var ofCommon = TorchSave.judge(folder, common.get(), upTo);
      if (!ofCommon.isValid()) {
        return ofCommon.in(COMMON);
      }
    }
    var ofShards = DcpFolder.judge(folder);
    return ofShards.isValid() && upTo == Level.L4 ? Integrity.judge(folder, ofShards) : ofShards;
  }

  private static @Nullable Verdict markerFault(Folder folder) throws IOException {
    Map<String, @Nullable Object> read;
    try {
      read = Json.object(ByteBuffer.wrap(folder.read(MARKER, MOST_BYTES)), 1_000);
    } catch (JsonException e) {
      return Verdict.torn(Level.L1, MARKER + ": " + e.getMessage());
    }
    var backend = read.get("sharded_backend");
    return BACKEND.equals(backend)
        ? null
        : Verdict.unknown(
            Level.L1,
            "its backend is " + Names.printable(String.valueOf(backend)) + ", not judged");
  }
}
