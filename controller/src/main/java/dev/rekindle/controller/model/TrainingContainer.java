package dev.rekindle.controller.model;

/** The container of a pod that trains. */
public final class TrainingContainer {
  /** The variable that gives a script its checkpoint; empty or absent where it is given none. */
  public static final String ENV_RESUME_FROM = "REKINDLE_RESUME_FROM";

  /** The container that trains. */
  public static final String NAME = "pytorch";

  private TrainingContainer() {}
}
