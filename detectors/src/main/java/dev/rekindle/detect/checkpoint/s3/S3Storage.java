package dev.rekindle.detect.checkpoint.s3;

import dev.rekindle.detect.checkpoint.files.Entry;
import dev.rekindle.detect.checkpoint.files.Source;
import dev.rekindle.detect.checkpoint.files.Storage;
import dev.rekindle.detect.checkpoint.files.StoreException;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A prefix of a bucket for one scan. What is below it is listed at once where it has few objects,
 * so that the whole is of about one moment and costs one request for a thousand; else each folder
 * when it is requested. A folder is what a slash says.
 */
final class S3Storage implements Storage {
  /** So many objects are listed at once. */
  static final int FLAT_PAGES = 20;

  private final Requests requests;
  private final S3Url url;
  private final @Nullable NavigableMap<String, Listing.Stored> all;

  private S3Storage(
      Requests requests, S3Url url, @Nullable NavigableMap<String, Listing.Stored> all) {
    this.requests = requests;
    this.url = url;
    this.all = all;
  }

  /**
   * Scans a prefix.
   *
   * @param flat whether to list all of it at once, where it is not too much
   * @throws IOException when it cannot be listed, or has nothing
   */
  static S3Storage of(Requests requests, S3Url url, boolean flat) throws IOException {
    return new S3Storage(requests, url, flat ? all(requests, url) : null);
  }

  /** Whether all of it was listed at once. */
  boolean isFlat() {
    return all != null;
  }

  private static @Nullable NavigableMap<String, Listing.Stored> all(Requests requests, S3Url url)
      throws IOException {
    var begin = url.key("x").substring(0, url.key("x").length() - 1);
    var found = new TreeMap<String, Listing.Stored>();
    var pages = new Pages(requests, begin, "", Listing.MOST);
    for (int page = 0; pages.hasNext(); page++) {
      if (page == FLAT_PAGES) {
        return null;
      }
      for (var object : pages.next().objects()) {
        if (object.key().startsWith(begin) && Keys.isPath(object.key().substring(begin.length()))) {
          found.put(object.key().substring(begin.length()), object);
        }
      }
    }
    return found;
  }

  @Override
  public boolean timesAreOfWrites() {
    return false;
  }

  @Override
  public String name() {
    var path = url.prefix();
    return path.isEmpty() ? url.bucket() : path.substring(path.lastIndexOf('/') + 1);
  }

  @Override
  public List<Entry> list(String folder, int most) throws IOException {
    var known = all;
    var entries = known == null ? listed(folder, most) : kept(known, folder, most);
    if (entries.isEmpty() && folder.isEmpty()) {
      // A bucket has no empty folders: nothing was saved yet, or the address is another.
      throw new StoreException(url.toString(), "there is nothing below " + url);
    }
    return entries;
  }

  /** From the listing of all; the next name after a folder's begins behind its slash. */
  private static List<Entry> kept(
      NavigableMap<String, Listing.Stored> all, String folder, int most) {
    var begin = folder.isEmpty() ? "" : folder + "/";
    var entries = new ArrayList<Entry>();
    var key = all.ceilingKey(begin);
    while (key != null && key.startsWith(begin) && entries.size() <= most) {
      var slash = key.indexOf('/', begin.length());
      if (slash < 0) {
        var object = all.get(key);
        if (object != null) {
          entries.add(file(key.substring(begin.length()), object));
        }
        key = all.higherKey(key);
      } else {
        entries.add(folder(key.substring(begin.length(), slash)));
        key = all.ceilingKey(key.substring(0, slash) + (char) ('/' + 1));
      }
    }
    return entries;
  }

  private List<Entry> listed(String folder, int most) throws IOException {
    var begin = url.key(folder.isEmpty() ? "x" : folder + "/x");
    begin = begin.substring(0, begin.length() - 1);
    var entries = new ArrayList<Entry>();
    var pages = new Pages(requests, begin, "/", Math.min(most + 1, Listing.MOST));
    while (pages.hasNext() && entries.size() <= most) {
      var page = pages.next();
      for (var object : page.objects()) {
        var name = below(begin, object.key());
        if (Keys.isName(name) && name.indexOf('/') < 0) {
          entries.add(file(name, object));
        }
      }
      for (var prefix : page.prefixes()) {
        var name =
            below(begin, prefix.endsWith("/") ? prefix.substring(0, prefix.length() - 1) : "");
        if (Keys.isName(name) && name.indexOf('/') < 0) {
          entries.add(folder(name));
        }
      }
    }
    return entries.size() > most + 1 ? entries.subList(0, most + 1) : entries;
  }

  private static String below(String begin, String key) {
    return key.startsWith(begin) ? key.substring(begin.length()) : "";
  }

  private static Entry file(String name, Listing.Stored object) {
    return new Entry(
        name, Entry.Kind.FILE, object.bytes(), object.modified(), object.tag().hashCode());
  }

  private static Entry folder(String name) {
    return new Entry(name, Entry.Kind.FOLDER, 0, Instant.EPOCH, 0);
  }

  @Override
  public List<String> names(String folder, int most) throws IOException {
    var names = list(folder, most).stream().map(Entry::name).toList();
    return names.size() > most ? names.subList(0, most) : names;
  }

  @Override
  public Source open(String file) throws IOException {
    var known = all;
    var object = known == null ? null : known.get(file);
    return new S3Source(requests, object == null ? requests.head(url.key(file)) : object);
  }
}
