package dev.rekindle.controller.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.Given;
import dev.rekindle.controller.cache.FlatState;
import dev.rekindle.controller.model.Amounts;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.port.Changes;
import dev.rekindle.controller.port.ClusterState;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OtherGangsTest {
  private static final List<PodView.Phase> PHASES = List.of(PodView.Phase.values());

  private final FlatState state = new FlatState(Changes.to(_ -> {}, _ -> {}, _ -> {}));

  /** The nodes whose pods were asked for. */
  private final List<Object> asked = new ArrayList<>();

  private final OtherGangs others = new OtherGangs(counted());
  private int version;

  private ClusterState counted() {
    return (ClusterState)
        Proxy.newProxyInstance(
            ClusterState.class.getClassLoader(),
            new Class<?>[] {ClusterState.class},
            (_, method, arguments) -> {
              if (method.getName().equals("podsOn")) {
                asked.add(arguments[0]);
              }
              try {
                return method.invoke(state, arguments);
              } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
              }
            });
  }

  private static JobView job(int number) {
    return Given.job().view().with(b -> b.uid("job-" + number));
  }

  private static PodView pod(String name, int job, String node) {
    return Given.gang("")
        .getFirst()
        .with(b -> b.name(name).uid(name).job(key(job)).jobUid("job-" + job).node(node));
  }

  private static JobKey key(int job) {
    return new JobKey("team", "job-" + job);
  }

  private void present(PodView pod) {
    state.podFeed().present(pod.name(), Integer.toString(++version), pod);
  }

  /** What is meant, in as few words as can be. */
  private OtherGangs.Held simply(Map<String, NodeView> nodes, @Nullable JobView job) {
    Map<String, Long> taken = new HashMap<>();
    Map<String, Amounts> held = new HashMap<>();
    for (String node : nodes.keySet()) {
      for (PodView pod : state.podsOn(node)) {
        if (pod.live() && (job == null || !pod.jobUid().equals(job.uid()))) {
          taken.merge(node, pod.gpus(), Long::sum);
          held.merge(node, pod.requests(), Amounts::plus);
        }
      }
    }
    taken.values().removeIf(gpus -> gpus == 0);
    return new OtherGangs.Held(taken, held);
  }

  /** Pods that come, go, end, move, change their owner, and name nodes that are not there. */
  private void change(Random random) {
    String name = "pod-" + random.nextInt(40);
    if (random.nextInt(4) == 0) {
      state.podFeed().gone(name, Integer.toString(++version));
      return;
    }
    int job = random.nextInt(4);
    String node = random.nextInt(6) == 0 ? "" : "node-" + random.nextInt(6);
    present(
        pod(name, random.nextInt(8) == 0 ? random.nextInt(4) : job, node)
            .with(
                b ->
                    b.jobUid("job-" + job)
                        .phase(PHASES.get(random.nextInt(PHASES.size())))
                        .gpus(random.nextInt(3))
                        .requests(
                            random.nextInt(4) == 0
                                ? Amounts.NONE
                                : Amounts.of(
                                    Map.of("cpu", (long) random.nextInt(9), "memory", 1L)))));
  }

  @Test
  void shouldSayTheSameAsOneWhoGoesThroughAllPods() {
    Random random = new Random(1);
    Map<String, NodeView> four = Given.nodes();
    Map<String, NodeView> two = Map.of("node-1", Given.node("node-1"), "x", Given.node("x"));
    for (int i = 0; i < 5_000; i++) {
      for (int changes = random.nextInt(3); changes > 0; changes--) {
        change(random);
      }
      JobView job = random.nextInt(5) == 0 ? null : job(random.nextInt(5));
      Map<String, NodeView> nodes = random.nextInt(4) == 0 ? two : four;
      assertThat(others.on(nodes, job)).as("step %d", i).isEqualTo(simply(nodes, job));
    }
  }

  @Test
  void shouldGoThroughThePodsOfThoseNodesAloneThatHavePodsOfTheJob() {
    Map<String, NodeView> nodes = new HashMap<>();
    for (int i = 0; i < 100; i++) {
      nodes.put("node-" + i, Given.node("node-" + i));
      present(pod("other-" + i, 1, "node-" + i));
    }
    present(pod("own-0", 2, "node-7"));
    present(pod("own-1", 2, "node-8"));

    assertThat(others.on(nodes, job(2)).taken()).hasSize(100).containsEntry("node-7", 8L);
    assertThat(asked).containsExactlyInAnyOrder("node-7", "node-8");
    asked.clear();
    OtherGangs.Held held = others.on(nodes, job(3));
    assertThat(held.taken()).containsEntry("node-7", 16L);
    assertThat(others.on(nodes, job(4))).as("nothing has changed").isSameAs(held);
    assertThat(asked).isEmpty();
  }
}
