// The contract with the server: the shapes of its answers, and how they are asked for. Nothing here knows the page.

/** The code of "no class" in the binary messages. */
export const NONE = 255;
/** Where a row's class comes from. */
export const enum Source {
  model = 0,
  given = 1,
  unsure = 2,
  blank = 3,
}

export interface ClassInfo {
  name: string;
  color: string;
  shape: string;
  given?: number;
  called?: number;
}

export interface Column {
  name: string;
  kind: string;
  used: boolean;
}

export interface Table {
  name: string;
  n_rows: number;
  label_column: string;
  columns: Column[];
  /** The column that rows are called by; empty: they are called by their number, from `first_row`. */
  row_names: string;
  first_row: number;
  classes: ClassInfo[];
  picture: null | { kind: "column" | "pixels"; column: string | null; width: number; height: number };
  journal: string;
  least_confidence: number;
  exports: { id: string; label: string }[];
}

export interface Live {
  type: "state";
  version: number;
  entry: number;
  pending: boolean;
  complete: boolean;
  stage: string;
  progress: number | null;
  message: string | null;
  n_given: number;
  n_unsure: number;
  classes: ClassInfo[];
  /** `rough`: the labels are too few for the number to mean much. */
  error: null | { expected: number; low: number; high: number; rough: boolean };
  baselines: { name: string; error: number; n_labels: number }[];
  history: [number, number, number, number][];
  last: null | {
    do: Action["do"];
    rows: number;
    class: string | null;
    /** Null until that is known. */
    changed: number | null;
    error_before: number | null;
    error_after: number | null;
  };
  queue: { next: number[]; unsure: number[]; suspects: number[] };
  stop: string | null;
  can_undo: boolean;
  can_redo: boolean;
}

export interface Cell {
  column: string;
  text: string;
  kind: string;
}

export interface Row {
  row: number;
  name: string;
  cells: Cell[];
  picture: boolean;
  given: string | null;
  unsure: boolean;
  guess: string | null;
  confidence: number | null;
  second: string | null;
  probabilities: { name: string; p: number }[];
  suspect: null | { probably: string; p: number };
}

export interface Why {
  row: number;
  because: { row: number; name: string; label: string; share: number }[];
  rest: number;
}

export interface WhatIf {
  row: number;
  class: number;
  changed: [number, number][];
  n_changed: number;
}

export interface ListedRow {
  row: number;
  name: string;
  cells: string[];
  given: string | null;
  guess: string | null;
  confidence: number | null;
  /** What the other labels say it is, if they contradict its own. */
  probably: string | null;
}

export interface RowList {
  total: number;
  rows: ListedRow[];
  columns: string[];
}

export interface Action {
  do: "label" | "unlabel" | "unsure" | "skip" | "undo" | "redo" | "class";
  rows?: number[];
  class?: string;
  name?: string;
}

export interface Saved {
  entry: number;
  n_given: number;
  said: string;
}

/** What changed since the last binary message. */
export interface Changes {
  version: number;
  rows: Uint32Array;
  called: Uint8Array;
  confidence: Uint8Array;
  source: Uint8Array;
}

/** The server refused, in a sentence of its own. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Split a binary message; the rows are copied because they need not be aligned in it. */
export function parseChanges(data: ArrayBuffer): Changes {
  const view = new DataView(data);
  const version = view.getUint32(0, true);
  const k = view.getUint32(4, true);
  const rows = new Uint32Array(data.slice(8, 8 + 4 * k));
  const at = 8 + 4 * k;
  return {
    version,
    rows,
    called: new Uint8Array(data, at, k),
    confidence: new Uint8Array(data, at + k, k),
    source: new Uint8Array(data, at + 2 * k, k),
  };
}

/** Take the token out of the address, so that it is in no bookmark, history or screenshot. */
function takeToken(): string {
  const found = /(?:^#|&)token=([^&]*)/.exec(location.hash)?.[1];
  if (found) {
    sessionStorage.setItem("sskpca-token", decodeURIComponent(found));
    history.replaceState(null, "", location.pathname + location.search);
  }
  return sessionStorage.getItem("sskpca-token") ?? "";
}

export interface Listener {
  opened(): void;
  state(live: Live): void;
  changes(changes: Changes): void;
  map(): void;
  gone(message: string): void;
  lost(): void;
  refused(): void;
}

export class Api {
  readonly token = takeToken();
  readonly client = Array.from(crypto.getRandomValues(new Uint8Array(8)), (b) => b.toString(16).padStart(2, "0")).join(
    "",
  );
  private line: Promise<unknown> = Promise.resolve();
  private socket: WebSocket | null = null;
  private wait = 250;
  private over = false;

  private async ask(path: string, init: RequestInit = {}): Promise<Response> {
    const answer = await fetch(path, { ...init, headers: { ...init.headers, "X-Sskpca-Token": this.token } });
    if (!answer.ok) {
      const said = await answer.json().catch(() => null);
      throw new Refusal(answer.status, said?.error ?? said?.detail ?? `The server answered ${answer.status}.`);
    }
    return answer;
  }

  async get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return (await this.ask(path, signal ? { signal } : {})).json();
  }

  table = () => this.get<Table>("/api/table");
  row = (i: number) => this.get<Row>(`/api/row/${i}`);
  why = (i: number) => this.get<Why>(`/api/row/${i}/why`);
  whatIf = (i: number, code: number, signal?: AbortSignal) =>
    this.get<WhatIf>(`/api/row/${i}/what-if?class=${code}`, signal);

  rows(list: string, search: string, column: string, offset: number, limit: number): Promise<RowList> {
    const query = new URLSearchParams({ list, search, column, offset: `${offset}`, limit: `${limit}` });
    return this.get(`/api/rows?${query}`);
  }

  search(text: string, column: string, signal?: AbortSignal): Promise<{ total: number; rows: number[] }> {
    return this.get(`/api/search?${new URLSearchParams({ text, column })}`, signal);
  }

  /** Return the places of the rows, or null while they are computed. */
  async map(): Promise<Float32Array<ArrayBuffer> | null> {
    const answer = await this.ask("/api/map");
    return answer.status === 202 ? null : new Float32Array(await answer.arrayBuffer());
  }

  async picture(i: number): Promise<string> {
    return URL.createObjectURL(await (await this.ask(`/api/row/${i}/picture`)).blob());
  }

  async download(id: string): Promise<void> {
    const answer = await this.ask(`/api/export/${id}`);
    const disposition = answer.headers.get("content-disposition") ?? "";
    const encoded = /filename\*=utf-8''([^;]+)/i.exec(disposition)?.[1];
    const link = document.createElement("a");
    link.download = encoded ? decodeURIComponent(encoded) : (/filename="?([^";]+)/.exec(disposition)?.[1] ?? id);
    link.href = URL.createObjectURL(await answer.blob());
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  /** Send an action; actions of this tab reach the server one after another, in the order of the keys. */
  act(action: Action): Promise<Saved> {
    const send = async (): Promise<Saved> =>
      (
        await this.ask("/api/actions", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ client: this.client, ...action }),
        })
      ).json();
    const done = this.line.then(send, send);
    this.line = done;
    return done;
  }

  async quit(): Promise<void> {
    await this.ask("/api/quit", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
    this.stop();
  }

  /** Never connect again: the server has said that it is gone. */
  stop(): void {
    this.over = true;
    this.socket?.close();
  }

  /** Listen to the server; come back by itself, after longer and longer waits, when the line is cut. */
  listen(to: Listener): void {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/live`);
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      socket.send(JSON.stringify({ token: this.token }));
      to.opened();
    };
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      this.wait = 250;
      if (typeof data !== "string") return to.changes(parseChanges(data));
      const message = JSON.parse(data);
      if (message.type === "state") to.state(message);
      else if (message.type === "map") to.map();
      else if (message.type === "gone") {
        this.over = true;
        to.gone(message.message);
      }
    };
    socket.onclose = ({ code }) => {
      if (this.over) return;
      // Another server, with another token, has taken this one's place.
      if (code === 1008) return to.refused();
      to.lost();
      setTimeout(() => this.listen(to), this.wait);
      this.wait = Math.min(2 * this.wait, 4000);
    };
  }
}
