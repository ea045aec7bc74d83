package dev.rekindle.image;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Packages of Debian for another architecture, unpacked into one folder: the modules of its JDK,
 * and the libraries that it needs. What a file needs is read off it by {@code readelf}, as nothing
 * of that architecture runs here.
 */
final class Sysroot {
  private static final Pattern NEEDED = Pattern.compile("\\(NEEDED\\).*\\[(.+)]");

  private final Path folder;
  private final Path libraries;

  /**
   * Finds what is in the folder.
   *
   * @throws IllegalArgumentException where it has no glibc, or more than one
   */
  Sysroot(Path folder) throws IOException {
    this.folder = folder;
    List<Path> found = matching(folder.resolve("usr/lib"), "*-linux-gnu", "libc.so.6");
    if (found.size() != 1) {
      throw new IllegalArgumentException(
          folder + " is to have one usr/lib/*-linux-gnu/libc.so.6, and has " + found.size());
    }
    this.libraries = found.getFirst();
  }

  /** The modules of its JDK. */
  Path modules() throws IOException {
    return matching(folder.resolve("usr/lib/jvm"), "*", "jmods/java.base.jmod").stream()
        .filter(jdk -> !Files.isSymbolicLink(jdk))
        .findFirst()
        .map(jdk -> jdk.resolve("jmods"))
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    folder
                        + " has no usr/lib/jvm/*/jmods; it needs"
                        + " the package openjdk-25-jdk-headless"));
  }

  private static List<Path> matching(Path in, String name, String with) throws IOException {
    List<Path> found = new ArrayList<>();
    try (var folders = Files.newDirectoryStream(in, name)) {
      for (Path candidate : folders) {
        if (Files.exists(candidate.resolve(with))) {
          found.add(candidate);
        }
      }
    }
    return found.stream().sorted().toList();
  }

  /**
   * The libraries that a runtime needs, and others by name, with all that these need: where each is
   * to be in the image, and where it is here.
   *
   * @throws IllegalArgumentException where one is missing
   */
  SortedMap<Path, Path> libraries(
      Path runtime, Collection<Path> binaries, Collection<String> others)
      throws IOException, InterruptedException {
    Deque<String> names = new ArrayDeque<>(others);
    for (Path binary : binaries) {
      names.addAll(needed(binary));
    }
    SortedMap<Path, Path> found = new TreeMap<>();
    while (!names.isEmpty()) {
      String name = names.remove();
      if (Stream.of("lib", "lib/server").anyMatch(p -> Files.exists(runtime.resolve(p, name)))) {
        continue;
      }
      Path library = libraries.resolve(name);
      if (!Files.exists(library)) {
        throw new IllegalArgumentException(library + " is missing");
      }
      if (found.put(target(name), library) == null) {
        names.addAll(needed(library));
      }
    }
    return found;
  }

  /** Binaries name their loader by its full path; it searches the other folder by itself. */
  private Path target(String name) {
    return name.startsWith("ld-linux")
        ? Path.of("lib", name)
        : Path.of("lib", libraries.getFileName().toString(), name);
  }

  private static List<String> needed(Path binary) throws IOException, InterruptedException {
    Process run =
        new ProcessBuilder("readelf", "--dynamic", "--wide", binary.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (run.waitFor() != 0) {
      throw new IllegalArgumentException("readelf does not read " + binary + ":\n" + said);
    }
    List<String> names = new ArrayList<>();
    Matcher line = NEEDED.matcher(said);
    while (line.find()) {
      names.add(line.group(1));
    }
    return names;
  }
}
