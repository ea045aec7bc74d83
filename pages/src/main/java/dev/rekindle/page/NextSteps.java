package dev.rekindle.page;

import dev.rekindle.api.NodeFault;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.detect.judge.CodeExplainer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/** What is left to a person, and the commands for it. */
final class NextSteps {
  private static final String AWAITING_APPROVAL = "AwaitingApproval";

  private static final String APPROVAL_EXPIRED = "ApprovalExpired";

  /** What the API server takes for a name. Anything else goes into no command. */
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");

  private NextSteps() {}

  /** Sentences, the most urgent first; empty where nothing is to be done. */
  static List<String> sentences(Incident incident) {
    List<String> next = new ArrayList<>();
    RecoveryStatus status = incident.status();
    if (status.phase() == RecoveryPhase.HELD) {
      next.add("It waits: " + reasonOf(status));
    }
    if (status.phase() == RecoveryPhase.FAILED) {
      next.add("Rekindle tries no more. The job is left as the last line of the timeline says.");
    }
    active(incident)
        .forEach(
            fault ->
                next.add(
                    VisibleText.of(
                        fault.getSpec().node()
                            + ", "
                            + fault.getSpec().code()
                            + ": "
                            + CodeExplainer.toDo(fault.getSpec().action())
                            + "; once repaired, delete the NodeFault to lift the cordon, unless a"
                            + " reboot has done so")));
    return next.stream().map(VisibleText::of).toList();
  }

  private static String reasonOf(RecoveryStatus status) {
    return status.conditions().stream()
        .filter(c -> "Progressing".equals(c.getType()))
        .map(c -> Objects.requireNonNullElse(c.getMessage(), ""))
        .filter(message -> !message.isEmpty())
        .findFirst()
        .orElse("the last line of the timeline says for what");
  }

  /** Lines for a shell. */
  static List<String> commands(Incident incident) {
    List<String> commands = new ArrayList<>();
    if (isName(incident.namespace()) && isName(incident.name())) {
      String object = "recovery " + incident.name() + " -n " + incident.namespace();
      if (isHeldFor(incident.status(), AWAITING_APPROVAL)) {
        commands.add(
            "kubectl patch " + object + " --type merge -p '{\"spec\":{\"approved\":true}}'");
      }
      if (isHeldFor(incident.status(), APPROVAL_EXPIRED)) {
        commands.add("kubectl rekindle approve " + incident.name() + " -n " + incident.namespace());
      }
      commands.add("kubectl describe " + object);
    }
    active(incident).stream()
        .map(fault -> fault.getMetadata().getName())
        .filter(name -> name != null && isName(name))
        .forEach(name -> commands.add("kubectl delete nodefault " + name));
    return commands;
  }

  private static boolean isHeldFor(RecoveryStatus status, String reason) {
    return status.phase() == RecoveryPhase.HELD
        && status.conditions().stream().anyMatch(c -> reason.equals(c.getReason()));
  }

  private static List<NodeFault> active(Incident incident) {
    return incident.faults().stream()
        .filter(f -> f.getStatus() == null || f.getStatus().state() == NodeFaultStatus.State.ACTIVE)
        .toList();
  }

  private static boolean isName(String name) {
    return NAME.matcher(name).matches();
  }
}
