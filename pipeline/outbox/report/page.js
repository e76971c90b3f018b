"use strict";
(() => {
  const every = Number(document.documentElement.dataset.renews);
  const before = history.state?.chosen ?? {}; // by the reader, before the page renewed itself
  history.replaceState(null, "");
  const now = {}; // for each of these what tells it
  const table = document.getElementById("table");
  const cards = [...document.querySelectorAll("article[data-job]")];
  const cardOf = new Map(cards.map((card) => [card.dataset.job, card]));
  const nameOf = (card) => card.querySelector("h3").textContent;

  const sortable = () => {
    const rows = [...table.tBodies[0].rows];
    const heads = [...table.tHead.rows[0].cells];
    const words = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
    const valueOf = (row, column) => {
      const cell = row.cells[column];
      const text = cell.dataset.v ?? cell.textContent;
      return cell.className === "n" ? parseFloat(text.replace(/,/g, "")) : text;
    };
    const compare = (a, b) => {
      if (typeof a === "string") return words.compare(a, b);
      return Number.isNaN(a) ? (Number.isNaN(b) ? 0 : 1) : Number.isNaN(b) ? -1 : a - b;
    };
    const sortBy = (column, down) => {
      for (const head of heads) head.removeAttribute("aria-sort");
      heads[column].setAttribute("aria-sort", down ? "descending" : "ascending");
      const keyed = rows.map((row) => [valueOf(row, column), row]);
      keyed.sort(([a], [b]) => {
        const known = typeof a === "string" ? a && b : !(Number.isNaN(a) || Number.isNaN(b));
        return down && known ? compare(b, a) : compare(a, b);
      });
      for (const [, row] of keyed) {
        table.tBodies[0].append(row);
        const card = cardOf.get(row.dataset.job);
        if (card) card.parentNode.append(card);
      }
    };
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sortBy(column, head.getAttribute("aria-sort") === "ascending"));
    });
    now.sorted = () => {
      const column = heads.findIndex((head) => head.hasAttribute("aria-sort"));
      return column < 0 ? null : [column, heads[column].getAttribute("aria-sort") === "descending"];
    };
    if (before.sorted) sortBy(...before.sorted);
  };

  const filtered = () => {
    const rows = [...table.tBodies[0].rows];
    const form = document.querySelector(".filters");
    const totals = document.querySelectorAll(".totals a");
    const [text, status, format, shown] = ["text", "status", "format", "shown"].map((id) => document.getElementById(id));
    const texts = rows.map((row) => [row.cells[0], row.querySelector(".reason")].map((each) => each?.textContent ?? "").join("\n").toLowerCase());
    const filter = () => {
      const wanted = text.value.trim().toLowerCase();
      let count = 0;
      rows.forEach((row, at) => {
        const fits = texts[at].includes(wanted)
          && (!status.value || row.dataset.statuses.split(" ").includes(status.value))
          && (!format.value || row.dataset.format === format.value);
        row.hidden = !fits;
        const card = cardOf.get(row.dataset.job);
        if (card) card.hidden = !fits;
        count += fits;
      });
      shown.textContent = count === rows.length ? "" : `${count} of the ${rows.length} jobs on this page`;
      for (const total of totals) total.ariaCurrent = total.dataset.status === status.value ? "true" : null;
    };
    for (const total of totals) {
      total.addEventListener("click", (event) => {
        const isChosen = total.dataset.status === status.value;
        if (isChosen) event.preventDefault(); // it shows all again, and leads nowhere
        form.reset();
        status.value = isChosen ? "" : total.dataset.status;
        filter();
      });
    }
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", filter);
    now.filters = () => [text.value, status.value, format.value];
    if (before.filters) [text.value, status.value, format.value] = before.filters;
    filter();
  };

  const paged = () => {
    const turned = new Map();
    for (const article of document.querySelectorAll(".many")) {
      const pages = [...article.querySelectorAll(".page")];
      if (pages.length < 2) continue;
      const [back, on] = ["Previous", "Next"].map((word) => {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = word;
        return button;
      });
      const where = document.createElement("span");
      where.setAttribute("role", "status");
      const name = nameOf(article);
      let at = 0;
      const turn = (to) => {
        at = Math.min(to, pages.length - 1);
        turned.set(name, at);
        pages.forEach((page, number) => { page.open = number === at; });
        back.disabled = at === 0;
        on.disabled = at === pages.length - 1;
        where.textContent = pages[at].querySelector("summary").textContent;
      };
      back.addEventListener("click", () => { turn(at - 1); if (back.disabled) on.focus(); });
      on.addEventListener("click", () => { turn(at + 1); if (on.disabled) back.focus(); });
      const pager = document.createElement("div");
      pager.className = "pager";
      pager.setAttribute("role", "group");
      pager.setAttribute("aria-label", `Pages of ${name}`);
      pager.append(back, on, where);
      pages[0].before(pager);
      article.classList.add("paged");
      turn(before.pages?.get(name) ?? 0);
      addEventListener("beforeprint", () => { for (const page of pages) page.open = true; });
      addEventListener("afterprint", () => turn(at));
    }
    now.pages = () => turned;
  };

  const placed = () => {
    const scroller = document.querySelector(".scroll");
    const topOf = (card) => card.getBoundingClientRect().top;
    const isInSight = ({ top, bottom }) => bottom > 0 && top < innerHeight / 2;
    now.place = () => {
      const seen = cards.filter((card) => !card.hidden && isInSight(card.getBoundingClientRect()));
      const [first] = seen.sort((a, b) => topOf(a) - topOf(b));
      const card = first && [nameOf(first), topOf(first)];
      return { x: scrollX, y: scrollY, rows: scroller?.scrollTop, card };
    };
    now.focus = () => {
      const { id, selectionStart, selectionEnd } = document.activeElement;
      return { id, caret: [selectionStart, selectionEnd] };
    };
    if (!before.place) return;
    addEventListener("pagehide", () => { if (!history.state) history.scrollRestoration = "auto"; });
    const { x, y, rows, card } = before.place;
    if (scroller) scroller.scrollTop = rows;
    scrollTo(x, y);
    const same = card && cards.find((each) => !each.hidden && nameOf(each) === card[0]);
    if (same) scrollBy(0, topOf(same) - card[1]);
    const focused = document.getElementById(before.focus.id);
    focused?.focus({ preventScroll: true });
    if (focused?.type === "search") focused.setSelectionRange(...before.focus.caret);
  };

  const renewed = () => {
    const switched = document.getElementById("renewing");
    const written = document.querySelector("footer time").dateTime;
    const still = written === before.written ? before.still + 1 : 0; // times it was the same page
    const opened = Date.now();
    let timer;
    let isChoosing = false;
    const isHeld = () => {
      const at = document.querySelector(":focus-visible");
      return document.hidden || isChoosing || !switched.checked || !getSelection().isCollapsed
        || (at && !at.matches("#jobs, .filters *"));
    };
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(renew, 1000 * Math.min(every * 2 ** still, 60));
    };
    const renew = () => {
      if (isHeld()) return wait();
      const chosen = { written, still };
      for (const [name, tell] of Object.entries(now)) chosen[name] = tell();
      history.replaceState({ chosen }, "", location.pathname + location.search); // no part to jump to
      history.scrollRestoration = "manual";
      location.reload();
    };
    for (const event of ["input", "keydown", "pointerdown", "scroll", "touchmove", "wheel"]) {
      addEventListener(event, wait, { capture: true, passive: true });
    }
    for (const select of document.querySelectorAll("select")) {
      for (const event of ["pointerdown", "keydown"]) select.addEventListener(event, () => { isChoosing = true; });
      for (const event of ["change", "blur"]) select.addEventListener(event, () => { isChoosing = false; });
    }
    document.addEventListener("visibilitychange", () => { if (Date.now() - opened > 1000 * every) renew(); });
    switched.closest("p").hidden = false;
    wait();
  };

  if (table) {
    sortable();
    filtered();
    paged();
  }
  placed();
  if (every) renewed();
})();
