package dev.rekindle.controller.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.rekindle.api.JobRef;
import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.api.RecoverySpec;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.cli.CommandTree;
import dev.rekindle.controller.Policies;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.StatusBuilder;
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
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** list, timeline, approve and release, on an API server in memory. */
@SuppressWarnings("NullAway.Init") // The extension sets client and server.
@EnableKubernetesMockClient(crud = true)
class OperatorCommandsTest {
  private static final Instant NOW = Instant.parse("2026-11-21T06:00:00Z");

  private KubernetesClient client;
  private KubernetesMockServer server;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private Optional<String> answer = Optional.empty();

  private int run(String... args) {
    out.reset();
    err.reset();
    var cluster = new ClusterAccess(server::createClient);
    return CommandTree.of(
            List.of(
                new ListCommand(stream(out), cluster, InstantSource.fixed(NOW)),
                new TimelineCommand(stream(out), cluster),
                new ApproveCommand(stream(out), cluster),
                new ReleaseCommand(stream(out), cluster, _ -> answer),
                new ReportCommand(stream(out), cluster, InstantSource.fixed(NOW))))
        .run(List.of(args), stream(out), stream(err));
  }

  private static PrintStream stream(ByteArrayOutputStream to) {
    return new PrintStream(to, true, StandardCharsets.UTF_8);
  }

  private String said() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private String refused() {
    return err.toString(StandardCharsets.UTF_8);
  }

  private void recovery(String namespace, String job, RecoveryPhase phase) {
    var recovery = new Recovery();
    recovery.setMetadata(
        new ObjectMetaBuilder().withName(job + "-r1").withNamespace(namespace).build());
    recovery.setSpec(new RecoverySpec(JobRef.pyTorchJob(job, "uid"), NOW, null));
    recovery.setStatus(
        new RecoveryStatus(phase, NOW, 1, null, null, null, null, List.of(), List.of()));
    client.resource(recovery).create();
  }

  private void node(String name, Map<String, String> annotations) {
    client
        .resource(
            new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .withAnnotations(annotations)
                .endMetadata()
                .withNewSpec()
                .withUnschedulable(true)
                .endSpec()
                .build())
        .create();
  }

  private void fault(String name, String node) {
    var fault = new NodeFault();
    fault.setMetadata(new ObjectMetaBuilder().withName(name).build());
    fault.setSpec(
        new NodeFaultSpec(
            node, ComponentType.GPU, "0", "XID-79", "kmsg", FenceGuidance.ALWAYS, "", "", NOW, ""));
    client.resource(fault).create();
  }

  private Node node(String name) {
    return client.nodes().withName(name).get();
  }

  @Test
  void shouldListThoseThatAreRequested() throws Exception {
    recovery("team", "llm", RecoveryPhase.HELD);
    recovery("team", "old", RecoveryPhase.RECOVERED);
    recovery("other", "llm", RecoveryPhase.FAILED);
    assertThat(run("list", "-n", "team", "--open")).isZero();
    assertThat(said()).contains("llm-r1").doesNotContain("old-r1").hasLineCount(2);
    assertThat(run("list", "-A", "--job", "llm", "-o", "wide")).isZero();
    assertThat(said()).startsWith("NAMESPACE").contains("other", "team").hasLineCount(3);
    assertThat(run("list", "-A", "-o", "json")).isZero();
    assertThat(new JsonMapper().readTree(said()).get("items"))
        .extracting(r -> r.get("spec").get("jobRef").get("name").asText())
        .containsExactlyInAnyOrder("llm", "old", "llm");
    assertThat(run("list", "-A", "-n", "team")).isEqualTo(2);
    assertThat(run("list", "-o", "xml")).isEqualTo(2);
  }

  @Test
  void shouldPrintATimeline() {
    recovery("team", "llm", RecoveryPhase.HELD);
    assertThat(run("timeline", "-n", "team", "llm-r1")).isZero();
    assertThat(said()).startsWith("Recovery: team/llm-r1\n");
    assertThat(run("timeline", "-n", "team", "llm-r1", "-o", "yaml")).isZero();
    assertThat(said()).startsWith("apiVersion: ").contains("rekindle.dev/v1alpha1");
    assertThat(run("timeline", "-n", "team", "llm-r2")).isEqualTo(1);
    assertThat(refused()).isEqualTo("rekindle timeline: no recovery llm-r2 in namespace team\n");
  }

  @Test
  void shouldApproveARecoveryThatIsNotOver() {
    recovery("team", "llm", RecoveryPhase.HELD);
    recovery("team", "old", RecoveryPhase.CANCELLED);
    assertThat(run("approve", "-n", "team", "llm-r1")).isZero();
    assertThat(said()).isEqualTo("recovery/llm-r1 approved\n");
    assertThat(
            client.resources(Recovery.class).inNamespace("team").withName("llm-r1").get().getSpec())
        .extracting(RecoverySpec::approved)
        .isEqualTo(true);
    assertThat(run("approve", "-n", "team", "llm-r1")).isZero();
    assertThat(said()).isEqualTo("recovery/llm-r1 was approved before\n");
    assertThat(run("approve", "-n", "team", "old-r1")).isEqualTo(1);
    assertThat(refused()).contains("is over (Cancelled)");
  }

  @Test
  void shouldApproveAgainWhatHasExpired() {
    recovery("team", "llm", RecoveryPhase.HELD);
    Recovery expired =
        client.resources(Recovery.class).inNamespace("team").withName("llm-r1").get();
    expired.setSpec(new RecoverySpec(expired.getSpec().jobRef(), NOW, true));
    expired.setStatus(
        expired
            .getStatus()
            .withConditions(
                List.of(
                    new ConditionBuilder()
                        .withType("Approved")
                        .withStatus("False")
                        .withReason("Expired")
                        .build())));
    client.resource(expired).update();

    assertThat(run("approve", "-n", "team", "llm-r1")).isZero();
    assertThat(said()).isEqualTo("recovery/llm-r1 approved again\n");
  }

  @Test
  void shouldReportWithThePricesOfThePolicy() throws Exception {
    recovery("team", "llm", RecoveryPhase.HELD);
    recovery("other", "llm", RecoveryPhase.FAILED);
    assertThat(run("report", "-n", "team")).isZero();
    assertThat(said()).startsWith("JOB ").contains("team/llm").doesNotContain("USD", "other/llm");
    var policy = new RecoveryPolicy();
    policy.setMetadata(new ObjectMetaBuilder().withName("default").build());
    policy.setSpec(
        Policies.spec(
            "cost: {currency: EUR, models: [{product: NVIDIA-H100, pricePerGpuHour: 3.5}]}"));
    client.resource(policy).create();
    assertThat(run("report", "-A", "--by", "cause", "-o", "csv")).isZero();
    assertThat(said().lines())
        .containsExactly(
            "CAUSE,RECOVERIES,RECOVERED,GPU-HOURS,EUR,MEDIAN,P95",
            "(none),2,0,0.00,0.00,,",
            "TOTAL,2,0,0.00,0.00,,");
    assertThat(run("report", "-A", "--since", "1h", "-o", "json")).isZero();
    var json = new JsonMapper().readTree(said());
    assertThat(json.get("currency").asText()).isEqualTo("EUR");
    assertThat(json.get("from").asText()).isEqualTo(NOW.minusSeconds(3_600).toString());
    assertThat(json.get("rows")).hasSize(2);
    assertThat(run("report", "-A", "-o", "markdown")).isZero();
    assertThat(said()).startsWith("| JOB | RECOVERIES |").contains("\n| --- |");
  }

  /** Who may see recoveries of a namespace need not be allowed to read policies and nodes. */
  @Test
  void shouldReportWithoutPricesThatMayNotBeRead() {
    recovery("team", "llm", RecoveryPhase.HELD);
    server
        .expect()
        .get()
        .withPath("/apis/rekindle.dev/v1alpha1/recoverypolicies/default")
        .andReturn(403, "")
        .always();
    assertThat(run("report", "-n", "team")).isZero();
    assertThat(said()).contains("team/llm", "Prices could not be read: ");
  }

  @Test
  void shouldApproveTheFenceOfAFault() {
    node("n6", Map.of());
    fault("f6", "n6");
    assertThat(run("approve", "--fault", "f6")).isZero();
    assertThat(node("n6").getMetadata().getAnnotations())
        .containsEntry("rekindle.dev/approve-fence", "f6");
    assertThat(run("approve", "--fault", "f7")).isEqualTo(1);
  }

  @Test
  void shouldReleaseANodeOnlyWhenConfirmed() {
    node(
        "n6",
        Map.of("rekindle.dev/fenced-by", "fault/f6", "rekindle.dev/incidents", "x", "a", "b"));
    fault("f6", "n6");
    fault("f7", "n7");
    assertThat(run("release", "n6")).isEqualTo(2);
    assertThat(refused()).contains("--yes");
    answer = Optional.of("n");
    assertThat(run("release", "n6")).isEqualTo(1);
    assertThat(run("release", "n6", "--dry-run=client")).isZero();
    assertThat(said()).isEqualTo("delete nodefault/f6 (dry run)\nuncordon node/n6 (dry run)\n");
    assertThat(client.resources(NodeFault.class).list().getItems()).hasSize(2);
    assertThat(node("n6").getSpec().getUnschedulable()).isTrue();

    answer = Optional.of("y");
    assertThat(run("release", "n6")).isZero();
    assertThat(said()).endsWith("node/n6 released\n");
    assertThat(client.resources(NodeFault.class).list().getItems())
        .extracting(f -> f.getMetadata().getName())
        .containsExactly("f7");
    assertThat(node("n6").getSpec().getUnschedulable()).isNotEqualTo(true);
    assertThat(kept("n6")).containsExactlyInAnyOrder("a", "rekindle.dev/incidents");
  }

  /** The server in memory keeps what a merge patch removes, with null. */
  private List<String> kept(String name) {
    return node(name).getMetadata().getAnnotations().entrySet().stream()
        .filter(e -> e.getValue() != null)
        .map(Map.Entry::getKey)
        .toList();
  }

  @Test
  void shouldForgiveOnlyWhereThatIsRequested() {
    node("n6", Map.of("rekindle.dev/incidents", "x", "a", "b"));
    assertThat(run("release", "n6", "--yes")).isEqualTo(1);
    assertThat(refused()).isEqualTo("rekindle release: node n6 is not fenced by Rekindle\n");
    assertThat(run("release", "n6", "--yes", "--forgive")).isZero();
    assertThat(kept("n6")).containsExactly("a");
  }

  @Test
  void shouldLeaveTheCordonOfAnotherUser() {
    node("n6", Map.of());
    fault("f6", "n6");
    assertThat(run("release", "--yes", "n6")).isZero();
    assertThat(said()).contains("leave the cordon of node/n6");
    assertThat(node("n6").getSpec().getUnschedulable()).isTrue();
  }

  @Test
  void shouldSayWhatTheApiServerSaysAndWhichRoleItTakes() {
    server
        .expect()
        .get()
        .withPath("/apis/rekindle.dev/v1alpha1/namespaces/team/recoveries")
        .andReturn(
            403,
            new StatusBuilder()
                .withCode(403)
                .withMessage("recoveries.rekindle.dev is forbidden: User \"u\" cannot list it")
                .build())
        .always();
    assertThat(run("list", "-n", "team")).isEqualTo(1);
    assertThat(refused())
        .isEqualTo(
            "rekindle list: recoveries.rekindle.dev is forbidden: User \"u\" cannot list it;"
                + " it takes a role that may list recoveries.rekindle.dev\n");
    assertThat(said()).isEmpty();
  }
}
