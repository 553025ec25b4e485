package dev.sluice.delivery;

import static dev.sluice.testing.Patience.await;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.time.ManualTime;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.Message;
import org.apache.hc.core5.http.URIScheme;
import org.apache.hc.core5.http.impl.bootstrap.HttpAsyncServer;
import org.apache.hc.core5.http.message.BasicHttpResponse;
import org.apache.hc.core5.http.nio.AsyncRequestConsumer;
import org.apache.hc.core5.http.nio.AsyncServerRequestHandler;
import org.apache.hc.core5.http.nio.entity.AsyncEntityProducers;
import org.apache.hc.core5.http.nio.entity.StringAsyncEntityConsumer;
import org.apache.hc.core5.http.nio.support.BasicRequestConsumer;
import org.apache.hc.core5.http.nio.support.BasicResponseProducer;
import org.apache.hc.core5.http.nio.support.BasicServerExchangeHandler;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.http.protocol.HttpCoreContext;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.http2.impl.nio.bootstrap.H2ServerBootstrap;
import org.apache.hc.core5.http2.ssl.H2ServerTlsStrategy;
import org.apache.hc.core5.io.CloseMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class HttpMediatorTlsTest {
  private static final SSLContext TLS = SelfSigned.contextFor("*.sluice.test");

  private final ManualTime time = new ManualTime(Instant.parse("2026-01-01T00:00:00Z"));
  private final HttpMediator mediator =
      new HttpMediator(
          time,
          HttpOptions.DEFAULT,
          () -> new HttpTransport.Network(Optional.of(TLS), new Loopback()));
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private String answer = "";
  private HttpAsyncServer server;

  HttpMediatorTlsTest() throws Exception {
    server = serve(HttpVersionPolicy.NEGOTIATE);
  }

  @AfterEach
  void close() {
    mediator.close();
    server.close(CloseMode.IMMEDIATE);
  }

  @Test
  void http2IsSpokenWhereItIsNegotiated() throws Exception {
    answer = "{\"ack\":false,\"delaySeconds\":9}";
    String url = url("user:pass@api.sluice.test", "/a/../b?x=1");

    assertThat(deliver(url)).isEqualTo(new Outcome.Deferred(9));
    assertThat(deliver(url)).isEqualTo(new Outcome.Deferred(9));
    assertThat(requests)
        .containsExactly(
            "HTTP/2.0 POST api.sluice.test /a/../b?x=1 Basic dXNlcjpwYXNz"
                + " {\"messageId\":\"m-1\"} for api.sluice.test",
            "HTTP/2.0 POST api.sluice.test /a/../b?x=1 Basic dXNlcjpwYXNz"
                + " {\"messageId\":\"m-1\"} for api.sluice.test");
  }

  /** Letters whose last byte is a line break, should anything cut them to one. */
  @Test
  void noLetterBecomesALineBreakInHttp2() throws Exception {
    String evil = "\u560d\u560aX-Injected:1";
    mediator
        .deliver(Deliveries.to(url("api.sluice.test", "/?" + evil), evil, null))
        .toCompletableFuture()
        .get(120, SECONDS);

    // The server takes the bytes for Latin-1.
    assertThat(requests)
        .extracting(r -> new String(r.getBytes(ISO_8859_1), UTF_8))
        .containsExactly(
            "HTTP/2.0 POST api.sluice.test /?"
                + evil
                + " Bearer "
                + evil
                + " {\"messageId\":\"m-1\"} for api.sluice.test");
  }

  @Test
  void http1IsSpokenToServersThatKnowNoOther() throws Exception {
    server.close(CloseMode.IMMEDIATE);
    server = serve(HttpVersionPolicy.FORCE_HTTP_1);

    assertThat(deliver(url("api.sluice.test", "/"))).isEqualTo(new Outcome.Delivered());
    assertThat(requests).singleElement().asString().startsWith("HTTP/1.1 POST api.sluice.test / ");
  }

  /** The TLS server of Java refuses such a name, so this one only listens to the greeting. */
  @Test
  void aHostWithAnUnderscoreIsNamedToTheServer() throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<Outcome> call =
          mediator
              .deliver(Deliveries.to("https://my_api.test:" + listener.getLocalPort() + "/"))
              .toCompletableFuture();
      try (Socket socket = listener.accept()) {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        in.skipNBytes(3);
        byte[] greeting = in.readNBytes(in.readUnsignedShort());

        assertThat(new String(greeting, ISO_8859_1)).contains("my_api.test");
        assertThat(call).isNotDone();
      }
    }
  }

  @Test
  void aHostWithAnUnderscoreIsVerified() throws Exception {
    X509Certificate certificate = SelfSigned.certificateFor("*.sluice.test");

    TargetTls.NAMES.verify("my_api.sluice.test", certificate);
    assertThatThrownBy(() -> TargetTls.NAMES.verify("my_api.elsewhere.test", certificate))
        .isInstanceOf(SSLException.class);
  }

  @Test
  void anEndlessBodyIsCutAtOneMebibyte() throws Exception {
    answer = "{\"ack\":false}" + " ".repeat(3 << 20);

    assertThat(deliver(url("api.sluice.test", "/"))).isEqualTo(new Outcome.Deferred(0));
    assertThat(deliver(url("api.sluice.test", "/"))).isEqualTo(new Outcome.Deferred(0));
  }

  @Test
  void aCertificateForAnotherNameIsRefused() throws Exception {
    assertThat(failure(mediator, url("api.elsewhere.test", "/x")))
        .startsWith("TLS failed (")
        .endsWith("): " + url("api.elsewhere.test", "/x"));
    assertThat(requests).isEmpty();
  }

  @Test
  void aCertificateThatTheRuntimeDoesNotTrustIsRefused() throws Exception {
    try (HttpMediator trusting =
        new HttpMediator(
            time,
            HttpOptions.DEFAULT,
            () -> new HttpTransport.Network(Optional.empty(), new Loopback()))) {
      assertThat(failure(trusting, url("api.sluice.test", "/x"))).startsWith("TLS failed (");
      assertThat(requests).isEmpty();
    }
  }

  private Outcome deliver(String url) throws Exception {
    return mediator.deliver(Deliveries.to(url)).toCompletableFuture().get(120, SECONDS);
  }

  private String failure(HttpMediator mediator, String url) throws Exception {
    CompletableFuture<Outcome> outcome = mediator.deliver(Deliveries.to(url)).toCompletableFuture();
    for (int wait = 1; wait <= 2; wait++) {
      Duration retry = Duration.ofSeconds(wait);
      await().until(() -> time.waiting().equals(List.of(retry)));
      time.advance(retry);
    }
    return ((Outcome.Unreachable) outcome.get(120, SECONDS)).reason();
  }

  private String url(String authority, String path) throws Exception {
    InetSocketAddress address =
        (InetSocketAddress) server.getEndpoints().iterator().next().getAddress();
    return "https://" + authority + ":" + address.getPort() + path;
  }

  private HttpAsyncServer serve(HttpVersionPolicy policy) throws Exception {
    HttpAsyncServer started =
        H2ServerBootstrap.bootstrap()
            .setVersionPolicy(policy)
            .setTlsStrategy(new H2ServerTlsStrategy(TLS))
            .setRequestRouter(
                (request, context) -> () -> new BasicServerExchangeHandler<>(new Echo()))
            .create();
    started.start();
    started
        .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), URIScheme.HTTPS)
        .get();
    return started;
  }

  /** Keeps what came, and answers what the test wants. */
  private final class Echo implements AsyncServerRequestHandler<Message<HttpRequest, String>> {
    @Override
    public AsyncRequestConsumer<Message<HttpRequest, String>> prepare(
        HttpRequest request, EntityDetails entity, HttpContext context) {
      return new BasicRequestConsumer<>(new StringAsyncEntityConsumer());
    }

    @Override
    public void handle(
        Message<HttpRequest, String> message, ResponseTrigger trigger, HttpContext context)
        throws HttpException, IOException {
      HttpRequest request = message.getHead();
      ExtendedSSLSession session =
          (ExtendedSSLSession) HttpCoreContext.cast(context).getSSLSession();
      requests.add(
          String.join(
              " ",
              request.getVersion().toString(),
              request.getMethod(),
              request.getAuthority().getHostName(),
              request.getPath(),
              request.containsHeader("Authorization")
                  ? request.getFirstHeader("Authorization").getValue()
                  : "-",
              message.getBody(),
              "for",
              serverName(session)));
      trigger.submitResponse(
          new BasicResponseProducer(
              new BasicHttpResponse(200), AsyncEntityProducers.create(answer)),
          context);
    }

    private String serverName(ExtendedSSLSession session) {
      return session.getRequestedServerNames().stream()
          .map(name -> new String(name.getEncoded(), UTF_8))
          .findFirst()
          .orElse("nobody");
    }
  }
}
