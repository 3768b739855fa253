import { standardError } from '@ssb/platform/cli';
import { CommandError } from '../exit.js';
import { explainInterruption } from '../interruption.js';
import type { ApiClient, Parts } from './api-client.js';
import type { Operations, RequestRow } from './operations.js';

/** Addresses of requests that the subscriber carries out. */
export type RequestPath = keyof Operations extends infer Key
  ? Key extends `POST ${infer Address}`
    ? Operations[`POST ${Address}` & keyof Operations]['response'] extends RequestRow
      ? Address
      : never
    : never
  : never;

/** The API waits so long for one response, so that progress is shown. */
const STEP_SECONDS = 2;

export interface Wait {
  /** For the result. */
  readonly wait: number;
  readonly parts?: Parts;
}

/**
 * Sends a request, and waits until the subscriber has carried it out. Writes its progress to standard error.
 * @returns its result
 * @throws CommandError when it was refused, failed, or has not ended in time
 */
export async function carryOut<P extends RequestPath>(
  api: ApiClient,
  path: P,
  body: Operations[`POST ${P}`]['body'],
  { wait, parts = {} }: Wait,
): Promise<Readonly<Record<string, unknown>>> {
  const request = await waitForEnd(api, await api.post(path, body, { parts }), wait);
  if (request.state === 'done') return request.result ?? {};
  const reason = request.result?.['reason'];
  throw new CommandError(typeof reason === 'string' ? reason : `The request was ${request.state}.`);
}

type FollowedRequest = RequestRow & { readonly subscriberRuns?: boolean };

async function waitForEnd(
  api: ApiClient,
  request: FollowedRequest,
  waitSeconds: number,
): Promise<FollowedRequest> {
  const { id } = request;
  const deadline = Date.now() + waitSeconds * 1_000;
  const stopExplaining = explainInterruption(() => `The request ${id} stays stored. ${lookUp(id)}`);
  try {
    let shown = 0;
    let present = request;
    while (present.state === 'waiting' || present.state === 'running') {
      const left = Math.ceil((deadline - Date.now()) / 1_000);
      if (left <= 0) throw new CommandError(describeLate(present, waitSeconds));
      const query = { wait: Math.min(left, STEP_SECONDS) };
      present = await api.get('/v1/requests/{id}', { query, parts: { id } });
      shown = showProgress(present, shown);
    }
    return present;
  } finally {
    stopExplaining();
  }
}

function showProgress({ state, progress }: RequestRow, shown: number): number {
  const { changed = 0, total } = (progress ?? {}) as { readonly changed?: number; readonly total?: number };
  if (state === 'running' && changed > shown && changed !== total)
    standardError.writeLine(total === undefined ? `${changed} so far` : `${changed} of ${total} so far`);
  return Math.max(shown, changed);
}

const lookUp = (id: string): string => `"busbridge requests show ${id}" shows its state.`;

function describeLate({ id, state, subscriberRuns }: FollowedRequest, wait: number): string {
  if (subscriberRuns === false)
    return `No subscriber is running. The request ${id} is stored: the subscriber carries it out at its next start. ${lookUp(id)}`;
  return state === 'running'
    ? `The request ${id} has not ended within ${wait} s. The subscriber continues it. ${lookUp(id)}`
    : `No subscriber has taken the request ${id} within ${wait} s. It stays stored, and is carried out in its turn. ${lookUp(id)}`;
}
