package dev.rekindle.detect.checkpoint.s3;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Which authorities vouch for a store. */
public final class Trust {
  /** In a Secret, beside the keys: authorities that vouch for the store, in PEM. */
  public static final String FILE = "ca.crt";

  /**
   * The public authorities, under another name than the JDK's in the image: there no other role is
   * to trust them.
   */
  private static final Path PUBLIC =
      Path.of(System.getProperty("java.home", ""), "lib", "security", "public-cacerts");

  private static final int LONGEST = 4 * 1024 * 1024;
  private static final char[] PASSWORD = "changeit".toCharArray();

  private Trust() {}

  /**
   * The public authorities, and those of a file where there is one.
   *
   * @param file authorities in PEM; need not be there
   * @throws IOException when they cannot be read
   */
  public static SSLContext in(Path file) throws IOException {
    try {
      var all = publicOnes();
      if (Files.isRegularFile(file)) {
        try (var in = Files.newInputStream(file)) {
          var bytes = new java.io.ByteArrayInputStream(in.readNBytes(LONGEST));
          var number = 0;
          for (var one : CertificateFactory.getInstance("X.509").generateCertificates(bytes)) {
            all.setCertificateEntry("own-" + number++, one);
          }
        }
      }
      var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      managers.init(all);
      var context = SSLContext.getInstance("TLS");
      context.init(null, managers.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException(file + " holds no certificates", e);
    }
  }

  private static KeyStore publicOnes() throws IOException, GeneralSecurityException {
    var usual = PUBLIC.resolveSibling("cacerts");
    for (var path : new Path[] {PUBLIC, usual}) {
      if (Files.exists(path)) {
        return KeyStore.getInstance(path.toFile(), PASSWORD);
      }
    }
    var none = KeyStore.getInstance(KeyStore.getDefaultType());
    none.load(null, PASSWORD);
    return none;
  }
}
