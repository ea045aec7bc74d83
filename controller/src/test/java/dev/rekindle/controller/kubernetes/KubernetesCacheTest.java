package dev.rekindle.controller.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.api.RecoveryPolicySpec;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.NodeView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.port.Changes;
import dev.rekindle.controller.runtime.Backoff;
import dev.rekindle.detect.WatchedNamespaces;
import dev.rekindle.detect.node.ConditionReading;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMixedDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import io.fabric8.mockwebserver.ServerRequest;
import io.fabric8.mockwebserver.ServerResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.kubeflow.v1.PyTorchJob;

class KubernetesCacheTest {
  private static Predicate<String> kept(Policy policy) {
    return type -> {
      if (type.equals(TOO_DEEP)) {
        throw new StackOverflowError("thrown by the test");
      }
      return type.equals("GPUMissing")
          || (type.startsWith("Fabric") && !policy.nodeConditions().isEmpty());
    };
  }

  /** A condition that is read without end. */
  private static final String TOO_DEEP = "TooDeep";

  private static final JobKey JOB = new JobKey("team", "mnist");

  /** As in the program. */
  static final Backoff RETRY = retry(Duration.ofSeconds(30));

  private static final Backoff QUICK = retry(Duration.ofSeconds(3));

  private static Backoff retry(Duration longest) {
    return new Backoff(Duration.ofSeconds(1), longest, RandomGenerator.getDefault());
  }

  private final KubernetesMockServer server = server();
  private final KubernetesClient client = server.createClient();

  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final LinkedBlockingQueue<String> shown = new LinkedBlockingQueue<>();

  private final Changes changes =
      Changes.to(key -> shown.add("job " + key), name -> shown.add("node " + name), _ -> {});

  @AfterEach
  void tearDown() {
    timer.shutdownNow();
    client.close();
    try {
      server.destroy();
    } catch (IllegalStateException slow) {
      // The mock gives up waiting for its own threads on a busy machine; nothing of ours is tested
      // by its end.
      assertThat(slow).hasMessageContaining("close MockWebServer");
    }
  }

  private static KubernetesMockServer server() {
    Map<ServerRequest, Queue<ServerResponse>> answers = new HashMap<>();
    KubernetesMockServer server =
        new KubernetesMockServer(
            new Context(),
            new MockWebServer(),
            answers,
            new KubernetesMixedDispatcher(answers),
            false);
    server.init();
    return server;
  }

  /**
   * For longer than the mock server may stand still: where a watch is closed that it has events
   * for, it waits up to a minute for the thread that it waits in to send them.
   */
  private KubernetesCache cache(Backoff retry, WatchedNamespaces watched) {
    return new KubernetesCache(
        client, changes, timer, retry, watched, false, KubernetesCacheTest::kept);
  }

  private static void await(String what, BooleanSupplier condition) {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(until);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  private void pod(String name, String operator) {
    client
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withNamespace("team")
                .withName(name)
                .addToLabels("training.kubeflow.org/operator-name", operator)
                .addToLabels("training.kubeflow.org/job-name", "mnist")
                .endMetadata()
                .withNewSpec()
                .withNodeName("n1")
                .endSpec()
                .build())
        .create();
  }

  @Test
  void shouldHaveTakenInEverythingOnceItSaysSo() {
    for (int i = 0; i < 200; i++) {
      pod("p" + i, "pytorchjob-controller");
    }
    pod("other", "tfjob-controller");
    client
        .resource(new NodeBuilder().withNewMetadata().withName("n1").endMetadata().build())
        .create();
    try (KubernetesCache state = cache(RETRY, WatchedNamespaces.ALL)) {
      assertThat(state.synced()).isFalse();
      state.start();
      await("synced", state::synced);
      assertThat(state.views().pods(JOB)).hasSize(200);
      assertThat(state.views().nodes()).hasSize(1);
    }
  }

  @Test
  void shouldTakeInTheOthersWhereTheReadingOfOneObjectOverflowsTheStack() {
    client
        .resource(new NodeBuilder().withNewMetadata().withName("n1").endMetadata().build())
        .create();
    client
        .resource(
            new NodeBuilder()
                .withNewMetadata()
                .withName("n2")
                .endMetadata()
                .withNewStatus()
                .addNewCondition()
                .withType(TOO_DEEP)
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build())
        .create();
    try (KubernetesCache state = cache(RETRY, WatchedNamespaces.ALL)) {
      state.start();
      await("synced", state::synced);
      assertThat(state.views().nodes()).extracting(NodeView::name).containsExactly("n1");
    }
  }

  private static List<String> conditions(KubernetesCache state) {
    return state.views().node("n1").stream()
        .flatMap(node -> node.signs().conditions().stream())
        .map(ConditionReading::type)
        .toList();
  }

  @Test
  void shouldReadNodesAgainWhenThePolicyNamesOtherConditions() {
    client
        .resource(
            new NodeBuilder()
                .withNewMetadata()
                .withName("n1")
                .endMetadata()
                .withNewStatus()
                .addNewCondition()
                .withType("GPUMissing")
                .withStatus("False")
                .endCondition()
                .addNewCondition()
                .withType("FabricSick")
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build())
        .create();
    try (KubernetesCache state = cache(RETRY, WatchedNamespaces.ALL)) {
      state.start();
      await("synced", state::synced);
      assertThat(conditions(state)).containsExactly("GPUMissing");
      RecoveryPolicy policy = new RecoveryPolicy();
      policy.setMetadata(new ObjectMetaBuilder().withName("default").build());
      policy.setSpec(
          new KubernetesSerialization()
              .unmarshal(
                  "detection: {nodeConditions: [{type: Fabric*, verdict: watch}]}",
                  RecoveryPolicySpec.class));
      client.resource(policy).create();
      await("both", () -> conditions(state).size() == 2);
      await("synced again", state::synced);
      client.resource(policy).delete();
      await("one again", () -> conditions(state).equals(List.of("GPUMissing")));
    }
  }

  @Test
  void shouldFollowChangesAndPassThemOn() throws InterruptedException {
    try (KubernetesCache state = cache(RETRY, WatchedNamespaces.ALL)) {
      state.start();
      await("synced", state::synced);
      pod("p", "pytorchjob-controller");
      assertThat(shown.poll(30, TimeUnit.SECONDS)).isEqualTo("job team/mnist");
      client.pods().inNamespace("team").withName("p").delete();
      await("the pod is gone", () -> state.views().pods(JOB).isEmpty());
    }
  }

  @Test
  void shouldSeeJobsOfTheWatchedNamespacesAlone() {
    for (String namespace : List.of("team", "other", "elsewhere")) {
      PyTorchJob job = new PyTorchJob();
      job.setMetadata(new ObjectMetaBuilder().withNamespace(namespace).withName("mnist").build());
      client.resource(job).create();
    }
    pod("p", "pytorchjob-controller");
    try (KubernetesCache state = cache(RETRY, WatchedNamespaces.parse("team,other"))) {
      state.start();
      await("synced", state::synced);
      assertThat(state.jobs()).containsExactlyInAnyOrder(JOB, new JobKey("other", "mnist"));
      assertThat(state.views().pods(JOB)).hasSize(1);
      assertThat(state.listen()).containsKeys("pods in team", "pods in other", "nodes");
      assertThat(state.listen()).doesNotContainKey("pods");
    }
  }

  private void answer(String path, String body) {
    server.expect().get().withPath(path).andReturn(200, body).always();
  }

  /** The group has had five versions, and most clusters serve some of them. */
  @Test
  void shouldWatchDeviceTaintsInTheVersionThatTheClusterServes() {
    answer(
        "/apis/resource.k8s.io",
        """
        {"kind":"APIGroup","name":"resource.k8s.io","versions":[
          {"groupVersion":"resource.k8s.io/v1","version":"v1"},
          {"groupVersion":"resource.k8s.io/v1beta1","version":"v1beta1"}]}\
        """);
    answer(
        "/apis/resource.k8s.io/v1",
        """
        {"kind":"APIResourceList","groupVersion":"resource.k8s.io/v1","resources":[
          {"name":"deviceclasses","kind":"DeviceClass"}]}\
        """);
    answer(
        "/apis/resource.k8s.io/v1beta1",
        """
        {"kind":"APIResourceList","groupVersion":"resource.k8s.io/v1beta1","resources":[
          {"name":"resourceslices","kind":"ResourceSlice"}]}\
        """);
    answer(
        "/apis/resource.k8s.io/v1beta1/resourceslices?limit=500",
        """
        {"kind":"ResourceSliceList","apiVersion":"resource.k8s.io/v1beta1",
         "metadata":{"resourceVersion":"7"},"items":[
          {"apiVersion":"resource.k8s.io/v1beta1","kind":"ResourceSlice",
           "metadata":{"name":"n1-gpu","resourceVersion":"7"},
           "spec":{"driver":"gpu.example.com","nodeName":"n1","pool":{"name":"n1"},
            "devices":[{"name":"gpu-0","basic":{"taints":[
             {"key":"example.com/broken","effect":"NoExecute"}]}}]}}]}\
        """);
    try (KubernetesCache state = cache(RETRY, WatchedNamespaces.ALL)) {
      state.start();
      await("synced", state::synced);

      assertThat(state.views().dra("n1").taints())
          .singleElement()
          .satisfies(t -> assertThat(t.key()).isEqualTo("example.com/broken"));
      assertThat(state.views().dra("n2").taints()).isEmpty();
      assertThat(shown).contains("node n1");
    }
  }

  @Test
  void shouldContinueWithoutAKindThatIsNotInstalledAndTakeItUpWhenItComes() {
    server
        .expect()
        .get()
        .withPath("/apis/kubeflow.org/v1/pytorchjobs?limit=500")
        .andReturn(404, "404 page not found")
        .once();
    pod("p", "pytorchjob-controller");
    PyTorchJob job = new PyTorchJob();
    job.setMetadata(new ObjectMetaBuilder().withNamespace("team").withName("mnist").build());
    client.resource(job).create();
    try (KubernetesCache state = cache(QUICK, WatchedNamespaces.ALL)) {
      state.start();
      await("synced without the kind", state::synced);
      assertThat(state.views().pods(JOB)).hasSize(1);
      assertThat(state.views().job(JOB)).as("its kind is not there yet").isEmpty();
      await("the job is seen", () -> state.views().job(JOB).isPresent());
    }
  }
}
