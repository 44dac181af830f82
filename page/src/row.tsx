// The row in question: what is in it, what the table answers, the classes it can be given, and why.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Row } from "./api";
import { type App } from "./app";
import { count, percent, plural } from "./words";
import { Cap, Picture, Shape } from "./marks";

// Cells that are shown at first; on a narrow screen few enough that the classes stay near.
const CELLS = 12;
const CELLS_NARROW = 5;

function Cells({ app, row }: { app: App; row: Row }): JSX.Element {
  const [all, setAll] = useState(false);
  const used = new Map(app.table?.columns.map((c) => [c.name, c.used]));
  const long = (text: string) => text.length > 60;
  const pixels = app.table?.picture?.kind === "pixels";
  const cells = row.cells.filter(
    (c) => !(c.kind === "picture" && row.picture) && !(c.kind === "id" && c.text === row.name),
  );
  const few = pixels ? 0 : matchMedia("(max-width: 760px)").matches ? CELLS_NARROW : CELLS;
  const shown = all ? cells : cells.slice(0, few);
  return (
    <div class="cells">
      {shown.length > 0 && (
        <dl>
          {shown.map((cell) => (
            <div key={cell.column} class={long(cell.text) ? "cell long" : "cell"}>
              <dt>
                {cell.column}
                {used.get(cell.column) === false && <span class="unused">not used</span>}
              </dt>
              <dd dir="auto">{cell.text}</dd>
            </div>
          ))}
        </dl>
      )}
      {cells.length > few && (
        <button type="button" class="link" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "Fewer columns" : pixels ? `Show the ${cells.length} columns` : plural(cells.length - few, "more column")}
        </button>
      )}
    </div>
  );
}

function Answer({ app, row }: { app: App; row: Row }): JSX.Element | null {
  if (row.unsure) return <p class="answer">You marked this row as unsure.</p>;
  if (row.given)
    return (
      <p class="answer">
        <Shape of={app.classOf(row.given)} given /> You said <b>{row.given}</b>.
        {row.suspect && (
          <span class="suspect">
            {" "}
            Without your label it would be <b>{row.suspect.probably}</b> ({percent(row.suspect.p, 0)}).
          </span>
        )}
      </p>
    );
  if (!row.guess) return null;
  const sure = (row.confidence ?? 0) >= app.leastConfidence;
  return (
    <p class="answer">
      <Shape of={app.classOf(row.guess)} /> {sure ? "Probably" : "Perhaps"} <b>{row.guess}</b>
      <span class="muted">
        , {percent(row.confidence, 0)}
        {!sure && row.second ? `, or ${row.second}` : ""}
      </span>
    </p>
  );
}

function Classes({ app, row }: { app: App; row: Row }): JSX.Element {
  const p = new Map(row.probabilities.map((x) => [x.name, x.p]));
  const selected = app.selection.size > 0;
  const inside = new Map<number, number>();
  if (selected) for (const i of app.selection) inside.set(app.called[i]!, (inside.get(app.called[i]!) ?? 0) + 1);
  return (
    <div
      class={app.classes.length > 6 ? "classes two" : "classes"}
      role="group"
      aria-label={selected ? "Give the selected rows a class" : "Give this row a class"}
    >
      {app.classes.map((c, code) => {
        const share = p.get(c.name);
        const key = app.keys.of(`class${code + 1}`);
        const name = [
          c.name,
          key ? `key ${key}` : "",
          share !== undefined ? percent(share, 0) : "",
          `${count(c.given ?? 0)} given`,
          `${count(c.called ?? 0)} in all`,
        ];
        return (
          <button
            type="button"
            key={c.name}
            class={`class${row.given === c.name ? " chosen" : ""}${app.tryingClass === code ? " tried" : ""}`}
            aria-label={name.filter(Boolean).join(", ")}
            aria-pressed={row.given === c.name}
            data-class={c.name}
            onMouseDown={(e) => e.preventDefault()}
            onClick={() => app.label(code)}
            onPointerEnter={(e) => e.pointerType === "mouse" && app.tryClass(code)}
            onPointerLeave={() => app.tryClass(null)}
            onFocus={() => app.tryClass(code)}
            onBlur={() => app.tryClass(null)}
          >
            {key ? <Cap name={key} /> : <span class="nokey" />}
            <Shape of={c} />
            <span class="name">{c.name}</span>
            <span class="share">
              {selected
                ? inside.get(code)
                  ? `${count(inside.get(code)!)} inside`
                  : ""
                : share !== undefined && share >= 0.005
                  ? percent(share, 0)
                  : ""}
            </span>
            <span class="counts">
              {count(c.given ?? 0)} of {count(c.called ?? 0)} yours
            </span>
            <span class="bar" style={{ width: `${selected ? 0 : 100 * (share ?? 0)}%`, background: c.color }} />
          </button>
        );
      })}
    </div>
  );
}

function Reasons({ app }: { app: App }): JSX.Element | null {
  const why = app.why;
  if (!why || !why.because.length) return null;
  const most = Math.max(...why.because.map((b) => Math.abs(b.share)), 0.01);
  return (
    <section class="why" aria-label="Labels that pulled hardest">
      <h3>Why: the labels that pulled hardest</h3>
      <ol>
        {why.because.map((b) => (
          <li key={b.row}>
            <button
              type="button"
              onClick={() => app.open(b.row)}
              aria-label={`${b.name}, ${b.label}, ${b.share < 0 ? "against it, " : ""}${percent(Math.abs(b.share), 0)}: open`}
            >
              {app.table?.picture ? (
                <Picture app={app} row={b.row} label="" />
              ) : (
                <Shape of={app.classOf(b.label)} given />
              )}
              <span class="name">{b.name}</span>
              <span class="label">
                {app.table?.picture && <Shape of={app.classOf(b.label)} given />} {b.label}
              </span>
              <span class={b.share < 0 ? "pull against" : "pull"} title={b.share < 0 ? "pulled the other way" : ""}>
                <span
                  style={{
                    width: `${(100 * Math.abs(b.share)) / most}%`,
                    background: app.classOf(b.label)?.color ?? "gray",
                  }}
                />
              </span>
              <span class="share">{percent(b.share, 0).replace("-", "−")}</span>
            </button>
          </li>
        ))}
      </ol>
      {Math.abs(why.rest) >= 0.005 && <p class="muted small">All other labels: {percent(why.rest, 0)}</p>}
    </section>
  );
}

/** The row itself: its name, its picture, what the table answers, its cells. */
function Subject({ app, row }: { app: App; row: Row }): JSX.Element {
  const pixels = row.picture && app.table?.picture?.kind === "pixels";
  const tried = app.tried?.row === row.row ? app.tried : null;
  return (
    <>
      <header class={row.picture ? "subject pictured" : "subject"}>
        {row.picture && <Picture app={app} row={row.row} label={`Picture of ${row.name}`} />}
        <div>
          <h2 data-testid="row-name">{row.name}</h2>
          <Answer app={app} row={row} />
          {!tried && app.tryingClass !== null && app.current === row.row && app.live?.error && (
            <p class="tried-said">
              If <b>{app.classes[app.tryingClass]?.name}</b>: …
            </p>
          )}
          {tried && (
            <p class="tried-said" data-testid="what-if">
              If <b>{app.classes[tried.class]?.name}</b>: {tried.n_changed ? "about " : ""}
              {plural(tried.n_changed, "row")} would change
            </p>
          )}
          {pixels && <Cells app={app} row={row} />}
        </div>
      </header>
      {!pixels && <Cells app={app} row={row} />}
    </>
  );
}

function FirstClasses({ app }: { app: App }): JSX.Element {
  const [text, setText] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const names = [
    ...new Set(
      text
        .split(/[,;\n]/)
        .map((s) => s.trim())
        .filter(Boolean),
    ),
  ];
  return (
    <form
      class="first"
      onSubmit={(e) => {
        e.preventDefault();
        void app.addClasses(names);
      }}
    >
      <h2>What kinds of rows are there?</h2>
      <p class="muted">
        No row has a label yet; yours will be in the column <b>{app.table?.label_column}</b>. Name the classes,
        separated by commas; you can add more at any time.
      </p>
      <input
        id="first-classes"
        ref={field}
        aria-label="Names of the classes"
        placeholder="cat, dog, fox"
        value={text}
        onInput={(e) => setText(e.currentTarget.value)}
        autocomplete="off"
      />
      <button type="submit" class="primary" disabled={!names.length}>
        {names.length > 1 ? `Start with ${names.length} classes` : "Start"}
      </button>
    </form>
  );
}

export function RowPanel({ app }: { app: App }): JSX.Element {
  const { live, current, row } = app;
  if (live && !live.classes.length)
    return (
      <section class="row panel" aria-label="First classes">
        <FirstClasses app={app} />
        {row && <Subject app={app} row={row} />}
      </section>
    );
  if (current === null)
    return (
      <section class="row panel" aria-label="Row in question">
        <p class="muted">{live?.message ?? "Reading the table …"}</p>
      </section>
    );
  const keys = app.keys;
  const press = (e: MouseEvent) => e.preventDefault();
  const blank: Row = {
    row: current,
    name: app.nameOf(current),
    cells: [],
    picture: !!app.table?.picture,
    given: null,
    unsure: false,
    guess: null,
    confidence: null,
    second: null,
    probabilities: [],
    suspect: null,
  };
  const seen = row && row.row === current ? row : blank;
  const chosen = app.selection.size;
  return (
    <section class="row panel" aria-label="Row in question">
      {chosen > 0 ? (
        <div class="bulk" data-testid="bulk">
          <h2>{plural(chosen, "row")} selected</h2>
          <p class="muted">
            A class labels all of them, and counts as if you had looked at each. Rows that lie together are easier than
            most: after this the expected error may be too low.
          </p>
          {app.toLabel().length < chosen || app.overwrite ? (
            <label class="check">
              <input
                type="checkbox"
                checked={app.overwrite}
                onChange={(e) => {
                  app.overwrite = e.currentTarget.checked;
                  app.changed();
                }}
              />
              Also change the {plural([...app.selection].filter((i) => app.source[i] === 1).length, "row")} that you
              labelled before
            </label>
          ) : null}
          <button type="button" onClick={() => app.escape()}>
            Clear the selection <Cap name="Escape" />
          </button>
        </div>
      ) : (
        <Subject app={app} row={seen} />
      )}
      {!chosen && (live?.n_given ?? 0) < 3 && (
        <p class="small">
          What is it? Press the key of its class. With Shift, the map shows what would change, and nothing is labelled.
        </p>
      )}
      <Classes app={app} row={chosen ? blank : seen} />
      <div class="actions">
        <button type="button" onMouseDown={press} onClick={app.skip} disabled={chosen > 0}>
          Skip <Cap name={keys.of("skip")} />
        </button>
        <button type="button" onMouseDown={press} onClick={app.unsure}>
          Unsure <Cap name={keys.of("unsure")} />
        </button>
        <button type="button" onMouseDown={press} onClick={() => app.undo()} disabled={!live?.can_undo}>
          Undo <Cap name={keys.of("undo")} />
        </button>
        <button type="button" onMouseDown={press} onClick={() => app.redo()} disabled={!live?.can_redo}>
          Redo
        </button>
        {(seen.given !== null || seen.unsure) && !chosen && (
          <button type="button" onMouseDown={press} onClick={app.unlabel}>
            Remove label <Cap name={keys.of("unlabel")} />
          </button>
        )}
        <button
          type="button"
          onMouseDown={press}
          onClick={() => {
            app.dialog = "new";
            app.changed();
          }}
        >
          New class <Cap name={keys.of("new")} />
        </button>
        {!app.keys.of(`class${app.classes.length}`) && (
          <button
            type="button"
            onMouseDown={press}
            onClick={() => {
              app.dialog = "classes";
              app.changed();
            }}
          >
            Find class <Cap name={keys.of("pick")} />
          </button>
        )}
      </div>
      {!chosen && <Reasons app={app} />}
    </section>
  );
}
