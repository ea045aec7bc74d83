package dev.rekindle.testbed.scale;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Evidence;
import dev.rekindle.api.RecoveryStatus.Outcome;
import dev.rekindle.api.TimelineEntry;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/** Recoveries that are over, of jobs that are gone, for the console to keep. */
final class Kept {
  private static final int NAMESPACES = 50;
  private static final int SECONDS = 12;

  private final Api api;

  Kept(Api api) {
    this.api = api;
  }

  static String namespace(int index) {
    return "team-" + index % NAMESPACES;
  }

  static String name(int index) {
    return "job-%d-r1".formatted(index);
  }

  /** Makes so many. */
  void make(int number) {
    inParallel(NAMESPACES, this::makeNamespace);
    inParallel(number, this::makeRecovery);
  }

  private void makeNamespace(int index) {
    api.client()
        .resource(
            new NamespaceBuilder()
                .withNewMetadata()
                .withName(namespace(index))
                .endMetadata()
                .build())
        .create();
  }

  private void makeRecovery(int index) {
    Instant at = Instant.now().minusSeconds(SECONDS);
    Recovery recovery = new Recovery();
    recovery.setMetadata(
        new ObjectMetaBuilder().withNamespace(namespace(index)).withName(name(index)).build());
    recovery.setSpec(new RecoverySpec(JobRef.pyTorchJob("job-" + index, "uid-" + index), at, null));
    Recovery created = api.client().resource(recovery).create();
    created.setStatus(status("kwok-%05d".formatted(index % 1000), at));
    var _ = api.client().resource(created).updateStatus();
  }

  private static RecoveryStatus status(String node, Instant at) {
    return new RecoveryStatus(
        RecoveryPhase.RECOVERED,
        at.plusSeconds(SECONDS),
        1,
        null,
        new Cause(
            "XID-79",
            "XID-79 on GPU 0000:3b:00 of node " + node,
            List.of(Evidence.onNode(node, "NVRM: Xid (PCI:0000:3b:00): 79, off the bus.")),
            List.of(node),
            List.of(),
            List.of(),
            160L),
        null,
        new Outcome(150L, 151L, 10L, 2304.0, (double) SECONDS, Map.of()),
        List.of(
            new TimelineEntry(RecoveryPhase.DETECTED, at, "XID-79"),
            new TimelineEntry(RecoveryPhase.DRAINING, at.plusSeconds(1), "restart in place"),
            new TimelineEntry(RecoveryPhase.PLANNING, at.plusSeconds(3), "pods frozen"),
            new TimelineEntry(RecoveryPhase.RESUMING, at.plusSeconds(4), "from step 150"),
            new TimelineEntry(RecoveryPhase.VERIFYING, at.plusSeconds(6), "restarted"),
            new TimelineEntry(
                RecoveryPhase.RECOVERED, at.plusSeconds(SECONDS), "trains again from step 151")),
        List.of());
  }

  private void inParallel(int number, IntConsumer deed) {
    List<Thread> threads =
        IntStream.range(0, number)
            .mapToObj(
                i ->
                    Thread.startVirtualThread(
                        () -> {
                          var _ =
                              api.call(
                                  () -> {
                                    deed.accept(i);
                                    return i;
                                  });
                        }))
            .toList();
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
