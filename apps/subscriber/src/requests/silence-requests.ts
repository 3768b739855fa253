import type { SqlSession } from '@ssb/postgres';
import type { ConfigInUse } from '../configuration/config-in-use.js';
import { decideSilence, findEndIssue } from '../silences/domain/decide-silence.js';
import { SILENCES_CHANNEL } from '../silences/open-silences.js';
import {
  endSilence,
  insertSilence,
  lockSilence,
  readOpenSilences,
  readTime,
} from '../silences/silence-table.js';
import { inTransaction, type RequestHandlers } from './request-handler.js';
import { REQUEST_PARAMETERS, type RequestedSilence } from './request-parameters.js';
import { refuse, type OpenRequest, type RequestResult } from './request.js';

/** Requests about silences. */
export function silenceRequests({
  config,
}: {
  readonly config: Pick<ConfigInUse, 'current'>;
}): RequestHandlers {
  return {
    silence: inTransaction('decisions', REQUEST_PARAMETERS.silence, (request, session) =>
      addSilence(session, request, config),
    ),
    'end-silence': inTransaction('decisions', REQUEST_PARAMETERS['end-silence'], (request, session) =>
      endBefore(session, request),
    ),
  };
}

async function addSilence(
  session: SqlSession,
  { requestId, parameters, author, comment }: OpenRequest<RequestedSilence>,
  config: Pick<ConfigInUse, 'current'>,
): Promise<RequestResult> {
  const { matchers, startsAt, endsAt, seconds } = parameters;
  const now = await readTime(session);
  const open = await readOpenSilences(session);
  const decision = decideSilence(
    { matchers, startsAt: toDate(startsAt), endsAt: toDate(endsAt), seconds, comment },
    { config: config.current(), now, open: open.length },
  );
  if (decision.outcome === 'refused') return refuse(decision.reason);
  const { outcome, ...silence } = decision;
  await insertSilence(session, { silenceId: requestId, matchers, author, ...silence });
  await session.notify(SILENCES_CHANNEL, '');
  const { startsAt: from, endsAt: until } = silence;
  return {
    outcome,
    result: { silenceId: requestId, startsAt: from.toISOString(), endsAt: until.toISOString() },
  };
}

async function endBefore(
  session: SqlSession,
  { parameters: { silenceId }, author, comment }: OpenRequest<{ readonly silenceId: number }>,
): Promise<RequestResult> {
  const silence = await lockSilence(session, silenceId);
  const at = await readTime(session);
  const issue = findEndIssue(silence, at);
  if (issue !== undefined) return refuse(issue);
  await endSilence(session, silenceId, { at, by: author, comment });
  await session.notify(SILENCES_CHANNEL, '');
  return { outcome: 'done', result: { silenceId, endedAt: at.toISOString() } };
}

const toDate = (text: string | undefined): Date | undefined =>
  text === undefined ? undefined : new Date(text);
