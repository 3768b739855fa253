import {
  HttpClient,
  NoResponseError,
  readResponse,
  type HttpRequest,
  type HttpResponse,
  type StreamedResponse,
} from '@ssb/net';
import { CommandError, EXIT } from '../exit.js';
import type { ApiAccess } from './connect.js';
import { findListing, withCommands } from './listings.js';
import type { Operations, ProblemDetails } from './operations.js';

type Path<Method extends string> = keyof Operations extends infer Key
  ? Key extends `${Method} ${infer Address}`
    ? Address
    : never
  : never;
type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
type Get<P extends Path<'GET'>> = Operations[`GET ${P}`];
type Post<P extends Path<'POST'>> = Operations[`POST ${P}`];

/** Values of the parts of an address in braces. */
export type Parts = Readonly<Record<string, string>>;

/** Paths of listings, whose response is a page. */
export type ListingPath = {
  [P in Path<'GET'>]: Get<P>['response'] extends { readonly items: readonly unknown[] } ? P : never;
}[Path<'GET'>];
export type RowOf<P extends ListingPath> = Get<P>['response'] extends {
  readonly items: readonly (infer Row)[];
}
  ? Row
  : never;
export type QueryOf<P extends Path<'GET'>> = Get<P>['query'];
export type ResponseOf<P extends Path<'GET'>> = Get<P>['response'];

export interface CsvPage {
  readonly text: string;
  /** Cursor of the next page. */
  readonly next: string | undefined;
}

/** Longer than the API waits for the end of a request (30 s). */
const TIMEOUT_MS = 45_000;
/** An event with its text may have several megabytes. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** A client of the archive API. Each method throws CommandError when the API refuses or does not respond. */
export class ApiClient {
  private readonly http: HttpClient;

  constructor(
    readonly access: ApiAccess,
    timeoutMs = TIMEOUT_MS,
  ) {
    const { url: baseUrl, connection } = access;
    this.http = new HttpClient({ baseUrl, connection, timeoutMs, maxBodyBytes: MAX_BODY_BYTES });
  }

  async get<P extends Path<'GET'>>(
    path: P,
    { query = {}, parts = {} }: { readonly query?: QueryOf<P>; readonly parts?: Parts } = {},
  ): Promise<Get<P>['response']> {
    const response = await this.send('GET', toAddress(path, query, parts), 'application/json');
    return parseBody(response);
  }

  /** As `get`, the exact text of the response. */
  async getText(path: Path<'GET'>, parts: Parts): Promise<string> {
    return (await this.send('GET', toAddress(path, {}, parts), 'application/json')).body;
  }

  /** As `get`, the bytes of a response of this size, as they arrive. */
  async getBytes(
    path: Path<'GET'>,
    parts: Parts,
    { bytes, mediaType }: { readonly bytes: number; readonly mediaType: string },
  ): Promise<Uint8Array> {
    const address = toAddress(path, {}, parts);
    const headers = { accept: `${mediaType}, application/problem+json`, ...this.authorization };
    const response = await this.explain(() => this.http.stream({ method: 'GET', path: address, headers }));
    if (response.status === 200) return this.explain(() => readWhole(response, bytes));
    const problem = await readResponse(response, MAX_BODY_BYTES);
    throw toCommandError({ status: response.status, body: problem.toString() }, this.access, address);
  }

  /** A page of a listing as CSV. */
  async getCsv(path: ListingPath, query: Query, parts: Parts = {}): Promise<CsvPage> {
    const response = await this.send('GET', toAddress(path, query, parts), 'text/csv');
    const address = /<([^>]*)>; rel="next"/.exec(response.link ?? '')?.[1];
    const next = address === undefined ? null : new URL(address, this.access.url).searchParams.get('cursor');
    return { text: response.body, next: next ?? undefined };
  }

  async post<P extends Path<'POST'>>(
    path: P,
    body: Post<P>['body'],
    { query = {}, parts = {} }: { readonly query?: Post<P>['query']; readonly parts?: Parts } = {},
  ): Promise<Post<P>['response']> {
    const address = toAddress(path, query, parts);
    return parseBody(await this.send('POST', address, 'application/json', JSON.stringify(body)));
  }

  /** Events as they are archived (Server-Sent Events). @param lastEventId the stream continues after it */
  async streamEvents(
    query: QueryOf<'/v1/events/stream'>,
    lastEventId: string | undefined,
  ): Promise<AsyncIterable<Uint8Array>> {
    const path = toAddress('/v1/events/stream', query, {});
    const request: HttpRequest = {
      method: 'GET',
      path,
      headers: {
        accept: 'text/event-stream',
        ...this.authorization,
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
    };
    const response = await this.explain(() => this.http.stream(request));
    if (response.status === 200) return response.body;
    const bytes = await readResponse(response, MAX_BODY_BYTES);
    throw toCommandError({ status: response.status, body: bytes.toString() }, this.access, path);
  }

  close(): Promise<void> {
    return this.http.close();
  }

  /** The headers that say who sends a request. */
  get authorization(): Readonly<Record<string, string>> {
    const { token } = this.access;
    return token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  private async send(
    method: 'GET' | 'POST',
    path: string,
    accept: string,
    body?: string,
  ): Promise<HttpResponse> {
    const request: HttpRequest = {
      method,
      path,
      headers: {
        accept,
        ...this.authorization,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
    };
    const response = await this.explain(() => this.http.send(request));
    if (response.status >= 300) throw toCommandError(response, this.access, path);
    return response;
  }

  private async explain<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof NoResponseError ? unreachable(this.access.url, error) : error;
    }
  }
}

/** @throws NoResponseError when the response ends early */
async function readWhole(response: StreamedResponse, maxBytes: number): Promise<Uint8Array> {
  try {
    return await readResponse(response, maxBytes);
  } catch (cause) {
    throw new NoResponseError('connection', 'the document was not received as a whole', { cause });
  }
}

function parseBody<T>(response: HttpResponse): T {
  try {
    return JSON.parse(response.body) as T;
  } catch {
    throw new CommandError(
      'The response is not JSON: the address may not be that of the archive API.',
      EXIT.unreachable,
    );
  }
}

/** Repeats a parameter for each value of a list. */
export function toAddress(path: string, query: Query, parts: Parts): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const each of Array.isArray(value) ? (value as readonly string[]) : [value])
      if (each !== undefined) parameters.append(name, String(each));
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodePart(name, parts[name] ?? ''));
  return parameters.size === 0 ? address : `${address}?${parameters.toString()}`;
}

/** An empty part, and one of dots, would be another address. */
function encodePart(name: string, value: string): string {
  if (/^\.{0,2}$/.test(value))
    throw new CommandError(`"${value}" is not the ${name} of anything. A listing shows them.`, EXIT.usage);
  return encodeURIComponent(value);
}

export function unreachable(url: string, { cause, message }: Error): CommandError {
  const reason =
    cause instanceof Error ? cause.message || String((cause as { code?: string }).code) : message;
  return new CommandError(
    `The archive API at ${url} does not respond: ${reason.replace(/\.$/, '')}. Check the address, and that the API runs.`,
    EXIT.unreachable,
  );
}

/** Says what was wrong, from the problem details (RFC 9457) of a response. */
export function toCommandError(
  { status, body }: Pick<HttpResponse, 'status' | 'body'>,
  { url, token, connection }: ApiAccess,
  path = '',
): CommandError {
  const { title, detail, faults = [] } = parseProblem(body);
  const reason = detail ?? title ?? `status ${status}`;
  if (status === 401) {
    const isAnonymous = token === undefined && connection.tls?.cert === undefined;
    const hint = isAnonymous
      ? 'Set BUSBRIDGE_TOKEN, or a token or certificate in the profile.'
      : 'The token or certificate is unknown, expired or revoked: "busbridge tokens create" makes a token.';
    return new CommandError(
      `The archive API at ${url} does not accept who you are. ${hint}`,
      EXIT.notPermitted,
    );
  }
  if (status === 403) return new CommandError(reason, EXIT.notPermitted);
  if (status === 400 || status === 422) {
    const sentences = faults.map(({ path, message }) => withCommands(describeFault(path, message)));
    return new CommandError(sentences.join('\n') || reason, EXIT.usage);
  }
  if (status === 404) return new CommandError(`${reason} ${describeListing(path)}`);
  if (status === 429) return new CommandError(`${reason} Try again later.`, EXIT.unreachable);
  return new CommandError(reason, status >= 500 ? EXIT.unreachable : EXIT.findings);
}

/** What a person does about an unknown id, or about an address that is not that of the API. */
function describeListing(path: string): string {
  const command = findListing(path);
  if (command === undefined) return `The address is ${path.replace(/\?.*/, '')}.`;
  return path.startsWith('/v1/backfills') ? `${command} starts one.` : `${command} shows the ids.`;
}

function parseProblem(body: string): Partial<ProblemDetails> {
  try {
    return JSON.parse(body) as Partial<ProblemDetails>;
  } catch {
    return {};
  }
}

/** Many messages begin with the parameter that they are about. */
function describeFault(path: string, message: string): string {
  if (path === '') return message;
  const ofEach = `each value in ${path} `;
  if (message.startsWith(ofEach)) return `${toOption(path)} ${message.slice(ofEach.length)}`;
  return message.startsWith(`${path} `)
    ? `${toOption(path)}${message.slice(path.length)}`
    : `${toOption(path)}: ${message}`;
}

/** `dueSince` is `--due-since`, `states.0` is `--state`, `startsAt` is `--starts`. An id is an argument. */
function toOption(path: string): string {
  if (path === 'id') return 'The id';
  const name = path.replace(/^(query|body|matchers)\./, '').replace(/[.[].*$/, '');
  const singular = /^(types|participants|states|events|severities|problems|reasons)$/.test(name)
    ? name.replace(/ies$/, 'y').replace(/s$/, '')
    : name.replace(/(?<=s)At$/, '');
  return `--${singular.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
