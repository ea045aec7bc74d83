package dev.rekindle.image;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Writes the SBOM of the image (CycloneDX): what Maven says of the modules in it, the Java runtime,
 * and each file of the C library. Run from source, with Jackson on the class path.
 *
 * <p>Arguments: the file to write; the version; the time of the build; the folder with the image's
 * files; the version of the package of the C library, or {@code unknown}; the SBOMs of modules.
 */
final class Sbom {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  /** By reference, so that what two modules use is there once. */
  private final Map<String, JsonNode> components = new TreeMap<>();

  private final Map<String, Set<String>> dependencies = new TreeMap<>();
  private String specification = "";

  private Sbom() {}

  public static void main(String[] arguments) throws IOException {
    var sbom = new Sbom();
    for (String module : Arrays.asList(arguments).subList(5, arguments.length)) {
      sbom.module(JSON.readTree(Path.of(module).toFile()));
    }
    Path root = Path.of(arguments[3]);
    sbom.runtime(root.resolve("opt/jre/release"));
    sbom.libraries(root, arguments[4]);
    sbom.write(Path.of(arguments[0]), arguments[1], arguments[2]);
  }

  private void module(JsonNode bom) {
    specification = bom.get("specVersion").asText();
    add(bom.at("/metadata/component"));
    bom.get("components").forEach(this::add);
    for (JsonNode dependency : bom.get("dependencies")) {
      Set<String> on =
          dependencies.computeIfAbsent(dependency.get("ref").asText(), _ -> new TreeSet<>());
      dependency.path("dependsOn").forEach(ref -> on.add(ref.asText()));
    }
  }

  private void add(JsonNode component) {
    components.put(component.get("bom-ref").asText(), component);
  }

  private void runtime(Path release) throws IOException {
    var properties = new Properties();
    try (var in = Files.newBufferedReader(release)) {
      properties.load(in);
    }
    String version = properties.getProperty("JAVA_VERSION").replace("\"", "");
    add(
        component("platform", "java-runtime", version)
            .put("description", "jlink, modules " + properties.getProperty("MODULES")));
  }

  private static ObjectNode component(String type, String name, String version) {
    return JSON.createObjectNode()
        .put("type", type)
        .put("bom-ref", name + "@" + version)
        .put("name", name)
        .put("version", version);
  }

  /** All that is beside runtime and classes was copied from the machine that built the image. */
  private void libraries(Path root, String version) throws IOException {
    ObjectNode libc = component("library", "glibc", version);
    if (!version.equals("unknown")) {
      libc.put("purl", "pkg:deb/debian/libc6@" + version.replace("+", "%2B"));
    }
    ArrayNode files = libc.putArray("components");
    try (Stream<Path> all = Files.walk(root)) {
      List<Path> libraries =
          all.filter(Files::isRegularFile)
              .filter(file -> root.relativize(file).toString().matches("(usr/)?lib.*"))
              .sorted()
              .toList();
      for (Path library : libraries) {
        ObjectNode file = files.addObject().put("type", "file");
        file.put("name", "/" + root.relativize(library));
        file.putArray("hashes").addObject().put("alg", "SHA-256").put("content", digest(library));
      }
    }
    add(libc);
  }

  private static String digest(Path file) throws IOException {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("each JDK has SHA-256", e);
    }
  }

  private void write(Path file, String version, String time) throws IOException {
    ObjectNode bom =
        JSON.createObjectNode()
            .put("bomFormat", "CycloneDX")
            .put("specVersion", specification)
            .put("version", 1);
    ObjectNode metadata = bom.putObject("metadata").put("timestamp", time);
    metadata.set("component", component("container", "rekindle", version));
    bom.putArray("components").addAll(components.values());
    ArrayNode list = bom.putArray("dependencies");
    dependencies.forEach(
        (ref, on) -> {
          ArrayNode refs = list.addObject().put("ref", ref).putArray("dependsOn");
          on.forEach(refs::add);
        });
    Files.write(file, JSON.writeValueAsBytes(bom));
  }
}
