// What an author writes.
#pragma once

#include "contree/v1/observation.pb.h"

/// Answers a turn: with one of decision.calls(), or with one of decision.cards(). The view is all that
/// the seat knows.
contree::v1::Action decide(const contree::v1::SeatView& view, const contree::v1::Decision& decision);
