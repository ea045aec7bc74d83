package dev.rekindle.controller.placement;

import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.network.Networks.cluster;
import static dev.rekindle.controller.network.Networks.pool;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.network.PoolView.Booking;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NetworkDemandTest {
  /** Two thousand million workers, as a tenant may ask for by a slip: no list holds their names. */
  private static JobView endless() {
    JobView job = job().view();
    return job.withReplicas(
        job.replicas().stream()
            .map(
                r ->
                    new JobView.Replica(
                        r.type(), Integer.MAX_VALUE, r.restart(), r.gpus(), r.needs()))
            .toList());
  }

  @ParameterizedTest
  @CsvSource({
    "team/demo-worker-0, 1",
    "team/demo-worker-2147483646, 1",
    "team/demo-worker-2147483647, 0",
    "team/demo-worker-00, 0",
    "team/demo-worker-+1, 0",
    "team/demo-worker-, 0",
    "team/demo, 0",
    "team/demo-other-0, 0",
    "web/demo-worker-0, 0",
    "'', 0"
  })
  void shouldKnowThePodsOfAJobHoweverManyThereAreToBe(String pod, long leaked) {
    var networks = cluster(pool("r1", 3, new Booking(pod, "gone")));
    var demand = NetworkDemand.of(endless(), List.of(), List.of(), networks);

    assertThat(demand.leaked(networks.pools().getFirst())).isEqualTo(leaked);
    assertThat(endless().gangSize()).isEqualTo(Integer.MAX_VALUE);
  }
}
