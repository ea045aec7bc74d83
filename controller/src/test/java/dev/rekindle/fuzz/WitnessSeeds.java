package dev.rekindle.fuzz;

/** Logs, answers and stacks of ranks of a job that hangs. */
final class WitnessSeeds {
  private static final String HEADER =
      "[rank1]:[E626 05:06:30.393067540 ProcessGroupNCCL.cpp:629] [PG ID 0 PG GUID 0(default_pg)"
          + " Rank 1] ";

  static final String[] LOGS = {
    HEADER
        + "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9, OpType=ALLREDUCE,"
        + " NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600001 milliseconds before timing"
        + " out.\n"
        + HEADER
        + "Timeout at NCCL work: 9, last enqueued NCCL work: 9, last completed NCCL work: 8.\n"
        + "[rank2]:[E626 05:06:31.1 ProcessGroupNCCL.cpp:629] [Rank 2]  failure detected by"
        + " watchdog at work sequence id: 9 PG status: last enqueued work: 9, last completed work:"
        + " -1",
    HEADER
        + "Received a dump signal due to a collective timeout from  rank 2 and we will try our best"
        + " to dump the debug info. Last enqueued NCCL work: 7, last completed NCCL work: 6.\n"
        + HEADER
        + "ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress\n"
        + HEADER
        + "Could not acquire GIL within 300 ms on exit, possible GIL induced hang\n"
        + HEADER
        + " remote error detected from rank: 3",
    "[rank0]: RuntimeError: [Rank 0]: Ranks 1, 3 failed to pass monitoredBarrier in 5000 ms\n"
        + "[rank3]: RuntimeError: CUDA error: device-side assert triggered\n"
        + "Detected mismatch between collectives on ranks. Rank 0 is running collective:"
        + " CollectiveFingerPrint(SequenceNumber=4, OpType=ALLREDUCE, TensorShape=[20, 10]), but"
        + " Rank 1 is running collective: CollectiveFingerPrint(OpType=REDUCE).Collectives differ",
    "gpu-17:3314:4021 [4] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer"
        + " 10.216.210.236<54862> with status=12 opcode=0 len=0 vendor err 129 hca mlx5_10\n"
        + "gpu-18:1:2 [4] NCCL WARN NET/IB: Got completion from peer 10.216.210.236<1> with"
        + " status=IBV_WC_RETRY_EXC_ERR(12) opcode=X(0) vendor_err=129 hca mlx5_10\n"
        + "gpu-17:1:2 [4] NCCL WARN NET/IB : mlx5_0:1 async fatal event: x\n"
        + "gpu-17:1:2 [0] NCCL WARN socketProgress: Connection closed by remote peer a<46054>",
  };

  static final String[] RAS = {
    """
    OK
    {"nccl_version": "2.28.9", "timestamp": "2026-11-24", "communicators_count": 1,
     "communicators": [{"hash": "0x1", "secondary_hash": "0x2", "size": 4,
       "ranks": [{"rank": 0, "host": "10.0.0.1", "pid": 7, "status": {"async_error": 6},
                  "collective_counts": {"Broadcast": 0, "AllReduce": 12}},
                 {"rank": 1, "status": {"async_error": 0}, "collective_counts": {"AllReduce": 11}}],
       "missing_ranks": [{"rank": 2
                          "host": "10.0.0.3", "status": {"considered_dead": true}}]}],
     "ras": {"timeouts_count": 0}}
    """,
    """
    NCCL version 2.26.2 compiled with CUDA 12.4
    Job summary
    Communicators... (2.05s)
        0         1         4       7-8     31-32        32   RUNNING  INCOMPLETE
    INCOMPLETE
      Process 3487984 on node 172.16.64.213 managing GPU 5
    #0-0 (cf264af53edbe986) INCOMPLETE
      The missing ranks: 21, 3-4
    #0-0 (cf264af53edbe986) MISMATCH
      Communicator ranks have different AllReduce operation counts
      26 ranks have launched up to operation 64
      3 ranks have not launched any operations
      Rank 0 -- GPU 0 managed by process 483072 on node 172.16.64.210
      Rank 7 has launched up to operation 60 -- GPU 3 managed by process 16 on node n1
    """
  };

  static final String[] STACKS = {
    "Process 7: python\nPython v3.11\n\nThread 7 (idle): \"MainThread\"\n    wait (a.py:320)\n",
    "[{\"pid\": 7, \"thread_name\": \"MainThread\", \"frames\": [{\"name\": \"wait\","
        + " \"filename\": \"/a.py\", \"short_filename\": \"a.py\", \"line\": 320}]}]"
  };

  private WitnessSeeds() {}
}
