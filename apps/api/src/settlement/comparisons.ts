import { Injectable } from '@nestjs/common';
import {
  compareLargeStatements,
  listVariables,
  type StatementComparison,
  type StatementVariable,
} from '@ssb/config';
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

interface FullStatement {
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
  private readonly running = new Map<string, Promise<StatementComparison>>();
  /** One at a time, because two large statements take much memory. Their compressed records are read before, so no slow poller holds it up. */
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
    let running = this.running.get(key);
    if (running === undefined) {
      running = this.load(before, after).finally(() => this.running.delete(key));
      this.running.set(key, running);
    }
    return this.keep(key, await running);
  }

  private async load(before: string, after: string): Promise<StatementComparison> {
    const [earlier, later] = [await this.read(before), await this.read(after)];
    const found = this.last.then(async () =>
      compareLargeStatements(await earlier(), await later(), yieldToOthers),
    );
    this.last = found.catch(() => undefined);
    return found;
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

  /** Reads what is stored. @returns what makes the variables of it */
  private async read(eventId: string): Promise<() => Promise<readonly StatementVariable[]>> {
    const [row] = await this.database.query<{ text: string }>(
      'SELECT event AS text FROM archive WHERE event_id = $1',
      [eventId],
    );
    const { data } = JSON.parse(row?.text ?? '{}') as { data?: StatementData };
    const { variables, variablesSummary } = data ?? {};
    if (variables !== undefined) return () => Promise.resolve(variables);
    // Deleted by age meanwhile.
    if (variablesSummary === undefined) return notFound('statement');
    const { sha256, source } = variablesSummary;
    const record = await this.records.read(sha256);
    if (record === undefined)
      throw new ProblemException(
        409,
        'Conflict',
        `The statement of event ${eventId} was too large for its channel, and its full record (SHA-256 ${sha256}) is no longer kept by the poller. Request it from the operator: ${source.path}.`,
      );
    return async () => {
      const text = await record.open();
      await yieldToOthers();
      return listVariables((JSON.parse(text) as FullStatement).tradingDays);
    };
  }
}
