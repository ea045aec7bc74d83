package dev.rekindle.controller.diagnosis;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.Policy;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A job that others answer for by now. */
class OrphanTest {
  private static Verdict decide(Given.Job job) {
    return JobVerdicts.decide(
        new JobSnapshot(
            job.notOurs("spec.elasticPolicy").view(),
            List.of(),
            Given.nodes(),
            List.of(),
            List.of(),
            List.of()),
        Policy.DEFAULT,
        T0.plusSeconds(60));
  }

  @Test
  void shouldBringBackWhatWeSuspendedThoughItWasHandedToOthers() {
    assertThat(decide(job().suspended("demo-r1", true)))
        .isInstanceOfSatisfying(
            Verdict.Recover.class, r -> assertThat(r.cause().reason()).isEqualTo("Orphaned"));
  }

  @Test
  void shouldNotReviveWhatOthersAnswerFor() {
    assertThat(decide(job().failed(T0.plusSeconds(50), "pod failed")))
        .isNotInstanceOf(Verdict.Recover.class);
  }
}
