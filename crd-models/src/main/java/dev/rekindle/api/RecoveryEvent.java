package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.time.Instant;

/**
 * A Kubernetes Event that belongs to a stored status. A process may end between the two, and the
 * next one then writes it.
 *
 * @param time when the status was written, by the clock of the controller
 * @param reason its reason, a word of the vocabulary of Events
 * @param note what it says, at most 1 KiB, without the name of the recovery
 * @param node the node that it is about; empty where it is about none
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RecoveryEvent(
    @Required @JsonFormat(shape = JsonFormat.Shape.STRING) Instant time,
    @Size(max = Bounds.WORD) String reason,
    @Size(max = Bounds.LINE) String note,
    @Size(max = Bounds.NAME) String node) {
  /** Most that one status keeps: as many as two transitions have that follow at once. */
  public static final int MOST = 8;

  public RecoveryEvent {
    time = Bounds.time(time);
    reason = Bounds.word(reason);
    note = Bounds.line(note);
    node = Bounds.name(node);
  }
}
