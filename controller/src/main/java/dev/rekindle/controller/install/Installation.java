package dev.rekindle.controller.install;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * An installation as it is seen.
 *
 * @param leader pod that holds the lease; empty where none does
 * @param renewed whether it was seen to renew the lease
 * @param pods pods of the namespace
 * @param agents agents on nodes; empty where the chart installs none
 * @param crds what is wrong with the CRDs; empty where nothing is
 * @param console how the console answered; empty where the chart installs none
 * @param unread what could not be read, and why; empty where all was
 */
public record Installation(
    String leader,
    boolean renewed,
    Set<String> pods,
    Optional<Agents> agents,
    String crds,
    Optional<Answer> console,
    String unread) {
  private static final int HTTP_OK = 200;

  public Installation {
    pods = Set.copyOf(pods);
  }

  /**
   * The DaemonSet of the agents, by its status.
   *
   * @param wanted nodes that are to have one
   * @param current of them those with one of this release
   * @param ready nodes with a Ready one
   */
  public record Agents(int wanted, int current, int ready) {}

  /**
   * What came back.
   *
   * @param status HTTP status; 0 where none came
   * @param error why none came, else empty
   */
  public record Answer(int status, String error) {}

  /** What of it is as it must be. */
  public List<Finding> findings() {
    if (!unread.isEmpty()) {
      return List.of(Finding.wrong("api", unread));
    }
    List<Finding> findings = new ArrayList<>();
    findings.add(led());
    agents.map(Installation::installed).ifPresent(findings::add);
    findings.add(
        crds.isEmpty()
            ? Finding.ok("crds", "all kinds are served, with the fields of this release")
            : Finding.wrong("crds", crds));
    console.map(Installation::answered).ifPresent(findings::add);
    return findings;
  }

  private Finding led() {
    if (leader.isEmpty()) {
      return Finding.wrong("leader", "no controller holds the lease");
    }
    if (!pods.contains(leader)) {
      return Finding.wrong("leader", leader + " holds the lease and is no pod of this namespace");
    }
    return renewed
        ? Finding.ok("leader", leader)
        : Finding.wrong("leader", leader + " holds the lease and does not renew it");
  }

  private static Finding installed(Agents agents) {
    String detail = "%d of %d nodes have a Ready agent".formatted(agents.ready(), agents.wanted());
    if (agents.wanted() == 0) {
      return Finding.wrong("agents", "no node is to have an agent: see agent.nodeSelector");
    }
    if (agents.current() < agents.wanted()) {
      return Finding.wrong("agents", detail + ", %d of this release".formatted(agents.current()));
    }
    return new Finding("agents", agents.ready() >= agents.wanted(), detail);
  }

  private static Finding answered(Answer answer) {
    return answer.status() == HTTP_OK
        ? Finding.ok("console", "answers")
        : Finding.wrong(
            "console",
            answer.status() == 0
                ? "does not answer: " + answer.error()
                : "answers " + answer.status());
  }
}
