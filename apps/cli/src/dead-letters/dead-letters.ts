import { renderFittedTable, standardOutput, StyledText, type Column } from '@ssb/platform/cli';
import type { ApiClient } from '../api/api-client.js';
import type { DeadLetterRow } from '../api/operations.js';
import { withApi, type ApiOptions, type ListOptions } from '../commands/api-command.js';
import { CommandError, EXIT } from '../exit.js';
import { printListing, printResult } from '../output/listing.js';
import { renderFields, renderParts, showTime } from '../output/text.js';

export interface RemoveOptions extends ApiOptions {
  readonly comment?: string;
}

export interface RetryOptions extends RemoveOptions {
  readonly unverified: boolean;
}

/** Ids are not shortened: those of unverified dead letters have a prefix, and commands need the whole id. */
const COLUMNS: readonly Column<DeadLetterRow>[] = [
  { head: 'id', cell: ({ id }) => id, whole: true },
  {
    head: 'verified',
    cell: ({ verified }) => (verified ? 'yes' : 'no'),
    style: ({ verified }) => (verified ? undefined : 'bad'),
  },
  { head: 'type', cell: ({ type }) => type, rank: 1 },
  { head: 'subject', cell: ({ subject }) => subject, rank: 2 },
  { head: 'since', cell: ({ deadLetteredAt }) => showTime(deadLetteredAt), rank: 4, whole: true },
  { head: 'retried', cell: ({ retriedAt }) => showTime(retriedAt), rank: 3, whole: true },
  { head: 'reason', cell: ({ reason }) => reason },
];

export function listLetters(options: ListOptions): Promise<void> {
  const listing = { query: {}, columns: COLUMNS, empty: 'There are no dead letters.' };
  return withApi(options, (api) => printListing(api, '/v1/dead-letters', listing, options));
}

export function showLetter(id: string, options: ApiOptions): Promise<void> {
  return withApi(options, async (api) => {
    const letter = await api.get('/v1/dead-letters/{id}', { parts: { id } });
    const { verified, type, participant, subject, reason, cause, deadLetteredAt, retriedAt, event } = letter;
    printResult(letter, options.output, () =>
      renderParts([
        [
          '',
          renderFields([
            ['id', letter.id],
            [
              'verified',
              verified ? 'yes' : 'no: everything in it can be forged',
              verified ? undefined : 'bad',
            ],
            ['type', type],
            ['participant', participant],
            ['subject', subject],
            ['reason', reason],
            ['cause', cause],
            ['since', showTime(deadLetteredAt)],
            ['retried', showTime(retriedAt)],
            ['bytes', String(letter.eventBytes)],
          ]),
        ],
        ['Event', event && StyledText.of(JSON.stringify(event))],
      ]),
    );
  });
}

export function retryLetters(ids: readonly string[], options: RetryOptions): Promise<void> {
  const { unverified, comment, output } = options;
  if (unverified && (ids.length > 1 || ids.includes('all')))
    throw new CommandError('--unverified takes one id. Read the event with "show" first.', EXIT.usage);
  const body = comment === undefined ? {} : { comment };
  return withApi(options, async (api) => {
    const results = ids.includes('all')
      ? await retryAll(api, body)
      : await forEachId(ids, (id) =>
          api.post('/v1/dead-letters/{id}/retry', { ...body, unverified }, { parts: { id } }),
        );
    if (results.some(isRefused)) process.exitCode ??= EXIT.findings;
    printResult(results, output, () => renderResults(results));
  });
}

const isRefused = ({ outcome }: Outcome): boolean => ['refused', 'not-found', 'failed'].includes(outcome);

/** How often a listing is begun again, because the dead letter of its cursor was published meanwhile. */
const MAX_RESTARTS = 5;

async function retryAll(api: ApiClient, body: { readonly comment?: string }): Promise<readonly Outcome[]> {
  const results = new Map<string, Outcome>();
  let restarts = 0;
  let cursor: string | undefined;
  for (;;) {
    try {
      const page = await api.post('/v1/dead-letters/retry', {
        ...body,
        ...(cursor !== undefined && { cursor }),
      });
      for (const each of page.items) if (!results.has(each.id)) results.set(each.id, each);
      cursor = page.next;
      if (cursor === undefined) return [...results.values()];
    } catch (error) {
      const hasLeft = error instanceof CommandError && error.status === EXIT.usage && cursor !== undefined;
      if (!hasLeft || ++restarts > MAX_RESTARTS)
        return [...results.values(), toFailure(error, 'the others', results.size > 0)];
      cursor = undefined;
    }
  }
}

export function removeLetters(ids: readonly string[], { comment, ...options }: RemoveOptions): Promise<void> {
  return withApi(options, async (api) => {
    const results = await forEachId(ids, async (id) => {
      const body = comment === undefined ? {} : { comment };
      const { type, subject } = await api.post('/v1/dead-letters/{id}/remove', body, { parts: { id } });
      return { id, outcome: 'removed', reason: [type, subject].filter(Boolean).join(' ') };
    });
    if (results.some(isRefused)) process.exitCode ??= EXIT.findings;
    printResult(results, options.output, () => renderResults(results));
  });
}

interface Outcome {
  readonly id: string;
  readonly outcome: string;
  readonly reason?: string;
}

/** One id that is refused does not keep the others from being carried out. Any other failure is the last outcome. */
async function forEachId(
  ids: readonly string[],
  carryOut: (id: string) => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  const results: Outcome[] = [];
  for (const id of new Set(ids))
    try {
      results.push(await carryOut(id));
    } catch (error) {
      if (error instanceof CommandError && error.status === EXIT.findings)
        results.push({ id, outcome: 'refused', reason: error.message });
      else return [...results, toFailure(error, id, results.length > 0)];
    }
  return results;
}

/** What was done before is printed, too. @throws the error when nothing was done */
function toFailure(error: unknown, id: string, wasAnyDone: boolean): Outcome {
  if (!wasAnyDone || !(error instanceof CommandError)) throw error;
  process.exitCode = error.status;
  return { id, outcome: 'failed', reason: error.message };
}

function renderResults(results: readonly Outcome[]) {
  if (results.length === 0) return 'There are no dead letters.';
  return renderFittedTable(
    [
      { head: 'id', cell: ({ id }) => id },
      { head: 'outcome', cell: ({ outcome }) => outcome, style: (row) => (isRefused(row) ? 'bad' : 'good') },
      { head: 'about', cell: ({ reason }) => reason },
    ],
    results,
    standardOutput.width,
  );
}
