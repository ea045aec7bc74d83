package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/**
 * What came of making the tracker of a framework name the pinned checkpoint, where the owner of the
 * job wants that.
 *
 * @param result {@code Rewritten}, {@code Unchanged}: it named that one already; {@code Refused}:
 *     it is as it was
 * @param file name of the tracker, beside the checkpoint; empty where it is not known
 * @param before what it said; empty where it was not read
 * @param now what it says; empty where it was refused
 * @param kept name of the file beside it that has the old text; empty where there is none
 * @param message why it was refused; else empty
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record TrackerChange(
    @Required TrackerResult result,
    @Size(max = Bounds.NAME) String file,
    @Size(max = Bounds.NAME) String before,
    @Size(max = Bounds.NAME) String now,
    @Size(max = Bounds.NAME) String kept,
    @Size(max = Bounds.LINE) String message) {
  public TrackerChange {
    result = result == null ? TrackerResult.REFUSED : result;
    file = Bounds.text(file, Bounds.NAME);
    before = Bounds.text(before, Bounds.NAME);
    now = Bounds.text(now, Bounds.NAME);
    kept = Bounds.text(kept, Bounds.NAME);
    message = Bounds.line(message);
  }

  /** One that was left as it is. */
  public static TrackerChange refused(String why) {
    return new TrackerChange(TrackerResult.REFUSED, "", "", "", "", why);
  }
}
