package dev.rekindle.detect.checkpoint.orbax;

/**
 * Where a node of the tree of keys is.
 *
 * @param file below the folder of the manifest
 * @param base what comes before the paths in it
 * @param offset in the file
 * @param length in bytes
 * @param height 0 where it has values, else that of its children and one more
 */
record NodeRef(String file, String base, long offset, long length, int height) {
  /** The newest of several has no arrays: there is no node. */
  boolean isMissing() {
    return offset == -1 && length == -1;
  }
}
