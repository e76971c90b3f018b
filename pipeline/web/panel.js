(() => {
  const panel = document.querySelector(".panel");
  const [form, list, said, newer, text, files, choose] = ["form", ".cards", "[role=status]", ".newer", "textarea", "input", "[type=button]"]
    .map((each) => panel.querySelector(each));
  const SOON = 200, LATEST = 2000; // milliseconds between looks
  const shown = new Map(); // name → the state that is shown, and its card
  const pasted = new Map(); // name → the text, which stays in the box unless it was good
  let timer = 0;
  const say = (words) => { said.textContent = `${words}.`; };

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

  const look = async (pause, isFirst = false) => {
    let jobs = [{}];
    try {
      jobs = await (await fetch("/dropped")).json();
      for (const job of [...jobs].reverse()) show(job, isFirst);
    } catch {
      say("The server does not respond; is it still running?");
    }
    clearTimeout(timer);
    if (!jobs.every((job) => job.is_done)) timer = setTimeout(look, pause, Math.min(1.3 * pause, LATEST));
  };

  const send = async (name, body) => { // a paste has no name, and its body is the text
    const called = name || "the puzzle";
    say(`Sending ${called}`);
    try {
      const headers = { "Content-Type": "application/octet-stream", "X-Name": encodeURIComponent(name) };
      const answer = await fetch("/drop", { method: "POST", headers, body });
      if (!answer.ok) throw new Error(await answer.text());
      const given = (await answer.json()).name;
      if (!name) pasted.set(given, body);
      clear(given); // it may be done already
      await look(SOON);
      return true;
    } catch (error) {
      say(`${called}: ${error instanceof TypeError ? "it could not be sent; to send a folder, drop an archive of it" : error.message}`);
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
  look(SOON, true);
})();
