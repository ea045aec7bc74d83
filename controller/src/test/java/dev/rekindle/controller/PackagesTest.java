package dev.rekindle.controller;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import dev.rekindle.controller.model.Policy;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** The packages of docs/architecture.md: which there are, and which of them each may use. */
class PackagesTest {
  private static final String ROOT = "dev.rekindle.controller.";
  private static final String FABRIC8 = "io.fabric8..";

  /** Each package with those that it may use. */
  private static final Map<String, Set<String>> USES =
      Map.ofEntries(
          Map.entry("network", Set.of()),
          Map.entry("model", Set.of("network")),
          Map.entry("port", Set.of("model", "network")),
          Map.entry("runtime", Set.of("port")),
          Map.entry("telemetry", Set.of("model", "network")),
          Map.entry("policy", Set.of("model", "port", "runtime")),
          Map.entry("checkpoint", Set.of("model")),
          Map.entry("economics", Set.of("model")),
          Map.entry(
              "placement", Set.of("model", "network", "placement.plan", "placement.topology")),
          Map.entry("placement.topology", Set.of("model")),
          Map.entry("placement.plan", Set.of("placement.topology")),
          Map.entry("diagnosis", Set.of("model", "network", "policy", "port")),
          Map.entry("shadow", Set.of("model", "policy", "port", "telemetry")),
          Map.entry(
              "fencing",
              Set.of("diagnosis", "model", "policy", "port", "runtime", "shadow", "telemetry")),
          Map.entry("nodehealth", Set.of("fencing", "model", "policy", "port", "runtime")),
          Map.entry(
              "spares", Set.of("diagnosis", "model", "placement", "policy", "port", "telemetry")),
          Map.entry(
              "recovery",
              Set.of(
                  "checkpoint",
                  "diagnosis",
                  "economics",
                  "fencing",
                  "model",
                  "network",
                  "placement",
                  "policy",
                  "port",
                  "runtime",
                  "shadow",
                  "spares",
                  "telemetry")),
          Map.entry("notification", Set.of("model", "port", "recovery", "runtime")),
          Map.entry("notification.webhook", Set.of("model", "notification", "recovery")),
          Map.entry(
              "doctor", Set.of("diagnosis", "model", "network", "placement.topology", "recovery")),
          Map.entry("cli", Set.of()),
          Map.entry("install", Set.of("cli")),
          Map.entry("cache", Set.of("model", "network", "port")),
          Map.entry("kubernetes.convert", Set.of("model", "checkpoint", "network")),
          Map.entry(
              "kubernetes",
              Set.of(
                  "checkpoint",
                  "cache",
                  "cli",
                  "diagnosis",
                  "doctor",
                  "fencing",
                  "install",
                  "kubernetes.convert",
                  "model",
                  "network",
                  "notification",
                  "placement",
                  "policy",
                  "port",
                  "runtime")),
          Map.entry(
              "app",
              Set.of(
                  "cli",
                  "doctor",
                  "fencing",
                  "install",
                  "kubernetes",
                  "kubernetes.convert",
                  "model",
                  "nodehealth",
                  "notification",
                  "notification.webhook",
                  "policy",
                  "port",
                  "recovery",
                  "runtime",
                  "telemetry")));

  /** From where the main classes are: tests stand in the same packages. */
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .importUrl(Policy.class.getProtectionDomain().getCodeSource().getLocation());

  @Test
  void shouldFormNoCycle() {
    slices().assignedFrom(new Packages()).should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void shouldUseOnlyWhatTheArrowsAllow() {
    Map<String, Set<String>> uses =
        CLASSES.stream()
            .filter(c -> !name(c).isEmpty())
            .collect(
                Collectors.groupingBy(
                    PackagesTest::name,
                    TreeMap::new,
                    Collectors.flatMapping(
                        c ->
                            c.getDirectDependenciesFromSelf().stream()
                                .map(d -> d.getTargetClass().getBaseComponentType())
                                .filter(t -> t.getPackageName().startsWith(ROOT))
                                .map(PackagesTest::name)
                                .filter(other -> !other.equals(name(c))),
                        Collectors.toSet())));

    Assertions.assertThat(uses).containsExactlyInAnyOrderEntriesOf(USES);
  }

  /** One object that is refused hides all others of its kind. */
  @Test
  void shouldReadWhatAnApiServerHasStoredWithoutRefusingIt() {
    Assertions.assertThat(
            CLASSES.stream()
                .filter(c -> uses(c, "io.fabric8.kubernetes.client.KubernetesClientBuilder")))
        .isNotEmpty()
        .allMatch(c -> uses(c, "dev.rekindle.watch.StoredJson"));
  }

  private static boolean uses(JavaClass one, String other) {
    return one.getDirectDependenciesFromSelf().stream()
        .anyMatch(d -> d.getTargetClass().getName().equals(other));
  }

  @Test
  void shouldLeaveTheApiServerToKubernetesAndApp() {
    noClasses()
        .that()
        .resideInAPackage(ROOT + ".")
        .and()
        .resideOutsideOfPackages(ROOT + "kubernetes..", ROOT + "app")
        .should()
        .dependOnClassesThat(
            JavaClass.Predicates.resideInAPackage(FABRIC8)
                .and(DescribedPredicate.not(partOfOurResources())))
        .because("decisions are made on views, without a client")
        .check(CLASSES);
  }

  /** Our resources as records have Kubernetes' conditions in them. */
  private static DescribedPredicate<JavaClass> partOfOurResources() {
    Set<String> names =
        Set.of(
            "io.fabric8.kubernetes.api.model.Condition",
            "io.fabric8.kubernetes.api.model.ConditionBuilder");
    return DescribedPredicate.describe("part of our resources", c -> names.contains(c.getName()));
  }

  private static String name(JavaClass c) {
    String name = c.getPackageName();
    return name.startsWith(ROOT) ? name.substring(ROOT.length()) : "";
  }

  /** One slice for each package; {@code kubernetes.convert} is one of its own. */
  private static final class Packages implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass c) {
      return name(c).isEmpty() ? SliceIdentifier.ignore() : SliceIdentifier.of(name(c));
    }

    @Override
    public String getDescription() {
      return "packages of the controller";
    }
  }
}
