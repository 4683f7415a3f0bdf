// The board explorer of an event's report. Its data, and their names, are described in boards.py.
// Whatever is shown goes in as text, never as markup.
"use strict";
(() => {
  const SEATS = ["North", "East", "South", "West"];
  const SUITS = "SHDC";
  const SYMBOLS = ["♠", "♥", "♦", "♣"].map((symbol) => symbol + "\uFE0E"); // as letters, not as pictures
  const RANKS = ["7", "8", "9", "J", "Q", "K", "10", "A"];
  const SAID = { P: "pass", X: "contre", XX: "surcontre", "-": "no contre" };
  const find = (id) => document.getElementById(id);
  const chosen = { pairing: find("choose-pairing"), order: find("choose-order"), board: find("choose-board"), deal: find("choose-deal") };

  function element(name, className, ...children) {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...children);
    return made;
  }

  function option(value, text) {
    const made = element("option", "", text);
    made.value = value;
    return made;
  }

  const signed = (value) => (value > 0 ? "+" : value < 0 ? "−" : "") + Math.abs(value);
  const suited = (suit, text) => element("span", `card ${SUITS[suit]}`, text + SYMBOLS[suit]);
  const card = (index) => suited(index >> 3, RANKS[index & 7]);

  function strain(level, name) {
    const suit = SUITS.indexOf(name);
    return name.length === 1 && suit >= 0 ? suited(suit, level) : element("span", "card", `${level} ${name}`);
  }

  // A call or a card in the notation of records, as people read it.
  function action(text) {
    if (text in SAID) return SAID[text];
    const bid = /^(\d+|capot|generale)(SA|TA|[SHDC])$/.exec(text);
    if (bid) return strain(bid[1] === "generale" ? "générale" : bid[1], bid[2]);
    const belote = text.endsWith("+");
    const rank = "789JQKTA".indexOf(text[0]);
    const shown = card(SUITS.indexOf(text[1]) * 8 + rank);
    if (belote) shown.append(" belote");
    return shown;
  }

  function readCards(text) {
    const cards = [];
    for (const letter of text) {
      if (letter === "+") cards[cards.length - 1].belote = true;
      else cards.push({ index: parseInt(letter, 32), belote: false });
    }
    return cards;
  }

  function readData(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).json();
  }

  function start(data) {
    const pairings = new Map();
    for (const board of data.boards) {
      const key = `${data.bots[board[1]]}~${data.bots[board[2]]}`;
      if (!pairings.has(key)) pairings.set(key, []);
      pairings.get(key).push(board);
    }
    if (!pairings.size) {
      find("explorer").replaceChildren(element("p", "", "No board has been played at both its tables yet."));
      return;
    }
    for (const key of pairings.keys()) chosen.pairing.append(option(key, key.replace("~", " – ")));

    const worst = (board) => Math.max(...[board[4], board[5]].map((table) => (data.tables[table][5] || [0, 0, -1])[2]));
    const current = () => pairings.get(chosen.pairing.value).find((board) => String(board[0]) === chosen.board.value);

    function listBoards(number) {
      const boards = [...pairings.get(chosen.pairing.value)];
      if (chosen.order.value === "cost") boards.sort((one, other) => worst(other) - worst(one) || one[0] - other[0]);
      if (chosen.order.value === "swing") boards.sort((one, other) => Math.abs(other[3]) - Math.abs(one[3]) || one[0] - other[0]);
      const listed = chosen.order.value === "parted" ? boards.filter((board) => board[3] !== 0) : boards;
      const shown = listed.length ? listed : boards;
      const first = data.bots[shown[0][1]];
      chosen.board.replaceChildren(...shown.map((board) => option(board[0], `${board[0]}: ${board[3] === 0 ? "tied" : `${signed(board[3])} ${first}`}`)));
      if (shown.some((board) => board[0] === number)) chosen.board.value = String(number);
      listDeals();
    }

    function listDeals() {
      const board = current();
      const counts = [board[4], board[5]].map((table) => (Array.isArray(data.tables[table][4]) ? data.tables[table][4].length : 0));
      const most = Math.max(...counts, 1);
      chosen.deal.replaceChildren(...Array.from({ length: most }, (_, deal) => option(deal, String(deal + 1))));
      find("deal-label").hidden = most === 1;
      if (board[6]) chosen.deal.value = String(board[6][0]);
      show();
    }

    function show() {
      const board = current();
      find("explorer").replaceChildren(...boardShown(data, board, Number(chosen.deal.value)));
      find("previous").disabled = chosen.board.selectedIndex <= 0;
      find("next").disabled = chosen.board.selectedIndex >= chosen.board.length - 1;
    }

    function remember() {
      const at = `#board=${chosen.pairing.value}/${chosen.board.value}`;
      try { history.replaceState(null, "", at); } catch { /* not everywhere for files; it is only a convenience */ }
    }

    function follow() {
      const asked = /^#board=([^/]+)\/(\d+)$/.exec(decodeURIComponent(location.hash));
      if (!asked || !pairings.has(asked[1])) return false;
      chosen.pairing.value = asked[1];
      listBoards(Number(asked[2]));
      return true;
    }

    function step(by) {
      chosen.board.selectedIndex += by;
      listDeals();
      remember();
    }

    chosen.pairing.addEventListener("change", () => { listBoards(current()?.[0] ?? Number(chosen.board.value)); remember(); });
    chosen.order.addEventListener("change", () => { listBoards(null); remember(); });
    chosen.board.addEventListener("change", () => { listDeals(); remember(); });
    chosen.deal.addEventListener("change", show);
    find("previous").addEventListener("click", () => step(-1));
    find("next").addEventListener("click", () => step(1));
    find("choice").addEventListener("submit", (event) => event.preventDefault());
    window.addEventListener("hashchange", follow);
    find("choice").hidden = false;
    if (!follow()) listBoards(null);
  }

  function boardShown(data, board, dealNumber) {
    const [number, first, second, points, tableA, tableB, parting] = board;
    const bots = [data.bots[first], data.bots[second]];
    const tables = [data.tables[tableA], data.tables[tableB]];
    const deals = tables.map((table) => (Array.isArray(table[4]) ? table[4][dealNumber] : undefined));
    const here = parting && parting[0] === dealNumber ? parting : null;
    const worth = points === 0 ? "tied" : `worth ${signed(Math.abs(points))} ${data.races ? "net races" : "points"} to ${bots[points > 0 ? 0 : 1]}`;
    const parts = [element("p", "where", element("b", "", `Board ${number}`), `, ${worth}.`), partingShown(data, parting, bots, deals, tables)];
    const cards = element("div", "cards");
    const pack = deals.find(Boolean);
    if (pack) {
      const same = deals.every((deal) => !deal || deal[0] === pack[0]);
      if (same) cards.append(element("h3", "", "Cards"), handsShown(data.packs[pack[0]]));
      else deals.forEach((deal, side) => { if (deal) cards.append(element("h3", "", `Cards at table ${"AB"[side]}`), handsShown(data.packs[deal[0]])); });
    }
    const both = element("div", "tables");
    tables.forEach((table, side) => both.append(tableShown(table, deals[side], side, bots, number, here, dealNumber)));
    parts.push(element("div", "board", cards, both));
    return parts;
  }

  function partingShown(data, parting, bots, deals, tables) {
    if (!parting) {
      const whole = deals.every(Boolean);
      const same = whole && deals[0][0] === deals[1][0];
      const text = !whole ? "Not both tables can be shown." : same ? "Both tables went the same way, call by call and card by card." : "The two tables do not hold the same cards.";
      return element("p", "", text);
    }
    const [deal, play, index, seat, atA, atB] = parting;
    const holder = (side) => bots[(seat % 2 === 0) === (side === 0) ? 0 : 1];
    const when = play ? `in trick ${Math.floor(index / 4) + 1}` : "in the auction";
    const dealTold = tables.some((table) => Array.isArray(table[4]) && table[4].length > 1) ? ` of deal ${deal + 1}` : "";
    const said = play ? "plays" : "says";
    return element(
      "p", "parting", element("span", "parted", "◆"), ` They parted ${when}${dealTold}: ${SEATS[seat]} ${said} `, action(atA), ` at table A (${holder(0)}) and `, action(atB), ` at table B (${holder(1)}).`,
    );
  }

  function handsShown(pack) {
    const dealer = Number(pack[0]);
    const shown = element("div", "hands");
    SEATS.forEach((name, seat) => {
      const hand = element("div", `hand hand-${name[0].toLowerCase()}`, element("b", "", name + (seat === dealer ? ", deals" : "")));
      for (let suit = 0; suit < 4; suit += 1) {
        const ranks = [7, 6, 5, 4, 3, 2, 1, 0].filter((rank) => Number(pack[1 + suit * 8 + rank]) === seat).map((rank) => RANKS[rank]);
        hand.append(element("div", "", element("span", `card ${SUITS[suit]}`, SYMBOLS[suit]), " ", ranks.join(" ") || "–"));
      }
      shown.append(hand);
    });
    return shown;
  }

  function tableShown(table, deal, side, bots, number, parting, dealNumber) {
    const [marksFirst, marksSecond, reason, faults, deals, worst] = table;
    const letter = "AB"[side];
    const pairs = side === 0 ? bots : [bots[1], bots[0]]; // who holds North-South, East-West
    const head = element("div", "", element("h3", "", `Table ${letter}`));
    head.append(element("p", "", element("b", "", "N–S"), ` ${pairs[0]}`, element("br"), element("b", "", "E–W"), ` ${pairs[1]}`));
    const result = element("div", "", element("p", "", "Marks: ", element("b", "", `${bots[0]} ${marksFirst}, ${bots[1]} ${marksSecond}`)));
    const auction = element("div");
    const play = element("div");
    const foot = element("div");
    const shown = element("div", `table table-${letter.toLowerCase()}`, head, result, auction, play, foot);
    for (const fault of faults) result.append(element("p", "warning", fault));
    if (!Array.isArray(deals)) result.append(element("p", "warning", deals));
    else if (!deal) result.append(element("p", "", "This deal was not played here."));
    else {
      result.append(resultShown(deal, pairs, deals.length > 1));
      auction.append(element("h4", "", "Auction"), callsShown(deal[1], side, parting));
      const costs = deal[9];
      const worstHere = costs && worst && worst[0] === dealNumber ? worst[1] : -1;
      if (costs) auction.append(...auctionCosts(costs));
      if (deal[2]) play.append(element("h4", "", "Tricks"), tricksShown(deal, parting, costs, worstHere));
      if (costs && deal[2]) play.append(...cardCosts(deal, costs[4], worstHere));
      const link = element("a", "", "Record");
      link.href = `records/b${String(number).padStart(4, "0")}-${encodeURIComponent(`${bots[0]}~${bots[1]}`)}-${letter}.bgn`;
      foot.append(element("p", "", link));
    }
    return shown;
  }

  function resultShown(deal, pairs, race) {
    const [, , , , contract, made, points, tricks, marks] = deal;
    if (!contract) return element("p", "", "Passed out");
    const [, level, name, taker, doubled] = /^(\d+|capot|generale)(SA|TA|[SHDC])([NESW])(x*)$/.exec(contract);
    const seat = SEATS.findIndex((one) => one[0] === taker);
    const result = element("p", "result", element("b", "", strain(level === "generale" ? "générale" : level, name)), ` by ${SEATS[seat]}`);
    if (doubled) result.append(doubled === "x" ? ", contre" : ", surcontre");
    result.append(made === null ? ", broken off" : made ? ", made" : ", down");
    if (points) result.append(element("br"), `N–S ${points[0]} points, ${tricks[0]} tricks`, element("br"), `E–W ${points[1]} points, ${tricks[1]} tricks`);
    if (race && marks) result.append(element("br"), `This deal: ${pairs[0]} ${marks[0]}, ${pairs[1]} ${marks[1]}`);
    return result;
  }

  function callsShown(text, side, parting) {
    const list = element("ol", "calls");
    const calls = text ? text.split(" ") : [];
    const at = parting && !parting[1] ? parting[2] : -1;
    const mark = (item) => { item.className = "parted"; item.prepend("◆ "); return item; };
    const said = (seat, call) => element("li", "", element("small", "", SEATS[seat][0]), " ", action(call));
    calls.forEach((call, index) => {
      const own = at === index ? parting[4 + side] : null;
      if (own === "-") list.append(mark(said(parting[3], "-")));
      const item = said(Number(call[0]), call.slice(1));
      if (parting && (parting[1] || index < at)) item.classList.add("same");
      list.append(own !== null && own !== "-" ? mark(item) : item);
    });
    if (at >= calls.length && at >= 0 && parting[4 + side] === "-") list.append(mark(said(parting[3], "-")));
    return list;
  }

  // What was given away, as `contree analyse` has it: the names are described in costs.py.
  const toPair = (marks) => (marks === 0 ? "0" : `+${Math.abs(marks)} for ${marks > 0 ? "N–S" : "E–W"}`);
  const minus = (marks) => `−${Math.round(marks)}`;

  function contractShown(text) {
    if (!text) return ["passed out"];
    const [, bid, taker, doubled] = /^(.+)([NESW])(x*)$/.exec(text);
    return [action(bid), ` by ${taker}`, ["", ", contre", ", surcontre"][doubled.length]];
  }

  function auctionCosts([par, marks, reached, calls]) {
    const told = element("p", "note", "Par: ", ...contractShown(par), `, ${toPair(marks)}.`);
    if (reached !== null) told.append(` With perfect play this auction comes to ${toPair(reached)}.`);
    const parts = [told];
    if (calls.length) {
      const list = element("ul", "costs");
      for (const [, seat, call, lost, better] of calls) {
        list.append(element("li", "", `${SEATS[seat][0]} `, action(call), " ", element("span", "cost", minus(lost)), ", better ", action(better)));
      }
      parts.push(folded(`Calls that gave something away: ${calls.length}`, list));
    }
    return parts;
  }

  function cardCosts(deal, costs, worst) {
    const cards = readCards(deal[2]);
    if (!costs.length) return [element("p", "note", "No card gave anything away.")];
    const line = ([place, seen, reach, open, better]) => {
      const parts = [`${SEATS[deal.owner(cards[place].index)]} plays `, card(cards[place].index)];
      if (seen !== null) parts.push(" ", element("span", seen ? "cost" : "cost unseen", seen ? `−${seen}` : "0"), reach ? ` ± ${reach}` : "", `, open ${open ? minus(open) : "0"}`);
      else parts.push(" ", element("span", "cost", minus(open)));
      return [`Trick ${Math.floor(place / 4) + 1}: `, ...parts, ", better ", action(better)];
    };
    const parts = [];
    const worstCost = costs.find((cost) => cost[0] === worst);
    if (worstCost) parts.push(element("p", "note worst-card", element("span", "cost", "▼"), " Worst card of this table. ", ...line(worstCost), "."));
    const list = element("ul", "costs");
    for (const cost of costs) list.append(element("li", "", ...line(cost)));
    parts.push(folded(`Cards that gave something away: ${costs.length}`, list));
    return parts;
  }

  function folded(name, ...children) {
    return element("details", "", element("summary", "", name), ...children);
  }

  // Below a card: what it cost as far as its seat could see; in brackets what it cost with open cards only.
  function costShown([, seen, , open], isWorst) {
    const known = Math.round(seen === null ? open : seen);
    if (!known && !open) return [];
    const shown = element("small", known ? "cost" : "cost unseen", element("span", "sr", ", cost "));
    shown.append(isWorst ? "▼" : "", known ? minus(known) : `(${minus(open)})`);
    if (isWorst) shown.classList.add("worst");
    return [element("br"), shown];
  }

  function tricksShown(deal, parting, costs, worst) {
    const costOf = new Map((costs ? costs[4] : []).map((cost) => [cost[0], cost]));
    const cards = readCards(deal[2]);
    const winners = [...deal[3]].map(Number);
    const pack = deal.owner;
    const at = parting && parting[1] ? parting[2] : -1;
    const body = element("tbody");
    for (let trick = 0; trick * 4 < cards.length; trick += 1) {
      const row = element("tr", "", element("th", "", String(trick + 1)));
      row.firstChild.scope = "row";
      const cells = SEATS.map(() => element("td"));
      cards.slice(trick * 4, trick * 4 + 4).forEach((played, place) => {
        const index = trick * 4 + place;
        const seat = pack(played.index);
        const cell = cells[seat];
        cell.append(card(played.index));
        if (played.belote) cell.append("ᵇ");
        if (place === 0) cell.classList.add("led");
        if (winners[trick] === seat) cell.classList.add("won");
        if (parting && parting[1] && index < at) cell.classList.add("same");
        if (costOf.has(index)) cell.append(...costShown(costOf.get(index), index === worst));
        if (index === at) { cell.classList.add("parted"); cell.prepend("◆"); }
      });
      row.append(...cells);
      body.append(row);
    }
    const heads = ["", ...SEATS].map((name) => element("th", name ? "" : "n", name ? name[0] : element("span", "sr", "Trick")));
    heads.forEach((head) => { head.scope = "col"; });
    const caption = element("caption", "", "Tricks");
    return element("table", "tricks", caption, element("thead", "", element("tr", "", ...heads)), body);
  }

  function prepared(data) {
    // Whose a card is, is known from the deal: the pack of each is put beside it once.
    for (const table of data.tables) {
      if (!Array.isArray(table[4])) continue;
      for (const deal of table[4]) deal.owner = (index) => Number(data.packs[deal[0]][1 + index]);
    }
    return data;
  }

  const text = find("boards-data").textContent;
  if (typeof DecompressionStream === "undefined") {
    find("explorer").replaceChildren(element("p", "warning", "This browser is too old for the boards; the records are in the folder."));
    return;
  }
  readData(text).then(prepared).then(start).catch((error) => {
    find("explorer").replaceChildren(element("p", "warning", "The boards of this page cannot be read."));
    throw error;
  });
})();
