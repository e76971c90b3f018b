"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const [form, text, files] = ["form", "textarea", "input"].map((selector) => document.querySelector(selector));
  const [latest, status, error, alarm, list] = ["latest", "status", "error", "alarm", "files"].map(byId);
  const earlier = document.querySelector(".earlier");
  const MIN_PAUSE = 200, MAX_PAUSE = 2000, QUEUE_PAUSE = 3000; // milliseconds between requests
  const shown = new Map(); // name → its state on the page, its card, and whether it is done
  const rated = new WeakSet(); // cards for whose level the server was asked
  const pasted = new Map(); // name → the pasted text
  const isNarrow = matchMedia("(max-width: 60rem)"); // the result is below the text
  const KEEP_TEXT = ["invalid", "failed", "unknown", "unsolvable", "multiple", "refused"]; // the user may correct it
  let timer = 0, hadFaults = false;
  const say = (words) => { status.textContent = words; };

  const clear = (name) => {
    const { state, isDone } = shown.get(name) ?? {};
    if (isDone && !KEEP_TEXT.includes(state) && text.value === pasted.get(name)) text.value = "";
  };

  const printButton = document.createElement("button");
  printButton.type = "button";
  printButton.textContent = "Print";
  printButton.addEventListener("click", () => print());

  const addLevel = async (card) => { // it may take seconds
    const steps = card.querySelector(":scope > .actions > a")?.getAttribute("href");
    const facts = card.querySelector(":scope > .facts");
    if (!steps || rated.has(card) || /, score /.test(facts.textContent)) return;
    rated.add(card);
    try {
      const answer = await fetch(steps.replace("steps?", "/level?"));
      const level = answer.ok ? await answer.text() : "";
      if (!level) return;
      const fact = document.createElement("span");
      fact.textContent = level;
      facts.append(fact);
    } catch { /* the queue warns if the server is gone */ }
  };

  const place = (card, before) => { // the newest result is large, the others are below
    const isNewest = !before || latest.contains(before);
    if (before) before.replaceWith(card);
    else {
      const last = latest.firstElementChild;
      latest.replaceChildren(card);
      if (last.matches("article")) earlier.querySelector(".cards").prepend(last);
      earlier.hidden &&= !last.matches("article");
    }
    if (isNewest) card.querySelector(".actions")?.append(printButton);
  };

  const show = ({ name, state, html, is_done: isDone }, isFirst) => {
    const before = shown.get(name);
    if (before?.state === state || before?.isDone) return;
    const card = new DOMParser().parseFromString(html, "text/html").body.firstElementChild; // escaped by the server
    place(card, before?.card);
    shown.set(name, { state, card, isDone });
    clear(name);
    if (isFirst) return;
    say(`${name}: ${state}.`);
    if (isDone && latest.contains(card) && isNarrow.matches && document.activeElement !== text) document.querySelector(".result").scrollIntoView();
  };

  const refresh = async (pause, isFirst = false) => {
    let jobs = [{}];
    try {
      jobs = await (await fetch("/dropped")).json();
      for (const job of [...jobs].reverse()) show(job, isFirst);
      addLevel(latest.firstElementChild);
      if (alarm.dataset.kind === "server") alarm.hidden = true;
    } catch {
      warn("The server does not respond; is it still running?", "server");
    }
    clearTimeout(timer);
    if (!jobs.every((job) => job.is_done)) timer = setTimeout(refresh, pause, Math.min(1.3 * pause, MAX_PAUSE));
  };

  const warn = (words, kind) => {
    if (alarm.textContent !== words) alarm.textContent = words;
    alarm.dataset.kind = kind;
    alarm.hidden = false;
  };

  const row = (kind, { name, note }) => {
    const item = document.createElement("li");
    const [state, file, reason] = ["span", "bdi", "span"].map((tag) => document.createElement(tag));
    state.textContent = kind;
    file.textContent = name;
    const isNamed = note?.startsWith(`${name}:`); // with a line and a column
    reason.textContent = isNamed ? note.slice(name.length) : note ? `: ${note}` : "";
    item.append(state, " ", file, reason);
    return item;
  };

  const showQueue = async () => {
    if (document.hidden) return;
    try {
      const queue = await (await fetch("/queue")).json();
      byId("done").textContent = queue.done ?? "–";
      const rows = [];
      for (const [key, kind] of [["in_progress", "in progress"], ["waiting", "waiting"], ["failed", "failed"]]) {
        const { count, files: named } = queue[key] ?? { count: "–", files: [] };
        byId(key).textContent = count;
        rows.push(...named.map((job) => row(kind, job)));
        if (count > named.length) rows.push(row(kind, { name: `${count - named.length} more` }));
      }
      list.replaceChildren(...rows);
      const hasFaults = queue.faults.length > 0;
      if (!hasFaults) alarm.hidden = true;
      else if (hadFaults) warn(`Puzzles are not being solved: ${queue.faults.join("; ")}.`, "queue");
      hadFaults = hasFaults; // at the start, the first scan may not have ended
    } catch {
      warn("The server does not respond; is it still running?", "server");
    }
  };

  const showError = ({ message, line, column, excerpt, read_as: readAs }) => {
    const [words, code, note] = error.children;
    words.textContent = line ? `Line ${line}, column ${column}: ${message}.` : `${message}.`;
    code.textContent = excerpt ?? "";
    code.hidden = !excerpt;
    note.textContent = readAs ? `Read as ${readAs}.` : "";
    note.hidden = !readAs;
    error.hidden = false;
    text.setAttribute("aria-invalid", "true");
    text.focus();
    if (line) {
      const before = text.value.split("\n").slice(0, line - 1).reduce((sum, textLine) => sum + textLine.length + 1, 0);
      const units = [...(text.value.split("\n")[line - 1] ?? "")].slice(0, column - 1).join("").length;
      text.setSelectionRange(before + units, before + units + 1);
    }
  };
  const hideError = () => {
    error.hidden = true;
    text.removeAttribute("aria-invalid");
  };

  const send = async (name, body) => { // for pasted text, the name is empty
    const label = name || "the puzzle";
    hideError();
    say(`Sending ${label} …`);
    try {
      const headers = { "Content-Type": "application/octet-stream", "X-Name": encodeURIComponent(name) };
      const answer = await fetch("/drop", { method: "POST", headers, body });
      if (answer.status === 422) {
        say("");
        showError(await answer.json());
        return false;
      }
      if (!answer.ok) throw new Error(await answer.text());
      const placedName = (await answer.json()).name;
      if (!name) pasted.set(placedName, body);
      clear(placedName); // the job may be done already
      await refresh(MIN_PAUSE);
      return true;
    } catch (failure) {
      const why = failure instanceof TypeError ? "sending failed; if it is a folder, drop an archive of it instead" : failure.message;
      say("");
      showError({ message: `${label}: ${why}` });
      return false;
    }
  };
  const sendAll = async (all) => { for (const file of all) if (!await send(file.name, file)) return; };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (text.value.trim()) send("", text.value);
    else showError({ message: "There is no puzzle yet: paste one, choose a file, or try the example" });
  });
  text.addEventListener("input", hideError);
  text.addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit(); });
  byId("choose").addEventListener("click", () => files.click());
  byId("try").addEventListener("click", () => { text.value = text.placeholder; form.requestSubmit(); });
  files.addEventListener("change", async () => { await sendAll([...files.files]); files.value = ""; });
  for (const kind of ["dragover", "dragleave", "drop"]) {
    addEventListener(kind, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      document.body.classList.toggle("over", kind === "dragover");
      if (kind === "drop") sendAll([...event.dataTransfer.files]);
    });
  }
  refresh(MIN_PAUSE, true);
  showQueue();
  setInterval(showQueue, QUEUE_PAUSE);
  document.addEventListener("visibilitychange", showQueue);
})();
