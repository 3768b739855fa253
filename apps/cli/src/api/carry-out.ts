import { standardError } from '@ssb/platform/cli';
import { CommandError } from '../exit.js';
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
  const deadline = Date.now() + wait * 1_000;
  let request: RequestRow & { readonly subscriberRuns?: boolean } = await api.post(path, body, { parts });
  let shown = 0;
  while (request.state === 'waiting' || request.state === 'running') {
    const left = Math.ceil((deadline - Date.now()) / 1_000);
    if (left <= 0) throw new CommandError(describeLate(request, wait));
    request = await api.get('/v1/requests/{id}', {
      query: { wait: Math.min(left, STEP_SECONDS) },
      parts: { id: request.id },
    });
    shown = showProgress(request, shown);
  }
  if (request.state === 'done') return request.result ?? {};
  const reason = request.result?.['reason'];
  throw new CommandError(typeof reason === 'string' ? reason : `The request was ${request.state}.`);
}

function showProgress({ state, progress }: RequestRow, shown: number): number {
  const { changed = 0, total } = (progress ?? {}) as { readonly changed?: number; readonly total?: number };
  if (state === 'running' && changed > shown && changed !== total)
    standardError.writeLine(total === undefined ? `${changed} so far` : `${changed} of ${total} so far`);
  return Math.max(shown, changed);
}

function describeLate(
  { id, state, subscriberRuns }: RequestRow & { readonly subscriberRuns?: boolean },
  wait: number,
): string {
  const lookUp = `"busbridge requests show ${id}" shows its state.`;
  if (subscriberRuns === false)
    return `No subscriber is running. The request ${id} is stored: the subscriber carries it out at its next start. ${lookUp}`;
  return state === 'running'
    ? `The request ${id} has not ended within ${wait} s. The subscriber continues it. ${lookUp}`
    : `No subscriber has taken the request ${id} within ${wait} s. It stays stored, and is carried out in its turn. ${lookUp}`;
}
