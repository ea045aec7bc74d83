package dev.rekindle.controller.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.PodView.Phase;
import dev.rekindle.controller.model.SpareOrder;
import dev.rekindle.controller.model.SpareView;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import org.junit.jupiter.api.Test;

class SparePodTest {
  private static final String WORKER =
      """
      nodeSelector: {pool: gpu}
      tolerations: [{key: nvidia.com/gpu, operator: Exists}]
      imagePullSecrets: [{name: s}]
      serviceAccountName: trainer
      hostNetwork: true
      priorityClassName: high
      containers:
      - name: pytorch
        image: trainer:1
        imagePullPolicy: Always
        command: [python, train.py]
        env: [{name: TOKEN, value: secret}]
        resources: {limits: {nvidia.com/gpu: 8, cpu: 96}, requests: {memory: 1Ti}}
        volumeMounts: [{name: c, mountPath: /ckpt}]
      - {name: sidecar, image: sidecar:2, resources: {requests: {cpu: 1}}}
      initContainers: [{name: init, image: init:3, resources: {requests: {cpu: 64}}}]
      volumes:
      - {name: c, persistentVolumeClaim: {claimName: checkpoints}}
      - {name: s, secret: {secretName: keys}}
      - {name: h, hostPath: {path: /}}
      """;

  private static PodSpec worker(String yaml) {
    return new KubernetesSerialization().unmarshal(yaml, PodSpec.class);
  }

  private static Pod build() {
    return new SparePod("rekindle:1", "IfNotPresent", "rekindle-spare")
        .build(
            new JobKey("team", "demo"),
            new SpareOrder(1, "Worker", "hash", List.of("n3", "n4")),
            new OwnerReferenceBuilder()
                .withApiVersion("kubeflow.org/v1")
                .withKind("PyTorchJob")
                .withName("demo")
                .withUid("u")
                .build(),
            worker(WORKER),
            List.of("checkpoints"));
  }

  @Test
  void shouldRequestWhatAWorkerRequests() {
    PodSpec spec = build().getSpec();

    assertThat(AmountsReader.of(spec).values())
        .containsEntry("nvidia.com/gpu", 8L)
        .containsEntry("cpu", 97_000L)
        .containsEntry("memory", 1L << 40);
    assertThat(Gpus.of(spec)).isEqualTo(8);
  }

  @Test
  void shouldHaveTheImagesPulledAndRunNothingOfThem() {
    List<Container> containers = build().getSpec().getContainers();

    assertThat(containers)
        .extracting(Container::getImage)
        .containsExactly("rekindle:1", "trainer:1", "sidecar:2", "init:3");
    assertThat(containers.getFirst().getArgs()).containsExactly("wait");
    assertThat(containers.subList(1, 4))
        .allSatisfy(
            c -> {
              assertThat(c.getCommand()).containsExactly("/dev/null");
              assertThat(c.getArgs()).isEmpty();
              assertThat(c.getEnv()).isEmpty();
              assertThat(c.getVolumeMounts()).isEmpty();
            });
    assertThat(containers.get(1).getImagePullPolicy()).isEqualTo("Always");
  }

  @Test
  void shouldGoToTheNodesThatWereChosenAndHaveNothingElseOfTheWorker() {
    PodSpec spec = build().getSpec();

    assertThat(spec.getNodeSelector()).containsEntry("pool", "gpu");
    assertThat(spec.getTolerations()).hasSize(1);
    assertThat(
            spec.getAffinity()
                .getNodeAffinity()
                .getRequiredDuringSchedulingIgnoredDuringExecution()
                .getNodeSelectorTerms())
        .singleElement()
        .satisfies(
            t ->
                assertThat(t.getMatchExpressions().getFirst().getValues())
                    .containsExactly("n3", "n4"));
    assertThat(spec.getRestartPolicy()).isEqualTo("Never");
    assertThat(spec.getPriorityClassName()).isEqualTo("rekindle-spare");
    assertThat(spec.getAutomountServiceAccountToken()).isFalse();
    assertThat(spec.getServiceAccountName()).isNull();
    assertThat(spec.getHostNetwork()).isNull();
    assertThat(spec.getVolumes())
        .singleElement()
        .satisfies(v -> assertThat(v.getPersistentVolumeClaim().getReadOnly()).isTrue());
    assertThat(spec.getContainers().getFirst().getVolumeMounts())
        .allSatisfy(m -> assertThat(m.getReadOnly()).isTrue());
  }

  @Test
  void shouldBeReadBackAsASpareAndNeverAsAPodOfTheGang() {
    Pod pod =
        new PodBuilder(build())
            .editMetadata()
            .withUid("spare")
            .endMetadata()
            .editSpec()
            .withNodeName("n3")
            .endSpec()
            .withNewStatus()
            .withPhase("Running")
            .endStatus()
            .build();

    assertThat(PodReader.read(pod)).isEmpty();
    SpareView view = SpareReader.read(pod).orElseThrow();
    assertThat(view.job()).isEqualTo(new JobKey("team", "demo"));
    assertThat(view.slot()).isEqualTo(1);
    assertThat(view.jobUid()).isEqualTo("u");
    assertThat(view.template()).isEqualTo("hash");
    assertThat(view.phase()).isEqualTo(Phase.RUNNING);
    assertThat(view.gpus()).isEqualTo(8);
    assertThat(view.warm()).isTrue();
  }

  @Test
  void shouldTakeNoPodOfAGangForASpareWhateverItsLabelsSay() {
    Pod pod =
        new PodBuilder(build())
            .editMetadata()
            .addToLabels("training.kubeflow.org/job-name", "demo")
            .endMetadata()
            .build();
    assertThat(SpareReader.read(pod)).isEmpty();
    assertThat(SpareReader.read(new PodBuilder().withNewMetadata().endMetadata().build()))
        .isEmpty();
  }

  @Test
  void shouldDistinguishTemplatesByWhatASpareIsMadeOfOnly() {
    String hash = SpareTemplate.fingerprint(worker(WORKER));
    assertThat(SpareTemplate.fingerprint(worker(WORKER.replace("trainer:1", "trainer:2"))))
        .isNotEqualTo(hash);
    assertThat(SpareTemplate.fingerprint(worker(WORKER.replace("gpu: 8", "gpu: 4"))))
        .isNotEqualTo(hash);
    assertThat(SpareTemplate.fingerprint(worker(WORKER.replace("train.py", "other.py"))))
        .isEqualTo(hash);
  }

  @Test
  void shouldSayForWhichTemplatesNoSpareCanStand() {
    assertThat(SpareTemplate.problem(worker(WORKER))).isEmpty();
    assertThat(SpareTemplate.problem(null)).isNotEmpty();
    assertThat(SpareTemplate.problem(worker("containers: []"))).isNotEmpty();
    assertThat(
            SpareTemplate.problem(
                worker(WORKER + "resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]")))
        .contains("resource claims");
  }

  @Test
  void shouldNameASpareByItsJobAndNumber() {
    String name = SparePod.name(new JobKey("team", "j".repeat(63)), 3);
    assertThat(name).hasSizeLessThanOrEqualTo(63).endsWith("-spare-3");
    assertThat(SparePod.slot(name)).isEqualTo(3);
    assertThat(SparePod.slot("demo-spare-12")).isEqualTo(-1);
    assertThat(SparePod.slot("demo")).isEqualTo(-1);
  }
}
