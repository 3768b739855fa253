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

/** About an action whose response is lost. */
const MAY_BE_DONE = 'It may have been carried out: look before you repeat it.';

/** Longer than the API waits for the end of a request (30 s). */
const TIMEOUT_MS = 45_000;

/**
 * The API refuses more than `CALLER_CONCURRENT_REQUESTS` (8) of one caller, who may have another tab open. Actions wait for their end, so they do
 * not take the place of readings.
 */
const limitReadings = limitConcurrency(5);
const limitActions = limitConcurrency(2);

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
  const init = {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
    ...(signal && { signal }),
  };
  return request(address, init, async (response) => {
    const text = await response.text();
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  });
}

/**
 * Sends a request when its turn comes, and reads the response.
 * @throws ApiError; an AbortError after the signal
 */
export function request<Result>(
  address: string,
  init: RequestInit,
  read: (response: Response) => Promise<Result>,
): Promise<Result> {
  const isPost = init.method === 'POST';
  const limit = isPost ? limitActions : limitReadings;
  const lostNote = isPost && address.startsWith('/v1/') ? MAY_BE_DONE : '';
  return limit(async () => {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const signal = init.signal ? AbortSignal.any([timeout, init.signal]) : timeout;
    try {
      const response = await fetch(address, { ...init, signal });
      if (!response.ok) throw await readError(response, lostNote);
      return await read(response);
    } catch (error) {
      if (error instanceof ApiError || init.signal?.aborted === true) throw error;
      throw error instanceof SyntaxError
        ? new ApiError(undefined, 'Unexpected response', 'Reload the page, or ask your administrator.')
        : new ApiError(
            undefined,
            'No response',
            ['The server does not respond. Check your connection.', lostNote].filter(Boolean).join(' '),
          );
    }
  });
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

/** Why the API refused a request. A proxy reports without a detail that the API does not respond. */
async function readError(response: Response, lostNote: string): Promise<ApiError> {
  const { status } = response;
  const { title = `Response ${status}`, detail = status >= 500 ? lostNote : '' } = parseProblem(
    await response.text(),
  );
  return new ApiError(status, title, detail);
}

function parseProblem(text: string): Partial<ProblemDetails> {
  try {
    return JSON.parse(text) as Partial<ProblemDetails>;
  } catch {
    return {};
  }
}
