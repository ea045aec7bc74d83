package dev.rekindle.detect.checkpoint.tracker;

import dev.rekindle.detect.checkpoint.files.Names;
import dev.rekindle.detect.checkpoint.format.TrackerFile;
import dev.rekindle.detect.checkpoint.tracker.TrackerOutcome.Kind;
import dev.rekindle.detect.file.RegularFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.ReadOnlyFileSystemException;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Makes a tracker name another checkpoint, and keeps its old text beside it. Nothing but an
 * existing tracker is written, in the directory itself, through no link: all that is there is a
 * tenant's.
 *
 * <p>Guarantees: whenever it is cut off the tracker has its old text or the new one, complete; the
 * old text is on the disk before the new one is; a second run changes nothing. The tracker keeps
 * its time, owner and mode: its time is what shows that a newer save did not end.
 */
public final class TrackerWriter {
  private static final int MOST_BYTES = 1_000;
  private static final Pattern ATTEMPT = Pattern.compile("[a-z0-9][-a-z0-9.]{0,252}");

  private final Path root;
  private final Path checkpoint;
  private final TrackerFile wanted;
  private final String attempt;

  private static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    private RefusedException(String reason) {
      super(reason);
    }
  }

  /**
   * What is wanted.
   *
   * @param root directory of the checkpoints, absolute
   * @param checkpoint folder of the one to name, below it
   * @param wanted the tracker beside that folder
   * @param attempt id of the attempt: part of the name of the file with the old text
   */
  public TrackerWriter(Path root, Path checkpoint, TrackerFile wanted, String attempt) {
    this.root = root;
    this.checkpoint = checkpoint;
    this.wanted = wanted;
    this.attempt = attempt;
  }

  /**
   * Writes it.
   *
   * @param until when it is too late: the job may train again
   */
  public TrackerOutcome write(InstantSource clock, Instant until) {
    try {
      return rewrite(clock, until);
    } catch (RefusedException refused) {
      return refused(String.valueOf(refused.getMessage()));
    } catch (IOException | RuntimeException failed) {
      return refused(reason(failed));
    }
  }

  private TrackerOutcome refused(String reason) {
    return new TrackerOutcome(Kind.REFUSED, wanted.name(), "", "", "", reason);
  }

  private TrackerOutcome rewrite(InstantSource clock, Instant until) throws IOException {
    var folder = folder();
    var tracker = folder.resolve(wanted.name());
    var former = attributes(tracker);
    if (former == null) {
      throw new RefusedException("there is no " + wanted.name() + ", and none is made");
    }
    if (!former.isRegularFile()) {
      throw new RefusedException(wanted.name() + " is a link, or no file");
    }
    if (former.size() > MOST_BYTES) {
      throw new RefusedException(
          "%s has %d bytes, which is no tracker".formatted(wanted.name(), former.size()));
    }
    var old = read(tracker);
    var before = Names.printable(new String(old, StandardCharsets.UTF_8).strip());
    var text = wanted.text().getBytes(StandardCharsets.UTF_8);
    if (new String(old, StandardCharsets.UTF_8).strip().equals(wanted.text())) {
      return new TrackerOutcome(Kind.UNCHANGED, wanted.name(), before, wanted.text(), "", "");
    }
    inTime(clock, until);
    var kept = wanted.name() + ".rekindle-before-" + attempt;
    var temporary = folder.resolve("." + wanted.name() + ".rekindle-tmp");
    keep(folder.resolve(kept), temporary, old, former);
    prepare(temporary, text, former);
    inTime(clock, until);
    Files.move(temporary, tracker, StandardCopyOption.ATOMIC_MOVE);
    persist(folder);
    return new TrackerOutcome(Kind.REWRITTEN, wanted.name(), before, wanted.text(), kept, "");
  }

  /** The folder of the tracker: no part of the way to it, or to the checkpoint, is a link. */
  private Path folder() throws IOException {
    if (!ATTEMPT.matcher(attempt).matches()) {
      throw new RefusedException("the attempt has a strange name");
    }
    if (!checkpoint.startsWith(root)
        || checkpoint.equals(root)
        || !checkpoint.normalize().equals(checkpoint)) {
      throw new RefusedException("the checkpoint is not below the directory");
    }
    var below = root.toRealPath().resolve(root.relativize(checkpoint));
    var folder = below.getParent();
    var found = attributes(below);
    if (folder == null || found == null || !found.isDirectory()) {
      throw new RefusedException("the checkpoint is no folder");
    }
    if (!folder.toRealPath().equals(folder)) {
      throw new RefusedException("a link is on the way to the checkpoint");
    }
    return folder;
  }

  private static void inTime(InstantSource clock, Instant until) throws RefusedException {
    if (!clock.instant().isBefore(until)) {
      throw new RefusedException("it is too late: the job may train again");
    }
  }

  /** What an earlier run of the same attempt has kept is the older text. */
  private void keep(Path kept, Path temporary, byte[] old, BasicFileAttributes former)
      throws IOException {
    var found = attributes(kept);
    if (found == null) {
      prepare(temporary, old, former);
      Files.move(temporary, kept, StandardCopyOption.ATOMIC_MOVE);
    } else if (!found.isRegularFile()) {
      throw new RefusedException(kept.getFileName() + " is in the way");
    }
  }

  /** Makes a file like the tracker with another text, complete on the disk. */
  private void prepare(Path file, byte[] text, BasicFileAttributes former) throws IOException {
    // Left by a run that was cut off; of a link the link itself goes.
    Files.deleteIfExists(file);
    var done = false;
    try {
      try (var channel =
          FileChannel.open(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))) {
        for (var bytes = ByteBuffer.wrap(text); bytes.hasRemaining(); ) {
          var _ = channel.write(bytes);
        }
        resemble(file, former);
        channel.force(true);
      }
      done = true;
    } finally {
      if (!done) {
        Files.deleteIfExists(file);
      }
    }
  }

  private void resemble(Path file, BasicFileAttributes former) throws IOException {
    if (former instanceof PosixFileAttributes posix) {
      var made = Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      if (!made.owner().equals(posix.owner())) {
        // The script writes its tracker in place, and could not any more.
        throw new RefusedException(
            "%s belongs to user %s, and the pod runs as user %s: set runAsUser in the job"
                .formatted(
                    wanted.name(),
                    Names.printable(posix.owner().getName()),
                    Names.printable(made.owner().getName())));
      }
      Files.setPosixFilePermissions(file, posix.permissions());
    }
    Files.setLastModifiedTime(file, former.lastModifiedTime());
  }

  private static void persist(Path folder) {
    try (var channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (IOException e) {
      // Some file systems cannot; the rename is in order with later writes all the same.
      return;
    }
  }

  private static byte[] read(Path file) throws IOException {
    return RegularFile.read(file, MOST_BYTES);
  }

  private static @org.jspecify.annotations.Nullable BasicFileAttributes attributes(Path path)
      throws IOException {
    try {
      return Files.getFileStore(path.getRoot()).supportsFileAttributeView("posix")
          ? Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
          : Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  private static String reason(Exception failed) {
    return switch (failed) {
      case ReadOnlyFileSystemException _ -> "the volume is read-only";
      case AccessDeniedException _ -> "the user of the pod may not write there";
      case FileAlreadyExistsException _ -> "another process writes there";
      case FileSystemException e when String.valueOf(e.getReason()).contains("Read-only") ->
          "the volume is read-only";
      case FileSystemException e when e.getReason() != null ->
          "it cannot be written: " + Names.printable(e.getReason());
      default -> "it cannot be written: " + failed.getClass().getSimpleName();
    };
  }
}
