package dev.rekindle.controller.cache;

import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.JobView.Mode;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.port.Changes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whether a faulty node is fenced depends on what the jobs on it request. */
class FaultyNodesOfJobsTest {
  private final List<String> nodes = new ArrayList<>();
  private final FlatState state = new FlatState(Changes.to(_ -> {}, nodes::add, _ -> {}));
  private final PodView second = gang("").get(1);
  private int version;

  @BeforeEach
  void faultUnderAJobThatDidNotOptIn() {
    present(job().optIn(new OptIn.Unusable("there is no RecoveryPolicy none")));
    for (PodView pod : gang("")) {
      state.podFeed().present(pod.job().namespace() + "/" + pod.name(), next(), pod);
    }
    FaultView fault = Given.fault(second.node(), "XID-64", FenceGuidance.ALWAYS);
    state.faultFeed().present(fault.name(), next(), fault);
    nodes.clear();
  }

  private String next() {
    return Integer.toString(++version);
  }

  private void present(Given.Job given) {
    JobView view = given.view();
    state.jobFeed().present(view.key().toString(), next(), view);
  }

  @Test
  void shouldReconcileTheFaultyNodeOnceTheJobOptsIn() {
    present(job().optIn(new OptIn.Yes(Mode.AUTO)));

    assertThat(nodes).containsExactly(second.node());
  }

  @Test
  void shouldReconcileTheFaultyNodeOnceNoOtherAnswersForTheJob() {
    present(job().notOurs("Kueue"));
    nodes.clear();

    present(job());

    assertThat(nodes).containsExactly(second.node());
  }

  @Test
  void shouldReconcileTheFaultyNodeOnceTheJobIsSeenAfterItsPodsAndTheFault() {
    state.jobFeed().gone(job().view().key().toString(), next());
    nodes.clear();

    present(job());

    assertThat(nodes).containsExactly(second.node());
  }

  @Test
  void shouldReconcileNoNodeForAnythingElseThatChangesInTheJob() {
    present(job().optIn(new OptIn.Unusable("there is no RecoveryPolicy none")).workers(3));

    assertThat(nodes).isEmpty();
  }
}
