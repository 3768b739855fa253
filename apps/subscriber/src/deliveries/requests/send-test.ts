import type { Database } from '@ssb/postgres';
import type { AlertSink } from '../sinks/alert-sink.js';

export interface TestRequest {
  readonly requestId: string;
  readonly requestedAt: Date;
  readonly author: string;
  readonly comment: string | undefined;
}

/** What the sink responded to a test. */
export interface TestResult {
  /** `webhook-id` of the test. */
  readonly id: string;
  readonly outcome: string;
  readonly status?: number;
  /** The beginning of the response, at most 2 kB of text. */
  readonly response?: string;
  readonly error?: string;
  readonly durationMs: number;
}

/** Makes one attempt to deliver a test to a sink, also to a disabled or a failing one, and records it. */
export function sendTest(
  database: Database,
  sink: AlertSink,
  request: TestRequest,
  signal: AbortSignal,
): Promise<TestResult> {
  void [database, sink, request, signal];
  return Promise.reject(new Error('not implemented'));
}
