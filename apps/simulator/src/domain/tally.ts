import { participantOf, type BulkLine, type RecordKind } from '@ssb/market';

/** How many records of a kind were published for a participant. */
export interface TallyRow {
  kind: RecordKind;
  participant: string;
  records: number;
}

/** What became of the records that were published. */
export interface Outcome {
  loaded: number;
  alreadyThere: number;
  /** There already with another content, from another play. */
  conflicting: number;
}

/** Counts what was published, for the summary at a play's end. */
export class Tally {
  private readonly counts = new Map<string, TallyRow>();
  private readonly outcome: Outcome = { loaded: 0, alreadyThere: 0, conflicting: 0 };

  add(lines: readonly BulkLine[], { loaded, alreadyThere, conflicting }: Outcome): void {
    for (const line of lines) {
      const participant = participantOf(line) ?? 'everybody';
      const key = `${line.kind} ${participant}`;
      const row = this.counts.get(key) ?? { kind: line.kind, participant, records: 0 };
      row.records += 1;
      this.counts.set(key, row);
    }
    this.outcome.loaded += loaded;
    this.outcome.alreadyThere += alreadyThere;
    this.outcome.conflicting += conflicting;
  }

  get outcomes(): Outcome {
    return { ...this.outcome };
  }

  /** By participant, then by kind. */
  get rows(): TallyRow[] {
    const key = ({ participant, kind }: TallyRow): string => `${participant} ${kind}`;
    return [...this.counts.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  }
}

/** The summary as people read it: a line for each kind and participant, then what became of them and how long it took. */
export function summaryText(tally: Tally, milliseconds: number): string {
  const lines = tally.rows.map(
    ({ kind, participant, records }) =>
      `  ${participant.padEnd(20)} ${kind.padEnd(24)} ${String(records).padStart(8)}`,
  );
  const { loaded, alreadyThere, conflicting } = tally.outcomes;
  return [
    `published in ${(milliseconds / 1_000).toFixed(1)} s:`,
    ...lines,
    `  new ${loaded}, there already ${alreadyThere}, there with another content ${conflicting}`,
  ].join('\n');
}
