import type { Exchanger, HttpAnswer, HttpRequest } from './http-edge.js';
import type { TokenProvider } from './token-source.js';

/** Where a new token was refused as well, something else is missing, and a token not worth asking for, for this long. */
const A_WHILE_MS = 5 * 60_000;

type Refusal = 401 | 403;

/**
 * When each server last answered a new token with this status. Apart for each status: an operation that the account may not use
 * (403) must not take the repeat from a token that was withdrawn (401).
 */
const newTokenRefusedAt: Readonly<Record<Refusal, WeakMap<Exchanger, number>>> = {
  401: new WeakMap(),
  403: new WeakMap(),
};

/**
 * One exchange with a bearer token. When it is refused (401, 403), once more with a new one, however young the first: tokens are withdrawn early,
 * keys change, and an account's scopes grow. A server that goes on refusing costs a new token every five minutes for either status,
 * not one each time, and requests that are refused together share it (`TokenProvider`).
 * @throws NoAnswerError
 * @throws what the provider throws
 */
export async function exchangeWithBearer(
  edge: Exchanger,
  tokens: TokenProvider,
  request: HttpRequest,
  now: () => number = Date.now,
): Promise<HttpAnswer> {
  const token = await tokens.token();
  const first = await edge.exchange(withBearer(request, token.value));
  if (!isRefusal(first.status) || isInVain(first.status, edge, now())) return first;
  const another = await tokens.tokenInsteadOf(token);
  if (another.value === token.value) return first;
  const second = await edge.exchange(withBearer(request, another.value));
  if (isRefusal(second.status)) newTokenRefusedAt[second.status].set(edge, now());
  return second;
}

function isRefusal(status: number): status is Refusal {
  return status === 401 || status === 403;
}

function isInVain(status: Refusal, edge: Exchanger, now: number): boolean {
  const at = newTokenRefusedAt[status].get(edge);
  return at !== undefined && now >= at && now - at < A_WHILE_MS;
}

function withBearer(request: HttpRequest, token: string): HttpRequest {
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
}
