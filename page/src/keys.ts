// Which key does what. What a person changes stays in this browser.

export const COMMANDS = {
  skip: "Skip this row",
  unsure: "Mark as unsure",
  undo: "Undo",
  redo: "Redo",
  unlabel: "Remove the label",
  new: "New class",
  pick: "Find a class by its name",
  lasso: "Lasso: draw around points, then a class key",
  search: "Search",
  next: "Next row, without a label",
  previous: "Back to the row before",
  view: "Map or table",
  in: "Zoom in",
  out: "Zoom out",
  fit: "Show the whole map",
  help: "Keys",
} as const;

export type Command = keyof typeof COMMANDS | `class${number}`;

const DEFAULTS: Record<string, string> = {
  skip: " ",
  unsure: "u",
  undo: "z",
  redo: "Shift+z",
  unlabel: "Backspace",
  new: "n",
  pick: "0",
  lasso: "l",
  search: "/",
  next: "ArrowRight",
  previous: "ArrowLeft",
  view: "t",
  in: "+",
  out: "-",
  fit: "f",
  help: "?",
};
const STORE = "sskpca-keys";

/** Return the name of a pressed key: digits by their place on the keyboard, so that Shift and French do not matter. */
export function keyName(event: KeyboardEvent): string {
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1];
  if (event.key.length === 1 && !digit && event.key.toLowerCase() === event.key.toUpperCase()) return event.key;
  const base = digit ?? (event.key.length === 1 ? event.key.toLowerCase() : event.key);
  return event.shiftKey ? `Shift+${base}` : base;
}

/** Return a key's name as it is printed on a key cap. */
export function keyCap(name: string): string {
  const words: Record<string, string> = {
    " ": "Space",
    ArrowRight: "→",
    ArrowLeft: "←",
    ArrowUp: "↑",
    ArrowDown: "↓",
    Backspace: "⌫",
    Escape: "Esc",
  };
  return name
    .replace(/^Shift\+/, "⇧ ")
    .replace(/[^⇧ ].*$|^ $/, (rest) => words[rest] ?? (rest.length === 1 ? rest.toUpperCase() : rest));
}

export class Keys {
  enabled = true;
  private first = new Map<Command, string>();
  private changed = new Map<Command, string>();

  constructor() {
    this.name([]);
    try {
      const kept = JSON.parse(localStorage.getItem(STORE) ?? "{}");
      for (const [command, key] of Object.entries(kept.keys ?? {}))
        if (typeof key === "string") this.changed.set(command as Command, key);
      this.enabled = kept.enabled !== false;
    } catch {
      // What was kept cannot be read: the defaults hold.
    }
  }

  /** Set the keys of the classes: their own digit if all are called by one (3 is for "3"), else their place. */
  name(classes: string[]): void {
    const digits = classes.length > 0 && classes.every((name) => /^\d$/.test(name));
    this.first = new Map();
    for (let i = 0; i < (digits ? classes.length : 9); i++)
      this.first.set(`class${i + 1}`, digits ? classes[i]! : `${i + 1}`);
    const free = (key: string) => ![...this.first.values()].includes(key);
    for (const [command, key] of Object.entries(DEFAULTS)) {
      const chosen = [key, "c"].find(free);
      if (chosen) this.first.set(command as Command, chosen);
    }
  }

  of(command: Command): string {
    return this.changed.get(command) ?? this.first.get(command) ?? "";
  }

  private holder(key: string): Command | undefined {
    return [...this.first.keys()].find((command) => this.of(command) === key);
  }

  /** Return what a pressed key does; `preview`: the class key was pressed with Shift. */
  command(event: KeyboardEvent): { command: Command; preview: boolean } | null {
    if (!this.enabled || event.ctrlKey || event.metaKey || event.altKey) return null;
    const plain = this.holder(event.key) ?? this.holder(keyName(event));
    if (plain && !(plain.startsWith("class") && event.shiftKey)) return { command: plain, preview: false };
    const tried = this.holder(keyName(event).replace(/^Shift\+/, ""));
    return tried?.startsWith("class") ? { command: tried, preview: true } : null;
  }

  /** Give a command another key; return a sentence if the key is taken. */
  bind(command: Command, key: string, names: (command: Command) => string): string | null {
    if (["Escape", "Tab", "Enter"].includes(key)) return `${keyCap(key)} cannot be used: the page needs it.`;
    const bare = this.holder(key.replace(/^Shift\+/, ""));
    // Shift with a class key is taken, too: it shows what would change.
    const taken = this.holder(key) ?? (bare?.startsWith("class") ? bare : undefined);
    if (taken && taken !== command) return `${keyCap(key)} is taken: ${names(taken)}. Nothing was changed.`;
    this.changed.set(command, key);
    this.keep();
    return null;
  }

  reset(): void {
    this.changed.clear();
    this.keep();
  }

  turn(on: boolean): void {
    this.enabled = on;
    this.keep();
  }

  private keep(): void {
    localStorage.setItem(STORE, JSON.stringify({ keys: Object.fromEntries(this.changed), enabled: this.enabled }));
  }
}
