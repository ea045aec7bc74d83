package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One entry of the timeline of a Recovery.
 *
 * @param phase the phase entered, or the phase in which it happened
 * @param time when
 * @param detail one sentence
 * @param hold the reason of the hold that it begins, or whose message it renews
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record TimelineEntry(
    @Required RecoveryPhase phase,
    @Required @JsonFormat(shape = JsonFormat.Shape.STRING) Instant time,
    @Size(max = Bounds.LINE) String detail,
    @Nullable @Size(max = Bounds.WORD) String hold) {
  public TimelineEntry {
    phase = phase == null ? RecoveryPhase.DETECTED : phase;
    time = Bounds.time(time);
    detail = Bounds.line(detail);
    hold = hold == null ? null : Bounds.word(hold);
  }

  /** One that belongs to no hold. */
  public TimelineEntry(RecoveryPhase phase, Instant time, String detail) {
    this(phase, time, detail, null);
  }
}
