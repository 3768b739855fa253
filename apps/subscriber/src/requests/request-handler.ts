import type { SqlSession } from '@ssb/postgres';
import { z } from 'zod';
import { refuse, type OpenRequest, type RequestKind, type RequestResult } from './request.js';
import type { RequestRun } from './request-run.js';

/**
 * Requests of one place are carried out one after the other, in the order of their ids, by one replica at a time. Those of another place do
 * not wait for them.
 */
export type RequestPlace = 'decisions' | 'deliveries' | 'tests' | 'replays' | 'rebuilds';

export interface RequestHandler {
  readonly place: RequestPlace;
  /** Carries the request out and records its end. A repeat after a crash is harmless. */
  carryOut(request: OpenRequest, run: RequestRun): Promise<RequestResult>;
}

export type RequestHandlers = Readonly<Partial<Record<RequestKind, RequestHandler>>>;

/** The effect and the end of the request are committed together, so it takes effect exactly once. */
export function inTransaction<P>(
  place: RequestPlace,
  parameters: z.ZodType<P>,
  work: (request: OpenRequest<P>, session: SqlSession) => Promise<RequestResult>,
): RequestHandler {
  return handler(place, parameters, (request, run) => run.finishWithin((session) => work(request, session)));
}

/**
 * The work consists of steps. Each is one transaction that also saves the progress (`run.saveProgress`). After a crash another replica
 * calls it again, with the progress that was saved last.
 */
export function inSteps<P>(
  place: RequestPlace,
  parameters: z.ZodType<P>,
  work: (request: OpenRequest<P>, run: RequestRun) => Promise<RequestResult>,
): RequestHandler {
  return handler(place, parameters, async (request, run) => run.finish(await work(request, run)));
}

function handler<P>(
  place: RequestPlace,
  parameters: z.ZodType<P>,
  carryOut: (request: OpenRequest<P>, run: RequestRun) => Promise<RequestResult>,
): RequestHandler {
  return {
    place,
    carryOut: (request, run) => {
      const parsed = parameters.safeParse(request.parameters);
      return parsed.success
        ? carryOut({ ...request, parameters: parsed.data }, run)
        : run.finish(refuse(describeIssue(request.kind, parsed.error)));
    },
  };
}

function describeIssue(kind: RequestKind, { issues: [issue] }: z.ZodError): string {
  const where = issue === undefined || issue.path.length === 0 ? '' : ` ${issue.path.join('.')}`;
  return `The parameters${where} of the request ${kind} are invalid: ${issue?.message ?? 'unknown'}. Use the busbridge of this release.`;
}
