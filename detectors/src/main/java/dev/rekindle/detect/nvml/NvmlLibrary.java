package dev.rekindle.detect.nvml;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * The exported functions of one {@code libnvidia-ml.so.1}, each with the name and the arguments it
 * has in C. Names without a version are macros of {@code nvml.h} and not exported. A function is
 * resolved when it is first called; one that this library lacks answers {@link
 * NvmlReturn#FUNCTION_NOT_FOUND}. Used by one thread at a time; closing it unloads the library, so
 * that the next one opened is the one that is on disk by then.
 */
final class NvmlLibrary implements Closeable {
  private final NativeFunctions functions;

  /**
   * Loads the library.
   *
   * @throws IOException when it is no library for this machine, or one it needs is missing
   */
  NvmlLibrary(Path file) throws IOException {
    functions = new NativeFunctions(file);
  }

  int init() {
    return call("nvmlInit_v2");
  }

  int shutdown() {
    return call("nvmlShutdown");
  }

  int deviceGetCount(MemorySegment count) {
    return call("nvmlDeviceGetCount_v2", count);
  }

  int deviceGetHandleByIndex(int index, MemorySegment device) {
    return call("nvmlDeviceGetHandleByIndex_v2", index, device);
  }

  int deviceGetUuid(MemorySegment device, MemorySegment uuid, int length) {
    return call("nvmlDeviceGetUUID", device, uuid, length);
  }

  int deviceGetPciInfo(MemorySegment device, MemorySegment pci) {
    return call("nvmlDeviceGetPciInfo_v3", device, pci);
  }

  /** How many slices the GPU may have at most; none where it is not partitioned. */
  int deviceGetMaxMigDeviceCount(MemorySegment device, MemorySegment count) {
    return call("nvmlDeviceGetMaxMigDeviceCount", device, count);
  }

  /** A handle of one slice; there may be none at this index. */
  int deviceGetMigDeviceHandleByIndex(MemorySegment device, int index, MemorySegment slice) {
    return call("nvmlDeviceGetMigDeviceHandleByIndex", device, index, slice);
  }

  int deviceGetGpuInstanceId(MemorySegment slice, MemorySegment id) {
    return call("nvmlDeviceGetGpuInstanceId", slice, id);
  }

  int deviceGetComputeInstanceId(MemorySegment slice, MemorySegment id) {
    return call("nvmlDeviceGetComputeInstanceId", slice, id);
  }

  int eventSetCreate(MemorySegment set) {
    return call("nvmlEventSetCreate", set);
  }

  int deviceGetSupportedEventTypes(MemorySegment device, MemorySegment mask) {
    return call("nvmlDeviceGetSupportedEventTypes", device, mask);
  }

  int deviceRegisterEvents(MemorySegment device, long mask, MemorySegment set) {
    return call("nvmlDeviceRegisterEvents", device, mask, set);
  }

  /** Waits up to so many milliseconds; may answer {@link NvmlReturn#TIMEOUT} earlier. */
  int eventSetWait(MemorySegment set, MemorySegment data, int timeoutMs) {
    return call("nvmlEventSetWait_v2", set, data, timeoutMs);
  }

  int eventSetFree(MemorySegment set) {
    return call("nvmlEventSetFree", set);
  }

  int deviceGetFieldValues(MemorySegment device, int count, MemorySegment values) {
    return call("nvmlDeviceGetFieldValues", device, count, values);
  }

  /**
   * Counts of ECC errors.
   *
   * @param type 0 corrected, 1 uncorrected
   * @param counter 0 since the driver was loaded, 1 over the life of the GPU
   */
  int deviceGetTotalEccErrors(MemorySegment device, int type, int counter, MemorySegment count) {
    return call("nvmlDeviceGetTotalEccErrors", device, type, counter, count);
  }

  int deviceGetSramEccErrorStatus(MemorySegment device, MemorySegment status) {
    return call("nvmlDeviceGetSramEccErrorStatus", device, status);
  }

  int deviceGetRemappedRows(
      MemorySegment device,
      MemorySegment corrected,
      MemorySegment uncorrected,
      MemorySegment pending,
      MemorySegment failed) {
    return call("nvmlDeviceGetRemappedRows", device, corrected, uncorrected, pending, failed);
  }

  int deviceGetNvLinkState(MemorySegment device, int link, MemorySegment active) {
    return call("nvmlDeviceGetNvLinkState", device, link, active);
  }

  int deviceGetGpuFabricInfo(MemorySegment device, MemorySegment info) {
    return call("nvmlDeviceGetGpuFabricInfoV", device, info);
  }

  /** Under the name that the function has since driver 535, or the one before. */
  int deviceGetCurrentClocksEventReasons(MemorySegment device, MemorySegment reasons) {
    var code = call("nvmlDeviceGetCurrentClocksEventReasons", device, reasons);
    return code == NvmlReturn.FUNCTION_NOT_FOUND
        ? call("nvmlDeviceGetCurrentClocksThrottleReasons", device, reasons)
        : code;
  }

  int deviceGetUtilizationRates(MemorySegment device, MemorySegment utilization) {
    return call("nvmlDeviceGetUtilizationRates", device, utilization);
  }

  /** Power in milliwatts. */
  int deviceGetPowerUsage(MemorySegment device, MemorySegment power) {
    return call("nvmlDeviceGetPowerUsage", device, power);
  }

  /**
   * Processes that compute on it, by their numbers in the first namespace.
   *
   * @param count how many fit; then how many there are
   */
  int deviceGetComputeRunningProcesses(
      MemorySegment device, MemorySegment count, MemorySegment processes) {
    return call("nvmlDeviceGetComputeRunningProcesses_v3", device, count, processes);
  }

  private int call(String name, Object... arguments) {
    return functions.call(name, NvmlReturn.FUNCTION_NOT_FOUND, arguments);
  }

  @Override
  public void close() {
    functions.close();
  }
}
