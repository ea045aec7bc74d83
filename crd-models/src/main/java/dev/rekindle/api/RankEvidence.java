package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one rank of a gang that stands was found doing, before it was frozen. The program may have
 * written all of it: it names no hardware.
 *
 * @param pod name of its pod
 * @param podUid UID of its pod
 * @param rank its global rank, from {@code RANK} in the environment of its process
 * @param worldSize ranks of the job, from {@code WORLD_SIZE}; 0 where that is not set
 * @param process what its process was doing
 * @param dump what became of the dump of its flight recorder
 * @param groups the process groups that the dump has, at most 32
 * @param lines what its log says of collectives and their network, at most 8
 * @param activity what it used meanwhile, as the kernel counts it; absent where that was not seen
 * @param addresses those that its network namespace has, at most 8: peers name it by one of them
 * @param stack where its main thread was, innermost first, at most 8 frames; empty where it was not
 *     read
 * @param calls whether it still makes the calls of its earlier steps; absent where that is not
 *     known
 * @param compiles true where its main thread compiles, as with torch.compile or Triton; else absent
 * @param device how busy its GPU was; absent where that was not read
 * @param omitted what was found and did not fit into the report: it is then absent here, and
 *     nothing may be concluded from that
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
@RecordBuilder
public record RankEvidence(
    @Size(max = Bounds.NAME) String pod,
    @Required @Size(min = 1, max = Bounds.WORD) String podUid,
    @Required @Min(0) @Max(RankEvidence.MOST_WORLD) int rank,
    @Min(0) @Max(RankEvidence.MOST_WORLD) int worldSize,
    @Required ProcessState process,
    @Required DumpState dump,
    @Size(max = RankEvidence.MOST_GROUPS) List<Group> groups,
    @Size(max = RankEvidence.MOST_LINES) List<Line> lines,
    @Nullable RankActivity activity,
    @Size(max = RankEvidence.MOST_ADDRESSES) List<@Size(max = Bounds.WORD) String> addresses,
    @Size(max = RankEvidence.MOST_FRAMES) List<Frame> stack,
    @Nullable RankCalls calls,
    @Nullable Boolean compiles,
    @Nullable RankDevice device,
    @Size(max = 3) List<EvidencePart> omitted)
    implements RankEvidenceBuilder.With {
  /** Most bytes of all ranks of a report as JSON: etcd takes objects of up to 1.5 MiB. */
  public static final int MOST_BYTES = 1 << 20;

  /** Most ranks of one node in a report. */
  public static final int MOST_RANKS = 64;

  /** Most groups of one rank. */
  public static final int MOST_GROUPS = 32;

  /** Most operations of one rank. */
  public static final int MOST_OPERATIONS = 160;

  /** Most lines of one rank. */
  public static final int MOST_LINES = 8;

  /** Most addresses of one rank. */
  public static final int MOST_ADDRESSES = 8;

  /** Most frames of one rank. */
  public static final int MOST_FRAMES = 8;

  /** Longest list of the ranks of a group, in its short form. */
  public static final int RANKS = 512;

  /** The longest that agents look for evidence before they freeze. */
  public static final Duration LIMIT = Duration.ofSeconds(4);

  /** Most ranks of a job. */
  static final int MOST_WORLD = 1_000_000;

  public RankEvidence {
    pod = Bounds.name(pod);
    podUid = Bounds.word(podUid);
    process = process == null ? ProcessState.RUNNING : process;
    dump = dump == null ? DumpState.NONE : dump;
    groups = Bounds.list(groups, MOST_GROUPS);
    // A line of a kind that this release does not know says nothing to it.
    lines = Bounds.list(lines, MOST_LINES).stream().filter(line -> line.kind() != null).toList();
    addresses = Bounds.list(addresses, MOST_ADDRESSES).stream().map(Bounds::word).toList();
    stack = Bounds.list(stack, MOST_FRAMES);
    omitted = Bounds.list(omitted, EvidencePart.values().length);
  }

  /** What was found of a rank whose GPU was not read. */
  public RankEvidence(
      String pod,
      String podUid,
      int rank,
      int worldSize,
      ProcessState process,
      DumpState dump,
      List<Group> groups,
      List<Line> lines,
      @Nullable RankActivity activity,
      List<String> addresses,
      List<Frame> stack,
      @Nullable RankCalls calls,
      @Nullable Boolean compiles,
      List<EvidencePart> omitted) {
    this(
        pod, podUid, rank, worldSize, process, dump, groups, lines, activity, addresses, stack,
        calls, compiles, null, omitted);
  }

  /** What a process and its dump show; nothing else was read. */
  public RankEvidence(
      String pod,
      String podUid,
      int rank,
      int worldSize,
      ProcessState process,
      DumpState dump,
      List<Group> groups) {
    this(
        pod, podUid, rank, worldSize, process, dump, groups, List.of(), null, List.of(), List.of(),
        null, null, List.of());
  }

  /** What a process was doing. */
  public enum ProcessState {
    /** It runs, or sleeps as processes do. */
    @JsonProperty("Running")
    RUNNING,
    /** All its threads are stopped by a signal, or by a debugger. */
    @JsonProperty("Stopped")
    STOPPED
  }

  /**
   * One frame of a Python stack.
   *
   * @param function its qualified name: {@code DataLoader.__next__}
   * @param file its file, inside its package: {@code torch/utils/data/dataloader.py}
   * @param line its line; 0 where not known
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Frame(
      @Size(max = Bounds.WORD) String function,
      @Size(max = Bounds.WORD) String file,
      @Min(0) int line) {
    public Frame {
      function = Bounds.word(function);
      file = Bounds.word(file);
      line = Math.max(0, line);
    }

    /** {@code DataLoader.__next__ (torch/utils/data/dataloader.py:733)}. */
    @Override
    public String toString() {
      var place = line == 0 ? file : file + ":" + line;
      return place.isEmpty() ? function : "%s (%s)".formatted(function, place);
    }
  }

  /** What became of a dump. */
  public enum DumpState {
    /** The process has no pipe to request one. */
    @JsonProperty("None")
    NONE,
    /** It was requested one and did not write it. */
    @JsonProperty("Missing")
    MISSING,
    /** What it wrote is no dump, or more than is read. */
    @JsonProperty("Unreadable")
    UNREADABLE,
    /** It was read. */
    @JsonProperty("Read")
    READ
  }

  /**
   * How far the rank is in one process group.
   *
   * @param name the name that all members share
   * @param description as the program named it
   * @param ranks global ranks in the order of the group, in runs: {@code 0-7}, {@code 0-56:8,3};
   *     empty where they are not known
   * @param enqueued number of the last collective that the host enqueued
   * @param completed number of the last one that is over on this rank
   * @param inferred whether the numbers are from the operations, for want of a status
   * @param operations the pending ones, and the last of the others
   * @param idleMillis milliseconds from when its newest operation was enqueued until the dump was
   *     written, both by the clock of the node; absent where that is not known
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Group(
      @Size(max = Bounds.WORD) String name,
      @Size(max = Bounds.WORD) String description,
      @Size(max = RankEvidence.RANKS) String ranks,
      long enqueued,
      long completed,
      boolean inferred,
      @Size(max = RankEvidence.MOST_OPERATIONS) List<Operation> operations,
      @Nullable @Min(0) Long idleMillis) {
    public Group {
      name = Bounds.word(name);
      description = Bounds.word(description);
      ranks = Bounds.text(ranks, RANKS);
      operations = Bounds.list(operations, MOST_OPERATIONS);
      idleMillis = idleMillis == null ? null : Math.max(0, idleMillis);
    }

    /** A group of which is not known when its newest operation was enqueued. */
    public Group(
        String name,
        String description,
        String ranks,
        long enqueued,
        long completed,
        boolean inferred,
        List<Operation> operations) {
      this(name, description, ranks, enqueued, completed, inferred, operations, null);
    }
  }

  /**
   * One operation, as the flight recorder kept it.
   *
   * @param sequence its number in the group
   * @param operation {@code all_reduce}, {@code recv 0<-3}
   * @param shape sizes and types of its inputs
   * @param pointToPoint a send or a receive
   * @param pending enqueued and not known to be over
   * @param order its place among all pending operations of the rank, in all its groups, as its host
   *     enqueued them, from 1 on; those of one moment have the same. Devices take them in that
   *     order. Absent where it is not pending or that is not known
   * @param begun whether the device has come to it; absent where it is not pending, or the recorder
   *     does not time devices
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Operation(
      long sequence,
      @Size(max = Bounds.WORD) String operation,
      @Size(max = Bounds.WORD) String shape,
      boolean pointToPoint,
      boolean pending,
      @Nullable @Min(1) @Max(Integer.MAX_VALUE) Integer order,
      @Nullable Boolean begun) {
    public Operation {
      operation = Bounds.word(operation);
      shape = Bounds.word(shape);
      order = order == null || order < 1 ? null : order;
    }

    /** An operation of which is not known whether the device has come to it. */
    public Operation(
        long sequence,
        String operation,
        String shape,
        boolean pointToPoint,
        boolean pending,
        @Nullable Integer order) {
      this(sequence, operation, shape, pointToPoint, pending, order, null);
    }

    /** An operation of which is not known when it was enqueued. */
    public Operation(
        long sequence, String operation, String shape, boolean pointToPoint, boolean pending) {
      this(sequence, operation, shape, pointToPoint, pending, null);
    }
  }

  /** What a line says. */
  public enum LineKind {
    /** The rank waited for others until its time was over. */
    @JsonProperty("CollectiveTimeout")
    COLLECTIVE_TIMEOUT,
    /** How far the rank was. */
    @JsonProperty("WorkCounters")
    WORK_COUNTERS,
    /** Another rank, of that number, timed out first. */
    @JsonProperty("DumpSignal")
    DUMP_SIGNAL,
    /** Its watchdog makes no progress, for that number of seconds. */
    @JsonProperty("WatchdogStuck")
    WATCHDOG_STUCK,
    /** It cannot take the GIL. */
    @JsonProperty("GilStuck")
    GIL_STUCK,
    /** Its flight recorder is off. */
    @JsonProperty("RecorderOff")
    RECORDER_OFF,
    /** The rank of that number inside the group saw an error first. */
    @JsonProperty("RemoteError")
    REMOTE_ERROR,
    /** Ranks did not come to a barrier. */
    @JsonProperty("PeersFailed")
    PEERS_FAILED,
    /** Two ranks run different collectives. */
    @JsonProperty("CollectiveMismatch")
    COLLECTIVE_MISMATCH,
    /** An error of its device. */
    @JsonProperty("DeviceError")
    DEVICE_ERROR,
    /** A completion with an error, whose status is the number. */
    @JsonProperty("IbCompletion")
    IB_COMPLETION,
    /** An event of the host's adapter. */
    @JsonProperty("IbAsyncEvent")
    IB_ASYNC_EVENT,
    /** A peer closed its connection. */
    @JsonProperty("PeerClosed")
    PEER_CLOSED
  }

  /**
   * One line of a log, as what it says. A field that a kind does not have is empty, 0 or -1.
   *
   * @param kind what it says
   * @param time when the container runtime wrote it
   * @param group the process group
   * @param number a sequence number, a rank, a status or seconds, by kind
   * @param enqueued number of the last collective that the host enqueued
   * @param completed number of the last one that is over
   * @param millis how long a collective was waited for
   * @param operation what was called, by the first of two ranks
   * @param text an error or an event; what the second of two ranks called
   * @param host what printed it, where that is a host
   * @param peer address of the peer, or the adapter
   * @param fatal whether an adapter is lost
   * @param ranks ranks that are named
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Line(
      @Required LineKind kind,
      @Nullable @JsonFormat(shape = JsonFormat.Shape.STRING) Instant time,
      @Nullable LineGroup group,
      long number,
      long enqueued,
      long completed,
      long millis,
      @Size(max = Bounds.WORD) String operation,
      @Size(max = Bounds.WORD) String text,
      @Size(max = Bounds.WORD) String host,
      @Size(max = Bounds.WORD) String peer,
      boolean fatal,
      @Size(max = RankEvidence.MOST_RANKS) List<Integer> ranks) {
    public Line {
      operation = Bounds.word(operation);
      text = Bounds.word(text);
      host = Bounds.word(host);
      peer = Bounds.word(peer);
      ranks = Bounds.list(ranks, MOST_RANKS);
    }
  }

  /**
   * A process group as a line has it.
   *
   * @param name its name or number
   * @param shared whether all members have the same name for it
   * @param description as the program named it
   * @param rank the rank inside the group; -1 where the line does not say
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record LineGroup(
      @Size(max = Bounds.WORD) String name,
      boolean shared,
      @Size(max = Bounds.WORD) String description,
      long rank) {
    public LineGroup {
      name = Bounds.word(name);
      description = Bounds.word(description);
    }
  }
}
