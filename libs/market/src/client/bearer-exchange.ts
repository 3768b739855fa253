import type { Exchanger, HttpAnswer, HttpRequest } from './http-edge.js';
import type { AccessToken, TokenProvider } from './token-source.js';

/** A token younger than this was surely not refused for its age or for rights given since. */
const A_MOMENT_MS = 5_000;
/** Where a new token was refused as well, rights are missing and not the token: it is not worth another one for this long. */
const A_WHILE_MS = 5 * 60_000;

/** The token that each server last refused although it was new. */
const refusedWhenNew = new WeakMap<Exchanger, AccessToken>();

/**
 * One exchange with a bearer token. When it is refused (401, 403) and the token is not of this very moment, once more
 * with a new one: tokens are withdrawn early, and an account's scopes grow. A server that goes on refusing costs a new token every
 * five minutes, not one each time.
 */
export async function exchangeWithBearer(
  edge: Exchanger,
  tokens: TokenProvider,
  request: HttpRequest,
  now: () => number = Date.now,
): Promise<HttpAnswer> {
  const token = await tokens.token();
  const first = await edge.exchange(withBearer(request, token.value));
  if (!isRefusal(first)) return first;
  const isNew = now() - token.obtainedAt < A_MOMENT_MS;
  if (isNew) refusedWhenNew.set(edge, token);
  const patienceMs = refusedWhenNew.get(edge) === token ? A_WHILE_MS : 0;
  if (now() - token.obtainedAt < patienceMs) return first;
  const another = await tokens.tokenInsteadOf(token);
  const second = await edge.exchange(withBearer(request, another.value));
  if (isRefusal(second)) refusedWhenNew.set(edge, another);
  return second;
}

function isRefusal({ status }: HttpAnswer): boolean {
  return status === 401 || status === 403;
}

function withBearer(request: HttpRequest, token: string): HttpRequest {
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
}
