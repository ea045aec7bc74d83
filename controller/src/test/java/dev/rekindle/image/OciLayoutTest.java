package dev.rekindle.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program as {@code ./rekindle package} starts it, from its source. */
class OciLayoutTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder;

  private record Run(int code, String said) {}

  private static Run run(Path out, Path... images) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path")));
    command.add("src/image/java/dev/rekindle/image/OciLayout.java");
    command.addAll(List.of(out.toString(), "1.2.3"));
    for (Path image : images) {
      command.add(image.toString());
    }
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Run(process.waitFor(), said);
  }

  /** As jib writes it. */
  private Path docker(String architecture) throws IOException {
    Path image = Files.createDirectory(folder.resolve("docker-" + architecture));
    Files.writeString(image.resolve("aa.tar.gz"), "layer of both");
    Files.writeString(image.resolve("bb.tar.gz"), "layer for " + architecture);
    Files.writeString(
        image.resolve("config.json"),
        """
        {"architecture": "%s", "os": "linux", "rootfs": {"type": "layers", "diff_ids": []}}
        """
            .formatted(architecture));
    Files.writeString(
        image.resolve("manifest.json"),
        """
        [{"Config": "config.json", "RepoTags": ["a:b"], "Layers": ["aa.tar.gz", "bb.tar.gz"]}]
        """);
    return image;
  }

  /** Each blob is what its name says, and nothing that is named is missing. */
  private static List<JsonNode> images(Path layout) throws Exception {
    Path blobs = layout.resolve("blobs/sha256");
    try (Stream<Path> all = Files.list(blobs)) {
      for (Path blob : all.toList()) {
        byte[] sum = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(blob));
        assertThat(blob.getFileName()).hasToString(HexFormat.of().formatHex(sum));
      }
    }
    JsonNode root = JSON.readTree(layout.resolve("index.json").toFile()).get("manifests");
    assertThat(root).hasSize(1);
    assertThat(root.get(0).at("/annotations/org.opencontainers.image.ref.name").asText())
        .isEqualTo("1.2.3");
    List<JsonNode> images = new ArrayList<>();
    for (JsonNode image : JSON.readTree(blob(blobs, root.get(0)).toFile()).get("manifests")) {
      JsonNode manifest = JSON.readTree(blob(blobs, image).toFile());
      assertThat(blob(blobs, manifest.get("config"))).exists();
      assertThat(manifest.get("layers")).hasSize(2);
      for (JsonNode layer : manifest.get("layers")) {
        assertThat(Files.size(blob(blobs, layer))).isEqualTo(layer.get("size").asLong());
      }
      images.add(image);
    }
    return images;
  }

  private static Path blob(Path blobs, JsonNode descriptor) {
    return blobs.resolve(descriptor.get("digest").asText().substring("sha256:".length()));
  }

  @Test
  void shouldMakeOneIndexOfTheImagesOfTwoMachines() throws Exception {
    Path amd = folder.resolve("amd");
    Path arm = folder.resolve("arm");
    assertThat(run(amd, docker("amd64")).code()).isZero();
    assertThat(run(arm, docker("arm64")).code()).isZero();
    assertThat(images(amd)).hasSize(1);

    Path both = folder.resolve("both");
    Path turned = folder.resolve("turned");
    assertThat(run(both, amd, arm)).isEqualTo(run(turned, arm, amd));
    assertThat(images(both))
        .extracting(image -> image.at("/platform/architecture").asText())
        .containsExactly("amd64", "arm64");
    assertThat(Files.readString(both.resolve("index.json")))
        .isEqualTo(Files.readString(turned.resolve("index.json")));
    assertThat(Files.readString(both.resolve("oci-layout"))).contains("1.0.0");
  }

  @Test
  void shouldRefuseTwoImagesForOnePlatform() throws Exception {
    Path one = docker("amd64");

    Run run = run(folder.resolve("out"), one, one);
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.said()).contains("more than one image for a platform");
  }
}
