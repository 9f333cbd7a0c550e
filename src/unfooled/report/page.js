"use strict";
// Shows the fooled sentences that are asked for, a screenful at a time, and recomputes the rates from the reader's ticks.
(() => {
  const find = (id) => document.getElementById(id);
  const story = JSON.parse(find("data").textContent);
  const AT_ONCE = 20;
  const cases = story.cases.map((row, place) => {
    const [model, trial, index, label, before, after, sureBefore, sureAfter, similarity, texts] = row;
    const changed = texts.flat().filter((piece) => Array.isArray(piece)).length;
    return { place, model, trial, index, label, before, after, sureBefore, sureAfter, similarity, texts, changed };
  });
  const side = (one, which) =>
    one.texts.map((pieces) => pieces.map((piece) => (Array.isArray(piece) ? piece[which] : piece)).join("")).join("\n");

  // Ticks survive a reload where the browser lets a file keep anything.
  // Those that stand beside the results come first; a reader's own are kept for just these.
  const key = `unfooled ${story.title} ${cases.length} ${cases.length ? side(cases[0], 1) : ""} ${story.ticked}`;
  const ticked = new Set(story.ticked);
  try {
    const kept = JSON.parse(localStorage.getItem(key));
    if (kept) {
      ticked.clear();
      kept.forEach((place) => ticked.add(place));
    }
  } catch { /* nothing is kept, nothing is lost */ }
  const keep = () => {
    try {
      localStorage.setItem(key, JSON.stringify([...ticked]));
    } catch { /* the ticks live as long as the page */ }
  };

  const orders = [
    (a, b) => a.place - b.place,
    (a, b) => a.changed - b.changed || a.place - b.place,
    (a, b) => b.changed - a.changed || a.place - b.place,
    (a, b) => b.sureBefore - a.sureBefore || a.place - b.place,
    (a, b) => b.sureAfter - a.sureAfter || a.place - b.place,
  ];
  let chosen = [];
  let shown = 0;

  function choose() {
    const wanted = find("search").value.trim().toLowerCase();
    const only = (id, value) => find(id).value === "" || Number(find(id).value) === value;
    chosen = cases.filter((one) => {
      if (!only("model", one.model) || !only("trial", one.trial) || !only("label", one.label)) return false;
      if (!only("ticks", ticked.has(one.place) ? 0 : 1)) return false;
      one.searched ??= `${side(one, 0)}\n${side(one, 1)}`.toLowerCase();
      return one.searched.includes(wanted);
    });
    chosen.sort(orders[Number(find("order").value)]);
    shown = 0;
    find("cases").replaceChildren();
    showMore();
  }

  function showMore() {
    const next = chosen.slice(shown, shown + AT_ONCE);
    find("cases").append(...next.map(drawn));
    shown += next.length;
    find("more").hidden = shown === chosen.length;
    const whole = story.whole === cases.length ? "" : `${cases.length} on this page, `;
    find("count").textContent = `${shown} of ${chosen.length} shown, ${whole}${story.whole} in all`;
  }

  function made(name, text, className) {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (className) element.className = className;
    return element;
  }

  const percent = (value) => `${(100 * value).toFixed(1)} %`;

  function drawn(one) {
    const item = made("li", undefined, "case");
    const meta = made("p", undefined, "meta");
    const words = `${one.changed} ${one.changed === 1 ? "word" : "words"} changed`;
    const close = one.similarity === null ? "" : ` · similarity ${one.similarity}`;
    meta.append(
      made("b", `${one.before} → ${one.after}`),
      ` · sure ${percent(one.sureBefore)} → ${percent(one.sureAfter)} · ${words}${close}`,
      ` · ${story.models[one.model]}, ${story.trials[one.trial]}, example ${one.index}`,
    );
    item.append(meta, ...one.texts.map(sentence), tick(one, item));
    item.classList.toggle("changed", ticked.has(one.place));
    return item;
  }

  // Letters of another alphabet are named: without that, a reader sees one word twice.
  function lookAlike(old, now) {
    const was = [...old];
    const is = [...now];
    const plain = (char) => char.codePointAt(0) < 128;
    if (was.length !== is.length) return "";
    const pairs = is.map((char, place) => [char, was[place]]).filter((pair) => !plain(pair[0]) && plain(pair[1]));
    const said = pairs.map((pair) => `U+${pair[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0")} for ${pair[1]}`);
    return said.length ? made("span", ` (${said.join(", ")})`, "meta") : "";
  }

  function sentence(pieces) {
    const line = made("p");
    line.dir = "auto";
    for (const piece of pieces) {
      if (!Array.isArray(piece)) line.append(piece);
      else line.append(made("del", piece[0]), " ", made("mark", piece[1] || "∅"), lookAlike(...piece));
    }
    return line;
  }

  function tick(one, item) {
    const label = made("label");
    const box = made("input");
    box.type = "checkbox";
    box.checked = ticked.has(one.place);
    box.addEventListener("change", () => {
      if (box.checked) ticked.add(one.place);
      else ticked.delete(one.place);
      item.classList.toggle("changed", box.checked);
      keep();
      recompute();
    });
    label.append(box, "the meaning changed");
    return label;
  }

  // Wilson's 95 % interval, as everywhere on this page.
  function wilson(count, n) {
    if (!n) return "unknown";
    const square = 1.959963984540054 ** 2;
    const part = count / n;
    const centre = (part + square / (2 * n)) / (1 + square / n);
    const half = Math.sqrt(square * ((part * (1 - part)) / n + square / (4 * n * n))) / (1 + square / n);
    const low = count === 0 ? 0 : centre - half;
    const high = count === n ? 1 : centre + half;
    return `${percent(part)} [${(100 * low).toFixed(1)} – ${(100 * high).toFixed(1)}]`;
  }

  // An adversary with another meaning is no success: the model that was right stays right.
  function recompute() {
    story.attacked.forEach(([model, trial, examples, right, fooled, safe, unseen], place) => {
      const seen = cases.filter((one) => one.model === model && one.trial === trial && ticked.has(one.place));
      const unfair = seen.length + unseen;
      find(`success-${place}`).textContent = wilson(fooled - unfair, right);
      find(`left-${place}`).textContent = wilson(safe + unfair, examples);
      find(`ticked-${place}`).textContent = String(unfair);
    });
  }

  function rows() {
    return chosen.map((one) => ({
      model: story.models[one.model],
      attack: story.trials[one.trial],
      example: one.index,
      label: story.labels[one.label],
      before: one.before,
      after: one.after,
      meaning_changed: ticked.has(one.place),
      original: side(one, 0),
      adversary: side(one, 1),
    }));
  }

  // A spreadsheet would run a cell that begins like a formula; some read full-width and small signs as the plain ones.
  function field(value) {
    const text = String(value);
    const tame = /^\s*[=+\-@\t\r|%＝＋－＠｜％﹦﹢﹣﹫﹪−]/.test(text) ? `'${text}` : text;
    return `"${tame.replaceAll('"', '""')}"`;
  }

  function csv() {
    const names = ["model", "attack", "example", "label", "before", "after", "meaning_changed", "original", "adversary"];
    const lines = rows().map((row) => names.map((name) => field(row[name])).join(","));
    return [names.join(","), ...lines].join("\r\n") + "\r\n";
  }

  function save(text, type, name) {
    const link = made("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  let waiting = 0;
  find("controls").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(choose, 80);
  });
  find("controls").addEventListener("submit", (event) => event.preventDefault());
  find("more").addEventListener("click", () => {
    const first = find("cases").children.length;
    showMore();
    find("cases").children[first]?.querySelector("input").focus();
  });
  find("json").addEventListener("click", () => save(JSON.stringify(rows(), null, 1), "application/json", "fooled.json"));
  find("csv").addEventListener("click", () => save(csv(), "text/csv", "fooled.csv"));
  choose();
  recompute();
})();
