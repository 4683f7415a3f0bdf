package starter;

import contree.v1.PlayServiceGrpc;
import contree.v1.PlayServiceOuterClass.ClientMessage;
import contree.v1.PlayServiceOuterClass.Delivery;
import contree.v1.PlayServiceOuterClass.Hello;
import contree.v1.PlayServiceOuterClass.HeartbeatAck;
import contree.v1.PlayServiceOuterClass.Leave;
import contree.v1.PlayServiceOuterClass.PlayRequest;
import contree.v1.PlayServiceOuterClass.PlayResponse;
import contree.v1.PlayServiceOuterClass.Ready;
import contree.v1.PlayServiceOuterClass.Resign;
import contree.v1.PlayServiceOuterClass.SeatAssigned;
import contree.v1.PlayServiceOuterClass.ServerMessage;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Keeps a bot connected: hello, batches, heartbeats, and dialling again after a loss. */
final class Connection {
  private static final int PROTOCOL_VERSION = 1;
  private static final Duration PATIENCE = Duration.ofSeconds(30); // for a server never there
  private static final Duration RESUME_PATIENCE = Duration.ofMinutes(10); // for one that was
  private static final Duration FIRST_SILENCE = Duration.ofSeconds(10); // until the welcome
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
  private static final Duration FAREWELL = Duration.ofSeconds(1);

  // A field, for otherwise the level would be forgotten with the logger.
  private static final Logger GRPC = Logger.getLogger("io.grpc");
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final Set<Status.Code> HOPELESS =
      Set.of(
          Status.Code.INVALID_ARGUMENT,
          Status.Code.FAILED_PRECONDITION,
          Status.Code.ALREADY_EXISTS,
          Status.Code.UNAUTHENTICATED,
          Status.Code.PERMISSION_DENIED,
          Status.Code.UNIMPLEMENTED);

  /**
   * How a stream ended.
   *
   * @param crowded whether the server asks to be left alone for a while
   */
  private record Ending(String reason, boolean crowded) {}

  private final Settings settings;
  private final String version;
  private final Thinker thinker;
  private volatile Session session = new Session(); // of the stream that is up
  private volatile CompletableFuture<Ending> ended = new CompletableFuture<>();

  private Connection(Settings settings, String version, Decider decider) {
    this.settings = settings;
    this.version = version;
    this.thinker = new Thinker(settings.name(), decider);
  }

  /**
   * Plays until the process is told to stop, and ends it: exit code 0 after SIGTERM or SIGINT.
   * Returns 1 when there is no way to go on. Reads the environment that bots/README.md lists.
   */
  static int run(String name, String version, Decider decider) {
    GRPC.setLevel(Level.WARNING);
    try {
      Connection connection = new Connection(Settings.fromEnvironment(name), version, decider);
      // Only a signal comes here; other ends go through exit().
      Runtime.getRuntime().addShutdownHook(new Thread(connection::leave));
      connection.stayConnected();
    } catch (Stop stop) {
      System.err.println(Settings.variable("CONTREE_BOT", name) + ": " + stop.getMessage());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    return exit(1);
  }

  /** Ends the process without a farewell. */
  static int exit(int code) {
    System.out.flush();
    System.err.flush();
    Runtime.getRuntime().halt(code);
    return code;
  }

  private void stayConnected() throws Stop, InterruptedException {
    List<String> servers = settings.servers();
    long lastSeen = System.nanoTime();
    Duration limit = PATIENCE;
    Duration pause = SHORTEST_PAUSE;
    int at = 0;
    while (true) {
      long dialled = System.nanoTime();
      Ending end = playStream(servers.get(at));
      boolean welcomed = session.welcomed();
      if (!welcomed || session.leaving()) { // one that merely broke is dialled where it was
        at = (at + 1) % servers.size();
      }
      if (welcomed) {
        System.out.printf(
            "%s: connection lost (%s), dialling again%n", settings.name(), end.reason());
        lastSeen = System.nanoTime();
        limit = RESUME_PATIENCE;
        if (since(dialled).compareTo(LONGEST_PAUSE) > 0) {
          pause = SHORTEST_PAUSE;
        }
      } else if (since(lastSeen).compareTo(limit) > 0) {
        throw new Stop(
            "cannot reach %s for %d seconds (%s)"
                .formatted(String.join(",", servers), limit.toSeconds(), end.reason()));
      }
      if (end.crowded()) {
        pause = LONGEST_PAUSE;
      }
      // By chance, so that bots do not all come back at once.
      Thread.sleep(ThreadLocalRandom.current().nextLong(pause.toMillis() / 2, pause.toMillis()));
      Duration longer = pause.multipliedBy(2);
      pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
    }
  }

  /** One stream from hello to its end, which never means the end of a match. */
  private Ending playStream(String server) throws Stop, InterruptedException {
    ManagedChannel channel = Settings.open(server);
    Line line = new Line(server);
    session = line.session;
    ended = line.ended;
    try {
      Metadata headers = new Metadata();
      if (!settings.token().isEmpty()) {
        headers.put(AUTHORIZATION, "Bearer " + settings.token());
      }
      PlayServiceGrpc.PlayServiceStub stub =
          PlayServiceGrpc.newStub(channel)
              .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
      line.session.open(stub.play(line));
      line.session.say(List.of(hello()));
      return line.watched();
    } finally {
      line.session.ended();
      channel.shutdownNow();
    }
  }

  private ClientMessage hello() {
    Hello.Builder hello =
        Hello.newBuilder()
            .setProtocolVersion(PROTOCOL_VERSION)
            .setBot(settings.name())
            .setBotVersion(version)
            .setInstanceId(settings.instance())
            .setCapacity(settings.capacity())
            .setDelivery(Delivery.DELIVERY_STATE);
    return ClientMessage.newBuilder().setHello(hello).build();
  }

  /** Gives up the seats that nobody can come back for, and ends the process. */
  private void leave() {
    Session last = session;
    if (last.welcomed() && !settings.returns()) {
      List<ClientMessage> words = new ArrayList<>();
      words.add(ClientMessage.newBuilder().setLeave(Leave.getDefaultInstance()).build());
      for (int seatRef : last.seatRefs()) {
        Resign.Builder resign = Resign.newBuilder().setSeatRef(seatRef);
        words.add(ClientMessage.newBuilder().setResign(resign).build());
      }
      last.say(words);
      last.finish();
      try {
        ended.get(FAREWELL.toMillis(), TimeUnit.MILLISECONDS);
      } catch (ExecutionException | InterruptedException | TimeoutException over) {
        // It was told; that is all that can be done.
      }
    }
    exit(0);
  }

  /** What is heard on one stream. */
  private final class Line implements StreamObserver<PlayResponse> {
    final Session session = new Session();
    final CompletableFuture<Ending> ended = new CompletableFuture<>();
    private final String server;
    private volatile Duration silence = FIRST_SILENCE;
    private volatile long heard = System.nanoTime();

    Line(String server) {
      this.server = server;
    }

    /** Waits for the end of the stream, or until nothing was heard for too long. */
    Ending watched() throws Stop, InterruptedException {
      while (true) {
        Duration left = silence.minus(since(heard));
        if (left.isNegative()) {
          return new Ending("the server went silent", false);
        }
        long asleep = System.nanoTime();
        try {
          return ended.get(left.toMillis() + 1, TimeUnit.MILLISECONDS);
        } catch (TimeoutException maybeSilent) {
          // Where this process itself was held up, what has arrived meanwhile is still to be read.
          if (since(asleep).minus(left).compareTo(silence.dividedBy(3)) > 0) {
            heard = System.nanoTime();
          }
        } catch (ExecutionException failure) {
          if (failure.getCause() instanceof Stop stop) {
            throw stop;
          }
          throw new IllegalStateException(failure.getCause());
        }
      }
    }

    @Override
    public void onNext(PlayResponse frame) {
      heard = System.nanoTime();
      List<ClientMessage> answers = new ArrayList<>();
      List<ServerMessage> thoughts = new ArrayList<>();
      boolean goingAway = false;
      for (ServerMessage message : frame.getMessagesList()) {
        switch (message.getMessageCase()) {
          case HEARTBEAT -> {
            long nonce = message.getHeartbeat().getNonce();
            HeartbeatAck.Builder ack = HeartbeatAck.newBuilder().setNonce(nonce);
            answers.add(ClientMessage.newBuilder().setHeartbeatAck(ack).build());
          }
          case SEAT_ASSIGNED -> {
            SeatAssigned seat = message.getSeatAssigned();
            session.seat(seat);
            if (seat.getReadyOwed()) {
              Ready.Builder ready = Ready.newBuilder().setSeatRef(seat.getSeatRef());
              answers.add(ClientMessage.newBuilder().setReady(ready).build());
            }
          }
          case WELCOME -> {
            session.welcome();
            com.google.protobuf.Duration beat = message.getWelcome().getHeartbeat();
            Duration interval = Duration.ofSeconds(beat.getSeconds(), beat.getNanos());
            silence = interval.isZero() ? FIRST_SILENCE : interval.multipliedBy(3);
            System.out.println(settings.name() + ": connected to " + server);
            thoughts.add(message);
          }
          case TURN, ACT_RESULT, MATCH_ENDED -> thoughts.add(message);
          case FAULT -> {
            String detail = message.getFault().getDetail();
            System.err.println(settings.name() + ": charged with a fault: " + detail);
          }
          case REFUSED -> {
            String reason = message.getRefused().getReason();
            System.err.println(settings.name() + ": not understood by the server: " + reason);
          }
          case GO_AWAY -> goingAway = true;
          case SUPERSEDED -> {
            String instance = settings.instance();
            ended.completeExceptionally(
                new Stop("another process plays as instance " + instance + " now"));
          }
          default -> {} // also what a newer server may say
        }
      }
      session.say(answers);
      if (!thoughts.isEmpty()) {
        thinker.ask(session, thoughts);
      }
      if (goingAway) {
        session.leave();
      }
    }

    @Override
    public void onError(Throwable failure) {
      session.ended();
      Status status = Status.fromThrowable(failure);
      String reason = reasonOf(status);
      if (HOPELESS.contains(status.getCode())) {
        ended.completeExceptionally(new Stop(server + " refuses: " + reason));
      } else {
        boolean crowded = status.getCode() == Status.Code.RESOURCE_EXHAUSTED;
        ended.complete(new Ending(reason, crowded));
      }
    }

    @Override
    public void onCompleted() {
      session.ended();
      ended.complete(new Ending("the server closed the stream", false));
    }
  }

  /** What is the matter in the end. */
  private static String reasonOf(Status status) {
    Throwable cause = status.getCause();
    while (cause != null && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause != null ? cause.getMessage() : String.valueOf(status.getDescription());
  }

  private static Duration since(long moment) {
    return Duration.ofNanos(System.nanoTime() - moment);
  }
}
