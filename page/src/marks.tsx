// Small signs that recur: a class's shape in its colour, a key cap, a row's picture.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ClassInfo } from "./api";
import type { App } from "./app";
import { keyCap } from "./keys";
import { SHAPES, shapeNumber } from "./points";

const star = Array.from({ length: 10 }, (_, i) => {
  const [r, a] = [i % 2 ? 3.1 : 6.6, (Math.PI * i) / 5];
  return `${(7 + r * Math.sin(a)).toFixed(2)},${(7 - r * Math.cos(a)).toFixed(2)}`;
}).join(" ");
const OUTLINES: Record<(typeof SHAPES)[number], string> = {
  circle: "",
  square: "2,2 12,2 12,12 2,12",
  triangle: "7,1.4 13.2,12 0.8,12",
  diamond: "7,0.6 13.4,7 7,13.4 0.6,7",
  "triangle upside down": "7,12.6 13.2,2 0.8,2",
  plus: "5,1 9,1 9,5 13,5 13,9 9,9 9,13 5,13 5,9 1,9 1,5 5,5",
  star,
  cross: "1,3.5 3.5,1 7,4.5 10.5,1 13,3.5 9.5,7 13,10.5 10.5,13 7,9.5 3.5,13 1,10.5 4.5,7",
};

/** A class's shape in its colour, as on the map; with a rim if the class was given by a person. */
export function Shape({ of, given = false }: { of: ClassInfo | undefined; given?: boolean }): JSX.Element {
  const name = SHAPES[shapeNumber(of?.shape ?? "circle")]!;
  const look = { fill: of?.color ?? "#8a8f98", class: given ? "shape given" : "shape" };
  return (
    <svg viewBox="-1 -1 16 16" width="14" height="14" aria-hidden="true" class={look.class}>
      {name === "circle" ? (
        <circle cx="7" cy="7" r="6" fill={look.fill} />
      ) : (
        <polygon points={OUTLINES[name]} fill={look.fill} />
      )}
    </svg>
  );
}

export function Cap({ name }: { name: string }): JSX.Element {
  return <kbd>{keyCap(name)}</kbd>;
}

/** A row's picture; fetched with the token, so it has no address of its own. */
export function Picture({ app, row, label }: { app: App; row: number; label: string }): JSX.Element {
  const [address, setAddress] = useState<{ row: number; url: string | null }>({ row, url: null });
  useEffect(() => {
    let here = true;
    app.cache.picture(row).then(
      (url) => here && setAddress({ row, url }),
      () => here && setAddress({ row, url: "" }),
    );
    return () => {
      here = false;
    };
  }, [row]);
  const pixels = app.table?.picture?.kind === "pixels";
  if (address.row !== row || address.url === null) return <span class="picture waiting" />;
  if (!address.url) return <span class="picture absent">no picture</span>;
  return <img class={pixels ? "picture pixels" : "picture"} src={address.url} alt={label} draggable={false} />;
}
