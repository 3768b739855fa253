import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { AwsV4Signer } from 'aws4fetch';
import {
  HttpClient,
  NoResponseError,
  readResponse,
  type ClientConnection,
  type HttpRequest,
  type StreamedResponse,
} from '@ssb/net';
import { DocumentStoreError } from '../document-store.js';
import { parseObjectList } from './s3-object-list.js';
import type { ListedObject, ObjectStorage } from './object-storage.js';

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface S3StorageOptions {
  /** Address of the bucket: `https://storage.example/bucket`, or `https://bucket.storage.example`. */
  readonly url: string;
  readonly region: string;
  /** Read for each request, because the files of the credentials may change. */
  readonly credentials: () => S3Credentials;
  readonly connection: ClientConnection;
  /** Of connecting, of sending a request, and of a whole response that is not a document. */
  readonly timeoutMs: number;
  /** Of a whole document, also when its reader is slow. Default 5 minutes. */
  readonly maxOpenMs?: number;
}

type S3Request = Pick<HttpRequest, 'path' | 'query' | 'body'> & { readonly method: 'GET' | 'PUT' | 'DELETE' };

/** Of a list of 1,000 objects, or of an error. */
const MAX_TEXT_BYTES = 4_194_304;
/** Documents that are read at the same time: the connections of an HttpClient. A further one is refused. */
const MAX_OPEN = 8;
const MAX_OPEN_MS = 300_000;

/** Objects of an S3-compatible storage, with requests that have a signature of version 4 in their header. */
export class S3Storage implements ObjectStorage {
  private readonly http: HttpClient;
  /** Connections of their own, so that slow readers of documents delay no other request. */
  private readonly openings: HttpClient;
  private readonly base: URL;
  /** Documents that are being read. */
  private documents = 0;

  constructor(private readonly options: S3StorageOptions) {
    const { url, connection, timeoutMs } = options;
    this.base = new URL(`${url.replace(/\/+$/, '')}/`);
    this.http = new HttpClient({ baseUrl: url, connection, timeoutMs });
    this.openings = new HttpClient({ baseUrl: url, connection, timeoutMs });
  }

  async put(key: string, content: Uint8Array): Promise<void> {
    await this.readWhole(await this.send({ method: 'PUT', path: key, body: content }, [200]));
  }

  async read(key: string): Promise<Buffer | undefined> {
    const response = await this.send({ method: 'GET', path: key }, [200, 404]);
    const content = await this.readWhole(response);
    if (response.status === 200) return content;
    if (codeOf(content) === 'NoSuchBucket')
      throw new DocumentStoreError(`GET ${key}: the storage responds 404 (NoSuchBucket)`);
    return undefined;
  }

  async *open(key: string): AsyncGenerator<Uint8Array> {
    if (this.documents >= MAX_OPEN)
      throw new DocumentStoreError(`GET ${key}: ${MAX_OPEN} documents are read already; retry later`);
    this.documents += 1;
    let isCounted = true;
    const leave = (): void => {
      if (isCounted) this.documents -= 1;
      isCounted = false;
    };
    let stop = (): void => undefined;
    try {
      const { body } = await this.send({ method: 'GET', path: key }, [200], this.openings);
      // A reader that does not continue keeps neither the connection nor its place.
      stop = limitTime(body, this.options.maxOpenMs ?? MAX_OPEN_MS, leave);
      for await (const part of body) yield part as Uint8Array;
    } catch (error) {
      throw toStoreError(`GET ${key} ended early`, error);
    } finally {
      stop();
      leave();
    }
  }

  async remove(key: string): Promise<boolean> {
    const response = await this.send({ method: 'DELETE', path: key }, [200, 204, 404]);
    await this.readWhole(response);
    return response.status !== 404;
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    let token: string | undefined;
    do {
      const query = {
        'list-type': '2',
        prefix,
        ...(token !== undefined && { 'continuation-token': token }),
      };
      const response = await this.send({ method: 'GET', path: '', query }, [200]);
      const { objects, nextToken } = parseObjectList((await this.readWhole(response)).toString('utf8'));
      yield* objects;
      token = nextToken;
    } while (token !== undefined);
  }

  tidy(): Promise<void> {
    return Promise.resolve();
  }

  async close(): Promise<void> {
    await Promise.all([this.http.close(), this.openings.close()]);
  }

  /** The caller reads the body. @throws DocumentStoreError */
  private async send(
    request: S3Request,
    expected: readonly number[],
    client = this.http,
  ): Promise<StreamedResponse> {
    const what = `${request.method} ${request.path}`;
    try {
      const response = await client.stream({ ...request, headers: await this.sign(request) });
      if (expected.includes(response.status)) return response;
      const code = codeOf(await this.readWhole(response));
      throw new DocumentStoreError(`${what}: the storage responds ${response.status} (${code})`);
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error;
      throw new DocumentStoreError(`${what}: ${error.message}`, { cause: error });
    }
  }

  private async readWhole(response: StreamedResponse): Promise<Buffer> {
    const stop = limitTime(response.body, this.options.timeoutMs);
    try {
      return await readResponse(response, MAX_TEXT_BYTES);
    } catch (error) {
      throw toStoreError('the storage sent no complete response', error);
    } finally {
      stop();
    }
  }

  private async sign({ method, path, query = {}, body = '' }: S3Request): Promise<Record<string, string>> {
    const url = new URL(path, this.base);
    for (const [name, value] of Object.entries(query))
      for (const each of [value].flat()) url.searchParams.append(name, each);
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: { 'x-amz-content-sha256': createHash('sha256').update(body).digest('hex') },
      service: 's3',
      region: this.options.region,
      ...this.options.credentials(),
    });
    const { headers } = await signer.sign();
    return Object.fromEntries(headers);
  }
}

/** Ends a body that arrives too slowly; the time-out of the client is that of each part. @returns what ends the limit */
function limitTime(body: Readable, ms: number, onEnd = (): void => undefined): () => void {
  const timer = setTimeout(() => {
    body.destroy(new Error(`no end within ${ms} ms`));
    onEnd();
  }, ms);
  timer.unref();
  return () => clearTimeout(timer);
}

function codeOf(error: Buffer): string {
  return /<Code>(\w{1,60})<\/Code>/.exec(error.toString('utf8'))?.[1] ?? 'no code';
}

function toStoreError(what: string, cause: unknown): DocumentStoreError {
  if (cause instanceof DocumentStoreError) return cause;
  return new DocumentStoreError(`${what}: ${(cause as Error).message}`, { cause });
}
