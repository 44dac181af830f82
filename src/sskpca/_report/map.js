// The map: rows drawn on a canvas, told when they are pointed at, tapped, or reached by the arrow keys.
{
  const canvas = document.getElementById("map");
  const frame = document.getElementById("map-frame");
  const told = document.getElementById("map-told");
  const ring = document.getElementById("map-ring");
  const brush = canvas.getContext("2d");
  const [UNSURE, GIVEN, SUSPECT, NEXT] = [0, 2, 4, 8];
  const names = JSON.parse(canvas.dataset.names);
  const marks = JSON.parse(canvas.dataset.marks);
  const firstRow = Number(canvas.dataset.first);

  // See POINT in map.py.
  const bytes = Uint8Array.from(atob(canvas.dataset.points), (letter) => letter.charCodeAt(0));
  const data = new DataView(bytes.buffer);
  const points = Array.from({ length: bytes.length / 12 }, (_, i) => ({
    across: data.getUint16(12 * i, true) / 65535,
    down: data.getUint16(12 * i + 2, true) / 65535,
    row: data.getUint32(12 * i + 4, true),
    code: data.getUint16(12 * i + 8, true),
    percent: data.getUint8(12 * i + 10),
    group: data.getUint8(12 * i + 11) & 3,
    flags: data.getUint8(12 * i + 11),
    x: 0,
    y: 0,
  }));
  const byRow = new Map(points.map((point) => [point.row, point]));
  const MARGIN = 16;
  const REACH = 24;
  const view = { zoom: 1, left: 0, top: 0 };
  let [width, height] = [0, 0];
  let chosen = null;
  let onlyClass = null;

  function place() {
    const box = canvas.getBoundingClientRect();
    [width, height] = [box.width, box.height];
    const sharp = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * sharp);
    canvas.height = Math.round(height * sharp);
    brush.setTransform(sharp, 0, 0, sharp, 0, 0);
    // What is zoomed stays within the frame.
    view.left = Math.min(0, Math.max(width * (1 - view.zoom), view.left));
    view.top = Math.min(0, Math.max(height * (1 - view.zoom), view.top));
    for (const point of points) {
      point.x = view.left + view.zoom * (MARGIN + (width - 2 * MARGIN) * point.across);
      point.y = view.top + view.zoom * (MARGIN + (height - 2 * MARGIN) * point.down);
    }
    draw();
  }

  function outline(shape, radius) {
    const path = new Path2D();
    shape.forEach(([x, y], i) => (i ? path.lineTo(radius * x, -radius * y) : path.moveTo(radius * x, -radius * y)));
    path.closePath();
    return path;
  }

  function draw() {
    const style = getComputedStyle(document.documentElement);
    const [ink, edge, warn, paper] = ["ink", "edge", "warn", "paper"].map((name) =>
      style.getPropertyValue(`--${name}`).trim()
    );
    const size = Math.min(1, Math.max(0.75, width / 720)) * Math.sqrt(Math.min(view.zoom, 4));
    const small = size * (points.length <= 500 ? 4.6 : points.length <= 3000 ? 3.4 : 2.3);
    const large = Math.max(small + 1.5, size * (points.length <= 3000 ? 6.5 : 4.5));
    const shapes = marks.map((mark) => ({
      color: mark.color,
      small: outline(mark.corners, small),
      large: outline(mark.corners, large),
    }));
    brush.clearRect(0, 0, width, height);
    brush.lineJoin = "round";
    for (const group of [UNSURE, 1, GIVEN]) {
      brush.strokeStyle = group === GIVEN ? ink : edge;
      brush.lineWidth = group === GIVEN ? 1.6 : points.length <= 3000 ? 0.6 : 0.3;
      for (const point of points) {
        if (point.group !== group || !inside(point)) continue;
        const shape = shapes[point.code % marks.length];
        const path = group === GIVEN ? shape.large : shape.small;
        brush.globalAlpha = onlyClass !== null && point.code !== onlyClass ? 0.08 : group === UNSURE ? 0.4 : 0.95;
        brush.fillStyle = shape.color;
        brush.translate(point.x, point.y);
        brush.fill(path);
        brush.stroke(path);
        brush.translate(-point.x, -point.y);
      }
    }
    brush.globalAlpha = 1;
    for (const point of points) {
      if (point.flags & SUSPECT) around(point, warn, paper, 12, false);
      if (point.flags & NEXT) around(point, ink, paper, 11, true);
    }
  }

  const inside = (point) => point.x > -9 && point.x < width + 9 && point.y > -9 && point.y < height + 9;

  // A ring or a dashed square, with a rim in the colour of the page so that it is seen on any mark.
  function around(point, color, rim, radius, square) {
    for (const [stroke, thick] of [[rim, 5], [color, 2.2]]) {
      brush.strokeStyle = stroke;
      brush.lineWidth = thick;
      brush.setLineDash(square && stroke === color ? [4, 2.5] : []);
      brush.beginPath();
      if (square) brush.rect(point.x - radius, point.y - radius, 2 * radius, 2 * radius);
      else brush.arc(point.x, point.y, radius, 0, 2 * Math.PI);
      brush.stroke();
    }
    brush.setLineDash([]);
  }

  function describe(point) {
    const how = [`unsure (${point.percent} %)`, `${point.percent} % sure`, "label given"][point.group];
    const more = (point.flags & SUSPECT ? "; label to check" : "") + (point.flags & NEXT ? "; label this next" : "");
    const name = `\u2068${names[point.code] || "(empty)"}\u2069`; // isolated: a name may turn the direction of writing
    return `Row ${(point.row + firstRow).toLocaleString("en")}: ${name}, ${how}${more}`;
  }

  // Drawn as an element on top: to draw all rows anew whenever the pointer moves would be slow.
  function choose(point) {
    if (point === chosen) return;
    chosen = point;
    told.hidden = ring.hidden = !point || !inside(point);
    if (point) {
      told.textContent = describe(point);
      ring.style.left = `${point.x}px`;
      ring.style.top = `${point.y}px`;
      const room = Math.max(0, width - told.offsetWidth - 8);
      told.style.left = `${Math.min(room, Math.max(8, point.x - told.offsetWidth / 2))}px`;
      told.style.top = `${point.y > told.offsetHeight + 20 ? point.y - told.offsetHeight - 16 : point.y + 16}px`;
    }
  }

  function nearest(x, y, allowed = () => true) {
    let [best, least] = [null, REACH * REACH];
    for (const point of points) {
      const distance = (point.x - x) ** 2 + (point.y - y) ** 2;
      if (distance <= least && allowed(point)) [best, least] = [point, distance];
    }
    return best;
  }

  // The next row in a direction: near, and not far to the side.
  function beyond(from, dx, dy) {
    let [best, least] = [null, Infinity];
    for (const point of points) {
      const [x, y] = [point.x - from.x, point.y - from.y];
      const ahead = x * dx + y * dy;
      if (ahead <= 0.5) continue;
      const cost = ahead + 3 * Math.abs(x * dy - y * dx);
      if (cost < least) [best, least] = [point, cost];
    }
    return best;
  }

  function zoom(factor, x = width / 2, y = height / 2) {
    const before = view.zoom;
    view.zoom = Math.min(20, Math.max(1, before * factor));
    view.left = x - ((x - view.left) * view.zoom) / before;
    view.top = y - ((y - view.top) * view.zoom) / before;
    choose(null);
    place();
  }

  function at(event) {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  let grip = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (view.zoom > 1) grip = [event.clientX, event.clientY];
  });
  window.addEventListener("pointerup", () => (grip = null));
  canvas.addEventListener("pointermove", (event) => {
    if (grip) {
      view.left += event.clientX - grip[0];
      view.top += event.clientY - grip[1];
      grip = [event.clientX, event.clientY];
      choose(null);
      place();
    } else {
      const [x, y] = at(event);
      choose(nearest(x, y, (point) => onlyClass === null || point.code === onlyClass));
    }
  });
  canvas.addEventListener("click", (event) => choose(nearest(...at(event))));
  canvas.addEventListener("pointerleave", () => choose(null));
  canvas.addEventListener("blur", () => choose(null));
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return; // without it, the wheel scrolls the page
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 200), ...at(event));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (way) choose(beyond(chosen || { x: width / 2, y: height / 2 }, ...way) || chosen);
    else if (event.key === "+") zoom(1.5);
    else if (event.key === "-") zoom(1 / 1.5);
    else if (event.key === "Escape") choose(null);
    else return;
    event.preventDefault();
  });
  const bar = document.createElement("div");
  bar.className = "zoom";
  for (const [sign, label, factor] of [["+", "Zoom in", 1.5], ["\u2212", "Zoom out", 1 / 1.5], ["\u2922", "Whole map", 0]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = sign;
    button.title = label;
    button.setAttribute("aria-label", label);
    button.addEventListener("click", () => zoom(factor));
    bar.append(button);
  }
  frame.append(bar);

  // Classes of the legend become buttons that leave only one class in colour.
  for (const entry of document.querySelectorAll("#map-classes li[data-code]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-pressed", "false");
    button.append(...entry.childNodes);
    entry.append(button);
    button.addEventListener("click", () => {
      const code = Number(entry.dataset.code);
      onlyClass = onlyClass === code ? null : code;
      for (const other of document.querySelectorAll("#map-classes button")) {
        other.setAttribute("aria-pressed", String(other === button && onlyClass !== null));
      }
      draw();
    });
  }

  // Rows of the tables become links to their places on the map.
  for (const cell of document.querySelectorAll("[data-row]")) {
    const point = byRow.get(Number(cell.dataset.row));
    if (!point) continue;
    const link = document.createElement("a");
    link.href = "#map-part";
    link.title = "Show on the map";
    link.append(...cell.childNodes);
    cell.append(link);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      frame.scrollIntoView({ block: "center" });
      canvas.focus({ preventScroll: true });
      choose(point);
    });
  }

  frame.hidden = false;
  if (points.length) {
    place();
    new ResizeObserver(place).observe(frame);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  }
}
