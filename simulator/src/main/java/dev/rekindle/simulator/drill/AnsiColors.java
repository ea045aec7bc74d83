package dev.rekindle.simulator.drill;

import dev.rekindle.simulator.world.SimEvent.Kind;

/** Colours, where they are wanted. */
record AnsiColors(boolean colour) {
  String kind(Kind kind, String text) {
    return switch (kind) {
      case FAULT -> in("1;31", text);
      case NODE -> in("33", text);
      case CONTROLLER -> in("35", text);
      case RECOVERY, EVENT -> in("36", text);
      case JOB -> in("34", text);
      case AGENT, POD -> in("2", text);
      case TRAINING -> in("32", text);
    };
  }

  String good(String text) {
    return in("1;32", text);
  }

  String bad(String text) {
    return in("1;31", text);
  }

  String bold(String text) {
    return in("1", text);
  }

  String dim(String text) {
    return in("2", text);
  }

  private String in(String code, String text) {
    return colour ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
