package dev.sluice.testing;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.testcontainers.postgresql.PostgreSQLContainer;

/** A server in a container, where a Docker daemon answers; the container ends with this JVM. */
final class ContainerPostgres {
  private ContainerPostgres() {}

  // Ryuk, or the daemon's own cleaning, takes the container away; no test may close it.
  @SuppressWarnings("resource")
  static Optional<TestPostgres> start() {
    if (!daemonAnswers()) {
      return Optional.empty();
    }
    String version = System.getProperty("postgres.binaries.version", "18").split("\\.", 2)[0];
    PostgreSQLContainer container =
        new PostgreSQLContainer("postgres:" + version + "-alpine")
            .withCommand(
                "postgres",
                "-c",
                "fsync=off",
                "-c",
                "max_connections=200",
                "-c",
                "max_prepared_transactions=10");
    container.start();
    return Optional.of(
        new TestPostgres(
            container.getHost(),
            container.getFirstMappedPort(),
            container.getUsername(),
            container.getPassword()));
  }

  /** Asks before Testcontainers does, which looks long and loudly where there is no Docker. */
  private static boolean daemonAnswers() {
    String configured = System.getenv("DOCKER_HOST");
    URI host =
        URI.create(
            configured == null || configured.isBlank()
                ? "unix:///var/run/docker.sock"
                : configured);
    if ("unix".equals(host.getScheme())) {
      Path socket = Path.of(host.getPath());
      return Files.exists(socket)
          && answers(StandardProtocolFamily.UNIX, UnixDomainSocketAddress.of(socket));
    }
    return host.getHost() != null
        && answers(
            StandardProtocolFamily.INET, new InetSocketAddress(host.getHost(), host.getPort()));
  }

  private static boolean answers(StandardProtocolFamily family, SocketAddress address) {
    try (SocketChannel channel = SocketChannel.open(family)) {
      channel.connect(address);
      // Over TLS this is no request; that someone listens has to do there.
      if (family == StandardProtocolFamily.INET) {
        return true;
      }
      channel.write(
          ByteBuffer.wrap("GET /_ping HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
      return channel.read(ByteBuffer.allocate(64)) > 0;
    } catch (IOException | RuntimeException e) {
      return false;
    }
  }
}
