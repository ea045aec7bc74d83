package dev.rekindle.api;

/**
 * Names of the reports that the agent of a node writes. After its first dot such a name is the
 * node's, so the agents of two nodes never want the same one, not even those of {@code b} and
 * {@code a.b}; the admission policy of the agent holds them to it.
 */
public final class ReportName {
  private static final int NAME = Bounds.NAME;
  private static final int NODE = 180;
  private static final int UID = 8;

  private ReportName() {}

  /**
   * Name of the RankReport of a pod. Pods of a job keep their names, so part of the UID is in it.
   */
  public static String of(RankReportSpec spec) {
    return ofPod(spec.pod(), spec.podUid(), spec.node());
  }

  /** Name of the RestartReport of a node on an order. */
  public static String of(RestartReportSpec spec) {
    return ofOrder(spec.order(), spec.node());
  }

  /** Name of the RankReport of a pod on that node. */
  public static String ofPod(String pod, String podUid, String node) {
    var uid = podUid.substring(0, Math.min(UID, podUid.length()));
    var end = "-" + uid + "." + cut(node, NODE);
    return cut(dotless(pod), NAME - end.length()) + end;
  }

  /** Name of the RestartReport of that node on an order. */
  public static String ofOrder(String order, String node) {
    var end = "." + cut(node, NODE);
    return cut(dotless(order), NAME - end.length()) + end;
  }

  private static String dotless(String name) {
    return name.replace('.', '-');
  }

  private static String cut(String name, int room) {
    if (name.length() <= room) {
      return name;
    }
    var hash = String.format("-%08x", name.hashCode());
    return name.substring(0, room - hash.length()) + hash;
  }
}
