// A bot that does anything that is allowed. To make your own, replace `choose`.

import { run } from './connection.js';

/**
 * What to do. May be async.
 *
 * @param view what this seat knows: contree.v1.SeatView (hand, calls, contract, tricks ...)
 * @param decision what is owed: contree.v1.Decision; every member of `options` is allowed
 * @param options the allowed actions: contree.v1.Action, `{call}` or `{play: {card, announce}}`
 * @returns one of the options
 */
function choose(view, decision, options) {
  return options[Math.floor(Math.random() * options.length)];
}

run({ name: 'node-random', version: '1.0.0', choose });
