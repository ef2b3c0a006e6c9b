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
// Filtering: by kind and by words, within one section.
for (const section of document.querySelectorAll(".filtered")) {
  const items = [...section.querySelectorAll("[data-item]")];
  const kind = section.querySelector('[data-filter="kind"]');
  const text = section.querySelector('[data-filter="text"]');
  const shown = section.querySelector("output");
  const apply = () => {
    const words = text.value.toLowerCase();
    let n = 0;
    for (const item of items) {
      item.hidden = (kind && kind.value !== "" && item.dataset.kind !== kind.value) ||
        !item.textContent.toLowerCase().includes(words);
      if (!item.hidden) n++;
    }
    shown.textContent = n + " of " + items.length;
  };
  text.addEventListener("input", apply);
  if (kind) kind.addEventListener("change", apply);
  apply();
}
