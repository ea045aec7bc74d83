/* The structs that are exchanged with NVML, written down from their documented fields. Prints what a
 * C compiler makes of them: "struct size" and "struct.field offset". */
#include <stddef.h>
#include <stdio.h>

typedef int nvmlReturn_t;
typedef struct nvmlDevice_st *nvmlDevice_t;

typedef struct {
  nvmlDevice_t device;
  unsigned long long eventType;
  unsigned long long eventData;
  unsigned int gpuInstanceId;
  unsigned int computeInstanceId;
} nvmlEventData_t;

typedef union {
  double dVal;
  int siVal;
  unsigned int uiVal;
  unsigned long ulVal;
  unsigned long long ullVal;
  signed long long sllVal;
} nvmlValue_t;

typedef struct {
  unsigned int fieldId;
  unsigned int scopeId;
  long long timestamp;
  long long latencyUsec;
  int valueType;
  nvmlReturn_t nvmlReturn;
  nvmlValue_t value;
} nvmlFieldValue_t;

typedef struct {
  char busIdLegacy[16];
  unsigned int domain;
  unsigned int bus;
  unsigned int device;
  unsigned int pciDeviceId;
  unsigned int pciSubSystemId;
  char busId[32];
} nvmlPciInfo_t;

typedef struct {
  unsigned int version;
  unsigned char clusterUuid[16];
  nvmlReturn_t status;
  unsigned int cliqueId;
  unsigned char state;
  unsigned int healthMask;
} nvmlGpuFabricInfo_v2_t;

typedef struct {
  unsigned int version;
  unsigned char clusterUuid[16];
  nvmlReturn_t status;
  unsigned int cliqueId;
  unsigned char state;
  unsigned int healthMask;
  unsigned char healthSummary;
} nvmlGpuFabricInfo_v3_t;

typedef struct {
  unsigned int version;
  unsigned long long counts[11];
  unsigned int bThresholdExceeded;
} nvmlEccSramErrorStatus_v1_t;

typedef struct {
  unsigned int gpu;
  unsigned int memory;
} nvmlUtilization_t;

typedef struct {
  unsigned int pid;
  unsigned long long usedGpuMemory;
  unsigned int gpuInstanceId;
  unsigned int computeInstanceId;
} nvmlProcessInfo_t;

#define SIZE(s) printf(#s " %zu\n", sizeof(s))
#define AT(s, f) printf(#s "." #f " %zu\n", offsetof(s, f))

int main(void) {
  SIZE(nvmlEventData_t);
  AT(nvmlEventData_t, device);
  AT(nvmlEventData_t, eventType);
  AT(nvmlEventData_t, eventData);
  AT(nvmlEventData_t, gpuInstanceId);
  AT(nvmlEventData_t, computeInstanceId);
  SIZE(nvmlFieldValue_t);
  AT(nvmlFieldValue_t, fieldId);
  AT(nvmlFieldValue_t, scopeId);
  AT(nvmlFieldValue_t, timestamp);
  AT(nvmlFieldValue_t, latencyUsec);
  AT(nvmlFieldValue_t, valueType);
  AT(nvmlFieldValue_t, nvmlReturn);
  AT(nvmlFieldValue_t, value);
  SIZE(nvmlPciInfo_t);
  AT(nvmlPciInfo_t, busIdLegacy);
  AT(nvmlPciInfo_t, domain);
  AT(nvmlPciInfo_t, bus);
  AT(nvmlPciInfo_t, device);
  AT(nvmlPciInfo_t, pciDeviceId);
  AT(nvmlPciInfo_t, pciSubSystemId);
  AT(nvmlPciInfo_t, busId);
  SIZE(nvmlGpuFabricInfo_v2_t);
  AT(nvmlGpuFabricInfo_v2_t, version);
  AT(nvmlGpuFabricInfo_v2_t, clusterUuid);
  AT(nvmlGpuFabricInfo_v2_t, status);
  AT(nvmlGpuFabricInfo_v2_t, cliqueId);
  AT(nvmlGpuFabricInfo_v2_t, state);
  AT(nvmlGpuFabricInfo_v2_t, healthMask);
  SIZE(nvmlGpuFabricInfo_v3_t);
  AT(nvmlGpuFabricInfo_v3_t, version);
  AT(nvmlGpuFabricInfo_v3_t, clusterUuid);
  AT(nvmlGpuFabricInfo_v3_t, status);
  AT(nvmlGpuFabricInfo_v3_t, cliqueId);
  AT(nvmlGpuFabricInfo_v3_t, state);
  AT(nvmlGpuFabricInfo_v3_t, healthMask);
  AT(nvmlGpuFabricInfo_v3_t, healthSummary);
  SIZE(nvmlEccSramErrorStatus_v1_t);
  AT(nvmlEccSramErrorStatus_v1_t, version);
  AT(nvmlEccSramErrorStatus_v1_t, counts);
  AT(nvmlEccSramErrorStatus_v1_t, bThresholdExceeded);
  SIZE(nvmlUtilization_t);
  AT(nvmlUtilization_t, gpu);
  AT(nvmlUtilization_t, memory);
  SIZE(nvmlProcessInfo_t);
  AT(nvmlProcessInfo_t, pid);
  AT(nvmlProcessInfo_t, usedGpuMemory);
  AT(nvmlProcessInfo_t, gpuInstanceId);
  AT(nvmlProcessInfo_t, computeInstanceId);
  return 0;
}
