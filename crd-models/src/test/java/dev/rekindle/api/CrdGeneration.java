package dev.rekindle.api;

import io.fabric8.crdv2.generator.CRDGenerator;
import io.fabric8.crdv2.generator.CRDPostProcessor;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The CRD files of the chart, as the types of this module say they must be. */
final class CrdGeneration {
  /** Distinguishes two versions of a schema; the chart compares it with what is installed. */
  static final String SCHEMA_ANNOTATION = "rekindle.dev/schema";

  private static final String HEAD =
      "# Generated from the records of dev.rekindle.api by `mvn test -pl crd-models`; not to be"
          + " edited.\n";

  private static final List<Class<? extends CustomResource<?, ?>>> KINDS =
      List.of(
          NodeFault.class,
          RankReport.class,
          Recovery.class,
          RecoveryPolicy.class,
          RestartOrder.class,
          RestartReport.class);

  private CrdGeneration() {}

  /** File name to content. */
  static Map<String, String> files() {
    Map<String, String> files = new TreeMap<>();
    definitions().forEach((name, crd) -> files.put(name, HEAD + Serialization.asYaml(crd)));
    return files;
  }

  /** File name to definition. */
  static Map<String, CustomResourceDefinition> definitions() {
    try {
      Path out = Files.createTempDirectory("rekindle-crds");
      new CRDGenerator()
          .inOutputDir(out.toFile())
          .forCRDVersions("v1")
          .withPostProcessor(new Refinement())
          .customResourceClasses(KINDS.stream().<Class<? extends HasMetadata>>map(k -> k).toList())
          .generate();
      Map<String, CustomResourceDefinition> definitions = new TreeMap<>();
      try (var made = Files.list(out)) {
        for (Path file : made.toList()) {
          var crd = Serialization.unmarshal(Files.readString(file), CustomResourceDefinition.class);
          definitions.put(crd.getSpec().getNames().getPlural() + ".yaml", crd);
          Files.delete(file);
        }
      }
      Files.delete(out);
      return definitions;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What the generator's annotations have no word for. */
  private static final class Refinement implements CRDPostProcessor {
    @Override
    public HasMetadata process(HasMetadata made, String crdVersion) {
      var crd = (CustomResourceDefinition) made;
      var kind =
          KINDS.stream()
              .filter(k -> k.getSimpleName().equals(crd.getSpec().getNames().getKind()))
              .findFirst()
              .orElseThrow();
      SchemaRefinement.apply(kind, crd);
      crd.getMetadata().setAnnotations(Map.of(SCHEMA_ANNOTATION, digest(crd)));
      return crd;
    }

    private static String digest(CustomResourceDefinition crd) {
      try {
        byte[] spec = Serialization.asYaml(crd.getSpec()).getBytes(StandardCharsets.UTF_8);
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(spec);
        return HexFormat.of().formatHex(hash, 0, 8);
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
