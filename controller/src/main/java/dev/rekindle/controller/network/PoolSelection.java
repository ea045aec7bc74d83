package dev.rekindle.controller.network;

import dev.rekindle.controller.network.Nic.PoolSource;
import java.util.List;

/**
 * The pools that a NIC takes its addresses from.
 *
 * @param source what names them
 */
record PoolSelection(PoolSource source, List<String> ipv4, List<String> ipv6) {
  static final PoolSelection NOTHING = new PoolSelection(PoolSource.NONE, List.of(), List.of());
}
