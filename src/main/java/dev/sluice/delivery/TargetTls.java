package dev.sluice.delivery;

import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.StandardConstants;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.client5.http.ssl.DefaultHostnameVerifier;
import org.apache.hc.client5.http.ssl.HostnameVerificationPolicy;
import org.apache.hc.client5.http.ssl.HttpClientHostnameVerifier;
import org.apache.hc.core5.net.InetAddressUtils;

/**
 * TLS with the trust of the Java runtime. It neither names a host with an underscore to the server
 * nor accepts a certificate for it; Go does both, so naming and checking names are done here.
 */
final class TargetTls extends DefaultClientTlsStrategy {
  static final HttpClientHostnameVerifier NAMES = new DefaultHostnameVerifier();

  TargetTls(SSLContext context) {
    super(context, HostnameVerificationPolicy.CLIENT, NAMES);
  }

  @Override
  protected void initializeEngine(SSLEngine engine) {
    String host = engine.getPeerHost();
    if (host == null || InetAddressUtils.isIPv4(host) || host.indexOf(':') >= 0) {
      return;
    }
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setServerNames(List.of(new HostName(host)));
    engine.setSSLParameters(parameters);
  }

  /** A host name as it is; {@link javax.net.ssl.SNIHostName} refuses underscores. */
  private static final class HostName extends SNIServerName {
    HostName(String host) {
      super(StandardConstants.SNI_HOST_NAME, host.getBytes(StandardCharsets.US_ASCII));
    }
  }
}
