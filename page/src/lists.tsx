// Lists of rows: the queues beside the map, and the whole table in its place.

import type { JSX } from "preact";
import { type App, type ListName } from "./app";
import { count, percent } from "./words";
import type { ListedRow } from "./api";
import { Picture, Shape } from "./marks";

const WORDS: Record<ListName, { tab: string; none: string; about: string }> = {
  next: { tab: "Next", none: "No row stands out: label any.", about: "Rows whose labels help most" },
  unsure: { tab: "Unsure", none: "No unsure rows.", about: "Rows whose class is least certain" },
  suspects: { tab: "Suspects", none: "None of your labels looks wrong.", about: "Labels of yours that look wrong" },
  found: { tab: "Found", none: "Nothing found.", about: "Rows that the search found" },
};

function Verdict({ app, row }: { app: App; row: ListedRow }): JSX.Element {
  const name = row.given ?? row.guess;
  if (!name) return <span class="verdict muted">–</span>;
  return (
    <span class={row.given ? "verdict given" : "verdict"}>
      <Shape of={app.classOf(name)} given={!!row.given} />
      <span class="name">{name}</span>
      <span class="share">{row.given ? "yours" : percent(row.confidence, 0)}</span>
      {row.probably && <span class="suspect">{row.probably}?</span>}
    </span>
  );
}

export function Queue({ app }: { app: App }): JSX.Element {
  const queue = app.live?.queue;
  const tabs: ListName[] = app.search.rows ? ["next", "unsure", "suspects", "found"] : ["next", "unsure", "suspects"];
  const size = (list: ListName) => (list === "found" ? app.search.total : (queue?.[list].length ?? 0));
  const move = (e: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!step) return;
    e.preventDefault();
    e.stopPropagation();
    const to = tabs[(tabs.indexOf(app.list) + step + tabs.length) % tabs.length]!;
    app.openList(to);
    document.getElementById(`tab-${to}`)?.focus();
  };
  return (
    <section class="queue panel" aria-label="Rows to look at">
      <div class={tabs.length > 3 ? "tabs four" : "tabs"} role="tablist" aria-label="Lists of rows" onKeyDown={move}>
        {tabs.map((list) => (
          <button
            type="button"
            key={list}
            id={`tab-${list}`}
            role="tab"
            aria-selected={app.list === list}
            aria-controls="listed"
            tabIndex={app.list === list ? 0 : -1}
            onClick={() => app.openList(list)}
          >
            {WORDS[list].tab}
            <span class="howmany">{list === "unsure" && size(list) >= 200 ? "200+" : count(size(list))}</span>
          </button>
        ))}
      </div>
      <div id="listed" role="tabpanel" aria-labelledby={`tab-${app.list}`} tabIndex={-1}>
        <p class="about">{WORDS[app.list].about}</p>
        {app.rows && !app.rows.rows.length && (
          <p class="muted none">{app.live?.pending ? "They are being found …" : WORDS[app.list].none}</p>
        )}
        <ul class={app.table?.picture ? "listed pictured" : "listed"}>
          {app.rows?.rows.map((row) => (
            <li key={row.row}>
              <button
                type="button"
                class={row.row === app.current ? "current" : ""}
                aria-current={row.row === app.current}
                onClick={() => app.open(row.row)}
              >
                {app.table?.picture && <Picture app={app} row={row.row} label="" />}
                <span class="what">
                  <span class="name">{row.name}</span>
                  {!app.table?.picture && (
                    <span class="cells">{row.cells.filter((text) => text && text !== row.name).join(" · ")}</span>
                  )}
                </span>
                <Verdict app={app} row={row} />
              </button>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

export function TableView({ app }: { app: App }): JSX.Element {
  const rows = app.pageRows;
  // The column that the rows are named by says nothing twice.
  const told = (k: number) => !rows?.rows.length || !rows.rows.every((row) => row.cells[k] === row.name);
  const pages = rows ? Math.max(1, Math.ceil(rows.total / 50)) : 1;
  return (
    <div class="tableview">
      {app.noMap && (
        <p class="nomap" role="status">
          {app.noMap}
        </p>
      )}
      <div class="scroll" tabIndex={0} role="region" aria-label="Table">
        <table>
          <thead>
            <tr>
              <th scope="col">Row</th>
              <th scope="col">{app.table?.label_column}</th>
              {rows?.columns.map(
                (name, k) =>
                  told(k) && (
                    <th scope="col" key={name}>
                      {name}
                    </th>
                  ),
              )}
            </tr>
          </thead>
          <tbody>
            {rows?.rows.map((row) => (
              <tr
                key={row.row}
                class={row.row === app.current ? "current" : ""}
                data-row={row.row}
                onClick={() => app.open(row.row)}
              >
                <th scope="row">
                  <button type="button" class="link" aria-current={row.row === app.current}>
                    {row.name}
                  </button>
                </th>
                <td>
                  <Verdict app={app} row={row} />
                </td>
                {row.cells.map(
                  (text, k) =>
                    told(k) && (
                      <td key={k} dir="auto">
                        {text}
                      </td>
                    ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <nav class="pages" aria-label="Pages of the table">
        <button type="button" disabled={app.page === 0} onClick={() => app.turnPage(app.page - 1)}>
          Previous
        </button>
        <span>
          Page {count(app.page + 1)} of {count(pages)} · {count(rows?.total ?? 0)} rows
        </span>
        <button type="button" disabled={app.page + 1 >= pages} onClick={() => app.turnPage(app.page + 1)}>
          Next
        </button>
      </nav>
    </div>
  );
}
