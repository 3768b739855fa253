import { createHash } from 'node:crypto';
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
  /** Of each part of a request. */
  readonly timeoutMs: number;
}

type S3Request = Pick<HttpRequest, 'path' | 'query' | 'body'> & { readonly method: 'GET' | 'PUT' | 'DELETE' };

/** Of a list of 1,000 objects, or of an error. */
const MAX_TEXT_BYTES = 4_194_304;

/** Objects of an S3-compatible storage, with requests that have a signature of version 4 in their header. */
export class S3Storage implements ObjectStorage {
  private readonly http: HttpClient;
  private readonly base: URL;

  constructor(private readonly options: S3StorageOptions) {
    const { url, connection, timeoutMs } = options;
    this.base = new URL(`${url.replace(/\/+$/, '')}/`);
    this.http = new HttpClient({ baseUrl: url, connection, timeoutMs });
  }

  async put(key: string, content: Uint8Array): Promise<void> {
    await this.readText(await this.send({ method: 'PUT', path: key, body: content }, [200]));
  }

  async read(key: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const response = await this.send({ method: 'GET', path: key }, [200, 404]);
    if (response.status === 200) return readParts(key, response);
    await this.readText(response);
    return undefined;
  }

  async remove(key: string): Promise<void> {
    await this.readText(await this.send({ method: 'DELETE', path: key }, [200, 204, 404]));
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
      const { objects, nextToken } = parseObjectList(await this.readText(response));
      yield* objects;
      token = nextToken;
    } while (token !== undefined);
  }

  close(): Promise<void> {
    return this.http.close();
  }

  /** The caller reads the body. @throws DocumentStoreError */
  private async send(request: S3Request, expected: readonly number[]): Promise<StreamedResponse> {
    const what = `${request.method} ${request.path}`;
    try {
      const response = await this.http.stream({ ...request, headers: await this.sign(request) });
      if (expected.includes(response.status)) return response;
      const code = /<Code>(\w{1,60})<\/Code>/.exec(await this.readText(response))?.[1] ?? 'no code';
      throw new DocumentStoreError(`${what}: the storage responds ${response.status} (${code})`);
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error;
      throw new DocumentStoreError(`${what}: ${error.message}`, { cause: error });
    }
  }

  private async readText(response: StreamedResponse): Promise<string> {
    try {
      return (await readResponse(response, MAX_TEXT_BYTES)).toString('utf8');
    } catch (error) {
      throw toStoreError('the storage sent no complete response', error);
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

async function* readParts(key: string, { body }: StreamedResponse): AsyncGenerator<Uint8Array> {
  try {
    for await (const part of body) yield part as Uint8Array;
  } catch (error) {
    throw toStoreError(`GET ${key} ended early`, error);
  }
}

function toStoreError(what: string, cause: unknown): DocumentStoreError {
  return new DocumentStoreError(`${what}: ${(cause as Error).message}`, { cause });
}
