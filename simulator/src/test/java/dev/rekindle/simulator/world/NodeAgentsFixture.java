package dev.rekindle.simulator.world;

import dev.rekindle.api.JobRef;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.simulator.Given;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.api.Meta;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Three ranks on node-0 to node-2 and node-3 to spare; a step takes a tenth of a second, every
 * tenth leaves a checkpoint. Orders are written by hand, as a controller would.
 */
abstract class NodeAgentsFixture {
  static final String ORDER = "demo-r1-1";

  static final String KEY = Given.KEY.namespace() + "/" + ORDER;
  final List<String> stores = new ArrayList<>();

  Simulation simulation = Simulation.of(Given.cluster(4, Given.job().newestByItself().setup()));

  @BeforeEach
  void train() {
    simulation.world().witness(witness());
    until(() -> simulation.training(Given.KEY).step() > 25);
  }

  TruthObserver witness() {
    return new TruthObserver() {
      @Override
      public void findsOldStore(JobKey job, String pod, boolean survivor) {
        stores.add(pod + (survivor ? " survives" : " is new"));
      }
    };
  }

  @AfterEach
  void close() {
    simulation.close();
  }

  // --- the hand of a controller -------------------------------------------------------------

  void order(RestartInstruction instruction) {
    order(instruction, simulation.now().plusSeconds(600));
  }

  void order(RestartInstruction instruction, Instant until) {
    String job = simulation.job(Given.KEY).uid();
    RecoverySpec spec =
        new RecoverySpec(JobRef.pyTorchJob(Given.KEY.name(), job), simulation.now(), null);
    World world = simulation.world();
    if (world.recoveries().find("team/demo-r1").isEmpty()) {
      world.recoveries().create(new RecoveryObject(Meta.draft("team", "demo-r1", job), spec, null));
    }
    Meta meta = Meta.draft("team", ORDER, world.recoveries().get("team/demo-r1").meta().uid());
    world
        .orders()
        .create(
            new OrderObject(
                meta,
                new RestartOrderSpec(
                    JobRef.pyTorchJob(Given.KEY.name(), job), "demo-r1", instruction, "", until)));
  }

  RestartReportSpec report(String node) {
    return simulation.world().restarts().get(KEY + "." + node).spec();
  }

  @Nullable RestartInstruction done(String node) {
    return simulation
        .world()
        .restarts()
        .find(KEY + "." + node)
        .map(r -> r.spec().done())
        .orElse(null);
  }

  long frozen() {
    return simulation.world().gang(simulation.job(Given.KEY).uid()).processes().frozen().size();
  }

  PodView pod(String name) {
    return simulation.pods(Given.KEY).stream()
        .filter(p -> p.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  String uid(String name) {
    return uids().getOrDefault(name, "");
  }

  Map<String, String> uids() {
    return simulation.pods(Given.KEY).stream()
        .collect(Collectors.toMap(PodView::name, PodView::uid));
  }

  void until(BooleanSupplier so) {
    for (int i = 0; i < 3_000; i++) {
      if (simulation.runUntil(so, Duration.ofMillis(100))) {
        return;
      }
    }
    throw new AssertionError("never: " + simulation.training(Given.KEY));
  }
}
