package dev.rekindle.logging;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.OutputStreamAppender;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;

/** Loggers set up by the configurator, whose lines stay here. */
final class LogCapture {
  private final LoggerContext context = context();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  LogCapture(Map<String, String> environment) {
    var appender = new OutputStreamAppender<ILoggingEvent>();
    appender.setOutputStream(out);
    new LogbackConfigurator(environment).install(context, appender);
  }

  private static LoggerContext context() {
    var context = new LoggerContext();
    context.setMDCAdapter(new LogbackMDCAdapter());
    return context;
  }

  static LogCapture of(LineFormat format) {
    return new LogCapture(Map.of("REKINDLE_LOG_FORMAT", format.word()));
  }

  Logger logger(String name) {
    return context.getLogger(name);
  }

  Logger logger() {
    return logger("dev.rekindle.controller.runtime.WorkQueue");
  }

  /** All lines so far, each without its end. */
  List<String> lines() {
    return text().lines().toList();
  }

  String text() {
    return out.toString(StandardCharsets.UTF_8);
  }
}
