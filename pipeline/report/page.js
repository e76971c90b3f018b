"use strict";
(() => {
  const table = document.getElementById("table");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const cards = new Map();
  for (const card of document.querySelectorAll("article[data-job]")) cards.set(card.dataset.job, card);
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
  const sortBy = (head, column) => {
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const keyed = rows.map((row) => [valueOf(row, column), row]);
    keyed.sort(([a], [b]) => {
      const known = typeof a === "string" ? a && b : !(Number.isNaN(a) || Number.isNaN(b));
      return down && known ? compare(b, a) : compare(a, b);
    });
    for (const [, row] of keyed) {
      body.append(row);
      const card = cards.get(row.dataset.job);
      if (card) card.parentNode.append(card);
    }
  };
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sortBy(head, column));
  });

  const form = document.querySelector(".filters");
  const [name, status, format, shown] = ["name", "status", "format", "shown"].map((id) => document.getElementById(id));
  const names = rows.map((row) => row.cells[0].textContent.toLowerCase());
  const filter = () => {
    const wanted = name.value.trim().toLowerCase();
    let count = 0;
    rows.forEach((row, at) => {
      const fits = names[at].includes(wanted)
        && (!status.value || row.dataset.statuses.split(" ").includes(status.value))
        && (!format.value || row.dataset.format === format.value);
      row.hidden = !fits;
      const card = cards.get(row.dataset.job);
      if (card) card.hidden = !fits;
      count += fits;
    });
    shown.textContent = count === rows.length ? "" : `${count} of ${rows.length} jobs`;
  };
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", filter);
  filter();

  for (const article of document.querySelectorAll(".many")) {
    const pages = [...article.querySelectorAll(".page")];
    if (pages.length < 2) continue;
    const [before, after] = ["Previous", "Next"].map((word) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = word;
      return button;
    });
    const where = document.createElement("span");
    where.setAttribute("role", "status");
    let at = 0;
    const turn = (to) => {
      at = to;
      pages.forEach((page, number) => { page.open = number === at; });
      before.disabled = at === 0;
      after.disabled = at === pages.length - 1;
      where.textContent = pages[at].querySelector("summary").textContent;
    };
    before.addEventListener("click", () => { turn(at - 1); if (before.disabled) after.focus(); });
    after.addEventListener("click", () => { turn(at + 1); if (after.disabled) before.focus(); });
    const pager = document.createElement("div");
    pager.className = "pager";
    pager.setAttribute("role", "group");
    pager.setAttribute("aria-label", `Pages of ${article.querySelector("h3").textContent}`);
    pager.append(before, after, where);
    pages[0].before(pager);
    article.classList.add("paged");
    turn(0);
    addEventListener("beforeprint", () => { for (const page of pages) page.open = true; });
    addEventListener("afterprint", () => turn(at));
  }
})();
