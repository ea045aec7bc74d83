package dev.rekindle.controller.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.RankReport;
import dev.rekindle.api.RankReportSpec;
import dev.rekindle.api.RankReportStatus;
import dev.rekindle.api.RankReportStatus.Witnesses;
import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.api.RecoveryPolicySpec;
import dev.rekindle.api.ReportName;
import dev.rekindle.cli.CommandTree;
import dev.rekindle.controller.kubernetes.JobExamination;
import dev.rekindle.controller.model.FaultView;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.kubeflow.v1.PyTorchJob;
import org.kubeflow.v1.PyTorchJobSpec;
import org.kubeflow.v1.pytorchjobspec.PytorchReplicaSpecs;

@SuppressWarnings("NullAway.Init") // The extension sets client and server.
@EnableKubernetesMockClient(crud = true)
class DoctorCommandTest {
  private static final Instant NOW = Instant.parse("2026-11-21T06:00:00Z");

  private KubernetesClient client;
  private KubernetesMockServer server;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(String... args) {
    return CommandTree.run(
        new DoctorCommand(
            stream(out), new ClusterAccess(server::createClient), InstantSource.fixed(NOW)),
        List.of(args),
        stream(out),
        stream(err));
  }

  private static PrintStream stream(ByteArrayOutputStream to) {
    return new PrintStream(to, true, StandardCharsets.UTF_8);
  }

  private void job() {
    var job = new PyTorchJob();
    job.setMetadata(
        new ObjectMetaBuilder()
            .withName("demo")
            .withNamespace("team")
            .withAnnotations(Map.of("rekindle.dev/recover", "true"))
            .build());
    var master = new PytorchReplicaSpecs();
    master.setReplicas(1);
    var spec = new PyTorchJobSpec();
    spec.setPytorchReplicaSpecs(Map.of("Master", master));
    job.setSpec(spec);
    String uid = client.resource(job).create().getMetadata().getUid();
    var policy = new RecoveryPolicy();
    policy.setMetadata(new ObjectMetaBuilder().withName("default").build());
    policy.setSpec(RecoveryPolicySpec.NONE);
    client.resource(policy).create();
    var pod =
        new PodBuilder()
            .withNewMetadata()
            .withName("demo-master-0")
            .withNamespace("team")
            .addToLabels("training.kubeflow.org/job-name", "demo")
            .addNewOwnerReference()
            .withController(true)
            .withUid(uid)
            .endOwnerReference()
            .endMetadata()
            .withNewSpec()
            .withNodeName("node-0")
            .addNewContainer()
            .withName("pytorch")
            .addNewEnv()
            .withName("TORCH_FR_BUFFER_SIZE")
            .withValue("2000")
            .endEnv()
            .endContainer()
            .endSpec()
            .withNewStatus()
            .withPhase("Running")
            .endStatus()
            .build();
    String podUid = client.resource(pod).create().getMetadata().getUid();
    var report = new RankReport();
    report.setSpec(new RankReportSpec("demo-master-0", podUid, "node-0", "demo"));
    report.setMetadata(
        new ObjectMetaBuilder()
            .withName(ReportName.of(report.getSpec()))
            .withNamespace("team")
            .build());
    report.setStatus(
        new RankReportStatus(
            0,
            1L,
            NOW.minusSeconds(9),
            12L,
            NOW.minusSeconds(2),
            NOW,
            "",
            null,
            null,
            new Witnesses(2, 2, 0),
            null,
            null,
            null,
            null));
    client.resource(report).create();
  }

  @Test
  void shouldPrintWhatTheApiServerShows() throws Exception {
    job();
    assertThat(run("-o", "json", "-n", "team", "demo")).isEqualTo(DoctorCommand.MISSING);
    var tree = new JsonMapper().readTree(out.toString(StandardCharsets.UTF_8));
    assertThat(tree.get("job").asText()).isEqualTo("demo");
    assertThat(tree.get("checks"))
        .extracting(c -> c.get("name").asText() + " " + c.get("status").asText())
        .containsExactly(
            "opt-in ok",
            "pods ok",
            "agents ok",
            "steps demo-master-0 ok",
            "stall ok",
            "checkpoints missing",
            "dump pipe ok",
            "dump path missing",
            "recorder length ok",
            "dump in time missing",
            "restart in place missing");
    assertThat(tree.get("checks").get(6).get("detail").asText())
        .as("the pod's spec does not set it, what runs in it does")
        .isEqualTo("2 of 2 ranks read their pipe");
    assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
  }

  @Test
  void shouldCheckTheClusterWhereNoJobIsNamed() throws Exception {
    job();
    operator();
    assertThat(run("-o", "json")).isEqualTo(DoctorCommand.MISSING);
    var tree = new JsonMapper().readTree(out.toString(StandardCharsets.UTF_8));
    assertThat(tree.has("job")).isFalse();
    assertThat(tree.get("checks"))
        .extracting(c -> c.get("name").asText() + " " + c.get("status").asText())
        .containsExactly(
            "crds missing",
            "controller missing",
            "permissions unknown",
            "policy ok",
            "operator ok",
            "topology unknown",
            "agents ok",
            "job team/demo missing");
    assertThat(tree.get("checks").get(4).get("detail").asText())
        .isEqualTo("kubeflow/training-operator, version v1.9.3, --kube-api-qps 50");
    assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
  }

  private void operator() {
    client
        .resource(
            new DeploymentBuilder()
                .withNewMetadata()
                .withName("training-operator")
                .withNamespace("kubeflow")
                .endMetadata()
                .withNewSpec()
                .withNewTemplate()
                .withNewSpec()
                .addNewContainer()
                .withImage("registry:5000/kubeflow/training-operator:v1.9.3@sha256:12")
                .withArgs("--zap-log-level=2", "--kube-api-qps", "50")
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .withNewStatus()
                .withReadyReplicas(1)
                .endStatus()
                .build())
        .create();
  }

  /** As the controller: a fault of a machine that was replaced under its name is not this one's. */
  @Test
  void shouldReadFaultsAsTheControllerDoes() {
    job();
    client
        .resource(new NodeBuilder().withNewMetadata().withName("node-0").endMetadata().build())
        .create();
    fault("now", client.nodes().withName("node-0").get().getMetadata().getUid());
    fault("before", "uid-of-one-before");

    var examined = new JobExamination(client, NOW).of("team", "demo").orElseThrow();

    assertThat(examined.job().faults()).extracting(FaultView::name).containsExactly("now");
    assertThat(examined.job().faults().getFirst().weight()).as("weighed").isNotNull();
  }

  private void fault(String name, String nodeUid) {
    var fault = new NodeFault();
    fault.setMetadata(new ObjectMetaBuilder().withName(name).build());
    fault.setSpec(
        new NodeFaultSpec(
                "node-0",
                ComponentType.GPU,
                "0",
                "XID-79",
                "kmsg",
                FenceGuidance.ALWAYS,
                "",
                "",
                NOW,
                "")
            .onNode(nodeUid));
    client.resource(fault).create();
  }

  @Test
  void shouldSayThatThereIsNoSuchJob() {
    assertThat(run("-n", "team", "other")).isEqualTo(1);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .isEqualTo("rekindle doctor: no PyTorchJob other in namespace team\n");
  }

  @Test
  void shouldSayThatItIsRefused() {
    server
        .expect()
        .get()
        .withPath("/apis/kubeflow.org/v1/namespaces/team/pytorchjobs/demo")
        .andReturn(403, "")
        .always();
    assertThat(run("-n", "team", "demo")).isEqualTo(1);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .contains("; it takes a role that may get pytorchjobs");
    assertThat(out.toString(StandardCharsets.UTF_8)).isEmpty();
  }
}
