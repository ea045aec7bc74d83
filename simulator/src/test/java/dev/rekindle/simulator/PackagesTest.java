package dev.rekindle.simulator;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import org.junit.jupiter.api.Test;

/** The packages of the simulator use each other one way. */
class PackagesTest {
  private static final String ROOT = "dev.rekindle.simulator";

  /** From where the main classes are: tests stand in the same packages. */
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .importUrl(Simulation.class.getProtectionDomain().getCodeSource().getLocation());

  @Test
  void shouldFormNoCycle() {
    slices().assignedFrom(new Packages()).should().beFreeOfCycles().check(CLASSES);
  }

  /** The root is a package like any other: it puts world and controller together. */
  private static final class Packages implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass one) {
      return one.getPackageName().startsWith(ROOT)
          ? SliceIdentifier.of(one.getPackageName())
          : SliceIdentifier.ignore();
    }

    @Override
    public String getDescription() {
      return "packages of the simulator";
    }
  }
}
