(() => {
  const PAUSE = 5000; // milliseconds between requests, while the page is visible
  const root = document.documentElement;
  const isInUse = () => document.querySelector("main :is(input, select):focus") || !getSelection().isCollapsed;

  const update = async () => {
    if (document.hidden || isInUse()) return;
    try {
      const answer = await fetch("/report", { headers: { "If-None-Match": `"${root.dataset.version}"` } });
      if (answer.status !== 200) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (isInUse()) return;
      for (const part of ["header", "main", "footer"]) document.querySelector(part).replaceWith(page.querySelector(part));
      root.dataset.version = page.documentElement.dataset.version;
      dispatchEvent(new Event("reportupdated"));
    } catch { /* the server is restarting, or gone; try again later */ }
  };

  setInterval(update, PAUSE);
  document.addEventListener("visibilitychange", update);
})();
