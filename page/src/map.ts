// The map: where the points are on the screen, how they look, and what the pointer does to them.

import KDBush from "kdbush";
import { type ClassInfo, NONE, Source } from "./api";
import { Points, shapeNumber } from "./points";

/** What the map shows; it reads this at every refresh and changes none of it. */
export interface Scene {
  called: Uint8Array;
  confidence: Uint8Array;
  source: Uint8Array;
  version: number;
  classes: ClassInfo[];
  leastConfidence: number;
  /** 1 for each row that passes the filter; null: all do. */
  shown: Uint8Array | null;
  /** Row to class, of the class that is tried. */
  preview: Map<number, number> | null;
  selection: Set<number>;
  current: number | null;
  /** Rows of the list beside the map. */
  listed: number[];
}

export interface Gestures {
  hover(row: number | null, x: number, y: number): void;
  pick(row: number): void;
  lasso(rows: number[]): void;
  failed(sentence: string): void;
}

const MARGIN = 0.94;
const FARTHEST = 0.5;
const NEAREST = 400;
const PULSE = 450;

function parseColor(text: string): [number, number, number] {
  const v = parseInt(text.slice(1), 16);
  return [v >> 16, (v >> 8) & 255, v & 255];
}

/** Whether a point is inside a polygon (flat list of corners), by the even-odd rule. */
function contains(polygon: number[], x: number, y: number): boolean {
  let inside = false;
  for (let i = 0, j = polygon.length - 2; i < polygon.length; j = i, i += 2) {
    const [xi, yi, xj, yj] = [polygon[i]!, polygon[i + 1]!, polygon[j]!, polygon[j + 1]!];
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) inside = !inside;
  }
  return inside;
}

export class MapView {
  /** Version of the answer that is on the screen. */
  drawn = -1;
  /** When it was drawn, in milliseconds of `performance.now`. */
  drawnAt = 0;
  private points: Points | null = null;
  private readonly index: KDBush;
  private readonly canvas: HTMLCanvasElement;
  private readonly overlay: HTMLCanvasElement;
  private readonly size = { width: 1, height: 1 };
  private center: [number, number] = [0, 0];
  private zoom = 1;
  private lassoing = false;
  private path: number[] = [];
  private hovered: number | null = null;
  private pulsed = new Set<number>();
  private pulseStart = 0;
  private frame = 0;
  /** What has to be drawn: points with new colours, points elsewhere, or the rings above them alone. */
  private stale: "colors" | "view" | "rings" = "colors";
  private ink = "#000000";
  private accent = "#000000";
  private readonly down = new Map<number, { x: number; y: number; startX: number; startY: number }>();
  private dragging: "pan" | "lasso" | null = null;

  /** Throws if there is no WebGL. */
  constructor(
    private readonly host: HTMLElement,
    private readonly places: Float32Array<ArrayBuffer>,
    private readonly scene: Scene,
    private readonly gestures: Gestures,
  ) {
    this.canvas = document.createElement("canvas");
    this.overlay = document.createElement("canvas");
    this.canvas.setAttribute("aria-hidden", "true");
    this.overlay.setAttribute("aria-hidden", "true");
    this.points = new Points(this.canvas, places);
    host.append(this.canvas, this.overlay);
    const n = places.length / 2;
    this.index = new KDBush(n, 64, Float32Array);
    for (let i = 0; i < n; i++) this.index.add(places[2 * i]!, places[2 * i + 1]!);
    this.index.finish();
    this.canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.points = null;
      this.gestures.failed("The graphics card stopped drawing. The table has the same rows and keys.");
    });
    this.canvas.addEventListener("webglcontextrestored", () => {
      this.points = new Points(this.canvas, places);
      this.refresh();
    });
    new ResizeObserver(() => this.resize()).observe(host);
    this.listen();
    this.restyle();
    this.resize();
  }

  /** Read the theme's colours again. */
  restyle(): void {
    const style = getComputedStyle(this.host);
    this.ink = style.getPropertyValue("--ink").trim();
    this.accent = style.getPropertyValue("--accent").trim();
    this.refresh();
  }

  /** Draw what the scene says now; rows that just changed are larger for a moment. */
  refresh(changed?: Iterable<number>): void {
    if (changed && this.scene.called.length <= 20_000 && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.pulsed = new Set(changed);
      this.pulseStart = performance.now();
    }
    this.request("colors");
  }

  /** Draw the rings alone: another row is in question, or the list is another. */
  mark(): void {
    this.request("rings");
  }

  get lassoOn(): boolean {
    return this.lassoing;
  }

  set lassoOn(on: boolean) {
    this.lassoing = on;
    this.path = [];
    this.host.classList.toggle("lassoing", on);
    this.request("rings");
  }

  /** Zoom by a factor, around a place on the screen (the middle unless told). */
  zoomBy(factor: number, x = this.size.width / 2, y = this.size.height / 2): void {
    const before = this.unproject(x, y);
    this.zoom = Math.min(NEAREST, Math.max(FARTHEST, this.zoom * factor));
    const after = this.unproject(x, y);
    this.center = [this.center[0] + before[0] - after[0], this.center[1] + before[1] - after[1]];
    this.moved();
  }

  fit(): void {
    this.zoom = 1;
    this.center = [0, 0];
    this.moved();
  }

  /** Bring a row into view if it is outside. */
  reveal(row: number): void {
    const [x, y] = this.project(row);
    if (x > 8 && y > 8 && x < this.size.width - 8 && y < this.size.height - 8) return;
    this.center = [this.places[2 * row]!, this.places[2 * row + 1]!];
    this.moved();
  }

  /** Return where a row is, in pixels of the page's own unit from the map's corner. */
  project(row: number): [number, number] {
    const side = this.side();
    return [
      this.size.width / 2 + (this.places[2 * row]! - this.center[0]) * side,
      this.size.height / 2 - (this.places[2 * row + 1]! - this.center[1]) * side,
    ];
  }

  private unproject(x: number, y: number): [number, number] {
    const side = this.side();
    return [this.center[0] + (x - this.size.width / 2) / side, this.center[1] - (y - this.size.height / 2) / side];
  }

  private side(): number {
    return (Math.min(this.size.width, this.size.height) / 2) * MARGIN * this.zoom;
  }

  private visible(row: number): boolean {
    return !this.scene.shown || this.scene.shown[row] === 1;
  }

  private moved(): void {
    // A finger scrolls the page unless there is something of the map beyond its edges.
    this.host.classList.toggle("zoomed", this.zoom > 1);
    this.request("view");
  }

  private resize(): void {
    const { width, height } = this.host.getBoundingClientRect();
    if (!width || !height) return;
    Object.assign(this.size, { width, height });
    const ratio = devicePixelRatio || 1;
    for (const canvas of [this.canvas, this.overlay]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    this.request("view");
  }

  private request(what: "colors" | "view" | "rings"): void {
    if (what === "colors" || (what === "view" && this.stale === "rings")) this.stale = what;
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  /** Pixels of a common point before any zoom. */
  private common(): number {
    const n = this.scene.called.length;
    return n > 50_000 ? 3.2 : n > 10_000 ? 4.5 : n > 3_000 ? 6 : n > 800 ? 7.5 : 10;
  }

  private diameter(): number {
    const room = Math.min(this.size.width, this.size.height) < 420 ? 0.8 : 1;
    return this.common() * room * Math.min(3, Math.max(0.8, this.zoom ** 0.45));
  }

  private paint(points: Points): void {
    const { called, confidence, source, classes, leastConfidence, shown, preview, selection } = this.scene;
    const { color, style } = points;
    const palette = classes.map((c) => parseColor(c.color));
    const shapes = classes.map((c) => shapeNumber(c.shape));
    const least = 255 * leastConfidence;
    const top: number[] = [];
    // What a person has said is seen among any number of points.
    const large = Math.min(255, Math.max(96, (64 * 8.5) / this.common()));
    // On a dark ground the same opacity looks fainter.
    const [sure, faint] = parseColor(this.ink)[0] > 128 ? [0.55, 0.36] : [0.42, 0.26];
    const aside = preview !== null || selection.size > 0;
    for (let i = 0; i < called.length; i++) {
      const tried = preview?.get(i);
      const code = tried ?? called[i]!;
      const [red, green, blue] = (code !== NONE && palette[code]) || [138, 143, 152];
      const from = source[i];
      let alpha = sure + (0.92 - sure) * Math.max(0, Math.min(1, (confidence[i]! - least) / (255 - least)));
      let size = 64;
      let rim = 0;
      if (code === NONE) [alpha, size] = [0.5, 52];
      else if (from === Source.blank) alpha = faint;
      if (shown) alpha = Math.max(alpha, 0.6);
      if (from === Source.given) [alpha, size, rim] = [1, large, 2];
      else if (from === Source.unsure) [alpha, size, rim] = [faint, large, 2];
      if (aside) {
        if (tried !== undefined || selection.has(i)) [alpha, size, rim] = [1, Math.max(size, 76), Math.max(rim, 1)];
        else alpha *= 0.3;
      }
      if (shown && !shown[i]) [alpha, size, rim] = [0.05, 44, 0];
      const k = 4 * i;
      color[k] = red;
      color[k + 1] = green;
      color[k + 2] = blue;
      color[k + 3] = 255 * alpha;
      style[k] = code === NONE ? 0 : (shapes[code] ?? 0);
      style[k + 1] = size;
      style[k + 2] = rim;
      style[k + 3] = this.pulsed.has(i) ? 1 : 0;
      if (rim) top.push(i);
    }
    points.upload(new Uint32Array(top));
  }

  private draw(): void {
    const { points, scene } = this;
    if (!points) return;
    const ratio = devicePixelRatio || 1;
    const since = performance.now() - this.pulseStart;
    const pulse = this.pulsed.size && since < PULSE ? (1 - since / PULSE) ** 2 * 7 * ratio : 0;
    if (this.stale === "colors") this.paint(points);
    if (this.stale !== "rings" || this.pulsed.size) {
      const side = this.side();
      const scale: [number, number] = [(2 * side) / this.size.width, (2 * side) / this.size.height];
      points.draw({
        scale,
        shift: [-this.center[0] * scale[0], -this.center[1] * scale[1]],
        diameter: this.diameter() * ratio,
        pulse,
        ink: parseColor(this.ink).map((c) => c / 255) as [number, number, number],
        pixel: ratio,
      });
      this.drawn = scene.version;
      this.drawnAt = performance.now();
    }
    this.stale = "rings";
    this.drawRings(ratio);
    if (pulse) this.request("rings");
    else if (this.pulsed.size) {
      this.pulsed = new Set();
      this.request("view");
    }
  }

  private drawRings(ratio: number): void {
    const context = this.overlay.getContext("2d");
    if (!context) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.size.width, this.size.height);
    const ring = (row: number, radius: number, width: number, color: string) => {
      const [x, y] = this.project(row);
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.lineWidth = width;
      context.strokeStyle = color;
      context.stroke();
    };
    const r = this.diameter() / 2;
    context.globalAlpha = 0.55;
    for (const row of this.scene.listed)
      if (row !== this.scene.current && this.visible(row)) ring(row, r + 4, 1.25, this.accent);
    context.globalAlpha = 1;
    if (this.hovered !== null) ring(this.hovered, r + 4, 1.5, this.ink);
    if (this.scene.current !== null) {
      ring(this.scene.current, r + 5, 2.5, this.accent);
      ring(this.scene.current, r + 10, 1, this.accent);
    }
    if (this.path.length > 2) {
      context.beginPath();
      for (let i = 0; i < this.path.length; i += 2) context.lineTo(this.path[i]!, this.path[i + 1]!);
      context.closePath();
      context.lineWidth = 1.5;
      context.strokeStyle = this.accent;
      context.setLineDash([5, 4]);
      context.stroke();
      context.setLineDash([]);
      context.globalAlpha = 0.1;
      context.fillStyle = this.accent;
      context.fill();
      context.globalAlpha = 1;
    }
  }

  private nearest(x: number, y: number, reach: number): number | null {
    const [cx, cy] = this.unproject(x, y);
    let best: number | null = null;
    let least = Infinity;
    for (const row of this.index.within(cx, cy, reach / this.side())) {
      if (!this.visible(row)) continue;
      const distance = (this.places[2 * row]! - cx) ** 2 + (this.places[2 * row + 1]! - cy) ** 2;
      if (distance < least) [best, least] = [row, distance];
    }
    return best;
  }

  /** Return the rows inside the path: those that are shown and on the screen, however few. */
  private inside(): number[] {
    const xs = this.path.filter((_, i) => i % 2 === 0);
    const ys = this.path.filter((_, i) => i % 2 === 1);
    const clamp = (v: number, most: number) => Math.max(0, Math.min(most, v));
    const [left, bottom] = this.unproject(
      clamp(Math.min(...xs), this.size.width),
      clamp(Math.max(...ys), this.size.height),
    );
    const [right, top] = this.unproject(
      clamp(Math.max(...xs), this.size.width),
      clamp(Math.min(...ys), this.size.height),
    );
    const found = this.index.range(left, bottom, right, top);
    return found.filter((row) => this.visible(row) && contains(this.path, ...this.project(row))).sort((a, b) => a - b);
  }

  private listen(): void {
    const host = this.host;
    const place = (event: MouseEvent): [number, number] => {
      const box = host.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    host.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      const [x, y] = place(event);
      this.down.set(event.pointerId, { x, y, startX: x, startY: y });
      host.setPointerCapture(event.pointerId);
      this.dragging = this.lassoing || event.shiftKey ? "lasso" : "pan";
      if (this.dragging === "lasso") this.path = [x, y];
    });
    host.addEventListener("pointermove", (event) => {
      const [x, y] = place(event);
      const finger = this.down.get(event.pointerId);
      if (!finger) {
        const row = this.nearest(x, y, 10);
        if (row !== this.hovered) {
          this.hovered = row;
          this.request("rings");
        }
        return this.gestures.hover(row, x, y);
      }
      this.gestures.hover(null, x, y);
      if (this.dragging === "lasso") {
        this.path.push(x, y);
      } else {
        const other = [...this.down.entries()].find(([id]) => id !== event.pointerId)?.[1];
        if (other) {
          const before = Math.hypot(finger.x - other.x, finger.y - other.y);
          this.zoomBy(Math.hypot(x - other.x, y - other.y) / Math.max(before, 1), (x + other.x) / 2, (y + other.y) / 2);
        }
        const share = other ? 2 : 1;
        const side = this.side() * share;
        this.center = [this.center[0] - (x - finger.x) / side, this.center[1] + (y - finger.y) / side];
      }
      finger.x = x;
      finger.y = y;
      this.request(this.dragging === "lasso" ? "rings" : "view");
    });
    const up = (event: PointerEvent) => {
      const finger = this.down.get(event.pointerId);
      if (!finger) return;
      this.down.delete(event.pointerId);
      const still = Math.hypot(finger.x - finger.startX, finger.y - finger.startY) < 4;
      if (event.type === "pointerup") {
        if (this.dragging === "lasso" && this.path.length > 4) this.gestures.lasso(this.inside());
        else if (still && !this.down.size) {
          const row = this.nearest(finger.x, finger.y, event.pointerType === "mouse" ? 12 : 24);
          if (row !== null) this.gestures.pick(row);
        }
      }
      this.path = [];
      this.request("rings");
    };
    host.addEventListener("pointerup", up);
    host.addEventListener("pointercancel", up);
    host.addEventListener("pointerleave", () => {
      this.hovered = null;
      this.gestures.hover(null, 0, 0);
      this.request("rings");
    });
    host.addEventListener("dblclick", (event) => this.zoomBy(2, ...place(event)));
    host.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const step = event.deltaY * (event.deltaMode === 1 ? 16 : 1) * (event.ctrlKey ? 4 : 1);
        this.zoomBy(Math.exp(-Math.max(-400, Math.min(400, step)) * 0.0022), ...place(event));
      },
      { passive: false },
    );
  }
}
