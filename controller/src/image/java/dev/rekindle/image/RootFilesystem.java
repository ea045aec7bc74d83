package dev.rekindle.image;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Lays out what the image holds below our own classes: a Java runtime of just the modules we use,
 * the parts of the C library it needs, and the options it starts with. Run from source by the JDK
 * of the build; no container daemon and no base image take part.
 *
 * <p>Arguments: the folder to write, our own jar, the folder of the jars it depends on, the build
 * folder of the console, and a {@link Sysroot} for an image of another architecture, or {@code
 * none}.
 */
final class RootFilesystem {
  /**
   * Found by running all roles: java.naming and java.xml are what fabric8 and Jackson reach for by
   * name; jdk.management carries the JVM metrics; jdk.jfr is what Netty's buffers reach for;
   * jdk.jcmd lets one take a thread dump of a process that hangs. jdk.zipfs was needed by a library
   * that has gone; the image was never run without it.
   */
  private static final String MODULES =
      "java.base,java.logging,java.management,java.naming,java.net.http,java.xml,"
          + "jdk.httpserver,jdk.jcmd,jdk.jfr,jdk.management,jdk.unsupported,jdk.zipfs";

  /** Name services are opened by the C library when a name is looked up, so no file names them. */
  private static final List<String> NAME_SERVICES =
      List.of("libresolv.so.2", "libnss_dns.so.2", "libnss_files.so.2");

  /** What NVIDIA's library needs when the agent loads the node's, by the same names everywhere. */
  private static final List<String> FOR_DRIVERS =
      List.of("libdl.so.2", "libm.so.6", "libpthread.so.0", "librt.so.1");

  private static final List<Path> LOCALES =
      List.of(Path.of("usr/lib/locale/C.utf8"), Path.of("usr/lib/locale/C.UTF-8"));

  private static final List<String> OPTIONS =
      List.of(
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "-XX:MaxRAMPercentage=50",
          "-XX:InitialRAMPercentage=5",
          "-XX:+ExitOnOutOfMemoryError",
          "-XX:-UsePerfData",
          // What the C library keeps of freed memory is given back; compiling frees some.
          "-XX:TrimNativeHeapInterval=10000",
          "-Xss512k",
          // For kill(2) and NVIDIA's library in the agent, for open(2) in the inspector.
          "--enable-native-access=ALL-UNNAMED");

  /**
   * Given before the others where a process is on every node and mostly waits: a small heap that
   * stays near what lives, with a young part just big enough that a storm of faults dies in it;
   * less is compiled. Without the archive of classes a start takes a second longer, and each
   * process is spared a copy of it.
   */
  private static final List<String> AGENT_OPTIONS =
      List.of(
          "-Xms8m",
          "-XX:MaxNewSize=6m",
          "-XX:MinHeapFreeRatio=10",
          "-XX:MaxHeapFreeRatio=20",
          "-XX:CompileThresholdScaling=4",
          "-Xshare:off");

  /**
   * Given after the others to the console. Beside its heap it has classes, code and buffers of
   * Micronaut and Netty, more than 100 MiB, so that half of its limit is too much. The heap grows
   * to what it may before it is cleared out: with a quarter, 64 MiB, 10,000 recoveries and all else
   * are less than 192 MiB (docs/benchmarks.md, the console beside the controller). Without the
   * second option the JVM gives 126 MiB, its default for a small machine, wherever the first would
   * give less.
   */
  private static final List<String> CONSOLE_OPTIONS =
      List.of(
          "-XX:MaxRAMPercentage=25",
          "-XX:MinRAMPercentage=25",
          "-XX:MinHeapFreeRatio=10",
          "-XX:MaxHeapFreeRatio=30");

  private final Path root;

  private RootFilesystem(Path root) {
    this.root = root;
  }

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path root = Path.of(arguments[0]);
    delete(root);
    var filesystem = new RootFilesystem(root);
    if (arguments[4].equals("none")) {
      filesystem.runtime(List.of("--strip-debug", "--generate-cds-archive"));
      filesystem.libraries();
      filesystem.locale(Path.of("/"));
    } else {
      var sysroot = new Sysroot(Path.of(arguments[4]));
      // What it is linked from does not run here: its archive of classes cannot be made, and its
      // symbols are of another architecture than the tools that would take them out.
      filesystem.runtime(
          List.of("--module-path", sysroot.modules().toString(), "--strip-java-debug-attributes"));
      filesystem.libraries(sysroot);
      filesystem.locale(Path.of(arguments[4]));
    }
    filesystem.accounts();
    filesystem.options(Path.of(arguments[1]), Path.of(arguments[2]));
    filesystem.console(Path.of(arguments[2]), Path.of(arguments[3]));
  }

  /**
   * By a process of its own: inside of this one jlink makes other method handle classes each time,
   * and the image would not be the same bytes for the same sources.
   */
  private void runtime(List<String> how) throws IOException, InterruptedException {
    Path jlink = Path.of(System.getProperty("java.home"), "bin", "jlink");
    if (!Files.isExecutable(jlink)) {
      throw new Failure("this JDK has no jlink; a full JDK 25 is needed");
    }
    List<String> command =
        new ArrayList<>(
            List.of(
                jlink.toString(),
                "--add-modules",
                MODULES,
                "--no-header-files",
                "--no-man-pages",
                "--output",
                root.resolve("opt/jre").toString()));
    command.addAll(how);
    int code = new ProcessBuilder(command).inheritIO().start().waitFor();
    if (code != 0) {
      throw new Failure("jlink ended with " + code);
    }
    // The archive for heaps beyond 32 GiB, which we never have: 14 MB.
    Files.deleteIfExists(root.resolve("opt/jre/lib/server/classes_nocoops.jsa"));
    // The cluster vouches for the API server by its own authority; the client would trust, and hold
    // in memory, a hundred public ones beside it. Those are for the inspector of an object store
    // alone, which requests them by this name.
    Path security = root.resolve("opt/jre/lib/security");
    Files.move(security.resolve("cacerts"), security.resolve("public-cacerts"));
  }

  /** Copies each library to the path it has here, where its loader will search for it. */
  private void libraries() throws IOException, InterruptedException {
    Set<Path> needed = new TreeSet<>();
    Path jre = root.resolve("opt/jre").toAbsolutePath();
    try (Stream<Path> files = Files.walk(jre)) {
      for (Path file : files.filter(RootFilesystem::isBinary).toList()) {
        needed.addAll(dependencies(jre, file));
      }
    }
    needed.removeIf(library -> library.startsWith(jre));
    Path libc =
        needed.stream()
            .filter(library -> library.endsWith("libc.so.6"))
            .findFirst()
            .orElseThrow(
                () ->
                    new Failure(
                        "no glibc found on this machine; the image is built on a Linux that has"
                            + " one"));
    for (String service : Stream.concat(NAME_SERVICES.stream(), FOR_DRIVERS.stream()).toList()) {
      Path library = libc.resolveSibling(service);
      if (!Files.exists(library)) {
        throw new Failure(library + " is missing; it is part of glibc (Debian: libc6)");
      }
      needed.add(library);
    }
    for (Path library : needed) {
      copy(library, Path.of("/").relativize(library));
    }
  }

  /** The same of another architecture. */
  private void libraries(Sysroot sysroot) throws IOException, InterruptedException {
    Path jre = root.resolve("opt/jre").toAbsolutePath();
    List<Path> binaries;
    try (Stream<Path> files = Files.walk(jre)) {
      binaries = files.filter(RootFilesystem::isBinary).toList();
    }
    List<String> others = Stream.concat(NAME_SERVICES.stream(), FOR_DRIVERS.stream()).toList();
    for (var library : sysroot.libraries(jre, binaries, others).entrySet()) {
      copy(library.getValue(), library.getKey());
    }
  }

  private void copy(Path library, Path to) throws IOException {
    Path target = root.resolve(to);
    Files.createDirectories(target.getParent());
    Files.copy(library.toRealPath(), target, StandardCopyOption.REPLACE_EXISTING);
    Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /**
   * Java takes names of files for ASCII where the C library does not find the locale it is given.
   */
  private void locale(Path system) throws IOException {
    Path locale =
        LOCALES.stream()
            .map(system::resolve)
            .filter(Files::isDirectory)
            .findFirst()
            .orElseThrow(
                () ->
                    new Failure(
                        "no locale C.UTF-8 in /usr/lib/locale; it is part of glibc (Debian:"
                            + " libc-bin)"));
    try (Stream<Path> files = Files.walk(locale)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path target = root.resolve(system.relativize(file));
        Files.createDirectories(target.getParent());
        Files.copy(file.toRealPath(), target, StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  private static boolean isBinary(Path file) {
    String name = file.toString();
    return Files.isRegularFile(file)
        && (name.endsWith(".so") || name.contains("/bin/") || name.endsWith("/jspawnhelper"));
  }

  private static List<Path> dependencies(Path jre, Path binary)
      throws IOException, InterruptedException {
    var ldd = new ProcessBuilder("ldd", binary.toString()).redirectErrorStream(true);
    ldd.environment().put("LD_LIBRARY_PATH", jre.resolve("lib/server").toString());
    Process run = ldd.start();
    String said = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    run.waitFor();
    if (said.contains("not found")) {
      throw new Failure("ldd misses a library of " + binary + ":\n" + said);
    }
    List<Path> found = new ArrayList<>();
    Matcher path = Pattern.compile("(?:=> |^\\s*)(/\\S+) \\(0x", Pattern.MULTILINE).matcher(said);
    while (path.find()) {
      found.add(Path.of(path.group(1)));
    }
    return found;
  }

  private void accounts() throws IOException {
    write(
        "etc/passwd", "root:x:0:0:root:/:/sbin/nologin\nrekindle:x:65532:65532::/:/sbin/nologin\n");
    write("etc/group", "root:x:0:\nrekindle:x:65532:\n");
    write("etc/nsswitch.conf", "hosts: files dns\n");
    Path tmp = Files.createDirectories(root.resolve("tmp"));
    Files.setPosixFilePermissions(tmp, PosixFilePermissions.fromString("rwxrwxrwx"));
  }

  /** Our own jars come first: the inspector then opens no other. */
  private void options(Path own, Path libraries) throws IOException {
    try (Stream<Path> jars = Files.list(libraries)) {
      String rest =
          jars.map(jar -> jar.getFileName().toString())
              .sorted(
                  Comparator.comparing((String name) -> !name.startsWith("rekindle-"))
                      .thenComparing(Comparator.naturalOrder()))
              .map(name -> ":/app/libs/" + name)
              .collect(Collectors.joining());
      write("app/agent.args", String.join("\n", AGENT_OPTIONS) + "\n");
      write(
          "app/run.args",
          String.join("\n", OPTIONS)
              + "\n-cp /app/classpath/"
              + own.getFileName()
              + rest
              + "\ndev.rekindle.Rekindle\n");
    }
  }

  /**
   * The console has a class path of its own, so that nothing of it is in reach of other roles. What
   * both need is there once.
   */
  private void console(Path shared, Path build) throws IOException {
    Path folder = Files.createDirectories(root.resolve("app/console"));
    List<String> classPath = new ArrayList<>();
    try (Stream<Path> own = Files.list(build);
        Stream<Path> libraries = Files.list(build.resolve("image/libs"))) {
      List<Path> jars =
          Stream.concat(
                  own.filter(
                      jar -> jar.getFileName().toString().matches("rekindle-console-.*\\.jar")),
                  libraries.sorted())
              .toList();
      for (Path jar : jars) {
        String name = jar.getFileName().toString();
        if (Files.exists(shared.resolve(name))) {
          classPath.add("/app/libs/" + name);
        } else {
          Files.copy(jar, folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
          classPath.add("/app/console/" + name);
        }
      }
    }
    if (!classPath.getFirst().contains("rekindle-console-")) {
      throw new Failure("the console was not built: " + build + " has no jar of it");
    }
    write(
        "app/console.args",
        String.join("\n", OPTIONS)
            + "\n"
            + String.join("\n", CONSOLE_OPTIONS)
            + "\n-cp "
            + String.join(":", classPath)
            + "\ndev.rekindle.console.ConsoleMain\n");
  }

  private void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, IOException failure)
              throws IOException {
            Files.delete(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /** Why there is no image. */
  private static final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Failure(String message) {
      super(message);
    }
  }
}
