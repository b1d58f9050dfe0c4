"use strict";
// Pages through rows that stand in the document as JSON. Text only ever becomes text nodes.
(() => {
  const PAGE = 25;
  const PRINTED = 60;
  const ABSENT = -1;
  const WORDS = {
    correct: "correct", wrong: "wrong", missed: "missed", invented: "invented", unreadable: "unreadable", error: "no extraction",
    matched: "matched", under_confidence: "under-confident", spurious: "spurious", unjudged: "unjudged", missed_optional: "missed, not required",
  };

  function el(tag, className, ...children) {
    const node = document.createElement(tag);
    if (className) node.className = className;
    for (const child of children) if (child !== null && child !== undefined) node.append(child);
    return node;
  }

  // --- Theme -------------------------------------------------------------------------------------
  const THEMES = ["automatic", "light", "dark"];
  function setUpTheme() {
    const button = document.getElementById("theme");
    const kept = (value) => { try { return value === undefined ? localStorage.getItem("evals-theme") : localStorage.setItem("evals-theme", value); } catch { return null; } };
    const apply = (name) => {
      if (name === "automatic") delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = name;
      button.querySelector("span").textContent = name;
    };
    let theme = THEMES.includes(kept()) ? kept() : "automatic";
    apply(theme);
    button.hidden = false;
    button.addEventListener("click", () => { theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]; kept(theme); apply(theme); });
  }

  // --- Text with marks ---------------------------------------------------------------------------
  const LONG = 600;
  function marked(text, ranges, name) {
    const parts = [];
    let at = 0;
    for (let i = 0; i + 1 < ranges.length; i += 2) {
      if (ranges[i] > at) parts.push(text.slice(at, ranges[i]));
      parts.push(el("mark", name, text.slice(ranges[i], ranges[i + 1])));
      at = ranges[i + 1];
    }
    parts.push(text.slice(at));
    return parts;
  }
  function value(text, ranges, name) {
    const box = el("bdi", "", ...marked(text, ranges, name));
    if (text.length <= LONG) return [box];
    const first = ranges.length ? Math.max(0, ranges[0] - 80) : 0;
    const cut = ranges.map((place) => Math.min(Math.max(place - first, 0), LONG));
    const short = el("bdi", "", first ? "…" : "", ...marked(text.slice(first, first + LONG), cut, name), "…");
    const button = el("button", "more-less", `show all ${text.length} characters`);
    button.type = "button";
    button.addEventListener("click", () => { short.replaceWith(box); button.remove(); });
    return [short, button];
  }

  // --- One explorer ------------------------------------------------------------------------------
  class Explorer {
    constructor(section) {
      this.section = section;
      this.data = JSON.parse(document.getElementById(section.dataset.source).textContent);
      this.rows = this.data.rows;
      this.size = this.rows.model.length;
      this.isFields = this.data.kind === "fields";
      this.form = section.querySelector(".filters");
      this.list = section.querySelector(".rows");
      this.pages = section.querySelector(".pages");
      this.shown = section.querySelector(".shown");
      this.chosen = { model: "", field: "", outcome: "", slice: "", doc: "", run: "", flag: false, text: "" };
      this.page = 0;
      this.texts = this.data.texts;
      this.lower = null;
      this.buildControls();
      this.form.hidden = this.list.hidden = false;
      this.apply();
    }

    buildControls() {
      const box = this.form.querySelector(".controls");
      const used = (column) => [...new Set(this.rows[column])].sort((a, b) => a - b);
      const select = (key, label, entries) => {
        if (entries.length < 2) return;
        const field = el("select", "");
        field.append(new Option("all", ""));
        for (const [code, name] of entries) field.append(new Option(name, String(code)));
        field.addEventListener("change", () => { this.chosen[key] = field.value; this.changed(); });
        field.dataset.key = key;
        box.append(el("label", "", label, field));
      };
      const d = this.data;
      select("model", "Model version", d.models.map((name, i) => [i, name]));
      if (this.isFields) select("field", "Field", used("field").map((i) => [i, d.fields[i]]));
      select("outcome", "Outcome", used("outcome").map((i) => [i, WORDS[d.outcomes[i]] || d.outcomes[i]]));
      if (this.isFields) select("slice", "Slice", d.slices.map((name, i) => [i, name]).sort((a, b) => (a[1] < b[1] ? -1 : 1)));
      else select("doc", "Case", d.doc_names.map((name, i) => [i, name]));
      select("run", "Run", d.run_indices.map((run) => [run, String(run)]));
      const search = el("input", "");
      search.type = "search"; search.placeholder = this.isFields ? "document or value" : "words of a claim"; search.dataset.key = "text";
      let timer = 0;
      search.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => { this.chosen.text = search.value.trim().toLowerCase(); this.changed(); }, 150); });
      box.append(el("label", "", "Search", search));
      const flag = this.isFields ? this.rows.change.some((c) => c !== ABSENT) : this.rows.trace.some((t) => this.isSuspect(t));
      if (flag) {
        const check = el("input", ""); check.type = "checkbox"; check.dataset.key = "flag";
        check.addEventListener("change", () => { this.chosen.flag = check.checked; this.changed(); });
        box.append(el("label", "check", check, this.isFields ? "newly failing" : "suspect"));
      }
      const reset = el("button", "ghost", "Reset"); reset.type = "button"; this.reset = reset;
      reset.addEventListener("click", () => this.choose({}));
      box.append(reset);
      const fold = this.form.querySelector(".fold");
      fold.addEventListener("click", () => { const isOpen = this.form.classList.toggle("unfolded"); fold.setAttribute("aria-expanded", String(isOpen)); });
      this.fold = fold;
      this.form.addEventListener("submit", (event) => event.preventDefault());
    }

    isSuspect(trace) { return trace !== ABSENT && this.data.lists[trace].some((t) => this.texts[t].startsWith("suspect: ")); }

    choose(wanted) {
      for (const key of Object.keys(this.chosen)) this.chosen[key] = key === "flag" ? false : "";
      Object.assign(this.chosen, wanted);
      for (const control of this.form.querySelectorAll("[data-key]")) {
        if (control.type === "checkbox") control.checked = this.chosen.flag; else control.value = this.chosen[control.dataset.key];
      }
      this.changed();
    }

    changed() { this.page = 0; this.apply(); this.remember(); }

    // The address names what is chosen, so that a link leads to the same rows: #g1-misses:field=due_date&run=2
    names() {
      const d = this.data;
      return { model: d.models, field: d.fields || [], outcome: d.outcomes, slice: d.slices || [], doc: d.doc_names, run: null, flag: null, text: null };
    }
    remember() {
      const parts = [], names = this.names();
      for (const [key, chosen] of Object.entries(this.chosen)) {
        if (chosen === "" || chosen === false) continue;
        const said = key === "flag" ? "1" : names[key] ? names[key][Number(chosen)] : chosen;
        parts.push(`${key}=${encodeURIComponent(said)}`);
      }
      if (this.page) parts.push(`page=${this.page + 1}`);
      const hash = `#${this.section.id}${parts.length ? `:${parts.join("&")}` : ""}`;
      try { history.replaceState(null, "", hash); } catch { /* a page inside another may not */ }
    }
    recall(said) {
      const names = this.names(), wanted = {};
      let page = 0;
      for (const part of said.split("&")) {
        const [key, raw = ""] = part.split("=");
        let name;
        try { name = decodeURIComponent(raw); } catch { continue; }
        if (key === "page") page = Math.max(0, Math.floor(Number(name)) - 1 || 0);
        else if (!Object.hasOwn(names, key)) continue;
        else if (key === "flag") wanted.flag = true;
        else if (names[key]) { const at = names[key].indexOf(name); if (at >= 0) wanted[key] = String(at); }
        else wanted[key] = name;
      }
      this.choose(wanted);
      if (page && page * PAGE < this.hits.length) { this.page = page; this.draw(); this.remember(); }
    }

    matchesText(i, wanted) {
      if (!this.lower) this.lower = this.texts.map((text) => text.toLowerCase());
      const r = this.rows, has = (t) => t !== ABSENT && this.lower[t].includes(wanted);
      if (has(r.want[i]) || has(r.got[i])) return true;
      const doc = r.doc[i];
      return this.data.doc_names[doc].toLowerCase().includes(wanted) || this.data.doc_ids[doc].startsWith(wanted);
    }

    apply() {
      const c = this.chosen, r = this.rows, d = this.data;
      const number = (text) => (text === "" ? null : Number(text));
      const model = number(c.model), field = number(c.field), outcome = number(c.outcome), slice = number(c.slice), doc = number(c.doc), run = number(c.run);
      this.hits = [];
      for (let i = 0; i < this.size; i++) {
        if (model !== null && r.model[i] !== model) continue;
        if (field !== null && r.field[i] !== field) continue;
        if (outcome !== null && r.outcome[i] !== outcome) continue;
        if (doc !== null && r.doc[i] !== doc) continue;
        if (slice !== null && !d.doc_slices[r.doc[i]].includes(slice)) continue;
        if (run !== null && !d.lists[r.runs[i]].includes(run)) continue;
        if (c.flag && (this.isFields ? r.change[i] === ABSENT : !this.isSuspect(r.trace[i]))) continue;
        if (c.text && !this.matchesText(i, c.text)) continue;
        this.hits.push(i);
      }
      this.draw();
    }

    draw(size = PAGE) {
      const from = this.page * PAGE, to = Math.min(from + size, this.hits.length);
      this.list.replaceChildren(...this.hits.slice(from, to).map((i) => this.row(i)));
      for (const pre of this.list.querySelectorAll(".excerpt")) {
        const mark = pre.querySelector("mark");
        if (mark && pre.scrollWidth > pre.clientWidth) pre.scrollLeft = Math.max(0, mark.offsetLeft - pre.offsetLeft + mark.offsetWidth + 16 - pre.clientWidth);
      }
      this.list.start = from + 1;
      const what = this.isFields ? ["miss", "misses"] : ["claim", "claims"];
      const all = this.size.toLocaleString("en");
      if (!this.hits.length) {
        this.list.append(el("li", "empty", this.size ? `No ${what[0]} fits these filters.` : "Nothing was missed."));
        this.shown.textContent = `0 of ${all} ${what[1]}`;
      } else {
        const n = this.hits.length.toLocaleString("en");
        this.shown.textContent = `${(from + 1).toLocaleString("en")}–${to.toLocaleString("en")} of ${n}${this.hits.length < this.size ? ` (all: ${all})` : ""} ${this.size === 1 ? what[0] : what[1]}`;
      }
      let active = 0;
      for (const control of this.form.querySelectorAll("[data-key]")) {
        const isOn = control.type === "checkbox" ? control.checked : control.value !== "";
        control.classList.toggle("on", isOn); active += isOn;
      }
      this.fold.textContent = active ? `Filter (${active})` : "Filter";
      this.reset.disabled = !active;
      this.drawPages();
    }

    drawPages() {
      const last = Math.max(0, Math.ceil(this.hits.length / PAGE) - 1);
      this.pages.hidden = last === 0;
      const step = (name, page) => {
        const button = el("button", "ghost", name); button.type = "button"; button.disabled = page < 0 || page > last;
        button.addEventListener("click", () => {
          this.page = page; this.draw(); this.remember();
          this.section.scrollIntoView({ block: "start" }); this.section.focus({ preventScroll: true });
        });
        return button;
      };
      const select = el("select", "ghost"); select.setAttribute("aria-label", "Page");
      const near = new Set([0, last]);
      for (let p = 0; p <= last; p++) if (last < 400 || Math.abs(p - this.page) < 50 || p % Math.ceil(last / 100) === 0) near.add(p);
      for (const p of [...near].sort((a, b) => a - b)) select.append(new Option(`page ${p + 1} of ${last + 1}`, String(p), false, p === this.page));
      select.addEventListener("change", () => { this.page = Number(select.value); this.draw(); this.remember(); this.section.scrollIntoView({ block: "start" }); });
      this.pages.replaceChildren(step("Previous", this.page - 1), select, step("Next", this.page + 1));
    }

    runs(i) {
      const runs = this.data.lists[this.rows.runs[i]];
      if (runs.length === this.data.run_indices.length && runs.length > 1) return "every run";
      return `${runs.length === 1 ? "run" : "runs"} ${runs.join(", ")}`;
    }

    row(i) {
      const r = this.rows, d = this.data, outcome = d.outcomes[r.outcome[i]];
      const text = (t) => (t === ABSENT ? null : this.texts[t]);
      const doc = r.doc[i], id = d.doc_ids[doc], name = d.doc_names[doc];
      const head = el("div", "row-head", el("span", `o o-t-${outcome}`, WORDS[outcome] || outcome));
      if (this.isFields) head.append(el("span", "f", d.fields[r.field[i]]));
      else if (this.isSuspect(r.trace[i])) head.append(el("span", "o o-sus", "suspect"));
      const short = /^[0-9a-f]{64}$/.test(id) ? id.slice(0, 6) : "";
      head.append(el("span", "d", name === id && short ? "" : name, short ? el("code", "", short) : null));
      head.append(el("span", "x", this.runs(i)));
      if (d.models.length > 1) head.append(el("span", "x", d.models[r.model[i]]));
      if (!this.isFields) this.addClaimNumbers(head, i);
      const change = this.isFields ? text(r.change[i]) : null;
      if (change) head.append(el("span", "chg", change));
      const cells = this.isFields && r.table[i] !== ABSENT ? d.tables[r.table[i]] : null;
      const says = el("div", "says", cells ? this.table(cells) : this.pair(i, text, outcome));
      const why = this.why(i, text);
      if (why) says.append(why);
      const places = r.place[i] === ABSENT ? [] : d.places[r.place[i]];
      const item = el("li", places.length ? "row with-place" : "row", head, says);
      if (places.length) item.append(el("div", "where", ...places.map((place) => this.excerpt(place))));
      return item;
    }

    addClaimNumbers(head, i) {
      const r = this.rows, two = (x) => x.toFixed(2);
      if (r.similarity[i] !== null) head.append(el("span", "x", `similarity ${r.similarity[i].toFixed(3)}`));
      if (r.confidence[i] !== null) head.append(el("span", "x", `stated ${two(r.confidence[i])}${r.floor[i] !== null ? `, floor ${two(r.floor[i])}` : ""}`));
    }

    pair(i, text, outcome) {
      const r = this.rows, marks = r.mark[i] === ABSENT ? [[], []] : this.data.marks[r.mark[i]];
      const want = text(r.want[i]), got = text(r.got[i]);
      const near = this.isFields || r.near[i] === ABSENT ? null : this.texts[this.data.nears[r.near[i]][0][0]];
      const empty = (none) => (near === null ? [el("span", "absent", none)] : [el("span", "absent", "nearest, not matched: "), el("bdi", "faint", near)]);
      const side = (t, ranges, name, none) => (t === null ? empty(none) : value(t, ranges, name));
      const box = el("dl", this.isFields ? "pair" : "pair words");
      const nothing = outcome === "error" ? "no extraction" : this.isFields ? "absent" : "nothing matches";
      const noWant = this.isFields ? "absent" : "no gold claim";
      box.append(el("dt", "", this.isFields ? "want" : "gold"), el("dd", "", ...side(want, marks[0], "w", noWant)));
      box.append(el("dt", "", this.isFields ? "got" : "claim"), el("dd", "", ...side(got, marks[1], "g", nothing)));
      return box;
    }

    table(cells) {
      const head = el("tr", "", el("th", "", "side"));
      for (const column of cells.columns) { const th = el("th", "", column); th.scope = "col"; head.append(th); }
      const body = el("tbody", "");
      for (const [want, got] of cells.rows) {
        if (want && got && want.every((cell, k) => cell === got[k])) { body.append(this.tableRow("both", want, null, "")); continue; }
        body.append(want ? this.tableRow("want", want, got, "w") : this.missingRow("want", cells));
        body.append(got ? this.tableRow("got", got, want, "g") : this.missingRow("got", cells));
      }
      const table = el("table", "cells", el("thead", "", head), body);
      const box = el("div", "cells-box", table); box.tabIndex = 0; box.setAttribute("role", "group"); box.setAttribute("aria-label", "Rows wanted and given");
      return box;
    }
    tableRow(side, cells, other, name) {
      const th = el("th", "", side); th.scope = "row";
      const tr = el("tr", "", th);
      cells.forEach((cell, k) => tr.append(el("td", "", other && other[k] !== cell ? el("mark", name, cell || "absent") : cell)));
      return tr;
    }
    missingRow(side, cells) {
      const td = el("td", "none", "no such row"); td.colSpan = cells.columns.length;
      const th = el("th", "", side); th.scope = "row";
      return el("tr", "", th, td);
    }

    why(i, text) {
      const r = this.rows, d = this.data;
      const steps = r.trace[i] === ABSENT ? [] : d.lists[r.trace[i]].map((t) => this.texts[t]);
      const note = text(r.note[i]);
      if (note) steps.push(note);
      const near = this.isFields || r.near[i] === ABSENT ? [] : d.nears[r.near[i]];
      if (!steps.length && !near.length) return null;
      const named = near.length ? (steps.length ? "Why, and near misses" : "Near misses") : "Why";
      const details = el("details", "", el("summary", "", named));
      const fill = () => {
        if (steps.length) details.append(el("ol", "", ...steps.map((step) => el("li", "", el("bdi", "", step)))));
        if (!near.length) return;
        details.append(el("h4", "", d.outcomes[r.outcome[i]].startsWith("missed") ? "Closest claims" : "Closest gold claims"));
        details.append(el("ol", "", ...near.map(([t, s]) => el("li", "", `${s.toFixed(3)}  `, el("bdi", "", this.texts[t])))));
      };
      details.open = this.hits.length <= 3;
      if (details.open) fill(); else details.addEventListener("toggle", fill, { once: true });
      return details;
    }

    excerpt([line, t, marks]) {
      const text = this.texts[t], parts = [], names = ["w", "g", "b"], says = ["want", "got", "want and got"];
      let at = 0;
      for (let k = 0; k < marks.length; k += 3) {
        parts.push(text.slice(at, marks[k]));
        const mark = el("mark", names[marks[k + 2]], text.slice(marks[k], marks[k + 1])); mark.title = says[marks[k + 2]];
        parts.push(mark);
        at = marks[k + 1];
      }
      parts.push(text.slice(at));
      const pre = el("pre", this.isFields ? "excerpt" : "excerpt wrap-text", el("bdi", "", ...parts));
      pre.tabIndex = 0; pre.setAttribute("role", "group"); pre.setAttribute("aria-label", `Document text from line ${line}`);
      return el("div", "", el("h4", "", `Document, line ${line}`), pre);
    }
  }

  // --- Start -------------------------------------------------------------------------------------
  const explorers = new Map();
  function explorerOf(section) {
    if (!explorers.has(section)) explorers.set(section, new Explorer(section));
    return explorers.get(section);
  }
  function setUpExplorers() {
    const sections = [...document.querySelectorAll(".explorer")];
    // The verdict is painted first; then each list is read, the nearest first.
    const next = () => { const section = sections.shift(); if (!section) return; explorerOf(section); setTimeout(next, 0); };
    requestAnimationFrame(() => setTimeout(next, 0));
    document.addEventListener("click", (event) => {
      const link = event.target.closest("a[data-rows]");
      if (!link) return;
      const section = document.getElementById(`${link.dataset.rows}-misses`);
      const explorer = explorerOf(section), d = explorer.data;
      explorer.choose({ model: d.models.length > 1 ? String(d.models.indexOf(link.dataset.model)) : "", field: String(d.fields.indexOf(link.dataset.field)) });
      event.preventDefault();
      section.scrollIntoView(); section.focus({ preventScroll: true });
    });
  }
  function openTarget() {
    const [place, said] = location.hash.slice(1).split(":", 2);
    const target = place && document.getElementById(place);
    for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
    if (target && said && target.classList.contains("explorer")) { explorerOf(target).recall(said); target.scrollIntoView(); }
  }
  addEventListener("hashchange", openTarget);
  // Paper shows what the screen has open, and more of each list than one page of it.
  addEventListener("beforeprint", () => explorers.forEach((one) => one.draw(PRINTED)));
  addEventListener("afterprint", () => explorers.forEach((one) => one.draw()));
  setUpTheme();
  setUpExplorers();
  openTarget();
})();
