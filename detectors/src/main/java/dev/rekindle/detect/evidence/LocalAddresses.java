package dev.rekindle.detect.evidence;

import dev.rekindle.api.RankEvidence;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The IPv4 addresses of the network namespace of a process, from {@code /proc/PID/net/fib_trie}:
 * those of all its interfaces, also of a second network of the pod, which NCCL may use.
 */
final class LocalAddresses {
  /** A host with very many routes has more; its addresses are then not all known. */
  private static final int MOST_BYTES = 256 << 10;

  private static final int LONGEST = "255.255.255.255".length();

  private final Path proc;

  LocalAddresses(Path proc) {
    this.proc = proc;
  }

  /** Those of a process but the loopback's; none where it has ended. */
  List<String> of(long process) {
    List<String> found = new ArrayList<>();
    var leaf = "";
    for (var line : text(process).split("\n", -1)) {
      int mark = line.indexOf("|-- ");
      if (mark >= 0) {
        leaf = line.substring(mark + "|-- ".length()).strip();
      } else if (line.strip().equals("/32 host LOCAL")
          && leaf.length() <= LONGEST
          && !leaf.startsWith("127.")
          && !found.contains(leaf)
          && found.size() < RankEvidence.MOST_ADDRESSES) {
        // Each is there twice: in the table of the host and in the main one.
        found.add(leaf);
      }
    }
    return found;
  }

  private String text(long process) {
    try (var in = Files.newInputStream(proc.resolve(process + "/net/fib_trie"))) {
      return new String(in.readNBytes(MOST_BYTES), StandardCharsets.US_ASCII);
    } catch (IOException ended) {
      return "";
    }
  }
}
