package dev.rekindle.agent.app;

import dev.rekindle.agent.config.AgentConfig;
import dev.rekindle.detect.kmsg.Boot;
import dev.rekindle.detect.probes.RuntimeMetrics;
import dev.rekindle.logging.LogKey;
import dev.rekindle.logging.UncaughtExceptions;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts the node agent. Its parts are put together by hand: on every node of a cluster a container
 * for injection would cost memory for a dozen objects that are made once.
 */
public final class AgentMain {
  private static final Logger LOG = LoggerFactory.getLogger(AgentMain.class);

  private AgentMain() {}

  /**
   * Starts the agent and returns; it runs until the process is asked to end. Exit code 2 says that
   * its settings make no sense, 1 that it cannot start.
   *
   * @param args not used; the settings are in the environment, see {@code REKINDLE_NODE_NAME}
   */
  public static void main(String[] args) {
    UncaughtExceptions.log();
    AgentConfig config;
    try {
      config = AgentConfig.of(System.getenv());
    } catch (IllegalArgumentException e) {
      LOG.atError()
          .addKeyValue(LogKey.ERROR.key(), e.getMessage())
          .log("Agent cannot start: environment variables are wrong");
      System.exit(2);
      return;
    }
    try {
      start(config);
    } catch (IOException e) {
      LOG.atError().addKeyValue(LogKey.ERROR.key(), e.toString()).log("Agent cannot start");
      System.exit(1);
    }
  }

  private static void start(AgentConfig config) throws IOException {
    var registry = new PrometheusRegistry();
    RuntimeMetrics.register(registry);
    var client = AgentClient.connect();
    var clock = InstantSource.system();
    var agent = new Agent(config, client, Boot.read(Path.of("/proc"), clock), clock, registry);
    Runtime.getRuntime()
        .addShutdownHook(
            Thread.ofPlatform()
                .unstarted(
                    () -> {
                      try {
                        agent.close();
                      } catch (IOException e) {
                        LOG.atWarn().setCause(e).log("Cannot close the kernel log");
                      }
                      client.close();
                    }));
  }
}
