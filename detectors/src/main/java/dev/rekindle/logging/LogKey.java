package dev.rekindle.logging;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The keys of values in log lines, all of them: a search that was written once continues finding.
 * {@code docs/reference/logs.md} is generated from it.
 */
public enum LogKey {
  JOB("job", "PyTorchJob, as `namespace/name`"),
  RECOVERY("recovery", "Recovery, in the namespace of its job"),
  PHASE("phase", "phase of a Recovery that begins"),
  ATTEMPT("attempt", "attempt of a Recovery, from 1"),
  POLICY("policy", "RecoveryPolicy"),
  NODE("node", "Node"),
  FAULT("fault", "NodeFault"),
  NAMESPACE("namespace", "namespace of a pod"),
  POD("pod", "pod"),
  PODS("pods", "pods"),
  CONTAINER("container", "id of a container"),
  ORDER("order", "RestartOrder, in the namespace of its job"),
  ORDER_UID("orderUid", "UID of a RestartOrder"),
  REPORT("report", "RankReport or RestartReport, in the namespace of its job"),
  KIND("kind", "kind of the objects that are watched or read"),
  OBJECT("object", "any object, as `namespace/name`, or its name"),
  REASON("reason", "reason of an event, a condition or a cause, else a sentence"),
  DETAIL("detail", "details in a sentence, mostly the note of the Event"),
  ERROR("error", "error text of the API server, a library or the node"),
  STATUS("status", "HTTP status of a call that failed; 0: no answer"),
  TIMES("times", "how often in a row"),
  COUNT("count", "number of the things that the message names"),
  REPEATS("repeats", "how many equal lines were not logged since the last one"),
  DURATION("duration", "duration, such as `90s` or `1m30s`"),
  RETRY("retry", "time until the next try, such as `30s`"),
  BY("by", "what or who did this"),
  ACTION("action", "what was done or tried"),
  QUEUE("queue", "work queue of a reconciler"),
  WEBHOOK("webhook", "name of a webhook that gets notifications"),
  LOOP("loop", "loop of the agent"),
  THREAD("thread", "thread of the process"),
  IDENTITY("identity", "pod of a controller, as in the Lease"),
  ACCEPTED("accepted", "condition `Accepted` of a policy"),
  CODE("code", "code of a fault, such as `XID-79`"),
  COMPONENT("component", "part of the node that a fault is about"),
  FENCE("fence", "`spec.fence` of a NodeFault"),
  BEFORE("before", "the previous `spec.fence` of a NodeFault"),
  EVIDENCE(
      "evidence", "what a fault was seen by; text of the kernel, of a driver or of a condition"),
  SEQUENCE("sequence", "number of a record in the kernel log"),
  FINDING("finding", "what a kernel record says"),
  DEVICE("device", "device of the record"),
  GPU_UUID("gpuUuid", "UUID of that GPU"),
  UNIT("unit", "part of that device"),
  VERDICT("verdict", "verdict on the record: `fence`, `watch`, `restart`, `ignore`"),
  RULE("rule", "rule that gave the verdict"),
  STATE("state", "state of NVML on the node"),
  BOOT("boot", "id of the node's boot"),
  KERNEL_LOG("kernelLog", "file of the kernel log"),
  POD_LOGS("podLogs", "folder of the logs of pods"),
  FREEZE("freeze", "whether containers may be frozen"),
  DEVICES("devices", "how devices are read"),
  PORT("port", "port of probes and metrics");

  private static final Set<String> KEYS =
      Arrays.stream(values()).map(LogKey::key).collect(Collectors.toUnmodifiableSet());

  private final String key;
  private final String meaning;

  LogKey(String key, String meaning) {
    this.key = key;
    this.meaning = meaning;
  }

  /** As in a line. */
  public String key() {
    return key;
  }

  /** For the page that lists them. */
  String meaning() {
    return meaning;
  }

  static boolean isKey(String text) {
    return KEYS.contains(text);
  }
}
