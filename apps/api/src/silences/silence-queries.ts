import { Injectable } from '@nestjs/common';
import { isSilenced, type SilenceFacts, type SilenceMatchers } from '@ssb/config';
import { Conditions, Database } from '@ssb/postgres';
import type { Caller } from '../access/caller.js';
import { findId } from '../database/find-id.js';
import { presentMembers } from '../database/present-members.js';
import { toPage, wrongCursor, type Page } from '../http/page.js';
import { isUuid } from '../http/texts.js';
import { namesOnly } from '../requests/visible-requests.js';
import type { SilenceRow, SilencesQuery } from './silence-dto.js';

const MAX_HIDDEN = 100;
/** Silences of one problem that are shown; at most 100 are open at a time. */
const MAX_COVERING = 100;

const END = 'coalesce(ended_at, ends_at)';
const STATE = `CASE WHEN ${END} <= clock_timestamp() THEN 'ended' WHEN starts_at <= clock_timestamp() THEN 'active' ELSE 'scheduled' END`;
const IS_ACTIVE = `starts_at <= clock_timestamp() AND ${END} > clock_timestamp()`;
const COLUMNS = `silence_key AS id, silence_id AS number, ${STATE} AS state, matchers, starts_at AS "startsAt", ${END} AS "endsAt", author, comment,
  ended_by AS "endedBy", end_comment AS "endComment",
  ARRAY(SELECT problem_id FROM silenced_problem AS hidden WHERE hidden.silence_id = silence.silence_id ORDER BY problem_id LIMIT ${MAX_HIDDEN + 1}) AS hidden`;

interface StoredSilence extends Omit<
  SilenceRow,
  'matchers' | 'hides' | 'hidesMore' | 'endedBy' | 'endComment'
> {
  /** Never shown: it tells how many requests there are. */
  readonly number: number;
  readonly matchers: SilenceMatchers;
  readonly endedBy: string | null;
  readonly endComment: string | null;
  readonly hidden: readonly string[];
}

/** A silence, and the number that requests use for it. */
export interface FoundSilence {
  readonly number: number;
  readonly silence: SilenceRow;
}

/** Reads silences. A caller of some participants sees those that name only these. */
@Injectable()
export class SilenceQueries {
  constructor(private readonly database: Database) {}

  /**
   * The newest first.
   * @throws InvalidRequestError for the cursor of a silence that the caller may not see
   */
  async list(caller: Caller, { all, at, cursor, limit }: SilencesQuery): Promise<Page<SilenceRow>> {
    const conditions = addVisibility(new Conditions(), caller).add(
      at,
      (time) => `starts_at <= ${time}::timestamptz AND ${END} > ${time}::timestamptz`,
    );
    if (!all && at === undefined) conditions.addText(`${END} > clock_timestamp()`);
    if (cursor !== undefined) {
      const last = isUuid(cursor) ? await this.readOne(caller, cursor) : undefined;
      if (last === undefined) throw wrongCursor();
      conditions.add(last.number, (number) => `silence_id < ${number}`);
    }
    const rows = await this.read(conditions, limit + 1);
    return toPage(rows.map(toSilenceRow), limit, ({ id }) => id);
  }

  /**
   * A silence that the caller may see.
   * @param text its id, or the first 6 characters or more
   * @throws ProblemException 409 when several begin so
   */
  async find(caller: Caller, text: string): Promise<FoundSilence | undefined> {
    const id = await findId(this.database, text, 'silences', {
      table: 'silence',
      column: 'silence_key',
      addVisibility: (conditions) => addVisibility(conditions, caller),
    });
    const stored = id && (await this.readOne(caller, id));
    return stored ? { number: stored.number, silence: toSilenceRow(stored) } : undefined;
  }

  private async readOne(caller: Caller, id: string): Promise<StoredSilence | undefined> {
    const conditions = addVisibility(new Conditions(), caller).add(id, (key) => `silence_key = ${key}`);
    return (await this.read(conditions, 1))[0];
  }

  /**
   * Silences that cover an open problem now, and those that have hidden it while it was critical.
   * @param facts of its last event; undefined for a problem that has ended
   */
  async listCovering(
    caller: Caller,
    problemId: string,
    facts: SilenceFacts | undefined,
  ): Promise<SilenceRow[]> {
    const visible = (): Conditions => addVisibility(new Conditions(), caller);
    const recorded = visible().add(
      problemId,
      (id) => `silence_id IN (SELECT silence_id FROM silenced_problem WHERE problem_id = ${id})`,
    );
    const active = facts === undefined ? [] : await this.read(visible().addText(IS_ACTIVE), MAX_COVERING);
    const covering = active.filter(({ matchers }) => facts !== undefined && isSilenced(matchers, facts));
    const all = [...covering, ...(await this.read(recorded, MAX_COVERING))];
    return [...new Map(all.map((each) => [each.id, toSilenceRow(each)])).values()];
  }

  private read(conditions: Conditions, limit: number): Promise<StoredSilence[]> {
    return this.database.query<StoredSilence>(
      `SELECT ${COLUMNS} FROM silence ${conditions.where} ORDER BY silence_id DESC LIMIT ${conditions.parameter(limit)}`,
      conditions.values,
    );
  }
}

function addVisibility(conditions: Conditions, { participants }: Caller): Conditions {
  return participants === 'all'
    ? conditions
    : conditions.add(participants, (codes) => namesOnly("matchers->'participants'", codes));
}

function toSilenceRow({ number: _, hidden, ...silence }: StoredSilence): SilenceRow {
  return {
    ...presentMembers(silence),
    hides: hidden.slice(0, MAX_HIDDEN),
    hidesMore: hidden.length > MAX_HIDDEN,
  };
}
