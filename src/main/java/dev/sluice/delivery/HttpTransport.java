package dev.sluice.delivery;

import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.SchemePortResolver;
import org.apache.hc.client5.http.SystemDefaultDnsResolver;
import org.apache.hc.client5.http.async.AsyncExecRuntime;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.config.TlsConfig;
import org.apache.hc.client5.http.cookie.CookieSpecFactory;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClientBuilder;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManager;
import org.apache.hc.client5.http.impl.nio.PoolingAsyncClientConnectionManagerBuilder;
import org.apache.hc.client5.http.nio.AsyncClientConnectionOperator;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.concurrent.Cancellable;
import org.apache.hc.core5.concurrent.DefaultThreadFactory;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.config.CharCodingConfig;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.config.RegistryBuilder;
import org.apache.hc.core5.http.message.BasicHttpRequest;
import org.apache.hc.core5.http.nio.entity.BasicAsyncEntityProducer;
import org.apache.hc.core5.http.nio.ssl.TlsStrategy;
import org.apache.hc.core5.http.nio.support.BasicRequestProducer;
import org.apache.hc.core5.http2.HttpVersionPolicy;
import org.apache.hc.core5.http2.config.H2Config;
import org.apache.hc.core5.io.CloseMode;
import org.apache.hc.core5.net.URIAuthority;
import org.apache.hc.core5.reactor.IOReactorConfig;
import org.apache.hc.core5.util.TimeValue;
import org.apache.hc.core5.util.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends requests and takes in answers, over connections that are kept. HTTP/2 where TLS negotiates
 * it, else HTTP/1.1. Starts its threads when it is made.
 */
final class HttpTransport implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpTransport.class);
  private static final int IO_THREADS = 2;
  private static final int CONNECT_THREADS = 8;
  private static final int MAX_HEADER_LINE = 1 << 16;
  private static final int MAX_HEADERS = 500;
  private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(90);
  private static final String RUNTIME = "sluice.runtime";
  private static final ContentType JSON = ContentType.create("application/json");

  /** The network as a transport sees it. */
  record Network(Optional<SSLContext> tls, DnsResolver names) {
    static Network system() {
      return new Network(Optional.empty(), SystemDefaultDnsResolver.INSTANCE);
    }
  }

  private final ExecutorService connectThreads = connectThreads();
  private final CloseableHttpAsyncClient client;
  private volatile boolean closing;

  HttpTransport(HttpOptions options, Network network) {
    WireLog.silence();
    client = client(connections(options, network, connectThreads));
    client.start();
  }

  /**
   * Sends a request. Returns at once.
   *
   * @param answer completed with the answer, or with the exception that kept it away
   * @return what gives the exchange up, and its connection
   */
  Cancellable send(
      Request request, List<Request.Header> headers, CompletableFuture<Answer> answer) {
    TargetUrl target = request.target();
    BasicHttpRequest message =
        new BasicHttpRequest(
            "POST",
            target.scheme(),
            new URIAuthority(target.host(), target.port()),
            target.requestTarget());
    headers.forEach(header -> message.addHeader(header.name(), header.value()));
    HttpClientContext context = HttpClientContext.create();
    Future<Answer> exchange =
        client.execute(
            new HttpHost(target.scheme(), target.connectHost(), target.connectPort()),
            new BasicRequestProducer(
                message,
                new BasicAsyncEntityProducer(
                    request.body().getBytes(StandardCharsets.UTF_8), JSON)),
            new AnswerConsumer(answer),
            null,
            context,
            failing(answer));
    return () -> {
      boolean cancelled = exchange.cancel(true);
      // The future may have lost sight of the connection when that was made quickly.
      if (context.getAttribute(RUNTIME) instanceof AsyncExecRuntime runtime) {
        runtime.discardEndpoint();
      }
      return cancelled;
    };
  }

  /** Ends every exchange under way. */
  @Override
  public void close() {
    closing = true;
    client.close(CloseMode.IMMEDIATE);
    connectThreads.shutdownNow();
  }

  /** Passes on failures only: the consumer tells of an answer when its connection is free again. */
  private static FutureCallback<Answer> failing(CompletableFuture<Answer> answer) {
    return new FutureCallback<>() {
      @Override
      public void completed(Answer result) {}

      @Override
      public void failed(Exception cause) {
        answer.completeExceptionally(cause);
      }

      @Override
      public void cancelled() {
        answer.completeExceptionally(new CancellationException());
      }
    };
  }

  /** Closing at once takes the reactor by surprise; there is nothing in that to tell. */
  private void report(Exception failure) {
    if (!closing) {
      LOG.error("HTTP reactor failed", failure);
    }
  }

  private CloseableHttpAsyncClient client(PoolingAsyncClientConnectionManager connections) {
    return HttpAsyncClientBuilder.create()
        .setConnectionManager(connections)
        .setIOReactorConfig(
            IOReactorConfig.custom()
                .setIoThreadCount(IO_THREADS)
                .setSelectInterval(TimeValue.ofMilliseconds(250))
                .build())
        .setIoReactorExceptionCallback(this::report)
        .setThreadFactory(new DefaultThreadFactory("sluice-http", true))
        .setHttp1Config(
            Http1Config.custom()
                .setMaxLineLength(MAX_HEADER_LINE)
                .setMaxHeaderCount(MAX_HEADERS)
                .build())
        .setH2Config(H2Config.custom().setPushEnabled(false).build())
        // Go sends a token that is no ASCII as the UTF-8 that it is.
        .setCharCodingConfig(CharCodingConfig.custom().setCharset(StandardCharsets.UTF_8).build())
        .setUserAgent("sluice/" + version())
        .setDefaultRequestConfig(requestConfig())
        // An empty registry also spares reading the public suffix list, which only cookies need.
        .setDefaultCookieSpecRegistry(RegistryBuilder.<CookieSpecFactory>create().build())
        .addExecInterceptorFirst(
            RUNTIME,
            (request, body, scope, chain, callback) -> {
              scope.clientContext.setAttribute(RUNTIME, scope.execRuntime);
              chain.proceed(request, body, scope, callback);
            })
        .disableCookieManagement()
        .disableRedirectHandling()
        .disableAutomaticRetries()
        .disableAuthCaching()
        .disableContentCompression()
        .evictIdleConnections(TimeValue.of(IDLE_TIMEOUT))
        .build();
  }

  /** The one time limit is that of the whole exchange, which the mediator keeps. */
  private static RequestConfig requestConfig() {
    return RequestConfig.custom()
        .setConnectionRequestTimeout(Timeout.INFINITE)
        .setResponseTimeout(Timeout.INFINITE)
        .setAuthenticationEnabled(false)
        .setProtocolUpgradeEnabled(false)
        .setExpectContinueEnabled(false)
        .build();
  }

  /** As many connections as calls are under way: the pools of the router bound them. */
  private static PoolingAsyncClientConnectionManager connections(
      HttpOptions options, Network network, ExecutorService connectThreads) {
    Timeout connectTimeout = Timeout.of(options.connectTimeout());
    PoolingAsyncClientConnectionManagerBuilder builder =
        new PoolingAsyncClientConnectionManagerBuilder() {
          @Override
          protected AsyncClientConnectionOperator createConnectionOperator(
              TlsStrategy tls, SchemePortResolver ports, DnsResolver names) {
            return new Connector(super.createConnectionOperator(tls, ports, names), connectThreads);
          }
        };
    return builder
        .setTlsStrategy(new TargetTls(network.tls().orElseGet(HttpTransport::defaultTls)))
        .setDnsResolver(network.names())
        .setMaxConnTotal(Integer.MAX_VALUE)
        .setMaxConnPerRoute(Integer.MAX_VALUE)
        .setDefaultConnectionConfig(
            ConnectionConfig.custom()
                .setConnectTimeout(connectTimeout)
                .setSocketTimeout(Timeout.INFINITE)
                .build())
        .setDefaultTlsConfig(
            TlsConfig.custom()
                .setHandshakeTimeout(connectTimeout)
                .setVersionPolicy(HttpVersionPolicy.NEGOTIATE)
                .build())
        .build();
  }

  private static ExecutorService connectThreads() {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            CONNECT_THREADS,
            CONNECT_THREADS,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            new DefaultThreadFactory("sluice-connect", true));
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  private static SSLContext defaultTls() {
    try {
      return SSLContext.getDefault();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("the TLS defaults of this Java cannot be loaded", e);
    }
  }

  private static String version() {
    return Optional.ofNullable(HttpTransport.class.getPackage().getImplementationVersion())
        .orElse("dev");
  }
}
