package dev.rekindle.testbed.fidelity;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.Simulation;
import dev.rekindle.simulator.api.ApiError;
import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.setup.JobSetup;
import dev.rekindle.simulator.setup.NodeSetup;
import dev.rekindle.simulator.setup.Setup;
import dev.rekindle.simulator.setup.Timing;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.JobObject.Template;
import dev.rekindle.simulator.world.NodeObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A cluster in memory, for one scenario. */
final class SimSubject implements Subject {
  private static final String NAMESPACE = "fidelity";
  private static final String LONE = "lone";
  private static final List<String> OTHERS = List.of("node-0", "node-1");
  private static final String HOLD = "rekindle.dev/fidelity-hold";

  /** So long that SIGKILL always comes first. */
  private static final Duration NEVER = Duration.ofDays(1);

  private final Simulation simulation;
  private final World world;
  private final List<ObjectVersion> objectVersions = new ArrayList<>();
  private final Map<String, IdleJobSpec> wishes = new TreeMap<>();

  SimSubject(Scenario scenario, long seed) {
    List<NodeSetup> nodes = new ArrayList<>();
    OTHERS.forEach(name -> nodes.add(new NodeSetup(name, "leaf-0", 0)));
    nodes.add(new NodeSetup(LONE, "leaf-1", scenario.gpus()));
    simulation =
        Simulation.of(new Setup(seed, nodes, List.of(), Policy.DEFAULT, timing(scenario), 0));
    world = simulation.world();
    if (scenario.lone()) {
      changed(world.nodes().get(LONE), world.nodes().get(LONE).meta().version(), false);
      world.nodes().watch(this::changed);
    }
    world.jobs().watch(this::changed);
    world.pods().watch(this::changed);
  }

  private static Timing timing(Scenario scenario) {
    Timing usual = Timing.DEFAULT;
    return new Timing(
        usual.watchLag(),
        usual.call(),
        usual.schedule(),
        usual.operator(),
        usual.podStart(),
        usual.processStart(),
        usual.load(),
        scenario.heeds() ? usual.terminate() : NEVER,
        // What the testbed is set up with.
        Duration.ofSeconds(20),
        scenario.toleration(),
        usual.report(),
        usual.scan(),
        NEVER,
        usual.leaseDuration(),
        usual.leaseRenew(),
        usual.leaseRetry(),
        usual.restart());
  }

  // --- news -----------------------------------------------------------------------------------

  private <T extends ApiObject<T>> void changed(Change<T> change) {
    changed(change.object(), change.version(), change.after() == null);
  }

  private void changed(ApiObject<?> object, long version, boolean gone) {
    Instant now = simulation.now();
    switch (object) {
      case PodObject pod ->
          objectVersions.add(ObjectVersion.of(now, version, pod.job().name(), pod.view(), gone));
      case JobObject job ->
          objectVersions.add(ObjectVersion.of(now, version, job.key().name(), job.view(), gone));
      case NodeObject node when node.meta().name().equals(LONE) ->
          objectVersions.add(ObjectVersion.of(now, version, LONE, node.view()));
      default -> {}
    }
  }

  private static JobKey key(String job) {
    return new JobKey(NAMESPACE, job);
  }

  private static String name(String job, String rank) {
    return NAMESPACE + "/" + job + "-" + rank;
  }

  // --- writes ---------------------------------------------------------------------------------

  private static int answer(Runnable call) {
    try {
      call.run();
      return OK;
    } catch (ApiError error) {
      return error.code();
    }
  }

  @Override
  public int create(String job, IdleJobSpec spec) {
    int code =
        answer(
            () ->
                world.submit(
                    JobSetup.of(key(job), spec.ranks(), spec.gpus(), new JobView.OptIn.No())
                        .with(
                            b ->
                                b.restart(spec.restart())
                                    .checkpointWrite(Duration.ofMillis(100))
                                    .steps(Long.MAX_VALUE / 2)
                                    .graceSeconds(spec.graceSeconds()))));
    if (code == OK) {
      wishes.put(job, spec);
      template(job, "", false);
    }
    return code;
  }

  @Override
  public int suspend(String job, boolean suspend) {
    return answer(
        () ->
            world.jobs().patch(key(job).toString(), j -> j.withSuspend(suspend, j.suspendedBy())));
  }

  @Override
  public int template(String job, String attempt, boolean offTheLoneNode) {
    IdleJobSpec spec = Objects.requireNonNull(wishes.get(job));
    List<String> excluded =
        new ArrayList<>(
            switch (spec.place()) {
              case ANYWHERE -> List.of(LONE);
              case LONE -> OTHERS;
              case NOWHERE -> List.of("node-0", "node-1", LONE);
            });
    if (offTheLoneNode) {
      excluded.add(LONE);
    }
    return answer(
        () ->
            world
                .jobs()
                .patch(
                    key(job).toString(),
                    j ->
                        j.with(
                            new Template(
                                attempt, "", -1, excluded, List.of(), Map.of(), j.meta().uid()))));
  }

  @Override
  public int revive(String job) {
    return answer(() -> world.jobs().patch(key(job).toString(), j -> j.with(j.status().revived())));
  }

  /** The objects have no annotation that means nothing; one is set that nothing here reads. */
  @Override
  public int annotate(String job, long version, String value) {
    return answer(
        () ->
            world
                .jobs()
                .update(key(job).toString(), version, j -> j.withSuspend(j.suspend(), value)));
  }

  @Override
  public int delete(String job) {
    return answer(() -> world.jobs().delete(key(job).toString(), "", null));
  }

  @Override
  public int deletePod(String job, String rank, String uid, @Nullable Duration grace) {
    return answer(() -> world.pods().delete(name(job, rank), uid, grace));
  }

  @Override
  public int hold(String job, String rank, boolean held) {
    return answer(
        () ->
            world
                .pods()
                .patch(
                    name(job, rank),
                    pod -> pod.with(pod.meta().with(held ? Set.of(HOLD) : Set.of()))));
  }

  // --- machines -------------------------------------------------------------------------------

  @Override
  public void exit(String job, String rank, int code) {
    PodView pod =
        pods(job).stream()
            .filter(p -> ObjectVersion.rank(p).equals(rank))
            .findFirst()
            .orElseThrow();
    simulation.levers().rankDies(key(job), pod.rank(), code);
  }

  @Override
  public boolean processOf(PodView pod) {
    return world.gangs().hasProcess(pod);
  }

  @Override
  public void freeze() {
    simulation.levers().nodeHangs(LONE);
  }

  @Override
  public void cutOff() {
    simulation.levers().cutOff(LONE);
  }

  @Override
  public void thaw() {
    simulation.levers().nodeReturns(LONE);
  }

  // --- reading --------------------------------------------------------------------------------

  @Override
  public NodeView loneNode() {
    return world.nodes().get(LONE).view();
  }

  @Override
  public boolean keepsPodsOffTheLoneNode() {
    // The model has no taints: its scheduler avoids the node half a second after the condition.
    return loneNode().readiness() != Readiness.READY;
  }

  @Override
  public Optional<JobView> job(String job) {
    return world.jobs().find(key(job).toString()).map(JobObject::view);
  }

  @Override
  public long version(String job) {
    return world.jobs().get(key(job).toString()).meta().version();
  }

  @Override
  public List<PodView> pods(String job) {
    return simulation.pods(key(job));
  }

  @Override
  public List<PodView> podsAt(String job, long version) {
    Map<String, PodView> pods = new TreeMap<>();
    for (ObjectVersion s : objectVersions) {
      PodView pod = s.pod();
      if (pod == null || !pod.job().equals(key(job)) || s.version() > version) {
        continue;
      }
      if (s.gone()) {
        pods.remove(s.uid());
      } else {
        pods.put(s.uid(), pod);
      }
    }
    return List.copyOf(pods.values());
  }

  @Override
  public List<PodView> podsOnTheLoneNode() {
    return world.pods().list("spec.nodeName", LONE).stream().map(PodObject::view).toList();
  }

  // --- time -----------------------------------------------------------------------------------

  @Override
  public Instant now() {
    return simulation.now();
  }

  @Override
  public void pass(Duration time) {
    simulation.runFor(time);
  }

  @Override
  public boolean until(Duration limit, BooleanSupplier so) {
    return simulation.runUntil(so, limit);
  }

  @Override
  public List<ObjectVersion> objectVersions() {
    return List.copyOf(objectVersions);
  }

  @Override
  public void close() {
    simulation.close();
  }
}
