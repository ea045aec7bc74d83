package dev.rekindle.detect.nvml;

import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultReports;
import dev.rekindle.detect.fault.FaultResolution;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/**
 * A compiled stand-in for the library, driven by a file, and what was reported. There is no GPU
 * here: it shows that our side of the calls is right, not how a driver behaves.
 */
public final class StandIn implements FaultReports {
  final List<FaultObservation> observations = new CopyOnWriteArrayList<>();
  final List<FaultResolution> clearances = new CopyOnWriteArrayList<>();

  /** Whether reports are refused, as by an API server that is away. */
  volatile boolean refuse;

  private final Path folder;
  private final Map<String, Long> said = new TreeMap<>();

  /** A stand-in with its files in a folder. */
  public StandIn(Path folder) {
    this.folder = folder;
  }

  /** Puts a library of a build there, as an upgrade of the driver does: under the same name. */
  public void install(int build, String... options) throws IOException, InterruptedException {
    var all = new ArrayList<>(List.of(options));
    all.addAll(List.of("-shared", "-fPIC", "-DBUILD=" + build, "-DCONTROL=\"" + control() + "\""));
    var made =
        Compiler.compile("stand-in.c", folder.resolve("made.so"), all.toArray(String[]::new));
    Files.createDirectories(root());
    Files.move(made, library(), StandardCopyOption.ATOMIC_MOVE);
  }

  private Path control() {
    return folder.resolve("control");
  }

  Path root() {
    return folder.resolve("driver");
  }

  Path library() {
    return root().resolve("libnvidia-ml.so.1");
  }

  /** From now on the library answers so. */
  public StandIn say(String name, long value) throws IOException {
    said.put(name, value);
    var text =
        said.entrySet().stream()
            .map(entry -> entry.getKey() + " " + entry.getValue() + "\n")
            .collect(Collectors.joining());
    var temporary = folder.resolve("control.tmp");
    Files.writeString(temporary, text);
    Files.move(
        temporary, control(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    return this;
  }

  @Override
  public void saw(FaultObservation observation) {
    if (refuse) {
      throw new IllegalStateException("refused");
    }
    observations.add(observation);
  }

  @Override
  public void gone(FaultResolution clearance) {
    if (refuse) {
      throw new IllegalStateException("refused");
    }
    clearances.add(clearance);
  }

  List<String> codes() {
    return observations.stream().map(one -> one.fault().code()).distinct().toList();
  }
}
