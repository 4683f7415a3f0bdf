package starter;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/**
 * What the environment says.
 *
 * @param instance the same after each loss
 * @param returns whether a later process may come back for the seats
 */
record Settings(
    List<String> servers, String name, String instance, boolean returns, String token, int capacity) {

  static Settings fromEnvironment(String name) throws Stop {
    String instance = variable("CONTREE_INSTANCE", "");
    String token = variable("CONTREE_TOKEN", "");
    String tokenFile = variable("CONTREE_TOKEN_FILE", "");
    if (token.isEmpty() && !tokenFile.isEmpty()) {
      try {
        token = Files.readString(Path.of(tokenFile));
      } catch (IOException error) {
        throw new Stop("CONTREE_TOKEN_FILE cannot be read: " + tokenFile);
      }
    }
    String servers = variable("CONTREE_SERVER", "127.0.0.1:50051");
    return new Settings(
        Arrays.stream(servers.split(",")).map(String::trim).toList(),
        variable("CONTREE_BOT", name),
        instance.isEmpty() ? UUID.randomUUID().toString() : instance,
        !instance.isEmpty(),
        token.trim(),
        capacityOfEnvironment());
  }

  /**
   * A channel to HOST:PORT, or with TLS to tls://HOST:PORT; for that CONTREE_CA, CONTREE_CERT and
   * CONTREE_CERT_KEY name files, all optional.
   */
  static ManagedChannel open(String server) throws Stop {
    if (!server.startsWith("tls://")) {
      return Grpc.newChannelBuilder(server, InsecureChannelCredentials.create()).build();
    }
    String authority = variable("CONTREE_CA", "");
    String certificate = variable("CONTREE_CERT", "");
    TlsChannelCredentials.Builder tls = TlsChannelCredentials.newBuilder();
    try {
      if (!authority.isEmpty()) {
        tls.trustManager(new File(authority));
      }
      if (!certificate.isEmpty()) {
        tls.keyManager(new File(certificate), new File(variable("CONTREE_CERT_KEY", "")));
      }
    } catch (IOException error) {
      throw new Stop(
          "CONTREE_CA, CONTREE_CERT or CONTREE_CERT_KEY cannot be read: " + error.getMessage());
    }
    ChannelCredentials credentials = tls.build();
    return Grpc.newChannelBuilder(server.substring("tls://".length()), credentials).build();
  }

  private static int capacityOfEnvironment() throws Stop {
    try {
      return Integer.parseUnsignedInt(variable("CONTREE_CAPACITY", "0"));
    } catch (NumberFormatException error) {
      throw new Stop("CONTREE_CAPACITY is not a number of seats");
    }
  }

  static String variable(String name, String otherwise) {
    String text = System.getenv(name);
    return text == null || text.isEmpty() ? otherwise : text;
  }
}
