package dev.rekindle.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator.ExecutionStatus;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class LogbackConfiguratorTest {
  private static final String CLIENT = "io.fabric8.kubernetes.client.";

  @Test
  void shouldBeFoundByLogbackAsAService() {
    var context = (LoggerContext) LoggerFactory.getILoggerFactory();

    assertThat(context.getLogger(Logger.ROOT_LOGGER_NAME).iteratorForAppenders())
        .toIterable()
        .singleElement()
        .satisfies(LogbackConfiguratorTest::writesLinesToStandardError);
  }

  private static void writesLinesToStandardError(Appender<ILoggingEvent> appender) {
    assertThat(appender).isInstanceOf(ConsoleAppender.class);
    var console = (ConsoleAppender<ILoggingEvent>) appender;
    assertThat(console.getTarget()).isEqualTo("System.err");
    assertThat(console.getEncoder()).isInstanceOf(LineEncoder.class);
  }

  @Test
  void shouldLeaveNothingToAFileOfLogback() {
    var context = new LoggerContext();

    assertThat(new LogbackConfigurator(Map.of()).configure(context))
        .isEqualTo(ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY);
    context.stop();
  }

  @ParameterizedTest
  @CsvSource({
    "error, ERROR, ERROR",
    "warn, WARN, WARN",
    "info, INFO, WARN",
    "debug, DEBUG, WARN",
    "nonsense, INFO, WARN"
  })
  void shouldLogOursAtTheLevelAndLibrariesAtMostAtWarn(String set, String ours, String others) {
    var log = new LogCapture(Map.of("REKINDLE_LOG_LEVEL", set));

    assertThat(level(log, "dev.rekindle.controller.app.Any")).isEqualTo(Level.toLevel(ours));
    assertThat(level(log, CLIENT + "Any")).isEqualTo(Level.toLevel(others));
    assertThat(level(log, "org.any.Library")).isEqualTo(Level.toLevel(others));
  }

  @Test
  void shouldKeepTheClientFromSayingWhatWeSay() {
    var log = new LogCapture(Map.of("REKINDLE_LOG_LEVEL", "debug"));

    assertThat(level(log, CLIENT + "informers.impl.cache.Reflector")).isEqualTo(Level.OFF);
    assertThat(level(log, CLIENT + "dsl.internal.AbstractWatchManager")).isEqualTo(Level.OFF);
    assertThat(level(log, CLIENT + "dsl.internal.VersionUsageUtils")).isEqualTo(Level.ERROR);
    assertThat(level(log, CLIENT + "extended.leaderelection.LeaderElector")).isEqualTo(Level.ERROR);
  }

  private static Level level(LogCapture log, String name) {
    return ((ch.qos.logback.classic.Logger) log.logger(name)).getEffectiveLevel();
  }

  @Test
  void shouldWriteInTheFormatThatIsSet() {
    var json = new LogCapture(Map.of("REKINDLE_LOG_FORMAT", "json"));
    json.logger().atInfo().log("Leading");
    var logfmt = new LogCapture(Map.of());
    logfmt.logger().atInfo().log("Leading");

    assertThat(json.text()).startsWith("{\"time\":\"").endsWith("\"msg\":\"Leading\"}\n");
    assertThat(logfmt.text()).startsWith("time=").endsWith("msg=Leading\n");
  }
}
