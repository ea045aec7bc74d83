package dev.rekindle.detect.rules;

import dev.rekindle.detect.kernel.Finding;
import dev.rekindle.detect.kernel.Source;
import dev.rekindle.detect.rules.Threshold.Same;
import dev.rekindle.detect.sxid.SxidCatalog;
import dev.rekindle.detect.xid.XidCatalog;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Says what follows from a finding, given what came before on the node: a pure function of the
 * history, the finding and its time. The agent and {@code rekindle judge} ask the same judge.
 */
public final class Judge {
  private final Rules rules;
  private final XidCatalog xids;
  private final SxidCatalog sxids;

  /** A judge who applies these rules, and the catalogues where they say nothing. */
  public Judge(Rules rules, XidCatalog xids, SxidCatalog sxids) {
    this.rules = rules;
    this.xids = xids;
    this.sxids = sxids;
  }

  /** The same judge with other rules. */
  public Judge with(Rules others) {
    return new Judge(others, xids, sxids);
  }

  /** The rules that are applied. */
  public Rules rules() {
    return rules;
  }

  /**
   * What came of one finding.
   *
   * @param history to remember for the next
   * @param judgement what follows
   */
  public record Judged(History history, Judgement judgement) {}

  /**
   * Judges a finding.
   *
   * @param history what came before
   * @param finding what was found
   * @param victim whom it hit: {@code pod NAMESPACE/NAME} where the pod is known, else the process;
   *     empty where neither is
   * @param time when; no earlier than what came before
   */
  public Judged judge(History history, Finding finding, String victim, Instant time) {
    var rule = rules.find(finding);
    var basis = Basis.of(xids, sxids, finding);
    var verdict = rule.flatMap(Rule::verdict).orElse(basis.verdict());
    var action = rule.map(Rule::action).filter(word -> !word.isEmpty()).orElse(basis.action());
    var because = rule.map(Rule::because).filter(text -> !text.isEmpty()).orElse(basis.meaning());
    var name = rule.map(Rule::name).orElse("");
    var echo = rule.flatMap(Rule::after).filter(after -> isEcho(history, finding, after, time));
    if (echo.isPresent()) {
      verdict = echo.get().verdict();
      because = echo.get().because().isEmpty() ? because : echo.get().because();
    }
    if (finding.causedBy().isPresent()) {
      because =
          because + "; the driver names XID " + finding.causedBy().getAsInt() + " as the cause";
    }
    var counts =
        echo.isEmpty()
            && rule.flatMap(Rule::repeats)
                .orElse(basis.repeats() && (verdict == Verdict.WATCH || verdict == Verdict.FENCE));
    // An echo is remembered, but is no incident of its code.
    var key = key(finding, rule) + (echo.isPresent() ? " echo" : "");
    var next = remember(history, finding, key, victim, time, counts);
    var reached = Optional.<String>empty();
    if (echo.isEmpty() && verdict != Verdict.FENCE) {
      reached = reached(next, finding, rule, basis, time);
      if (reached.isEmpty() && counts) {
        reached = repeated(next, finding, time);
      }
    }
    if (reached.isPresent()) {
      verdict = Verdict.FENCE;
      because = because + "; " + reached.get();
      action = action.equals("restart_job") || action.equals("ignore") ? "investigate" : action;
    }
    if (verdict == Verdict.FENCE) {
      var reboots = reboots(next, finding, time);
      if (reboots >= rules.reboots()) {
        action = "drain_and_rma";
        because = because + "; it came back after " + reboots + " reboots: replace the part";
      }
    }
    var clears = rule.isPresent() && rule.get().clears();
    return new Judged(
        clears ? ended(next, finding.device()) : next,
        new Judgement(verdict, because, action, name, reached.isPresent(), clears));
  }

  /** What the catalogue says of a code, where no rule says more. */
  public Basis basis(Source source, String code) {
    return Basis.of(
        xids,
        sxids,
        new Finding(source, code, "", "", "", OptionalLong.empty(), "", OptionalInt.empty()));
  }

  /** Incidents are counted per code, and per rule where marks tell meanings apart. */
  private static String key(Finding finding, Optional<Rule> rule) {
    return rule.filter(some -> !some.marks().isEmpty())
        .map(some -> finding.name() + " " + some.name())
        .orElse(finding.name());
  }

  private static boolean isEcho(History history, Finding finding, After after, Instant time) {
    var since = time.minus(after.within());
    return history.devices().entrySet().stream()
        .filter(device -> after.same() == Same.NODE || device.getKey().equals(finding.device()))
        .flatMap(device -> device.getValue().bursts().stream())
        .anyMatch(burst -> after.names().stream().anyMatch(name -> burst.contains(name, since)));
  }

  private History remember(
      History history, Finding finding, String key, String victim, Instant time, boolean counts) {
    var device = history.of(finding.device(), DeviceHistory.EMPTY);
    var sticky = rules.sticky().contains(finding.name());
    var newest = device.bursts().isEmpty() ? null : device.bursts().getLast();
    var goesOn = newest != null && goesOn(newest, sticky, time);
    var burst = newest != null && goesOn ? newest : Burst.begin(time);
    var before = burst.codes().get(key);
    var seen =
        before == null
            ? Seen.of(finding.name(), time, finding.unit(), victim)
            : before.again(time, finding.unit(), victim);
    var kept = forget(device, time);
    var replaces = goesOn && !kept.bursts().isEmpty();
    return history.with(
        finding.device(),
        kept.with(burst.with(key, seen, sticky, counts), replaces)
            .in(finding.name(), history.boot(), time));
  }

  private boolean goesOn(Burst burst, boolean sticky, Instant time) {
    if (!burst.open()) {
      return false;
    }
    if (!time.isAfter(burst.last().plus(rules.silence()))) {
      return true;
    }
    var kept = burst.sticky();
    return sticky && kept != null && !time.isAfter(kept.plus(rules.stickyWindow()));
  }

  /** Without incidents too old for any rule; the newest may still go on. */
  private DeviceHistory forget(DeviceHistory device, Instant time) {
    var since = time.minus(rules.longestWindow());
    if (device.bursts().isEmpty() || !device.bursts().getFirst().last().isBefore(since)) {
      return device;
    }
    var newest = device.bursts().getLast();
    return new DeviceHistory(
        device.bursts().stream()
            .filter(burst -> burst.equals(newest) || !burst.last().isBefore(since))
            .toList(),
        device.boots());
  }

  private static History ended(History history, String device) {
    var before = history.of(device, DeviceHistory.EMPTY);
    return history.with(device, before.with(before.bursts().getLast().closed(), true));
  }

  /** Why the incidents of this code are too many; empty where they are not. */
  private Optional<String> reached(
      History history, Finding finding, Optional<Rule> rule, Basis basis, Instant time) {
    var own = rule.flatMap(Rule::fence);
    if (own.isEmpty() && (rule.flatMap(Rule::verdict).isPresent() || !basis.threshold())) {
      return Optional.empty();
    }
    var threshold = own.orElse(rules.catalogue());
    var incidents =
        incidents(history, finding, key(finding, rule), threshold, time.minus(threshold.window()));
    if (incidents.size() < threshold.incidents()
        || victims(incidents) < threshold.processes()
        || (threshold.alone() && isElsewhere(history, finding, time.minus(threshold.window())))) {
      return Optional.empty();
    }
    var place =
        switch (threshold.same()) {
          case UNIT -> " in " + incidents.getLast().onlyUnit();
          case DEVICE -> " on this device";
          case NODE -> " on this node";
        };
    return Optional.of(
        (threshold.because().isEmpty() ? "" : threshold.because() + ": ")
            + incidents.size()
            + (incidents.size() == 1 ? " incident" : " incidents")
            + place
            + " within "
            + hours(threshold.window()));
  }

  private static List<Seen> incidents(
      History history, Finding finding, String key, Threshold threshold, Instant since) {
    var device = history.of(finding.device(), DeviceHistory.EMPTY);
    var current = device.bursts().getLast().codes().get(key);
    var unit = current == null ? "" : current.onlyUnit();
    if (threshold.same() == Same.UNIT && unit.isEmpty()) {
      return List.of();
    }
    return history.devices().entrySet().stream()
        .filter(one -> threshold.same() == Same.NODE || one.getKey().equals(finding.device()))
        .flatMap(one -> one.getValue().bursts().stream())
        .flatMap(burst -> Optional.ofNullable(burst.codes().get(key)).stream())
        .filter(seen -> !seen.last().isBefore(since))
        .filter(seen -> threshold.same() != Same.UNIT || seen.onlyUnit().equals(unit))
        .toList();
  }

  /** How many were hit: pods where any is known, else processes, each unknown one of its own. */
  private static int victims(List<Seen> incidents) {
    Set<String> pods = new HashSet<>();
    Set<String> processes = new HashSet<>();
    var unknown = 0;
    for (var incident : incidents) {
      unknown += incident.victims().isEmpty() ? 1 : 0;
      for (var victim : incident.victims()) {
        (victim.startsWith("pod ") ? pods : processes).add(victim);
      }
    }
    return pods.isEmpty() ? processes.size() + unknown : pods.size();
  }

  private static boolean isElsewhere(History history, Finding finding, Instant since) {
    return history.devices().entrySet().stream()
        .filter(device -> !device.getKey().equals(finding.device()))
        .flatMap(device -> device.getValue().bursts().stream())
        .anyMatch(burst -> burst.contains(finding.name(), since));
  }

  /** Why the bursts of the device are too many; empty where they are not. */
  private Optional<String> repeated(History history, Finding finding, Instant time) {
    if (finding.device().isEmpty()) {
      return Optional.empty();
    }
    var since = time.minus(rules.repeatWindow());
    var bursts =
        history.of(finding.device(), DeviceHistory.EMPTY).bursts().stream()
            .filter(burst -> burst.counts() && !burst.last().isBefore(since))
            .count();
    return bursts < rules.repeatBursts()
        ? Optional.empty()
        : Optional.of(
            bursts
                + " bursts of hardware or driver errors on this device within "
                + hours(rules.repeatWindow()));
  }

  private int reboots(History history, Finding finding, Instant time) {
    return history
        .of(finding.device(), DeviceHistory.EMPTY)
        .reboots(finding.name(), time.minus(rules.rebootWindow()));
  }

  private static String hours(Duration window) {
    return window.toMinutes() % 60 == 0 && !window.isZero()
        ? window.toHours() + " h"
        : window.toSeconds() + " s";
  }
}
