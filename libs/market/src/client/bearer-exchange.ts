import type { HttpAnswer, HttpEdge, HttpRequest } from './http-edge.js';
import type { TokenSource } from './token-source.js';

/** A token younger than this was surely not refused for its age or for rights given since. */
const A_MOMENT_MS = 5_000;

/**
 * One exchange with a bearer token. When it is refused (401, 403) and the token is not of this very moment, once more
 * with a new one: tokens are withdrawn early, and an account's scopes grow.
 */
export async function exchangeWithBearer(
  edge: HttpEdge,
  tokens: TokenSource,
  request: HttpRequest,
  beforeEach: () => Promise<void> = () => Promise.resolve(),
  now: () => number = Date.now,
): Promise<HttpAnswer> {
  const token = await tokens.token();
  await beforeEach();
  const first = await edge.exchange(withBearer(request, token.value));
  const refused = first.status === 401 || first.status === 403;
  if (!refused || now() - token.obtainedAt < A_MOMENT_MS) return first;
  const another = await tokens.tokenInsteadOf(token);
  await beforeEach();
  return edge.exchange(withBearer(request, another.value));
}

function withBearer(request: HttpRequest, token: string): HttpRequest {
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
}
