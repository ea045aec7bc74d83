package dev.rekindle.controller.model;

import java.util.List;

/**
 * A warm spare that is to be made.
 *
 * @param slot its number among the spares of the job, from 0: it gives the pod its name, so that a
 *     call that is repeated makes no second one
 * @param replica the replica type that it is made from
 * @param template what it must be made of; where the job has another one by now nothing is made
 * @param hostnames values of label {@code kubernetes.io/hostname} of the nodes that it may go to
 */
public record SpareOrder(int slot, String replica, String template, List<String> hostnames) {
  /** Numbers that there are: the name of a spare ends in one digit. */
  public static final int SLOTS = 10;

  /** The most nodes that one is offered. */
  public static final int NODES = 8;

  public SpareOrder {
    hostnames = List.copyOf(hostnames);
  }
}
