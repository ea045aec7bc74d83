package dev.rekindle.detect.nvml;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Searches for the library by its file alone: nothing is loaded where there is none. */
final class NvmlFinder {
  private static final String NAME = "libnvidia-ml.so.1";

  /** Below the root of a system: Debian, Red Hat, NVIDIA's toolkit, GKE, a driver container. */
  private static final List<String> FOLDERS =
      List.of(
          "",
          "usr/lib/x86_64-linux-gnu",
          "usr/lib/aarch64-linux-gnu",
          "usr/lib/x86_64-linux-gnu/nvidia/current",
          "usr/lib64",
          "usr/lib",
          "usr/local/nvidia/lib64",
          "home/kubernetes/bin/nvidia/lib64",
          "opt/nvidia/lib64",
          "run/nvidia/driver/usr/lib/x86_64-linux-gnu",
          "run/nvidia/driver/usr/lib/aarch64-linux-gnu",
          "run/nvidia/driver/usr/lib64");

  private NvmlFinder() {}

  static Optional<Path> find(List<Path> roots) {
    return roots.stream()
        .flatMap(root -> FOLDERS.stream().map(folder -> root.resolve(folder).resolve(NAME)))
        .filter(Files::isRegularFile)
        .findFirst();
  }
}
