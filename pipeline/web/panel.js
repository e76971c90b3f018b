(() => {
  const panel = document.querySelector(".panel");
  const [form, list, status, newer, text, files, choose] = ["form", ".cards", "[role=status]", ".newer", "textarea", "input", "[type=button]"]
    .map((each) => panel.querySelector(each));
  const MIN_PAUSE = 200, MAX_PAUSE = 2000; // milliseconds between requests of /dropped
  const shown = new Map(); // name → its state on the page, its card, and whether it is done
  const pasted = new Map(); // name → the pasted text, which is removed from the text box once it is solved
  let timer = 0;
  const say = (words) => { status.textContent = `${words}.`; };

  const clear = (name) => {
    const { state, isDone } = shown.get(name) ?? {};
    if (isDone && !["invalid", "failed"].includes(state) && text.value === pasted.get(name)) text.value = "";
  };

  const show = ({ name, state, html, is_done: isDone }, isFirst) => {
    const before = shown.get(name);
    if (before?.state === state || before?.isDone) return;
    const card = new DOMParser().parseFromString(html, "text/html").body.firstElementChild; // escaped by the server
    if (before) before.card.replaceWith(card);
    else list.prepend(card);
    shown.set(name, { state, card, isDone });
    clear(name);
    if (isFirst) return;
    say(`${name}: ${state}`);
    newer.hidden &&= !isDone;
  };

  const refresh = async (pause, isFirst = false) => {
    let jobs = [{}];
    try {
      jobs = await (await fetch("/dropped")).json();
      for (const job of [...jobs].reverse()) show(job, isFirst);
    } catch {
      say("The server does not respond; is it still running?");
    }
    clearTimeout(timer);
    if (!jobs.every((job) => job.is_done)) timer = setTimeout(refresh, pause, Math.min(1.3 * pause, MAX_PAUSE));
  };

  const send = async (name, body) => { // for pasted text, the name is empty
    const called = name || "the puzzle";
    say(`Sending ${called}`);
    try {
      const headers = { "Content-Type": "application/octet-stream", "X-Name": encodeURIComponent(name) };
      const answer = await fetch("/drop", { method: "POST", headers, body });
      if (!answer.ok) throw new Error(await answer.text());
      const given = (await answer.json()).name;
      if (!name) pasted.set(given, body);
      clear(given); // the job may be done already
      await refresh(MIN_PAUSE);
      return true;
    } catch (error) {
      say(`${called}: ${error instanceof TypeError ? "sending failed; if it is a folder, drop an archive of it instead" : error.message}`);
      return false;
    }
  };
  const sendAll = async (all) => { for (const file of all) if (!await send(file.name, file)) return; };

  form.addEventListener("submit", (event) => { event.preventDefault(); send("", text.value); });
  text.addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit(); });
  choose.addEventListener("click", () => files.click());
  files.addEventListener("change", async () => { await sendAll([...files.files]); files.value = ""; });
  for (const kind of ["dragover", "dragleave", "drop"]) {
    addEventListener(kind, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      document.body.classList.toggle("over", kind === "dragover");
      if (kind === "drop") sendAll([...event.dataTransfer.files]);
    });
  }
  panel.hidden = false;
  refresh(MIN_PAUSE, true);
})();
