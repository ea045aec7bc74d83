/* A stand-in for libnvidia-ml.so.1 on machines without a GPU. It has the exported functions that the
 * agent calls, with the arguments of the real ones, and answers what the file CONTROL says when it is
 * called: lines of "name value", values decimal. What it proves: names, arguments, layouts as compiled C
 * sees them, and the ways of the driver to fail. What it cannot prove: that a driver behaves so. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef BUILD
#define BUILD 1
#endif

static int started;
static unsigned long long delivered;
static int devices[64];
static int slices[64][8];

static unsigned long long say(const char *name, unsigned long long otherwise) {
  char key[64];
  unsigned long long value, found = otherwise;
  FILE *file = fopen(CONTROL, "r");
  if (!file) return otherwise;
  while (fscanf(file, "%63s %llu", key, &value) == 2)
    if (!strcmp(key, name)) found = value;
  fclose(file);
  return found;
}

static unsigned long long of(const void *device, const char *name, unsigned long long otherwise) {
  char key[64];
  snprintf(key, sizeof key, "%s.%d", name, (int)((const int *)device - devices));
  return say(key, say(name, otherwise));
}

static void hang(const char *where) {
  while (say(where, 0)) usleep(20000);
}

int nvmlInit_v2(void) {
  hang("hang_init");
  /* The driver serves the library of its own build alone. */
  if (say("driver_build", BUILD) != BUILD) return 18;
  int code = (int)say("init", 0);
  started = code == 0;
  return code;
}

int nvmlShutdown(void) {
  started = 0;
  return 0;
}

int nvmlDeviceGetCount_v2(unsigned int *count) {
  hang("hang_count");
  if (!started) return 1;
  if (say("driver_build", BUILD) != BUILD) return 18;
  *count = (unsigned int)say("count", 2);
  return (int)say("count_answer", 0);
}

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void **device) {
  *device = &devices[index];
  return (int)of(*device, "handle", 0);
}

/* The number of a slice among all, or -1 for a GPU. */
static int slice(const void *device) {
  long at = (const int *)device - &slices[0][0];
  return at >= 0 && at < 64 * 8 ? (int)at : -1;
}

int nvmlDeviceGetUUID(const void *device, char *uuid, unsigned int length) {
  if (slice(device) >= 0) {
    snprintf(uuid, length, "MIG-%d-%d", slice(device) / 8, slice(device) % 8);
    return 0;
  }
  snprintf(uuid, length, "GPU-%d", (int)((const int *)device - devices));
  return (int)of(device, "answer", 0);
}

struct pci {
  char legacy[16];
  unsigned int domain, bus, device, id, subsystem;
  char bus_id[32];
};

int nvmlDeviceGetPciInfo_v3(const void *device, struct pci *pci) {
  memset(pci, 0x55, sizeof *pci);
  pci->domain = (unsigned int)of(device, "domain", 0);
  pci->bus = (unsigned int)of(device, "bus", 0x3b + ((const int *)device - devices));
  pci->device = 0;
  return (int)of(device, "answer", 0);
}

int nvmlDeviceGetMaxMigDeviceCount(const void *device, unsigned int *count) {
  *count = (unsigned int)of(device, "slices", 0);
  return (int)of(device, "answer", 0);
}

int nvmlDeviceGetMigDeviceHandleByIndex(const void *device, unsigned int index, void **handle) {
  /* Where a slice was taken away an index is free. */
  if (index >= of(device, "slices", 0) || index == of(device, "free", 99)) return 6;
  *handle = &slices[(const int *)device - devices][index];
  return 0;
}

int nvmlDeviceGetGpuInstanceId(const void *device, unsigned int *id) {
  if (slice(device) < 0) return 2;
  *id = 7 + slice(device) % 8;
  return 0;
}

int nvmlDeviceGetComputeInstanceId(const void *device, unsigned int *id) {
  if (slice(device) < 0) return 2;
  *id = slice(device) % 8;
  return 0;
}

int nvmlEventSetCreate(void **set) {
  *set = &delivered;
  return (int)say("create", 0);
}

int nvmlDeviceGetSupportedEventTypes(const void *device, unsigned long long *mask) {
  *mask = of(device, "supported", 0xffff);
  return (int)of(device, "answer", 0);
}

int nvmlDeviceRegisterEvents(const void *device, unsigned long long mask, void *set) {
  /* As the driver does: a bit that is not supported is refused. */
  if (set != &delivered || (mask & ~of(device, "supported", 0xffff))) return 3;
  return (int)of(device, "register", 0);
}

struct event {
  void *device;
  unsigned long long type, data;
  unsigned int gpu_instance, compute_instance;
};

int nvmlEventSetWait_v2(void *set, struct event *event, unsigned int millis) {
  if (set != &delivered) return 2;
  hang("hang_wait");
  for (unsigned int waited = 0; waited <= millis; waited += 10) {
    int answer = (int)say("wait", 0);
    if (answer) return answer;
    if (say("event", 0) > delivered) {
      delivered = say("event", 0);
      event->device = &devices[say("event_gpu", 0)];
      event->type = say("event_type", 8);
      event->data = say("event_data", 79);
      event->gpu_instance = (unsigned int)say("event_gi", 0xffffffffu);
      event->compute_instance = (unsigned int)say("event_ci", 0xffffffffu);
      return 0;
    }
    usleep(10000);
  }
  return 10;
}

int nvmlEventSetFree(void *set) {
  return set == &delivered ? 0 : 2;
}

struct field {
  unsigned int id, scope;
  long long timestamp, latency;
  int type, answer;
  union {
    double d;
    unsigned int ui;
    unsigned long long ull;
  } value;
};

int nvmlDeviceGetFieldValues(const void *device, int count, struct field *fields) {
  for (int i = 0; i < count; i++) {
    struct field *field = &fields[i];
    field->answer = 0;
    /* What the driver does not write is not zero. */
    field->value.ull = 0x5555555500000000ull;
    switch (field->id) {
      case 230:
        field->type = 1;
        field->value.ui = (unsigned int)of(device, "action", 0);
        field->answer = (int)of(device, "action_answer", 0);
        break;
      case 52:
        field->type = 3;
        field->value.ull = of(device, "replays", 0);
        break;
      case 214:
        field->type = 3;
        field->value.ull = field->scope == 1 ? of(device, "recoveries", 0) : 0;
        break;
      default:
        field->answer = 3;
    }
  }
  return (int)of(device, "answer", 0);
}

int nvmlDeviceGetTotalEccErrors(
    const void *device, int type, int counter, unsigned long long *errors) {
  *errors = type == 1 && counter == 0 ? of(device, "ecc", 0) : 777;
  return (int)of(device, "answer", 0);
}

struct sram {
  unsigned int version;
  unsigned long long counts[11];
  unsigned int over;
};

int nvmlDeviceGetSramEccErrorStatus(const void *device, struct sram *sram) {
  if (sram->version != 0x01000068) return 25;
  memset(sram->counts, 0xff, sizeof sram->counts);
  sram->over = (unsigned int)of(device, "sram", 0);
  return (int)of(device, "answer", 0);
}

int nvmlDeviceGetRemappedRows(
    const void *device,
    unsigned int *corrected,
    unsigned int *uncorrected,
    unsigned int *pending,
    unsigned int *failed) {
  *corrected = 3;
  *uncorrected = 1;
  *pending = (unsigned int)of(device, "pending", 0);
  *failed = (unsigned int)of(device, "failed", 0);
  return (int)of(device, "answer", 0);
}

int nvmlDeviceGetNvLinkState(const void *device, unsigned int link, int *active) {
  if (link >= of(device, "links", 4)) return 2;
  *active = !(of(device, "down", 0) >> link & 1);
  return (int)of(device, "answer", 0);
}

struct fabric {
  unsigned int version;
  unsigned char cluster[16];
  int status;
  unsigned int clique;
  unsigned char state;
  unsigned int mask;
  unsigned char summary;
};

int nvmlDeviceGetGpuFabricInfoV(const void *device, struct fabric *fabric) {
  unsigned int version = fabric->version;
  if (version != 0x02000024 && !(version == 0x03000028 && say("fabric_version", 3) == 3)) return 25;
  memset(fabric->cluster, 0x11, 16);
  fabric->status = (int)of(device, "fabric_status", 0);
  fabric->clique = 7;
  fabric->state = (unsigned char)of(device, "fabric", 0);
  fabric->mask = (unsigned int)of(device, "fabric_mask", 0);
  if (version == 0x03000028) fabric->summary = (unsigned char)of(device, "fabric_health", 1);
  return (int)of(device, "answer", 0);
}

#ifdef OLD_NAMES
int nvmlDeviceGetCurrentClocksThrottleReasons(const void *device, unsigned long long *reasons) {
#else
int nvmlDeviceGetCurrentClocksEventReasons(const void *device, unsigned long long *reasons) {
#endif
  *reasons = of(device, "reasons", 1);
  return (int)of(device, "answer", 0);
}

struct utilization {
  unsigned int gpu, memory;
};

int nvmlDeviceGetUtilizationRates(const void *device, struct utilization *utilization) {
  utilization->gpu = (unsigned int)of(device, "busy", 0);
  utilization->memory = (unsigned int)of(device, "memory", 0);
  return (int)of(device, "use_answer", of(device, "answer", 0));
}

int nvmlDeviceGetPowerUsage(const void *device, unsigned int *milliwatts) {
  *milliwatts = (unsigned int)of(device, "milliwatts", 70000);
  return (int)of(device, "power_answer", of(device, "answer", 0));
}

struct process {
  unsigned int pid;
  unsigned long long memory;
  unsigned int gpu_instance, compute_instance;
};

int nvmlDeviceGetComputeRunningProcesses_v3(
    const void *device, unsigned int *count, struct process *processes) {
  unsigned int there = (unsigned int)of(device, "processes", 0), room = *count;
  *count = there;
  /* As the driver does: it says how many there are, and gives none. */
  if (there > room) return 7;
  for (unsigned int i = 0; i < there; i++) {
    processes[i].pid = (unsigned int)of(device, "pid", 1000) + i;
    processes[i].memory = of(device, "used", 1024) >> i;
    processes[i].gpu_instance = processes[i].compute_instance = 0xffffffffu;
  }
  return (int)of(device, "answer", 0);
}
