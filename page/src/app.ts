// The state of the page and what can be done with it. Views read it, and call its methods; nothing else changes it.

import {
  Api,
  type Changes,
  type ClassInfo,
  type Live,
  NONE,
  Refusal,
  type Row,
  type RowList,
  Source,
  type Table,
  type Why,
  type WhatIf,
} from "./api";
import { Keys } from "./keys";
import { MapView, type Scene } from "./map";
import { Outbox } from "./outbox";
import { RowCache } from "./rows";
import { percent, plural } from "./words";

export type ListName = "next" | "unsure" | "suspects" | "found";
export type Dialog = "help" | "classes" | "new" | "menu" | null;
/** opening, open, lost (comes back by itself), or over for good, with a sentence. */
export type Link = "opening" | "open" | "lost" | "refused" | "gone";
export type Show = "all" | "unlabeled" | "given" | "doubtful";

const LISTED = 40;
const REFUSED = "Open the address that sskpca printed in the terminal: it holds the key to your table.";

export class App implements Scene {
  readonly api = new Api();
  readonly keys = new Keys();
  table: Table | null = null;
  live: Live | null = null;
  link: Link = "opening";
  over = "";

  // The answer, row by row.
  called = new Uint8Array();
  confidence = new Uint8Array();
  source = new Uint8Array();
  version = -1;

  map: MapView | null = null;
  places: Float32Array<ArrayBuffer> | null = null;
  /** Why there is no map, in a sentence. */
  noMap: string | null = null;
  view: "map" | "table" = "map";

  current: number | null = null;
  row: Row | null = null;
  why: Why | null = null;
  list: ListName = "next";
  rows: RowList | null = null;
  selection = new Set<number>();
  overwrite = false;
  preview: Map<number, number> | null = null;
  tried: WhatIf | null = null;
  tryingClass: number | null = null;
  search = { text: "", column: "", total: 0, rows: null as number[] | null };
  /** On a narrow screen the search is out of sight until it is asked for. */
  searchOpen = false;
  show: Show = "all";
  shown: Uint8Array | null = null;
  hover: { row: number; x: number; y: number } | null = null;
  dialog: Dialog = null;
  page = 0;
  pageRows: RowList | null = null;

  said = "";
  readonly outbox = new Outbox(this.api, {
    open: () => this.link === "open",
    say: (sentence) => this.say(sentence),
    changed: () => this.changed(),
  });
  readonly cache = new RowCache(this.api);

  private readonly passed = new Set<number>();
  private readonly born = performance.now();
  /** The row in question was shown for want of a better one, and nobody has moved from it. */
  private standIn = false;
  private readonly visited: number[] = [];
  private readonly acted: number[] = [];
  private readonly undone: number[] = [];
  private listing = false;
  private listAgain = false;
  private searching: AbortController | null = null;
  private trying: AbortController | null = null;
  private hovering = 0;
  private waiting = 0;
  private drawing = false;

  constructor(private readonly render: () => void) {}

  changed(): void {
    if (this.drawing) return;
    this.drawing = true;
    queueMicrotask(() => {
      this.drawing = false;
      this.render();
    });
  }

  // ---- the line to the server ----------------------------------------------------------------------------------

  async start(): Promise<void> {
    try {
      this.table = await this.api.table();
    } catch (error) {
      if (error instanceof Refusal && [401, 403].includes(error.status)) {
        this.end("refused", REFUSED);
      } else {
        this.link = "lost";
        setTimeout(() => this.start(), 1000);
      }
      return this.changed();
    }
    const n = this.table.n_rows;
    this.called = new Uint8Array(n).fill(NONE);
    this.confidence = new Uint8Array(n);
    this.source = new Uint8Array(n);
    document.title = `${this.table.name} · sskpca`;
    this.api.listen({
      opened: () => {
        this.link = "open";
        this.changed();
      },
      lost: () => {
        this.link = "lost";
        this.changed();
      },
      refused: () => this.end("refused", REFUSED),
      gone: (message) => this.end("gone", message),
      map: () => void this.fetchMap(),
      state: (live) => this.receive(live),
      changes: (changes) => this.apply(changes),
    });
    void this.fetchMap();
    this.changed();
  }

  private end(link: Link, sentence: string): void {
    this.link = link;
    this.over = sentence;
    this.say(sentence);
  }

  async fetchMap(): Promise<void> {
    if (this.places) return;
    try {
      this.places ??= await this.api.map();
      this.changed();
    } catch {
      setTimeout(() => this.fetchMap(), 1000);
    }
  }

  private receive(live: Live): void {
    const before = this.live;
    this.live = live;
    this.keys.name(live.classes.map((c) => c.name));
    this.outbox.noticeOthers(live.entry);
    if (before && live.version !== before.version && live.last && live.pending === false)
      this.say(this.lastChange() ?? this.said);
    if (live.message && live.message !== before?.message) this.say(live.message);
    this.begin();
    const [best] = live.queue.next;
    if (this.standIn && best !== undefined && !live.n_given) this.open(best, false);
    if (
      !before ||
      live.version !== before.version ||
      live.entry !== before.entry ||
      live.complete !== before.complete
    ) {
      if (this.current !== null) void this.fetchRow(this.current);
      void this.fetchLists();
    }
    if (live.classes.length !== before?.classes.length) this.map?.refresh();
    this.map?.mark();
    this.changed();
  }

  private apply({ version, rows, called, confidence, source }: Changes): void {
    const changed: number[] = [];
    const first = this.version < 0 || rows.length === this.called.length;
    for (let k = 0; k < rows.length; k++) {
      const i = rows[k]!;
      if (this.called[i] !== called[k]) changed.push(i);
      this.called[i] = called[k]!;
      this.confidence[i] = confidence[k]!;
      this.source[i] = source[k]!;
    }
    this.version = version;
    this.filter();
    this.map?.refresh(first ? undefined : changed);
    this.changed();
  }

  // ---- what is said --------------------------------------------------------------------------------------------

  say(sentence: string): void {
    this.said = sentence;
    this.changed();
  }

  lastChange(): string | null {
    const last = this.live?.last;
    if (!last) return null;
    const error =
      last.error_before !== null && last.error_after !== null
        ? `, error ${(100 * last.error_before).toFixed(1)} → ${percent(last.error_after)}`
        : "";
    const sign = last.class === null ? "−" : "+";
    const what =
      { undo: "Taken back", redo: "Done again" }[last.do as string] ?? `${sign}${plural(last.rows, "label")}`;
    return last.changed === null ? what : `${what}, ${plural(last.changed, "row")} changed${error}`;
  }

  // ---- classes -------------------------------------------------------------------------------------------------

  get classes(): ClassInfo[] {
    return this.live?.classes ?? this.table?.classes ?? [];
  }

  get leastConfidence(): number {
    return this.table?.least_confidence ?? 0.5;
  }

  classOf(name: string | null): ClassInfo | undefined {
    return this.classes.find((c) => c.name === name);
  }

  // ---- rows ----------------------------------------------------------------------------------------------------

  /** Rows of the list beside the map, in its order. */
  get listed(): number[] {
    if (this.list === "found") return [];
    return this.live?.queue[this.list].slice(0, this.list === "suspects" ? 50 : 12) ?? [];
  }

  /** Show the first row: the best one, unless that takes longer than a person would like to wait. */
  private begin(): void {
    if (this.current !== null || !this.live) return;
    const rest = 3000 - (performance.now() - this.born);
    const early = ["loading", "fit"].includes(this.live.stage);
    if (early && rest > 0) return void window.setTimeout(() => this.begin(), rest);
    this.advance();
    this.standIn = early;
  }

  open(row: number, remember = true): void {
    if (remember && this.current !== null && this.current !== row) this.visited.push(this.current);
    this.standIn = false;
    this.current = row;
    this.row = this.cache.peek(row) ?? null;
    this.why = null;
    this.tryClass(null);
    this.map?.reveal(row);
    this.map?.mark();
    void this.fetchRow(row);
    this.changed();
  }

  private async fetchRow(row: number): Promise<void> {
    try {
      const answer = await this.api.row(row);
      this.cache.keep(answer);
      if (this.current !== row) return;
      this.row = answer;
      this.changed();
      // The whole answer alone says why; it comes with a state of its own.
      if (!this.live?.complete || !this.live.error) return;
      const why = await this.api.why(row);
      if (this.current === row) this.why = why;
    } catch (error) {
      if (error instanceof Refusal && error.status === 409 && this.current === row) this.why = null;
    }
    this.changed();
    // The row that probably comes next is there before it is asked for.
    const next = this.candidates().find((i) => i !== row);
    if (next === undefined || this.cache.has(next)) return;
    this.api.row(next).then(
      (ahead) => this.cache.keep(ahead),
      () => undefined,
    );
    if (this.table?.picture) void this.cache.picture(next);
  }

  /** Rows that may come next: of the open list, then of the others, without those just dealt with. */
  private candidates(): number[] {
    const queue = this.live?.queue;
    if (!queue) return [];
    const open = (i: number) =>
      !this.passed.has(i) && this.source[i] !== Source.given && this.source[i] !== Source.unsure;
    if (this.list === "suspects") return queue.suspects.filter((i) => !this.passed.has(i));
    const first = this.list === "found" ? (this.search.rows ?? []) : queue[this.list];
    return [
      ...first.filter(this.list === "unsure" ? (i) => !this.passed.has(i) && this.source[i] !== Source.given : open),
      ...queue.next.filter(open),
      ...queue.unsure.filter(open),
    ];
  }

  advance(): void {
    const next = this.candidates().find((i) => i !== this.current);
    if (next !== undefined) return this.open(next);
    const n = this.called.length;
    for (let k = 1, i = this.current ?? -1; k <= n; k++) {
      const j = (i + k) % n;
      if (this.source[j] !== Source.given && this.source[j] !== Source.unsure && !this.passed.has(j))
        return this.open(j);
    }
    if (this.passed.size) {
      // What was put off comes again.
      this.passed.clear();
      return this.advance();
    }
    this.say("Every row has a label, or is marked as unsure.");
  }

  back(): void {
    const before = this.visited.pop();
    if (before !== undefined) this.open(before, false);
  }

  /** Go up or down in the table. */
  step(by: number): void {
    const rows = this.pageRows?.rows ?? [];
    const at = rows.findIndex((row) => row.row === this.current);
    const to = rows[at < 0 ? 0 : at + by];
    if (!to) return;
    this.open(to.row);
    document.querySelector(`[data-row="${to.row}"]`)?.scrollIntoView({ block: "nearest" });
  }

  openList(list: ListName): void {
    this.list = list;
    this.rows = null;
    this.map?.refresh();
    void this.fetchLists();
    this.changed();
  }

  /** Fetch the list beside the map, and the table's page if it is open; once more if something changed meanwhile. */
  async fetchLists(): Promise<void> {
    this.listAgain = true;
    if (this.listing) return;
    this.listing = true;
    while (this.listAgain) {
      this.listAgain = false;
      const { list, view, page, show } = this;
      const { text, column } = this.search;
      try {
        const found = list === "found";
        const rows = await this.api.rows(found ? "all" : list, found ? text : "", found ? column : "", 0, LISTED);
        if (list === this.list) this.rows = rows;
        if (view === "table") {
          const which = { all: "all", unlabeled: "unlabeled", given: "labeled", doubtful: "unsure" }[show];
          this.pageRows = await this.api.rows(which, text, column, 50 * page, 50);
        }
        this.changed();
      } catch (error) {
        if (error instanceof Refusal) this.say(error.message);
      }
    }
    this.listing = false;
  }

  turnPage(page: number): void {
    this.page = page;
    void this.fetchLists();
  }

  // ---- labels --------------------------------------------------------------------------------------------------

  /** Give the row in question, or all selected rows, a class; then go on. */
  async label(code: number): Promise<void> {
    const chosen = this.classes[code];
    if (!chosen) return;
    const bulk = this.selection.size > 0;
    const rows = bulk ? this.toLabel() : this.current === null ? [] : [this.current];
    if (!rows.length) return this.say("No row to label: the selected rows have your labels already.");
    if (this.link !== "open") return this.say("Not saved: there is no connection to the server.");
    if (bulk) this.select([]);
    else this.pass(rows[0]!);
    const what = bulk ? `${plural(rows.length, "row")}: ${chosen.name}` : `${this.nameOf(rows[0]!)}: ${chosen.name}`;
    if (await this.outbox.act({ do: "label", rows, class: chosen.name }, what)) {
      for (const i of rows) {
        this.called[i] = code;
        this.confidence[i] = 255;
        this.source[i] = Source.given;
      }
      this.cache.forget(rows[0]!);
      this.acted.push(rows[0]!);
      this.undone.length = 0;
      this.filter();
      this.map?.refresh(rows);
      this.begin();
    } else for (const i of rows) this.passed.delete(i);
  }

  private pass(row: number): void {
    this.passed.add(row);
    this.advance();
  }

  private async actOnCurrent(verb: "skip" | "unsure" | "unlabel"): Promise<void> {
    const bulk = this.selection.size > 0 && verb !== "skip";
    const rows = bulk ? [...this.selection] : this.current === null ? [] : [this.current];
    if (!rows.length) return;
    if (this.link !== "open") return this.say("Not saved: there is no connection to the server.");
    const what = `${bulk ? plural(rows.length, "row") : this.nameOf(rows[0]!)}: ${verb === "unlabel" ? "no label" : verb}`;
    if (bulk) this.select([]);
    else if (verb !== "unlabel") this.pass(rows[0]!);
    if (await this.outbox.act({ do: verb, rows }, what)) {
      if (verb === "unsure") for (const i of rows) this.source[i] = Source.unsure;
      if (verb === "unlabel") for (const i of rows) [this.source[i], this.called[i]] = [Source.blank, NONE];
      this.acted.push(rows[0]!);
      this.undone.length = 0;
      this.cache.forget(rows[0]!);
      if (verb === "unlabel" && this.current !== null) void this.fetchRow(this.current);
      this.map?.refresh();
    } else for (const i of rows) this.passed.delete(i);
  }

  skip = () => this.actOnCurrent("skip");
  unsure = () => this.actOnCurrent("unsure");
  unlabel = () => this.actOnCurrent("unlabel");

  async undo(): Promise<void> {
    if (!this.live?.can_undo && !this.acted.length) return this.say("There is nothing to undo.");
    if (!(await this.outbox.act({ do: "undo" }, "undo"))) return;
    const row = this.acted.pop();
    if (row === undefined) return;
    this.undone.push(row);
    this.passed.delete(row);
    this.cache.forget(row);
    this.open(row);
  }

  async redo(): Promise<void> {
    if (!this.live?.can_redo && !this.undone.length) return this.say("There is nothing to redo.");
    if (!(await this.outbox.act({ do: "redo" }, "redo"))) return;
    const row = this.undone.pop();
    if (row === undefined) return;
    this.acted.push(row);
    this.cache.forget(row);
    if (this.current === row) this.pass(row);
  }

  /** Add classes, in their order; return whether all are on disk. */
  async addClasses(names: string[]): Promise<boolean> {
    for (const name of names) if (!(await this.outbox.act({ do: "class", name }, `new class ${name}`))) return false;
    return true;
  }

  nameOf(row: number): string {
    const known = this.cache.peek(row)?.name;
    return known ?? (this.table && !this.table.row_names ? `row ${this.table.first_row + row}` : "…");
  }

  // ---- selection, search, what if ------------------------------------------------------------------------------

  select(rows: number[]): void {
    this.selection = new Set(rows);
    this.overwrite = false;
    if (this.map) this.map.lassoOn = false;
    this.map?.refresh();
    if (rows.length)
      this.say(`${plural(rows.length, "row")} selected. A class key labels them all; Escape clears the selection.`);
    this.changed();
  }

  /** Selected rows that a class would be given to: those with a label keep it unless the person says otherwise. */
  toLabel(): number[] {
    return [...this.selection].filter((i) => this.overwrite || this.source[i] !== Source.given);
  }

  lasso(): void {
    if (!this.map || this.view !== "map")
      return this.say("The lasso needs the map. In the table, search and select all that is found.");
    this.map.lassoOn = !this.map.lassoOn;
    this.say(this.map.lassoOn ? "Draw around points; then a class key labels all inside." : "");
  }

  escape(): void {
    if (this.map?.lassoOn) this.map.lassoOn = false;
    else if (this.selection.size) this.select([]);
    this.said = "";
    this.tryClass(null);
    this.changed();
  }

  lookFor(text: string, column: string): void {
    Object.assign(this.search, { text, column });
    this.searching?.abort();
    window.clearTimeout(this.waiting);
    this.page = 0;
    if (!text) {
      Object.assign(this.search, { rows: null, total: 0 });
      if (this.list === "found") this.openList("next");
      this.filter();
      void this.fetchLists();
      this.map?.refresh();
      return this.changed();
    }
    this.waiting = window.setTimeout(async () => {
      this.searching = new AbortController();
      try {
        const found = await this.api.search(text, column, this.searching.signal);
        Object.assign(this.search, { rows: found.rows, total: found.total });
        this.filter();
        this.openList("found");
        this.say(`${plural(found.total, "row")} found.`);
      } catch (error) {
        if (error instanceof Refusal) this.say(error.message);
      }
    }, 180);
    this.changed();
  }

  showOnly(show: Show): void {
    this.show = show;
    this.page = 0;
    this.filter();
    void this.fetchLists();
    this.map?.refresh();
    this.changed();
  }

  /** Find which rows pass the search and the choice of rows. */
  private filter(): void {
    if (this.show === "all" && !this.search.rows) {
      this.shown = null;
      return;
    }
    const found = this.search.rows ? new Uint8Array(this.called.length) : null;
    if (found) for (const i of this.search.rows!) found[i] = 1;
    const passes = {
      all: () => true,
      unlabeled: (i: number) => this.source[i] !== Source.given,
      given: (i: number) => this.source[i] === Source.given,
      doubtful: (i: number) => this.source[i] === Source.blank || this.source[i] === Source.unsure,
    }[this.show];
    this.shown = Uint8Array.from({ length: this.called.length }, (_, i) => ((!found || found[i]) && passes(i) ? 1 : 0));
  }

  selectShown(): void {
    const rows: number[] = [];
    for (let i = 0; i < this.called.length; i++) if (!this.shown || this.shown[i]) rows.push(i);
    this.select(rows);
  }

  /** Show which rows would change if the row in question had this class; null: show what is. */
  tryClass(code: number | null): void {
    if (code === this.tryingClass) return;
    this.trying?.abort();
    window.clearTimeout(this.hovering);
    this.tryingClass = code;
    if (this.preview || this.tried) {
      this.preview = null;
      this.tried = null;
      this.map?.refresh();
      this.changed();
    }
    const row = this.current;
    if (code === null || row === null || this.selection.size || this.link !== "open" || !this.live?.error) return;
    this.hovering = window.setTimeout(async () => {
      const trying = (this.trying = new AbortController());
      try {
        const answer = await this.api.whatIf(row, code, trying.signal);
        if (trying.signal.aborted || this.current !== row) return;
        this.tried = answer;
        this.preview = new Map([...answer.changed, [row, code]]);
        const name = this.classes[code]?.name;
        this.say(`If ${this.nameOf(row)} were ${name}: ${plural(answer.n_changed, "row")} would change.`);
        this.map?.refresh();
      } catch (error) {
        if (error instanceof Refusal && error.status !== 409) this.say(error.message);
      }
    }, 120);
  }

  point(row: number | null, x: number, y: number): void {
    if (row === null && !this.hover) return;
    if (row !== this.hover?.row && row !== null && !this.cache.has(row))
      void this.api.row(row).then(
        (answer) => {
          this.cache.keep(answer);
          if (this.hover?.row === row) this.changed();
        },
        () => undefined,
      );
    this.hover = row === null ? null : { row, x, y };
    this.changed();
  }

  /** Put the map into its place on the page, or say why there is none. */
  mount(host: HTMLElement): void {
    if (this.map || !this.places || this.noMap) return;
    try {
      this.map = new MapView(host, this.places, this, {
        hover: (row, x, y) => this.point(row, x, y),
        pick: (row) => this.open(row),
        lasso: (rows) => this.select(rows),
        failed: (sentence) => this.withoutMap(sentence),
      });
    } catch {
      this.withoutMap("This browser has no WebGL, so there is no map. The table has the same rows and the same keys.");
    }
  }

  private withoutMap(sentence: string): void {
    this.noMap = sentence;
    this.say(sentence);
    this.switchView("table");
  }

  switchView(view: "map" | "table"): void {
    this.view = view === "map" && this.noMap && !this.map ? "table" : view;
    void this.fetchLists();
    this.changed();
  }
}
