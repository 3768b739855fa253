import { limitConcurrency } from './limit-concurrency.js';
import type { Operations, ProblemDetails } from './operations.js';

type Path<Method extends string> = keyof Operations extends infer Key
  ? Key extends `${Method} ${infer Address}`
    ? Address
    : never
  : never;
export type GetPath = Path<'GET'>;
export type PostPath = Path<'POST'>;
export type QueryOf<P extends GetPath> = Operations[`GET ${P}`]['query'];
export type ResponseOf<P extends GetPath> = Operations[`GET ${P}`]['response'];
export type BodyOf<P extends PostPath> = Operations[`POST ${P}`]['body'];
export type ResultOf<P extends PostPath> = Operations[`POST ${P}`]['response'];

/** Paths of listings, whose response is a page. */
export type ListingPath = {
  [P in GetPath]: ResponseOf<P> extends { readonly items: readonly unknown[]; readonly next?: string }
    ? P
    : never;
}[GetPath];
export type RowOf<P extends ListingPath> =
  ResponseOf<P> extends { readonly items: readonly (infer Row)[] } ? Row : never;

/** Values of the parts of an address in braces. */
export type Parts = Readonly<Record<string, string>>;

type QueryValue = string | number | boolean | readonly string[] | undefined;

/** The API refused a request, or did not respond. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  /** @param status of the response; undefined when there was none */
  constructor(
    readonly status: number | undefined,
    readonly title: string,
    readonly detail: string,
  ) {
    super(detail || title);
  }
}

/** Longer than the API waits for the end of a request (30 s). */
const TIMEOUT_MS = 45_000;

/** The API refuses more than `CALLER_CONCURRENT_REQUESTS` (8) of one caller, who may have another tab open. */
const limit = limitConcurrency(5);

export function get<P extends GetPath>(
  path: P,
  { query = {}, parts = {}, signal }: { query?: QueryOf<P>; parts?: Parts; signal?: AbortSignal } = {},
): Promise<ResponseOf<P>> {
  return send('GET', toAddress(path, parts, query), undefined, signal) as Promise<ResponseOf<P>>;
}

/** Requests an action, and waits for its end for up to ten seconds where the API offers that. */
export function post<P extends PostPath>(
  path: P,
  {
    body,
    parts = {},
    query = {},
  }: { body?: BodyOf<P>; parts?: Parts; query?: Readonly<Record<string, QueryValue>> } = {},
): Promise<ResultOf<P>> {
  return send('POST', toAddress(path, parts, query), body ?? {}) as Promise<ResultOf<P>>;
}

/** @throws ApiError */
export async function send(
  method: 'GET' | 'POST',
  address: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<unknown> {
  return limit(() => sendNow(method, address, body, signal));
}

async function sendNow(
  method: 'GET' | 'POST',
  address: string,
  body: unknown,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const response = await fetchOrFail(address, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
    signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])]),
  });
  if (!response.ok) throw await readError(response);
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
}

/** The address of a path of the API with its values. */
export function toAddress(
  path: string,
  parts: Parts,
  query: Readonly<Record<string, QueryValue>> = {},
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parts[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const each of [value].flat()) if (each !== undefined) search.append(name, String(each));
  return search.size === 0 ? filled : `${filled}?${search}`;
}

export async function fetchOrFail(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (error) {
    if (init.signal?.aborted === true && (error as Error).name === 'AbortError') throw error;
    throw new ApiError(undefined, 'No response', 'The server does not respond. Check your connection.');
  }
}

/** Why the API refused a request. */
export async function readError(response: Response): Promise<ApiError> {
  const { status } = response;
  const { title = `Response ${status}`, detail = '' } = parseProblem(await response.text());
  return new ApiError(status, title, detail);
}

function parseProblem(text: string): Partial<ProblemDetails> {
  try {
    return JSON.parse(text) as Partial<ProblemDetails>;
  } catch {
    return {};
  }
}
