package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;

/**
 * How the collectives of a rank follow each other, over all its groups: a training loop repeats
 * itself.
 *
 * @param period after so many they begin again
 * @param since collectives since it left that order, with the one that did; 0 where it keeps to it
 * @param group in which it called something else
 * @param sequence the number there
 * @param called what it called
 * @param usual what it had called at that place a round before
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RankCalls(
    @Min(0) int period,
    @Min(0) int since,
    @Size(max = Bounds.WORD) String group,
    long sequence,
    @Size(max = Bounds.WORD) String called,
    @Size(max = Bounds.WORD) String usual) {
  public RankCalls {
    period = Math.max(0, period);
    since = Math.max(0, since);
    group = Bounds.word(group);
    called = Bounds.word(called);
    usual = Bounds.word(usual);
  }
}
