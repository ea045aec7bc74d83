package dev.rekindle.detect.python;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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

  /** Where the main thread is; {@link MainStack#UNKNOWN} where that cannot be read. */
  public MainStack of(long pid) {
    try {
      var files = MappedFile.interpreters(text(pid + "/maps", MappedFile.MOST_BYTES));
      if (files.isEmpty()) {
        return MainStack.UNKNOWN;
      }
      try (var memory = new LinuxMemory(proc, pid)) {
        for (var file : files) {
          var symbols = ElfSymbols.at(memory, file.base());
          if (symbols.isPresent()) {
            var thread = PythonThread.read(memory, symbols.get(), ownNumber(pid));
            if (!thread.frames().isEmpty()) {
              return thread;
            }
          }
        }
      }
      return MainStack.UNKNOWN;
    } catch (IOException ended) {
      // It has ended, or may not be read, or has changed meanwhile: then there is no stack.
      return MainStack.UNKNOWN;
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
