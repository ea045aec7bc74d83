package dev.rekindle.simulator.chaos;

/** The part that a fault breaks. {@link Disturbance} counts all other actions. */
enum FaultArea {
  POWER("nodes without power, or rebooted"),
  MACHINE("machines that hang"),
  NODE_NETWORK("nodes cut off from the API server"),
  GPU("faults of GPUs"),
  NIC("faults of NICs and leaf switches"),
  DRIVER("all-clears of drivers"),
  NODE_CONDITION("conditions of nodes"),
  PROGRAM("programs that fail with an XID"),
  RANK("ranks killed, stopped or failing at their start"),
  RANK_ASKS("ranks that ask for a restart or an older checkpoint"),
  CHECKPOINT("checkpoints torn"),
  AGENT("agents killed, slow or not able to freeze"),
  LEADER("controllers killed or stopped"),
  API_AWAY("times without an API server"),
  API_ANSWER("refusals of the API server"),
  WATCH("watches broken or late"),
  OPERATOR("times without the training operator"),
  SCHEDULER("times without the scheduler"),
  PEOPLE("things done by people");

  private final String words;

  FaultArea(String words) {
    this.words = words;
  }

  /** What it is called where it is counted. */
  String words() {
    return words;
  }
}
