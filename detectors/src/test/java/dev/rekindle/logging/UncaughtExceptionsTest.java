package dev.rekindle.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class UncaughtExceptionsTest {
  @Test
  void shouldLogWhatEndsAThread() throws InterruptedException {
    var before = Thread.getDefaultUncaughtExceptionHandler();
    var logger = (Logger) LoggerFactory.getLogger(UncaughtExceptions.class);
    var seen = new ListAppender<ILoggingEvent>();
    var passedOn = new ArrayList<Throwable>();
    seen.start();
    logger.addAppender(seen);
    logger.setAdditive(false);
    try {
      UncaughtExceptions.log(passedOn::add);
      var thread =
          Thread.ofPlatform()
              .name("timer")
              .start(
                  () -> {
                    throw new IllegalStateException("broken");
                  });
      thread.join();
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
      logger.setAdditive(true);
      logger.detachAppender(seen);
    }

    assertThat(passedOn).singleElement().isInstanceOf(IllegalStateException.class);
    assertThat(seen.list)
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.getKeyValuePairs())
                  .extracting(pair -> pair.key + "=" + pair.value)
                  .containsExactly("thread=timer", "error=java.lang.IllegalStateException: broken");
              assertThat(event.getThrowableProxy().getMessage()).isEqualTo("broken");
            });
  }
}
