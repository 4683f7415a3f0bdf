package starter;

import contree.v1.PlayServiceOuterClass.PlayRequest;
import contree.v1.PlayServiceOuterClass.PlayResponse;
import contree.v1.PlayServiceOuterClass.ServerMessage;
import contree.v1.PlayServiceOuterClass.Turn;
import java.io.IOException;

/** The sample bot of contree in Java: see README.md. */
public final class Main {
  private static final String NAME = "starter-java";
  private static final String VERSION = "1";

  private Main() {}

  public static void main(String[] arguments) throws IOException {
    if (arguments.length > 0 && arguments[0].equals("--decide")) {
      decideFromStdin();
    } else {
      System.exit(Connection.run(NAME, VERSION, Bot::decide));
    }
  }

  /** Reads a PlayResponse and writes the PlayRequest that answers its turns. */
  private static void decideFromStdin() throws IOException {
    PlayRequest.Builder answer = PlayRequest.newBuilder();
    for (ServerMessage message : PlayResponse.parseFrom(System.in).getMessagesList()) {
      if (message.hasTurn()) {
        Turn turn = message.getTurn();
        answer.addMessages(
            Thinker.act(
                turn.getSeatRef(),
                turn.getDecision().getId(),
                Bot.decide(turn.getView(), turn.getDecision())));
      }
    }
    answer.build().writeTo(System.out);
    System.out.flush();
  }
}
