// Rows and pictures that were fetched; the last ones are kept.

import type { Api, Row } from "./api";

const MOST_ROWS = 300;
const MOST_PICTURES = 400;

export class RowCache {
  private readonly known = new Map<number, Row>();
  private readonly pictures = new Map<number, Promise<string>>();

  constructor(private readonly api: Api) {}

  has(row: number): boolean {
    return this.known.has(row);
  }

  peek(row: number): Row | undefined {
    return this.known.get(row);
  }

  forget(row: number): void {
    this.known.delete(row);
  }

  keep(row: Row): void {
    this.known.delete(row.row);
    this.known.set(row.row, row);
    for (const old of this.known.keys()) {
      if (this.known.size <= MOST_ROWS) break;
      this.known.delete(old);
    }
  }

  /** Return the address of a row's picture. */
  picture(row: number): Promise<string> {
    let address = this.pictures.get(row);
    if (!address) {
      address = this.api.picture(row);
      this.pictures.set(row, address);
      address.catch(() => this.pictures.delete(row));
      for (const [old, unused] of this.pictures) {
        if (this.pictures.size <= MOST_PICTURES) break;
        this.pictures.delete(old);
        unused.then(
          (url) => URL.revokeObjectURL(url),
          () => undefined,
        );
      }
    }
    return address;
  }
}
