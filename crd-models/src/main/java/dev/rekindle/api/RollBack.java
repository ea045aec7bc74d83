package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import java.time.Instant;

/**
 * A course of training that was given up on purpose. Its checkpoints stay where they are, so later
 * recoveries must know them: those of a later step than {@code to} that were written until {@code
 * until}.
 *
 * @param to step of the checkpoint that training went back to
 * @param from step of the newest valid checkpoint of the course that was given up
 * @param until newest modification time of any checkpoint at that moment, by the clock of their
 *     storage
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record RollBack(
    @Min(0) long to,
    @Min(0) long from,
    @Required @JsonFormat(shape = JsonFormat.Shape.STRING) Instant until) {
  public RollBack {
    until = Bounds.time(until);
  }
}
