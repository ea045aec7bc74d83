package dev.rekindle.detect.checkpoint.s3;

import dev.rekindle.detect.checkpoint.files.StoreException;
import java.io.IOException;
import java.util.HashMap;

/** The pages of one listing, one behind the other. */
final class Pages {
  private final Requests requests;
  private final HashMap<String, String> parameters = new HashMap<>();
  private boolean over;

  /**
   * A listing.
   *
   * @param prefix what the keys begin with
   * @param delimiter what ends the part of a key that is listed; empty for whole keys
   * @param most names in a page, at most
   */
  Pages(Requests requests, String prefix, String delimiter, int most) {
    this.requests = requests;
    parameters.put("list-type", "2");
    parameters.put("encoding-type", "url");
    parameters.put("max-keys", Integer.toString(most));
    parameters.put("prefix", prefix);
    if (!delimiter.isEmpty()) {
      parameters.put("delimiter", delimiter);
    }
  }

  boolean hasNext() {
    return !over;
  }

  Listing next() throws IOException {
    var page = requests.list(parameters);
    over = page.next().isEmpty();
    if (!over && page.next().equals(parameters.put("continuation-token", page.next()))) {
      throw new StoreException("", "the listing repeats the same page");
    }
    return page;
  }
}
