package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.PodView.Phase;
import dev.rekindle.controller.model.SpareView;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Replacements go to node-3. */
class WarmSparesTest {
  private static InPlaceScene frozen() {
    return new InPlaceScene()
        .ordered(RestartInstruction.FREEZE)
        .reported(0, RestartInstruction.FREEZE, State.FROZEN)
        .reported(1, RestartInstruction.FREEZE, State.FROZEN)
        .reported(2, RestartInstruction.FREEZE, State.FROZEN);
  }

  @Test
  void shouldReleaseTheSpareOnThePlannedNodeBeforeThePodIsDeleted() {
    Decision.Act act = (Decision.Act) frozen().spare(0, "node-3").spare(1, "node-4").decide();

    assertThat(act.effects())
        .contains(new Effect.ReleaseSpare("demo-spare-0", "spare-uid-0", "node-3"))
        .doesNotContain(new Effect.ReleaseSpare("demo-spare-1", "spare-uid-1", "node-4"));
    assertThat(act.then()).singleElement().isInstanceOf(Effect.DeletePod.class);
  }

  @Test
  void shouldReleaseNoneBeforeTheGangIsFrozen() {
    assertThat(new InPlaceScene().spare(0, "node-3").decide().toString())
        .doesNotContain("ReleaseSpare");
  }

  @Test
  void shouldContinueWhereASpareCannotBeRemoved() {
    assertThat(CallKind.RELEASE_SPARE.optional()).isTrue();
    assertThat(new Effect.ReleaseSpare("p", "u", "n").kind()).isEqualTo(CallKind.RELEASE_SPARE);
  }

  @Test
  void shouldReleaseAllSparesOfTheJobAndNoOthersWhenItIsResumed() {
    RecoverySnapshot resuming =
        RecoverySnapshots.snapshot(
                job().suspended("demo-r2", true),
                RecoverySnapshots.status(RecoveryPhase.RESUMING, null, 1),
                List.of(),
                List.of(),
                0)
            .withSpares(List.of(spare("u1", job().view().uid()), spare("u2", "another")));

    assertThat(WarmSpares.all(resuming, job().view()))
        .containsExactly(new Effect.ReleaseSpare("demo-spare-0", "u1", "node-4"));
  }

  private static SpareView spare(String uid, String jobUid) {
    return new SpareView(
        job().view().key(),
        "demo-spare-0",
        0,
        uid,
        jobUid,
        "t",
        "node-4",
        Phase.RUNNING,
        false,
        8,
        Amounts.NONE,
        T0);
  }
}
