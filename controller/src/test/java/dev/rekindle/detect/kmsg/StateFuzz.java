package dev.rekindle.detect.kmsg;

import dev.rekindle.detect.kernelfault.JudgeFile;
import dev.rekindle.detect.nvml.NvmlFuzz;
import dev.rekindle.detect.rdma.NicFuzz;
import dev.rekindle.detect.restart.JournalFile;
import dev.rekindle.detect.state.StateFolder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Feeds bytes to the readers of what an agent keeps on the disk of its node. */
public final class StateFuzz {
  /** A way to read a file of the folder. */
  @FunctionalInterface
  private interface Reading {
    void run() throws IOException;
  }

  private static final class Disk {
    private static final StateFolder FOLDER = made();
  }

  private StateFuzz() {}

  private static StateFolder made() {
    try {
      Path path = Files.createTempDirectory("state");
      path.toFile().deleteOnExit();
      return new StateFolder(path, new KubernetesSerialization());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The same bytes as each file. Refusing is an answer. */
  public static void read(byte[] input) throws IOException {
    file("restart-journal", input, () -> new JournalFile(Disk.FOLDER).read());
    file("judge", input, () -> new JudgeFile(Disk.FOLDER).read());
    file("kmsg-cursor", input, () -> new Cursor(Disk.FOLDER).read("boot"));
  }

  /** The same as the files of what detectors of devices remember, and the next poll. */
  public static void memory(byte[] input) throws IOException {
    file("nic-memory", input, () -> NicFuzz.poll(Disk.FOLDER));
    file("nvml-memory", input, () -> NvmlFuzz.poll(Disk.FOLDER));
  }

  private static void file(String name, byte[] input, Reading reading) throws IOException {
    Path file = Disk.FOLDER.path().resolve(name);
    Files.write(file, input);
    file.toFile().deleteOnExit();
    try {
      reading.run();
    } catch (IOException refused) {
      if (refused.getClass() != IOException.class) {
        throw refused;
      }
    }
  }
}
