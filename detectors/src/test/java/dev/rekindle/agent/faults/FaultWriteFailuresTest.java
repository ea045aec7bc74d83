package dev.rekindle.agent.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.agent.telemetry.AgentMetrics;
import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.NodeFaultStatus.State;
import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultStore;
import dev.rekindle.detect.fault.FaultWriter;
import dev.rekindle.detect.kmsg.UndeliveredException;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes that the API server refuses, for a while or for good. */
class FaultWriteFailuresTest extends FaultWriterFixture {
  @Test
  void shouldThrowAndCountOnceWhenServerRefusesForAWhile() {
    crud.refuse = request -> request.contains("/status") ? 503 : 0;
    assertThatThrownBy(() -> log(BOOT, 5, BUS)).isInstanceOf(UndeliveredException.class);
    crud.refuse = request -> 503;
    assertThatThrownBy(() -> log(BOOT, 5, BUS)).isInstanceOf(UndeliveredException.class);
    crud.refuse = request -> 0;
    log(BOOT, 5, BUS);
    assertThat(status("node-1.0000-3b-00.xid-79").count()).isEqualTo(1);
  }

  @Test
  void shouldCountARepeatOnceWhenItsWriteFailedBefore() {
    log(BOOT, 5, BUS);
    now = now.plus(FaultWriter.REPEAT);
    crud.refuse = request -> 503;
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> log(BOOT, 6, BUS)).isInstanceOf(UndeliveredException.class);
    }
    crud.refuse = request -> 0;
    log(BOOT, 6, BUS);
    assertThat(status("node-1.0000-3b-00.xid-79").count()).isEqualTo(2);
  }

  /**
   * Another's agent may have the name, or a policy be wrong: what comes after is read all the same.
   */
  @ParameterizedTest
  @ValueSource(ints = {403, 405, 415})
  void shouldSetAsideWhatMayNotBeWrittenAndReadOn(int refusal) {
    crud.refuse = request -> request.contains("nodefaults") ? refusal : 0;
    for (int i = 5; i < 10; i++) {
      assertThat(log(BOOT, i, BUS)).isTrue();
    }
    assertThat(writer.aside()).isEqualTo(1);
    crud.refuse = request -> 0;
    assertThat(log(BOOT, 10, BUS.replace("3B", "3c"))).isTrue();
    assertThat(status("node-1.0000-3c-00.xid-79").count()).isEqualTo(1);

    now = now.plusSeconds(2);
    writer.flush();
    assertThat(status("node-1.0000-3b-00.xid-79").count()).as("what was set aside").isEqualTo(5);
    assertThat(status("node-1.0000-3b-00.xid-79").lastSequence()).isEqualTo(9);
    assertThat(writer.aside()).isZero();
  }

  /** Each would wait for ten seconds, and a round that takes two minutes counts as stuck. */
  @Test
  void shouldWaitOnceForAnAnswerAndNotForEachFault() {
    AtomicInteger silent = new AtomicInteger(-1);
    writer =
        new FaultWriter(
            new Silent(new ApiFaults(crud.client), silent),
            () -> now,
            () -> now,
            new AgentMetrics(new PrometheusRegistry()),
            () -> "");
    for (int i = 0; i < 16; i++) {
      String line = BUS.replace("3B", "%02x".formatted(i));
      log(BOOT, 10 + 2 * i, line);
      log(BOOT, 11 + 2 * i, line);
    }
    now = now.plus(FaultWriter.REPEAT);

    silent.set(0);
    writer.flush();
    assertThat(silent).hasValue(1);

    silent.set(-1);
    now = now.plusSeconds(10);
    writer.flush();
    for (int i = 0; i < 16; i++) {
      assertThat(status("node-1.0000-%02x-00.xid-79".formatted(i)).count()).isEqualTo(2);
    }
  }

  @Test
  void shouldTryWhatIsSetAsideMoreAndMoreSeldomButNeverGiveUp() {
    crud.refuse = request -> 403;
    log(BOOT, 5, BUS);
    crud.requests.clear();
    for (int second = 0; second < 600; second++) {
      now = now.plusSeconds(1);
      log(BOOT, 6 + second, BUS);
      writer.flush();
    }
    assertThat(crud.requests).hasSizeBetween(10, 40);
    crud.refuse = request -> 0;
    now = now.plusSeconds(60);
    writer.flush();
    assertThat(status("node-1.0000-3b-00.xid-79").count()).isEqualTo(601);
  }

  /** While the API server fails the kernel's own buffer is the queue, up to a point. */
  @ParameterizedTest
  @ValueSource(ints = {401, 404, 409, 429, 500, 503})
  void shouldOfferAgainForAWhileAndThenReadOn(int trouble) {
    crud.refuse = request -> request.contains("nodefaults") ? trouble : 0;
    assertThatThrownBy(() -> log(BOOT, 5, BUS)).isInstanceOf(UndeliveredException.class);
    now = now.plus(Duration.ofSeconds(29));
    assertThatThrownBy(() -> log(BOOT, 5, BUS)).isInstanceOf(UndeliveredException.class);
    now = now.plus(Duration.ofSeconds(1));
    assertThat(log(BOOT, 5, BUS)).isTrue();
    crud.refuse = request -> 0;
    now = now.plusSeconds(2);
    writer.flush();
    assertThat(status("node-1.0000-3b-00.xid-79").count()).isEqualTo(1);
  }

  @Test
  void shouldSetAsideAClearanceThatIsRefusedAndClearLater() {
    log(BOOT, 1, BUS);
    crud.refuse = request -> 403;
    clear(10);
    assertThat(writer.aside()).isEqualTo(1);
    now = now.plusSeconds(30);
    writer.flush();
    assertThat(writer.aside()).as("still refused").isEqualTo(1);
    crud.refuse = request -> 0;
    now = now.plusSeconds(30);
    writer.flush();
    assertThat(status("node-1.0000-3b-00.xid-79").state()).isEqualTo(State.CLEARED);
    assertThat(writer.aside()).isZero();
  }

  @Test
  void shouldNotLetAFaultStandThatWasClearedWhileItWasSetAside() {
    crud.refuse = request -> 403;
    log(BOOT, 1, BUS);
    crud.refuse = request -> 0;
    clear(10);
    now = now.plus(Duration.ofMinutes(2));
    writer.flush();
    assertThat(crud.client.resources(NodeFault.class).list().getItems()).isEmpty();
    assertThat(writer.aside()).isZero();
  }

  /** Lines can be forged, and each made-up address is another object. */
  @Test
  void shouldWriteSoManyDifferentFaultsOfANodeAndMoreOnlyIfTheyFence() {
    int room = 700;
    for (int i = 0; i < room; i++) {
      write(i, FenceGuidance.NEVER);
    }
    assertThat(crud.client.resources(NodeFault.class).list().getItems()).hasSize(512);
    for (int i = 0; i < room; i++) {
      write(room + i, FenceGuidance.ALWAYS);
    }
    assertThat(crud.client.resources(NodeFault.class).list().getItems()).hasSize(512 + 128);
    write(0, FenceGuidance.ALWAYS);
    assertThat(stored("node-1.dev-0.x-1").getSpec().fence()).isEqualTo(FenceGuidance.ALWAYS);
  }

  private void write(int device, FenceGuidance fence) {
    writer.write(
        FaultObservation.of(
            new NodeFaultSpec(
                "node-1",
                ComponentType.GPU,
                "dev-" + device,
                "X-1",
                "kmsg",
                fence,
                "",
                "boot-1",
                now,
                "made up"),
            FaultObservation.NO_SEQUENCE,
            now));
  }

  @Test
  void shouldDropAndContinueWhenServerRefusesTheObjectPermanently() {
    crud.refuse = request -> request.startsWith("POST") ? 422 : 0;
    assertThat(log(BOOT, 5, BUS)).isTrue();
    assertThat(crud.client.resources(NodeFault.class).list().getItems()).isEmpty();
  }

  @Test
  void shouldThrowAndClearLaterWhenServerRefusesForAWhile() {
    log(BOOT, 1, BUS);
    crud.refuse = request -> request.startsWith("GET") ? 503 : 0;
    assertThatThrownBy(() -> clear(10)).isInstanceOf(KubernetesClientException.class);
    crud.refuse = request -> request.startsWith("PUT") ? 409 : 0;
    assertThatThrownBy(() -> clear(10)).isInstanceOf(KubernetesClientException.class);
    crud.refuse = request -> 0;
    clear(10);
    assertThat(status("node-1.0000-3b-00.xid-79").state()).isEqualTo(State.CLEARED);
  }

  /**
   * An API server that may not answer.
   *
   * @param calls those without an answer; negative while it answers
   */
  private record Silent(FaultStore store, AtomicInteger calls) implements FaultStore {
    private FaultStore asked() {
      if (calls.get() >= 0) {
        calls.incrementAndGet();
        throw new KubernetesClientException("timed out");
      }
      return store;
    }

    @Override
    public @Nullable NodeFault get(String name) {
      return asked().get(name);
    }

    @Override
    public List<NodeFault> ofNode(String node) {
      return asked().ofNode(node);
    }

    @Override
    public NodeFault create(NodeFault fault) {
      return asked().create(fault);
    }

    @Override
    public NodeFault update(NodeFault fault) {
      return asked().update(fault);
    }

    @Override
    public NodeFault updateStatus(NodeFault fault) {
      return asked().updateStatus(fault);
    }
  }
}
