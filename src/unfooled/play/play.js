// The page's one module: asks what is typed, shows attacks as they run, and keeps the sitting. All texts become text nodes.
const english = JSON.parse(document.getElementById("english").textContent);
const say = (name, values = {}) => english[name].replace(/\{(\w+)\}/g, (_, key) => String(values[key]));
const find = (id) => document.getElementById(id);
const LETTERS = ["A", "B"];
const TYPING = 120; // milliseconds of silence before a sentence is asked about
const SHADING = 350; // and before its words are
const AT_ONCE = 20;
let game = null;

function made(name, { text, className, children = [], ...attributes } = {}) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

function drawn(name, attributes, children = []) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const button = (text, press, className = "") => made("button", { text, className, type: "button", onclick: press });
const percent = (share) => `${(100 * share).toFixed(share > 0.9995 || share < 0.0005 ? 0 : 1)} %`;
const hear = (text) => { find("heard").textContent = text; };

function trouble(id, error) {
  const place = find(id);
  place.hidden = !error;
  place.textContent = error ? error.message : "";
}

// One question to the program; what happens on the way is told to `told`.
async function post(address, question, { signal, told = () => {} } = {}) {
  const headers = { "content-type": "application/json" };
  let response;
  try {
    response = await fetch(address, { method: "POST", headers, body: JSON.stringify(question), signal });
  } catch (error) {
    throw error.name === "AbortError" ? error : new Error(say("lost"));
  }
  if (!response.ok) throw new Error((await response.json()).error);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read().catch((error) => {
      throw error.name === "AbortError" ? error : new Error(say("lost"));
    });
    if (done) throw new Error(say("lost"));
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    for (const event of events.filter((one) => one.startsWith("event: "))) {
      const [first, second] = event.split("\n");
      const name = first.slice(7);
      const data = JSON.parse(second.slice(6));
      if (name === "done") return data;
      if (name === "error") throw new Error(data.error);
      if (name === "stopped") throw new DOMException("stopped", "AbortError");
      told(name, data);
    }
  }
}

// ——— what a model says
const classes = (player) => player.kind === "classes";
const same = (one, other) => String(one.said) === String(other.said);

function label(player, answer) {
  if (player.kind === "number") return answer.value.toPrecision(4);
  return answer.said.map((number) => player.labels[number]).join(", ") || say("answers.nothing");
}

function sure(player, answer) {
  return classes(player) ? percent(answer.shares[answer.said[0]]) : "";
}

const whole = (player, answer) => [label(player, answer), sure(player, answer)].filter(Boolean).join(" ");

function letter(place) {
  return made("span", { text: LETTERS[place], className: `letter of-${place}`, "aria-hidden": "true" });
}

function sentence(pieces, className = "text") {
  const line = made("p", { className, dir: "auto" });
  for (const piece of pieces) {
    if (!Array.isArray(piece)) line.append(piece);
    else {
      const [, lead, core, tail] = piece[1].match(/^(\s*)([^]*?)(\s*)$/);
      if (piece[0].trim()) line.append(made("del", { text: piece[0] }), " ");
      line.append(lead);
      if (piece[0].trim() || core) line.append(made("mark", { text: core || "∅" }));
      line.append(tail);
    }
  }
  return line;
}

// ——— type
const fields = [find("text-0"), find("text-1")];
const paired = () => !find("field-1").hidden;
const texts = () => (paired() ? fields : fields.slice(0, 1)).map((field) => field.value);
const typed = () => texts().some((text) => text.trim());

function pair(wanted) {
  find("field-1").hidden = !wanted;
  find("columns").hidden = !wanted;
  find("name-0").textContent = say(wanted ? "type.first" : "type.text");
  find("second").textContent = say(wanted ? "type.remove" : "type.add");
}

function take(values) {
  pair(values.length > 1);
  values.forEach((value, place) => { fields[place].value = value; });
  asked();
}

function cards() {
  find("answers").replaceChildren(...game.players.map((player, place) => {
    const kind = player.confidence ? made("small", { text: player.confidence }) : null;
    const name = made("span", { text: player.name });
    const bars = player.labels.map((text) => made("li", {
      children: [
        made("span", { text }),
        made("span", { className: "track", children: [made("span", { className: "fill" })], "aria-hidden": "true" }),
        made("b", { text: "" }),
      ],
    }));
    return made("article", {
      className: `card of-${place}`,
      "aria-label": player.name,
      children: [
        made("h3", { children: [letter(place), name, kind] }),
        made("p", { className: "answer", text: "–" }),
        player.kind === "number" ? null : made("ul", { className: "bars", children: bars }),
        made("div", { className: "words" }),
      ],
    });
  }));
}

function showAnswers(answers) {
  game.players.forEach((player, place) => {
    const card = find("answers").children[place];
    card.classList.remove("old");
    const text = answers ? label(player, answers[place]) : "–";
    card.querySelector(".answer").textContent = text;
    card.querySelectorAll(".bars li").forEach((bar, number) => {
      const share = answers ? answers[place].shares[number] : 0;
      bar.classList.toggle("said", Boolean(answers) && answers[place].said.includes(number));
      bar.querySelector(".fill").style.setProperty("--share", `${100 * share}%`);
      bar.querySelector("b").textContent = answers ? percent(share) : "";
    });
    if (!answers) card.querySelector(".words").replaceChildren();
  });
}

function compared(answers) {
  if (game.players.length < 2 || !game.players.every(classes)) return "";
  const names = game.players.map((player, place) => label(player, answers[place]));
  if (!names.every((name) => game.shared.includes(name))) return "";
  if (names[0] === names[1]) return say("answers.agree", { label: names[0] });
  return say("answers.differ", { first: names[0], second: names[1] });
}

function showHeat(heat) {
  game.players.forEach((player, place) => {
    const room = find("answers").children[place].querySelector(".words");
    if (heat.note) {
      room.replaceChildren(made("p", { className: "hint", text: heat.note }));
      return;
    }
    const losses = heat.models[place];
    const most = Math.max(0.02, ...losses.map(Math.abs));
    const number = (value) => `${value >= 0 ? "−" : "+"}${player.kind === "number" ? Math.abs(value).toFixed(2) : percent(Math.abs(value))}`;
    let at = 0;
    const rows = [];
    const lines = heat.columns.map((pieces) => made("p", {
      className: "heat",
      dir: "auto",
      children: pieces.flatMap(([between, word]) => {
        if (!word) return [between];
        const value = losses[at++];
        rows.push(made("tr", { children: [made("th", { text: word, scope: "row" }), made("td", { text: number(value), className: "number" })] }));
        const span = made("span", { text: word, title: say("heat.title", { word, lost: number(value) }) });
        if (value < -0.02 * most && -value > 0.1 * most) span.className = "against";
        else if (value > 0) span.style.setProperty("--heat", (0.62 * value / most).toFixed(3));
        return [between, span];
      }),
    }));
    const head = made("tr", { children: [made("th", { text: say("heat.word"), scope: "col" }), made("th", { text: say("heat.lost"), scope: "col" })] });
    const table = made("table", {
      children: [made("caption", { text: say("heat.caption") }), made("thead", { children: [head] }), made("tbody", { children: rows })],
    });
    const open = room.querySelector("details")?.open ?? false;
    const numbers = made("details", {
      open,
      children: [
        made("summary", { text: say("heat.numbers") }),
        made("div", { className: "scroll", tabindex: "0", role: "region", "aria-label": `${player.name}: ${say("heat.caption")}`, children: [table] }),
      ],
    });
    const against = lines.some((line) => line.querySelector(".against")) ? ` ${say("heat.against")}` : "";
    room.replaceChildren(...lines, made("p", { className: "hint", text: say("heat") + against }), numbers);
  });
}

let asking = new AbortController();
let timers = [];
// The newest question wins: whatever was asked before is told to end.
function asked() {
  asking.abort();
  asking = new AbortController();
  timers.forEach(clearTimeout);
  ready();
  if (!typed()) {
    showAnswers(null);
    find("status").textContent = say("type.empty");
    return;
  }
  const { signal } = asking;
  for (const card of find("answers").children) card.classList.add("old");
  const quietly = (work) => work().catch((error) => {
    if (error.name !== "AbortError" && !signal.aborted) {
      showAnswers(null);
      find("status").textContent = error.message;
    }
  });
  const waiting = (name, data) => {
    if (name === "place" && data.ahead) find("status").textContent = say("place", data);
  };
  timers = [
    setTimeout(() => quietly(async () => {
      const said = await post("ask", { texts: texts() }, { signal, told: waiting });
      if (signal.aborted) return;
      showAnswers(said.answers);
      find("status").textContent = [...said.notes, compared(said.answers)].filter(Boolean).join(" ");
      timers.push(setTimeout(() => quietly(async () => {
        const heat = await post("heat", { texts: texts() }, { signal });
        if (!signal.aborted) showHeat(heat);
      }), SHADING));
    }), TYPING),
  ];
}

// ——— fool
let attacking = null;
const attacked = () => Number(find("player").value || 0);

function ready() {
  const player = game.players[attacked()];
  const reason = player?.unable[find("attack").value];
  const line = game.attacks.find((one) => one.name === find("attack").value)?.line;
  find("attack-line").textContent = [line, reason].filter(Boolean).join(" ");
  find("go").textContent = say("fool.go", { name: player?.name ?? "" });
  find("go").disabled = Boolean(attacking) || Boolean(reason) || !typed();
  find("stop").hidden = !attacking;
  for (const one of document.querySelectorAll("#changes button, #pin, #hand-stay, #hand-change")) one.disabled = !typed();
}

async function fool() {
  if (find("go").disabled) return;
  const began = texts();
  const place = attacked();
  const attack = find("attack").value;
  attacking = new AbortController();
  let queries = 0;
  trouble("fool-error", null);
  find("outcome").replaceChildren();
  find("live").hidden = false;
  find("counter").textContent = say("asking");
  find("trying").replaceChildren();
  pin(began);
  ready();
  try {
    const ended = await post(
      "fool",
      { texts: began, attack, player: place, column: began.length > 1 ? Number(find("column").value) : null },
      {
        signal: attacking.signal,
        told: (name, data) => {
          if (name === "place") find("counter").textContent = data.ahead ? say("place", data) : say("asking");
          if (name === "news") find("counter").textContent = data.news;
          if (name !== "progress") return;
          queries = data.queries;
          find("counter").textContent = say("fool.counter", { queries, seconds: data.seconds.toFixed(1) });
          find("trying").replaceChildren(...sentence(data.pieces).childNodes);
        },
      },
    );
    find("live").hidden = true;
    showOutcome(ended, place, attack);
  } catch (error) {
    find("live").hidden = true;
    trouble("fool-error", error.name === "AbortError" ? new Error(say("fool.stopped", { queries })) : error);
  } finally {
    attacking = null;
    ready();
  }
}

function fact(name, value, title = null) {
  return value === null ? null : made("div", { title, children: [made("dt", { text: name }), made("dd", { text: String(value) })] });
}

function showOutcome(ended, place, attack) {
  const player = game.players[place];
  const before = label(player, ended.before);
  const after = ended.after ? label(player, ended.after) : "";
  const heading = say(`heading.${ended.outcome}`, { before, after });
  const facts = [
    ended.adversary ? fact(say("fool.changed"), say("fool.of", ended)) : null,
    ended.adversary && classes(player) ? fact(say("fool.sure"), `${sure(player, ended.before)} → ${sure(player, ended.after)}`) : null,
    ended.similarity === null ? null : fact(say("fool.similarity"), ended.similarity.toFixed(2), say("fool.similarity.title")),
    fact(say("fool.queries"), ended.queries),
    fact(say("fool.seconds"), ended.seconds.toFixed(1)),
  ];
  const card = made("article", {
    className: `case ${ended.outcome === "fooled" ? "fooled" : "held"}`,
    "aria-label": heading,
    tabindex: "-1",
    children: [
      made("h3", { children: [letter(place), made("span", { text: heading }), made("small", { text: `${player.name}, ${attack}` })] }),
      made("p", { text: [ended.sentence, ended.note].filter(Boolean).join(" ") }),
      ...ended.pieces.map((pieces) => sentence(pieces)),
      made("dl", { className: "facts", children: facts }),
      made("ul", { className: "verdicts" }),
      steps(ended, place),
      copies(ended.copies),
    ],
  });
  find("outcome").replaceChildren(card);
  hear(`${heading}. ${ended.sentence}`);
  if (ended.outcome === "fooled" || ended.outcome === "held") {
    const changed = ended.outcome === "fooled";
    remember({
      title: attack, original: ended.texts, texts: ended.adversary ?? ended.texts, pieces: ended.pieces, should: "stay",
      results: [{ place, before: ended.before, after: ended.after ?? ended.before, changed }],
    });
  }
}

function steps(ended, place) {
  if (!ended.adversary) return null;
  const other = game.players[1 - place];
  const send = async (event) => {
    event.currentTarget.disabled = true;
    try {
      const both = await post("compare", { original: ended.texts, texts: ended.adversary, should: "stay" });
      const result = resultOf(both, 1 - place);
      find("outcome").querySelector(".verdicts").append(verdict(result, "stay"));
      hear(find("outcome").querySelector(".verdicts li:last-child").textContent);
      remember({ title: say("turn.sent"), original: ended.texts, texts: ended.adversary, pieces: ended.pieces, should: "stay", results: [result] });
    } catch (error) {
      trouble("fool-error", error);
    }
  };
  const edit = () => {
    take(ended.adversary);
    fields[0].focus();
  };
  const again = () => {
    take(ended.adversary);
    fool();
  };
  return made("p", {
    className: "row",
    children: [
      other ? button(say("fool.send", { name: other.name }), send) : null,
      button(say("fool.edit"), edit, "quiet"),
      button(say("fool.again"), again, "quiet"),
    ],
  });
}

function copies(offered) {
  const place = made("div", { className: "copied", role: "status" });
  const copy = async (text) => {
    const shown = made("pre", { text, tabindex: "0" });
    try {
      await navigator.clipboard.writeText(text);
      place.replaceChildren(say("copy.done"), shown);
    } catch {
      place.replaceChildren(say("copy.select"), shown);
    }
  };
  const buttons = ["command", "python", "jsonl"]
    .filter((name) => offered[name])
    .map((name) => button(say(`copy.${name}`), () => copy(offered[name]), "quiet"));
  const note = offered.note ? made("span", { className: "hint", text: offered.note }) : null;
  return made("div", { children: [made("p", { className: "row", children: [...buttons, note] }), place] });
}

// ——— turn
let original = null;
const times = {};

function pin(values) {
  original = values;
  find("original").textContent = say("turn.original", { text: values.join(" / ") });
}

function resultOf(both, place) {
  const player = game.players[place];
  const [before, after] = [both.before[place], both.after[place]];
  return { place, before, after, changed: player.kind === "number" ? null : !same(before, after) };
}

function verdict({ place, before, after, changed }, should) {
  const player = game.players[place];
  const name = made("b", { text: player.name });
  const moved = made("span", { text: `${whole(player, before)} → ${whole(player, after)}` });
  if (changed === null) {
    const by = (after.value - before.value).toFixed(2);
    return made("li", { children: [letter(place), name, moved, made("span", { text: say("turn.moved", { by }) })] });
  }
  const good = changed === (should === "change");
  const judged = made("span", { text: `${good ? "✓" : "✗"} ${say(`turn.${good ? "yes" : "no"}.${should}`)}`, className: good ? "right" : "wrong" });
  return made("li", { children: [letter(place), name, moved, judged] });
}

async function changed(address, question, title) {
  trouble("turn-error", null);
  try {
    const both = await post(address, question);
    const results = game.players.map((_, place) => resultOf(both, place));
    const item = made("li", {
      className: "case",
      children: [
        made("h3", { children: [made("span", { text: title }), made("span", { className: "chip", text: say(`should.${both.should}`) })] }),
        ...both.pieces.map((pieces) => sentence(pieces)),
        made("ul", { className: "verdicts", children: results.map((result) => verdict(result, both.should)) }),
        made("p", { className: "row", children: [button(say("turn.use"), () => { take(both.texts); fields[0].focus(); }, "quiet")] }),
      ],
    });
    find("turned").prepend(item);
    while (find("turned").children.length > AT_ONCE) find("turned").lastChild.remove();
    hear(`${title}, ${say(`should.${both.should}`)}. ${[...item.querySelectorAll(".verdicts li")].map((one) => one.textContent).join(". ")}`);
    remember({ title, original: both.original, texts: both.texts, pieces: both.pieces, should: both.should, results });
  } catch (error) {
    trouble("turn-error", error);
  }
}

function turning() {
  const groups = ["change", "stay"].map((should) => made("fieldset", {
    children: [
      made("legend", { text: say(`turn.${should}`) }),
      ...game.changes.filter((one) => one.should === should).map((one) => {
        const press = () => {
          const key = JSON.stringify([one.name, texts()]);
          times[key] = (times[key] ?? -1) + 1;
          pin(texts());
          changed("turn", { texts: texts(), change: one.name, again: times[key] }, one.title);
        };
        const made = button(one.title, press);
        made.title = one.line;
        return made;
      }),
    ],
  }));
  find("changes").replaceChildren(...groups);
  find("pin").addEventListener("click", () => pin(texts()));
  for (const should of ["change", "stay"]) {
    find(`hand-${should}`).addEventListener("click", () => {
      if (!original || String(original) === String(texts())) trouble("turn-error", new Error(say("turn.same")));
      else changed("compare", { original, texts: texts(), should }, say("turn.by_hand"));
    });
  }
}

// ——— this sitting
const KEPT = `unfooled ${location.pathname}`;
let tries = [];
let labels = {}; // of texts, by what they say, where somebody put them right

function keep() {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify({ tries, labels, texts: texts() }));
  } catch { /* it lives as long as the page */ }
}

function recall() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEPT));
    if (kept) ({ tries, labels } = kept);
    return kept?.texts ?? null;
  } catch {
    return null;
  }
}

function remember(one) {
  tries.push(one);
  keep();
  sitting();
}

function tally(place) {
  const own = (should) => tries.flatMap((one) => (one.should === should ? one.results : []))
    .filter((one) => one.place === place && one.changed !== null);
  const [stay, change] = [own("stay"), own("change")];
  return {
    stay: stay.length, changed: stay.filter((one) => one.changed).length,
    change: change.length, held: change.filter((one) => !one.changed).length,
  };
}

// Wilson's 95 % interval, as in the report.
function interval(count, n) {
  const square = 1.959963984540054 ** 2;
  const part = count / n;
  const centre = (part + square / (2 * n)) / (1 + square / n);
  const half = Math.sqrt(square * ((part * (1 - part)) / n + square / (4 * n * n))) / (1 + square / n);
  return [count === 0 ? 0 : centre - half, count === n ? 1 : centre + half];
}

function picture() {
  const [width, height, left, right, top, bottom] = [640, 420, 76, 24, 24, 56];
  const x = (share) => left + share * (width - left - right);
  const y = (share) => height - bottom - share * (height - top - bottom);
  const word = (text, across, up, more = {}) => drawn("text", { x: across, y: up, ...more }, [text]);
  const shares = [0, 0.2, 0.4, 0.6, 0.8, 1];
  const parts = [
    drawn("rect", { x: x(0), y: y(0.5), width: x(0.5) - x(0), height: y(0) - y(0.5), class: "good" }),
    drawn("g", { class: "grid" }, shares.flatMap((share) => [
      drawn("line", { x1: x(share), x2: x(share), y1: y(0), y2: y(1) }),
      drawn("line", { x1: x(0), x2: x(1), y1: y(share), y2: y(share) }),
    ])),
    drawn("g", { class: "ticks" }, [
      ...shares.flatMap((share) => [
        word(`${Math.round(100 * share)} %`, x(share), y(0) + 18, { "text-anchor": "middle" }),
        word(`${Math.round(100 * share)} %`, x(0) - 8, y(share) + 4, { "text-anchor": "end" }),
      ]),
      word(say("sitting.across"), x(0.5), y(0) + 42, { "text-anchor": "middle", class: "axis" }),
      drawn("text", { transform: `translate(16,${y(0.5)}) rotate(-90)`, "text-anchor": "middle", class: "axis" }, [say("sitting.up")]),
    ]),
    drawn("g", { class: "corners" }, [
      word(say("sitting.steady"), x(0) + 10, y(0) - 10),
      word(say("sitting.fickle"), x(1) - 10, y(0) - 10, { "text-anchor": "end" }),
      word(say("sitting.obstinate"), x(0) + 10, y(1) + 18),
      word(say("sitting.both"), x(1) - 10, y(1) + 18, { "text-anchor": "end" }),
    ]),
  ];
  game.players.forEach((_, place) => parts.push(...marks(tally(place), place, x, y)));
  return drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "chart", "aria-label": say("sitting.picture") }, parts);
}

// A point where both axes were tried; a broken line where only one was.
function marks({ stay, changed, change, held }, place, x, y) {
  const [across, up] = [changed / stay, held / change];
  const series = `series-${place}`;
  if (!stay && !change) return [];
  if (!change) return [drawn("line", { x1: x(across), x2: x(across), y1: y(0), y2: y(1), class: `half ${series}` })];
  if (!stay) return [drawn("line", { x1: x(0), x2: x(1), y1: y(up), y2: y(up), class: `half ${series}` })];
  const [[west, east], [south, north]] = [interval(changed, stay), interval(held, change)];
  const corners = [[-6, -6], [6, -6], [6, 6], [-6, 6]].map(([dx, dy]) => `${x(across) + dx},${y(up) + dy}`).join(" ");
  return [
    drawn("g", { class: `arms ${series}` }, [
      drawn("line", { x1: x(west), x2: x(east), y1: y(up), y2: y(up) }),
      drawn("line", { x1: x(across), x2: x(across), y1: y(south), y2: y(north) }),
    ]),
    place ? drawn("polygon", { points: corners, class: `point ${series}` })
      : drawn("circle", { cx: x(across), cy: y(up), r: 6.5, class: `point ${series}` }),
    // Beside the point, clear of the words in the corners and of the other letter.
    drawn("text", { x: x(across) + (across > 0.5 ? -1 : 1) * (14 + 16 * place), y: y(up) - (up < 0.1 ? 28 : 10), class: "name", "text-anchor": "middle" }, [LETTERS[place]]),
  ];
}

function sitting() {
  find("sitting-none").hidden = tries.length > 0;
  find("picture").hidden = tries.length === 0;
  find("forget").disabled = tries.length === 0;
  const able = game.players.some(classes);
  find("download").disabled = tries.length === 0 || !able;
  find("tries").replaceChildren(...groups().map(group));
  if (!tries.length) return;
  const counts = game.players.map((player, place) => made("li", {
    children: [letter(place), made("b", { text: ` ${player.name}: ` }), say("sitting.counts", tally(place))],
  }));
  find("picture").replaceChildren(picture(), made("ul", { className: "legend", children: counts }));
}

// Tries by the text they begin with, newest first; each revision once.
function groups() {
  const known = new Map();
  for (const one of tries) {
    const key = JSON.stringify(one.original);
    if (!known.has(key)) known.set(key, { original: one.original, first: one, revisions: new Map() });
    const revised = JSON.stringify(one.texts);
    if (revised !== key) known.get(key).revisions.set(revised, one);
  }
  return [...known.values()].reverse();
}

const offered = () => (game.players.length > 1 && game.shared.length ? game.shared : game.players.find(classes)?.labels ?? []);

function originalLabel(group) {
  const key = JSON.stringify(group.original);
  if (key in labels) return labels[key];
  const result = group.first.results.find((one) => classes(game.players[one.place]));
  const name = result ? label(game.players[result.place], result.before) : "";
  return offered().includes(name) ? name : "";
}

// What should stay has the label of its original; what should change has the other one, where there is just one other.
function revisionLabel(group, one) {
  const key = JSON.stringify([group.original, one.texts]);
  if (key in labels) return labels[key];
  const first = originalLabel(group);
  if (one.should === "stay" || !first) return first;
  const others = offered().filter((name) => name !== first);
  return others.length === 1 ? others[0] : "";
}

function choice(key, value, name) {
  const options = ["", ...offered()].map((text) => made("option", { value: text, text: text || say("sitting.unknown"), selected: text === value }));
  const select = made("select", { children: options, onchange: (event) => {
    labels[key] = event.currentTarget.value;
    keep();
    sitting();
    document.querySelector(`select[data-key="${CSS.escape(key)}"]`)?.focus();
  } });
  select.dataset.key = key;
  return made("label", { className: "right-label", children: [made("span", { text: name }), select] });
}

function group(one) {
  const able = offered().length > 0;
  const revisions = [...one.revisions.values()].map((own) => made("li", {
    children: [
      made("span", { className: "chip", text: `${own.title}, ${say(`should.${own.should}`)}` }),
      ...own.pieces.map((pieces) => sentence(pieces)),
      able ? choice(JSON.stringify([one.original, own.texts]), revisionLabel(one, own), say("sitting.right")) : null,
    ],
  }));
  return made("li", {
    className: "case",
    children: [
      ...one.original.map((text) => made("p", { className: "text", dir: "auto", text })),
      able ? choice(JSON.stringify(one.original), originalLabel(one), say("sitting.right")) : null,
      made("ol", { className: "revisions", children: revisions }),
    ],
  });
}

// One line a text, as contrast sets are read: pair, version, text (or text1 and text2), label.
function contrastSet() {
  const lines = [];
  groups().reverse().forEach((one, number) => {
    const first = originalLabel(one);
    const own = [...one.revisions.values()].map((each) => [each.texts, revisionLabel(one, each)]).filter(([, name]) => name);
    if (!first || !own.length) return;
    const line = (values, version, name) => JSON.stringify({
      pair: String(number + 1), version,
      ...(values.length > 1 ? { text1: values[0], text2: values[1] } : { text: values[0] }),
      label: name,
    });
    lines.push(line(one.original, "original", first), ...own.map(([values, name], place) => line(values, `revision ${place + 1}`, name)));
  });
  return lines.length ? `${lines.join("\n")}\n` : "";
}

function download() {
  const text = contrastSet();
  trouble("sitting-error", text ? null : new Error(say("sitting.nothing")));
  if (!text) return;
  const link = made("a", { href: URL.createObjectURL(new Blob([text], { type: "application/jsonl" })), download: "sitting.jsonl" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// ——— from a results folder
let shownCases = 0;

function rates(rows) {
  const cell = (text) => made("td", { text, className: "number" });
  const head = ["", "evaluation.fooled", "evaluation.ticks", "evaluation.left", "evaluation.ticks", "evaluation.ticked"];
  const body = rows.map(({ found, fair, ticked }, place) => made("tr", {
    children: [
      made("th", { text: game.evaluation.attacks[place], scope: "row" }),
      cell(found[0]), cell(fair[0]), cell(found[1]), cell(fair[1]), cell(String(ticked)),
    ],
  }));
  const columns = head.map((name) => (name ? made("th", { text: say(name), scope: "col" }) : made("td")));
  find("rates").replaceChildren(made("table", {
    children: [
      made("caption", { text: say("evaluation.rates") }),
      made("thead", { children: [made("tr", { children: columns })] }),
      made("tbody", { children: body }),
    ],
  }));
}

function evaluationCase(one, number) {
  const box = made("input", { type: "checkbox" });
  box.checked = one.ticked;
  const item = made("li", { className: `case${one.ticked ? " changed" : ""}` });
  box.addEventListener("change", async () => {
    trouble("tick-error", null);
    try {
      const left = await post("tick", { case: number, changed: box.checked });
      one.ticked = box.checked;
      rates(left.rates);
    } catch (error) {
      box.checked = one.ticked;
      trouble("tick-error", error);
    }
    item.classList.toggle("changed", one.ticked);
  });
  const begin = (values) => () => {
    take(values);
    find("type").scrollIntoView();
    fields[0].focus({ preventScroll: true });
  };
  const able = game.players.length > 0;
  item.append(
    made("p", {
      className: "meta",
      children: [made("b", { text: `${one.before} → ${one.after}` }), ` · ${say("evaluation.example", { attack: game.evaluation.attacks[one.attack], index: one.index })}`],
    }),
    ...one.pieces.map((pieces) => sentence(pieces)),
    made("p", {
      className: "row",
      children: [
        made("label", { children: [box, say("evaluation.meaning")] }),
        able ? button(say("evaluation.play"), begin(one.texts), "quiet") : null,
        able ? button(say("evaluation.adversary"), begin(one.adversary), "quiet") : null,
      ],
    }),
  );
  return item;
}

function moreCases() {
  const { cases } = game.evaluation;
  const next = cases.slice(shownCases, shownCases + AT_ONCE);
  find("cases").append(...next.map((one, place) => evaluationCase(one, shownCases + place)));
  shownCases += next.length;
  find("more").hidden = shownCases === cases.length;
  find("count").textContent = say("evaluation.count", { shown: shownCases, all: cases.length });
}

// ——— the beginning
function options(select, values) {
  select.replaceChildren(...values.map(([value, text]) => made("option", { value, text })));
}

function begin() {
  document.title = [say("title"), ...game.players.map((player) => player.name)].join(" · ");
  const notes = [...game.notes, ...(game.players.length ? [] : [say("results.no_models")])];
  find("notes").hidden = notes.length === 0;
  find("notes").replaceChildren(...notes.map((text) => made("li", { text })));
  for (const name of ["type", "fool", "turn", "sitting"]) {
    find(name).hidden = game.players.length === 0;
    find(`to-${name}`).hidden = game.players.length === 0;
  }
  find("evaluation").hidden = !game.evaluation;
  find("to-evaluation").hidden = !game.evaluation;
  if (game.evaluation) {
    find("evaluation-lead").textContent = say("evaluation.lead", { folder: game.evaluation.folder });
    rates(game.evaluation.rates);
    moreCases();
    find("more").addEventListener("click", () => {
      const first = shownCases;
      moreCases();
      find("cases").children[first]?.querySelector("input").focus();
    });
  }
  options(find("attack"), game.attacks.map(({ name }) => [name, name]));
  options(find("player"), game.players.map(({ name }, place) => [place, `${LETTERS[place]} ${name}`]));
  options(find("column"), [[1, say("fool.last")], [0, say("fool.first")]]);
  find("players").hidden = game.players.length < 2;
  find("examples").hidden = game.examples.length === 0;
  find("examples").replaceChildren(
    made("p", { text: say("type.try") }),
    ...game.examples.map((text) => button(text, () => { take([text]); fields[0].focus(); })),
  );
  if (!game.players.some(classes)) find("sitting-how").textContent = say("sitting.no_labels");
  cards();
  turning();
  const before = recall();
  pair(game.pairs || (before ?? []).length > 1);
  (before ?? []).forEach((value, place) => { fields[place].value = value; });
  sitting();
  listen();
  if (game.players.length) asked();
}

function listen() {
  for (const field of fields) {
    field.addEventListener("input", () => { keep(); asked(); });
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) fool();
    });
  }
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") attacking?.abort(); });
  find("second").addEventListener("click", () => { pair(!paired()); keep(); asked(); });
  find("go").addEventListener("click", fool);
  find("stop").addEventListener("click", () => attacking?.abort());
  for (const id of ["attack", "player"]) find(id).addEventListener("change", ready);
  find("download").addEventListener("click", download);
  find("forget").addEventListener("click", () => {
    tries = [];
    labels = {};
    find("turned").replaceChildren();
    find("outcome").replaceChildren();
    keep();
    sitting();
  });
}

find("no-module").hidden = true;
find("loading").hidden = false;
try {
  game = await post("begin", {}, { told: (_, data) => { if (data.news) find("loading").textContent = data.news; } });
  find("loading").hidden = true;
  document.querySelector("nav").hidden = false;
  document.querySelector("main").hidden = false;
  begin();
} catch (error) {
  find("loading").hidden = false;
  find("loading").textContent = error.message;
}
