package dev.rekindle.testbed;

import java.lang.annotation.Annotation;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Gives a test its {@link Scene} on the one testbed of the run, keeps the evidence when the test
 * fails, and cleans up after it.
 */
final class TestbedExtension implements ParameterResolver, AfterEachCallback {
  private static final Namespace OURS = Namespace.create(TestbedExtension.class);

  /** A cluster that did not come up fails every test at once instead of being tried again. */
  private record Started(@org.jspecify.annotations.Nullable Testbed testbed, String failure)
      implements AutoCloseable {
    static Started start() {
      try {
        return new Started(Testbed.start(), "");
      } catch (RuntimeException | AssertionError e) {
        return new Started(null, "the testbed did not come up: " + e);
      }
    }

    Testbed get() {
      if (testbed == null) {
        throw new AssertionError(failure);
      }
      return testbed;
    }

    @Override
    public void close() {
      if (testbed != null) {
        testbed.close();
      }
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Scene.class;
  }

  @Override
  public Scene resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Started started =
        context
            .getRoot()
            .getStore(OURS)
            .computeIfAbsent(Started.class, _ -> Started.start(), Started.class);
    return context
        .getStore(OURS)
        .computeIfAbsent(Scene.class, _ -> scene(started.get(), context), Scene.class);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    Scene scene = context.getStore(OURS).get(Scene.class, Scene.class);
    if (scene == null) {
      return;
    }
    String outcome = context.getExecutionException().isPresent() ? "FAILED" : "passed";
    double seconds = Duration.between(scene.began(), Instant.now()).toMillis() / 1000.0;
    Testbed.log(
        "%s in %.1f s: %s%s"
            .formatted(outcome, seconds, scene.name(), leaderChanges(scene.leaderChanges())));
    if (context.getExecutionException().isPresent()) {
      Evidence.of(scene).write();
    }
    try {
      scene.cleanUp();
    } catch (RuntimeException | AssertionError e) {
      Evidence.of(scene).write();
      throw e;
    } finally {
      scene.dispose();
    }
  }

  /** If the leader changes and no test has ended it, the machine is too busy. */
  private static String leaderChanges(int times) {
    return times <= 0 ? "" : ", leader changes: " + times;
  }

  private static Scene scene(Testbed testbed, ExtensionContext context) {
    int halves =
        annotated(context, OnAllNodes.class)
            ? Half.values().length
            : annotated(context, OnHalfTheNodes.class) ? 1 : 0;
    Scene scene = new Scene(testbed, nameOf(context), testbed.halves().take(halves));
    // Tests that share nodes break none of them, and read what stalls have left on them.
    if (halves > 0 || !annotated(context, Execution.class)) {
      try {
        scene.cluster().forgive();
      } catch (RuntimeException e) {
        scene.dispose();
        throw e;
      }
    }
    return scene;
  }

  private static boolean annotated(ExtensionContext context, Class<? extends Annotation> what) {
    return AnnotationSupport.isAnnotated(context.getTestMethod(), what);
  }

  private static String nameOf(ExtensionContext context) {
    String method = context.getRequiredTestMethod().getName();
    String display = context.getDisplayName();
    String which = display.startsWith(method) ? "" : " " + display;
    return context.getRequiredTestClass().getSimpleName() + "." + method + which;
  }
}
