package dev.rekindle.fuzz;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** The checks of a reader can fail. */
class OracleTest {
  private static volatile Object kept = "";

  private static Target target(Target.Reader reader) {
    return Target.of("t", reader);
  }

  @Test
  void shouldRefuseAReaderThatTakesTooMuchMemory() {
    assertThatThrownBy(
            () -> Oracle.check(target(_ -> kept = new byte[(int) Oracle.MOST + 1]), new byte[3]))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("t took 64 MiB for 3 bytes");
    kept = "";
  }

  @Test
  void shouldRefuseAReaderThatTakesTooMuchProcessorTime() {
    var threads = ManagementFactory.getThreadMXBean();
    assertThatThrownBy(
            () ->
                Oracle.check(
                    target(
                        _ -> {
                          var from = threads.getCurrentThreadCpuTime();
                          while (threads.getCurrentThreadCpuTime() - from <= Oracle.MOST_NANOS) {
                            Thread.onSpinWait();
                          }
                        }),
                    new byte[0]))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("ms of processor time for 0 bytes");
  }

  @Test
  void shouldTakeAReaderThatTakesLittle() {
    assertThatCode(() -> Oracle.check(target(_ -> {}), new byte[0])).doesNotThrowAnyException();
  }
}
