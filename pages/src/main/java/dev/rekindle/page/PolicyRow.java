package dev.rekindle.page;

import static java.util.Objects.requireNonNullElse;

import dev.rekindle.api.MaintenancePolicy;
import dev.rekindle.api.RecoveryPolicy;
import dev.rekindle.api.RecoveryPolicySpec;
import dev.rekindle.api.RecoveryTimeouts;
import dev.rekindle.detect.policy.GpuPrices;
import dev.rekindle.detect.policy.MaintenanceWindows;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A RecoveryPolicy, as far as people who wait for a recovery ask about it.
 *
 * @param name its name
 * @param usable empty where it is used; else why not
 * @param mode upper bound on what is done
 * @param paused whether nothing new is begun
 * @param windows when a gang that trains may be stopped, a text for each window; none: at any time
 * @param open whether that is now
 * @param opens when a window opens next; absent where there are none
 * @param closes when the one ends that is open now; absent where none is
 * @param stoppedWait whether a job that has stopped waits for a window as well
 * @param approval seconds for which an approval is good
 * @param prices what an hour of a GPU costs, a text for each price
 */
public record PolicyRow(
    String name,
    String usable,
    String mode,
    boolean paused,
    List<String> windows,
    boolean open,
    @Nullable Instant opens,
    @Nullable Instant closes,
    boolean stoppedWait,
    int approval,
    List<String> prices) {
  public PolicyRow {
    windows = List.copyOf(windows);
    prices = List.copyOf(prices);
  }

  /** The row of a policy at that time. */
  public static PolicyRow of(RecoveryPolicy policy, Instant now) {
    RecoveryPolicySpec spec = requireNonNullElse(policy.getSpec(), RecoveryPolicySpec.NONE);
    MaintenancePolicy maintenance = requireNonNullElse(spec.maintenance(), MaintenancePolicy.NONE);
    boolean readable = MaintenanceWindows.problems(maintenance).isEmpty();
    MaintenanceWindows windows =
        readable ? MaintenanceWindows.of(maintenance) : MaintenanceWindows.ALWAYS;
    boolean open = windows.isOpen(now);
    return new PolicyRow(
        VisibleText.of(requireNonNullElse(policy.getMetadata().getName(), "")),
        VisibleText.of(unusable(policy)),
        requireNonNullElse(spec.mode(), RecoveryPolicySpec.AUTO),
        Boolean.TRUE.equals(spec.paused()),
        texts(maintenance),
        open,
        windows.opensAfter(now).orElse(null),
        open ? windows.endsAfter(now).orElse(null) : null,
        windows.stoppedWait(),
        Optional.ofNullable(spec.timeouts())
            .map(RecoveryTimeouts::approvalSeconds)
            .orElse(RecoveryTimeouts.APPROVAL),
        prices(GpuPrices.of(spec.cost())));
  }

  private static String unusable(RecoveryPolicy policy) {
    List<Condition> conditions =
        policy.getStatus() == null ? List.of() : policy.getStatus().conditions();
    return conditions.stream()
        .filter(c -> "Accepted".equals(c.getType()) && "False".equals(c.getStatus()))
        .map(c -> requireNonNullElse(c.getMessage(), "refused"))
        .findFirst()
        .orElse("");
  }

  private static List<String> texts(MaintenancePolicy maintenance) {
    String zone = requireNonNullElse(maintenance.timeZone(), MaintenancePolicy.ZONE);
    return requireNonNullElse(maintenance.windows(), List.<MaintenancePolicy.Window>of()).stream()
        .map(w -> text(w, zone))
        .map(VisibleText::of)
        .toList();
  }

  private static String text(MaintenancePolicy.Window window, String zone) {
    List<String> days = requireNonNullElse(window.days(), List.of());
    return "%s %s for %s, %s"
        .formatted(
            days.isEmpty() ? "every day" : String.join(" ", days),
            window.start(),
            Figures.time(window.durationMinutes() * 60.0),
            zone);
  }

  private static List<String> prices(GpuPrices prices) {
    Map<String, Double> all = new TreeMap<>(prices.models());
    Double otherwise = prices.otherwise();
    if (otherwise != null) {
      all.put(all.isEmpty() ? "each GPU" : "other models", otherwise);
    }
    return all.entrySet().stream()
        .map(
            e ->
                String.format(
                    Locale.ROOT, "%s: %.2f %s", e.getKey(), e.getValue(), prices.currency()))
        .map(VisibleText::of)
        .toList();
  }

  /** Whether a gang that trains may be stopped now, and until or from when. */
  String windowText() {
    if (windows.isEmpty()) {
      return "at any time";
    }
    if (open) {
      return closes == null ? "now" : "now, until " + Figures.moment(closes);
    }
    return opens == null ? "in none of these" : "not before " + Figures.moment(opens);
  }

  /** What stands against a new recovery; empty where nothing does. */
  public Optional<String> notice() {
    if (paused) {
      return Optional.of("RecoveryPolicy %s is paused: nothing new is begun".formatted(name));
    }
    return open
        ? Optional.empty()
        : Optional.of(
            "RecoveryPolicy %s has no window open: a gang that trains is stopped %s"
                .formatted(name, windowText()));
  }

  String approvalText() {
    return Figures.time(approval);
  }
}
