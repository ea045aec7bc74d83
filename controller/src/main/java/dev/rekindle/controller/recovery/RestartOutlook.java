package dev.rekindle.controller.recovery;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RestartWay;
import dev.rekindle.controller.diagnosis.JobSnapshot;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.model.TrackerView;
import dev.rekindle.controller.network.ClusterNetworks;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * How a job would be brought back if it stalled now and no node were at fault.
 *
 * @param inPlace whether its pods would stay
 * @param reason why, for people
 */
public record RestartOutlook(boolean inPlace, String reason) {
  /** By the rules that choose the way of a recovery. Pure. */
  public static RestartOutlook of(JobSnapshot s, Policy policy, Instant now) {
    var key = s.job().key();
    var cause =
        new Cause(Cause.STALLED, "", List.of(), List.of(), List.of(), List.of(), null, null, null);
    var status =
        new RecoveryStatus(null, now, 1, null, cause, null, null, List.of(), List.of(), null);
    var spec =
        new RecoverySpec(
            new JobRef("kubeflow.org/v1", "PyTorchJob", key.name(), s.job().uid()), now, null);
    var snapshot =
        new RecoverySnapshot(
            new RecoveryView(key.namespace(), "", "", "", spec, status),
            s.job(),
            s.pods(),
            s.nodes(),
            s.faults(),
            s.ranks(),
            null,
            List.of(),
            Map.of(),
            Map.of(),
            0,
            null,
            false,
            false,
            new Inspection.Absent(),
            List.of(),
            null,
            false,
            List.of(),
            Failures.NONE,
            List.of(),
            null,
            ClusterNetworks.NONE,
            new TrackerView.Absent(),
            List.of(),
            Map.of());
    var choice = RestartChoice.choose(snapshot, s.job(), policy, now);
    return new RestartOutlook(choice.way() == RestartWay.IN_PLACE, choice.reason());
  }
}
