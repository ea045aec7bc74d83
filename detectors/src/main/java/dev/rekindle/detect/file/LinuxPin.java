package dev.rekindle.detect.file;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * {@code open(2)} with {@code O_PATH}: that has no effect on a file, whatever it is. The file is
 * read through {@code /proc/self/fd}, where its name leads to it and to nothing else.
 */
final class LinuxPin implements Pin {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

  private static final int O_CLOEXEC = 0x80000;
  private static final int O_PATH = 0x200000;

  private static final int ENOENT = 2;
  private static final int EACCES = 13;
  private static final int ENOTDIR = 20;

  /** This one on Linux where it can be had, else by name. */
  static final Pin FOUND = find(System.getProperty("os.name"), System.getProperty("os.arch"));

  private final int flags;
  private final MethodHandle open;
  private final MethodHandle close;
  private final VarHandle errno;
  private final StructLayout state = Linker.Option.captureStateLayout();

  // Native access is granted on the command line; the calls give and take numbers and one path.
  @SuppressWarnings("restricted")
  private LinuxPin(int noFollow) {
    flags = O_PATH | O_CLOEXEC | noFollow;
    var linker = Linker.nativeLinker();
    var library = linker.defaultLookup();
    open =
        linker.downcallHandle(
            library.findOrThrow("open"),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
            Linker.Option.firstVariadicArg(2),
            Linker.Option.captureCallState("errno"));
    close =
        linker.downcallHandle(
            library.findOrThrow("close"),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    errno = state.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  }

  /** For a system; its processors differ in the number of a flag. */
  static Pin find(String system, String processor) {
    int noFollow =
        switch (processor) {
          case "amd64" -> 0x20000;
          case "aarch64" -> 0x8000;
          default -> 0;
        };
    if (!system.equals("Linux") || noFollow == 0 || !Files.isDirectory(DESCRIPTORS)) {
      return BY_NAME;
    }
    try {
      return new LinuxPin(noFollow);
    } catch (RuntimeException e) {
      // Native access is denied, or there is no such function.
      return BY_NAME;
    }
  }

  @Override
  public Pinned take(Path file) throws IOException {
    if (!file.getFileSystem().equals(FileSystems.getDefault())) {
      return BY_NAME.take(file);
    }
    int number = descriptor(file);
    var path = DESCRIPTORS.resolve(String.valueOf(number));
    return new Pinned(path, List.of(), () -> close(number));
  }

  private int descriptor(Path file) throws IOException {
    try (var arena = Arena.ofConfined()) {
      var called = arena.allocate(state);
      int number = (int) open.invoke(called, name(file, arena), flags);
      if (number >= 0) {
        return number;
      }
      int error = (int) errno.get(called, 0L);
      throw switch (error) {
        case ENOENT, ENOTDIR -> new NoSuchFileException(file.toString());
        case EACCES -> new AccessDeniedException(file.toString());
        default -> new FileSystemException(file.toString(), null, "errno " + error);
      };
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IOException(e);
    }
  }

  private void close(int number) throws IOException {
    try {
      var _ = (int) close.invoke(number);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IOException(e);
    }
  }

  /** The bytes of the name: as a text it need not be the same. The URI has them all. */
  private static MemorySegment name(Path file, Arena arena) {
    var text = file.toUri().getRawPath();
    var bytes = new ByteArrayOutputStream(text.length() + 1);
    for (int at = 0; at < text.length(); at++) {
      char c = text.charAt(at);
      if (c == '%') {
        bytes.write(Integer.parseInt(text, at + 1, at + 3, 16));
        at += 2;
      } else {
        bytes.write(c);
      }
    }
    bytes.write(0);
    return arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes.toByteArray());
  }
}
