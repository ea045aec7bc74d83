package dev.rekindle.simulator.drill;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.rekindle.controller.model.RecoveryView;
import dev.rekindle.simulator.world.SimEvent;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** For machines: one JSON object per line. */
final class JsonOutput implements Output {
  private final PrintStream out;
  private final List<SimEvent> before = new ArrayList<>();
  private @Nullable Instant struck;

  JsonOutput(PrintStream out) {
    this.out = out;
  }

  @Override
  public void begin(int controllers) {}

  @Override
  public void event(SimEvent happening) {
    if (struck == null) {
      // Its time, negative, is known once the fault strikes.
      before.add(happening);
    } else {
      print(happening, struck);
    }
  }

  @Override
  public void strike(Scenario scenario, Instant at) {
    struck = at;
    before.forEach(h -> print(h, at));
    before.clear();
  }

  @Override
  public void end(Result result, Duration computed) {
    ObjectNode summary = JsonNodeFactory.instance.objectNode();
    summary.put("recovered", result.recovered());
    summary.put("recoveries", result.recoveries().size());
    summary.put("attempts", result.attempts());
    summary.put("secondsFromFaultToStep", result.down().toMillis() / 1000.0);
    summary.put("downtimeSeconds", result.downtimeSeconds());
    summary.put("lostSteps", result.lostSteps());
    summary.put("lostGpuHours", result.gpuHours());
    summary.put("stepReached", result.reached());
    summary.put("stepNow", result.step());
    summary.put("simulatedSeconds", result.simulated().toMillis() / 1000.0);
    summary.put("computedSeconds", computed.toMillis() / 1000.0);
    out.println("{\"summary\":" + summary + "}");
    for (RecoveryView recovery : result.recoveries()) {
      String json = RecoveryObject.json(recovery, result.created().get(recovery.name()));
      out.println("{\"recovery\":" + json + "}");
    }
  }

  private void print(SimEvent happening, Instant zero) {
    ObjectNode line = JsonNodeFactory.instance.objectNode();
    line.put("t", Duration.between(zero, happening.at()).toMillis() / 1000.0);
    line.put("kind", happening.kind().name().toLowerCase(Locale.ROOT));
    line.put("subject", happening.subject());
    line.put("text", happening.text());
    out.println(line);
  }
}
