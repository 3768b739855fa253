import { isParticipantCode } from '../../domain/participant-name.js';

/** Which records of a kind are listed, oldest load first. */
export interface ListQuestion {
  /** Those of every participant when absent. */
  readonly participant?: string;
  /** Those loaded after this one: the `next` of the page before. */
  readonly after?: string;
  readonly limit: number;
}

export type ListReading =
  | { readonly ok: true; readonly question: ListQuestion }
  | { readonly ok: false; readonly parameter: string; readonly detail: string };

const PARAMETERS = ['participant', 'after', 'limit'];
/** A page holds whole documents on its way out of the database, and one may have megabytes. */
export const LONGEST_PAGE = 100;
const USUAL_PAGE = 20;

/** Reads the query of a listing. */
export function readListQuestion(query: Readonly<Record<string, unknown>>): ListReading {
  const unknown = Object.keys(query).find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined)
    return refused(unknown.slice(0, 60), `Parameters are ${PARAMETERS.join(', ')}; no others are known.`);
  const { participant, after, limit } = query;
  if (participant !== undefined && (typeof participant !== 'string' || !isParticipantCode(participant)))
    return refused(
      'participant',
      'participant is one participant code of 1 to 60 printable characters, given once.',
    );
  if (after !== undefined && !(typeof after === 'string' && isSequence(after)))
    return refused('after', 'after is the next of the page before, given once.');
  const length = limit === undefined ? USUAL_PAGE : lengthOf(limit);
  if (length === undefined) return refused('limit', `limit is a whole number from 1 to ${LONGEST_PAGE}.`);
  return {
    ok: true,
    question: {
      limit: length,
      ...(participant !== undefined && { participant }),
      ...(after !== undefined && { after }),
    },
  };
}

/** Whether a text is the number of a load: 1 to what an SQL bigint holds. */
export function isSequence(text: string): boolean {
  return /^(?:0|[1-9]\d{0,17})$/.test(text);
}

function lengthOf(limit: unknown): number | undefined {
  if (typeof limit !== 'string' || !/^[1-9]\d{0,2}$/.test(limit)) return undefined;
  return Number(limit) <= LONGEST_PAGE ? Number(limit) : undefined;
}

function refused(parameter: string, detail: string): ListReading {
  return { ok: false, parameter, detail };
}
