import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** The bucket of an S3-compatible storage on a loopback port. It refuses a request whose signature of version 4 is wrong. */
export interface TestS3 {
  /** Address of the bucket. */
  readonly url: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly objects: Map<string, Buffer>;
  /** Status of all further responses; undefined for the usual ones. */
  failWith: number | undefined;
  interruption: Interruption | undefined;
  stop(): Promise<void>;
}

/** What happens after the first bytes of a response: the connection ends, or one byte follows another. */
export interface Interruption {
  readonly afterBytes: number;
  readonly how: 'close' | 'trickle';
  /** Paths of the requests; all by default. */
  readonly only?: RegExp;
}

const BUCKET = 'documents';
/** A list is sent in parts of so many objects. */
const LIST_PART = 3;

/** What a signature of version 4 covers. */
export interface SignedRequest {
  readonly method: string;
  /** Path with query, as it was sent. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * The signature of a request by the documentation of AWS Signature Version 4, from the headers that the request names as signed. It shares no
 * code with the client.
 */
export function signatureOf(request: SignedRequest, scope: string, signed: string, secret: string): string {
  const { method, url, headers } = request;
  const [path = '', query = ''] = url.split('?');
  const canonicalQuery = query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', value = ''] = pair.split('=').map(decodeURIComponent);
      return `${encode(name)}=${encode(value)}`;
    })
    .sort()
    .join('&');
  const canonicalHeaders = signed
    .split(';')
    .map((name) => `${name}:${String(headers[name]).trim().replace(/\s+/g, ' ')}\n`)
    .join('');
  const hash = String(headers['x-amz-content-sha256']);
  const canonical = [method, path, canonicalQuery, canonicalHeaders, signed, hash].join('\n');
  const text = ['AWS4-HMAC-SHA256', String(headers['x-amz-date']), scope, sha256(canonical)].join('\n');
  const key = scope
    .split('/')
    .reduce<string | Buffer>((previous, part) => hmac(previous, part), `AWS4${secret}`);
  return hmac(key, text).toString('hex');
}

export async function startTestS3(): Promise<TestS3> {
  const server = createServer((request, response) => {
    void respond(storage, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const storage: TestS3 = {
    url: `http://127.0.0.1:${port}/${BUCKET}`,
    region: 'ap-southeast-2',
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    objects: new Map(),
    failWith: undefined,
    interruption: undefined,
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
  return storage;
}

async function respond(storage: TestS3, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await buffer(request);
  const { status, content } = handle(storage, request, body);
  response.writeHead(status, { 'content-type': 'application/xml', 'content-length': content.length });
  const { interruption } = storage;
  if (interruption === undefined || interruption.only?.test(request.url ?? '') === false) {
    response.end(content);
    return;
  }
  const { afterBytes, how } = interruption;
  response.write(content.subarray(0, afterBytes), () => {
    if (how === 'close') response.destroy();
  });
  if (how === 'close') return;
  const timer = setInterval(() => response.write('x'), 10);
  response.on('close', () => clearInterval(timer));
}

interface Answer {
  readonly status: number;
  readonly content: Buffer;
}

function handle(storage: TestS3, request: IncomingMessage, body: Buffer): Answer {
  const { method = '', url = '' } = request;
  if (storage.failWith !== undefined) return fail(storage.failWith, 'InternalError');
  if (!isSigned(storage, request, body)) return fail(403, 'SignatureDoesNotMatch');
  const { pathname, searchParams } = new URL(url, storage.url);
  const key = decodeURIComponent(pathname).slice(`/${BUCKET}/`.length);
  switch (method) {
    case 'PUT':
      storage.objects.set(key, body);
      return { status: 200, content: Buffer.alloc(0) };
    case 'DELETE':
      storage.objects.delete(key);
      return { status: 204, content: Buffer.alloc(0) };
    default: {
      if (searchParams.get('list-type') === '2') return list(storage, searchParams);
      const content = storage.objects.get(key);
      return content === undefined ? fail(404, 'NoSuchKey') : { status: 200, content };
    }
  }
}

function isSigned(
  { accessKeyId, secretAccessKey, region }: TestS3,
  request: IncomingMessage,
  body: Buffer,
): boolean {
  const { method = '', url = '', headers } = request;
  const [, id, scope = '', signed = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  const day = String(headers['x-amz-date']).slice(0, 8);
  const isComplete = ['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) =>
    signed.split(';').includes(name),
  );
  if (id !== accessKeyId || scope !== `${day}/${region}/s3/aws4_request` || !isComplete) return false;
  if (headers['x-amz-content-sha256'] !== sha256(body)) return false;
  const expected = signatureOf({ method, url, headers }, scope, signed, secretAccessKey);
  return timingSafeEqual(Buffer.from(signature), Buffer.from(expected));
}

function list({ objects }: TestS3, query: URLSearchParams): Answer {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? '';
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && `${key}+/=` > after).sort();
  const part = keys.slice(0, LIST_PART);
  const next = keys.length > LIST_PART ? `${part.at(-1)}+/=` : undefined;
  const contents = part.map(
    (key) => `<Contents><Key>${key}</Key><Size>${objects.get(key)?.length}</Size></Contents>`,
  );
  const rest = next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`;
  const xml = `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>${next !== undefined}</IsTruncated>${contents.join('')}${rest}</ListBucketResult>`;
  return { status: 200, content: Buffer.from(xml) };
}

function fail(status: number, code: string): Answer {
  return { status, content: Buffer.from(`<Error><Code>${code}</Code></Error>`) };
}

/** Everything but the unreserved characters of RFC 3986. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
