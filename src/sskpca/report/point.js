// Pointing at the map, or tapping it, tells the row of the nearest mark.
{
  const map = document.getElementById("map");
  const told = document.getElementById("map-told");
  const ring = document.getElementById("map-pointer");
  const marks = Array.from(map.querySelectorAll("use[data-t]"), (mark) => ({
    x: Number(mark.getAttribute("x")),
    y: Number(mark.getAttribute("y")),
    mark,
  }));
  const names = JSON.parse(map.dataset.names);
  const reach = 20;
  const tell = (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(map.getScreenCTM().inverse());
    let nearest = null;
    let least = reach * reach;
    for (const entry of marks) {
      const distance = (entry.x - at.x) ** 2 + (entry.y - at.y) ** 2;
      if (distance <= least) [nearest, least] = [entry, distance];
    }
    if (!nearest) return;
    const [row, code, percent] = nearest.mark.dataset.t.split(" ").map(Number);
    const line = map.dataset.line ? ` (line ${row - 1 + Number(map.dataset.line)} of the file)` : "";
    const kind = nearest.mark.parentNode.getAttribute("class");
    const how = { given: "label given", found: `found, ${percent} % sure`, unsure: `unsure, ${percent} %` }[kind];
    told.textContent = `Row ${row}${line}: ${names[code] || "(empty)"}, ${how}.`;
    ring.setAttribute("cx", nearest.x);
    ring.setAttribute("cy", nearest.y);
  };
  if (marks.length) {
    told.hidden = false;
    map.addEventListener("pointermove", tell);
    map.addEventListener("click", tell);
  }
}
