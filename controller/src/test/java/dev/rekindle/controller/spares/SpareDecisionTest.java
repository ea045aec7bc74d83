package dev.rekindle.controller.spares;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.GangScheduling;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.PodView.Phase;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.SpareOrder;
import dev.rekindle.controller.model.SpareView;
import dev.rekindle.controller.model.SpareWish;
import dev.rekindle.controller.spares.SpareDecision.Removal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** A gang on node-0 to node-2 that requests two spares; one may be on node-3. */
class SpareDecisionTest {
  private static final Instant NOW = T0.plusSeconds(3_600);
  private static final Policy POLICY =
      Policy.DEFAULT.with(b -> b.maxSpares(2).maxSparesPerNamespace(3));

  private static JobView asking(int spares) {
    return job().view().withSpares(new SpareWish(spares, "Worker", "t1"));
  }

  private static SpareView spare(int slot, String node) {
    return new SpareView(
        asking(1).key(),
        "demo-spare-" + slot,
        slot,
        "spare-uid-" + slot,
        asking(1).uid(),
        "t1",
        node,
        node.isEmpty() ? Phase.PENDING : Phase.RUNNING,
        false,
        8,
        Amounts.NONE,
        NOW.minusSeconds(30));
  }

  private static SpareSnapshot with(JobView job, SpareView... spares) {
    return new SpareSnapshot(
        job,
        gang(""),
        List.of(spares),
        List.of(spares).stream().map(SpareView::uid).toList(),
        null,
        Map.of("node-3", node("node-3"), "node-4", node("node-4")),
        List.of());
  }

  private static List<String> why(SpareSnapshot s) {
    return SpareDecision.removals(s, POLICY, NOW).stream().map(Removal::why).toList();
  }

  private static OptionalInt next(SpareSnapshot s) {
    return SpareDecision.next(s, POLICY, NOW);
  }

  @Test
  void shouldMakeOneAfterAnotherUpToWhatTheJobRequests() {
    assertThat(next(with(asking(2)))).hasValue(0);
    assertThat(next(with(asking(2), spare(0, "node-3")))).hasValue(1);
    assertThat(next(with(asking(2), spare(1, "node-3")))).hasValue(0);
    assertThat(next(with(asking(2), spare(0, "node-3"), spare(1, "node-4")))).isEmpty();
    assertThat(next(with(asking(0)))).isEmpty();
  }

  /** The kubelet of a node that does not answer confirms no end: the object stays until it does. */
  @Test
  void shouldMakeAnotherOneForASpareWhoseNodeIsSilent() {
    SpareView lost = spare(0, "node-3").withTerminating(true);
    SpareSnapshot s = with(asking(1), lost);
    assertThat(next(s)).as("a node that answers lets it go soon").isEmpty();
    SpareSnapshot silent = s.withNodes(Map.of("node-3", silentNode("node-3")));
    assertThat(next(silent)).hasValue(1);
    assertThat(next(s.withNodes(Map.of()))).as("its node is gone").hasValue(1);

    SpareSnapshot both =
        with(asking(1), lost, spare(1, "node-4"))
            .withNodes(Map.of("node-3", silentNode("node-3"), "node-4", node("node-4")));
    assertThat(next(both)).isEmpty();
    assertThat(why(both)).as("the other one stays").isEmpty();
    assertThat(why(with(asking(1), spare(0, "node-3"), spare(1, "node-4"))))
        .containsExactly("the job asks for fewer");
  }

  private static NodeView silentNode(String name) {
    return node(name).withReadiness(Readiness.SILENT);
  }

  @Test
  void shouldMakeNoMoreThanThePolicyAllows() {
    assertThat(next(with(asking(5), spare(0, "node-3"), spare(1, "node-4")))).isEmpty();
    assertThat(SpareDecision.wanting(with(asking(5)), POLICY)).contains("2 of 5", "maxPerJob");
    SpareSnapshot full = with(asking(2)).withInNamespace(List.of("a", "b", "c"));
    assertThat(next(full)).isEmpty();
    assertThat(SpareDecision.wanting(full, POLICY)).contains("maxPerNamespace");
    assertThat(SpareDecision.next(with(asking(2)), POLICY.with(b -> b.maxSpares(0)), NOW))
        .isEmpty();
  }

  @Test
  void shouldMakeNoneBesideAGangThatIsIncompleteOrRecovers() {
    SpareSnapshot s = with(asking(2));
    assertThat(next(s.withPods(gang("").subList(0, 2)))).isEmpty();
    List<PodView> starting = new ArrayList<>(gang(""));
    starting.set(1, starting.get(1).withPhase(Phase.PENDING));
    assertThat(next(s.withPods(starting))).isEmpty();
    assertThat(next(s.withRecovery(RecoveryPhase.DRAINING))).isEmpty();
    assertThat(SpareDecision.next(s, POLICY.withPaused(true), NOW)).isEmpty();
    assertThat(next(s.withJob(job().suspended("", true).view().withSpares(asking(2).spares()))))
        .isEmpty();
  }

  @Test
  void shouldKeepASpareThatIsOfUse() {
    assertThat(why(with(asking(1), spare(0, "node-3")))).isEmpty();
    assertThat(why(with(asking(1), spare(0, "")))).isEmpty();
    assertThat(why(with(asking(1), spare(0, "node-3")).withRecovery(RecoveryPhase.DRAINING)))
        .as("the recovery decides which it needs")
        .isEmpty();
  }

  private static JobView changed(UnaryOperator<JobView> change) {
    return change.apply(asking(1));
  }

  @Test
  void shouldRemoveSparesThatAreNoLongerRequested() {
    SpareView spare = spare(0, "node-3");
    assertThat(why(with(asking(0), spare))).containsExactly("the job asks for none");
    assertThat(why(with(asking(1), spare, spare(1, "node-4"))))
        .containsExactly("the job asks for fewer");
    assertThat(why(with(asking(1)).withJob(null).withSpares(List.of(spare))))
        .containsExactly("its job is gone");
    assertThat(why(with(changed(j -> j.withUid("other")), spare)))
        .containsExactly("its job is gone");
    assertThat(why(with(changed(j -> j.withOptIn(new OptIn.No())), spare)))
        .containsExactly("the job opted out");
    assertThat(why(with(changed(j -> j.withOptIn(new OptIn.Yes(Mode.OBSERVE))), spare))).hasSize(1);
    assertThat(why(with(changed(j -> j.withFinish(JobView.Finish.SUCCEEDED)), spare)))
        .containsExactly("the job has ended");
    assertThat(why(with(changed(j -> j.withSuspended(true)), spare)))
        .containsExactly("the job is suspended");
    assertThat(why(with(changed(j -> j.withGang(new GangScheduling.Kueue("lq", null))), spare)))
        .singleElement()
        .asString()
        .startsWith("Kueue admits the job");
    assertThat(why(with(changed(j -> j.withSpares(new SpareWish(1, "Worker", "t2"))), spare)))
        .containsExactly("the template of the job is another one");
  }

  @Test
  void shouldKeepSparesWhileARecoverySuspendsTheJobUnlessItIsHeld() {
    SpareSnapshot s = with(changed(j -> j.withSuspended(true)), spare(0, "node-3"));

    assertThat(why(s.withRecovery(RecoveryPhase.PLANNING))).isEmpty();
    assertThat(why(s.withRecovery(RecoveryPhase.HELD)))
        .containsExactly("the recovery of the job is held");
  }

  @Test
  void shouldRemoveASpareWhoseNodeTakesNoPods() {
    SpareSnapshot s = with(asking(1), spare(0, "node-3"));
    assertThat(why(on(s, node("node-3").withUnschedulable(true)))).hasSize(1);
    assertThat(why(on(s, node("node-3", Readiness.SILENT, T0, false, "")))).hasSize(1);
    assertThat(why(on(s, node("node-3", Readiness.READY, T0, true, "team/r")))).hasSize(1);
    assertThat(why(s.withNodes(Map.of()))).containsExactly("its node is gone");
    assertThat(why(s.withFaults(List.of(Given.fault("node-3", "XID-79", FenceGuidance.ALWAYS)))))
        .singleElement()
        .asString()
        .startsWith("its node has the fault");
    assertThat(why(s.withFaults(List.of(Given.fault("node-9", "XID-79", FenceGuidance.ALWAYS)))))
        .isEmpty();
  }

  private static SpareSnapshot on(SpareSnapshot s, NodeView node) {
    return s.withNodes(Map.of(node.name(), node));
  }

  @Test
  void shouldGiveUpOnASpareWithoutAPlaceAndOnOneThatHasEnded() {
    SpareView waiting = spare(0, "").withCreated(NOW.minusSeconds(61));
    assertThat(SpareDecision.removals(with(asking(1), waiting), POLICY, NOW))
        .singleElement()
        .satisfies(r -> assertThat(r.inVain()).isTrue());
    SpareView preempted = spare(0, "node-3").withPhase(Phase.FAILED);
    assertThat(SpareDecision.removals(with(asking(1), preempted), POLICY, NOW))
        .singleElement()
        .satisfies(r -> assertThat(r.inVain()).isTrue());
  }

  @Test
  void shouldMakeWayForAPodOfItsGangThatWaits() {
    List<PodView> pods = new ArrayList<>(gang(""));
    pods.set(2, Given.unplaced(pods.get(2)).withCreated(NOW.minusSeconds(6)));
    SpareSnapshot s = with(asking(1), spare(0, "node-3")).withPods(pods);
    assertThat(why(s)).containsExactly("pod demo-worker-1 of the gang has no place");

    pods.set(2, pods.get(2).withCreated(NOW.minusSeconds(1)));
    assertThat(why(s.withPods(pods))).as("the scheduler tries it first").isEmpty();
  }

  @Test
  void shouldRemoveTheYoungestWhereANamespaceHasTooMany() {
    SpareSnapshot s = with(asking(2), spare(0, "node-3"), spare(1, "node-4"));

    assertThat(why(s.withInNamespace(List.of("a", "b", "spare-uid-0", "spare-uid-1"))))
        .containsExactly("the policy allows 3 in the namespace (spares.maxPerNamespace)");
  }

  /** Whatever is drawn: never more than allowed, and what is to be made is not removed at once. */
  @Test
  void shouldNeverAllowMoreNorMakeWhatItWouldRemove() {
    Random random = new Random(17);
    for (int i = 0; i < 20_000; i++) {
      SpareSnapshot s = drawn(random);
      Policy policy =
          POLICY.with(b -> b.maxSpares(random.nextInt(4)).maxSparesPerNamespace(random.nextInt(4)));
      List<Removal> removals = SpareDecision.removals(s, policy, NOW);
      OptionalInt slot = SpareDecision.next(s, policy, NOW);
      long left = s.spares().stream().filter(x -> !x.terminating()).count() - removals.size();
      int allowed = SpareDecision.allowance(s.job(), policy).count();

      assertThat(left).as("%s", s).isLessThanOrEqualTo(allowed);
      if (slot.isPresent()) {
        assertThat(removals).isEmpty();
        assertThat(slot.getAsInt()).isLessThan(SpareOrder.SLOTS);
        assertThat(s.spares().stream().filter(x -> !isLost(s, x)).count()).isLessThan(allowed);
        assertThat(s.spares()).noneMatch(x -> x.slot() == slot.getAsInt());
        SpareView made = spare(slot.getAsInt(), "node-4").withCreated(NOW);
        List<SpareView> spares = new ArrayList<>(s.spares());
        spares.add(made);
        List<String> all = new ArrayList<>(s.inNamespace());
        all.add(made.uid());
        SpareSnapshot then = s.withSpares(spares).withInNamespace(all);
        assertThat(SpareDecision.removals(then, policy, NOW)).as("%s", then).isEmpty();
      }
    }
  }

  private static boolean isLost(SpareSnapshot s, SpareView spare) {
    NodeView node = s.nodes().get(spare.node());
    return spare.terminating() && node != null && node.readiness() == Readiness.SILENT;
  }

  private static SpareSnapshot drawn(Random random) {
    JobView job =
        asking(random.nextInt(4))
            .with(
                b ->
                    b.suspended(random.nextInt(6) == 0)
                        .optIn(random.nextInt(8) == 0 ? new OptIn.No() : new OptIn.Yes(Mode.AUTO))
                        .finish(
                            random.nextInt(8) == 0
                                ? JobView.Finish.FAILED
                                : JobView.Finish.NOT_FINISHED));
    List<SpareView> spares = new ArrayList<>();
    for (int slot = 0; slot < 6; slot++) {
      if (random.nextInt(3) == 0) {
        SpareView spare = spare(slot, random.nextInt(3) == 0 ? "" : "node-3");
        spares.add(
            spare.with(
                b ->
                    b.terminating(random.nextInt(6) == 0)
                        .template(random.nextInt(6) == 0 ? "t2" : "t1")));
      }
    }
    List<String> others = random.nextInt(3) == 0 ? List.of("other") : List.of();
    List<String> all = new ArrayList<>(others);
    spares.forEach(spare -> all.add(spare.uid()));
    RecoveryPhase recovery = random.nextInt(4) == 0 ? RecoveryPhase.VERIFYING : null;
    NodeView third = random.nextInt(3) == 0 ? silentNode("node-3") : node("node-3");
    return with(job)
        .with(
            b ->
                b.spares(spares)
                    .inNamespace(all)
                    .recovery(recovery)
                    .nodes(Map.of("node-3", third, "node-4", node("node-4"))));
  }
}
