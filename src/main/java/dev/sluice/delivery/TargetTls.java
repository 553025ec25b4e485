package dev.sluice.delivery;

import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.client5.http.ssl.DefaultHostnameVerifier;
import org.apache.hc.client5.http.ssl.HostnameVerificationPolicy;
import org.apache.hc.core5.net.InetAddressUtils;

/**
 * TLS with the trust of the Java runtime. It neither names a host with an underscore to the server
 * nor accepts a certificate for it; Go does both, so naming and checking names are done here.
 */
final class TargetTls extends DefaultClientTlsStrategy {

  TargetTls(SSLContext context) {
    super(context, HostnameVerificationPolicy.CLIENT, new DefaultHostnameVerifier());
  }

  @Override
  protected void initializeEngine(SSLEngine engine) {
    String host = engine.getPeerHost();
    if (host == null || InetAddressUtils.isIPv4(host) || host.indexOf(':') >= 0) {
      return;
    }
    SSLParameters parameters = engine.getSSLParameters();
    byte[] name = host.getBytes(StandardCharsets.US_ASCII);
    // Made from bytes, a name may hold underscores; made from a string, it may not.
    parameters.setServerNames(List.of(new SNIHostName(name)));
    engine.setSSLParameters(parameters);
  }
}
