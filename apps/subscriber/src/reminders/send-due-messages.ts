import type { OperatorConfig } from '@ssb/config';
import type { Database, SqlSession } from '@ssb/postgres';
import { insertMessages, type InsertedMessage } from '../deliveries/messages/insert-messages.js';
import { RETRY_MS } from '../domain/pauses.js';
import { createProblemMessage } from '../deliveries/messages/problem-message.js';
import type { OpenSilences } from '../silences/open-silences.js';
import { lockProblem } from '../problems/problem-table.js';
import { findDueMessages } from './domain/find-due-messages.js';
import { readProblems } from './read-histories.js';

/** Problems that are read at once. */
const PAGE_SIZE = 200;
/** The next round, when messages were sent or another transaction has locked a problem: it sees when the following ones are due. */
const NEXT_ROUND_MS = 1_000;

export interface SentMessage extends InsertedMessage {
  readonly problemId: string;
}

export interface RoundResult {
  readonly sent: readonly SentMessage[];
  /** Until a message becomes due, by the clock of the database; undefined when none does. */
  readonly nextMs: number | undefined;
  /** Nothing was due, and no problem failed. Until then another transaction may still add a message. */
  readonly isComplete: boolean;
}

/** Reads the silences that apply. */
type ActiveSilences = Pick<OpenSilences, 'readActive'>;
const NO_SILENCES: ActiveSilences = { readActive: () => Promise.resolve([]) };

/** Whether a message about a problem can become due. If not, the database is not read. */
export function canBecomeDue({ alerts }: Pick<OperatorConfig, 'alerts'>): boolean {
  return alerts.rules.some(({ remindEvery, remindAcknowledgedEvery, escalate, mute }) =>
    [remindEvery, remindAcknowledgedEvery, escalate, mute].some((key) => key !== undefined),
  );
}

/**
 * Adds all reminders and escalations that are due now, one transaction a problem.
 * @param onFailure is called for each problem that failed. It does not stop the others.
 */
export async function sendDueMessages(
  database: Database,
  config: Pick<OperatorConfig, 'alerts'>,
  signal: AbortSignal,
  silences: ActiveSilences = NO_SILENCES,
  onFailure: (problemId: string, err: unknown) => void = () => undefined,
): Promise<RoundResult> {
  const withAmounts = config.alerts.rules.some(({ amounts }) => amounts !== undefined);
  const sent: SentMessage[] = [];
  const waits: number[] = [];
  let after = '';
  let isComplete = true;
  const active = await silences.readActive(database);
  while (!signal.aborted) {
    const { problems, now } = await readProblems(database, { after, limit: PAGE_SIZE, withAmounts });
    for (const { problem, histories } of problems) {
      if (signal.aborted) break;
      const { problemId } = problem;
      try {
        const { messages, nextAt } = findDueMessages(problem, histories, { config, silences: active, now });
        if (nextAt !== undefined) waits.push(nextAt.getTime() - now.getTime());
        if (messages.length === 0) continue;
        isComplete = false;
        const added = await database.transaction((session) =>
          sendFor(session, problemId, { config, silences, withAmounts }),
        );
        sent.push(...added.map((message) => ({ ...message, problemId })));
        waits.push(NEXT_ROUND_MS);
      } catch (err) {
        isComplete = false;
        onFailure(problemId, err);
        waits.push(RETRY_MS);
      }
    }
    if (problems.length < PAGE_SIZE) break;
    after = problems.at(-1)?.problem.problemId ?? '';
  }
  const nextMs = Math.min(...waits);
  return {
    sent,
    nextMs: Number.isFinite(nextMs) ? nextMs : undefined,
    isComplete: isComplete && !signal.aborted,
  };
}

interface SendOptions {
  readonly config: Pick<OperatorConfig, 'alerts'>;
  readonly silences: ActiveSilences;
  readonly withAmounts: boolean;
}

/** Decides again under the lock of the problem, so that the message of another replica counts. */
async function sendFor(
  session: SqlSession,
  problemId: string,
  { config, silences, withAmounts }: SendOptions,
): Promise<InsertedMessage[]> {
  const problem = await lockProblem(session, problemId, true);
  if (problem === undefined) return [];
  const { problems, now } = await readProblems(session, { after: '', limit: 1, problemId, withAmounts });
  const [read] = problems;
  if (read === undefined) return [];
  const active = await silences.readActive(session);
  const due = findDueMessages(read.problem, read.histories, { config, silences: active, now });
  return insertMessages(
    session,
    due.messages.map(({ kind: delivery, sink, withheld }) => {
      const number = (read.numbers.get(sink)?.[delivery] ?? 0) + 1;
      return createProblemMessage({ delivery, sink, problem, number, now, withheld });
    }),
  );
}
