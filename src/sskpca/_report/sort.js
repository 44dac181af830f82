"use strict";
// Tables are complete without this script; with it, their headers become buttons that sort.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  if (body.rows.length < 2) continue;
  const headers = Array.from(table.tHead.rows[0].cells);
  headers.forEach((header, column) => {
    if (header.hasAttribute("data-fixed")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => {
      const down = header.getAttribute("aria-sort") === "ascending";
      for (const other of headers) other.removeAttribute("aria-sort");
      header.setAttribute("aria-sort", down ? "descending" : "ascending");
      const keyed = Array.from(body.rows, (row) => [sortKey(row.cells[column]), row]);
      keyed.sort(([a], [b]) => (down ? -1 : 1) * compare(a, b));
      body.append(...keyed.map(([, row]) => row));
    });
  });
}

function sortKey(cell) {
  return cell.hasAttribute("data-v") ? Number(cell.dataset.v) : cell.textContent.trim();
}

// What is not a number comes first, so that the order is one.
function compare(a, b) {
  if (typeof a === "string") return a.localeCompare(b, "en", { numeric: true });
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(b) - Number.isNaN(a);
  return a - b;
}
