"use strict";
// Sorting: a click or Enter on a table's heading; a second turns it round.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const value = (row) => {
        const cell = row.cells[column], text = cell.dataset.value ?? cell.textContent.trim();
        return text === "" || isNaN(text) ? text : Number(text);
      };
      const up = head.getAttribute("aria-sort") === "descending" ||
        (!head.hasAttribute("aria-sort") && column === 0);
      heads.forEach((h) => h.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const order = (a, b) => {
        const x = value(a), y = value(b), numbers = (typeof x === "number") - (typeof y === "number");
        if (numbers !== 0) return -numbers; // what is no number stands last
        const d = typeof x === "number" ? x - y : x.localeCompare(y);
        return up ? d : -d;
      };
      const body = table.tBodies[0];
      body.append(...[...body.rows].sort(order));
    });
  });
}
// Filtering within one section: by words, by what a select names, by a least
// number. A select filters by the data attribute of its name.
for (const section of document.querySelectorAll(".filtered")) {
  const controls = [...section.querySelectorAll("[data-filter]")];
  if (controls.length === 0) continue;
  const items = [...section.querySelectorAll("[data-item]")];
  const shown = section.querySelector("output");
  const counted = items.filter((item) => !item.closest(".multiples")).length;
  const words = new Map();
  const text = (item) => {
    if (!words.has(item)) words.set(item, item.textContent.toLowerCase());
    return words.get(item);
  };
  const passes = (item, control) => {
    const name = control.dataset.filter, wanted = control.value;
    if (wanted === "") return true;
    if (name === "text") return text(item).includes(wanted.toLowerCase());
    if (name === "least") return Number(item.dataset.least) >= Number(wanted);
    return item.dataset[name] === wanted;
  };
  const apply = () => {
    let n = 0;
    for (const item of items) {
      const hide = !controls.every((control) => passes(item, control));
      if (item.hidden !== hide) item.hidden = hide;
      if (!hide && !item.closest(".multiples")) n++;
    }
    shown.textContent = n + " of " + counted;
  };
  for (const control of controls) control.addEventListener(control.tagName === "SELECT" ? "change" : "input", apply);
  apply();
}
// A choice shows one of several views of the same thing.
for (const select of document.querySelectorAll("select[data-choice]")) {
  const views = [...document.querySelectorAll("[data-view]")].filter((v) => v.dataset.group === select.dataset.choice);
  const apply = () => views.forEach((v) => { v.hidden = v.dataset.view !== select.value; });
  select.addEventListener("change", apply);
  apply();
}
// Nothing is folded away on paper.
addEventListener("beforeprint", () => {
  for (const d of document.querySelectorAll("details:not(article details), article.played > div > details")) d.open = true;
});
