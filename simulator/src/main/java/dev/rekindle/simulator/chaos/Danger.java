package dev.rekindle.simulator.chaos;

/** What agents, tenants, people and clocks do to a run, beside all that breaks. */
enum Danger {
  AGENT_REFUSED("agents refused"),
  AGENT_BLIND("agents blind"),
  AGENT_DISK_FULL("agents' disks full"),
  AGENT_CALLS_LOST("agents' calls lost"),
  AGENT_LIES("agents lying of other nodes"),
  AGENT_CLOCK("agents' clocks stepped"),
  MODE_CHANGED("modes of jobs changed"),
  POLICY_MISSING("missing policies named"),
  RESTARTS_FORGED("restart lines forged"),
  STEPS_FORGED("step lines forged"),
  NAMESPACE_DELETED("namespaces deleted");

  private final String words;

  Danger(String words) {
    this.words = words;
  }

  /** What it is called where it is counted. */
  String words() {
    return words;
  }
}
