package dev.rekindle.simulator.chaos;

/** Actions of agents, tenants, people and clocks in a run, besides broken hardware. */
enum Disturbance {
  AGENT_REFUSED("agents refused"),
  AGENT_BLIND("agents blind"),
  AGENT_DISK_FULL("agents' disks full"),
  AGENT_CALLS_LOST("agents' calls lost"),
  AGENT_LIES("agents with false reports about other nodes"),
  AGENT_FORGES_FAULT("faults forged by stolen agents"),
  AGENT_LIES_OF_STEPS("reports forged on other nodes' pods"),
  AGENT_LIES_OF_ITS_PODS("agents with false reports about their own pods"),
  AGENT_CLOCK("agents' clocks stepped"),
  MODE_CHANGED("modes of jobs changed"),
  POLICY_MISSING("missing policies named"),
  POLICY_LAX("lax policies named that are for others"),
  RESTARTS_FORGED("restart lines forged"),
  STEPS_FORGED("step lines forged"),
  LINES_UNREAD("ranks whose lines are not read for a while"),
  KERNEL_LINES_FORGED("kernel lines forged"),
  NAMESPACE_DELETED("namespaces deleted"),
  JOB_COPIED("jobs copied with their marks"),
  ELASTIC_SET("elastic policies set"),
  OPTED_OUT_AND_IN("jobs opted out and in again"),
  RESUMED_IN_THE_ACT("jobs resumed by their owners in mid-recovery"),
  TROUBLE_AGAIN("jobs that fail again after a recovery"),
  OPTED_OUT_IN_THE_ACT("jobs opted out as they were to be stopped"),
  POLICY_EDITED("policies edited"),
  POLICY_DELETED("policies deleted"),
  NODE_EXCHANGED("nodes replaced"),
  NODE_REGISTERED("nodes registered again"),
  FENCE_MARK_TAKEN("marks of fences removed from nodes"),
  POD_MARK_TAKEN("marks removed from pods"),
  JOB_MARK_TAKEN("marks removed from suspended jobs"),
  REPLICAS_CHANGED("replicas changed in mid-recovery"),
  LAUNCHER_EXITED("launchers that end with a code of their own"),
  PROGRAM_CRASHES("programs that crash at each start for a while"),
  CORDONED_BY_HAND("nodes cordoned by hand"),
  NOTES_REFUSED("notes on nodes refused as a recovery ends"),
  LEADER_DIED_OPENING("leaders that die as they open a recovery"),
  RANKS_PRINT_APART("ranks that print late, or a loss of their own"),
  INSPECTOR_DELETED("inspectors deleted by hand"),
  AGENTS_AWAY("upgrades of all agents that fail"),
  CHECKPOINT_POISONED("checkpoints poisoned"),
  TEMPLATE_EDITED("templates edited in mid-run"),
  TEMPLATE_EDITED_MIDWAY("templates edited in mid-recovery"),
  ENVIRONMENT_EDITED("environments replaced, without our variables"),
  ENVIRONMENT_EDITED_MIDWAY("environments replaced in mid-recovery"),
  QUEUE_TROUBLE("evictions, deactivations and stops by Kueue and its administrators"),
  DELETED_IN_THE_ACT("jobs deleted while a queue is held for them"),
  RAIL_TROUBLE("pools without addresses, addresses leaked, rails without devices"),
  CLOCK_STEPPED("clocks of controllers stepped"),
  POLICY_EDITED_MIDWAY("policies paused or cut short in mid-recovery"),
  OTHERS_AT_WORK("nodes that other components work on"),
  GPU_VANISHED("GPUs that NVML lists no more, some of them after reboots in vain"),
  LEASE_ANSWERED_LATE("renewals of the lease answered late"),
  RANK_HANGS_AT_START("ranks that hang at their start"),
  NODE_HANGS_RANKS("nodes on which ranks hang again and again"),
  HANGS_UNSEEN("ranks of jobs without traces that hang again and again"),
  GANG_UNREAD("jobs of which no line is read for a while"),
  LONG_OUTAGE("calls for a job that fail for minutes"),
  SWITCH_FAILED("leaf switches of which a part fails"),
  VOLUME_AWAY("volumes whose nodes are all away"),
  BEGINS_UNREACHABLE("owners who let their script begin without its volume"),
  IMAGE_AWAY("images that cannot be pulled for a while"),
  PLUGIN_AWAY("device plugins, DRA drivers and kubelets that are away for a while"),
  DEVICE_DOUBTED("devices that their plugin alone holds for unhealthy, mostly by mistake"),
  DEVICE_TAINTED("devices tainted by their DRA driver or by rules");

  private final String words;

  Disturbance(String words) {
    this.words = words;
  }

  /** Its name in the summary. */
  String words() {
    return words;
  }
}
