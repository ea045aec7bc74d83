package dev.rekindle.controller.network;

/**
 * A NIC that Multus has attached to a pod beside its first one, by the pod's annotation {@code
 * k8s.v1.cni.cncf.io/network-status}.
 *
 * @param network its network, {@code namespace/name}
 * @param nic its name in the pod, {@code net1}
 * @param addressed whether it has an address
 * @param device its device for RDMA, {@code mlx5_3}; empty where none is named, as of NICs that
 *     share one
 */
public record AttachedNic(String network, String nic, boolean addressed, String device) {}
