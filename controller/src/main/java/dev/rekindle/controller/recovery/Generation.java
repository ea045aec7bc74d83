package dev.rekindle.controller.recovery;

import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.controller.model.OrderView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.model.RestartView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which containers of a gang that is restarted in place belong to the attempt. Survivors keep their
 * pods, so it is the agents that say: what they froze is of the old generation until they have seen
 * another container in its place. Pods younger than the order are replacements.
 *
 * @param order what the agents were ordered to do
 * @param reported by UID of the pod, what they reported of the pods that they froze
 */
record Generation(OrderView order, Map<String, PodRestart> reported) {
  Generation {
    reported = Map.copyOf(reported);
  }

  /** Reads the reports on the order. */
  static Generation of(OrderView order, List<RestartView> reports) {
    Map<String, PodRestart> reported = new HashMap<>();
    for (RestartView report : reports) {
      if (report.spec().done() != null) {
        report.spec().pods().forEach(p -> reported.put(p.podUid(), p));
      }
    }
    return new Generation(order, reported);
  }

  /** What was reported of the pod, if it was frozen. */
  Optional<PodRestart> reported(PodView pod) {
    return Optional.ofNullable(reported.get(pod.uid()));
  }

  /**
   * Whether the pod came after the order; agents judge by the same two time stamps. These are whole
   * seconds: a pod may be created again within the second of the order, while one of the gang is
   * older, as its agent had reported it before the order was created.
   */
  boolean isYoung(PodView pod) {
    return !pod.created().isBefore(order.created());
  }

  /** Whether what runs in the pod belongs to the attempt. */
  boolean has(PodView pod) {
    return reported(pod).map(p -> p.state() == State.RESTARTED).orElseGet(() -> isYoung(pod));
  }

  /** Whether the report is on a container that belongs to the attempt, given that its pod does. */
  boolean has(RankView rank) {
    return has(rank, rank.restartCount());
  }

  /** The same of a run of the container that the report speaks of. */
  boolean has(RankView rank, int run) {
    PodRestart restart = reported.get(rank.podUid());
    return restart == null || run > restart.restartCount();
  }
}
