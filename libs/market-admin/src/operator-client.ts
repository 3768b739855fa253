import {
  exchangeWithBearer,
  type HttpAnswer,
  HttpEdge,
  type HttpRequest,
  MalformedJsonError,
  NoAnswerError,
  OperatorRefusedError,
  OperatorUnavailableError,
  parseJson,
  type PrudentialCalculation,
  type Resource,
  type SettlementCycleTimeline,
  type SettlementOutputDetails,
  type SettlementStatementSummary,
  type TokenProvider,
} from '@ssb/market';
import { BULK_MEDIA_TYPE, BULK_PATH, BulkAnswer, type BulkLine, writeBulkLine } from './bulk.js';
import {
  InvoiceLoad,
  LoadAnswer,
  OPERATOR_PATHS,
  type OutputLoad,
  PrudentialDetailLoad,
  PrudentialEstimationLoad,
  PrudentialLoad,
  StatementDetailLoad,
  StatementEstimationLoad,
  StatementLoad,
  TimelineLoad,
} from './envelopes.js';
import { ActiveFault, ActiveFaultList, Fault, FAULTS_PATH, FaultsCleared } from './faults.js';

export interface OperatorClientOptions {
  readonly baseUrl: string;
  /** A client that holds `MARKETRECORDS|OPERATOR|C`, and `MARKETFAULTS|OPERATOR|CRD` where it makes fault. */
  readonly tokenSource: TokenProvider;
  readonly ca?: string | Buffer | undefined;
  readonly timeoutMs?: number | undefined;
}

/**
 * Loads records, and makes fault, through the operator's door of our own reporting service. Loading the same record again is harmless and answers
 * `loaded: false`. Throws OperatorRefusedError, OperatorUnavailableError, TokenRefusedError or TokenUnavailableError, and
 * InvalidRecordError before anything is sent for a record that document 000 does not allow.
 */
export class OperatorClient {
  private readonly edge: HttpEdge;

  constructor(private readonly options: OperatorClientOptions) {
    const tls = options.ca === undefined ? undefined : { ca: options.ca };
    this.edge = new HttpEdge({ baseUrl: options.baseUrl, tls, timeoutMs: options.timeoutMs });
  }

  loadPrudential(participantCode: string, calculation: PrudentialCalculation): Promise<LoadAnswer> {
    return this.load(OPERATOR_PATHS.prudential, PrudentialLoad, { participantCode, calculation });
  }

  /** Low-level figures of one trading day (operation 3). */
  loadPrudentialDetail(load: OutputLoad): Promise<LoadAnswer> {
    return this.load(OPERATOR_PATHS.prudentialDetails, PrudentialDetailLoad, load);
  }

  /** NSTEM estimation of one trading day (operation 4). */
  loadPrudentialEstimation(load: OutputLoad): Promise<LoadAnswer> {
    return this.load(OPERATOR_PATHS.prudentialEstimations, PrudentialEstimationLoad, load);
  }

  loadStatement(statement: SettlementStatementSummary): Promise<LoadAnswer> {
    return this.load(OPERATOR_PATHS.statements, StatementLoad, { statement });
  }

  /** Settlement detail of one trading day (operation 6). */
  loadStatementDetail(details: SettlementOutputDetails): Promise<LoadAnswer> {
    return this.load(OPERATOR_PATHS.statementDetails, StatementDetailLoad, { details });
  }

  /** NSTEM estimation statement of one trading day (operation 7). */
  loadStatementEstimation(details: SettlementOutputDetails): Promise<LoadAnswer> {
    return this.load(OPERATOR_PATHS.statementEstimations, StatementEstimationLoad, { details });
  }

  loadInvoice(load: InvoiceLoad): Promise<LoadAnswer> {
    return this.load(OPERATOR_PATHS.invoices, InvoiceLoad, load);
  }

  loadTimeline(timeline: SettlementCycleTimeline): Promise<LoadAnswer> {
    return this.load(OPERATOR_PATHS.timelines, TimelineLoad, { timeline });
  }

  /** Many records of any kind at once: all of them are in when this resolves, or none is. */
  async loadAll(lines: readonly BulkLine[]): Promise<BulkAnswer> {
    const body = lines.map((line) => `${writeBulkLine(line)}\n`).join('');
    const answer = settled(BULK_PATH, await this.post(BULK_PATH, body, BULK_MEDIA_TYPE));
    return readAnswer(BulkAnswer, BULK_PATH, answer);
  }

  /** Switches a fault on, from the next request of a participant until its bound is reached. */
  async injectFault(fault: Fault): Promise<ActiveFault> {
    const body = Fault.serialise(fault);
    const answer = settled(FAULTS_PATH, await this.post(FAULTS_PATH, body, 'application/json'));
    return readAnswer(ActiveFault, FAULTS_PATH, answer);
  }

  /** The faults that are switched on now. */
  async faults(): Promise<readonly ActiveFault[]> {
    const answer = settled(FAULTS_PATH, await this.exchange({ method: 'GET', path: FAULTS_PATH }));
    return readAnswer(ActiveFaultList, FAULTS_PATH, answer).faults;
  }

  /** Switches one fault off, or all of them; how many were on. One that is over already is no failure. */
  async clearFaults(id?: number): Promise<number> {
    const path = id === undefined ? FAULTS_PATH : `${FAULTS_PATH}/${id}`;
    const answer = settled(path, await this.exchange({ method: 'DELETE', path }));
    return readAnswer(FaultsCleared, path, answer).cleared;
  }

  /** Closes the connections; the token source is its owner's to close. */
  close(): Promise<void> {
    return this.edge.close();
  }

  private async load<T>(path: string, envelope: Resource<T>, value: T): Promise<LoadAnswer> {
    const answer = settled(path, await this.post(path, envelope.serialise(value), 'application/json'));
    return readAnswer(LoadAnswer, path, answer);
  }

  private post(path: string, body: string, mediaType: string): Promise<HttpAnswer> {
    return this.exchange({ method: 'POST', path, headers: { 'content-type': mediaType }, body });
  }

  private async exchange(request: HttpRequest): Promise<HttpAnswer> {
    const headers = { ...request.headers, accept: 'application/json' };
    try {
      return await exchangeWithBearer(this.edge, this.options.tokenSource, { ...request, headers });
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      throw new OperatorUnavailableError(request.path, undefined, { cause: error });
    }
  }
}

/** @throws OperatorUnavailableError, OperatorRefusedError for anything but a success */
function settled(path: string, answer: HttpAnswer): HttpAnswer {
  if (answer.status === 429 || answer.status >= 500) throw new OperatorUnavailableError(path, answer.status);
  if (answer.status !== 200 && answer.status !== 201)
    throw new OperatorRefusedError(path, answer.status, answer.body);
  return answer;
}

function readAnswer<T>(resource: Resource<T>, path: string, { status, body }: HttpAnswer): T {
  try {
    const reading = resource.readTolerant(parseJson(body));
    if (reading.ok) return reading.value;
  } catch (error) {
    if (!(error instanceof MalformedJsonError)) throw error;
  }
  throw new OperatorUnavailableError(path, status, {
    cause: new Error(`not an answer of this door: ${body.slice(0, 200)}`),
  });
}
