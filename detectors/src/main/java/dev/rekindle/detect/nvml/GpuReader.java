package dev.rekindle.detect.nvml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rekindle.detect.MigInstance;
import dev.rekindle.detect.xid.RecoveryAction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Reads one GPU. A call that this GPU or driver does not know leaves its value empty. */
final class GpuReader {
  private static final int NVLINK_REPLAYS = 52;
  private static final int NVLINK_RECOVERIES_FAILED = 214;
  private static final int RECOVERY_ACTION = 230;

  /** More links than any GPU has; the driver ends the count earlier. */
  private static final int MAX_LINKS = 64;

  /** A GPU has seven, or eight. */
  private static final int MAX_SLICES = 16;

  private static final int UUID_BYTES = 96;

  /** Ranks of a job share a GPU rarely, and then few of them do. */
  private static final int MAX_PROCESSES = 64;

  private static final int UNCORRECTED = 1;
  private static final int VOLATILE = 0;

  private final NvmlLibrary library;

  GpuReader(NvmlLibrary library) {
    this.library = library;
  }

  GpuReading read(Arena arena, MemorySegment device, String pci, String uuid, boolean use) {
    var worst = new Worst();
    var links = links(arena, device, worst);
    var fields = new Fields(arena, device, links.keySet().size(), worst);
    var errors = arena.allocate(JAVA_LONG);
    var ecc =
        worst.see(library.deviceGetTotalEccErrors(device, UNCORRECTED, VOLATILE, errors))
            ? OptionalLong.of(errors.get(JAVA_LONG, 0))
            : OptionalLong.empty();
    var rows = new MemorySegment[4];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = arena.allocate(JAVA_INT);
    }
    worst.see(library.deviceGetRemappedRows(device, rows[0], rows[1], rows[2], rows[3]));
    var reasons = arena.allocate(JAVA_LONG);
    worst.see(library.deviceGetCurrentClocksEventReasons(device, reasons));
    return new GpuReading(
        pci,
        uuid,
        worst.answer,
        fields.of(RECOVERY_ACTION).stream()
            .boxed()
            .findFirst()
            .flatMap(number -> RecoveryAction.ofNumber(number.intValue())),
        ecc,
        sramOverThreshold(arena, device, worst),
        rows[2].get(JAVA_INT, 0) != 0,
        rows[3].get(JAVA_INT, 0) != 0,
        links,
        fields.of(NVLINK_REPLAYS),
        fields.of(NVLINK_RECOVERIES_FAILED),
        fabric(arena, device, worst),
        reasons.get(JAVA_LONG, 0),
        slices(arena, device),
        use ? use(arena, device) : Optional.empty());
  }

  /** What cannot be read of slices says nothing about the health of the GPU. */
  private List<GpuNames.Slice> slices(Arena arena, MemorySegment device) {
    List<GpuNames.Slice> slices = new ArrayList<>();
    var number = arena.allocate(JAVA_INT);
    if (library.deviceGetMaxMigDeviceCount(device, number) != NvmlReturn.SUCCESS) {
      return slices;
    }
    var most = Math.min(number.get(JAVA_INT, 0), MAX_SLICES);
    var handle = arena.allocate(ADDRESS);
    var uuid = arena.allocate(UUID_BYTES);
    for (int i = 0; i < most; i++) {
      if (library.deviceGetMigDeviceHandleByIndex(device, i, handle) != NvmlReturn.SUCCESS) {
        continue;
      }
      var slice = handle.get(ADDRESS, 0);
      if (library.deviceGetGpuInstanceId(slice, number) != NvmlReturn.SUCCESS) {
        continue;
      }
      var gpu = number.get(JAVA_INT, 0);
      if (library.deviceGetComputeInstanceId(slice, number) == NvmlReturn.SUCCESS
          && library.deviceGetUuid(slice, uuid, UUID_BYTES) == NvmlReturn.SUCCESS) {
        slices.add(
            new GpuNames.Slice(
                new MigInstance(gpu, OptionalInt.of(number.get(JAVA_INT, 0))), uuid.getString(0)));
      }
    }
    return slices;
  }

  /** What cannot be read of its use says nothing about the health of the GPU. */
  private Optional<GpuUse> use(Arena arena, MemorySegment device) {
    var rates = arena.allocate(NvmlLayouts.UTILIZATION);
    if (library.deviceGetUtilizationRates(device, rates) != NvmlReturn.SUCCESS) {
      return Optional.empty();
    }
    var power = arena.allocate(JAVA_INT);
    var milliwatts =
        library.deviceGetPowerUsage(device, power) == NvmlReturn.SUCCESS
            ? power.get(JAVA_INT, 0)
            : 0;
    return Optional.of(
        new GpuUse(
            rates.get(JAVA_INT, NvmlLayouts.offset(NvmlLayouts.UTILIZATION, "gpu")),
            rates.get(JAVA_INT, NvmlLayouts.offset(NvmlLayouts.UTILIZATION, "memory")),
            milliwatts / 1000,
            processes(arena, device)));
  }

  /** Memory by process; none where there are more than are read. */
  private NavigableMap<Long, Long> processes(Arena arena, MemorySegment device) {
    NavigableMap<Long, Long> found = new TreeMap<>();
    var struct = NvmlLayouts.PROCESS_INFO;
    var list = arena.allocate(struct, MAX_PROCESSES);
    var count = arena.allocate(JAVA_INT);
    count.set(JAVA_INT, 0, MAX_PROCESSES);
    if (library.deviceGetComputeRunningProcesses(device, count, list) != NvmlReturn.SUCCESS) {
      return found;
    }
    for (int i = 0; i < Math.min(MAX_PROCESSES, count.get(JAVA_INT, 0)); i++) {
      var at = i * struct.byteSize();
      found.merge(
          Integer.toUnsignedLong(list.get(JAVA_INT, at + NvmlLayouts.offset(struct, "pid"))),
          list.get(JAVA_LONG, at + NvmlLayouts.offset(struct, "usedGpuMemory")),
          Math::max);
    }
    return found;
  }

  private NavigableMap<Integer, Boolean> links(Arena arena, MemorySegment device, Worst worst) {
    NavigableMap<Integer, Boolean> links = new TreeMap<>();
    var active = arena.allocate(JAVA_INT);
    for (int link = 0; link < MAX_LINKS; link++) {
      if (!worst.see(library.deviceGetNvLinkState(device, link, active))) {
        break;
      }
      links.put(link, active.get(JAVA_INT, 0) != 0);
    }
    return links;
  }

  private boolean sramOverThreshold(Arena arena, MemorySegment device, Worst worst) {
    var struct = NvmlLayouts.SRAM_STATUS;
    var status = arena.allocate(struct);
    status.set(JAVA_INT, NvmlLayouts.offset(struct, "version"), NvmlLayouts.version(struct, 1));
    return worst.see(library.deviceGetSramEccErrorStatus(device, status))
        && status.get(JAVA_INT, NvmlLayouts.offset(struct, "bThresholdExceeded")) != 0;
  }

  /** Version 3 of the struct where the driver supports it, else version 2, which has no summary. */
  private Optional<FabricReading> fabric(Arena arena, MemorySegment device, Worst worst) {
    var info = fabric(arena, device, NvmlLayouts.FABRIC_V3, 3, worst);
    var health =
        info.map(
            struct ->
                (int)
                    struct.get(
                        JAVA_BYTE, NvmlLayouts.offset(NvmlLayouts.FABRIC_V3, "healthSummary")));
    return info.or(() -> fabric(arena, device, NvmlLayouts.FABRIC_V2, 2, worst))
        .map(
            struct ->
                new FabricReading(
                    struct.get(JAVA_BYTE, NvmlLayouts.offset(NvmlLayouts.FABRIC_V2, "state")),
                    struct.get(JAVA_INT, NvmlLayouts.offset(NvmlLayouts.FABRIC_V2, "status")),
                    health.orElse(0),
                    struct.get(JAVA_INT, NvmlLayouts.offset(NvmlLayouts.FABRIC_V2, "healthMask"))))
        .filter(reading -> reading.state() != 0);
  }

  private Optional<MemorySegment> fabric(
      Arena arena, MemorySegment device, StructLayout struct, int version, Worst worst) {
    var info = arena.allocate(struct);
    info.set(JAVA_INT, NvmlLayouts.offset(struct, "version"), NvmlLayouts.version(struct, version));
    return worst.see(library.deviceGetGpuFabricInfo(device, info))
        ? Optional.of(info)
        : Optional.empty();
  }

  /** The most serious answer so far; what is merely not there is none. */
  private static final class Worst {
    private int answer = NvmlReturn.SUCCESS;

    /** Whether the call succeeded. */
    boolean see(int code) {
      if (severity(code) > severity(answer)) {
        answer = code;
      }
      return code == NvmlReturn.SUCCESS;
    }

    private static int severity(int code) {
      return switch (code) {
        case NvmlReturn.GPU_IS_LOST -> 5;
        case NvmlReturn.RESET_REQUIRED -> 4;
        case NvmlReturn.LIB_RM_VERSION_MISMATCH -> 3;
        case NvmlReturn.CORRUPTED_INFOROM, NvmlReturn.IRQ_ISSUE -> 2;
        case NvmlReturn.SUCCESS,
            NvmlReturn.INVALID_ARGUMENT,
            NvmlReturn.NOT_SUPPORTED,
            NvmlReturn.NO_PERMISSION,
            NvmlReturn.FUNCTION_NOT_FOUND,
            NvmlReturn.ARGUMENT_VERSION_MISMATCH ->
            0;
        default -> 1;
      };
    }
  }

  /** All fields in one call. */
  private final class Fields {
    private record Wanted(int field, int scope) {}

    private final List<Wanted> wanted = new ArrayList<>();
    private final MemorySegment values;
    private final boolean read;

    Fields(Arena arena, MemorySegment device, int links, Worst worst) {
      wanted.add(new Wanted(RECOVERY_ACTION, 0));
      if (links > 0) {
        wanted.add(new Wanted(NVLINK_REPLAYS, 0));
      }
      for (int link = 0; link < links; link++) {
        wanted.add(new Wanted(NVLINK_RECOVERIES_FAILED, link));
      }
      values = arena.allocate(NvmlLayouts.FIELD_VALUE, wanted.size());
      for (int i = 0; i < wanted.size(); i++) {
        values.set(JAVA_INT, at(i, "fieldId"), wanted.get(i).field());
        values.set(JAVA_INT, at(i, "scopeId"), wanted.get(i).scope());
      }
      read = worst.see(library.deviceGetFieldValues(device, wanted.size(), values));
      for (int i = 0; read && i < wanted.size(); i++) {
        worst.see(values.get(JAVA_INT, at(i, "nvmlReturn")));
      }
    }

    private long at(int index, String field) {
      return index * NvmlLayouts.FIELD_VALUE.byteSize()
          + NvmlLayouts.offset(NvmlLayouts.FIELD_VALUE, field);
    }

    /** The sum over all scopes in which this field has a value. */
    OptionalLong of(int field) {
      long sum = 0;
      var any = false;
      for (int i = 0; read && i < wanted.size(); i++) {
        if (wanted.get(i).field() == field
            && values.get(JAVA_INT, at(i, "nvmlReturn")) == NvmlReturn.SUCCESS) {
          sum += number(i);
          any = true;
        }
      }
      return any ? OptionalLong.of(sum) : OptionalLong.empty();
    }

    private long number(int index) {
      return switch (values.get(JAVA_INT, at(index, "valueType"))) {
        case 0 -> (long) Double.longBitsToDouble(values.get(JAVA_LONG, at(index, "value")));
        // The rest of the union is not written.
        case 1 -> Integer.toUnsignedLong(values.get(JAVA_INT, at(index, "value")));
        default -> values.get(JAVA_LONG, at(index, "value"));
      };
    }
  }
}
