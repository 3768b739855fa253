import { ALL_PARTICIPANTS, createTestDelivery, type TestDelivery } from '@ssb/events';
import type { Database } from '@ssb/postgres';
import { describeOutcome } from '../domain/delivery-policy.js';
import type { AlertSink } from '../sinks/alert-sink.js';

export interface TestRequest {
  readonly requestId: string;
  readonly requestedAt: Date;
  readonly author: string;
  readonly comment: string | undefined;
}

/** What the sink responded to a test. */
export interface TestResult {
  /** The id that the sink saw. */
  readonly id: string;
  readonly outcome: string;
  readonly description: string;
  readonly status: number | undefined;
  /** The beginning of the response, at most 2 kB of text. */
  readonly response: string | undefined;
  readonly durationMs: number;
}

/**
 * Makes one attempt to deliver a test to a sink, also to a disabled or a failing one, and records it. It is not a delivery of the outbox: it
 * is not attempted again, and says nothing about the sink to others.
 */
export async function sendTest(
  database: Database,
  sink: AlertSink,
  request: TestRequest,
  signal: AbortSignal,
): Promise<TestResult> {
  const test = createTestDelivery({ ...request, sink: sink.name });
  const startedAt = Date.now();
  const outcome = await sink.deliver(toMessage(test), signal);
  const at = new Date();
  const result: TestResult = {
    id: test.id,
    outcome: outcome.kind,
    description: describeOutcome(outcome),
    status: 'status' in outcome ? outcome.status : undefined,
    response: 'response' in outcome ? outcome.response : undefined,
    durationMs: at.getTime() - startedAt,
  };
  await recordTest(database, sink.name, result, at);
  return result;
}

function toMessage(test: TestDelivery): Parameters<AlertSink['deliver']>[0] {
  return {
    eventId: test.id,
    kind: 'test',
    severity: 'info',
    problemId: null,
    problemState: null,
    replayed: false,
    marks: [],
    type: test.type,
    subject: test.subject,
    participant: ALL_PARTICIPANTS,
    text: JSON.stringify(test),
  };
}

/** After a crash the same test is attempted again. */
async function recordTest(database: Database, sink: string, result: TestResult, at: Date): Promise<void> {
  const { id, outcome, description, status, response, durationMs } = result;
  await database.query(
    `INSERT INTO attempt (event_id, sink, number, at, duration_ms, outcome, status, response, error)
     SELECT $1, $2, coalesce(max(number), 0) + 1, $3, $4, $5, $6, $7, $8 FROM attempt WHERE event_id = $1 AND sink = $2`,
    [
      id,
      sink,
      at,
      durationMs,
      outcome,
      status ?? null,
      response ?? null,
      outcome !== 'delivered' && status === undefined ? description : null,
    ],
  );
}
