// The page: its parts in their places, its keys, its theme, and a view into its state for tests.

import { type JSX, render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { App, type Show } from "./app";
import { count, percent, plural } from "./words";
import { Dialogs } from "./dialogs";
import { Headline } from "./headline";
import type { Command } from "./keys";
import { Queue, TableView } from "./lists";
import { Cap, Picture, Shape } from "./marks";
import { NONE, Source } from "./api";
import { RowPanel } from "./row";

const THEMES = ["auto", "light", "dark"] as const;
let theme = (localStorage.getItem("sskpca-theme") ?? "auto") as (typeof THEMES)[number];

function applyTheme(): void {
  if (theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  localStorage.setItem("sskpca-theme", theme);
  app.map?.restyle();
}

function nextTheme(): void {
  const dark = theme === "dark" || (theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  theme = dark ? "light" : "dark";
  applyTheme();
  app.changed();
}

/** What the page waits for, in a word or two; null: nothing. */
function pending(): string | null {
  if (app.link === "opening") return "Connecting …";
  if (app.link === "lost") return "No connection";
  if (app.outbox.saving) return app.outbox.saving === 1 ? "Saving …" : `Saving ${app.outbox.saving} changes …`;
  const live = app.live;
  if (!live) return "Reading the table …";
  if (live.pending) {
    const stage =
      { loading: "Reading the table", map: "Drawing the map", fit: "Comparing kernels" }[live.stage] ?? "Computing";
    return live.progress ? `${stage}, ${percent(live.progress, 0)}` : `${stage} …`;
  }
  return live.complete ? null : "First answer; the full one follows …";
}

function Header(): JSX.Element {
  const waiting = pending();
  const open = (dialog: typeof app.dialog) => () => {
    app.dialog = dialog;
    app.changed();
  };
  return (
    <header class="top">
      <h1>
        <span class="wordmark">sskpca</span>
        <span class="file">{app.table?.name ?? ""}</span>
      </h1>
      <p class={`status${app.link === "lost" ? " bad" : waiting ? " busy" : ""}`} data-testid="status">
        <span class="dot" aria-hidden="true" />
        <span>{waiting ?? "Saved"}</span>
      </p>
      <Search />
      <nav aria-label="Page">
        <div class="switch" role="group" aria-label="View">
          <button
            type="button"
            aria-pressed={app.view === "map"}
            disabled={!!app.noMap && !app.map}
            onClick={() => app.switchView("map")}
          >
            Map
          </button>
          <button type="button" aria-pressed={app.view === "table"} onClick={() => app.switchView("table")}>
            Table
          </button>
        </div>
        <button
          type="button"
          class="icon searcher"
          aria-label="Search"
          aria-expanded={app.searchOpen}
          onClick={() => {
            app.searchOpen = !app.searchOpen;
            app.changed();
          }}
        >
          <svg
            viewBox="0 0 16 16"
            width="16"
            height="16"
            aria-hidden="true"
            fill="none"
            stroke="currentColor"
            stroke-width="1.6"
          >
            <circle cx="7" cy="7" r="4.5" />
            <path d="M10.5 10.5 14 14" stroke-linecap="round" />
          </svg>
        </button>
        <button type="button" class="saver" aria-label="Save a copy" onClick={open("menu")}>
          <svg
            viewBox="0 0 16 16"
            width="16"
            height="16"
            aria-hidden="true"
            fill="none"
            stroke="currentColor"
            stroke-width="1.6"
            stroke-linecap="round"
            stroke-linejoin="round"
          >
            <path d="M8 2v8M4.8 7 8 10.2 11.2 7M2.5 13.5h11" />
          </svg>
          <span>Save a copy</span>
        </button>
        <button type="button" class="icon" aria-label="Dark or light" title="Dark or light" onClick={nextTheme}>
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="1.5" />
            <path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor" />
          </svg>
        </button>
        <button type="button" class="icon" aria-label="Keys and help" title="Keys and help" onClick={open("help")}>
          ?
        </button>
      </nav>
    </header>
  );
}

function Alerts(): JSX.Element | null {
  if (app.link === "refused" || app.link === "gone")
    return (
      <div class="alert" role="alert">
        <b>{app.link === "refused" ? "This page has no key to your table." : "The server is gone."}</b> {app.over}
      </div>
    );
  return (
    <>
      {app.link === "lost" && (
        <div class="alert" role="alert">
          <b>The server does not answer.</b> Labels cannot be saved until it is back; the page tries again by itself. If
          you closed the terminal, run <code>sskpca open</code> again: it opens a new page, with all labels that were
          saved.
        </div>
      )}
      {app.outbox.unsaved.length > 0 && (
        <div class="alert" role="alert" data-testid="unsaved">
          <b>{plural(app.outbox.unsaved.length, "change")} not saved:</b>{" "}
          {app.outbox.unsaved
            .slice(0, 3)
            .map((u) => u.what)
            .join("; ")}
          {app.outbox.unsaved.length > 3 ? "; …" : ""}. {app.outbox.unsaved[0]!.sentence}
          <span class="buttons">
            <button type="button" onClick={() => app.outbox.saveAgain()}>
              Save again
            </button>
            <button type="button" onClick={() => app.outbox.discard()}>
              Drop
            </button>
          </span>
        </div>
      )}
    </>
  );
}

function Search(): JSX.Element {
  const { text, column, total, rows } = app.search;
  return (
    <div class={app.searchOpen || text ? "search open" : "search"} role="search">
      <div class="field">
        <input
          id="search"
          type="search"
          placeholder="Search"
          aria-label="Search in the table"
          value={text}
          onInput={(e) => app.lookFor(e.currentTarget.value, column)}
          onKeyDown={(e) => {
            if (e.key === "Escape" || e.key === "Enter") e.currentTarget.blur();
            if (e.key === "Escape") app.lookFor("", column);
          }}
          autocomplete="off"
          spellcheck={false}
        />
        {!text && <Cap name={app.keys.of("search")} />}
      </div>
      <select
        aria-label="Column to search in"
        value={column}
        onChange={(e) => app.lookFor(text, e.currentTarget.value)}
      >
        <option value="">all columns</option>
        {app.table?.columns.map((c) => (
          <option key={c.name} value={c.name}>
            {c.name}
          </option>
        ))}
      </select>
      <select aria-label="Rows to show" value={app.show} onChange={(e) => app.showOnly(e.currentTarget.value as Show)}>
        <option value="all">all rows</option>
        <option value="unlabeled">without your label</option>
        <option value="given">with your label</option>
        <option value="doubtful">not sure</option>
      </select>
      {(rows || app.show !== "all") && (
        <button type="button" onClick={() => app.selectShown()}>
          Select {rows && app.show === "all" && total > rows.length ? `the first ${count(rows.length)}` : "these"}
        </button>
      )}
    </div>
  );
}

function Tooltip(): JSX.Element | null {
  const over = app.hover;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const tip = box.current;
    const host = tip?.parentElement;
    if (!tip || !host || !over) return;
    const [w, h] = [tip.offsetWidth, tip.offsetHeight];
    tip.style.left = `${Math.max(4, over.x + 16 + w > host.clientWidth ? over.x - w - 12 : over.x + 16)}px`;
    tip.style.top = `${Math.max(4, Math.min(over.y + 12, host.clientHeight - h - 4))}px`;
  });
  if (!over || app.view !== "map") return null;
  const row = app.cache.peek(over.row);
  const code = app.called[over.row]!;
  const of = code === NONE ? undefined : app.classes[code];
  const given = app.source[over.row] === Source.given;
  return (
    <div class="tip" ref={box} aria-hidden="true">
      {app.table?.picture && <Picture app={app} row={over.row} label="" />}
      <div>
        <b>{app.nameOf(over.row)}</b>
        <span class="verdict">
          {of && <Shape of={of} given={given} />} {of?.name ?? "no class yet"}
          {of && <span class="muted"> {given ? "yours" : percent(app.confidence[over.row]! / 255, 0)}</span>}
        </span>
        {!app.table?.picture && row && (
          <dl>
            {row.cells.slice(0, 4).map((c) => (
              <div key={c.column}>
                <dt>{c.column}</dt>
                <dd>{c.text}</dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </div>
  );
}

function MapPanel(): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (host.current) app.mount(host.current);
  });
  const live = app.live;
  const lassoOn = app.map?.lassoOn ?? false;
  return (
    <section class="centre panel" aria-label={app.view === "map" ? "Map" : "Table"}>
      <div class={app.view === "map" ? "mapbox" : "mapbox away"}>
        <div
          class="map"
          ref={host}
          role="img"
          aria-label={`Map of ${plural(app.table?.n_rows ?? 0, "row")}; similar rows lie close together. The lists and the table hold the same rows.`}
        />
        <div class="tools" role="group" aria-label="Map tools">
          <button
            type="button"
            aria-pressed={lassoOn}
            onMouseDown={(e) => e.preventDefault()}
            onClick={() => app.lasso()}
          >
            Lasso <Cap name={app.keys.of("lasso")} />
          </button>
          <button type="button" class="icon" aria-label="Zoom in" title="Zoom in" onClick={() => app.map?.zoomBy(1.5)}>
            +
          </button>
          <button
            type="button"
            class="icon"
            aria-label="Zoom out"
            title="Zoom out"
            onClick={() => app.map?.zoomBy(1 / 1.5)}
          >
            −
          </button>
          <button type="button" onClick={() => app.map?.fit()}>
            Fit
          </button>
        </div>
        {!app.places && !app.noMap && <p class="mapless">{live?.message ?? "The map is being drawn …"}</p>}
        <Tooltip />
      </div>
      {app.view === "table" && <TableView app={app} />}
      <p class="said" data-testid="said">
        {app.said || " "}
      </p>
    </section>
  );
}

/** The row in question, for those who do not see it. */
function rowInWords(): string {
  const row = app.row;
  if (!row || row.row !== app.current) return "";
  const cells = row.picture ? [] : row.cells.slice(0, 5).map((c) => `${c.column} ${c.text}`);
  const answer = row.given
    ? `you said ${row.given}`
    : row.guess
      ? `perhaps ${row.guess}, ${percent(row.confidence, 0)}`
      : "";
  return [row.name, ...cells, answer].filter(Boolean).join(", ");
}

function Page(): JSX.Element {
  return (
    <>
      <Header />
      <Alerts />
      <main>
        <Headline app={app} />
        <MapPanel />
        <RowPanel app={app} />
        <Queue app={app} />
      </main>
      <Dialogs app={app} />
      <div class="unseen" role="status" aria-live="polite">
        {app.said}
      </div>
      <div class="unseen" role="status" aria-live="polite">
        {rowInWords()}
      </div>
    </>
  );
}

const root = document.getElementById("page")!;
const app: App = new App(() => render(<Page />, root));

function run(command: Command): void {
  if (command.startsWith("class")) return void app.label(Number(command.slice(5)) - 1);
  const does: Partial<Record<Command, () => unknown>> = {
    skip: () => app.skip(),
    unsure: () => app.unsure(),
    undo: () => app.undo(),
    redo: () => app.redo(),
    unlabel: () => app.unlabel(),
    new: () => (app.dialog = "new"),
    pick: () => (app.dialog = "classes"),
    help: () => (app.dialog = "help"),
    lasso: () => app.lasso(),
    search: () => {
      app.searchOpen = true;
      app.changed();
      queueMicrotask(() => document.getElementById("search")?.focus());
    },
    next: () => app.advance(),
    previous: () => app.back(),
    view: () => app.switchView(app.view === "map" ? "table" : "map"),
    in: () => app.map?.zoomBy(1.5),
    out: () => app.map?.zoomBy(1 / 1.5),
    fit: () => app.map?.fit(),
  };
  does[command]?.();
  app.changed();
}

document.addEventListener("keydown", (event) => {
  const at = event.target as HTMLElement;
  if (app.dialog || event.defaultPrevented || /^(input|select|textarea)$/i.test(at.tagName)) return;
  if (event.key === "Escape") return app.escape();
  // Space and Enter belong to a button that has the focus.
  if (/^(button|summary|a)$/i.test(at.tagName) && [" ", "Enter"].includes(event.key)) return;
  if (app.view === "table" && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault();
    return app.step(event.key === "ArrowDown" ? 1 : -1);
  }
  const pressed = app.keys.command(event);
  if (!pressed || !app.table) return;
  if (!app.classes.length && !["help", "view", "search"].includes(pressed.command)) return;
  event.preventDefault();
  if (pressed.preview) return app.tryClass(Number(pressed.command.slice(5)) - 1);
  // Labels and steps back need a new press; a key that is held down must not label row after row.
  if (event.repeat && !["in", "out", "next", "previous"].includes(pressed.command)) return;
  run(pressed.command);
});
document.addEventListener("keyup", (event) => {
  if (app.tryingClass !== null && (event.key === "Shift" || /^Digit|^Key/.test(event.code))) app.tryClass(null);
});
window.addEventListener("beforeunload", (event) => {
  if (app.outbox.unsaved.length || app.outbox.saving) event.preventDefault();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => app.map?.restyle());

// A view into the state, for tests in a browser; nothing can be changed through it.
Object.defineProperty(window, "__sskpca", {
  value: Object.freeze({
    get state() {
      return app.live && structuredClone(app.live);
    },
    get page() {
      return {
        link: app.link,
        view: app.view,
        current: app.current,
        version: app.version,
        drawn: app.map?.drawn ?? -1,
        drawnAt: app.map?.drawnAt ?? 0,
        saving: app.outbox.saving,
        unsaved: app.outbox.unsaved.length,
        selection: [...app.selection],
        why: app.why !== null,
        preview: app.preview ? [...app.preview.keys()] : null,
        list: app.list,
        found: app.search.rows?.length ?? null,
        noMap: app.noMap,
        said: app.said,
      };
    },
    answer: (row: number) => ({ called: app.called[row], confidence: app.confidence[row], source: app.source[row] }),
    place: (row: number) => app.map?.project(row) ?? null,
  }),
});

applyTheme();
app.changed();
void app.start();
