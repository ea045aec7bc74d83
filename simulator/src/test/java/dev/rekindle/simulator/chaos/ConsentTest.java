package dev.rekindle.simulator.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.Given;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.RecoveryObject;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** For how long a node may be fenced for a job that did not want that any more, and is gone. */
class ConsentTest extends WatchedCluster {
  @BeforeEach
  void trainForLong() {
    simulation.runFor(Duration.ofMinutes(3));
  }

  private boolean fenceBreaks() {
    String node = simulation.pods(Given.KEY).getFirst().node();
    NodeObject before = simulation.world().nodes().get(node);
    invariants.deeds().cordoned(before, "fault/" + node + "-xid-79");
    return invariants.violation().filter(v -> v.invariant() == Invariant.ONLY_OPTED_IN).isPresent();
  }

  private void namesAMissingPolicyAndIsGone(Duration later) {
    simulation.world().jobs().patch(Given.KEY.toString(), j -> j.withPolicy("no-such-policy"));
    simulation.runFor(later);
    simulation.levers().deleteJob(Given.KEY);
  }

  @Test
  void shouldLetAFenceBeThatWasDecidedBefore() {
    namesAMissingPolicyAndIsGone(Duration.ofSeconds(4));

    assertThat(simulation.world().jobs().find(Given.KEY.toString())).isEmpty();
    assertThat(fenceBreaks()).isFalse();
  }

  @Test
  void shouldNotForgiveOneBecauseTheJobIsDeletedLater() {
    namesAMissingPolicyAndIsGone(Duration.ofSeconds(61));

    assertThat(fenceBreaks()).isTrue();
  }

  private boolean openingBreaksForAJobMadeAfterThePolicyWent(Duration later) {
    simulation.world().policies().delete("default", "", null);
    simulation.runFor(later);
    JobObject job = simulation.world().jobs().get(Given.KEY.toString());
    JobObject copy = simulation.world().copy(job, new JobKey("team", "copy"));
    var spec =
        new RecoverySpec(JobRef.pyTorchJob("copy", copy.meta().uid()), simulation.now(), null);
    var recovery = new RecoveryObject(Meta.draft("team", "copy-r1", ""), spec, null);
    invariants.deeds().opened(recovery);
    return invariants.violation().filter(v -> v.invariant() == Invariant.ONLY_OPTED_IN).isPresent();
  }

  @Test
  void shouldLetAJobBeTakenForConsentingWhosePolicyIsGoneSinceAMoment() {
    assertThat(openingBreaksForAJobMadeAfterThePolicyWent(Duration.ofMillis(100))).isFalse();
  }

  @Test
  void shouldNotLetAJobBeTakenForConsentingWhosePolicyIsGoneForLong() {
    assertThat(openingBreaksForAJobMadeAfterThePolicyWent(Duration.ofSeconds(61))).isTrue();
  }
}
