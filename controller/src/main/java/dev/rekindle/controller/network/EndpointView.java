package dev.rekindle.controller.network;

import java.util.List;

/**
 * What the controller keeps of the SpiderEndpoint of a pod of a PyTorchJob ({@code
 * spiderpool.spidernet.io/v2beta1}): the addresses that its NICs were given. It has the name of the
 * pod; one of the pod's predecessor may be there for a moment.
 *
 * @param namespace namespace of the pod
 * @param pod name of the pod
 * @param uid UID of the pod that the addresses were given to
 * @param node the node it was on then
 * @param job the PyTorchJob that controls the pod
 * @param nics its NICs
 */
public record EndpointView(
    String namespace, String pod, String uid, String node, String job, List<Attached> nics) {
  /**
   * A NIC.
   *
   * @param name its name in the pod, {@code eth0}, {@code net1}
   * @param ipv4 its address with the length of the prefix; empty for none
   * @param ipv4Pool the pool that it came from
   * @param ipv6 the same of IPv6
   * @param ipv6Pool the pool that it came from
   */
  public record Attached(String name, String ipv4, String ipv4Pool, String ipv6, String ipv6Pool) {}

  public EndpointView {
    nics = List.copyOf(nics);
  }
}
