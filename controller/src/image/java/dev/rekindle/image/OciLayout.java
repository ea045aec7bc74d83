package dev.rekindle.image;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;

/**
 * Writes an OCI image layout: an index of images, one for each architecture. Run from source, with
 * Jackson on the class path. The same bytes for the same images, in whatever order they come.
 *
 * <p>Arguments: the folder to write; the version; a folder for each image, being an unpacked
 * archive of Docker's form as jib writes it, or an unpacked layout that this program has written.
 */
final class OciLayout {
  private static final String INDEX = "application/vnd.oci.image.index.v1+json";
  private static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
  private static final String CONFIG = "application/vnd.oci.image.config.v1+json";
  private static final String LAYER = "application/vnd.oci.image.layer.v1.tar+gzip";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path blobs;

  private OciLayout(Path folder) {
    this.blobs = folder.resolve("blobs/sha256");
  }

  public static void main(String[] arguments) throws IOException {
    Path folder = Path.of(arguments[0]);
    var layout = new OciLayout(folder);
    Files.createDirectories(layout.blobs);
    List<ObjectNode> images = new ArrayList<>();
    for (String image : Arrays.asList(arguments).subList(2, arguments.length)) {
      Path from = Path.of(image);
      if (Files.exists(from.resolve("oci-layout"))) {
        images.addAll(layout.taken(from));
      } else {
        images.add(layout.converted(from));
      }
    }
    layout.finish(folder, arguments[1], images);
  }

  /** The images of another layout. */
  private List<ObjectNode> taken(Path from) throws IOException {
    Path others = from.resolve("blobs/sha256");
    JsonNode root = JSON.readTree(from.resolve("index.json").toFile());
    JsonNode index = JSON.readTree(blob(others, root.at("/manifests/0/digest")).toFile());
    List<ObjectNode> images = new ArrayList<>();
    for (JsonNode image : index.get("manifests")) {
      Path manifest = blob(others, image.get("digest"));
      JsonNode content = JSON.readTree(manifest.toFile());
      add(Files.readAllBytes(manifest));
      add(Files.readAllBytes(blob(others, content.at("/config/digest"))));
      for (JsonNode layer : content.get("layers")) {
        add(Files.readAllBytes(blob(others, layer.get("digest"))));
      }
      images.add((ObjectNode) image);
    }
    return images;
  }

  private static Path blob(Path folder, JsonNode digest) {
    return folder.resolve(digest.asText().substring("sha256:".length()));
  }

  /** The one image of an archive of Docker's form. */
  private ObjectNode converted(Path from) throws IOException {
    JsonNode image = JSON.readTree(from.resolve("manifest.json").toFile()).get(0);
    byte[] config = Files.readAllBytes(from.resolve(image.get("Config").asText()));
    ObjectNode manifest =
        JSON.createObjectNode().put("schemaVersion", 2).put("mediaType", MANIFEST);
    manifest.set("config", descriptor(CONFIG, config));
    ArrayNode layers = manifest.putArray("layers");
    for (JsonNode layer : image.get("Layers")) {
      layers.add(descriptor(LAYER, Files.readAllBytes(from.resolve(layer.asText()))));
    }
    ObjectNode entry = descriptor(MANIFEST, JSON.writeValueAsBytes(manifest));
    JsonNode settings = JSON.readTree(config);
    entry
        .putObject("platform")
        .put("architecture", settings.get("architecture").asText())
        .put("os", settings.get("os").asText());
    return entry;
  }

  private void finish(Path folder, String version, List<ObjectNode> images) throws IOException {
    List<String> platforms = images.stream().map(OciLayout::platform).sorted().toList();
    if (platforms.stream().distinct().count() < platforms.size()) {
      throw new IllegalArgumentException("more than one image for a platform: " + platforms);
    }
    images.sort(Comparator.comparing(OciLayout::platform));
    ObjectNode index = JSON.createObjectNode().put("schemaVersion", 2).put("mediaType", INDEX);
    index.putArray("manifests").addAll(images);
    ObjectNode root = JSON.createObjectNode().put("schemaVersion", 2).put("mediaType", INDEX);
    ObjectNode entry = descriptor(INDEX, JSON.writeValueAsBytes(index));
    entry.putObject("annotations").put("org.opencontainers.image.ref.name", version);
    root.putArray("manifests").add(entry);
    Files.write(folder.resolve("index.json"), JSON.writeValueAsBytes(root));
    Files.writeString(folder.resolve("oci-layout"), "{\"imageLayoutVersion\":\"1.0.0\"}");
    System.out.println(entry.get("digest").asText() + " " + String.join(" ", platforms));
  }

  private static String platform(JsonNode image) {
    return image.at("/platform/os").asText() + "/" + image.at("/platform/architecture").asText();
  }

  private ObjectNode descriptor(String type, byte[] content) throws IOException {
    return JSON.createObjectNode()
        .put("mediaType", type)
        .put("digest", "sha256:" + add(content))
        .put("size", content.length);
  }

  /** Writes a blob under its digest. */
  private String add(byte[] content) throws IOException {
    try {
      String digest =
          HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
      Path part = blobs.resolve(digest + ".part");
      Files.write(part, content);
      Files.move(part, blobs.resolve(digest), StandardCopyOption.REPLACE_EXISTING);
      return digest;
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("each JDK has SHA-256", e);
    }
  }
}
