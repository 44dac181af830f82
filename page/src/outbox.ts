// What is on its way to the disk. Nothing counts as saved before the server has said so.

import { type Action, type Api, Refusal } from "./api";

/** An action that is not on disk. */
export interface Unsaved {
  action: Action;
  what: string;
  sentence: string;
}

interface Surroundings {
  open(): boolean;
  say(sentence: string): void;
  changed(): void;
}

const NO_LINE = "there is no connection to the server.";

export class Outbox {
  /** How many actions are under way. */
  saving = 0;
  unsaved: Unsaved[] = [];
  private readonly own = new Set<number>();
  private seen = -1;
  private told = -1;

  constructor(
    private readonly api: Api,
    private readonly around: Surroundings,
  ) {}

  /** Send an action; return whether it is on disk. */
  async act(action: Action, what: string): Promise<boolean> {
    if (!this.around.open()) {
      this.around.say(`Not saved (${what}): ${NO_LINE}`);
      return false;
    }
    this.saving++;
    this.around.changed();
    try {
      const saved = await this.api.act(action);
      this.own.add(saved.entry);
      this.around.say(saved.said);
      return true;
    } catch (error) {
      const sentence = error instanceof Refusal ? error.message : "the server did not answer.";
      // What the server would refuse again, and steps back and forth, are not kept.
      const worthwhile = !(error instanceof Refusal) || error.status >= 500;
      if (worthwhile && action.do !== "undo" && action.do !== "redo") this.unsaved.push({ action, what, sentence });
      this.around.say(`Not saved (${what}): ${sentence}`);
      return false;
    } finally {
      this.saving--;
      this.noticeOthers(this.told);
      this.around.changed();
    }
  }

  /** Send again what could not be saved. */
  async saveAgain(): Promise<void> {
    const waiting = this.unsaved;
    this.unsaved = [];
    for (const { action, what } of waiting) {
      if (!this.around.open()) this.unsaved.push({ action, what, sentence: NO_LINE });
      else await this.act(action, what);
    }
    this.around.changed();
  }

  discard(): void {
    this.unsaved = [];
    this.around.say("What was not saved has been dropped.");
  }

  /** Entries of the journal that this tab did not write were written by another. */
  noticeOthers(entry: number): void {
    this.told = entry;
    if (this.saving) return;
    let others = 0;
    if (this.seen >= 0) for (let e = this.seen + 1; e <= entry; e++) if (!this.own.has(e)) others++;
    this.seen = Math.max(this.seen, entry);
    if (others)
      this.around.say(
        `Another tab changed labels (${others === 1 ? "one change" : `${others} changes`}); they are shown here.`,
      );
  }
}
