package dev.rekindle.detect.nvml;

import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.sequenceLayout;
import static java.lang.foreign.MemoryLayout.structLayout;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;

/**
 * The structs of NVIDIA's {@code nvml.h} that are used, as a 64-bit Linux lays them out. A test
 * compares each size and offset with what a C compiler says.
 */
final class NvmlLayouts {
  /** {@code nvmlEventData_t}, with the two MIG fields that the first version of the call lacked. */
  static final StructLayout EVENT_DATA =
      structLayout(
              ADDRESS.withName("device"),
              JAVA_LONG.withName("eventType"),
              JAVA_LONG.withName("eventData"),
              JAVA_INT.withName("gpuInstanceId"),
              JAVA_INT.withName("computeInstanceId"))
          .withName("nvmlEventData_t");

  /** {@code nvmlFieldValue_t}; the value is a union of 8 bytes. */
  static final StructLayout FIELD_VALUE =
      structLayout(
              JAVA_INT.withName("fieldId"),
              JAVA_INT.withName("scopeId"),
              JAVA_LONG.withName("timestamp"),
              JAVA_LONG.withName("latencyUsec"),
              JAVA_INT.withName("valueType"),
              JAVA_INT.withName("nvmlReturn"),
              JAVA_LONG.withName("value"))
          .withName("nvmlFieldValue_t");

  /** {@code nvmlPciInfo_t}. */
  static final StructLayout PCI_INFO =
      structLayout(
              sequenceLayout(16, JAVA_BYTE).withName("busIdLegacy"),
              JAVA_INT.withName("domain"),
              JAVA_INT.withName("bus"),
              JAVA_INT.withName("device"),
              JAVA_INT.withName("pciDeviceId"),
              JAVA_INT.withName("pciSubSystemId"),
              sequenceLayout(32, JAVA_BYTE).withName("busId"))
          .withName("nvmlPciInfo_t");

  /** {@code nvmlGpuFabricInfo_v2_t}. */
  static final StructLayout FABRIC_V2 =
      structLayout(
              JAVA_INT.withName("version"),
              sequenceLayout(16, JAVA_BYTE).withName("clusterUuid"),
              JAVA_INT.withName("status"),
              JAVA_INT.withName("cliqueId"),
              JAVA_BYTE.withName("state"),
              paddingLayout(3),
              JAVA_INT.withName("healthMask"))
          .withName("nvmlGpuFabricInfo_v2_t");

  /** {@code nvmlGpuFabricInfo_v3_t}. */
  static final StructLayout FABRIC_V3 =
      structLayout(
              JAVA_INT.withName("version"),
              sequenceLayout(16, JAVA_BYTE).withName("clusterUuid"),
              JAVA_INT.withName("status"),
              JAVA_INT.withName("cliqueId"),
              JAVA_BYTE.withName("state"),
              paddingLayout(3),
              JAVA_INT.withName("healthMask"),
              JAVA_BYTE.withName("healthSummary"),
              paddingLayout(3))
          .withName("nvmlGpuFabricInfo_v3_t");

  /** {@code nvmlEccSramErrorStatus_v1_t}; {@code counts} stands for its eleven counters. */
  static final StructLayout SRAM_STATUS =
      structLayout(
              JAVA_INT.withName("version"),
              paddingLayout(4),
              sequenceLayout(11, JAVA_LONG).withName("counts"),
              JAVA_INT.withName("bThresholdExceeded"),
              paddingLayout(4))
          .withName("nvmlEccSramErrorStatus_v1_t");

  /** {@code nvmlUtilization_t}. */
  static final StructLayout UTILIZATION =
      structLayout(JAVA_INT.withName("gpu"), JAVA_INT.withName("memory"))
          .withName("nvmlUtilization_t");

  /** {@code nvmlProcessInfo_t}, as the third version of the call fills it. */
  static final StructLayout PROCESS_INFO =
      structLayout(
              JAVA_INT.withName("pid"),
              paddingLayout(4),
              JAVA_LONG.withName("usedGpuMemory"),
              JAVA_INT.withName("gpuInstanceId"),
              JAVA_INT.withName("computeInstanceId"))
          .withName("nvmlProcessInfo_t");

  private NvmlLayouts() {}

  /** Where a field begins, in bytes. */
  static long offset(StructLayout struct, String field) {
    return struct.byteOffset(PathElement.groupElement(field));
  }

  /** How NVML marks the version of a struct: its size, and the version in the upper byte. */
  static int version(StructLayout struct, int version) {
    return (int) struct.byteSize() | version << 24;
  }
}
