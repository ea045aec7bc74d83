package dev.rekindle.testbed;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/**
 * A wall clock of its own for each of our controllers, by libfaketime; their monotonic clock runs
 * on, as it does when NTP or a person sets a machine's clock.
 */
final class FakeClocks implements AutoCloseable {
  private static final String LIBRARY = "libfaketimeMT.so.1";
  private static final String INSIDE = "/faketime";
  private static final Path FOLDER = Testbed.RUN.resolve("faketime");

  private final ControllerProcess controllers;
  private final Deployment former;

  private FakeClocks(ControllerProcess controllers, Deployment former) {
    this.controllers = controllers;
    this.former = former;
  }

  /** The controllers, started again with clocks that can be set, and are right so far. */
  static FakeClocks install(ControllerProcess controllers) {
    try {
      Files.createDirectories(FOLDER);
      Files.copy(library(), FOLDER.resolve(LIBRARY), StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    FakeClocks clocks = new FakeClocks(controllers, controllers.deployment());
    try {
      controllers.replace(FakeClocks::withClock);
    } catch (RuntimeException | AssertionError e) {
      clocks.close();
      throw e;
    }
    return clocks;
  }

  private static Path library() throws IOException {
    try (var found = Files.newDirectoryStream(Path.of("/usr/lib"), "*-linux-gnu")) {
      for (Path folder : found) {
        Path library = folder.resolve("faketime").resolve(LIBRARY);
        if (Files.exists(library)) {
          return library;
        }
      }
    }
    throw new AssertionError(LIBRARY + " is not there: Debian package libfaketime");
  }

  private static Deployment withClock(Deployment deployment) {
    PodSpec pod = deployment.getSpec().getTemplate().getSpec();
    List<Volume> volumes = new ArrayList<>(pod.getVolumes());
    volumes.add(
        new VolumeBuilder()
            .withName("faketime")
            .withNewHostPath()
            .withPath(FOLDER.toString())
            .endHostPath()
            .build());
    pod.setVolumes(volumes);
    Container container = pod.getContainers().getFirst();
    List<VolumeMount> mounts = new ArrayList<>(container.getVolumeMounts());
    mounts.add(
        new VolumeMountBuilder()
            .withName("faketime")
            .withMountPath(INSIDE)
            .withReadOnly(true)
            .build());
    container.setVolumeMounts(mounts);
    List<EnvVar> env = new ArrayList<>(container.getEnv());
    env.add(
        new EnvVarBuilder()
            .withName("CLOCK_OF")
            .withNewValueFrom()
            .withNewFieldRef()
            .withFieldPath("metadata.name")
            .endFieldRef()
            .endValueFrom()
            .build());
    env.add(new EnvVar("LD_PRELOAD", INSIDE + "/" + LIBRARY, null));
    env.add(new EnvVar("FAKETIME_TIMESTAMP_FILE", INSIDE + "/$(CLOCK_OF)", null));
    // Without it the file is read at each reading of the clock, which a JVM takes very often.
    env.add(new EnvVar("FAKETIME_CACHE_DURATION", "1", null));
    env.add(new EnvVar("FAKETIME_DONT_FAKE_MONOTONIC", "1", null));
    // With its default every timed wait of a JVM ends at once, as it is reckoned from the monotonic
    // clock: the controller's threads spin and it is not ready for minutes.
    env.add(new EnvVar("FAKETIME_FORCE_MONOTONIC_FIX", "0", null));
    container.setEnv(env);
    return deployment;
  }

  /** Sets the clock of a controller so many seconds off the truth; it follows within a second. */
  void set(Pod controller, long seconds) {
    Path file = FOLDER.resolve(controller.getMetadata().getName());
    try {
      Path draft = Files.writeString(FOLDER.resolve("draft"), "%+d%n".formatted(seconds));
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The controllers as they were. */
  @Override
  public void close() {
    controllers.replace(
        d -> {
          d.getSpec().setTemplate(former.getSpec().getTemplate());
          return d;
        });
  }
}
