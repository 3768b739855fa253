import { HttpClient, NoResponseError, type ClientConnection, type HttpRequest } from '@ssb/net';
import { readSecretFile } from '@ssb/platform';
import type { z } from 'zod';
import { problemResponse } from './hop-responses.js';

/** Longer than a check of an app may take, so that an app whose server does not respond can say so. */
export const STATUS_TIMEOUT_MS = 2_500;
/** Of actions and pages, which an app ends sooner. */
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** The connection was never opened, so the app has received nothing. */
const NOT_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** An app has not carried a request out. */
interface Refusal {
  readonly outcome: 'refused';
  readonly status: number;
  readonly detail: string;
  /** The caller can correct it, and `detail` is a whole sentence. */
  readonly isForCaller: boolean;
  /** Another process of the app may carry it out. */
  readonly isForAnother: boolean;
}

/** What an app responded. `detail` continues a sentence that begins with the name of the app. */
export type HopResult<T> =
  | { readonly outcome: 'done'; readonly value: T }
  /** It understood the request, and changed nothing. */
  | Refusal
  /** It has not received the request. */
  | { readonly outcome: 'failed'; readonly detail: string }
  /** It may have carried the request out. */
  | { readonly outcome: 'unknown'; readonly status?: number; readonly detail: string };

/** A request that was not carried out, or perhaps was. */
export type HopFailure = Exclude<HopResult<never>, { readonly outcome: 'done' }>;

type Right = 'status' | 'operate';

/** The settings of the tokens, here and in the apps. */
const OWN_FILES = { status: 'HOPS_TOKEN_FILE', operate: 'HOPS_OPERATE_TOKEN_FILE' } as const;
const THEIR_FILES = { status: 'MANAGEMENT_TOKEN_FILE', operate: 'MANAGEMENT_OPERATE_TOKEN_FILE' } as const;

export interface ManagementClientOptions {
  /** Management address. */
  readonly url: string;
  readonly connection: ClientConnection;
  /** HOPS_TOKEN_FILE. */
  readonly tokenFile: string | undefined;
  /** HOPS_OPERATE_TOKEN_FILE. */
  readonly operateTokenFile: string | undefined;
}

/** A request to a management port. */
export interface HopRequest extends Pick<HttpRequest, 'path' | 'query'> {
  readonly right?: Right;
  /** Sent by POST. */
  readonly body?: object;
  /** Other statuses than 200 with a response that is read, such as 503 of `/health`. */
  readonly alsoStatus?: number;
  readonly isQuick?: boolean;
  /** It names a resource, so 404 is about that. Any other 404, and one of the router, comes from an app of an earlier release. */
  readonly namesResource?: boolean;
  /** It is about one participant, which another process of the app may have. */
  readonly isOfParticipant?: boolean;
}

/** The management port of one process. */
export class ManagementClient {
  private readonly quick: HttpClient;
  private readonly patient: HttpClient;

  constructor(private readonly options: ManagementClientOptions) {
    const { url: baseUrl, connection } = options;
    const open = (timeoutMs: number): HttpClient =>
      new HttpClient({ baseUrl, connection, timeoutMs, maxBodyBytes: MAX_BODY_BYTES });
    this.quick = open(STATUS_TIMEOUT_MS);
    this.patient = open(REQUEST_TIMEOUT_MS);
  }

  /** Never rejects because of the app or a token file. */
  async request<T extends z.ZodType>(schema: T, request: HopRequest): Promise<HopResult<z.output<T>>> {
    const { path, query, right = 'status', body, alsoStatus, isQuick = false } = request;
    const authorization = await this.authorize(right);
    if (authorization === undefined)
      return { outcome: 'failed', detail: `is not reached: ${OWN_FILES[right]} of the API cannot be read` };
    try {
      const response = await (isQuick ? this.quick : this.patient).send({
        method: body === undefined ? 'GET' : 'POST',
        path,
        ...(query && { query }),
        headers: {
          accept: 'application/json',
          ...authorization,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      const { status } = response;
      const content = parseJson(response.body);
      if (status !== 200 && status !== alsoStatus) return describeStatus(status, content, request);
      const parsed = schema.safeParse(content);
      if (parsed.success) return { outcome: 'done', value: parsed.data };
      return { outcome: 'unknown', status, detail: 'sends a response that cannot be read' };
    } catch (error) {
      return describeFailure(error);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.quick.close(), this.patient.close()]);
  }

  /** Read each time, because the files can be replaced. @returns undefined when the file cannot be read */
  private async authorize(right: Right): Promise<{ authorization?: string } | undefined> {
    const { tokenFile, operateTokenFile } = this.options;
    const path = right === 'operate' ? operateTokenFile : tokenFile;
    if (path === undefined) return {};
    const token = await readSecretFile(path).catch(() => undefined);
    return token && { authorization: `Bearer ${token.toString()}` };
  }
}

/** The detail of a 404 of the router. */
const UNKNOWN_ROUTE = /^Cannot [A-Z]+ \//;

function describeStatus(status: number, content: unknown, request: HopRequest): HopFailure {
  const { right = 'status', namesResource = false, isOfParticipant = false } = request;
  const refusal = { outcome: 'refused', status, isForCaller: false, isForAnother: false } as const;
  if (status === 401 || status === 403)
    return {
      ...refusal,
      detail: `refuses the request with status ${status}: give it in ${THEIR_FILES[right]} the token that the API has in ${OWN_FILES[right]}`,
    };
  const { detail, title, faults = [] } = problemResponse.safeParse(content).data ?? {};
  const reason = detail ?? title ?? `status ${status}`;
  const isUnknown = status === 404 || (status === 422 && faults.some(({ path }) => path === 'participant'));
  const isForAnother = isOfParticipant && isUnknown;
  if (status === 404 && (!namesResource || UNKNOWN_ROUTE.test(reason)))
    return {
      ...refusal,
      isForAnother,
      detail: 'does not have this operation: update it to the release of the API',
    };
  if (status === 404 || status === 409 || status === 422)
    return { ...refusal, detail: reason, isForCaller: true, isForAnother };
  if (status >= 400 && status < 500)
    return { ...refusal, detail: `responds with status ${status}: ${reason}` };
  return { outcome: 'unknown', status, detail: `responds with status ${status}: ${reason}` };
}

/** Without the address and the message of the error, which may hold secrets. */
function describeFailure(error: unknown): HopFailure {
  if (!(error instanceof NoResponseError)) throw error;
  switch (error.reason) {
    case 'timeout':
      return { outcome: 'unknown', detail: 'does not respond in time' };
    case 'too-large':
      return { outcome: 'unknown', detail: `sends a response of more than ${MAX_BODY_BYTES} bytes` };
    case 'undecodable':
      return { outcome: 'unknown', detail: 'sends a response that cannot be decoded' };
    case 'connection': {
      const { cause } = error;
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
      const detail = `does not respond${code === '' ? '' : ` (${code})`}`;
      return { outcome: NOT_CONNECTED.has(code) ? 'failed' : 'unknown', detail };
    }
    default:
      return error.reason satisfies never;
  }
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
