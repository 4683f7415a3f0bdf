package starter;

import contree.v1.Observation.Action;
import contree.v1.Observation.Decision;
import contree.v1.Observation.SeatView;

/** What an author writes. */
@FunctionalInterface
interface Decider {
  /** Answers a turn: with one of the decision's calls, or with one of its cards. */
  Action decide(SeatView view, Decision decision);
}
