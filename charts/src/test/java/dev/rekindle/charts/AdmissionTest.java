package dev.rekindle.charts;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whom each admission policy binds, and in what. What they refuse is for an API server to say:
 * {@code PermissionsIT} asks one, with the tokens of real pods.
 */
class AdmissionTest {
  private static final String ANYBODY = "";
  private static final String AGENT =
      "request.userInfo.username == \"system:serviceaccount:rekindle-system:rk-agent\"";
  private static final String CONTROLLER =
      "request.userInfo.username == \"system:serviceaccount:rekindle-system:rk-controller\"";

  private static JsonNode policy(String name) {
    return Chart.render("").one("ValidatingAdmissionPolicy", "rk-" + name).get("spec");
  }

  private static List<String> texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(text -> texts.add(text.asText()));
    return texts;
  }

  private static String bound(JsonNode policy) {
    JsonNode conditions = policy.get("matchConditions");
    if (conditions == null) {
      return ANYBODY;
    }
    assertThat(conditions).hasSize(1);
    return conditions.get(0).get("expression").asText();
  }

  /** Resources with operations, by policy; each with whom it binds. */
  @Test
  void shouldBindExactlyTheseWrites() {
    Map<String, String> table = new TreeMap<>();
    Chart chart = Chart.render("");
    for (String name : chart.names()) {
      if (name.startsWith("ValidatingAdmissionPolicy/")) {
        JsonNode policy =
            chart.one("ValidatingAdmissionPolicy", name.substring(name.indexOf('/') + 1));
        JsonNode rules = policy.at("/spec/matchConstraints/resourceRules");
        assertThat(rules).hasSize(1);
        JsonNode rule = rules.get(0);
        table.put(
            policy.at("/metadata/name").asText().substring("rk-".length()),
            "%s %s of %s; %s"
                .formatted(
                    String.join(" ", texts(rule.get("operations"))),
                    String.join(" ", texts(rule.get("resources"))),
                    String.join(" ", texts(rule.get("apiGroups"))),
                    bound(policy.get("spec"))));
      }
    }
    String all = "CREATE UPDATE DELETE ";
    String writes = "CREATE UPDATE ";
    assertThat(table)
        .containsExactlyInAnyOrderEntriesOf(
            Map.ofEntries(
                Map.entry(
                    "agent-writes-own-node",
                    writes
                        + "nodefaults nodefaults/status rankreports rankreports/status"
                        + " restartreports of rekindle.dev; "
                        + AGENT),
                Map.entry(
                    "agent-writes-reports",
                    writes
                        + "rankreports rankreports/status restartreports of rekindle.dev; !("
                        + AGENT
                        + ")"),
                Map.entry(
                    "controller-writes-orders",
                    writes + "restartorders of rekindle.dev; " + ANYBODY),
                Map.entry(
                    "controller-writes-its-faults",
                    writes + "nodefaults nodefaults/status of rekindle.dev; " + ANYBODY),
                Map.entry(
                    "controller-writes-recoveries",
                    writes + "recoveries recoveries/status of rekindle.dev; !(" + CONTROLLER + ")"),
                Map.entry("controller-starts-inspectors", all + "jobs of batch; " + CONTROLLER),
                Map.entry("controller-keeps-pods", all + "pods of ; " + CONTROLLER),
                Map.entry("controller-keeps-nodes", all + "nodes nodes/status of ; " + CONTROLLER),
                Map.entry(
                    "controller-keeps-jobs",
                    all + "pytorchjobs pytorchjobs/status of kubeflow.org; " + CONTROLLER),
                Map.entry(
                    "controller-keeps-queues",
                    all
                        + "workloads workloads/status clusterqueues clusterqueues/status"
                        + " of kueue.x-k8s.io; "
                        + CONTROLLER),
                Map.entry(
                    "controller-keeps-podgroups",
                    all + "podgroups of scheduling.x-k8s.io; " + CONTROLLER)));
  }

  /** One that let everything through when it fails, or only warned, would be none. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "agent-writes-own-node",
        "agent-writes-reports",
        "controller-writes-orders",
        "controller-writes-its-faults",
        "controller-writes-recoveries",
        "controller-starts-inspectors",
        "controller-keeps-pods",
        "controller-keeps-nodes",
        "controller-keeps-jobs",
        "controller-keeps-queues",
        "controller-keeps-podgroups"
      })
  void shouldRefuseWithAReasonWhateverDoesNotPass(String name) {
    JsonNode binding = Chart.render("").one("ValidatingAdmissionPolicyBinding", "rk-" + name);

    assertThat(binding.at("/spec/policyName").asText()).isEqualTo("rk-" + name);
    assertThat(texts(binding.at("/spec/validationActions"))).containsExactly("Deny");
    assertThat(policy(name).get("failurePolicy").asText()).isEqualTo("Fail");
    for (JsonNode validation : policy(name).get("validations")) {
      String said =
          validation.has("message")
              ? validation.get("message").asText()
              : validation.get("messageExpression").asText();
      assertThat(said).hasSizeGreaterThan(20).doesNotContain("\n");
      assertThat(validation.get("reason").asText()).isEqualTo("Forbidden");
    }
  }

  @ParameterizedTest
  @CsvSource({"agent, agent-writes", "controller, controller-"})
  void shouldLeaveThePoliciesOutWhenTheyAreOff(String component, String names) {
    List<String> rest = Chart.render(component + ": {admissionPolicy: false}").names();

    assertThat(rest)
        .filteredOn(n -> n.startsWith("ValidatingAdmissionPolicy"))
        .isNotEmpty()
        .noneMatch(n -> n.contains("rk-" + names));
    assertThat(rest).contains("DaemonSet/rk-agent", "Deployment/rk-controller");
  }

  @Test
  void shouldHoldAgentsToTheNodeThatTheirTokenNames() {
    List<String> expressions = new ArrayList<>();
    policy("agent-writes-own-node")
        .get("validations")
        .forEach(v -> expressions.add(v.get("expression").asText()));

    assertThat(expressions)
        .contains("variables.node != ''", "object.spec.node == variables.node")
        .anyMatch(e -> e.contains("object.metadata.name == variables.node + variables.end"))
        .anyMatch(e -> e.contains("object.metadata.name.indexOf('.') + 1) == variables.node"));
  }

  /** A garbage collector takes off finalizers, and people label what they look at. */
  @Test
  void shouldLeaveToOthersTheMetadataOfReportsAndNothingElse() {
    JsonNode validations = policy("agent-writes-reports").get("validations");

    assertThat(validations).hasSize(1);
    assertThat(validations.get(0).get("expression").asText().split(" && "))
        .containsExactlyInAnyOrder(
            "oldObject != null",
            "dyn(object).?spec.orValue({}) == dyn(oldObject).?spec.orValue({})",
            "dyn(object).?status.orValue({}) == dyn(oldObject).?status.orValue({})");
  }

  /** The controller believes reports also where no agent is installed. */
  @Test
  void shouldLetNoAccountWriteReportsWhereThereAreNoAgents() {
    assertThat(Chart.render("agent: {enabled: false}").names())
        .contains(
            "ValidatingAdmissionPolicy/rk-agent-writes-reports",
            "ValidatingAdmissionPolicyBinding/rk-agent-writes-reports")
        .noneMatch(n -> n.contains("rk-agent-writes-own-node"));
  }

  /** A detector that the policy does not know could be signed by anybody. */
  @Test
  void shouldKnowAllDetectorsOfTheController() {
    assertThat(policy("controller-writes-its-faults").at("/variables/0/expression").asText())
        .isEqualTo("['condition', 'device-plugin', 'dra', 'ascend', 'hami']");
  }

  @Test
  void shouldLetTheControllerStartThisImageOnly() {
    String values = "image: {repository: registry.example.com/rekindle, tag: v1}";

    assertThat(
            Chart.render(values)
                .one("ValidatingAdmissionPolicy", "-starts-inspectors")
                .at("/spec/validations")
                .toString())
        .contains("variables.container.image == 'registry.example.com/rekindle:v1'");
  }

  /**
   * A runtime takes {@code //app}, {@code /x/../app} and {@code app} for {@code /app}. What the
   * policy makes of them is for an API server to say, its words are tried here.
   */
  @ParameterizedTest
  @CsvSource({
    "/ckpt/, false",
    "/mnt/a.b/..c/, false",
    "/opt/ml/checkpoints/, false",
    "/dev/shm/, false",
    "/app/, true",
    "//app/, true",
    "/./app/, true",
    "/x/../app/, true",
    "app/, true",
    "/opt/, true",
    "/opt/jre/, true",
    "/etc/, true",
    "/etc/ld.so.preload/, true",
    "/, true",
    "/./, true",
    "/x/../, true"
  })
  void shouldKeepMountsOffTheProgramOfAnInspector(String place, boolean refused) {
    String words = policy("controller-starts-inspectors").get("validations").toString();
    Matcher rule =
        Pattern.compile(
                "variables.places.all\\(p, p.startsWith\\('/'\\) && !p.matches\\('([^']+)'\\)"
                    + " && !\\(p in \\[([^\\]]+)]\\) && \\[([^\\]]+)].all\\(f,"
                    + " !p.startsWith\\(f\\)\\)\\)")
            .matcher(words.replaceAll("\\s+", " "));

    assertThat(rule.find()).isTrue();
    assertThat(
            !place.startsWith("/")
                || Pattern.compile(rule.group(1)).matcher(place).find()
                || quoted(rule.group(2)).contains(place)
                || quoted(rule.group(3)).stream().anyMatch(place::startsWith))
        .isEqualTo(refused);
  }

  private static List<String> quoted(String list) {
    return Pattern.compile("'([^']+)'").matcher(list).results().map(r -> r.group(1)).toList();
  }

  @Test
  void shouldLetTheControllerMakeNoPodsUnlessSparesAreOn() {
    assertThat(policy("controller-keeps-pods").get("validations").toString())
        .contains("makes no pods", "!variables.creates")
        .doesNotContain("priorityClassName");
    assertThat(Chart.render("").names()).noneMatch(n -> n.startsWith("PriorityClass/"));
  }

  /** What each says is tried against a real API server by StolenControllerJobsIT. */
  @Test
  void shouldHoldTheControllerToTheShapeOfAWarmSpare() {
    Chart chart =
        Chart.render(
            "image: {repository: registry.example.com/rekindle, tag: v1}\nspares: {enabled: true}");
    String said =
        chart.one("ValidatingAdmissionPolicy", "-keeps-pods").at("/spec/validations").toString();

    assertThat(said)
        .contains(
            "variables.waits.image == 'registry.example.com/rekindle:v1'",
            "c.?command.orValue([]) == ['/dev/null']",
            "m.mountPath.matches('^/mnt/claim-[0-9]+$')",
            "priorityClassName.orValue('') == 'rk-spare'");
    JsonNode priority = chart.one("PriorityClass", "rk-spare");
    assertThat(priority.get("value").asInt()).isEqualTo(-1000);
    assertThat(priority.get("preemptionPolicy").asText()).isEqualTo("Never");
    assertThat(
            chart
                .one("Deployment", "rk-controller")
                .at("/spec/template/spec/containers/0/env")
                .toString())
        .contains("\"REKINDLE_SPARE_PRIORITY_CLASS\",\"value\":\"rk-spare\"");
  }

  @Test
  void shouldLeaveTheMetadataOfOrdersToEverybody() {
    assertThat(policy("controller-writes-orders").at("/validations/0/expression").asText())
        .startsWith(CONTROLLER)
        .endsWith("|| (oldObject != null && object.spec == oldObject.spec)");
  }
}
