package dev.rekindle.simulator.drill;

import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.simulator.world.SimEvent;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** For people: the time since the fault, what sort of thing, and what happened. */
final class TextOutput implements Output {
  private final PrintStream out;
  private final AnsiColors paint;
  private final Pace pace;
  private @Nullable Instant struck;
  private @Nullable Instant last;
  private Duration paused = Duration.ZERO;

  TextOutput(PrintStream out, AnsiColors paint, Pace pace) {
    this.out = out;
    this.paint = paint;
    this.pace = pace;
  }

  @Override
  public void begin(int controllers) {
    out.printf(
        Locale.ROOT,
        "A cluster in memory: %d nodes of %d GPUs, %d to a leaf switch. The PyTorchJob '%s' trains"
            + " on %d of them%nand has asked for rekindle.dev/recover: \"true\". %s%n%n",
        DrillSetup.NODES,
        DrillSetup.GPUS,
        DrillSetup.NODES_PER_LEAF,
        DrillSetup.JOB.name(),
        DrillSetup.RANKS,
        controllers == 0
            ? "Rekindle is not installed."
            : "Rekindle runs with " + controllers + " controllers.");
  }

  @Override
  public void event(SimEvent happening) {
    Instant previous = last;
    last = happening.at();
    if (previous != null) {
      paused = paused.plus(pace.pause(Duration.between(previous, happening.at())));
    }
    String time =
        struck == null
            ? " ".repeat(10)
            : String.format(
                Locale.ROOT,
                "%8.1f s",
                Duration.between(struck, happening.at()).toMillis() / 1000.0);
    String kind = happening.kind().name().toLowerCase(Locale.ROOT);
    out.println(
        paint.dim(time)
            + "  "
            + paint.kind(happening.kind(), "%-10s".formatted(kind))
            + "  "
            + sentence(happening));
  }

  /** There is one job, so its name is left out. */
  private static String sentence(SimEvent happening) {
    String job = DrillSetup.JOB.name();
    String subject = happening.subject();
    return subject.equals(job) || subject.equals(DrillSetup.JOB.toString())
        ? happening.text()
        : subject + ": " + happening.text();
  }

  @Override
  public void strike(Scenario scenario, Instant at) {
    struck = at;
    out.println();
    out.println(paint.bold(scenario.word()) + ": " + scenario.what() + ".");
    out.println("From here on nothing is done by hand.");
    out.println();
  }

  @Override
  public void end(Result result, Duration elapsed) {
    for (RecoveryView recovery : result.recoveries()) {
      out.println();
      out.println(paint.dim("$ kubectl get recovery " + recovery.name() + " -o yaml"));
      out.print(RecoveryObject.yaml(recovery, result.created().get(recovery.name())));
    }
    out.println();
    out.println(result.recovered() ? recovered(result) : notRecovered(result));
    out.printf(
        Locale.ROOT,
        "%.0f s of the cluster's time took %.1f s to compute.%n",
        result.simulated().toMillis() / 1000.0,
        elapsed.minus(paused).toMillis() / 1000.0);
  }

  private String recovered(Result result) {
    return paint.good("RECOVERED")
        + String.format(
            Locale.ROOT,
            ": down for %.1f s, %.1f s of it after detection (%.2f GPU-hours); %d steps trained"
                + " twice, %s; now at step %d, past the %d it had reached.",
            result.down().toMillis() / 1000.0,
            result.downtimeSeconds(),
            result.gpuHours(),
            result.lostSteps(),
            result.attempts() == 1 ? "one restart" : result.attempts() + " restarts",
            result.step(),
            result.reached());
  }

  private String notRecovered(Result result) {
    String why =
        result.recoveries().isEmpty()
            ? "there is no Recovery"
            : result.past() ? "a recovery did not end well" : "training is not past its old step";
    return paint.bad("NOT RECOVERED")
        + ": %s; the job stands at step %d, it had reached %d."
            .formatted(why, result.step(), result.reached());
  }
}
