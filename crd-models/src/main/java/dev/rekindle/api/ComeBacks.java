package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import java.time.Instant;

/**
 * A gang that the kubelets alone brought back, again and again: counted in one object.
 *
 * @param count how often
 * @param first when it first trained again
 * @param last when it last did
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ComeBacks(
    @Min(1) int count,
    @Required @JsonFormat(shape = JsonFormat.Shape.STRING) Instant first,
    @Required @JsonFormat(shape = JsonFormat.Shape.STRING) Instant last) {
  public ComeBacks {
    count = Math.max(1, count);
    first = Bounds.time(first);
    last = Bounds.time(last);
  }
}
