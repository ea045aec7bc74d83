package dev.rekindle.detect.agent;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.RankReport;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.CustomResourceDefinitionContext;
import io.fabric8.kubernetes.client.server.mock.KubernetesCrudDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import java.util.HashMap;

/** An API server in memory that stores what it is given. */
final class Crud implements AutoCloseable {
  final KubernetesMockServer server =
      new KubernetesMockServer(
          new Context(),
          new MockWebServer(),
          new HashMap<>(),
          new KubernetesCrudDispatcher(),
          false);
  final NamespacedKubernetesClient client;

  Crud() {
    server.init();
    server.expectCustomResource(
        CustomResourceDefinitionContext.fromCustomResourceType(NodeFault.class));
    server.expectCustomResource(
        CustomResourceDefinitionContext.fromCustomResourceType(RankReport.class));
    server.expectCustomResource(
        new CustomResourceDefinitionContext.Builder()
            .withGroup("kubeflow.org")
            .withVersion("v1")
            .withKind("PyTorchJob")
            .withPlural("pytorchjobs")
            .withScope("Namespaced")
            .build());
    client = server.createClient();
  }

  @Override
  public void close() {
    client.close();
    server.destroy();
  }
}
