package dev.rekindle.controller.recovery;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.recovery.RecoverySnapshots.status;
import static dev.rekindle.controller.recovery.RestoredNetworkTest.asking;
import static dev.rekindle.controller.recovery.RestoredNetworkTest.said;
import static dev.rekindle.controller.recovery.RestoredNetworkTest.says;

import dev.rekindle.api.FormerNetwork;
import dev.rekindle.api.FormerRun;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.network.AttachedNic;
import dev.rekindle.controller.network.NetworkWish;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Devices that Multus has attached. */
class RestoredDevicesTest {

  @Test
  void shouldCompareTheDevicesThatMultusHasAttachedWithThoseBefore() {
    RecoverySnapshot s = asking(NetworkWish.NONE, List.of(), List.of());
    RecoveryStatus status = Transitions.status(s);
    FormerNetwork before = new FormerNetwork(false, 0, false, null, 2);
    RecoverySnapshot had =
        s.with(
            status.withCause(
                Objects.requireNonNull(status.cause())
                    .withBefore(new FormerRun(T0, null, null, true, before))));
    List<AttachedNic> two = List.of(nic("mlx5_1"), nic("mlx5_2"));
    says(said(had.withPods(attached(s.pods(), two, two))), "True", "OnRdma");
    says(
        said(had.withPods(attached(s.pods(), two, List.of(nic("mlx5_1"))))),
        "False",
        "FewerRdmaDevices");
  }

  private static AttachedNic nic(String device) {
    return new AttachedNic("ib/" + device, device, true, device);
  }

  private static List<PodView> attached(
      List<PodView> pods, List<AttachedNic> first, List<AttachedNic> others) {
    return pods.stream()
        .map(p -> p.withAttached(p.name().equals(pods.getFirst().name()) ? first : others))
        .toList();
  }
}
