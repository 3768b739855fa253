interface SequencedEvent {
  readonly subject: string;
  /** Sorts as text. */
  readonly sequence: string;
}

/** Finds events whose subject had a higher sequence before, in the order of the archive. */
export class StaleEvents {
  private readonly highest: Map<string, string>;

  /** @param highest of each subject so far */
  constructor(highest: ReadonlyMap<string, string> = new Map()) {
    this.highest = new Map(highest);
  }

  /** Whether the event is stale. Otherwise its sequence is the highest one from now on. */
  check({ subject, sequence }: SequencedEvent): boolean {
    if (sequence < (this.highest.get(subject) ?? '')) return true;
    this.highest.set(subject, sequence);
    return false;
  }
}
