// What opens on top of the page: the keys, a new class, a class by its name, and the menu.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { App } from "./app";
import { COMMANDS, type Command, keyName } from "./keys";
import { Cap, Shape } from "./marks";

function Modal({ app, title, children }: { app: App; title: string; children: ComponentChildren }): JSX.Element {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => ref.current?.showModal(), []);
  const close = () => {
    app.dialog = null;
    app.changed();
  };
  return (
    <dialog ref={ref} aria-label={title} onClose={close} onClick={(e) => e.target === ref.current && close()}>
      <div class="inner">
        <header>
          <h2>{title}</h2>
          <button type="button" class="plain" aria-label="Close" onClick={close}>
            <Cap name="Escape" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

function Help({ app }: { app: App }): JSX.Element {
  const [asking, setAsking] = useState<Command | null>(null);
  const [refused, setRefused] = useState("");
  const nameOf = (command: Command) =>
    command in COMMANDS
      ? COMMANDS[command as keyof typeof COMMANDS]
      : `Class ${command.slice(5)}${app.classes[Number(command.slice(5)) - 1] ? `: ${app.classes[Number(command.slice(5)) - 1]!.name}` : ""}`;
  const commands = [
    ...app.classes.map((_, i) => `class${i + 1}` as Command).filter((command) => app.keys.of(command)),
    ...(Object.keys(COMMANDS) as Command[]),
  ];
  const press = (e: KeyboardEvent) => {
    if (!asking || ["Shift", "Control", "Alt", "Meta"].includes(e.key)) return;
    e.preventDefault();
    e.stopPropagation();
    if (e.key !== "Escape") setRefused(app.keys.bind(asking, keyName(e), nameOf) ?? "");
    setAsking(null);
    app.changed();
  };
  return (
    <Modal app={app} title="Keys">
      <p class="muted">
        A class key labels the row and goes on. <b>Shift</b> with a class key shows what would change, and labels
        nothing. Click a key to change it.
      </p>
      {refused && (
        <p class="refused" role="alert">
          {refused}
        </p>
      )}
      <dl class="keys">
        {commands.map((command) => (
          <div key={command}>
            <dt>{nameOf(command)}</dt>
            <dd>
              <button
                type="button"
                class="plain"
                aria-label={`${nameOf(command)}: ${app.keys.of(command)}. Change`}
                onClick={() => setAsking(command)}
                onKeyDown={press}
                onBlur={() => setAsking(null)}
              >
                {asking === command ? <span class="asking">press a key …</span> : <Cap name={app.keys.of(command)} />}
              </button>
            </dd>
          </div>
        ))}
      </dl>
      <footer>
        <label class="check">
          <input
            type="checkbox"
            checked={app.keys.enabled}
            onChange={(e) => {
              app.keys.turn(e.currentTarget.checked);
              app.changed();
            }}
          />
          Single keys are on
        </label>
        <button
          type="button"
          onClick={() => {
            app.keys.reset();
            setRefused("");
            app.changed();
          }}
        >
          Reset the keys
        </button>
      </footer>
      <h3>The map</h3>
      <ul class="legend">
        <li>
          <Shape of={app.classes[0]} given /> with a rim: your label
        </li>
        <li>
          <Shape of={app.classes[0]} /> without: what the table answers; the fainter, the less sure
        </li>
        <li>Drag to move, wheel or pinch to zoom, Shift and drag to lasso.</li>
      </ul>
    </Modal>
  );
}

function NewClass({ app }: { app: App }): JSX.Element {
  const [name, setName] = useState("");
  const [refused, setRefused] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <Modal app={app} title="New class">
      <form
        onSubmit={async (e) => {
          e.preventDefault();
          const wanted = name.trim();
          if (app.classOf(wanted)) return setRefused(`There is a class ${wanted} already.`);
          if (!wanted) return;
          if (await app.addClasses([wanted])) {
            app.dialog = null;
            app.changed();
          } else setRefused(app.said);
        }}
      >
        <label for="new-class">Name</label>
        <input
          id="new-class"
          ref={field}
          value={name}
          onInput={(e) => setName(e.currentTarget.value)}
          autocomplete="off"
        />
        {refused && (
          <p class="refused" role="alert">
            {refused}
          </p>
        )}
        <button type="submit" class="primary" disabled={!name.trim()}>
          Add
        </button>
      </form>
    </Modal>
  );
}

function FindClass({ app }: { app: App }): JSX.Element {
  const [text, setText] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const wanted = text.trim().toLowerCase();
  const found = app.classes.map((c, code) => ({ c, code })).filter(({ c }) => c.name.toLowerCase().includes(wanted));
  found.sort(
    (a, b) => Number(b.c.name.toLowerCase().startsWith(wanted)) - Number(a.c.name.toLowerCase().startsWith(wanted)),
  );
  const choose = (code: number) => {
    app.dialog = null;
    void app.label(code);
    app.changed();
  };
  return (
    <Modal app={app} title="Find a class">
      <form
        onSubmit={(e) => {
          e.preventDefault();
          if (found[0]) choose(found[0].code);
        }}
      >
        <input
          ref={field}
          aria-label="Part of the name; Enter takes the first"
          value={text}
          onInput={(e) => setText(e.currentTarget.value)}
          autocomplete="off"
        />
        <ul class="found">
          {found.slice(0, 30).map(({ c, code }, k) => (
            <li key={c.name}>
              <button type="button" class={k === 0 ? "current" : ""} onClick={() => choose(code)}>
                <Shape of={c} /> <span class="name">{c.name}</span> {k === 0 && <Cap name="Enter" />}
              </button>
            </li>
          ))}
        </ul>
      </form>
    </Modal>
  );
}

function Menu({ app }: { app: App }): JSX.Element {
  const [busy, setBusy] = useState("");
  return (
    <Modal app={app} title="Save a copy">
      <ul class="exports">
        {app.table?.exports.map((e) => (
          <li key={e.id}>
            <button
              type="button"
              disabled={!!busy}
              onClick={async () => {
                setBusy(e.id);
                try {
                  await app.api.download(e.id);
                  app.say(`${e.label}: downloaded.`);
                } catch (error) {
                  app.say(`${e.label}: ${error instanceof Error ? error.message : "not possible."}`);
                }
                setBusy("");
              }}
            >
              {e.label} {busy === e.id && <span class="muted">· being written …</span>}
            </button>
          </li>
        ))}
      </ul>
      <p class="muted">
        Your labels are kept in <code>{app.table?.journal}</code>, one line each, from the moment you give them. The
        table itself is never changed.
      </p>
      <footer>
        <button
          type="button"
          onClick={async () => {
            await app.api.quit();
            app.dialog = null;
            app.link = "gone";
            app.over = "The server has stopped. Your labels are saved; run sskpca open again to go on.";
            app.changed();
          }}
        >
          Stop the server
        </button>
      </footer>
      {app.said && (
        <p role="status" class="small">
          {app.said}
        </p>
      )}
    </Modal>
  );
}

export function Dialogs({ app }: { app: App }): JSX.Element | null {
  if (app.dialog === "help") return <Help app={app} />;
  if (app.dialog === "new") return <NewClass app={app} />;
  if (app.dialog === "classes") return <FindClass app={app} />;
  if (app.dialog === "menu") return <Menu app={app} />;
  return null;
}
