package dev.rekindle.detect.kernel;

import dev.rekindle.api.NodeFaultSpec.ComponentType;
import dev.rekindle.detect.MigInstance;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What one line reports.
 *
 * @param source who reports
 * @param code the number of an XID or SXid in decimal digits, a word such as {@code health-lost}
 *     for others
 * @param mark a word within the code that decides what it means: {@code fatal}, {@code contained},
 *     {@code twin}; may be empty
 * @param device PCI address {@code 0000:3b:00}; empty where the line names none
 * @param unit the part of the device, such as {@code GPC 1 TPC 2} or {@code link 14}; may be empty
 * @param pid the process that was hit, in the host's numbering
 * @param process its name; may be empty
 * @param causedBy the XID that this one follows, if the driver reports it
 * @param port the port of a NIC, where the line is about that one and not about the whole card: its
 *     PCI function {@code .1}, or its network interface where the line names no address; else empty
 * @param part the part of a partitioned GPU, where the line is about that one
 */
@RecordBuilder
public record Finding(
    Source source,
    String code,
    String mark,
    String device,
    String unit,
    OptionalLong pid,
    String process,
    OptionalInt causedBy,
    String port,
    Optional<MigInstance> part)
    implements FindingBuilder.With {
  /** Mark of a PCIe error at a GPU. */
  public static final String GPU = "gpu";

  /** Mark of a PCIe error at an RDMA NIC. */
  public static final String NIC = "nic";

  /** Mark of what is at none of the things that a rank needs. */
  public static final String OTHER = "other";

  /** A finding about no port or part of its own. */
  public Finding(
      Source source,
      String code,
      String mark,
      String device,
      String unit,
      OptionalLong pid,
      String process,
      OptionalInt causedBy) {
    this(source, code, mark, device, unit, pid, process, causedBy, "", Optional.empty());
  }

  /** A finding about a device that names no process. */
  static Finding of(Source source, String code, String mark, String device, String unit) {
    return new Finding(
        source, code, mark, device, unit, OptionalLong.empty(), "", OptionalInt.empty());
  }

  /** The same, about this device. */
  public Finding on(String address) {
    return withDevice(address);
  }

  /** The same, about one port. */
  Finding at(String one) {
    return withPort(one);
  }

  /** The same, about one part of the GPU. */
  Finding of(Optional<MigInstance> one) {
    return withPart(one);
  }

  /** The same with another mark, from a caller that has more facts than the line. */
  public Finding marked(String word) {
    return withMark(word);
  }

  /** What kind of thing is faulty. */
  public ComponentType component() {
    return source != Source.PCIE
        ? source.component()
        : switch (mark) {
          case GPU -> ComponentType.GPU;
          case NIC -> ComponentType.NIC;
          default -> ComponentType.NODE;
        };
  }

  /** The code as a number; empty where it is a word. */
  public OptionalInt number() {
    return Character.isDigit(code.charAt(0))
        ? OptionalInt.of(Integer.parseInt(code))
        : OptionalInt.empty();
  }

  /** {@code xid 79}, as rules and people call it. */
  public String name() {
    return source.word() + " " + code;
  }

  /** {@code XID-79}, {@code MLX5-HEALTH-LOST}: the code of a NodeFault. */
  public String faultCode() {
    return source.name() + "-" + code.toUpperCase(Locale.ROOT);
  }

  /** The process as the line names it, {@code 1234 python}; empty where it names none. */
  public String processName() {
    return ((pid.isPresent() ? String.valueOf(pid.getAsLong()) : "") + " " + process).strip();
  }
}
