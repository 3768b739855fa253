import { Injectable } from '@nestjs/common';
import { compareLargeStatements, type StatementComparison, type StatementVariable } from '@ssb/config';
import { ProblemException } from '@ssb/platform';
import { Database } from '@ssb/postgres';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { notFound } from '../http/problems.js';
import { FullRecords } from './full-records.js';

/** Differences that are kept for further pages; a statement of 100,000 variables has as many at most, which take some 25 MB. */
const MAX_KEPT_DIFFERENCES = 200_000;
const MAX_KEPT_COMPARISONS = 100;

/** The data of an event, as far as it is read here. */
interface StatementData {
  readonly variables?: readonly StatementVariable[];
  readonly variablesSummary?: { readonly sha256: string; readonly source: { readonly path: string } };
}

interface FullRecord {
  readonly tradingDays: readonly {
    readonly tradingDay: string;
    readonly variables: readonly Omit<StatementVariable, 'tradingDay'>[];
  }[];
}

/** Compares versions of statements. Events do not change, so a comparison is kept for its further pages. */
@Injectable()
export class Comparisons {
  /** The latest used last. */
  private readonly kept = new Map<string, StatementComparison>();
  /** One at a time, because two large statements take much memory. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly records: FullRecords,
  ) {}

  /**
   * @param before id of the event of a version, which the caller may see
   * @param after the same
   * @throws ProblemException 404, 409 when a full record is no longer kept, 502 and 503
   */
  async compare(before: string, after: string): Promise<StatementComparison> {
    const key = `${before} ${after}`;
    const known = this.kept.get(key);
    if (known !== undefined) return this.keep(key, known);
    const found = this.last.then(async () => this.kept.get(key) ?? (await this.load(before, after)));
    this.last = found.catch(() => undefined);
    return this.keep(key, await found);
  }

  private async load(before: string, after: string): Promise<StatementComparison> {
    const earlier = await this.readVariables(before);
    const later = await this.readVariables(after);
    return compareLargeStatements(earlier, later, yieldToOthers);
  }

  private keep(key: string, comparison: StatementComparison): StatementComparison {
    this.kept.delete(key);
    this.kept.set(key, comparison);
    this.removeOldest();
    return comparison;
  }

  private removeOldest(): void {
    let count = [...this.kept.values()].reduce((sum, { differences }) => sum + differences.length, 0);
    for (const [key, { differences }] of this.kept) {
      const isLatest = this.kept.size === 1;
      if (isLatest || (count <= MAX_KEPT_DIFFERENCES && this.kept.size <= MAX_KEPT_COMPARISONS)) return;
      this.kept.delete(key);
      count -= differences.length;
    }
  }

  private async readVariables(eventId: string): Promise<readonly StatementVariable[]> {
    const [row] = await this.database.query<{ text: string }>(
      'SELECT event AS text FROM archive WHERE event_id = $1',
      [eventId],
    );
    const { data } = JSON.parse(row?.text ?? '{}') as { data?: StatementData };
    if (data?.variables !== undefined) return data.variables;
    // Deleted by age meanwhile.
    if (data?.variablesSummary === undefined) return notFound('statement');
    const { sha256, source } = data.variablesSummary;
    const text = await this.records.read(sha256);
    if (text === undefined)
      throw new ProblemException(
        409,
        'Conflict',
        `The statement of event ${eventId} was too large for its channel, and its full record (SHA-256 ${sha256}) is no longer kept by the poller. Request it from the operator: ${source.path}.`,
      );
    await yieldToOthers();
    const { tradingDays } = JSON.parse(text) as FullRecord;
    return tradingDays.flatMap(({ tradingDay, variables }) =>
      variables.map(({ variable, pOrC, gstApplicable, value }) => ({
        tradingDay,
        variable,
        pOrC,
        gstApplicable,
        value,
      })),
    );
  }
}
