package dev.rekindle.detect.node;

/** Objects as the API server shows them. */
abstract class DeviceReadersFixture {
  static final String ASCEND =
      """
      {"DeviceInfo":{"DeviceList":{
        "huawei.com/Ascend910":"Ascend910-0,Ascend910-1",
        "huawei.com/Ascend910-Unhealthy":"Ascend910-4",
        "huawei.com/Ascend910-Fault":"[\
      {\\"fault_type\\":\\"CardNetworkUnhealthy\\",\\"npu_name\\":\\"Ascend910-0\\",\\"fault_level\\":\\"X\\",\
      \\"fault_handling\\":\\"PreSeparateNPU\\",\\"fault_code\\":\\"81078603\\"},\
      {\\"fault_type\\":\\"CardUnhealthy\\",\\"npu_name\\":\\"Ascend910-4\\",\\"fault_level\\":\\"SeparateNPU\\",\
      \\"fault_code\\":\\"80E18402,80E18401\\"},\
      {\\"fault_type\\":\\"NodeUnhealthy\\",\\"npu_name\\":\\"Ascend910-9\\"}]"},
       "UpdateTime":1744182144},"CheckCode":"a5"}\
      """;
}
