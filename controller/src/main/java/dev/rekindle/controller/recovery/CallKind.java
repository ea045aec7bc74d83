package dev.rekindle.controller.recovery;

/** The kinds of calls of a recovery to the API server that can be refused. */
public enum CallKind {
  OPEN("write the Recovery of"),
  SAVE("write the status of"),
  CORDON("cordon"),
  SUSPEND("suspend"),
  REVIVE("remove the Failed condition of"),
  DELETE_POD("delete"),
  START_INSPECTOR("start the checkpoint inspector of"),
  STOP_INSPECTOR("delete the checkpoint inspector of"),
  START_TRACKER("start the rewriting of the tracker of"),
  CLEAR_RESUME("remove the checkpoint from the templates of"),
  INJECT_RESUME("annotate"),
  PLAN_NODES("write the planned nodes into the templates of"),
  RELEASE_SPARE("delete"),
  HOLD_QUEUE("hold"),
  RELEASE_QUEUE("release"),
  UNMARK_WORKLOAD("unmark the Workload of"),
  REQUEUE("annotate the PodGroup of"),
  ORDER("write the RestartOrder of"),
  WITHDRAW("delete the RestartOrder of"),
  RESUME("resume"),
  LIST_PODS("list the pods of");

  private final String verb;

  CallKind(String verb) {
    this.verb = verb;
  }

  /** For people, followed by the object. */
  String verb() {
    return verb;
  }

  /** Whether a recovery continues without it when it is refused. */
  boolean optional() {
    return switch (this) {
      case START_INSPECTOR,
          STOP_INSPECTOR,
          START_TRACKER,
          WITHDRAW,
          PLAN_NODES,
          RELEASE_SPARE,
          HOLD_QUEUE,
          RELEASE_QUEUE,
          UNMARK_WORKLOAD,
          REQUEUE ->
          true;
      default -> false;
    };
  }
}
