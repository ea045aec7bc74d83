package dev.rekindle.detect.kernel;

import com.google.re2j.Pattern;
import dev.rekindle.detect.MigInstance;
import dev.rekindle.detect.PciAddress;
import dev.rekindle.detect.kernel.ParserState.Kind;
import dev.rekindle.detect.sxid.SxidParser;
import dev.rekindle.detect.xid.XidEvent;
import dev.rekindle.detect.xid.XidMark;
import dev.rekindle.detect.xid.XidParser;
import java.util.HashMap;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Reads kernel messages one after the other. A pure function of what is remembered and the next
 * message; linear in the length of the message.
 */
public final class KernelLines {
  /** Most GPUs whose names are remembered; a node has sixteen. */
  private static final int GPUS = 64;

  /** A message of three lines, with room for lines of others in between. */
  private static final int PROBE_LINES = 8;

  /** Registers, code and call trace of a processor that hangs. */
  private static final int TRACE_LINES = 120;

  private static final Pattern NAME =
      Pattern.compile(
          "^NVRM: GPU at (?:PCI:)?" + PciAddress.PATTERN + ": (GPU-[0-9a-fA-F-]{8,64})");

  private static final Pattern SERIAL =
      Pattern.compile("^NVRM: GPU Board Serial Number: ([0-9A-Za-z-]{1,32})");

  private static final Pattern PROBE =
      Pattern.compile("^NVRM: The NVIDIA GPU " + PciAddress.PATTERN + "(?:\\s|$)");

  private static final String PROBE_END = "fallen off the bus and is not responding to commands";

  /** The driver cannot bring the GPU up; older branches print no address. */
  private static final Pattern INIT_FAILED =
      Pattern.compile(
          "^NVRM: (?:GPU[ -](?:PCI:)?"
              + PciAddress.PATTERN
              + ": )?(?:RmInitAdapter failed!|rm_init_adapter failed)");

  private static final Pattern LOCKUP =
      Pattern.compile("^(?:NMI )?(?:watchdog: )?BUG: soft lockup - CPU#(\\d{1,5}) stuck for");

  private static final Pattern LOCKUP_FRAME =
      Pattern.compile("\\bmlx5e_(?:napi_poll|poll_ico_cq)\\b");

  private static final Pattern SEGFAULT =
      Pattern.compile(
          "^(.{1,64})\\[(\\d{1,10})\\]: segfault at .{1,200} in (libnccl[A-Za-z0-9_.-]{0,60})");

  private static final Pattern RESET =
      Pattern.compile(
          "^GPU reset executed: (GPU-[0-9a-fA-F-]{8,64})(?:, success: (true|false))?\\b");

  /**
   * What came of one message.
   *
   * @param memory what to remember for the next
   * @param finding what it reports; empty for most
   */
  public record Read(ParserState memory, Optional<Finding> finding) {}

  private KernelLines() {}

  /** Reads a message: text of one kernel record, escapes undone. */
  public static Read read(ParserState memory, String message) {
    if (message.startsWith("NVRM: ")) {
      return nvrm(memory, message);
    }
    return PcieLines.mayBe(message)
        ? PcieLines.read(PcieLines.learn(memory, message), message)
            .orElseGet(() -> other(PcieLines.learn(memory, message), message))
        : other(memory, message);
  }

  private static Read other(ParserState memory, String message) {
    var finding = alone(memory, message);
    if (finding.isPresent()) {
      return new Read(memory, finding);
    }
    var lockup = LOCKUP.matcher(message);
    if (lockup.find()) {
      return new Read(
          memory.opened(Kind.LOCKUP, "CPU " + lockup.group(1), TRACE_LINES), Optional.empty());
    }
    var open = memory.open().filter(begun -> begun.kind() == Kind.LOCKUP);
    if (open.isPresent() && LOCKUP_FRAME.matcher(message).find()) {
      return new Read(
          memory.closed(),
          Optional.of(Finding.of(Source.MLX5, "soft-lockup", "", "", open.get().subject())));
    }
    return new Read(memory.aged(), Optional.empty());
  }

  private static Read nvrm(ParserState memory, String message) {
    var xid = XidParser.parse(message);
    if (xid.isPresent()) {
      return new Read(
          memory.known(xid.get().pci(), Finding.GPU), Optional.of(finding(xid.get(), message)));
    }
    var failed = INIT_FAILED.matcher(message);
    if (failed.find()) {
      var device = failed.group(1) == null ? "" : PciAddress.of(failed.group(1));
      return new Read(
          memory.known(device, Finding.GPU),
          Optional.of(Finding.of(Source.NVRM, "init-failed", "", device, "")));
    }
    var name = NAME.matcher(message);
    if (name.find()) {
      return new Read(
          name(memory, PciAddress.of(name.group(1)), name.group(2), ""), Optional.empty());
    }
    var serial = SERIAL.matcher(message);
    if (serial.find()) {
      var gpu = memory.gpus().get(memory.newestGpu());
      return new Read(
          gpu == null ? memory : name(memory, memory.newestGpu(), gpu.uuid(), serial.group(1)),
          Optional.empty());
    }
    var open = memory.open().filter(begun -> begun.kind() == Kind.PROBE);
    if (open.isPresent() && message.contains(PROBE_END)) {
      return new Read(memory.closed(), Optional.of(offTheBus(open.get().subject())));
    }
    var probe = PROBE.matcher(message);
    return probe.find()
        ? new Read(
            memory.opened(Kind.PROBE, PciAddress.of(probe.group(1)), PROBE_LINES), Optional.empty())
        : new Read(memory.aged(), Optional.empty());
  }

  private static ParserState name(ParserState memory, String address, String uuid, String serial) {
    var names = new HashMap<>(memory.gpus());
    if (names.size() >= GPUS && !names.containsKey(address)) {
      return memory;
    }
    names.put(address, new GpuName(uuid, serial));
    return memory.named(names, address);
  }

  private static Finding finding(XidEvent xid, String message) {
    if (!message.startsWith("NVRM: Xid")) {
      return offTheBus(xid.pci());
    }
    var mark = XidMark.of(xid);
    var part =
        xid.gpuInstance().isEmpty()
            ? Optional.<MigInstance>empty()
            : Optional.of(new MigInstance(xid.gpuInstance().getAsInt(), xid.computeInstance()));
    return new Finding(
            Source.XID,
            String.valueOf(xid.code()),
            mark.mark(),
            xid.pci(),
            (part.map(MigInstance::toString).orElse("") + " " + mark.unit()).strip(),
            xid.pid(),
            xid.process().orElse(""),
            xid.causedBy())
        .of(part);
  }

  /** The driver says it twice: as XID 79, and in words of its own. */
  private static Finding offTheBus(String address) {
    return Finding.of(Source.XID, "79", "twin", address, "");
  }

  /** Messages that need no memory of others. */
  private static Optional<Finding> alone(ParserState memory, String message) {
    var sxid = SxidParser.parse(message);
    if (sxid.isPresent()) {
      var event = sxid.get();
      return Optional.of(
          Finding.of(
              Source.SXID,
              String.valueOf(event.code()),
              event.severity().word(),
              event.pci(),
              event.unit()));
    }
    var mlx5 = Mlx5Lines.parse(message);
    if (mlx5.isPresent()) {
      return mlx5;
    }
    var machine = MachineLines.parse(message);
    if (machine.isPresent()) {
      return machine;
    }
    var segfault = SEGFAULT.matcher(message);
    if (segfault.find()) {
      return Optional.of(
          new Finding(
              Source.SEGFAULT,
              "libnccl",
              "",
              "",
              segfault.group(3),
              OptionalLong.of(Long.parseLong(segfault.group(2))),
              segfault.group(1).strip(),
              OptionalInt.empty()));
    }
    var reset = RESET.matcher(message);
    return reset.find() && !"false".equals(reset.group(2))
        ? Optional.of(Finding.of(Source.RESET, "executed", "", memory.address(reset.group(1)), ""))
        : Optional.empty();
  }
}
