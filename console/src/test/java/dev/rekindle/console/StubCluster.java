package dev.rekindle.console;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rekindle.api.NodeFault;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPolicy;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.CustomResourceDefinitionContext;
import io.fabric8.kubernetes.client.server.mock.KubernetesMixedDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import io.fabric8.mockwebserver.ServerRequest;
import io.fabric8.mockwebserver.ServerResponse;
import io.fabric8.mockwebserver.http.RecordedRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An API server in memory that accepts the tokens of three people: alice may see everything, bob
 * the namespace {@code ml}, eve the namespace {@code other}.
 */
final class StubCluster {
  private static final Set<String> PEOPLE = Set.of("alice", "bob", "eve");
  private static final Map<String, String> NAMESPACES = Map.of("bob", "ml", "eve", "other");
  private static final ObjectMapper JSON = new ObjectMapper();

  private final KubernetesMockServer server;
  private final KubernetesClient client;
  private final AtomicInteger reviews = new AtomicInteger();

  StubCluster() {
    server = server();
    server
        .expect()
        .post()
        .withPath("/apis/authentication.k8s.io/v1/tokenreviews")
        .andReply(201, this::whose)
        .always();
    server
        .expect()
        .post()
        .withPath("/apis/authorization.k8s.io/v1/subjectaccessreviews")
        .andReply(201, this::may)
        .always();
    client = server.createClient();
  }

  /** A started one that serves the objects which the console reads. */
  static KubernetesMockServer server() {
    Map<ServerRequest, Queue<ServerResponse>> answers = new HashMap<>();
    var server =
        new KubernetesMockServer(
            new Context(),
            new MockWebServer(),
            answers,
            new KubernetesMixedDispatcher(answers),
            false);
    server.init();
    server.expectCustomResource(
        CustomResourceDefinitionContext.fromCustomResourceType(Recovery.class));
    server.expectCustomResource(
        CustomResourceDefinitionContext.fromCustomResourceType(NodeFault.class));
    server.expectCustomResource(
        CustomResourceDefinitionContext.fromCustomResourceType(RecoveryPolicy.class));
    return server;
  }

  KubernetesClient client() {
    return client;
  }

  /** The number of token and access reviews that it has answered. */
  int reviews() {
    return reviews.get();
  }

  private Object whose(RecordedRequest request) {
    ObjectNode review = read(request);
    String token = review.at("/spec/token").asText();
    ObjectNode status = review.putObject("status");
    status.put("authenticated", PEOPLE.contains(token));
    status.putObject("user").put("username", token);
    return review;
  }

  private Object may(RecordedRequest request) {
    ObjectNode review = read(request);
    String user = review.at("/spec/user").asText();
    JsonNode asked = review.at("/spec/resourceAttributes");
    boolean own =
        asked.at("/resource").asText().equals("recoveries")
            && asked.at("/namespace").asText().equals(NAMESPACES.get(user));
    review.putObject("status").put("allowed", user.equals("alice") || own);
    return review;
  }

  private ObjectNode read(RecordedRequest request) {
    reviews.incrementAndGet();
    try {
      return (ObjectNode) JSON.readTree(request.getBody().readUtf8());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
