import { CommandError, EXIT, UnknownCallerError } from '../exit.js';
import type { ApiClient } from './api-client.js';

/** Codes; `all`; or `some` for a viewer, whose codes the API does not name. */
type VisibleParticipants = readonly string[] | 'all' | 'some';

/** A page without rows is refused before anything is done, and callers of some participants are refused before that. */
const NO_ROWS = { query: { limit: 0 } };

/** The API refuses it: no event has the type. Before that, it names the participants of an operator. */
const NO_SILENCE = {
  comment: '-',
  for: '1m',
  matchers: { types: ['no.such'], participants: ['*'] },
} as const;

/** @throws CommandError for a participant that the credentials do not see */
export async function checkParticipants(
  api: ApiClient,
  wanted: readonly string[] | undefined,
): Promise<void> {
  if (wanted === undefined) return;
  const visible = await readVisibleParticipants(api);
  if (typeof visible === 'string' || wanted.every((code) => visible.includes(code))) return;
  throw new CommandError(
    `The credentials see only ${visible.join(', ')}: --participant must be one of these.`,
    EXIT.usage,
  );
}

/** A sentence for a listing without rows; undefined for credentials that see everything. */
export async function describeLimit(api: ApiClient): Promise<string | undefined> {
  const visible = await readVisibleParticipants(api);
  if (visible === 'all') return undefined;
  return visible === 'some'
    ? 'The credentials see only some participants: the access file of the API names them.'
    : `The credentials see only ${visible.join(', ')}.`;
}

async function readVisibleParticipants(api: ApiClient): Promise<VisibleParticipants> {
  const limit = await refusalOf(api.get('/v1/sinks', NO_ROWS));
  if (limit?.status !== EXIT.notPermitted || limit instanceof UnknownCallerError) return 'all';
  const refusal = await refusalOf(api.post('/v1/silences', NO_SILENCE));
  const [, codes] = / each one of (.+)$/.exec(refusal?.message ?? '') ?? [];
  return codes?.split(', ') ?? 'some';
}

async function refusalOf(request: Promise<unknown>): Promise<CommandError | undefined> {
  try {
    await request;
    return undefined;
  } catch (error) {
    if (error instanceof CommandError) return error;
    throw error;
  }
}
