package dev.rekindle.simulator;

import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;

/** A job on node-0 to node-2, with node-3 to spare. */
abstract class SimulatedJobFixture {
  SimulatedJob run = new SimulatedJob(Given.job(), Policy.DEFAULT);

  @AfterEach
  void close() {
    run.close();
  }

  Map<String, String> uids() {
    return run.pods().stream().collect(Collectors.toMap(PodView::name, PodView::uid));
  }

  void begin(Given.Job job, Policy policy) {
    run.close();
    run = new SimulatedJob(job, policy);
  }
}
