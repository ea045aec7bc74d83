package dev.rekindle.agent.config;

import dev.rekindle.detect.nvml.NvmlSettings;
import dev.rekindle.detect.rdma.NicSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How the devices of the node are read, from the environment: {@code REKINDLE_NVML} and {@code
 * REKINDLE_NICS} ({@code auto} or {@code off}, default auto), {@code REKINDLE_NVML_ROOTS} (where to
 * search for NVIDIA's library, parted by colons), {@code REKINDLE_NVML_POLL} and {@code
 * REKINDLE_NIC_POLL} (default 15s), {@code REKINDLE_NVML_HUNG} (how long a call may take, default
 * 2m), {@code REKINDLE_SYS} (sysfs of the node, default {@code /sys}), {@code REKINDLE_NIC_EXCLUDE}
 * ({@code mlx5_0,mlx5_5}), {@code REKINDLE_NIC_RAILS} ({@code mlx5_0=0,mlx5_3=1}).
 */
public record DeviceSettings(NvmlSettings nvml, NicSettings nics) {
  private static final int MOST = 64;

  /**
   * Reads the settings.
   *
   * @param proc the proc file system of the node; its first process shows the node's own files
   * @throws IllegalArgumentException naming the variable and what is wrong with it
   */
  public static DeviceSettings of(Map<String, String> environment, Path proc) {
    return new DeviceSettings(
        new NvmlSettings(
            isWanted(environment, "REKINDLE_NVML"),
            roots(environment, proc),
            between(environment, "REKINDLE_NVML_POLL", "15s", Duration.ofSeconds(1)),
            between(environment, "REKINDLE_NVML_HUNG", "2m", Duration.ofSeconds(10)),
            Duration.ofMinutes(5),
            Duration.ofSeconds(5)),
        new NicSettings(
            isWanted(environment, "REKINDLE_NICS"),
            AgentConfig.path(environment, "REKINDLE_SYS", "/sys"),
            proc.resolve("1/net/route"),
            between(environment, "REKINDLE_NIC_POLL", "15s", Duration.ofSeconds(1)),
            Set.copyOf(words(environment, "REKINDLE_NIC_EXCLUDE")),
            rails(environment)));
  }

  private static boolean isWanted(Map<String, String> environment, String name) {
    return switch (environment.getOrDefault(name, "auto")) {
      case "auto" -> true;
      case "off" -> false;
      default ->
          throw new IllegalArgumentException(
              name + "='" + environment.get(name) + "' is neither auto nor off");
    };
  }

  private static List<Path> roots(Map<String, String> environment, Path proc) {
    var text = environment.getOrDefault("REKINDLE_NVML_ROOTS", "");
    if (text.isEmpty()) {
      return List.of(Path.of("/host/driver"), proc.resolve("1/root"), Path.of("/"));
    }
    return Arrays.stream(text.split(":", MOST))
        .map(
            one -> AgentConfig.path(Map.of("REKINDLE_NVML_ROOTS", one), "REKINDLE_NVML_ROOTS", one))
        .toList();
  }

  private static Duration between(
      Map<String, String> environment, String name, String otherwise, Duration least) {
    var duration = AgentConfig.duration(environment, name, otherwise);
    if (duration.compareTo(least) < 0 || duration.compareTo(Duration.ofHours(1)) > 0) {
      throw new IllegalArgumentException(
          name + "=" + duration + " is not between " + least + " and an hour");
    }
    return duration;
  }

  private static List<String> words(Map<String, String> environment, String name) {
    var words =
        Arrays.stream(environment.getOrDefault(name, "").split(",", -1))
            .map(String::strip)
            .filter(word -> !word.isEmpty())
            .distinct()
            .toList();
    if (words.size() > MOST) {
      throw new IllegalArgumentException(name + " names more than " + MOST + " devices");
    }
    return words;
  }

  private static Map<String, Integer> rails(Map<String, String> environment) {
    Map<String, Integer> rails = new HashMap<>();
    for (var word : words(environment, "REKINDLE_NIC_RAILS")) {
      if (!word.matches("[^=]+=\\d{1,3}")) {
        throw new IllegalArgumentException("REKINDLE_NIC_RAILS: '" + word + "' is not as mlx5_0=3");
      }
      var end = word.indexOf('=');
      rails.put(word.substring(0, end), Integer.valueOf(word.substring(end + 1)));
    }
    return rails;
  }

  /** For people: {@code nvml on, nics off}. */
  public String shown() {
    return List.of(
            "nvml " + (nvml.enabled() ? "auto" : "off"),
            "nics " + (nics.enabled() ? "auto" : "off"))
        .stream()
        .collect(Collectors.joining(", "));
  }
}
