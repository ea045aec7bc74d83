package dev.rekindle.detect.probes;

import java.lang.invoke.MethodHandles;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lets {@link ProbeServer} set its limits before any test. The JDK's server reads them once in a
 * process, and other tests start one too: whether {@code ProbeServerTest} passed depended on which
 * of them had run before it in its process.
 */
public final class ServerLimits implements BeforeAllCallback {
  @Override
  public void beforeAll(ExtensionContext context) throws IllegalAccessException {
    var _ = MethodHandles.lookup().ensureInitialized(ProbeServer.class);
  }
}
