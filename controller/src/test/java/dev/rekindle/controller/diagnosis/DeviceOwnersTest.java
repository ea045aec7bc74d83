package dev.rekindle.controller.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.detect.node.PodDevices;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeviceOwnersTest {
  private static final String OURS = "GPU-11111111-aaaa-bbbb-cccc-000000000001";
  private static final String THEIRS = "GPU-22222222-aaaa-bbbb-cccc-000000000002";

  /** Of a detector that does not know the UUID of the device. */
  private static FaultView fault(String component) {
    return Given.fault("node-1", "XID-79", FenceGuidance.ALWAYS)
        .with(b -> b.component(component).evidence("in words, of " + THEIRS));
  }

  /** The gang, its pod on node-1 holding these; unknown for {@code ?}. */
  private static List<PodView> gang(String held) {
    List<PodView> pods = new ArrayList<>(Given.gang(""));
    PodDevices devices =
        held.equals("?")
            ? PodDevices.UNKNOWN
            : new PodDevices(true, Set.of(held.split(" ")), List.of());
    pods.set(1, pods.get(1).withDevices(devices));
    return pods;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GPU " + THEIRS + " | " + OURS + " | false",
        "GPU " + OURS + " | " + OURS + " | true",
        "GPU " + THEIRS + " | " + OURS + " " + THEIRS + " | true",
        // No one can say.
        "GPU " + THEIRS + " | ? | true",
        "GPU 0000:3b:00 | " + OURS + " | true",
        "GPU " + THEIRS + " | MIG-33333333-aaaa-bbbb-cccc-000000000003 | true",
        "GPU " + THEIRS + " | " + OURS + " nvidia0 | true",
        // A slice in its old form names its GPU.
        "GPU " + THEIRS + " | MIG-" + OURS + "/1/0 | false",
        "GPU " + OURS + " | MIG-" + OURS + "/1/0 | true",
        // Of no one GPU.
        "NVSwitch 0000:07:00 | " + OURS + " | true",
        "NIC mlx5_0 | " + OURS + " | true",
        "node | " + OURS + " | true"
      })
  void shouldPassOverAFaultOnlyWhereItIsKnownToBeAnothers(
      String component, String held, boolean concerns) {
    List<FaultView> faults = List.of(fault(component));

    assertThat(DeviceOwners.concerning(gang(held), faults))
        .isEqualTo(concerns ? faults : List.of());
  }

  @Test
  void shouldBringAddressAndUuidTogetherWhereAFaultNamesBoth() {
    FaultView xid = fault("GPU 0000:3b:00");
    FaultView both = xid.withDeviceUuid(THEIRS.toUpperCase(Locale.ROOT));
    FaultView elsewhere = fault("GPU 0000:9b:00").withDeviceUuid(THEIRS);

    assertThat(DeviceOwners.concerning(gang(OURS), List.of(xid, both))).isEmpty();
    assertThat(DeviceOwners.concerning(gang(OURS), List.of(xid, elsewhere))).containsExactly(xid);
    assertThat(DeviceOwners.concerning(gang(THEIRS), List.of(xid, both)))
        .containsExactly(xid, both);
  }

  @Test
  void shouldNotTrustTwoUuidsForOneAddress() {
    FaultView unnamed = fault("GPU 0000:3b:00");
    FaultView theirs = unnamed.withDeviceUuid(THEIRS);
    FaultView other = unnamed.withDeviceUuid("GPU-44444444-aaaa-bbbb-cccc-000000000004");

    assertThat(DeviceOwners.concerning(gang(OURS), List.of(unnamed, theirs, other)))
        .containsExactly(unnamed);
  }

  @Test
  void shouldAskOnlyThePodsOnThatNode() {
    FaultView fault = fault("GPU " + THEIRS);

    // The pods on other nodes say nothing of their devices.
    assertThat(DeviceOwners.concerning(gang(OURS), List.of(fault))).isEmpty();
  }

  /** A kubelet that was restarted, say, has reported the devices of some pods only. */
  @Test
  void shouldNotPassOverAFaultThatMayBeOfAPodWhoseDevicesAreNotKnown() {
    FaultView fault = fault("GPU " + THEIRS);
    List<PodView> pods = new ArrayList<>(gang(OURS));
    PodView other = pods.get(2).withNode("node-1");
    pods.set(2, other.withDevices(PodDevices.UNKNOWN));

    assertThat(DeviceOwners.concerning(pods, List.of(fault))).containsExactly(fault);
    pods.set(2, other.withDevices(new PodDevices(true, Set.of(), List.of())));
    assertThat(DeviceOwners.concerning(pods, List.of(fault))).isEmpty();
  }

  /** Whatever else is so. */
  @Test
  void shouldConcernNoFewerFaultsWhereLessIsKnown() {
    Random random = new Random(1);
    List<String> ids = List.of(OURS, THEIRS, "MIG-" + THEIRS + "/1/0", "nvidia0");
    List<FaultView> faults =
        Stream.of("GPU " + OURS, "GPU " + THEIRS, "GPU 0000:3b:00", "NIC mlx5_0")
            .map(component -> fault(component))
            .toList();
    for (int i = 0; i < 2_000; i++) {
      List<PodView> pods =
          Given.bigGang(random.nextInt(4)).stream()
              .map(p -> p.withDevices(drawn(ids, random)))
              .collect(Collectors.toCollection(ArrayList::new));
      List<FaultView> known = DeviceOwners.concerning(pods, faults);
      int one = random.nextInt(pods.size());
      pods.set(one, pods.get(one).withDevices(PodDevices.UNKNOWN));

      assertThat(DeviceOwners.concerning(pods, faults)).containsAll(known);
      if (pods.get(one).node().equals("node-1")) {
        assertThat(DeviceOwners.concerning(pods, faults)).isEqualTo(faults);
      }
    }
  }

  private static PodDevices drawn(List<String> ids, Random random) {
    Set<String> held = ids.stream().filter(_ -> random.nextBoolean()).collect(Collectors.toSet());
    return random.nextInt(4) == 0 ? PodDevices.UNKNOWN : new PodDevices(true, held, List.of());
  }

  @Test
  void shouldKeepFaultsOfNodesThatCarryNoPod() {
    FaultView fault = fault("GPU " + THEIRS);

    assertThat(DeviceOwners.concerning(List.of(), List.of(fault))).containsExactly(fault);
  }
}
