package dev.rekindle.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import java.util.List;

/**
 * What carries NCCL's data between nodes, by its INFO lines in the log of one run of a container.
 * They are printed only with {@code NCCL_DEBUG=INFO}.
 *
 * @param ranks processes that named a network
 * @param rdmaRanks those of them on RDMA: InfiniBand, RoCE, EFA
 * @param socketRanks those of them on TCP, with at least one channel or all
 * @param networks names of the networks as NCCL prints them, {@code IB}, {@code Socket}; at most 8
 * @param devices devices that were found for RDMA, {@code mlx5_0}; at most 32
 * @param fewestDevices how many the process with the fewest found; 0 where none is named
 * @param rdmaChannels connections over a network other than TCP
 * @param directChannels those of them that go from and to the memory of GPUs (GDRDMA)
 * @param socketChannels connections over TCP
 * @param version version of NCCL; empty where no line has it
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record Transport(
    @Min(0) @Max(Transport.MOST_RANKS) int ranks,
    @Min(0) @Max(Transport.MOST_RANKS) int rdmaRanks,
    @Min(0) @Max(Transport.MOST_RANKS) int socketRanks,
    @Size(max = Transport.MOST_NETWORKS) List<@Size(max = Bounds.UNIT) String> networks,
    @Size(max = Transport.MOST_DEVICES) List<@Size(max = Bounds.UNIT) String> devices,
    @Min(0) @Max(Transport.MOST_DEVICES) int fewestDevices,
    @Min(0) @Max(Transport.MOST_CHANNELS) int rdmaChannels,
    @Min(0) @Max(Transport.MOST_CHANNELS) int directChannels,
    @Min(0) @Max(Transport.MOST_CHANNELS) int socketChannels,
    @Size(max = Bounds.UNIT) String version) {
  /** Processes of a container that are kept apart. */
  public static final int MOST_RANKS = 64;

  /** Devices of RDMA that are named. */
  public static final int MOST_DEVICES = 32;

  /** Networks that are named. */
  public static final int MOST_NETWORKS = 8;

  /** Connections are counted no further. */
  public static final int MOST_CHANNELS = 1_000_000;

  public Transport {
    ranks = Math.clamp(ranks, 0, MOST_RANKS);
    rdmaRanks = Math.clamp(rdmaRanks, 0, ranks);
    socketRanks = Math.clamp(socketRanks, 0, ranks - rdmaRanks);
    networks = words(networks, MOST_NETWORKS);
    devices = words(devices, MOST_DEVICES);
    fewestDevices = Math.clamp(fewestDevices, 0, MOST_DEVICES);
    rdmaChannels = Math.clamp(rdmaChannels, 0, MOST_CHANNELS);
    directChannels = Math.clamp(directChannels, 0, rdmaChannels);
    socketChannels = Math.clamp(socketChannels, 0, MOST_CHANNELS);
    version = Bounds.text(version, Bounds.UNIT);
  }

  private static List<String> words(List<String> words, int most) {
    return Bounds.list(words, most).stream().map(w -> Bounds.text(w, Bounds.UNIT)).toList();
  }
}
