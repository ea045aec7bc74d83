package dev.rekindle;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.rekindle.detect.SteadyClock;
import org.junit.jupiter.api.Test;

/** The packages of docs/architecture.md: what detects, and the agent that runs it on a node. */
class PackagesTest {
  private static final String CLIENT = "io.fabric8.kubernetes.client";

  /** From where the main classes are: tests stand in the same packages. */
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .importUrl(SteadyClock.class.getProtectionDomain().getCodeSource().getLocation());

  @Test
  void shouldFormNoCycle() {
    slices().matching("dev.rekindle.(*).(*)..").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void shouldDetectWithoutAnAgent() {
    noClasses()
        .that()
        .resideInAPackage("dev.rekindle.detect..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.rekindle.agent..")
        .because("controller, simulator and command line detect as well")
        .check(CLASSES);
  }

  @Test
  void shouldLogWithoutKnowingWhoDoes() {
    noClasses()
        .that()
        .resideInAPackage("dev.rekindle.logging")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.rekindle.detect..", "dev.rekindle.agent..", "dev.rekindle.cli..")
        .because("everything else logs")
        .check(CLASSES);
  }

  @Test
  void shouldSetUpLogbackInOnePlace() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.rekindle.logging")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("ch.qos.logback..")
        .because("the simulator runs these classes without Logback")
        .check(CLASSES);
  }

  @Test
  void shouldCallTheApiServerFromTheAgentOnly() {
    noClasses()
        .that()
        .resideInAPackage("dev.rekindle.detect..")
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName(CLIENT + ".KubernetesClient")
        .because("what detects gets what it reads, and says what is to be written")
        .check(CLASSES);
  }

  /** One object that is refused hides all others of its kind. */
  @Test
  void shouldReadWhatAnApiServerHasStoredWithoutRefusingIt() {
    assertThat(CLASSES.stream().filter(c -> uses(c, CLIENT + ".KubernetesClientBuilder")))
        .isNotEmpty()
        .allMatch(c -> uses(c, "dev.rekindle.watch.StoredJson"));
  }

  private static boolean uses(JavaClass one, String other) {
    return one.getDirectDependenciesFromSelf().stream()
        .anyMatch(d -> d.getTargetClass().getName().equals(other));
  }

  @Test
  void shouldKnowTheRoomsOfTheAgentInItsAppOnly() {
    noClasses()
        .that()
        .resideInAPackage("dev.rekindle.agent..")
        .and()
        .resideOutsideOfPackage("dev.rekindle.agent.app")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.rekindle.agent.app")
        .check(CLASSES);
  }
}
