package dev.rekindle.controller.kubernetes;

import dev.rekindle.api.Recovery;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.controller.port.ClusterGateway.StaleException;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.Optional;

/** Writes Recovery objects; what was stored is in the state before the call returns. */
final class RecoveryCalls {
  private final KubernetesClient client;
  private final ApiCalls api;
  private final KubernetesCache state;

  RecoveryCalls(KubernetesClient client, ApiCalls api, KubernetesCache state) {
    this.client = client;
    this.api = api;
    this.state = state;
  }

  /** Creates it. It belongs to no object: it is to be read after its job is gone. */
  RecoveryView open(RecoveryView draft) {
    Recovery recovery = new Recovery();
    recovery.setMetadata(
        new ObjectMetaBuilder().withNamespace(draft.namespace()).withName(draft.name()).build());
    recovery.setSpec(draft.spec());
    RecoveryView view = view(api.in(draft.namespace()).call(() -> createOrGet(recovery)));
    state.own().created(view);
    return view;
  }

  private Recovery createOrGet(Recovery recovery) {
    try {
      return client.resource(recovery).create();
    } catch (KubernetesClientException error) {
      if (error.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw error;
      }
      Recovery existing = client.resource(recovery).get();
      if (existing == null) {
        throw error;
      }
      return existing;
    }
  }

  RecoveryView save(RecoveryView view) {
    Recovery recovery = new Recovery();
    recovery.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(view.namespace())
            .withName(view.name())
            .withUid(view.uid())
            .withResourceVersion(view.resourceVersion())
            .build());
    recovery.setSpec(view.spec());
    recovery.setStatus(view.status());
    Optional<Recovery> stored =
        api.in(view.namespace()).find(() -> client.resource(recovery).updateStatus());
    if (stored.isEmpty()) {
      state.own().gone(view);
      throw new StaleException("recovery " + view.namespace() + "/" + view.name() + " is gone");
    }
    RecoveryView next = view(stored.get());
    state.own().stored(next);
    return next;
  }

  void remove(RecoveryView view) {
    String path =
        "/apis/rekindle.dev/v1alpha1/namespaces/%s/recoveries/%s"
            .formatted(view.namespace(), view.name());
    var options =
        new DeleteOptionsBuilder()
            .withApiVersion("v1")
            .withKind("DeleteOptions")
            .withNewPreconditions()
            .withUid(view.uid())
            .endPreconditions()
            .build();
    var _ =
        api.in(view.namespace())
            .find(
                () -> {
                  client.raw(path, "DELETE", options);
                  return view;
                });
    state.own().gone(view);
  }

  private static RecoveryView view(Recovery recovery) {
    return Views.recovery(recovery)
        .orElseThrow(() -> new IllegalStateException("the API server dropped spec.job"));
  }
}
