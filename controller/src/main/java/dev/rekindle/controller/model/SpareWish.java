package dev.rekindle.controller.model;

/**
 * The warm spares that the owner of a job requests.
 *
 * @param count how many; 0 for none
 * @param replica the replica type that each holds the room of
 * @param template what of its template a spare is made from, as a hash; another one makes the
 *     spares that are there useless
 */
public record SpareWish(int count, String replica, String template) {
  /** None. */
  public static final SpareWish NONE = new SpareWish(0, "", "");
}
