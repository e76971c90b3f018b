"use strict";
(() => {
  const pageOf = new Map(); // name of a job → index of the page that is shown
  const chosen = {}; // id of a filter → its value
  let sorted = null; // the column by which the table is sorted, and whether descending
  let table = null, cardOf = new Map();
  const nameOf = (card) => card.querySelector("h3").textContent;

  const makeSortable = () => {
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
      sorted = [column, down];
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
    if (sorted) sortBy(...sorted);
  };

  const addFilters = () => {
    const rows = [...table.tBodies[0].rows];
    const form = document.querySelector(".filters");
    const totals = document.querySelectorAll(".totals a");
    const [text, status, format, level, shown] = ["text", "status", "format", "level", "shown"].map((id) => document.getElementById(id));
    const boards = [...document.querySelectorAll(".many .card")];
    const texts = rows.map((row) => [row.cells[0], row.querySelector(".reason")].map((each) => each?.textContent ?? "").join("\n").toLowerCase());
    const filter = () => {
      for (const control of form.elements) chosen[control.id] = control.value;
      const query = text.value.trim().toLowerCase();
      let count = 0;
      rows.forEach((row, index) => {
        const fits = texts[index].includes(query)
          && (!status.value || row.dataset.statuses.split(" ").includes(status.value))
          && (!format.value || row.dataset.format === format.value)
          && (!level?.value || row.dataset.levels.split(" ").includes(level.value));
        row.hidden = !fits;
        const card = cardOf.get(row.dataset.job);
        if (card) card.hidden = !fits;
        count += fits;
      });
      for (const board of boards) board.hidden = Boolean(level?.value) && board.dataset.level !== level.value;
      for (const total of totals) total.ariaCurrent = total.dataset.status === status.value ? "true" : null;
      shown.textContent = count < rows.length ? `${count} of the ${rows.length} jobs on this page` : "";
    };
    for (const total of totals) {
      total.addEventListener("click", (event) => {
        const isChosen = total.dataset.status === status.value;
        if (isChosen) event.preventDefault(); // a second click only removes the filter
        form.reset();
        status.value = isChosen ? "" : total.dataset.status;
        filter();
      });
    }
    for (const control of form.elements) {
      control.value = chosen[control.id] ?? control.value;
      if (control.selectedIndex === -1) control.value = "";
    }
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", filter);
    filter();
  };

  const addPagers = () => {
    for (const article of document.querySelectorAll(".many")) {
      const pages = [...article.querySelectorAll(".page")];
      if (pages.length < 2) continue;
      const [previous, next] = ["Previous", "Next"].map((word) => {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = word;
        return button;
      });
      const position = document.createElement("span");
      position.setAttribute("role", "status");
      const name = nameOf(article);
      let current = 0;
      const showPage = (number) => {
        current = Math.min(number, pages.length - 1);
        pageOf.set(name, current);
        pages.forEach((page, index) => { page.open = index === current; });
        previous.disabled = current === 0;
        next.disabled = current === pages.length - 1;
        position.textContent = pages[current].querySelector("summary").textContent;
      };
      previous.addEventListener("click", () => { showPage(current - 1); if (previous.disabled) next.focus(); });
      next.addEventListener("click", () => { showPage(current + 1); if (next.disabled) previous.focus(); });
      const pager = document.createElement("div");
      pager.className = "pager";
      pager.setAttribute("role", "group");
      pager.setAttribute("aria-label", `Pages of ${name}`);
      pager.append(previous, next, position);
      pages[0].before(pager);
      article.classList.add("paged");
      showPage(pageOf.get(name) ?? 0);
    }
  };

  const openPages = (isOpen) => {
    for (const article of document.querySelectorAll(".paged")) {
      article.querySelectorAll(".page").forEach((page, index) => { page.open = isOpen(article, index); });
    }
  };
  addEventListener("beforeprint", () => openPages(() => true));
  addEventListener("afterprint", () => openPages((article, index) => index === pageOf.get(nameOf(article))));

  const start = () => {
    table = document.getElementById("table");
    if (!table) return;
    cardOf = new Map([...document.querySelectorAll("article[data-job]")].map((card) => [card.dataset.job, card]));
    makeSortable();
    addFilters();
    addPagers();
  };
  addEventListener("reportupdated", start); // by the script of a page that updates itself
  start();
})();
