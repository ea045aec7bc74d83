package dev.rekindle.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.watch.WatchLiveness;
import io.micronaut.context.annotation.Property;
import io.micronaut.test.extensions.junit5.annotation.MicronautTest;
import jakarta.inject.Inject;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The console checks its watches from its start. */
@MicronautTest
@Property(name = "micronaut.server.port", value = "-1")
@Property(name = "micronaut.server.host", value = "localhost")
@Timeout(120)
class DeadWatchTest {
  private static final Recovery RECOVERY =
      Given.recovery("dead-watch", "llm-r1", RecoveryPhase.RECOVERED, Given.T0);

  static {
    StubClients.CLUSTER.client().resource(RECOVERY).create();
  }

  @Inject private ClusterWatch watch;

  @AfterAll
  static void forget() {
    StubClients.CLUSTER.client().resource(RECOVERY).delete();
  }

  /** The first check notes the version, the next one 15 s later finds that it stands. */
  @Test
  void shouldReplaceADeadWatch() {
    until(() -> watch.synced() && isThere());
    watch.recoveries().stores().getFirst().remove("dead-watch/llm-r1");
    until(
        () -> {
          StubClients.PASSED.addAndGet(WatchLiveness.SILENT.dividedBy(100).toNanos());
          return isThere();
        });
  }

  private boolean isThere() {
    return watch.recoveries().find("dead-watch", "llm-r1").isPresent();
  }

  private static void until(BooleanSupplier done) {
    while (!done.getAsBoolean()) {
      // Interrupted, it would not park any more.
      assertThat(Thread.currentThread().isInterrupted()).as("out of time").isFalse();
      LockSupport.parkNanos(10_000_000);
    }
  }
}
