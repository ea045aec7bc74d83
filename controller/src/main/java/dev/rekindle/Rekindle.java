package dev.rekindle;

import dev.rekindle.agent.app.AgentMain;
import dev.rekindle.controller.app.ControllerMain;
import dev.rekindle.controller.app.HookMain;
import dev.rekindle.controller.app.NotifyTestMain;
import dev.rekindle.detect.checkpoint.InspectCommand;
import dev.rekindle.detect.checkpoint.InspectorMain;
import dev.rekindle.detect.checkpoint.TrackerMain;
import dev.rekindle.detect.judge.ExplainMain;
import dev.rekindle.detect.judge.JudgeMain;
import dev.rekindle.detect.stall.AnalyzeMain;
import java.util.Arrays;

/**
 * The main class of the one image. The first argument is the role, the rest is the role's own.
 *
 * <p>Each case names the class it starts and nothing else does, so the inspector never loads a
 * class of the Kubernetes client.
 */
public final class Rekindle {
  private static final String USAGE =
      "usage: rekindle controller | agent | inspect | tracker | wait | judge | explain | analyze"
          + " | check-install | check-removal | notify-test [OPTION...]";

  private Rekindle() {}

  /** Starts a role; exit code 2 when there is none of that name. */
  public static void main(String[] args) throws Exception {
    String role = args.length == 0 ? "" : args[0];
    String[] rest = args.length == 0 ? args : Arrays.copyOfRange(args, 1, args.length);
    switch (role) {
      case "controller" -> ControllerMain.main(rest);
      case "agent" -> AgentMain.main(rest);
      case "inspect" -> inspect(rest);
      case "tracker" -> TrackerMain.main(rest);
      case "wait" -> WaitMain.main(rest);
      case "judge" -> JudgeMain.main(rest);
      case "explain" -> ExplainMain.main(rest);
      case "analyze" -> AnalyzeMain.main(rest);
      case "check-install", "check-removal" -> HookMain.main(role);
      case "notify-test" -> NotifyTestMain.main(rest);
      default -> {
        System.err.println(USAGE);
        System.exit(2);
      }
    }
  }

  /** For a recovery, again and again; for people, once. */
  private static void inspect(String[] args) {
    if (Arrays.asList(args).contains("--dir")) {
      InspectorMain.main(args);
    } else {
      InspectCommand.main(args);
    }
  }
}
