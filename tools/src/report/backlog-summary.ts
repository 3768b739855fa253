import type { LinePrinter } from './event-lines.js';

/** Kinds of events in a summary, by the beginning of their type. */
const KINDS = {
  'position.calculated': 'calculations',
  'statement.disagreement': 'disagreement reminders',
  'statement.': 'statements',
  'invoice.': 'invoices',
  'payment.': 'payment reminders',
  '': 'others',
} as const;

/** A backlog arrives without a pause of this length. */
const QUIET_MS = 3_000;

/** Counts events of the past, and prints their numbers at once. */
export class BacklogSummary {
  private readonly counts = new Map<string, number>();
  private alerts = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param onQuiet called when no event was added for a while */
  constructor(
    private readonly printer: LinePrinter,
    private readonly onQuiet: () => void,
    private readonly quietMs = QUIET_MS,
  ) {}

  /** @param type without `settlementbus.` */
  add(type: string, isAlert: boolean): void {
    const [, kind] = Object.entries(KINDS).find(([beginning]) => type.startsWith(beginning)) ?? [
      '',
      'others',
    ];
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    if (isAlert) this.alerts += 1;
    clearTimeout(this.timer);
    this.timer = setTimeout(this.onQuiet, this.quietMs);
    this.timer.unref();
  }

  /** Prints what was counted since the last line. */
  print(): void {
    clearTimeout(this.timer);
    if (this.counts.size === 0) return;
    const all = [...this.counts.values()].reduce((sum, count) => sum + count, 0);
    const kinds = Object.values(KINDS).flatMap((kind) => {
      const count = this.counts.get(kind);
      return count === undefined ? [] : [`${kind} ${count}`];
    });
    this.printer.writeLine(
      `   backlog: ${all} ${all === 1 ? 'event' : 'events'} archived, not listed one by one`,
    );
    this.printer.writeLine(`            ${kinds.join(', ')}`);
    if (this.alerts > 0)
      this.printer.writeLine(
        `            ${this.alerts} of them opened a problem: npx busbridge problems list`,
      );
    this.counts.clear();
    this.alerts = 0;
  }
}
