package dev.rekindle.detect.judge;

import dev.rekindle.api.RepairAction;
import dev.rekindle.detect.kernel.Source;
import dev.rekindle.detect.rules.CatalogDefault;
import dev.rekindle.detect.rules.Inhibition;
import dev.rekindle.detect.rules.InhibitionScope;
import dev.rekindle.detect.rules.Judge;
import dev.rekindle.detect.rules.Rule;
import dev.rekindle.detect.rules.Verdict;
import dev.rekindle.detect.sxid.SxidCatalog;
import dev.rekindle.detect.weigh.Cause;
import dev.rekindle.detect.weigh.Thresholds;
import dev.rekindle.detect.xid.XidCatalog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * A code in words, made of the catalogues and the rules.
 *
 * @param name {@code xid 79}
 * @param meaning what it means, a clause
 * @param driverName the driver's own name; may be empty
 * @param impact what it does to the work on the node
 * @param does what Rekindle does, a sentence for each case
 * @param actions what repairs it, in the words of {@code NodeFault.spec.action}
 * @param note what else is known; may be empty
 * @param known whether a catalogue or a rule has it
 */
record Explanation(
    String name,
    String meaning,
    String driverName,
    String impact,
    List<String> does,
    Set<String> actions,
    String note,
    boolean known) {

  /** The explanation of a code. */
  static Explanation of(
      Judge judge, XidCatalog xids, SxidCatalog sxids, Source source, String code) {
    var basis = judge.basis(source, code);
    var rules = judge.rules().about(source, code);
    List<String> does = new ArrayList<>();
    Set<String> actions = new LinkedHashSet<>();
    var decided = false;
    for (var rule : rules) {
      if (!decided) {
        does.add(rule(source, code, rule, basis));
        actions.add(rule.action().isEmpty() ? basis.action() : rule.action());
        decided = rule.marks().isEmpty();
      }
    }
    if (!decided) {
      does.add(
          (does.isEmpty() ? "" : "Else: ")
              + verdict(basis.verdict())
              + weighed(source, code, Optional.empty(), basis)
              + " (catalogue).");
      actions.add(basis.action());
    }
    if (!Cause.of(faultCode(source, code)).isProgram() && !RepairAction.IGNORE.is(basis.action())) {
      does.add(
          "Counts as an error of hardware or driver: "
              + Thresholds.DEFAULT.incidents()
              + " bursts of such errors on one device within "
              + time(Thresholds.DEFAULT.window())
              + " fence.");
    }
    return switch (source) {
      case XID -> {
        var xid = xids.lookup(number(code));
        yield new Explanation(
            "xid " + code,
            xid.name(),
            xid.mnemonic(),
            impact(xid.severity(), xid.scope()),
            does,
            actions,
            xid.note(),
            xid.known());
      }
      case SXID -> {
        var sxid = sxids.lookup(number(code));
        yield new Explanation(
            "sxid " + code,
            basis.meaning(),
            sxid.mnemonic(),
            "NVLink traffic through this switch; which jobs, the driver's word in the line says:"
                + " Fatal stops the GPUs of the fabric, others do not",
            does,
            actions,
            sxid.note(),
            sxid.known());
      }
      case MLX5, SEGFAULT, RESET, NVRM, PCIE, MACHINE, NVME, FILESYSTEM ->
          new Explanation(
              source.word() + " " + code,
              rules.isEmpty() ? basis.meaning() : rules.getFirst().because(),
              "",
              switch (source) {
                case MLX5 -> "collectives over this NIC slow down or time out";
                case SEGFAULT -> "the process is dead, and with it the job's attempt";
                case NVRM -> "no process can use the GPU";
                case PCIE -> "the device and the work on it are lost";
                case MACHINE -> "work on the node is lost, or wrong";
                case NVME, FILESYSTEM -> "what writes there fails";
                default -> "none";
              },
              does,
              actions,
              "",
              !rules.isEmpty());
    };
  }

  private static int number(String code) {
    return code.matches("\\d{1,9}") ? Integer.parseInt(code) : -1;
  }

  private static String impact(String severity, String scope) {
    var who =
        switch (severity) {
          case "app" -> "the process that was hit dies";
          case "gpu" -> "work on the GPU is lost, or will be";
          case "node" -> "work on the node is lost";
          default -> "none by itself";
        };
    return who + "; it is about " + (scope.equals("process") ? "a process" : "the " + scope);
  }

  private static String rule(Source source, String code, Rule rule, CatalogDefault basis) {
    var text = new StringBuilder();
    if (!rule.marks().isEmpty()) {
      text.append("Marked ").append(String.join(" or ", rule.marks())).append(": ");
    }
    text.append(verdict(rule.verdict().orElse(basis.verdict())));
    text.append(weighed(source, code, Optional.of(rule), basis));
    if (rule.clears()) {
      text.append("; clears the faults of the GPU");
    }
    rule.after().ifPresent(after -> text.append("; ").append(after(after)));
    return text.append(" (rule ").append(rule.name()).append(").").toString();
  }

  private static String weighed(
      Source source, String code, Optional<Rule> rule, CatalogDefault basis) {
    var when = when(source, code, rule, basis);
    return when.isEmpty() ? "" : "; fences at " + when;
  }

  /**
   * When it fences as it comes again; empty where it does not.
   *
   * @param rule the rule that decides; empty for the catalogue
   */
  static String when(Source source, String code, Optional<Rule> rule, CatalogDefault basis) {
    var mark = rule.map(Rule::marks).filter(marks -> !marks.isEmpty()).map(List::getFirst);
    return Judge.isWeighed(rule, basis)
        ? Cause.of(faultCode(source, code)).describe(mark.orElse(""), Thresholds.DEFAULT)
        : "";
  }

  private static String faultCode(Source source, String code) {
    return source.name() + "-" + code.toUpperCase(Locale.ROOT);
  }

  private static String verdict(Verdict verdict) {
    return switch (verdict) {
      case IGNORE -> "ignore: nothing follows";
      case WATCH -> "watch: it is written down and counted";
      case RESTART -> "restart: the job's own failure starts its recovery, the node stays in use";
      case FENCE -> "fence: the node is cordoned, and the job recovers elsewhere";
    };
  }

  private static String after(Inhibition after) {
    return after.verdict().word()
        + " within "
        + time(after.within())
        + " after "
        + String.join(" or ", after.names().stream().sorted().toList())
        + (after.same() == InhibitionScope.DEVICE ? " on the same device" : " on the node");
  }

  /** What an action asks of a person. */
  static String toDo(String action) {
    return switch (RepairAction.of(action).orElse(RepairAction.INVESTIGATE)) {
      case IGNORE, NONE -> "nothing";
      case RESTART_JOB ->
          "restart the job, which Rekindle does; if it returns, check the application";
      case RESET_GPU ->
          "take work off the GPU and reset it (nvidia-smi --gpu-reset), or reboot the node";
      case REBOOT_NODE -> "reboot the node; a power cycle where the GPU is not found afterwards";
      case DRAIN_AND_RMA -> "take work off the node and have the part replaced";
      case DRAIN_P2P ->
          "end what uses peer-to-peer traffic of the GPU, then see what the driver asks for";
      case RECOVER_IMEX -> "recover the IMEX domain of the NVLink partition";
      case DRAIN_AND_RESET ->
          "let the work on the GPU end, then reset it (nvidia-smi --gpu-reset), or reboot the node";
      case INVESTIGATE -> "run diagnostics (dcgmi diag) and ask the vendor";
    };
  }

  private static String time(Duration time) {
    return time.toMinutes() % 60 == 0
        ? time.toHours() + " h"
        : String.format(Locale.ROOT, "%d min", time.toMinutes());
  }
}
