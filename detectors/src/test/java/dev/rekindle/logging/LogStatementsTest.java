package dev.rekindle.logging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is logged can be searched for: constant messages, values under keys of one list. */
class LogStatementsTest {
  private static final List<String> MODULES =
      List.of("crd-models", "detectors", "controller", "simulator");

  private static LogStatements ofMainSources() throws IOException {
    var statements = new LogStatements();
    for (var module : MODULES) {
      try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "main", "java"))) {
        for (var file :
            files
                .filter(file -> file.toString().endsWith(".java"))
                .filter(file -> !file.endsWith("logging/LogbackConfigurator.java"))
                .filter(file -> !file.endsWith("logging/LineEncoder.java"))
                .sorted()
                .toList()) {
          statements.read(file);
        }
      }
    }
    return statements;
  }

  @Test
  void shouldLogConstantMessagesAndValuesUnderKnownKeys() throws IOException {
    var statements = ofMainSources();

    assertThat(statements.problems()).isEmpty();
    assertThat(statements.count()).isGreaterThan(90);
  }

  @Test
  void shouldHaveAStatementForEachKey() throws IOException {
    assertThat(ofMainSources().used()).containsExactlyInAnyOrder(LogKey.values());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "LOG.atWarn().log(\"Node fenced\");|",
        "LOG.atWarn().log(\"Node fenced; \" + \"retrying\");|",
        "LOG.atWarn().addKeyValue(LogKey.NODE.key(), n).setCause(e).log(\"Node fenced\");|",
        "LOG.atWarn().log(\"Node \" + n);| is not one constant text",
        "LOG.atWarn().log(text);| is not one constant text",
        "LOG.atWarn().log(\"Node {}\", n);| is not one constant text",
        "LOG.atWarn().log(\"Node {}\");| is no plain text",
        "LOG.atWarn().log(\"node fenced\");| is no plain text",
        "LOG.atWarn().log(\"Node fenced.\");| is no plain text",
        "LOG.atWarn().addKeyValue(\"node\", n).log(\"Node fenced\");| is not of LogKey",
        "LOG.atWarn().addKeyValue(key, n).log(\"Node fenced\");| is not of LogKey",
        "LOG.atInfo().addKeyValue(LogKey.NODE.key(), n).addKeyValue(LogKey.NODE.key(), m)"
            + ".log(\"Node fenced\");| is given twice",
        "LOG.atInfo().addArgument(n).log(\"Node fenced\");| is none of addKeyValue, setCause",
        "LOG.warn(\"Node fenced\");| no whole statement",
        "LOG.atTrace().log(\"Node fenced\");| no whole statement",
        "var b = LOG.atWarn().addKeyValue(LogKey.NODE.key(), n);| no whole statement",
        "helper(LOG);| no whole statement",
        "Logger other = LoggerFactory.getLogger(Any.class);| a logger is `private static final",
      })
  void shouldRefuseOtherStatements(String statement, String problem) throws IOException {
    var statements = new LogStatements();
    statements.read(
        "Any.java",
        """
        import org.slf4j.Logger;
        class Any {
          private static final Logger LOG = LoggerFactory.getLogger(Any.class);
          void any() {
            %s
          }
        }
        """
            .formatted(statement));

    if (problem == null) {
      assertThat(statements.problems()).isEmpty();
      assertThat(statements.count()).isOne();
    } else {
      assertThat(statements.problems())
          .singleElement()
          .asString()
          .startsWith("Any.java:5: ")
          .contains(problem);
    }
  }

  @Test
  void shouldRefuseOtherWaysToLog() throws IOException {
    var statements = new LogStatements();
    statements.read(
        "Any.java",
        """
        import org.slf4j.spi.LoggingEventBuilder;
        import ch.qos.logback.classic.Level;
        class Any {
          static final Logger LOG = LoggerFactory.getLogger(Other.class);
        }
        """);

    assertThat(statements.problems())
        .hasSize(3)
        .anyMatch(problem -> problem.contains("imports org.slf4j.spi.LoggingEventBuilder"))
        .anyMatch(problem -> problem.contains("imports ch.qos.logback.classic.Level"))
        .anyMatch(problem -> problem.contains("getLogger(Any.class)"));
  }
}
