package dev.rekindle.simulator.replay;

/** What a row of a trace becomes in the simulator: the nearest lever. */
enum FaultKind {
  GPU_LOST("gpu-lost", "a GPU falls off the bus (XID 79)", true),
  ECC("ecc", "an uncontained memory error of a GPU (XID 95)", true),
  NIC_DOWN("nic-down", "a network port goes down", true),
  NODE_DEAD("node-dead", "the node goes silent", true),
  CRASH("crash", "a process ends with an error", false),
  HANG("hang", "a process stops and everything looks well", false),
  AWAY("taken-away", "an operator takes the node out", true);

  private final String word;
  private final String meaning;
  private final boolean takesNode;

  FaultKind(String word, String meaning, boolean takesNode) {
    this.word = word;
    this.meaning = meaning;
    this.takesNode = takesNode;
  }

  /** The word in tables and options. */
  String word() {
    return word;
  }

  String meaning() {
    return meaning;
  }

  /** Whether the node is out until its repair; else only a process is hit. */
  boolean takesNode() {
    return takesNode;
  }
}
