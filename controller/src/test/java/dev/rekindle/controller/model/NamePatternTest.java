package dev.rekindle.controller.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NamePatternTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "NvidiaXID*Error | NvidiaXID79Error | true",
        "NvidiaXID*Error | NvidiaXID79Errors | false",
        "aba*aba | aba | false",
        "* | anything | true",
        "*/gpu | nvidia.com/gpu | true",
        "nvidia.com/* | nvidia.com/mig-1g.10gb | true",
        "rdma/* | nvidia.com/gpu | false",
        "exact | exact | true",
        "exact | exactly | false"
      })
  void shouldFitNamesToPatterns(String pattern, String name, boolean fits) {
    assertThat(NamePattern.fits(pattern, name)).isEqualTo(fits);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "XID | XID | true",
        "XID | XID* | false",
        "XID* | XID79 | true",
        "XID* | XID7* | true",
        "XID7* | XID* | false",
        "XID*Error | XID7*GpuError | true",
        "XID*Error | XID7*Errors | false",
        "* | XID* | true"
      })
  void shouldCoverNarrowerPatterns(String pattern, String other, boolean covers) {
    assertThat(NamePattern.covers(pattern, other)).isEqualTo(covers);
  }
}
