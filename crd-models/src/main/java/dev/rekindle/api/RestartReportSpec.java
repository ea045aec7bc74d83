package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How far the agent of one node has come with an order.
 *
 * @param order name of the order
 * @param orderUid its UID
 * @param node node of the agent
 * @param job name of the PyTorchJob
 * @param done the last instruction carried out; absent when not even the first one was
 * @param problem why the order cannot be carried out on this node, for people; else empty. Written
 *     as soon as it is known
 * @param pods pods of the gang on this node that the order concerns
 * @param time when this was written, by the clock of the node
 * @param ranks what shows which rank the gang waits for, of the ranks on this node; empty unless
 *     the order requests it. At most {@link RankEvidence#MOST_RANKS} of them, of {@link
 *     RankEvidence#MOST_BYTES} bytes in all; each says what was left out for that
 * @param ranksLeftOut how many more ranks run on this node than {@code ranks} shows; absent for
 *     none. Nothing may be concluded from what they do not show
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@ValidationRule(
    value =
        "self.order == oldSelf.order && self.orderUid == oldSelf.orderUid"
            + " && self.node == oldSelf.node && self.job == oldSelf.job",
    message = "a report is about one order and one node")
public record RestartReportSpec(
    @Required @Size(min = 1, max = Bounds.NAME) String order,
    @Required @Size(min = 1, max = Bounds.WORD) String orderUid,
    @Required @Size(min = 1, max = Bounds.NAME) String node,
    @Required @Size(min = 1, max = Bounds.NAME) String job,
    @Nullable RestartInstruction done,
    @Size(max = Bounds.LINE) String problem,
    @Size(max = Bounds.PODS) List<PodRestart> pods,
    @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant time,
    @Size(max = RankEvidence.MOST_RANKS) List<RankEvidence> ranks,
    @Nullable @Min(1) @Max(RestartReportSpec.MOST_LEFT_OUT) Integer ranksLeftOut) {
  /** More processes of one container are not read. */
  static final int MOST_LEFT_OUT = 4096;

  public RestartReportSpec {
    order = Bounds.name(order);
    orderUid = Bounds.word(orderUid);
    node = Bounds.name(node);
    job = Bounds.name(job);
    problem = Bounds.line(problem);
    pods = Bounds.list(pods, Bounds.PODS);
    int tooMany = ranks == null ? 0 : Math.max(0, ranks.size() - RankEvidence.MOST_RANKS);
    int left = (ranksLeftOut == null ? 0 : Math.clamp(ranksLeftOut, 0, MOST_LEFT_OUT)) + tooMany;
    ranksLeftOut = left == 0 ? null : Integer.valueOf(Math.min(left, MOST_LEFT_OUT));
    ranks = Bounds.list(ranks, RankEvidence.MOST_RANKS);
  }

  /** A report on all ranks of its node. */
  public RestartReportSpec(
      String order,
      String orderUid,
      String node,
      String job,
      @Nullable RestartInstruction done,
      String problem,
      List<PodRestart> pods,
      @Nullable Instant time,
      List<RankEvidence> ranks) {
    this(order, orderUid, node, job, done, problem, pods, time, ranks, null);
  }

  /** How many more ranks run on the node than it shows. */
  public int leftOut() {
    return ranksLeftOut == null ? 0 : ranksLeftOut;
  }

  /** The same that shows no rank, and says how many there are. */
  public RestartReportSpec withoutEvidence() {
    return new RestartReportSpec(
        order,
        orderUid,
        node,
        job,
        done,
        problem,
        pods,
        time,
        List.of(),
        leftOut() + ranks.size() == 0 ? null : Integer.valueOf(leftOut() + ranks.size()));
  }

  /** A report without evidence. */
  public RestartReportSpec(
      String order,
      String orderUid,
      String node,
      String job,
      @Nullable RestartInstruction done,
      String problem,
      List<PodRestart> pods,
      @Nullable Instant time) {
    this(order, orderUid, node, job, done, problem, pods, time, List.of());
  }

  /**
   * What became of the training container of one pod.
   *
   * @param pod name of the pod
   * @param podUid UID of the pod
   * @param containerId the container that was frozen, without the runtime's prefix; empty when none
   *     ran
   * @param restartCount the kubelet's restart count of that container; where none was made yet, one
   *     less than the next one will have, -1 for the first
   * @param how by what it was frozen: {@code cgroup-v2}, {@code cgroup-v1}, {@code SIGSTOP}; empty
   *     when none ran
   * @param state what is true of it now
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record PodRestart(
      @Size(max = Bounds.NAME) String pod,
      @Required @Size(min = 1, max = Bounds.WORD) String podUid,
      @Size(max = Bounds.WORD) String containerId,
      @Min(-1) @Max(Integer.MAX_VALUE) int restartCount,
      @Size(max = Bounds.WORD) String how,
      @Required State state) {
    public PodRestart {
      pod = Bounds.name(pod);
      podUid = Bounds.word(podUid);
      containerId = Bounds.word(containerId);
      how = Bounds.word(how);
      state = state == null ? State.FROZEN : state;
    }
  }

  /** What is true of the container. */
  public enum State {
    /** All its processes are frozen. */
    @JsonProperty("Frozen")
    FROZEN,
    /** Its processes are dead, and the kubelet has not started another one that was seen. */
    @JsonProperty("Killed")
    KILLED,
    /** Another container of the pod runs in its place. */
    @JsonProperty("Restarted")
    RESTARTED,
    /** The order's time was over, or the order was withdrawn: it runs on. */
    @JsonProperty("Thawed")
    THAWED
  }
}
