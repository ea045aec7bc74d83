package dev.rekindle.detect.xid;

import java.util.List;

/** Lines in every shape that drivers print, texts after the sources named in {@link XidParser}. */
final class XidLines {
  static final List<String> ALL =
      List.of(
          "NVRM: Xid (0000:03:00): 14, Channel 00000001",
          "NVRM: Xid (PCI:0000:3B:00): 79, pid=1234, name=python3, GPU has fallen off the bus.",
          "NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the"
              + " bus.",
          "NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.",
          "NVRM: Xid (PCI:0000:01:00 GPU-I:05): 13, pid=7, name=a b, Graphics Exception",
          "NVRM: Xid (PCI:0000:01:00 GPU-I:05 GPU-CI:00): 43, pid=7, name=x, Ch 00000008",
          "NVRM: Xid (PCI:0000:a1:00): 63, pid=1896, Row Remapper: New row (0x0000000000000000)",
          "NVRM: Xid (PCI:00000000:05:00.0): 94, Contained: CE User Channel (0x9). RST: No, D-RST:"
              + " No",
          "NVRM: Xid (PCI:0000:18:00): 45, pid=9, name=p, Ch 00000009 caused by previous Xid 94",
          "NVRM: Xid (PCI:0000:18:00): 154, GPU recovery action changed from 0x0 (None) to 0x2"
              + " (Node Reboot Required)",
          "NVRM: Xid (PCI:0000:18:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 08 (0x004505c6"
              + " 0x00000000)",
          "NVRM: Xid (PCI:0000:18:00): 31",
          "NVRM: GPU 0000:18:00.0: GPU has fallen off the bus.",
          "NVRM: The NVIDIA GPU 0000:b3:00.0\nNVRM: (PCI ID: 10de:26b5) installed in this system"
              + " has\nNVRM: fallen off the bus and is not responding to commands.");

  private XidLines() {}
}
