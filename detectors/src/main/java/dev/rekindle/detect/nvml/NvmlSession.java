package dev.rekindle.detect.nvml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rekindle.detect.MigInstance;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The time between {@code nvmlInit} and {@code nvmlShutdown}. While it lasts the devices are held
 * open: no GPU can be reset and the driver not be unloaded. Used by one thread; each method enters
 * and leaves the watch, as any of them may never come back.
 */
final class NvmlSession implements Closeable {
  private static final int UUID_BYTES = 96;
  private static final int NO_INSTANCE = 0xFFFFFFFF;

  private final NvmlLibrary library;
  private final NvmlWatch watch;
  private final GpuReader reader;
  private final Map<Long, String> addresses = new HashMap<>();
  private MemorySegment events = MemorySegment.NULL;

  private NvmlSession(NvmlLibrary library, NvmlWatch watch) {
    this.library = library;
    this.watch = watch;
    reader = new GpuReader(library);
  }

  /**
   * Loads the library, starts it and registers for events.
   *
   * @throws NvmlException with what NVML answered
   * @throws IOException when the library cannot be loaded
   */
  static NvmlSession open(Path file, NvmlWatch watch) throws IOException {
    watch.enter("open");
    try {
      var library = new NvmlLibrary(file);
      var session = new NvmlSession(library, watch);
      var code = library.init();
      if (code != NvmlReturn.SUCCESS) {
        library.close();
        throw new NvmlException("nvmlInit_v2", code);
      }
      session.listen();
      return session;
    } finally {
      watch.leave();
    }
  }

  /** What is not supported is not listened to; the polls are there all the same. */
  private void listen() {
    try (var own = Arena.ofConfined()) {
      var set = own.allocate(ADDRESS);
      if (library.eventSetCreate(set) != NvmlReturn.SUCCESS) {
        return;
      }
      events = set.get(ADDRESS, 0);
      var registered = false;
      for (var device : devices(own, new ArrayList<>())) {
        var mask = own.allocate(JAVA_LONG);
        if (library.deviceGetSupportedEventTypes(device, mask) != NvmlReturn.SUCCESS) {
          continue;
        }
        var wanted = mask.get(JAVA_LONG, 0) & NvmlEvent.WANTED;
        registered |=
            wanted != 0
                && library.deviceRegisterEvents(device, wanted, events) == NvmlReturn.SUCCESS;
      }
      if (!registered) {
        library.eventSetFree(events);
        events = MemorySegment.NULL;
      }
    }
  }

  /** Whether any GPU reports events. */
  boolean listens() {
    return !events.equals(MemorySegment.NULL);
  }

  /**
   * Waits for an event.
   *
   * @return the event, or empty when none came, or a GPU was lost: time to poll
   * @throws NvmlException when the set is of no more use
   */
  Optional<NvmlEvent> await(int millis) throws NvmlException {
    watch.enter("wait");
    try (var own = Arena.ofConfined()) {
      var data = own.allocate(NvmlLayouts.EVENT_DATA);
      var code = library.eventSetWait(events, data, millis);
      if (code == NvmlReturn.SUCCESS) {
        var device = data.get(ADDRESS, NvmlLayouts.offset(NvmlLayouts.EVENT_DATA, "device"));
        return Optional.of(
            new NvmlEvent(
                addresses.getOrDefault(device.address(), ""),
                data.get(JAVA_LONG, NvmlLayouts.offset(NvmlLayouts.EVENT_DATA, "eventType")),
                data.get(JAVA_LONG, NvmlLayouts.offset(NvmlLayouts.EVENT_DATA, "eventData")),
                part(data)));
      }
      if (code != NvmlReturn.TIMEOUT) {
        throw new NvmlException("nvmlEventSetWait_v2", code);
      }
      return Optional.empty();
    } finally {
      watch.leave();
    }
  }

  /** Without the privilege to see them NVML names no part. */
  private static Optional<MigInstance> part(MemorySegment event) {
    var gpu = event.get(JAVA_INT, NvmlLayouts.offset(NvmlLayouts.EVENT_DATA, "gpuInstanceId"));
    var compute =
        event.get(JAVA_INT, NvmlLayouts.offset(NvmlLayouts.EVENT_DATA, "computeInstanceId"));
    return gpu == NO_INSTANCE
        ? Optional.empty()
        : Optional.of(
            new MigInstance(
                gpu, compute == NO_INSTANCE ? OptionalInt.empty() : OptionalInt.of(compute)));
  }

  /**
   * Reads every GPU.
   *
   * @param use whether also how busy it is, and with what
   * @throws NvmlException when not even their number is reported
   */
  NvmlReadings read(boolean use) throws NvmlException {
    watch.enter("read");
    try (var own = Arena.ofConfined()) {
      List<Integer> nameless = new ArrayList<>();
      List<GpuReading> gpus = new ArrayList<>();
      var count = own.allocate(JAVA_INT);
      var code = library.deviceGetCount(count);
      if (code != NvmlReturn.SUCCESS) {
        throw new NvmlException("nvmlDeviceGetCount_v2", code);
      }
      for (var device : devices(own, nameless)) {
        var pci = address(own, device);
        if (pci.isEmpty()) {
          nameless.add(NvmlReturn.GPU_IS_LOST);
          continue;
        }
        gpus.add(reader.read(own, device, pci, uuid(own, device), use));
      }
      return new NvmlReadings(gpus, nameless);
    } finally {
      watch.leave();
    }
  }

  /** The handles of all GPUs that give one; what the others answered is added to the list. */
  private List<MemorySegment> devices(Arena own, List<Integer> nameless) {
    var count = own.allocate(JAVA_INT);
    List<MemorySegment> devices = new ArrayList<>();
    if (library.deviceGetCount(count) != NvmlReturn.SUCCESS) {
      return devices;
    }
    for (int i = 0; i < count.get(JAVA_INT, 0); i++) {
      var handle = own.allocate(ADDRESS);
      var code = library.deviceGetHandleByIndex(i, handle);
      if (code == NvmlReturn.SUCCESS) {
        var device = handle.get(ADDRESS, 0);
        devices.add(device);
        addresses.computeIfAbsent(device.address(), _ -> address(own, device));
      } else {
        nameless.add(code);
      }
    }
    return devices;
  }

  /**
   * The address of a GPU, kept from before when it is lost meanwhile; empty when never reported.
   */
  private String address(Arena own, MemorySegment device) {
    var known = addresses.getOrDefault(device.address(), "");
    if (!known.isEmpty()) {
      return known;
    }
    var pci = own.allocate(NvmlLayouts.PCI_INFO);
    if (library.deviceGetPciInfo(device, pci) != NvmlReturn.SUCCESS) {
      return "";
    }
    var domain = pci.get(JAVA_INT, NvmlLayouts.offset(NvmlLayouts.PCI_INFO, "domain"));
    var bus = pci.get(JAVA_INT, NvmlLayouts.offset(NvmlLayouts.PCI_INFO, "bus"));
    var slot = pci.get(JAVA_INT, NvmlLayouts.offset(NvmlLayouts.PCI_INFO, "device"));
    return String.format("%04x:%02x:%02x", domain, bus, slot);
  }

  private String uuid(Arena own, MemorySegment device) {
    var text = own.allocate(UUID_BYTES);
    return library.deviceGetUuid(device, text, UUID_BYTES) == NvmlReturn.SUCCESS
        ? text.getString(0)
        : "";
  }

  /** Lets go of the devices and unloads the library. */
  @Override
  public void close() {
    watch.enter("close");
    try {
      if (listens()) {
        library.eventSetFree(events);
      }
      library.shutdown();
      library.close();
    } finally {
      watch.leave();
    }
  }
}
