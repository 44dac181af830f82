// A box above a long table leaves the rows that contain all words typed into it.
for (const region of document.querySelectorAll("[data-filter]")) {
  const rows = Array.from(region.querySelector("tbody").rows, (row) => [row, row.textContent.toLowerCase()]);
  if (rows.length < 6) continue;
  const label = document.createElement("label");
  const box = document.createElement("input");
  const shown = document.createElement("span");
  box.type = "search";
  box.placeholder = region.dataset.filter;
  shown.setAttribute("role", "status");
  label.className = "filter";
  label.append("Filter: ", box, " ", shown);
  region.before(label);
  box.addEventListener("input", () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let n = 0;
    for (const [row, text] of rows) {
      row.hidden = !words.every((word) => text.includes(word));
      n += !row.hidden;
    }
    shown.textContent = words.length ? `${n} of ${rows.length} rows` : "";
  });
}
