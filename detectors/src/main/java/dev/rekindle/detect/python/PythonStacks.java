package dev.rekindle.detect.python;

import dev.rekindle.api.RankEvidence.Frame;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Where the main threads of Python processes are: CPython 3.10 to 3.14, 64 bits, without anything
 * in the container and without stopping it. It reads the memory of the process as debuggers do,
 * some 10 KiB for a stack, and at most {@value LinuxMemory#MOST_BYTES} bytes of it.
 *
 * <p>A stack is the program's own word, and a weak one: it may be torn, as the process runs
 * meanwhile.
 */
public final class PythonStacks {
  /** {@code NSpid:} of {@code /proc/PID/status}: its numbers, from the node's to its own. */
  private static final Pattern OWN_NUMBER = Pattern.compile("(?m)^NSpid:.*\\s(\\d{1,10})$");

  private static final int MOST_STATUS = 16 << 10;

  private final Path proc;

  /**
   * Of the processes of this node.
   *
   * @param proc its proc file system
   */
  public PythonStacks(Path proc) {
    this.proc = proc;
  }

  /** The frames of the main thread, innermost first; empty where they cannot be read. */
  public List<Frame> of(long pid) {
    try {
      var files = MappedFile.interpreters(text(pid + "/maps", MappedFile.MOST_BYTES));
      if (files.isEmpty()) {
        return List.of();
      }
      try (var memory = new LinuxMemory(proc, pid)) {
        for (var file : files) {
          var symbols = ElfSymbols.at(memory, file.base());
          if (symbols.isPresent()) {
            var frames = PythonThread.frames(memory, symbols.get(), ownNumber(pid));
            if (!frames.isEmpty()) {
              return frames;
            }
          }
        }
      }
      return List.of();
    } catch (IOException ended) {
      // It has ended, or may not be read, or has changed meanwhile: then there is no stack.
      return List.of();
    }
  }

  private long ownNumber(long pid) throws IOException {
    var m = OWN_NUMBER.matcher(text(pid + "/status", MOST_STATUS));
    return m.find() ? Long.parseLong(m.group(1)) : pid;
  }

  private String text(String file, int most) throws IOException {
    try (var in = Files.newInputStream(proc.resolve(file))) {
      return new String(in.readNBytes(most), StandardCharsets.UTF_8);
    }
  }
}
