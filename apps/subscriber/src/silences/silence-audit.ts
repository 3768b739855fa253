import type { DeliveredSilence } from '@ssb/events';
import type { Database, SqlSession } from '@ssb/postgres';
import { insertMessages } from '../deliveries/messages/insert-messages.js';
import { createProblemMessage } from '../deliveries/messages/problem-message.js';
import { findProblems } from '../problems/problem-table.js';
import { endOf, isActive, type Silence } from './domain/silence.js';
import { findHiddenProblems, insertHiddenProblems, listHidden, takeUnreported } from './hidden-problems.js';
import { concludeSilence, lockOpenSilence, readTime } from './silence-table.js';

/**
 * Reports which critical problems a silence hides, and concludes a silence that is over. One transaction, which locks the silence, so that
 * several replicas report each of them once.
 * @param sinks those of `alerts.audit`
 * @param isHandled whether what a silence that is over has withheld was sent; until then it stays open
 */
export function auditSilence(
  database: Database,
  silenceId: number,
  sinks: readonly string[],
  isHandled: boolean,
): Promise<void> {
  return database.transaction(async (session) => {
    const silence = await lockOpenSilence(session, silenceId);
    if (silence === undefined) return;
    const now = await readTime(session);
    if (isActive(silence, now))
      await insertHiddenProblems(session, await findHiddenProblems(session, silence));
    const begun = await takeUnreported(session, silenceId);
    await report(session, 'silence-began', begun, { silence, sinks, now });
    if (now < endOf(silence) || !isHandled) return;
    const hidden = await listHidden(session, silenceId);
    await report(session, 'silence-ended', hidden, { silence, sinks, now });
    await concludeSilence(session, silenceId);
  });
}

interface ReportOptions {
  readonly silence: Silence;
  readonly sinks: readonly string[];
  readonly now: Date;
}

/** The end of a silence does not matter to a problem that is over. */
async function report(
  session: SqlSession,
  delivery: 'silence-began' | 'silence-ended',
  problemIds: readonly string[],
  { silence, sinks, now }: ReportOptions,
): Promise<void> {
  if (sinks.length === 0) return;
  const problems = await findProblems(session, problemIds);
  const about = problems.filter(({ endedAt }) => delivery === 'silence-began' || endedAt === undefined);
  const messages = about.flatMap((problem) =>
    sinks.map((sink) =>
      createProblemMessage({
        delivery,
        sink,
        problem,
        number: silence.silenceId,
        now,
        silence: describeSilence(silence),
      }),
    ),
  );
  await insertMessages(session, messages);
}

function describeSilence({ silenceId, startsAt, endsAt, author, comment, ended }: Silence): DeliveredSilence {
  return {
    number: silenceId,
    startsAt: startsAt.toISOString(),
    endsAt: endsAt.toISOString(),
    author,
    comment,
    ...(ended && {
      ended: {
        at: ended.at.toISOString(),
        by: ended.by,
        ...(ended.comment !== undefined && { comment: ended.comment }),
      },
    }),
  };
}
