package dev.rekindle.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.joran.spi.ConsoleTarget;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.util.Map;
import org.slf4j.Logger;

/**
 * Sets Logback up by code, so that no file is looked for and none is parsed. Logback finds it as a
 * service.
 */
@ConfiguratorRank(ConfiguratorRank.CUSTOM_NORMAL_PRIORITY)
public final class LogbackConfigurator extends ContextAwareBase implements Configurator {
  private static final String OURS = "dev.rekindle";
  private static final String CLIENT = "io.fabric8.kubernetes.client.";

  /** What the client says at more length than we do. */
  private static final Map<String, Level> SAID_BY_US =
      Map.of(
          CLIENT + "dsl.internal.VersionUsageUtils", Level.ERROR,
          // Watched says in one line what the reflector says with a stack trace.
          CLIENT + "informers.impl.cache.Reflector", Level.OFF,
          // Watched says that a watch was interrupted, ObservedLock that a call for the Lease
          // failed, each in one line.
          CLIENT + "dsl.internal.AbstractWatchManager", Level.OFF,
          CLIENT + "extended.leaderelection.LeaderElector", Level.ERROR);

  private final LogSettings settings;

  /** For Logback: by the environment of the process. */
  public LogbackConfigurator() {
    this(System.getenv());
  }

  LogbackConfigurator(Map<String, String> environment) {
    this.settings = LogSettings.of(environment);
  }

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    var console = new ConsoleAppender<ILoggingEvent>();
    console.setTarget(ConsoleTarget.SystemErr.getName());
    install(context, console);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  /** Lets everything that is logged go to an appender. */
  void install(LoggerContext context, OutputStreamAppender<ILoggingEvent> appender) {
    var encoder = new LineEncoder(settings.format());
    encoder.setContext(context);
    encoder.start();
    appender.setContext(context);
    appender.setEncoder(encoder);
    appender.start();
    var root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.addAppender(appender);
    var ours = level(settings.level());
    root.setLevel(ours.isGreaterOrEqual(Level.WARN) ? ours : Level.WARN);
    context.getLogger(OURS).setLevel(ours);
    SAID_BY_US.forEach((name, level) -> context.getLogger(name).setLevel(level));
  }

  private static Level level(LogLevel level) {
    return switch (level) {
      case ERROR -> Level.ERROR;
      case WARN -> Level.WARN;
      case INFO -> Level.INFO;
      case DEBUG -> Level.DEBUG;
    };
  }
}
