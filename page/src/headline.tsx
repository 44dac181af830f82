// How good the answer is: the expected error with its interval, its curve over the labels, and what others would reach.

import type { JSX } from "preact";
import { type App } from "./app";
import { count, percent, plural } from "./words";

const WIDTH = 260;
const HEIGHT = 72;

/** The expected error over the labels given, with its interval. */
function Curve({ history: all }: { history: [number, number, number, number][] }): JSX.Element | null {
  // After an undo the same number of labels comes again: the last error for it counts.
  const history = [...new Map(all.map((h) => [h[0], h])).values()].sort((a, b) => a[0] - b[0]);
  if (history.length < 2) return null;
  const [first, last] = [history[0]![0], history[history.length - 1]![0]];
  const most = Math.min(1, Math.max(...history.map((h) => Math.min(h[3], 2.5 * h[1] + 0.05))));
  const x = (n: number) => (last === first ? WIDTH : ((n - first) / (last - first)) * WIDTH).toFixed(1);
  const y = (e: number) => (HEIGHT - (Math.min(e, most) / most) * (HEIGHT - 4)).toFixed(1);
  const line = history.map((h) => `${x(h[0])},${y(h[1])}`).join(" ");
  const band = [
    ...history.map((h) => `${x(h[0])},${y(h[3])}`),
    ...[...history].reverse().map((h) => `${x(h[0])},${y(h[2])}`),
  ].join(" ");
  const end = history[history.length - 1]!;
  return (
    <figure class="curve">
      <svg
        viewBox={`-1 0 ${WIDTH + 6} ${HEIGHT + 2}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Expected error from ${first} to ${last} labels: ${percent(history[0]![1])} to ${percent(end[1])}`}
      >
        <line class="axis" x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        <polygon class="band" points={band} />
        <polyline class="line" points={line} vector-effect="non-scaling-stroke" />
      </svg>
      <figcaption>
        <span>{count(first)}</span>
        <span>labels</span>
        <span>{count(last)}</span>
      </figcaption>
      <span class="scale">{percent(most, 0)}</span>
    </figure>
  );
}

export function Headline({ app }: { app: App }): JSX.Element {
  const live = app.live;
  const error = live?.error;
  const last = app.lastChange();
  return (
    <section class="headline panel" aria-label="Expected error">
      <div class="figures">
        <div class="figure">
          <h2>Expected error</h2>
          <p class="big" data-testid="error">
            {error ? percent(error.expected) : "–"}
          </p>
          <p class="small">
            {error
              ? `95 %: ${(100 * error.low).toFixed(1)} to ${percent(error.high)}`
              : "label rows of two classes first"}
          </p>
          {error?.rough && (
            <p class="small" title="Fewer than ten labels a class: mind the interval, not the number.">
              rough: few labels
            </p>
          )}
        </div>
        <div class="figure right">
          <h2>Your labels</h2>
          <p class="big" data-testid="given">
            {count(live?.n_given ?? 0)}
          </p>
          <p class="small">
            of {plural(app.table?.n_rows ?? 0, "row")}
          </p>
          {!!live?.n_unsure && <p class="small">{count(live.n_unsure)} unsure</p>}
        </div>
      </div>
      {live && <Curve history={live.history} />}
      {live && live.baselines.length > 0 && (
        <dl class="baselines" aria-label="Error of this model and of simpler ones on held-out labels">
          <div>
            <dt>wrong of {plural(live.baselines[0]!.n_labels, "held-out label")}</dt>
          </div>
          {live.baselines.map((b) => (
            <div key={b.name}>
              <dt>{b.name}</dt>
              <dd>{percent(b.error)}</dd>
            </div>
          ))}
        </dl>
      )}
      {last && (
        <p class="last" data-testid="last">
          {last.split(", ").map((part, k, all) => (
            <span key={k}>{k < all.length - 1 ? `${part}, ` : part}</span>
          ))}
        </p>
      )}
      {live?.stop && <p class="stop">{live.stop}</p>}
    </section>
  );
}
