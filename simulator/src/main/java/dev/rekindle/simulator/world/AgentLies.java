package dev.rekindle.simulator.world;

import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.RankView;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an attacker with the token of a node changes in the reports of its agent on the pods of that
 * node: admission lets it write whatever it likes there.
 */
public final class AgentLies {
  /** Bends what an honest agent would have written. */
  public interface Lies {
    /** A RankReport. */
    RankView of(RankView honest);

    /** A RestartReport. */
    RestartReportSpec of(RestartReportSpec honest);
  }

  private final World world;
  private final Set<JobKey> jobs = new HashSet<>();
  private final Map<String, RestartReportSpec> honest = new LinkedHashMap<>();
  private String node = "";
  private @Nullable Lies lies;

  AgentLies(World world) {
    this.world = world;
  }

  /** From now on that is written in place of what the agent of the node writes. */
  public void begin(String of, Lies how) {
    node = of;
    lies = how;
  }

  /** The token is revoked, and the agent writes true reports again. */
  public void end() {
    lies = null;
    honest.forEach(
        (key, spec) -> {
          if (world.restarts().find(key).isPresent()) {
            world.restarts().patch(key, r -> new RestartObject(r.meta(), spec));
          }
        });
    honest.clear();
    world.ranks().list().stream()
        .filter(report -> report.view().node().equals(node))
        .forEach(report -> world.ranks().remove(report.meta().key(), report.meta().uid()));
  }

  /** The node whose agent reports falsely, or did. */
  public String node() {
    return node;
  }

  /** Whether anything was ever made up about pods of that job. */
  public boolean concern(JobKey job) {
    return jobs.contains(job);
  }

  /** Whether every report of the node is to be written, and none left out as like another. */
  boolean active() {
    return lies != null;
  }

  RankView of(RankView view) {
    Lies now = lies;
    if (now == null || !view.node().equals(node)) {
      return view;
    }
    RankView lie = now.of(view);
    if (!lie.equals(view)) {
      jobs.add(view.job());
    }
    return lie;
  }

  RestartReportSpec of(String namespace, String name, RestartReportSpec spec) {
    Lies now = lies;
    if (now == null || !spec.node().equals(node)) {
      return spec;
    }
    RestartReportSpec lie = now.of(spec);
    if (!lie.equals(spec)) {
      jobs.add(new JobKey(namespace, spec.job()));
      honest.put(namespace + "/" + name, spec);
    }
    return lie;
  }
}
