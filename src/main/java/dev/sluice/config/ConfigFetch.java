package dev.sluice.config;

import dev.sluice.delivery.Failure;
import dev.sluice.delivery.TargetUrl;
import dev.sluice.delivery.WireLog;
import dev.sluice.time.Time;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.impl.DefaultRedirectStrategy;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.HttpRequest;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.apache.hc.core5.net.URIAuthority;
import org.apache.hc.core5.util.Timeout;

/**
 * Gets a config over HTTP, within 10 seconds in all as the Go router does, and of a bounded size.
 * Redirects are followed within the host, scheme and port that were named.
 */
final class ConfigFetch {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int TOO_MANY_REQUESTS = 429;

  private final Time time;

  ConfigFetch(Time time) {
    this.time = time;
  }

  /**
   * @param most how many bytes at most
   * @throws ConfigException if there is no answer, or another one than a document
   */
  byte[] get(ConfigSource.Url source, int most) {
    WireLog.silence();
    TargetUrl url = source.url();
    HttpHost host = new HttpHost(url.scheme(), url.host(), url.port());
    HttpUriRequestBase request = request(url);
    // Time-outs of a socket begin anew with each byte; this one does not.
    Time.Timer end = time.after(PATIENCE, request::cancel);
    try (CloseableHttpClient client = client()) {
      return client.execute(host, request, response -> body(source, response, most));
    } catch (IOException e) {
      throw ConfigException.unanswered(
          source.toString(), request.isCancelled() ? "timed out" : Failure.describe(e));
    } finally {
      end.cancel();
    }
  }

  private static HttpUriRequestBase request(TargetUrl url) {
    HttpUriRequestBase request = new HttpUriRequestBase("GET", URI.create("/"));
    request.setScheme(url.scheme());
    request.setAuthority(new URIAuthority(url.host(), url.port()));
    request.setPath(url.requestTarget());
    request.addHeader("Accept", "application/json");
    url.basicAuthorization().ifPresent(value -> request.addHeader("Authorization", value));
    return request;
  }

  private static byte[] body(ConfigSource.Url source, ClassicHttpResponse response, int most)
      throws IOException {
    int status = response.getCode();
    if (status >= 300) {
      String what = status < 400 ? "redirects elsewhere (" + status + ")" : "answered " + status;
      throw status >= 500 || status == TOO_MANY_REQUESTS
          ? ConfigException.unanswered(source.toString(), what)
          : ConfigException.wrong(source.toString(), what);
    }
    HttpEntity entity = response.getEntity();
    byte[] body = entity == null ? new byte[0] : entity.getContent().readNBytes(most + 1);
    if (body.length > most) {
      throw ConfigException.wrong(source.toString(), "is larger than " + (most >> 20) + " MiB");
    }
    return body;
  }

  private static CloseableHttpClient client() {
    Timeout patience = Timeout.of(PATIENCE);
    return HttpClients.custom()
        .setConnectionManager(
            PoolingHttpClientConnectionManagerBuilder.create()
                .setDefaultConnectionConfig(
                    ConnectionConfig.custom()
                        .setConnectTimeout(patience)
                        .setSocketTimeout(patience)
                        .build())
                .build())
        .setUserAgent("sluice")
        .setRedirectStrategy(new WithinOneServer())
        .disableAutomaticRetries()
        .disableCookieManagement()
        .build();
  }

  private static final class WithinOneServer extends DefaultRedirectStrategy {
    @Override
    public boolean isRedirectAllowed(
        HttpHost from, HttpHost to, HttpRequest request, HttpContext context) {
      return from.getSchemeName().equalsIgnoreCase(to.getSchemeName())
          && from.getHostName().equalsIgnoreCase(to.getHostName())
          && port(from) == port(to);
    }

    private static int port(HttpHost host) {
      return host.getPort() >= 0 ? host.getPort() : host.getSchemeName().equals("https") ? 443 : 80;
    }
  }
}
