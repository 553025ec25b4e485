package dev.sluice.delivery;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Certificates made on the spot by the keytool of the Java that runs the tests. */
final class SelfSigned {
  private static final String PASSWORD = "changeit";

  private SelfSigned() {}

  /** For a server of this name, and for clients that trust that server alone. */
  static SSLContext contextFor(String name) {
    try {
      return context(keysFor(name));
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException("no TLS", e);
    }
  }

  static X509Certificate certificateFor(String name) throws GeneralSecurityException {
    return (X509Certificate) keysFor(name).getCertificate("t");
  }

  private static KeyStore keysFor(String name) {
    try {
      Path dir = Files.createTempDirectory("self-signed");
      Path store = dir.resolve("keys.p12");
      try {
        keytool(store, name);
        return load(store);
      } finally {
        Files.deleteIfExists(store);
        Files.delete(dir);
      }
    } catch (IOException | InterruptedException | GeneralSecurityException e) {
      throw new IllegalStateException("no certificate", e);
    }
  }

  private static void keytool(Path store, String name) throws IOException, InterruptedException {
    Process made =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "t",
                "-keyalg",
                "EC",
                "-dname",
                "CN=test",
                "-ext",
                "san=dns:" + name,
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (made.waitFor() != 0) {
      throw new IOException("keytool failed for " + name);
    }
  }

  private static KeyStore load(Path store) throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    return keys;
  }

  private static SSLContext context(KeyStore keys) throws IOException, GeneralSecurityException {
    KeyManagerFactory identity =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    identity.init(keys, PASSWORD.toCharArray());
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("t", keys.getCertificate("t"));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(identity.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }
}
