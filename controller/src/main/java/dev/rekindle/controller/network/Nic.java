package dev.rekindle.controller.network;

import java.util.List;

/**
 * A NIC that a pod is to get.
 *
 * @param name its name in the pod: {@code eth0}, {@code net1}
 * @param network the network it is on, {@code namespace/name}; empty where that is not known
 * @param cniType {@code macvlan}, {@code sriov}, ...; empty where that is not known
 * @param resource the extended resource of its device; empty for none
 * @param injected whether Spiderpool adds the resource to the pod
 * @param source what names its pools
 * @param families the addresses that it needs; empty for none, or where they are not known
 */
public record Nic(
    String name,
    String network,
    String cniType,
    String resource,
    boolean injected,
    PoolSource source,
    List<Family> families) {
  /** What names the pools of a NIC. */
  public enum PoolSource {
    /** An annotation of the pod. */
    POD("the pod's annotation"),
    /** The default pools of its namespace. */
    NAMESPACE("the namespace's default"),
    /** The SpiderMultusConfig. */
    CONFIG("the SpiderMultusConfig"),
    /** The default pools of the cluster. */
    CLUSTER("the cluster's default"),
    /** It takes no address, or it is not known from where. */
    NONE("nothing");

    private final String words;

    PoolSource(String words) {
      this.words = words;
    }

    /** For people. */
    public String words() {
      return words;
    }
  }

  /**
   * An address of a NIC.
   *
   * @param version 4 or 6
   * @param wanted pools as they are named, with wildcards
   * @param pools names of those that there are, open or not; it gets its address from one of them
   */
  public record Family(int version, List<String> wanted, List<String> pools) {
    public Family {
      wanted = List.copyOf(wanted);
      pools = List.copyOf(pools);
    }
  }

  public Nic {
    families = List.copyOf(families);
  }

  /** The NIC as people know it: by name and network. */
  public String title() {
    return network.isEmpty() ? name : name + " (" + network + ")";
  }
}
