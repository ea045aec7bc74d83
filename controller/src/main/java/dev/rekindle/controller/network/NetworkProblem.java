package dev.rekindle.controller.network;

/**
 * Something about the networks of a job that will not work, or that keeps it from coming back.
 *
 * @param kind what it is
 * @param detail what was found, for people
 */
public record NetworkProblem(Kind kind, String detail) {
  /** What it is. */
  public enum Kind {
    /** An annotation makes no sense; it counts as absent. */
    UNREADABLE_ANNOTATION("correct the annotation of the pod template"),
    /** No SpiderMultusConfig belongs to the group: Spiderpool refuses each pod. */
    UNKNOWN_GROUP("name a group that a SpiderMultusConfig carries as a label"),
    /** A group is requested, and there is no webhook that adds its NICs. */
    NO_INJECTION("install Spiderpool with spiderpoolController.podResourceInject.enabled=true"),
    /** The webhook replaces the networks that the template names. */
    NETWORKS_REPLACED("take k8s.v1.cni.cncf.io/networks or the group out of the template"),
    /** A SpiderMultusConfig of the group lacks what a group needs. */
    INCOMPLETE_CONFIG("give it a resource name and ippools"),
    /** The default pool of the namespace is used in place of the pools of the rails. */
    DEFAULT_POOL_OVER_RAILS("take ipam.spidernet.io/default-ipv4-ippool off the namespace"),
    /** Two NICs of a pod may take from one pool, which gives both the same address. */
    SHARED_POOL("give each NIC pools of its own"),
    /** A pool that is named does not exist. */
    MISSING_POOL("make the pool, or correct its name"),
    /** No address is left for a pod that comes before its predecessor's is free. */
    NO_SPARE_ADDRESS("give the pool at least one address more than there are pods"),
    /** The pods of the webhook all run in one place, or on a faulty node. */
    WEBHOOK_NOT_SPARE("set spiderpoolController.replicas to 2 or more"),
    /** While the webhook is away no pod is made anywhere. */
    WEBHOOK_REFUSES_PODS("keep two replicas, and namespaces that need no RDMA excluded"),
    /** The version has a known fault that meets recoveries. */
    OLD_VERSION("upgrade Spiderpool to 1.1.0 or later");

    private final String advice;

    Kind(String advice) {
      this.advice = advice;
    }

    /** What to do, in one line. */
    public String advice() {
      return advice;
    }
  }
}
