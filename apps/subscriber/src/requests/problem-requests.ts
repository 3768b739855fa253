import type { Database } from '@ssb/postgres';
import { createAlertPolicy, hasSink } from '../archive/alert-policy.js';
import type { ConfigInUse } from '../configuration/config-in-use.js';
import { acknowledgeProblem, closeProblem } from '../problems/problem-requests.js';
import { rebuildProblems } from '../problems/rebuild-problems.js';
import type { StoredEventVerifier } from '../receiver/stored-event-verifier.js';
import { inSteps, inTransaction, type RequestHandlers } from './request-handler.js';
import { REQUEST_PARAMETERS } from './request-parameters.js';

export interface ProblemRequestDependencies {
  readonly database: Database;
  readonly config: ConfigInUse;
  readonly storedEvents: StoredEventVerifier;
}

/** Requests about problems. */
export function problemRequests({
  database,
  config,
  storedEvents,
}: ProblemRequestDependencies): RequestHandlers {
  const isConfigured = (name: string): boolean => hasSink(config.current(), name);
  return {
    acknowledge: inTransaction('decisions', REQUEST_PARAMETERS.acknowledge, (request, session) =>
      acknowledgeProblem(session, request, isConfigured),
    ),
    close: inTransaction('decisions', REQUEST_PARAMETERS.close, (request, session) =>
      closeProblem(session, request, isConfigured),
    ),
    'rebuild-problems': inSteps('rebuilds', REQUEST_PARAMETERS['rebuild-problems'], async (_, run) => {
      const result = await run.retry(() =>
        rebuildProblems(database, {
          verify: (stored) => storedEvents.verify(stored),
          onUnverified: (stored, detail) => storedEvents.onUnverified(stored, detail),
          policy: createAlertPolicy(config.current()),
          signal: run.signal,
          onProgress: ({ step, events, of }) =>
            database.transaction((session) =>
              run.saveProgress(session, { step, changed: events, total: of }),
            ),
        }),
      );
      return { outcome: 'done', result: { ...result } };
    }),
  };
}
