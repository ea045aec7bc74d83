package dev.rekindle.agent;

import dev.rekindle.agent.app.AgentClient;
import dev.rekindle.api.NodeFault;
import dev.rekindle.api.RankReport;
import dev.rekindle.api.RestartOrder;
import dev.rekindle.api.RestartReport;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.CustomResourceDefinitionContext;
import io.fabric8.kubernetes.client.server.mock.KubernetesClientBuilderCustomizer;
import io.fabric8.kubernetes.client.server.mock.KubernetesCrudDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import io.fabric8.mockwebserver.http.Dispatcher;
import io.fabric8.mockwebserver.http.MockResponse;
import io.fabric8.mockwebserver.http.RecordedRequest;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToIntFunction;

/**
 * An API server in memory that stores what it is given; the client reads it as the agent's own
 * does. It knows no field selectors, so they are taken off and can be read in {@link #requests}.
 */
public final class Crud implements AutoCloseable {
  /** Method and path of every request. */
  public final List<String> requests = new CopyOnWriteArrayList<>();

  public final NamespacedKubernetesClient client;

  /** Answers a request, given as in {@link #requests}, with this status; 0 lets it through. */
  public volatile ToIntFunction<String> refuse = request -> 0;

  private final KubernetesMockServer server;

  public Crud() {
    var crud = new KubernetesCrudDispatcher();
    crud.expectCustomResource(
        CustomResourceDefinitionContext.fromCustomResourceType(NodeFault.class));
    crud.expectCustomResource(
        CustomResourceDefinitionContext.fromCustomResourceType(RankReport.class));
    crud.expectCustomResource(
        CustomResourceDefinitionContext.fromCustomResourceType(RestartOrder.class));
    crud.expectCustomResource(
        CustomResourceDefinitionContext.fromCustomResourceType(RestartReport.class));
    crud.expectCustomResource(
        new CustomResourceDefinitionContext.Builder()
            .withGroup("kubeflow.org")
            .withVersion("v1")
            .withKind("PyTorchJob")
            .withPlural("pytorchjobs")
            .withScope("Namespaced")
            .build());
    server =
        new KubernetesMockServer(
            new Context(), new MockWebServer(), new HashMap<>(), new Front(crud), false);
    server.init();
    client =
        server.createClient(
            builder ->
                new KubernetesClientBuilderCustomizer()
                    .andThen(known -> known.withKubernetesSerialization(AgentClient.json()))
                    .accept(builder));
    // A refused call is offered again by who made it; the library would wait in between.
    client.getConfiguration().setRequestRetryBackoffLimit(0);
  }

  /** From now on no call gets an answer. */
  public void stop() {
    server.destroy();
  }

  @Override
  public void close() {
    client.close();
    server.destroy();
  }

  private final class Front extends Dispatcher {
    private final KubernetesCrudDispatcher crud;

    Front(KubernetesCrudDispatcher crud) {
      this.crud = crud;
    }

    @Override
    public MockResponse dispatch(RecordedRequest request) {
      var line = request.getMethod() + " " + request.getPath();
      requests.add(line);
      var status = refuse.applyAsInt(line);
      if (status != 0) {
        return new MockResponse().setResponseCode(status).setBody("refused by the test");
      }
      var path = request.getPath().replaceAll("fieldSelector=spec[^&]*&?", "");
      return crud.dispatch(
          new RecordedRequest(
              request.getHttpVersion(),
              request.method(),
              path,
              request.getHeaders(),
              request.getBody()));
    }

    @Override
    public void shutdown() {
      crud.shutdown();
    }
  }
}
