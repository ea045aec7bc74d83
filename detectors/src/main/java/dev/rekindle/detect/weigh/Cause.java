package dev.rekindle.detect.weigh;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.detect.xid.XidCatalog;
import java.util.Set;

/** What can cause a fault of a code, and how often it may come. */
public enum Cause {
  /** A program can; it names a unit, and programs run on all of them. */
  PROGRAM_AT_UNIT,
  /** A program can. */
  PROGRAM,
  /** No program can; the errors of a link count by link. */
  LINK,
  /** No program can; requests over NVLink are lost. */
  STORM,
  /** No program can; it is the firmware of a NIC. */
  FIRMWARE,
  /** No program can. */
  HARDWARE;

  private static final XidCatalog XIDS = XidCatalog.load();

  /**
   * The GPU's context switch fails where a program does not yield, and where the GPU is broken: a
   * device plugin calls it the application's, NVIDIA's catalogue the GPU's.
   */
  private static final Set<String> EITHER = Set.of("XID-109");

  /** The cause of a code, as a NodeFault writes it. */
  public static Cause of(String code) {
    if (code.startsWith("XID-")) {
      return switch (code) {
        case "XID-13" -> PROGRAM_AT_UNIT;
        case "XID-74" -> LINK;
        case "XID-145" -> STORM;
        default -> isOfPrograms(code) ? PROGRAM : HARDWARE;
      };
    }
    return code.equals("MLX5-FIRMWARE-ERROR") ? FIRMWARE : HARDWARE;
  }

  /** Whether programs are known to cause the code: it is about a process, and no hardware's. */
  private static boolean isOfPrograms(String code) {
    var number = code.substring("XID-".length());
    if (EITHER.contains(code) || !isNumber(number)) {
      return EITHER.contains(code);
    }
    var xid = XIDS.lookup(Integer.parseInt(number));
    return xid.scope().equals("process") && !xid.origin().equals("hardware");
  }

  /** Asked of every fault at every evaluation: without a regular expression. */
  private static boolean isNumber(String text) {
    for (var i = 0; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return !text.isEmpty() && text.length() < 10;
  }

  /** Whether a program can cause it. */
  public boolean isProgram() {
    return this == PROGRAM || this == PROGRAM_AT_UNIT;
  }

  /** Whether a program can cause the fault, and no rule says that it fences all the same. */
  public static boolean isProgram(Fault fault) {
    return fault.fence() != FenceGuidance.ALWAYS && of(fault.code()).isProgram();
  }

  /**
   * When incidents of it fence, for people; empty where none of their own do.
   *
   * @param mark the word that decides within the code; empty for any
   */
  public String describe(String mark, Thresholds t) {
    var hours = " within " + t.window().toHours() + " h";
    return switch (this) {
      case PROGRAM_AT_UNIT -> t.owners() + " owners hit in the same unit" + hours;
      case PROGRAM -> t.owners() + " owners hit on the same device, and on no other" + hours;
      case LINK -> {
        var most = HardwareWeigher.ofLink(mark, t);
        yield most == 0 ? "" : most + " incidents in the same unit" + hours;
      }
      case STORM ->
          t.stormLinks()
              + " links of one GPU in one burst of RLW_SRC_TRACK, or "
              + t.incidents()
              + " incidents on the same device"
              + hours;
      case FIRMWARE -> t.firmwareIncidents() + " incidents on the same device" + hours;
      case HARDWARE -> t.incidents() + " incidents on the same device" + hours;
    };
  }
}
