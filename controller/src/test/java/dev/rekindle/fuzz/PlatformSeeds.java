package dev.rekindle.fuzz;

/** What platforms, formats and agents write, for seeds. */
final class PlatformSeeds {
  /** A Workload and a ClusterQueue, for seeds. */
  static final String[] KUEUE = {
    """
    {"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload","metadata":{"name":"w","namespace":"n",
    "annotations":{"rekindle.dev/suspended-by":"r"},"ownerReferences":[{"kind":"PyTorchJob","name":"j","uid":"u",
    "controller":true}]},"spec":{"active":true,"podSets":[{"name":"master","count":1,
    "topologyRequest":{"required":"x"}}]},
    "status":{"admission":{"clusterQueue":"cq","podSetAssignments":[{"name":"master"}]},
    "conditions":[{"type":"QuotaReserved","status":"False","message":"m","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}
    """,
    """
    {"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"ClusterQueue","metadata":{"name":"cq"},
    "spec":{"stopPolicy":"Hold"},"status":{"pendingWorkloads":1}}
    """,
  };

  /** Pools, networks, endpoints, namespaces and webhooks, for seeds. */
  static final String[] SPIDERPOOL = {
    """
    {"metadata":{"name":"p"},"spec":{"ipVersion":4,"ips":["10.250.1.10-10.250.1.13"],"excludeIPs":["10.250.1.11"],
    "nodeAffinity":{"matchLabels":{"leaf":"a"},"matchExpressions":[{"key":"k","operator":"In","values":["v"]}]},
    "multusName":["spiderpool/gpu1"]},"status":{"allocatedIPCount":1,"totalIPCount":4,
    "allocatedIPs":"{\\"10.250.1.10\\":{\\"pod\\":\\"train/j\\",\\"podUid\\":\\"3\\"}}"}}
    """,
    """
    {"metadata":{"name":"gpu1","namespace":"s","labels":{"cni.spidernet.io/rdma-resource-inject":"g"}},
    "spec":{"cniType":"macvlan","macvlan":{"master":["e"],"rdmaResourceName":"x/y","ippools":{"ipv4":["a"]}}}}
    """,
    """
    {"metadata":{"name":"j-0","namespace":"n"},"status":{"current":{"uid":"u","node":"a","ips":[{"interface":"net1",
    "ipv4":"10.0.0.1/24","ipv4Pool":"a"}]},"ownerControllerType":"PyTorchJob","ownerControllerName":"j"}}
    """,
    """
    {"metadata":{"name":"n","annotations":{"ipam.spidernet.io/default-ipv4-ippool":"[\\"a\\"]"}},
    "webhooks":[{"name":"podwebhook.x","namespaceSelector":{"matchExpressions":[]},"failurePolicy":"Fail"}]}
    """,
  };

  /** Annotations of networks, for seeds. */
  static final String[] NETWORKS = {
    "k8s.v1.cni.cncf.io/networks=spiderpool/gpu1@net1,gpu2\nv1.multus-cni.io/default-network=a/b",
    "k8s.v1.cni.cncf.io/networks=[{\"name\":\"a\",\"namespace\":\"b\",\"interface\":\"net1\"}]",
    "ipam.spidernet.io/ippool={\"ipv4\":[\"a\",\"b*\"]}\ncni.spidernet.io/rdma-resource-inject=g",
    "ipam.spidernet.io/ippools=[{\"interface\":\"net1\",\"ipv4\":[\"a\"],\"cleangateway\":true}]",
  };

  /** Volumes, for seeds. */
  static final String[] VOLUMES = {
    """
    {"metadata":{"name":"pv"},"spec":{"hostPath":{"path":"/x"},"nodeAffinity":{"required":{"nodeSelectorTerms":[
    {"matchExpressions":[{"key":"kubernetes.io/hostname","operator":"In","values":["a"]}],
    "matchFields":[{"key":"metadata.name","operator":"In","values":["a"]}]}]}}}}
    """,
    "{\"metadata\":{\"name\":\"pv\"},\"spec\":{\"csi\":{\"driver\":\"lvm.hwameistor.io\"},\"local\":{\"path\":\"/\"}}}",
  };

  /** What each file holds, the letter of the file before it. */
  static final String[] MARKERS = {
    "a{\"global_step\": 500, \"epoch\": 1.5, \"log_history\": [{\"loss\": 2.5, \"step\": 10}]}",
    "b{\"metadata\": {\"total_size\": 1}, \"weight_map\": {\"a\":"
        + " \"model-00001-of-00002.safetensors\"}}",
    "c10",
    "crelease\n",
    "d{\"sharded_backend\": \"torch_dist\", \"sharded_backend_version\": 1}",
    "fglobal_step10\n",
    "h{\"item_handlers\": null, \"metrics\": {}, \"commit_timestamp_nsecs\": 1,"
        + " \"init_timestamp_nsecs\": 1}",
    "icommit_success",
    "k{\"tree_metadata\": {\"('a',)\": {\"value_metadata\": {\"value_type\": \"jax.Array\"}}}}",
    "l{\"weights\": {\"a\": \"b\"}}",
  };

  /** What the files hold, for seeds. */
  static final String[] STATES = {
    "restart-journal-1\n{\"entries\":[{\"podUid\":\"u\",\"container\":\"c\"}]}",
    "judge-3\n{\"sequence\":7,\"history\":{}}",
    "kmsg-cursor-2\n{\"bootId\":\"boot\",\"sequence\":3}",
  };

  /** What the detectors of devices remember, for seeds. */
  static final String[] MEMORIES = {
    "nic-memory-2\n"
        + "{\"ports\":{\"mlx5_0/1\":{\"id\":\"mlx5_0/1\",\"device\":\"mlx5_0\",\"pci\":"
        + "\"0000:3b:00.0\",\"bootId\":\"boot\",\"missed\":0,\"link\":{\"everUp\":true,\"downSince\":"
        + "\"2026-01-01T00:00:00Z\",\"downs\":1,\"dropped\":false,\"upSince\":null,\"flaps\":"
        + "[\"2026-01-01T00:00:00Z\"],\"bestRate\":400,\"rate\":400},\"tally\":{\"counters\":"
        + "{\"symbol_error\":3},\"time\":\"2026-01-01T00:00:00Z\",\"hour\":\"2026-01-01T00:00:00Z\","
        + "\"hourSymbols\":1,\"exceeded\":[],\"news\":{},\"reset\":false},\"reported\":"
        + "{\"port_down\":\"2026-01-01T00:00:00Z\"}}}}",
    "nvml-memory-2\n{\"gpus\":[{\"pci\":\"0000:3b:00\",\"bootId\":\"boot\",\"action\":1,"
        + "\"eccUncorrected\":1,\"linkReplays\":2,\"linkRecoveriesFailed\":3,\"linksUp\":[0,1]}],"
        + "\"conditions\":[{\"pci\":\"0000:3b:00\",\"code\":\"XID-79\",\"since\":"
        + "\"2026-01-01T00:00:00Z\",\"reported\":\"2026-01-01T00:00:00Z\",\"bootId\":\"boot\"}]}",
  };

  private PlatformSeeds() {}
}
