"use strict";
(() => {
  const button = (text, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", act);
    return made;
  };

  const bar = document.createElement("p");
  bar.className = "tools";
  bar.append(button("Print", () => print()));
  document.querySelector(".top").before(bar);

  const list = document.querySelector(".steps");
  if (!list) return;
  const steps = [...list.children];
  let current = -1; // the index of the step that is shown; -1 before the first one

  const show = (index) => {
    current = Math.max(-1, Math.min(index, steps.length - 1));
    steps.forEach((step, at) => { step.open = at === current; });
    previous.disabled = current < 0;
    next.disabled = current === steps.length - 1;
    position.textContent = current < 0 ? `0 of ${steps.length}; ← and → move, too` : `${current + 1} of ${steps.length}`;
  };
  const move = (by) => {
    show(current + by);
    if (previous.disabled && document.activeElement === previous) next.focus();
    if (next.disabled && document.activeElement === next) previous.focus();
  };

  const previous = button("Previous", () => move(-1));
  const next = button("Next", () => move(1));
  const position = document.createElement("span");
  position.setAttribute("role", "status");
  const mode = button("Show as a list", () => {
    setMode(!list.classList.contains("single"));
  });
  const setMode = (isSingle) => {
    list.classList.toggle("single", isSingle);
    mode.textContent = isSingle ? "Show as a list" : "Show one at a time";
    for (const part of [previous, next, position]) part.hidden = !isSingle;
    for (const step of steps) step.firstElementChild.tabIndex = isSingle ? -1 : 0;
    if (isSingle) show(steps.findIndex((step) => step.open));
  };
  const pager = document.createElement("div");
  pager.className = "pager";
  pager.setAttribute("role", "group");
  pager.setAttribute("aria-labelledby", "steps");
  pager.append(previous, next, position, mode);
  list.before(pager);
  setMode(true);

  let wereOpen = []; // for browsers whose style sheets cannot unfold them on paper
  addEventListener("beforeprint", () => {
    wereOpen = steps.map((step) => step.open);
    for (const step of steps) step.open = true;
  });
  addEventListener("afterprint", () => steps.forEach((step, index) => { step.open = wereOpen[index]; }));

  addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const isChord = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
    if (!by || isChord || !list.classList.contains("single")) return;
    event.preventDefault();
    move(by);
    list.scrollIntoView({ block: "nearest" });
  });
})();
