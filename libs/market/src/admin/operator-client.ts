import {
  HttpClient,
  type HttpRequest,
  type HttpResponse,
  NoResponseError,
  type TokenProvider,
} from '@ssb/net';
import { BearerTransport } from '../client/http/bearer-transport.js';

import { MalformedJsonError, parseJson } from '../values/json.js';
import { type Resource } from '../schema/resource.js';

import {
  BULK_MEDIA_TYPE,
  BULK_PATH,
  type BulkLine,
  BulkLoadResult,
  operatorPath,
  RECORD_SCHEMAS,
  serialiseBulkLine,
} from './bulk-records.js';
import { ActiveFault, ActiveFaultList, Fault, FAULTS_PATH, FaultsCleared } from './faults.js';
import { OperatorRefusedError, OperatorUnavailableError } from './operator-errors.js';
import { LoadResult } from './records.js';

export interface OperatorClientOptions {
  readonly baseUrl: string;
  /** Needs the scope `MARKETRECORDS|OPERATOR|C`, and `MARKETFAULTS|OPERATOR|CRD` for faults. */
  readonly tokenSource: TokenProvider;
  readonly ca?: string | Buffer | undefined;
  readonly timeoutMs?: number | undefined;
}

/**
 * Client of the sandbox's operator API: loads records and injects faults. Loading a record again is harmless and
 * returns `loaded: false`.
 *
 * Throws OperatorRefusedError, OperatorUnavailableError, TokenRefusedError, TokenUnavailableError, and, before it
 * sends a record that breaks document 000, InvalidRecordError.
 */
export class OperatorClient {
  private readonly http: HttpClient;
  private readonly transport: BearerTransport;

  constructor({ baseUrl, tokenSource, ca, timeoutMs }: OperatorClientOptions) {
    this.http = new HttpClient({ baseUrl, tls: ca === undefined ? undefined : { ca }, timeoutMs });
    this.transport = new BearerTransport(this.http, tokenSource);
  }

  /** Loads one record. */
  async load({ kind, record }: BulkLine): Promise<LoadResult> {
    const schema = RECORD_SCHEMAS[kind] as unknown as Resource<unknown>;
    return this.post(operatorPath(kind), schema.serialise(record), 'application/json', LoadResult);
  }

  /** Loads records of any kind in one transaction: all or none. */
  async loadAll(lines: readonly BulkLine[]): Promise<BulkLoadResult> {
    const body = lines.map((line) => `${serialiseBulkLine(line)}\n`).join('');
    return this.post(BULK_PATH, body, BULK_MEDIA_TYPE, BulkLoadResult);
  }

  /** Injects a fault, from the next request of a participant until its limit is reached. */
  async injectFault(fault: Fault): Promise<ActiveFault> {
    return this.post(FAULTS_PATH, Fault.serialise(fault), 'application/json', ActiveFault);
  }

  /** The active faults. */
  async faults(): Promise<readonly ActiveFault[]> {
    const { faults } = await this.send({ method: 'GET', path: FAULTS_PATH }, ActiveFaultList);
    return faults;
  }

  /** Clears one fault, or all. A fault that has ended is not an error. @returns the number of cleared faults */
  async clearFaults(id?: number): Promise<number> {
    const path = id === undefined ? FAULTS_PATH : `${FAULTS_PATH}/${id}`;
    const { cleared } = await this.send({ method: 'DELETE', path }, FaultsCleared);
    return cleared;
  }

  /** Closes the connections. The caller closes the token source. */
  close(): Promise<void> {
    return this.http.close();
  }

  private post<T>(path: string, body: string, mediaType: string, result: Resource<T>): Promise<T> {
    return this.send({ method: 'POST', path, headers: { 'content-type': mediaType }, body }, result);
  }

  private async send<T>(request: HttpRequest, result: Resource<T>): Promise<T> {
    const { path } = request;
    const response = await this.fetch(request);
    const { status, body } = response;
    if (status === 429 || status >= 500) throw new OperatorUnavailableError(path, status);
    if (status !== 200 && status !== 201) throw new OperatorRefusedError(path, status, body);
    return parseResponse(result, path, response);
  }

  private async fetch(request: HttpRequest): Promise<HttpResponse> {
    const headers = { ...request.headers, accept: 'application/json' };
    try {
      return await this.transport.send({ ...request, headers });
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error;
      throw new OperatorUnavailableError(request.path, undefined, { cause: error });
    }
  }
}

function parseResponse<T>(resource: Resource<T>, path: string, { status, body }: HttpResponse): T {
  try {
    const result = resource.readTolerant(parseJson(body));
    if (result.ok) return result.value;
  } catch (error) {
    if (!(error instanceof MalformedJsonError)) throw error;
  }
  throw new OperatorUnavailableError(path, status, {
    cause: new Error(`not a response of the operator API: ${body.slice(0, 200)}`),
  });
}
