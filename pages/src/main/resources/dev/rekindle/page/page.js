"use strict";
(() => {
  const say = (text) => { document.getElementById("announce").textContent = text; };
  const buttons = () => document.querySelectorAll("button[data-copy]").forEach((button) => {
    if (!navigator.clipboard) { return; }
    button.hidden = false;
    button.addEventListener("click", () => navigator.clipboard.writeText(button.dataset.copy)
      .then(() => say("Copied"), () => say("Not copied: select the text instead")));
  });
  buttons();
  const events = document.body.dataset.events;
  if (!events || !window.EventSource) { return; }
  let asked = false;
  const refresh = async () => {
    asked = false;
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!answer.ok) { return; }
    const next = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("main");
    const main = document.getElementById("main");
    if (!next || main.innerHTML === next.innerHTML) { return; }
    if (main.contains(document.activeElement) && document.activeElement.matches("input")) { return; }
    const open = [...main.querySelectorAll("details")].map((one) => one.open);
    main.replaceChildren(...next.childNodes);
    main.querySelectorAll("details").forEach((one, i) => { one.open = open[i] || false; });
    buttons();
    say("The page has been updated");
  };
  const source = new EventSource(events);
  source.addEventListener("change", () => {
    if (asked) { return; }
    asked = true;
    setTimeout(() => refresh().catch(() => { asked = false; }), 250);
  });
})();
