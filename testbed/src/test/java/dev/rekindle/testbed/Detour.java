package dev.rekindle.testbed;

import dev.rekindle.testbed.proxy.ApiProxy;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.internal.SSLUtils;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/**
 * Our controllers, and no other client, reach the API server through a proxy for as long as this is
 * open.
 */
final class Detour implements AutoCloseable {
  private static final URI API_SERVER = URI.create("https://127.0.0.1:6443");

  /** This host for every pod; the API server's certificate names it. */
  private static final String HOST = "10.244.0.1";

  private final ControllerProcess controllers;
  private final ApiProxy proxy;
  private final Deployment former;

  private Detour(ControllerProcess controllers, ApiProxy proxy, Deployment former) {
    this.controllers = controllers;
    this.proxy = proxy;
    this.former = former;
  }

  /** Starts a proxy, and the controllers again behind it. */
  static Detour open(ControllerProcess controllers) {
    ApiProxy proxy = new ApiProxy(API_SERVER, towardsTheServer(), asTheServer());
    Deployment former = controllers.deployment();
    try {
      controllers.replace(d -> through(d, proxy.port()));
      return new Detour(controllers, proxy, former);
    } catch (RuntimeException | AssertionError e) {
      proxy.close();
      throw e;
    }
  }

  private static Deployment through(Deployment deployment, int port) {
    Container container = deployment.getSpec().getTemplate().getSpec().getContainers().getFirst();
    List<EnvVar> env = new ArrayList<>(container.getEnv());
    env.add(new EnvVar("KUBERNETES_SERVICE_HOST", HOST, null));
    env.add(new EnvVar("KUBERNETES_SERVICE_PORT", Integer.toString(port), null));
    container.setEnv(env);
    return deployment;
  }

  private static SSLContext towardsTheServer() {
    try {
      return SSLUtils.sslContext(Testbed.administrator());
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static SSLContext asTheServer() {
    Path pki = Testbed.RUN.resolve("pki");
    var certificate =
        new ConfigBuilder()
            .withClientCertFile(pki.resolve("api.crt").toString())
            .withClientKeyFile(pki.resolve("api.key").toString())
            .withClientKeyAlgo("RSA")
            .build();
    try {
      return SSLUtils.sslContext(
          Objects.requireNonNull(SSLUtils.keyManagers(certificate)), new TrustManager[0]);
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  ApiProxy proxy() {
    return proxy;
  }

  /** The controllers as they were before, and the end of the proxy. */
  @Override
  public void close() {
    try (proxy) {
      controllers.replace(
          d -> {
            d.getSpec().setTemplate(former.getSpec().getTemplate());
            return d;
          });
    }
  }
}
