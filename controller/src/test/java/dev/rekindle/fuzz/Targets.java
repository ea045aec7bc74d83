package dev.rekindle.fuzz;

import dev.rekindle.controller.kubernetes.ReportFuzz;
import dev.rekindle.controller.kubernetes.convert.InspectorReport;
import dev.rekindle.controller.kubernetes.convert.JobFuzz;
import dev.rekindle.controller.kubernetes.convert.PlatformFuzz;
import dev.rekindle.detect.Csv;
import dev.rekindle.detect.ShortDuration;
import dev.rekindle.detect.checkpoint.CheckpointFuzz;
import dev.rekindle.detect.checkpoint.FolderFuzz;
import dev.rekindle.detect.checkpoint.orbax.OcdbtFuzz;
import dev.rekindle.detect.checkpoint.s3.StoreFuzz;
import dev.rekindle.detect.flightrecorder.DumpFuzz;
import dev.rekindle.detect.judge.JudgeFuzz;
import dev.rekindle.detect.kmsg.StateFuzz;
import dev.rekindle.detect.progress.LogFuzz;
import dev.rekindle.detect.python.MemoryFuzz;
import dev.rekindle.detect.rules.Rules;
import dev.rekindle.detect.stall.OrderFuzz;
import dev.rekindle.detect.stall.WitnessFuzz;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Every reader of something that a tenant, a training program, a driver or an agent writes. */
final class Targets {
  private static final String XID =
      "NVRM: Xid (PCI:0000:3b:00 GPU-I:08 GPU-CI:01): 79, pid='<unknown>', name=x, GPU has fallen";

  /** Loaded by its own target alone: Jazzer instruments every class that is loaded. */
  private static final class Inspector {
    private static final InspectorReport REPORT =
        new InspectorReport(new KubernetesSerialization());
  }

  private Targets() {}

  static List<Target> all() {
    return List.of(
        Target.of(
            "kernel",
            JudgeFuzz::kernel,
            "4,339,5140900,-;" + XID + "\n6,340,9,c,caller=T1;one\\x0atwo",
            XID
                + "\n"
                + "NVRM: Xid (PCI:0000:3b:00): 154, pid=1, GPU recovery action changed from 0x0"
                + " (None) to 0x2",
            "NVRM: Xid (PCI:0000:3b:00): 74, NVLink: fatal error detected on link 6(0x10000, 0x0,"
                + " 0x0, 0x1, 0x2)",
            "NVRM: Xid (PCI:0000:3b:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 08 (0x1 0x2)",
            "NVRM: Xid (PCI:0000:3b:00): 31, ENGINE GRAPHICS GPC0 GPCCLIENT_T1_0 faulted",
            "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 48 LTSSM Fault Up",
            "mlx5_core 0000:d2:00.0 eth0: poll_health:825: device's health compromised - reached"
                + " miss count",
            "watchdog: BUG: soft lockup - CPU#3 stuck for 22s!\n mlx5e_napi_poll+0x1",
            "python[77]: segfault at 0 ip 0 sp 0 error 4 in libnccl.so.2.2[7f+1]",
            "{3}[Hardware Error]: event severity: fatal\nEDAC MC0: 1 UE memory read error on x",
            "Memory failure: 0x1a2b: Sending SIGBUS to python:77 due to hardware memory corruption",
            "nvme nvme0: Disabling device after reset failure: -19",
            "EXT4-fs (nvme0n1p2): Remounting filesystem read-only",
            "BTRFS info (device sda1: state EA): forced readonly",
            "XFS (dm-0): Log I/O Error Detected.  Shutting down filesystem.",
            "pcieport 0000:3a:00.0: AER: Uncorrectable (Fatal) error message received from"
                + " 0000:3b:00.0\n"
                + "nvidia 0000:3b:00.0: PCIe Bus Error: severity=Uncorrectable (Fatal), type=x\n"
                + "nvidia 0000:3b:00.0: AER: can't recover (no error_detected callback)",
            "NVRM: GPU 0000:3b:00.0: RmInitAdapter failed! (0x62:0x0:2477)",
            "NVRM: GPU at PCI:0000:3b:00: GPU-01234567-89ab\n"
                + "GPU reset executed: GPU-01234567-89ab"),
        Target.of(
            "judge",
            JudgeFuzz::log,
            "[  100.000000] " + XID,
            "[Fri Nov 21 10:00:00 2026] " + XID,
            "[Nov21 10:00] " + XID + "\n[  +0.000012] x",
            "kern  :warn  : [  1.5] " + XID,
            "<4>[  1.5] " + XID,
            "2026-11-21T10:00:00.123456+00:00 host kernel: " + XID,
            "Nov 21 10:00:00 host kernel: " + XID,
            "1763719200.123456 host kernel: " + XID,
            "{\"_TRANSPORT\":\"kernel\",\"__REALTIME_TIMESTAMP\":\"1763719200123456\",\"MESSAGE\":[78,86]}",
            "4,339,5140900,-;" + XID + "\n SUBSYSTEM=x\n-- Boot 1 --"),
        Target.of(
            "pattern",
            LogFuzz::expression,
            "(?i)step\\s*[:=]?\\s*(\\d{1,18})\nstep 12",
            "^batch (?P<n>[0-9]+) (?:of|[^a-z,]*)\\b.{0,9}$\nbatch 7 of 9",
            "((?:x?){20}y|[[:alpha:]]+?\\x41{2,}|\\.)\nxxxxxxxxy"),
        Target.of(
            "log",
            LogFuzz::log,
            "2026-01-01T00:00:00.123456789Z stdout F step 12 loss 1.5\n",
            """
            2026-01-01T00:00:00Z stderr P REKINDLE restart\s
            2026-01-01T00:00:00+01:00 stderr F before_step=12: x
            """,
            "2026-01-01T00:00:00Z stdout F REKINDLE restart before_step=1200: loss spike\n",
            "2026-01-01T00:00:00Z stdout F resumed from /ckpt/step-00000050.pt at step 50\n",
            "2026-01-01T00:00:00Z stderr P \r 12%|█ | 120/1000 [00:32<03:55, 3.7it/s]\r 12%|█\n",
            "2026-01-01T00:00:00Z stderr F Epoch 3: 42%|█ | 420/1000 [00:32<00:44, v_num=0]\n",
            "2026-01-01T00:00:00Z stdout F Epoch 3/9 ━━━━━━╸━━ 420/1000 0:00:32 • 0:00:44\n",
            "2026-01-01T00:00:00Z stdout F \033[31mstep: 10  \033[32mloss:  8.1\033[39m\n",
            "2026-01-01T00:00:00Z stdout F Epoch(train)  [3][ 50/500]  lr: 1.0000e-02\n",
            "2026-01-01T00:00:00Z stdout F {'loss': 2.1, 'epoch': 0.12}\n",
            "2026-01-01T00:00:00Z stdout F [rank1]:[E626 05:06:30.3 ProcessGroupNCCL.cpp:629] [Rank"
                + " 1] Could not acquire GIL within 300 ms on exit\n",
            "2026-01-01T00:00:00Z stdout F a:1:2 [4] NCCL WARN x\n",
            "2026-01-01T00:00:00Z stdout F [Rank 0]: Ranks 1 failed to pass monitoredBarrier in 5"
                + " ms\n",
            "2026-01-01T00:00:00Z stdout F [rank3]: CUDA error: x CUDA_ERROR_X\n",
            "2026-01-01T00:00:00Z stdout F Detected mismatch between collectives on ranks. Rank 0"
                + " is running collective: X, but Rank 1 is running collective: Y\n",
            "2026-01-01T00:00:00Z stdout F NCCL version 2.21.5+cuda12.4\n",
            "2026-01-01T00:00:00Z stdout F a:1:2 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE"
                + " [1]mlx5_1:1/IB/SHARP [RO]; OOB eth0:10.0.0.1<0>\n",
            "2026-01-01T00:00:00Z stdout F a:1:2 [0] NCCL INFO Using network IB\n",
            "2026-01-01T00:00:00Z stdout F a:1:2 [0] NCCL INFO NET/OFI Selected provider is efa\n",
            "2026-01-01T00:00:00Z stdout F a:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send]"
                + " via NET/IB/0/GDRDMA\n"),
        Target.of(
            "loadlog",
            LogFuzz::checkpoints,
            "REKINDLE saving\nREKINDLE saved\nSaving model checkpoint to /ckpt/checkpoint-500",
            "saving checkpoint at iteration     100 to /ckpt in torch_dist format\n"
                + "successfully saved checkpoint from iteration     100 to /ckpt",
            "[Rank 0] Saving model checkpoint: /ckpt/global_step10/mp_rank_00_model_states.pt",
            "Saving the checkpoint (or staging if async is enabled).",
            "RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central"
                + " directory",
            "RuntimeError: Error(s) in loading state_dict for Net: size mismatch for a.weight",
            "_pickle.UnpicklingError: pickle data was truncated\nEOFError: Ran out of input",
            "safetensors_rust.SafetensorError: Error while deserializing header: HeaderTooLarge"),
        new Target("checkpoint", CheckpointFuzz::file, List.of(CheckpointFuzz.archive())),
        new Target("dcp", CheckpointFuzz::dcp, List.of(CheckpointFuzz.index())),
        Target.of(
            "safetensors",
            CheckpointFuzz::safetensors,
            "6\0\0\0\0\0\0\0{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}1234"),
        Target.of(
            "json",
            CheckpointFuzz::json,
            "{\"weight_map\": {\"a\": \"model-00001-of-00002.safetensors\"}, \"b\": [1, -2.5e3,"
                + " null]}",
            "{\"sharded_backend\": \"torch_dist\", \"x\": \"\\u00e9\\n\", \"loss\": NaN}"),
        new Target("ocdbt", OcdbtFuzz::index, OcdbtFuzz.indexes()),
        new Target("zstd", OcdbtFuzz::zstd, OcdbtFuzz.frames()),
        new Target("listing", StoreFuzz::page, StoreFuzz.pages()),
        new Target("store", StoreFuzz::scan, StoreFuzz.listings()),
        new Target("dump", DumpFuzz::dump, DumpFuzz.seeds()),
        Target.of("witnesslog", WitnessFuzz::log, WitnessSeeds.LOGS),
        Target.of("ras", WitnessFuzz::ras, WitnessSeeds.RAS),
        Target.of("stack", WitnessFuzz::stack, WitnessSeeds.STACKS),
        new Target(
            "order",
            OrderFuzz::order,
            List.of(
                OrderFuzz.seed(2, 60, 1), OrderFuzz.seed(5, 120, 2), OrderFuzz.seed(6, 240, 3))),
        Target.of("process", MemoryFuzz::memory, MemoryFuzz.records()),
        Target.of(
            "names",
            CheckpointFuzz::names,
            "step-00000050.pt\nepoch=3-step=50-v1.ckpt\nlast.ckpt",
            "lstm-epoch=07-train_loss=0.7051.ckpt\nmodel-00001-of-00003.bin\ncheckpoint-500",
            ".metadata\n__0_0.distcp\niter_0000010\nglobal_step10\n100\nx.safetensors"),
        Target.of(
            "annotations",
            JobFuzz::annotations,
            """
            rekindle.dev/recover=true
            rekindle.dev/checkpoint=/ckpt/run
            rekindle.dev/stall-timeout=1h30m
            rekindle.dev/step-pattern=step (\\d+)
            rekindle.dev/policy=gold.v2\
            """,
            "rekindle.dev/recover=approve\nrekindle.dev/resume=env\nrekindle.dev/restart=inPlace\n"
                + "rekindle.dev/checkpoint-format=auto\nrekindle.dev/checkpoint-shared=true"),
        Target.of("duration", Targets::duration, "1h30m", "250ms", "10000h", "90s"),
        Target.of("job", JobFuzz::job, JobFuzz.JOB),
        Target.of("pod", JobFuzz::pod, JobFuzz.POD),
        Target.of("node", JobFuzz::node, JobFuzz.NODE),
        Target.of("kueue", PlatformFuzz::kueue, PlatformSeeds.KUEUE),
        Target.of("spiderpool", PlatformFuzz::spiderpool, PlatformSeeds.SPIDERPOOL),
        Target.of("networks", PlatformFuzz::networks, PlatformSeeds.NETWORKS),
        Target.of("volume", PlatformFuzz::volume, PlatformSeeds.VOLUMES),
        Target.of(
            "tracker",
            PlatformFuzz::tracker,
            "{\"tracker\":\"REWRITTEN\",\"file\":\"latest\",\"before\":\"20\",\"now\":\"10\","
                + "\"kept\":\"x\",\"reason\":\"\"}\n"),
        Target.of("marker", FolderFuzz::marker, PlatformSeeds.MARKERS),
        Target.of("state", StateFuzz::read, PlatformSeeds.STATES),
        Target.of("memory", StateFuzz::memory, PlatformSeeds.MEMORIES),
        Target.of(
            "csv", Targets::csv, "a,b\n1,\"x\"\"y\"\n", "time,node\r\n2026-01-01,\"a\nb\"\r\n"),
        Target.of("reports", ReportFuzz::read, ReportFuzz.seeds()),
        Target.of(
            "inspector",
            input -> {
              var _ = Inspector.REPORT.newest(new String(input, StandardCharsets.UTF_8), "/ckpt");
            },
            """
            {"scan":1,"began":"x","dir":"/ckpt","checkpoints":[{"path":"/ckpt/step-50.pt","step":50,"bytes":1,\
            "modified":"2026-01-01T00:00:00Z","verdict":"Valid","format":"dcp","level":"L3","reason":""}],"error":""}
            """),
        Target.of(
            "rules",
            Targets::rules,
            "rules:\n"
                + "- {name: mine, xid: [13, 31-33], verdict: fence, fences: {count: 2, within:"
                + " 24h}}\n",
            "rules:\n- name: a\n  mlx5: link-down\n  verdict: watch\n  action: RESET_GPU\n",
            "sticky: {window: 10m}\nrules: []\n"));
  }

  static Target named(String name) {
    return all().stream()
        .filter(target -> target.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no target is called " + name));
  }

  /** Refusing is an answer. */
  private static void duration(byte[] input) {
    try {
      var _ = ShortDuration.parse(new String(input, StandardCharsets.UTF_8));
    } catch (IllegalArgumentException refused) {
      if (refused.getClass() != IllegalArgumentException.class) {
        throw refused;
      }
    }
  }

  /** Rows of a trace for the replay. */
  private static void csv(byte[] input) {
    var rows = new Csv(new String(input, StandardCharsets.UTF_8));
    while (rows.next().isPresent()) {
      // Each row is read once; the end comes by itself.
    }
  }

  private static void rules(byte[] input) {
    try {
      var _ = Rules.shipped().with("rules.yaml", new String(input, StandardCharsets.UTF_8));
    } catch (IllegalArgumentException refused) {
      if (refused.getClass() != IllegalArgumentException.class) {
        throw refused;
      }
    }
  }
}
