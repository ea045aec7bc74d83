package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * When a gang that still trains may be stopped. Outside the windows its recovery is held before
 * anything of it is touched, and continues by itself once a window opens or the gang trains no
 * more.
 *
 * @param timeZone time zone of the windows, as in the IANA database: {@code Europe/Berlin}
 * @param windows when a gang that trains may be stopped; without any, at any time
 * @param stoppedJobs whether a job that makes no progress outside the windows is recovered at once
 *     ({@code recover}) or in the next window ({@code wait})
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record MaintenancePolicy(
    @Nullable @Default(MaintenancePolicy.ZONE) @Size(min = 1, max = 64) String timeZone,
    @Nullable @Size(max = MaintenancePolicy.WINDOWS) List<Window> windows,
    @Nullable @Default(MaintenancePolicy.RECOVER) @Pattern("^(recover|wait)$") String stoppedJobs) {
  /** The default of {@code timeZone}. */
  public static final String ZONE = "UTC";

  /** The longest list of windows. */
  public static final int WINDOWS = 16;

  /** The default of {@code stoppedJobs}. */
  public static final String RECOVER = "recover";

  /** The other value of {@code stoppedJobs}. */
  public static final String WAIT = "wait";

  /** One that sets nothing. */
  public static final MaintenancePolicy NONE = new MaintenancePolicy(null, null, null);

  /**
   * One that opens on some days of the week.
   *
   * @param days on which it opens, {@code Mon} to {@code Sun}; if empty, every day
   * @param start when it opens, {@code HH:MM}. If clocks are set forward over this time, it opens
   *     right after the change; if they are set back over it, it opens the first time
   * @param durationMinutes how long it stays open, regardless of changes of the clock
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Window(
      @Nullable @Size(max = 7) List<@Pattern("^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)$") String> days,
      @Required @Pattern("^([01][0-9]|2[0-3]):[0-5][0-9]$") String start,
      @Required @Min(1) @Max(1440) Integer durationMinutes) {
    public Window {
      start = Bounds.text(start, 5);
      durationMinutes = durationMinutes == null ? Integer.valueOf(0) : durationMinutes;
    }
  }
}
