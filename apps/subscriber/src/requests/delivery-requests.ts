import type { Database } from '@ssb/postgres';
import type { BatchProgress, BatchResult, BatchRun } from '../deliveries/requests/archive-walk.js';
import type { DeliverySelection } from '../deliveries/requests/delivery-selection.js';
import { setSinkDisabled } from '../deliveries/requests/disabled-sinks.js';
import { replayEvents } from '../deliveries/requests/replay-events.js';
import { resendDeliveries } from '../deliveries/requests/resend-deliveries.js';
import { sendTest } from '../deliveries/requests/send-test.js';
import { listDeliverySinks, skipDeliveries } from '../deliveries/requests/skip-deliveries.js';
import type { AlertSink } from '../deliveries/sinks/alert-sink.js';
import { inSteps, inTransaction, type RequestHandler, type RequestHandlers } from './request-handler.js';
import { REQUEST_PARAMETERS, type SelectedDeliveries } from './request-parameters.js';
import type { RequestRun } from './request-run.js';
import { refuse, type OpenRequest, type RequestResult } from './request.js';

export interface DeliveryRequestDependencies {
  readonly database: Database;
  /** The sinks in use. */
  readonly sinks: () => readonly AlertSink[];
}

/** Requests about sinks and deliveries. */
export function deliveryRequests({ database, sinks }: DeliveryRequestDependencies): RequestHandlers {
  const names = (): string[] => sinks().map(({ name }) => name);

  const onDeliveries = (
    work: typeof resendDeliveries,
    findSinks: () => string[] | Promise<string[]>,
  ): RequestHandler =>
    inSteps('deliveries', REQUEST_PARAMETERS.resend, async (request, run) => {
      const { sink, ...selected } = request.parameters;
      const known = await run.retry(async () => findSinks());
      return withSink(known, sink, () =>
        runBatch(run, request, (batch) =>
          work(database, { ...toSelection(selected), sinks: sink === undefined ? known : [sink] }, batch),
        ),
      );
    });

  const setDisabled = (isDisabled: boolean): RequestHandler =>
    inTransaction('decisions', REQUEST_PARAMETERS['disable-sink'], (request, session) => {
      const { parameters, author, comment } = request;
      return withSink(names(), parameters.sink, async () => {
        const disabling = isDisabled ? { by: author, reason: comment } : undefined;
        const changed = await setSinkDisabled(session, parameters.sink, disabling);
        return { outcome: 'done', result: { changed } };
      });
    });

  return {
    resend: onDeliveries(resendDeliveries, names),
    // The deliveries of a sink that was removed can only be skipped.
    skip: onDeliveries(skipDeliveries, async () => [
      ...new Set([...names(), ...(await listDeliverySinks(database))]),
    ]),
    'enable-sink': setDisabled(false),
    'disable-sink': setDisabled(true),
    replay: inSteps('replays', REQUEST_PARAMETERS.replay, (request, run) => {
      const { sink, ...selected } = request.parameters;
      return withSink(names(), sink, () =>
        runBatch(run, request, (batch) => replayEvents(database, { ...toSelection(selected), sink }, batch)),
      );
    }),
    test: inSteps('tests', REQUEST_PARAMETERS.test, (request, run) => {
      const { requestId, requestedAt, author, comment, parameters } = request;
      return withSink(names(), parameters.sink, async () => {
        const sink = sinks().find(({ name }) => name === parameters.sink);
        if (sink === undefined) return refuseSink(parameters.sink);
        const test = { requestId: String(requestId), requestedAt, author, comment };
        const result = await run.retry(() => sendTest(database, sink, test, run.signal));
        return { outcome: 'done', result: { ...result } };
      });
    }),
  };
}

function withSink(
  names: readonly string[],
  sink: string | undefined,
  work: () => Promise<RequestResult>,
): Promise<RequestResult> {
  return sink === undefined || names.includes(sink) ? work() : Promise.resolve(refuseSink(sink));
}

const refuseSink = (sink: string): RequestResult =>
  refuse(`CONFIG_FILE of the subscriber has no sink ${sink}. "busbridge sinks list" shows its sinks.`);

function toSelection({
  since,
  until,
  ...selected
}: Omit<SelectedDeliveries, 'sink'>): Omit<DeliverySelection, 'sinks'> {
  return {
    ...selected,
    ...(since !== undefined && { since: new Date(since) }),
    ...(until !== undefined && { until: new Date(until) }),
  };
}

/** Repeats the work from the stored progress while the database is unavailable. */
async function runBatch(
  run: RequestRun,
  { progress }: OpenRequest,
  work: (batch: BatchRun) => Promise<BatchResult>,
): Promise<RequestResult> {
  let stored = progress;
  const ended = await run.retry(async () => {
    const batch: BatchRun = {
      progress: stored as BatchProgress | undefined,
      save: (session, saved) => run.saveProgress(session, saved),
      signal: run.signal,
    };
    try {
      return await work(batch);
    } catch (error) {
      // A batch may have been committed although its response was lost.
      stored = await run.readProgress();
      throw error;
    }
  });
  if (ended.outcome === 'refused') return refuse(ended.reason);
  const { changed, total } = ended.progress;
  return { outcome: 'done', result: { changed, total } };
}
