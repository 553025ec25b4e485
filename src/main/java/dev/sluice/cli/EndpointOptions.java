package dev.sluice.cli;

import dev.sluice.monitor.Credentials;
import dev.sluice.monitor.HttpAddress;
import dev.sluice.time.Time;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Where health and metrics are served, and to whom. */
final class EndpointOptions {
  private static final String USER = "FC_ROUTER_AUTH_USER";
  private static final String PASSWORD = "FC_ROUTER_AUTH_PASS";
  private static final String OLD_USER = "AUTH_BASIC_USERNAME";
  private static final String OLD_PASSWORD = "AUTH_BASIC_PASSWORD";

  @Option(
      names = "--http",
      paramLabel = "HOST:PORT|off",
      description =
          "Where health and metrics are served. Default: 127.0.0.1:8080 for run, off for drain.")
  private Optional<String> http = Optional.empty();

  /** Who may ask for more than health and metrics. Its text form tells nothing. */
  record Login(String user, String password) {
    @Override
    public String toString() {
      return "Login[***]";
    }
  }

  /**
   * Begins to serve, if it is to.
   *
   * @param otherwise where, when nothing is said; empty for nowhere
   * @throws IllegalArgumentException if what is said is no address
   * @throws dev.sluice.monitor.MonitorException if the address is taken
   */
  RouterEndpoint open(Optional<HttpAddress> otherwise, Console console, Time time) {
    return RouterEndpoint.open(address(otherwise), credentials(console), time);
  }

  /** Where to listen; empty for nowhere. */
  Optional<HttpAddress> address(Optional<HttpAddress> otherwise) {
    return http.isPresent() ? HttpAddress.parse(http.get()) : otherwise;
  }

  /**
   * What the endpoint asks for, from the environment; a command line would show it to everybody.
   *
   * @throws CommandException if a user is set without a password, or the other way round
   * @throws IllegalArgumentException if the user is none that a client can send
   */
  static Optional<Credentials> credentials(Console console) {
    return login(console).map(login -> new Credentials(login.user(), login.password()));
  }

  /** As {@link #credentials}, to be looked at. */
  static Optional<Login> login(Console console) {
    Optional<String> user = console.environment(USER).or(() -> console.environment(OLD_USER));
    Optional<String> password =
        console.environment(PASSWORD).or(() -> console.environment(OLD_PASSWORD));
    if (user.isPresent() != password.isPresent()) {
      throw CommandException.usage(
          user.isPresent()
              ? USER + " is set, but not " + PASSWORD
              : PASSWORD + " is set, but not " + USER);
    }
    return user.map(name -> new Login(name, password.orElseThrow()));
  }
}
