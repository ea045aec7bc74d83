package dev.rekindle.detect.evidence;

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
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reaches into containers through {@code /proc/PID/root} with {@code openat2(2)}, which Linux has
 * from 5.6 on: {@code RESOLVE_IN_ROOT} takes links as the container does.
 *
 * <p>A file is first opened as a mere path. That has no effect, whatever it is: to open a device
 * may reset it, and to open a pipe may wait for ever. Only what is then seen to be a regular file,
 * or a pipe, is opened through that path, which leads to the same file whatever has been put in its
 * place. Files that the kernel makes up, such as those of {@code /proc}, are left: to read some of
 * them changes something.
 */
final class MountedFiles implements ContainerFiles {
  /** The same number on all processors. */
  private static final long OPENAT2 = 437;

  private static final int AT_FDCWD = -100;
  private static final long O_WRONLY = 1;
  private static final long O_NONBLOCK = 0x800;
  private static final long O_CLOEXEC = 0x80000;
  private static final long O_PATH = 0x200000;
  private static final long RESOLVE_NO_MAGICLINKS = 2;
  private static final long RESOLVE_IN_ROOT = 0x10;

  private static final int ENOENT = 2;
  private static final int ENXIO = 6;
  private static final int EAGAIN = 11;
  private static final int ENOTDIR = 20;
  private static final int ELOOP = 40;

  private static final int TYPE = 0170000;
  private static final int PIPE = 0010000;
  private static final int REGULAR = 0100000;

  /** Types of file systems: proc, sysfs, debugfs, tracefs (statfs(2)). */
  private static final Set<Long> MADE_UP = Set.of(0x9fa0L, 0x62656572L, 0x64626720L, 0x74726163L);

  /** More than the 120 bytes of a struct statfs, which begins with the type. */
  private static final long STATFS = 256;

  private static final StructLayout HOW =
      MemoryLayout.structLayout(
          ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);

  private final Path proc;
  private final MethodHandle openat2;
  private final MethodHandle fstatfs;
  private final MethodHandle write;
  private final MethodHandle close;
  private final VarHandle errno;
  private final StructLayout state = Linker.Option.captureStateLayout();

  // Native access is granted on the command line; the calls give and take numbers and one path.
  @SuppressWarnings("restricted")
  MountedFiles(Path proc) {
    this.proc = proc;
    var linker = Linker.nativeLinker();
    var library = linker.defaultLookup();
    var error = Linker.Option.captureCallState("errno");
    openat2 =
        linker.downcallHandle(
            library.findOrThrow("syscall"),
            FunctionDescriptor.of(
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.ADDRESS,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG),
            Linker.Option.firstVariadicArg(1),
            error);
    fstatfs =
        linker.downcallHandle(
            library.findOrThrow("fstatfs"),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
    write =
        linker.downcallHandle(
            library.findOrThrow("write"),
            FunctionDescriptor.of(
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG),
            error);
    close =
        linker.downcallHandle(
            library.findOrThrow("close"),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    errno = state.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  }

  @Override
  public Optional<Stamp> stamp(long pid, String path) throws IOException {
    try (var file = inside(pid, path)) {
      return file.stamp();
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  @Override
  public byte[] read(long pid, String path, int most) throws IOException {
    try (var file = inside(pid, path)) {
      if (file.stamp().isEmpty()) {
        throw new IOException("no regular file with content: " + path);
      }
      try (var in = Files.newInputStream(file.self())) {
        return in.readNBytes(most);
      }
    }
  }

  @Override
  public boolean poke(long pid, String path) throws IOException {
    try (var file = inside(pid, path)) {
      return file.type() == PIPE && poke(file);
    } catch (NoReaderException | NoSuchFileException e) {
      return false;
    }
  }

  private boolean poke(Descriptor file) throws IOException {
    try (var pipe = writing(file);
        var arena = Arena.ofConfined()) {
      var called = arena.allocate(state);
      long written = (long) write.invoke(called, pipe.number, arena.allocate(1), 1L);
      // A pipe that is full has been written to before.
      return written == 1 || (int) errno.get(called, 0L) == EAGAIN;
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IOException(e);
    }
  }

  @Override
  public boolean isRead(long pid, String path) throws IOException {
    try (var file = inside(pid, path)) {
      if (file.type() != PIPE) {
        return false;
      }
      try (var _ = writing(file)) {
        return true;
      }
    } catch (NoReaderException | NoSuchFileException e) {
      return false;
    }
  }

  /** Opens a pipe for writing without waiting: that fails where no process reads it. */
  private Descriptor writing(Descriptor pipe) throws IOException {
    return open(AT_FDCWD, pipe.self().toString(), O_WRONLY | O_NONBLOCK, 0);
  }

  private Descriptor inside(long pid, String path) throws IOException {
    try (var root = open(AT_FDCWD, proc.resolve(pid + "/root").toString(), O_PATH, 0)) {
      return open(root.number, path, O_PATH, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
    }
  }

  private Descriptor open(int folder, String path, long flags, long resolve) throws IOException {
    try (var arena = Arena.ofConfined()) {
      var called = arena.allocate(state);
      var how = arena.allocate(HOW);
      how.setAtIndex(ValueLayout.JAVA_LONG, 0, flags | O_CLOEXEC);
      how.setAtIndex(ValueLayout.JAVA_LONG, 2, resolve);
      MemorySegment name = arena.allocateFrom(path);
      long number =
          (long) openat2.invoke(called, OPENAT2, (long) folder, name, how, HOW.byteSize());
      if (number >= 0) {
        return new Descriptor((int) number);
      }
      int error = (int) errno.get(called, 0L);
      switch (error) {
        case ENOENT, ENOTDIR, ELOOP -> throw new NoSuchFileException(path);
        case ENXIO -> throw new NoReaderException(path);
        default -> throw new IOException("cannot open " + path + ": errno " + error);
      }
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IOException(e);
    }
  }

  /** A pipe that no process reads. */
  private static final class NoReaderException extends IOException {
    private static final long serialVersionUID = 1;

    NoReaderException(String path) {
      super(path);
    }
  }

  private final class Descriptor implements AutoCloseable {
    private final int number;

    Descriptor(int number) {
      this.number = number;
    }

    /** A name for the very file that is open here. */
    Path self() {
      return proc.resolve("self/fd/" + number);
    }

    int type() throws IOException {
      return (int) attributes().getOrDefault("mode", 0) & TYPE;
    }

    Optional<Stamp> stamp() throws IOException {
      var known = attributes();
      long size = (long) known.getOrDefault("size", 0L);
      boolean regular = ((int) known.getOrDefault("mode", 0) & TYPE) == REGULAR;
      return regular
              && size > 0
              && !isMadeUp()
              && known.get("lastModifiedTime") instanceof FileTime changed
              && known.get("ino") instanceof Long inode
          ? Optional.of(new Stamp(changed.toInstant(), size, inode))
          : Optional.empty();
    }

    private boolean isMadeUp() throws IOException {
      try (var arena = Arena.ofConfined()) {
        var system = arena.allocate(STATFS, Long.BYTES);
        return (int) fstatfs.invoke(number, system) != 0
            || MADE_UP.contains(system.get(ValueLayout.JAVA_LONG, 0));
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new IOException(e);
      }
    }

    private Map<String, Object> attributes() throws IOException {
      return Files.readAttributes(self(), "unix:mode,size,lastModifiedTime,ino");
    }

    @Override
    public void close() throws IOException {
      try {
        var _ = (int) close.invoke(number);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new IOException(e);
      }
    }
  }
}
