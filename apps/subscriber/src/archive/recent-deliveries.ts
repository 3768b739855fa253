import type { AlertRule } from '@ssb/config';
import type { SqlSession } from '@ssb/postgres';
import type { TimedEntry } from './archive-entries.js';

/** An event, the sinks of its rules, and the rules that match it. */
export interface SpacedEntry {
  readonly timed: TimedEntry;
  readonly sinks: readonly string[];
  readonly rules: readonly AlertRule[];
}

/** When each subject had its last delivery to a sink that was neither withheld nor held, as far as `minInterval` needs it. */
export class RecentDeliveries {
  /** @param sinceMsByKey undefined when no rule asks for it */
  private constructor(private readonly sinceMsByKey?: Map<string, number>) {}

  static async read(session: SqlSession, entries: readonly SpacedEntry[]): Promise<RecentDeliveries> {
    const wanted = entries.flatMap(({ timed, sinks, rules }) => {
      const spaced = rules.filter(({ minInterval }) => minInterval !== undefined);
      const { subject } = timed.entry.event;
      return sinks
        .filter((sink) => spaced.some((rule) => rule.sinks.includes(sink)))
        .map((sink) => ({ sink, subject }));
    });
    if (wanted.length === 0) return new RecentDeliveries();
    const rows = await session.query<{ sink: string; subject: string; ms: number }>(
      `SELECT DISTINCT sink, subject, (extract(epoch FROM clock_timestamp() - added_at) * 1000)::double precision AS ms
       FROM unnest($1::text[], $2::text[]) AS given (sink, subject) JOIN delivery_subject USING (sink, subject)
       WHERE added_at IS NOT NULL`,
      [wanted.map(({ sink }) => sink), wanted.map(({ subject }) => subject)],
    );
    return new RecentDeliveries(new Map(rows.map(({ sink, subject, ms }) => [toKey(sink, subject), ms])));
  }

  /** Undefined without a delivery. */
  sinceMs(sink: string, subject: string): number | undefined {
    return this.sinceMsByKey?.get(toKey(sink, subject));
  }

  /** The batch adds one now. */
  add(sink: string, subject: string): void {
    this.sinceMsByKey?.set(toKey(sink, subject), 0);
  }
}

const toKey = (sink: string, subject: string): string => JSON.stringify([sink, subject]);
