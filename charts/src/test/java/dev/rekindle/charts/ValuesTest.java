package dev.rekindle.charts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.rekindle.api.RecoveryPolicySpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A value that is misspelled or out of range is refused before anything reaches a cluster. */
class ValuesTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # a typo, at every level
          agents: {}                                                       | agents
          image: {name: x}                                                 | image
          controller: {replica: 2}                                         | replica
          controller: {extraEnv: [{nam: A}]}                               | nam
          agent: {kmsg: {hostpath: /dev/kmsg}}                             | hostpath
          agent: {podLogs: {type: Directory}}                              | type
          agent: {freeze: {enable: true}}                                  | enable
          policy: {default: {stallSecond: 5}}                              | stallSecond
          metrics: {podMonitor: {enable: true}}                        | enable
          # out of range
          image: {tag: ""}                                                 | tag
          image: {digest: "sha256:12"}                                     | digest
          imagePullSecrets: [{name: A_b}]                                  | name
          imagePullSecrets: [registry]                                     | imagePullSecrets
          watchNamespaces: [A]                                             | watchNamespaces
          watchNamespaces: [a, a]                                          | watchNamespaces
          watchNamespaces: a                                               | watchNamespaces
          hooks: {preDelete: "no"}                                         | preDelete
          hooks: {postDelete: true}                                        | postDelete
          podLabels: {a: 1}                                                | podLabels
          rbac: {aggregate: true}                                          | aggregate
          controller: {topologySpreadConstraints: [{maxSkew: 0}]}          | maxSkew
          image: {pullPolicy: Sometimes}                                   | pullPolicy
          controller: {replicas: -1}                                       | replicas
          controller: {leaseDuration: 15}                                  | leaseDuration
          controller: {leaseDuration: soon}                                | leaseDuration
          agent: {reportInterval: ""}                                      | reportInterval
          agent: {enabled: "yes"}                                          | enabled
          agent: {kmsg: {hostPath: dev/kmsg}}                              | hostPath
          agent: {state: {subPathExpr: ../etc}}                            | subPathExpr
          agent: {freeze: {hostPath: sys/fs}}                              | hostPath
          agent: {podLogs: {subPathExpr: /etc}}                            | subPathExpr
          policy: {default: {mode: always}}                                | mode
          policy: {default: {budget: {maxAttempts: 0}}}                    | maxAttempts
          policy: {default: {detection: {stallSeconds: 1.5}}}              | stallSeconds
          agent: {resources: {limits: {memory: much}}}                     | memory
          logFormat: text                                                  | logFormat
          logLevel: trace                                                  | logLevel
          logLevel: ""                                                     | logLevel
          """)
  void shouldRefuse(String values, String named) {
    assertThatThrownBy(() -> Chart.render(values))
        .hasMessageContaining("values don't meet the specifications")
        .hasMessageContaining(named);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          controller: {leaseDuration: 1m30s, resources: {limits: {cpu: 2, memory: 1.5Gi}}}
          controller: {tolerations: [{key: a, operator: Equal, value: b, effect: NoSchedule}]}
          controller: {extraEnv: [{name: A, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]}
          agent: {reportInterval: 500ms, nodeSelector: {nvidia.com/gpu.present: "true"}}
          agent: {kmsg: {type: ""}, tolerations: []}
          priorityClassName: system-node-critical
          """)
  void shouldAccept(String values) {
    assertThat(Chart.render(values).names()).contains("Deployment/rk-controller");
  }

  @Test
  void shouldKnowEveryFieldOfThePolicyAndNoOther() throws IOException {
    JsonNode schema =
        Serialization.unmarshal(
            Files.readString(Chart.FOLDER.resolve("values.schema.json")), JsonNode.class);
    List<String> fields = new ArrayList<>();
    schema
        .at("/properties/policy/properties/default/properties")
        .fieldNames()
        .forEachRemaining(fields::add);

    assertThat(fields)
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(RecoveryPolicySpec.class.getRecordComponents())
                .map(RecordComponent::getName)
                .toList());
  }

  /** The README is written from the comments in values.yaml; a change fails the build once. */
  @Test
  void shouldFindTheValuesInTheReadme() throws IOException {
    Path readme = Chart.FOLDER.resolve("README.md");
    String before = Files.readString(readme);
    String after =
        ValuesList.replaceIn(before, Files.readString(Chart.FOLDER.resolve("values.yaml")));
    Files.writeString(readme, after);

    assertThat(after)
        .as("README.md did not match values.yaml and has been written anew: commit it, run again")
        .isEqualTo(before);
  }
}
