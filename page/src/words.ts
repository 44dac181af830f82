// Numbers as the page writes them.

export function percent(share: number | null | undefined, digits = 1): string {
  return share === null || share === undefined ? "–" : `${(100 * share).toFixed(digits)} %`;
}

export function count(n: number): string {
  return n.toLocaleString("en-US");
}

export function plural(n: number, word: string): string {
  return `${count(n)} ${word}${n === 1 ? "" : "s"}`;
}
