package dev.rekindle.controller.network;

import java.util.List;

/**
 * How Spiderpool runs, as far as it can be seen.
 *
 * @param networks what it offers
 * @param webhookNodes nodes of the Ready pods behind its webhook; empty where none is Ready, or
 *     where they may not be read
 * @param version {@code 1.2.1}, from the image of its controller; empty where it is not known
 */
public record Installation(ClusterNetworks networks, List<String> webhookNodes, String version) {
  /** None, or one that may not be read. */
  public static final Installation NONE = new Installation(ClusterNetworks.NONE, List.of(), "");

  public Installation {
    webhookNodes = List.copyOf(webhookNodes);
  }
}
