package dev.rekindle.detect.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ascend devices, by the ConfigMaps of MindCluster. */
class AscendReadersTest extends DeviceReadersFixture {
  @Test
  void shouldReadTheFaultsOfAscendDevices() {
    assertThat(AscendReader.devices(Map.of("DeviceInfoCfg", ASCEND)))
        .contains(
            List.of(
                new AscendFault("Ascend910-0", true, "PreSeparateNPU", "81078603"),
                new AscendFault("Ascend910-4", false, "SeparateNPU", "80E18402,80E18401"),
                new AscendFault("", false, "SeparateNode", "")));
  }

  @Test
  void shouldReadAHealthyListOfAscendDevices() {
    String none = "{\"DeviceInfo\":{\"DeviceList\":{\"huawei.com/Ascend910-Fault\":\"[]\"}}}";
    String empty = "{\"DeviceInfo\":{\"DeviceList\":{\"huawei.com/Ascend910-Fault\":\"\"}}}";

    assertThat(AscendReader.devices(Map.of("DeviceInfoCfg", none))).contains(List.of());
    assertThat(AscendReader.devices(Map.of("DeviceInfoCfg", empty))).contains(List.of());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "[]",
        "null",
        "{\"DeviceInfo\":{\"DeviceList\":[]}}",
        "{\"DeviceInfo\":{\"DeviceList\":{}}} trailing",
        "{\"DeviceInfo\":{\"DeviceList\":{\"x-Fault\":\"{\"}}}",
        "{\"DeviceInfo\":{\"DeviceList\":{\"x-Fault\":\"{}\"}}}",
        "{\"DeviceInfo\":{},\"DeviceInfo\":{\"DeviceList\":{}}}"
      })
  void shouldSayThatItCannotReadRatherThanThatAllIsWell(String text) {
    assertThat(AscendReader.devices(Map.of("DeviceInfoCfg", text))).isEmpty();
  }

  @Test
  void shouldReadTheFaultsOfAnAscendNode() {
    String info =
        """
        {"NodeInfo":{"FaultDevList":[
          {"DeviceType":"CPU","DeviceId":1,"FaultCode":["00000001","00000002"],"FaultLevel":"PreSeparateFault"},
          {"DeviceType":"Disk","DeviceId":0,"FaultCode":[],"FaultLevel":"NotHandleFault"}],
         "NodeStatus":"Healthy"}}\
        """;

    assertThat(AscendReader.node(Map.of("NodeInfo", info)))
        .contains(
            List.of(
                new AscendFault("CPU 1", false, "PreSeparateFault", "00000001,00000002"),
                new AscendFault("Disk 0", false, "NotHandleFault", "")));
    assertThat(AscendReader.node(Map.of("NodeInfo", "{\"NodeStatus\":\"UnHealthy\"}")))
        .contains(List.of(new AscendFault("", false, "SeparateNode", "")));
    assertThat(AscendReader.node(Map.of("NodeInfo", "{}"))).isEmpty();
  }
}
