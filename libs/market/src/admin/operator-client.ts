import { BearerTransport } from '../client/http/bearer-transport.js';
import {
  HttpClient,
  type HttpRequest,
  type HttpResponse,
  NoResponseError,
} from '../client/http/http-client.js';
import { MalformedJsonError, parseJson } from '../values/json.js';
import { type PrudentialCalculation } from '../resources/prudential/prudential-calculation.js';
import { type Resource } from '../schema/resource.js';
import { type SettlementCycleTimeline } from '../resources/settlement/settlement-cycle-timeline.js';
import { type SettlementOutputDetails } from '../resources/settlement/settlement-output-details.js';
import { type SettlementStatementSummary } from '../resources/settlement/settlement-statement-summary.js';
import { type TokenProvider } from '../client/token/token-source.js';
import {
  BULK_MEDIA_TYPE,
  BULK_PATH,
  type BulkLine,
  BulkLoadResult,
  serialiseBulkLine,
} from './bulk-records.js';
import { ActiveFault, ActiveFaultList, Fault, FAULTS_PATH, FaultsCleared } from './faults.js';
import { OperatorRefusedError, OperatorUnavailableError } from './operator-errors.js';
import {
  InvoiceRecord,
  LoadResult,
  OPERATOR_PATHS,
  type OutputRecord,
  PrudentialDetailRecord,
  PrudentialEstimationRecord,
  PrudentialRecord,
  StatementDetailRecord,
  StatementEstimationRecord,
  StatementRecord,
  TimelineRecord,
} from './records.js';

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

  loadPrudential(participantCode: string, calculation: PrudentialCalculation): Promise<LoadResult> {
    return this.load(OPERATOR_PATHS.prudential, PrudentialRecord, { participantCode, calculation });
  }

  /** Low-level figures of one trading day (operation 3). */
  loadPrudentialDetail(record: OutputRecord): Promise<LoadResult> {
    return this.load(OPERATOR_PATHS.prudentialDetails, PrudentialDetailRecord, record);
  }

  /** NSTEM estimation of one trading day (operation 4). */
  loadPrudentialEstimation(record: OutputRecord): Promise<LoadResult> {
    return this.load(OPERATOR_PATHS.prudentialEstimations, PrudentialEstimationRecord, record);
  }

  loadStatement(statement: SettlementStatementSummary): Promise<LoadResult> {
    return this.load(OPERATOR_PATHS.statements, StatementRecord, { statement });
  }

  /** Settlement detail of one trading day (operation 6). */
  loadStatementDetail(details: SettlementOutputDetails): Promise<LoadResult> {
    return this.load(OPERATOR_PATHS.statementDetails, StatementDetailRecord, { details });
  }

  /** NSTEM estimation statement of one trading day (operation 7). */
  loadStatementEstimation(details: SettlementOutputDetails): Promise<LoadResult> {
    return this.load(OPERATOR_PATHS.statementEstimations, StatementEstimationRecord, { details });
  }

  loadInvoice(record: InvoiceRecord): Promise<LoadResult> {
    return this.load(OPERATOR_PATHS.invoices, InvoiceRecord, record);
  }

  loadTimeline(timeline: SettlementCycleTimeline): Promise<LoadResult> {
    return this.load(OPERATOR_PATHS.timelines, TimelineRecord, { timeline });
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

  private async load<T>(path: string, schema: Resource<T>, record: T): Promise<LoadResult> {
    return this.post(path, schema.serialise(record), 'application/json', LoadResult);
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
