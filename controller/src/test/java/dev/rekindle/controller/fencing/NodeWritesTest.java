package dev.rekindle.controller.fencing;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.fault;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.Policies;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.NodeIncidentHistory;
import dev.rekindle.controller.model.Reason;
import dev.rekindle.controller.port.Changes;
import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.controller.port.ClusterGateway.RefusedException;
import dev.rekindle.controller.port.ClusterGateway.UnavailableException;
import dev.rekindle.controller.telemetry.Metrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NodeWritesTest {
  private final RefusedException forbidden =
      new RefusedException(403, "admission webhook \"nodes.example\" denied the request: frozen");

  private final Map<String, RuntimeException> refusals = new HashMap<>();
  private final List<String> calls = new ArrayList<>();
  private final List<ClusterEvent> said = new ArrayList<>();
  private Instant now = T0;

  /** Does what it is asked for, but for what it refuses. */
  private final ClusterGateway gateway =
      (ClusterGateway)
          Proxy.newProxyInstance(
              ClusterGateway.class.getClassLoader(),
              new Class<?>[] {ClusterGateway.class},
              (_, method, args) -> {
                if (method.getName().equals("recordEvent")) {
                  said.add((ClusterEvent) args[0]);
                  return null;
                }
                calls.add(method.getName() + " " + args[0]);
                RuntimeException refusal = refusals.get(method.getName());
                if (refusal != null) {
                  throw refusal;
                }
                return method.getReturnType() == boolean.class ? true : null;
              });

  private final Metrics metrics = new Metrics(new PrometheusRegistry());
  private final NodeWrites writes = new NodeWrites(gateway, metrics, () -> now);
  private final FlatState state =
      new FlatState(
          new Changes() {
            @Override
            public void job(JobKey key) {}

            @Override
            public void node(String name) {}
          });
  private final FenceReconciler reconciler =
      new FenceReconciler(state, gateway, metrics, () -> now, writes);

  @Test
  void shouldAskWithGrowingPausesAndSayWhatLasts() {
    List<Duration> pauses = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      assertThat(
              writes.ask(
                  "n",
                  "cordon",
                  () -> {
                    throw forbidden;
                  }))
          .isFalse();
      assertThat(writes.ask("n", "cordon", () -> calls.add("too soon"))).isFalse();
      Duration pause = writes.again("n").orElseThrow();
      pauses.add(pause);
      now = now.plus(pause);
    }

    assertThat(calls).isEmpty();
    assertThat(pauses.stream().map(Duration::toSeconds))
        .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L, 60L);
    assertThat(said)
        .singleElement()
        .satisfies(a -> assertThat(a.reason()).isEqualTo(Reason.NODE_WRITE_REFUSED))
        .satisfies(a -> assertThat(a.node()).isEqualTo("n"))
        .satisfies(a -> assertThat(a.note()).contains("cordon: 403: admission webhook", "denied"));

    assertThat(writes.ask("n", "cordon", () -> calls.add("accepted"))).isTrue();
    assertThat(writes.again("n")).isEmpty();
    assertThat(calls).containsExactly("accepted");
  }

  @Test
  void shouldKeepNoOtherWriteAndNoOtherNodeWaiting() {
    assertThat(
            writes.ask(
                "n",
                "cordon",
                () -> {
                  throw forbidden;
                }))
        .isFalse();

    assertThat(writes.ask("n", "mark", () -> {})).isTrue();
    assertThat(writes.ask("m", "cordon", () -> {})).isTrue();
    assertThat(writes.again("m")).isEmpty();
  }

  @Test
  void shouldSayNothingOfAServerThatIsAwayForAMinuteAndAskItOften() {
    for (int i = 0; i < 8; i++) {
      var _ =
          writes.ask(
              "n",
              "cordon",
              () -> {
                throw new UnavailableException(503, "etcd elects", Duration.ZERO);
              });
      assertThat(writes.again("n").orElseThrow()).isLessThanOrEqualTo(Duration.ofSeconds(15));
      now = now.plus(writes.again("n").orElseThrow());
    }
    assertThat(said).isEmpty();
    assertThat(Duration.between(T0, now)).isLessThan(Duration.ofMinutes(3));
  }

  @Test
  void shouldWaitAsLongAsTheServerAsksButForAMinuteAtMost() {
    for (int seconds : List.of(20, 3600)) {
      var _ =
          writes.ask(
              "n" + seconds,
              "cordon",
              () -> {
                throw new UnavailableException(429, "too many", Duration.ofSeconds(seconds));
              });
    }

    assertThat(writes.again("n20")).contains(Duration.ofSeconds(20));
    assertThat(writes.again("n3600")).contains(Duration.ofMinutes(1));
  }

  @Test
  void shouldNotWaitForAClockThatWasSetBack() {
    var _ =
        writes.ask(
            "n",
            "cordon",
            () -> {
              throw forbidden;
            });
    now = now.minus(Duration.ofDays(1));

    assertThat(writes.ask("n", "cordon", () -> {})).isTrue();
  }

  /** Whatever is refused of the node, what remains is done. */
  @Test
  void shouldCordonANodeWhoseMarkAsALemonIsRefused() {
    guilty("n");
    refusals.put("markLemon", forbidden);

    assertThat(reconciler.reconcile("n")).isPresent();

    assertThat(calls).containsExactly("markLemon n", "cordon n");
    assertThat(said).extracting(ClusterEvent::reason).containsExactly(Reason.NODE_FENCED);
  }

  @Test
  void shouldSayThatACordonIsRefusedAndCordonOnceItIsAccepted() {
    guilty("n");
    refusals.put("cordon", forbidden);
    for (int i = 0; i < 4; i++) {
      now = now.plus(reconciler.reconcile("n").orElseThrow());
    }
    assertThat(said).extracting(ClusterEvent::reason).contains(Reason.NODE_WRITE_REFUSED);
    assertThat(said).extracting(ClusterEvent::reason).doesNotContain(Reason.NODE_FENCED);

    refusals.clear();
    var _ = reconciler.reconcile("n");

    assertThat(said).extracting(ClusterEvent::reason).contains(Reason.NODE_FENCED);
  }

  /** A node that has broken down for the third time, under a policy for all GPU nodes. */
  private void guilty(String name) {
    NodeIncidentHistory troubles = new NodeIncidentHistory(List.of());
    for (int i = 1; i <= 3; i++) {
      troubles = troubles.and(T0.minus(Duration.ofDays(i)), "fault/x");
    }
    String written = troubles.format();
    state.policyFeed().present("default", "1", Policies.ofYaml("fencing: {scope: gpuNodes}"));
    state.nodeFeed().present(name, "1", node(name).withTroubles(written));
    state.faultFeed().present("f", "1", fault(name, "XID-79", FenceGuidance.ALWAYS));
  }

  // --- more faults than anybody looks at ------------------------------------------------------

  @Test
  void shouldLookAtSoManyFaultsOfANodeAndGoOn() {
    List<String> looks = new ArrayList<>();
    FlatState flooded =
        new FlatState(
            new Changes() {
              @Override
              public void job(JobKey key) {}

              @Override
              public void node(String name) {
                looks.add(name);
              }
            });
    flooded.policyFeed().present("default", "1", Policies.ofYaml("fencing: {scope: gpuNodes}"));
    flooded.nodeFeed().present("n", "1", node("n"));
    flooded.nodeFeed().present("m", "1", node("m"));
    looks.clear();
    for (int i = 0; i < 10_000; i++) {
      flooded
          .faultFeed()
          .present("n-" + i, "1", fault("n", "XID-31", FenceGuidance.THRESHOLD).withName("n-" + i));
    }
    assertThat(flooded.faults("n")).hasSize(768);
    assertThat(flooded.faultsOfCode("XID-31")).hasSize(768);
    assertThat(flooded.faultsLeftOut("n")).isEqualTo(10_000 - 768);
    assertThat(looks).as("looks that are asked for").hasSize(768 + 1);

    flooded.faultFeed().present("m-1", "1", fault("m", "XID-79", FenceGuidance.ALWAYS));
    FenceReconciler over = new FenceReconciler(flooded, gateway, metrics, () -> now, writes);
    var _ = over.reconcile("n");
    var _ = over.reconcile("n");
    var _ = over.reconcile("m");

    assertThat(calls).containsExactly("cordon m");
    assertThat(said)
        .extracting(ClusterEvent::reason)
        .containsExactly(Reason.TOO_MANY_FAULTS, Reason.NODE_FENCED);
    assertThat(said.getFirst().note()).contains("768 NodeFaults", "9232 or more are not");

    flooded.faultFeed().gone("n-5", "2");
    flooded
        .faultFeed()
        .present("n-9999", "2", fault("n", "XID-79", FenceGuidance.ALWAYS).withName("n-9999"));
    assertThat(flooded.faults("n")).as("there is room again").hasSize(768);
    assertThat(flooded.faultsLeftOut("n")).isEqualTo(10_000 - 768 - 1);
  }
}
