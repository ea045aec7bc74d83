package dev.rekindle.detect.xid;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class XidCatalogTest {
  private final XidCatalog catalog = XidCatalog.load();

  @Test
  void shouldHoldEveryCodeOnceWhenLoaded() {
    assertThat(catalog.codes()).hasSize(176);
    assertThat(IntStream.rangeClosed(1, 176)).allMatch(code -> catalog.lookup(code).known());
  }

  @Test
  void shouldFenceOnSightOnlyForTheTwentyOneHardwareCodes() {
    assertThat(
            IntStream.rangeClosed(1, 176)
                .filter(code -> catalog.lookup(code).fence() == FenceGuidance.ALWAYS))
        .containsExactly(
            46, 48, 54, 62, 64, 79, 95, 110, 119, 120, 136, 140, 143, 150, 151, 156, 158, 167, 169,
            172, 173);
  }

  @ParameterizedTest
  @CsvSource({
    "79,ALWAYS,reboot_node",
    "95,ALWAYS,reset_gpu",
    "13,THRESHOLD,restart_job",
    "94,THRESHOLD,restart_job",
    "63,THRESHOLD,ignore",
    "45,NEVER,ignore",
    "14,NEVER,ignore"
  })
  void shouldGiveFenceAndActionWhenCodeIsKnown(int code, FenceGuidance fence, String action) {
    var entry = catalog.lookup(code);
    assertThat(entry.fence()).isEqualTo(fence);
    assertThat(entry.action()).isEqualTo(action);
    assertThat(entry.name()).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource({"0", "177", "999", "2147483647", "-1"})
  void shouldAskToInvestigateWhenCodeIsUnknown(int code) {
    var entry = catalog.lookup(code);
    assertThat(entry.known()).isFalse();
    assertThat(entry.fence()).isEqualTo(FenceGuidance.THRESHOLD);
    assertThat(entry.action()).isEqualTo("investigate");
  }
}
