package dev.rekindle.detect.stall;

import dev.rekindle.api.RankEvidence.Line;
import dev.rekindle.api.RankEvidence.LineGroup;
import dev.rekindle.api.RankEvidence.LineKind;
import dev.rekindle.detect.ncclog.LogFact;
import dev.rekindle.detect.ncclog.LogFact.CollectiveMismatch;
import dev.rekindle.detect.ncclog.LogFact.CollectiveTimeout;
import dev.rekindle.detect.ncclog.LogFact.DeviceError;
import dev.rekindle.detect.ncclog.LogFact.DumpSignal;
import dev.rekindle.detect.ncclog.LogFact.GilStuck;
import dev.rekindle.detect.ncclog.LogFact.IbAsyncEvent;
import dev.rekindle.detect.ncclog.LogFact.IbCompletion;
import dev.rekindle.detect.ncclog.LogFact.PeerClosed;
import dev.rekindle.detect.ncclog.LogFact.PeersFailed;
import dev.rekindle.detect.ncclog.LogFact.RecorderOff;
import dev.rekindle.detect.ncclog.LogFact.RemoteError;
import dev.rekindle.detect.ncclog.LogFact.WatchdogStuck;
import dev.rekindle.detect.ncclog.LogFact.WorkCounters;
import dev.rekindle.detect.ncclog.LoggedGroup;
import dev.rekindle.detect.ncclog.LoggedLine;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Writes what a line says into objects of the API, and reads it again. */
public final class LineRecord {
  private final Instant time;
  private @Nullable LineGroup group;
  private long number = -1;
  private long enqueued = -1;
  private long completed = -1;
  private long millis = -1;
  private String operation = "";
  private String text = "";
  private String host = "";
  private String peer = "";
  private boolean fatal;
  private List<Integer> ranks = List.of();

  private LineRecord(Instant time) {
    this.time = time;
  }

  /** The record of a line. */
  public static Line of(LoggedLine line) {
    var record = new LineRecord(line.time());
    var kind = record.fill(line.fact());
    return new Line(
        kind,
        record.time,
        record.group,
        record.number,
        record.enqueued,
        record.completed,
        record.millis,
        record.operation,
        record.text,
        record.host,
        record.peer,
        record.fatal,
        record.ranks);
  }

  private LineKind fill(LogFact fact) {
    return switch (fact) {
      case CollectiveTimeout timeout -> {
        group = group(timeout.group());
        number = timeout.sequence();
        operation = timeout.operation();
        millis = timeout.ranMillis();
        yield LineKind.COLLECTIVE_TIMEOUT;
      }
      case WorkCounters work -> {
        group = group(work.group());
        enqueued = work.enqueued();
        completed = work.completed();
        yield LineKind.WORK_COUNTERS;
      }
      case DumpSignal signal -> {
        group = group(signal.group());
        number = signal.from();
        enqueued = signal.enqueued();
        completed = signal.completed();
        yield LineKind.DUMP_SIGNAL;
      }
      case WatchdogStuck stuck -> {
        number = stuck.seconds();
        yield LineKind.WATCHDOG_STUCK;
      }
      case GilStuck _ -> LineKind.GIL_STUCK;
      case RecorderOff _ -> LineKind.RECORDER_OFF;
      case RemoteError error -> {
        group = group(error.group());
        number = error.from();
        yield LineKind.REMOTE_ERROR;
      }
      case PeersFailed failed -> {
        ranks = failed.ranks();
        yield LineKind.PEERS_FAILED;
      }
      case CollectiveMismatch mismatch -> {
        ranks = List.of((int) mismatch.first(), (int) mismatch.second());
        operation = mismatch.firstCall();
        text = mismatch.secondCall();
        yield LineKind.COLLECTIVE_MISMATCH;
      }
      case DeviceError error -> {
        text = error.error();
        yield LineKind.DEVICE_ERROR;
      }
      case IbCompletion completion -> {
        host = completion.reporter();
        peer = completion.peer();
        number = completion.status();
        text = completion.hca();
        yield LineKind.IB_COMPLETION;
      }
      case IbAsyncEvent event -> {
        host = event.reporter();
        peer = event.device();
        fatal = event.fatal();
        text = event.event();
        yield LineKind.IB_ASYNC_EVENT;
      }
      case PeerClosed closed -> {
        host = closed.reporter();
        peer = closed.peer();
        yield LineKind.PEER_CLOSED;
      }
    };
  }

  private static LineGroup group(LoggedGroup group) {
    return new LineGroup(group.name(), group.shared(), group.description(), group.rank());
  }

  /** What a record says; empty where it lacks what its kind has. */
  static Optional<LogFact> read(Line line) {
    var in = line.group();
    var group =
        in == null
            ? new LoggedGroup("", false, "", -1)
            : new LoggedGroup(in.name(), in.shared(), in.description(), in.rank());
    if (line.kind() == null) {
      return Optional.empty();
    }
    return switch (line.kind()) {
      case COLLECTIVE_TIMEOUT ->
          Optional.of(new CollectiveTimeout(group, line.number(), line.operation(), line.millis()));
      case WORK_COUNTERS -> Optional.of(new WorkCounters(group, line.enqueued(), line.completed()));
      case DUMP_SIGNAL ->
          Optional.of(new DumpSignal(group, line.number(), line.enqueued(), line.completed()));
      case WATCHDOG_STUCK -> Optional.of(new WatchdogStuck(line.number()));
      case GIL_STUCK -> Optional.of(new GilStuck());
      case RECORDER_OFF -> Optional.of(new RecorderOff());
      case REMOTE_ERROR -> Optional.of(new RemoteError(group, line.number()));
      case PEERS_FAILED -> Optional.of(new PeersFailed(line.ranks()));
      case COLLECTIVE_MISMATCH ->
          line.ranks().size() == 2
              ? Optional.of(
                  new CollectiveMismatch(
                      line.ranks().getFirst(),
                      line.operation(),
                      line.ranks().getLast(),
                      line.text()))
              : Optional.empty();
      case DEVICE_ERROR -> Optional.of(new DeviceError(line.text()));
      case IB_COMPLETION ->
          Optional.of(
              new IbCompletion(
                  line.host(), line.peer(), Math.clamp(line.number(), 0, 255), line.text()));
      case IB_ASYNC_EVENT ->
          Optional.of(new IbAsyncEvent(line.host(), line.peer(), line.fatal(), line.text()));
      case PEER_CLOSED -> Optional.of(new PeerClosed(line.host(), line.peer()));
    };
  }
}
