package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/**
 * How busy the GPU of a rank was, as its driver says (NVML). The program cannot write it. The
 * <em>usual</em> figures are the upper quartile of the samples of the last quarter of an hour in
 * which the same process had the GPU: while it stands for less than three quarters of that, they
 * are of when it trained.
 *
 * @param gpu PCI address, {@code 0000:3b:00}
 * @param utilization percent of the last sample period in which a kernel ran
 * @param memory percent of it in which memory was read or written
 * @param watts power; 0 where the GPU does not report it
 * @param usualMemory the usual percentage for memory; absent where too few samples are there
 * @param usualWatts the usual power; absent where too few samples are there
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RankDevice(
    @Size(max = Bounds.WORD) String gpu,
    @Min(0) @Max(100) int utilization,
    @Min(0) @Max(100) int memory,
    @Min(0) int watts,
    @Nullable @Min(0) @Max(100) Integer usualMemory,
    @Nullable @Min(0) Integer usualWatts) {
  public RankDevice {
    gpu = Bounds.word(gpu);
    utilization = percent(utilization);
    memory = percent(memory);
    watts = Math.max(0, watts);
    usualMemory = usualMemory == null ? null : percent(usualMemory);
    usualWatts = usualWatts == null ? null : Math.max(0, usualWatts);
  }

  private static int percent(int value) {
    return Math.clamp(value, 0, 100);
  }
}
