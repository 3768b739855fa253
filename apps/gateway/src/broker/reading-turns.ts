/**
 * Whoever reads for one reader waits until the reading before has been settled, since the broker gives both the same messages until then.
 * Nobody waits longer than the patience, so one that does not take its answer holds up the others no longer than that; they may then get
 * what it was given.
 */
export class ReadingTurns {
  /** For each reader the end of the turn that was asked for last. */
  private readonly last = new Map<string, Promise<void>>();

  constructor(private readonly patienceMs: number) {}

  /** @returns ends the turn; harmless when repeated */
  async take(reader: string): Promise<() => void> {
    const before = this.last.get(reader);
    let end: () => void = () => undefined;
    const over = new Promise<void>((resolve) => (end = resolve)).then(() => {
      if (this.last.get(reader) === over) this.last.delete(reader);
    });
    this.last.set(reader, over);
    if (before) await this.patiently(before);
    return end;
  }

  private async patiently(awaited: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, this.patienceMs)));
    await Promise.race([awaited, late]);
    clearTimeout(timer);
  }
}
