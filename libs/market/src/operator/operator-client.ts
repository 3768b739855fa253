import { exchangeWithBearer } from '../client/bearer-exchange.js';
import { OperatorRefusedError, OperatorUnavailableError } from '../client/errors.js';
import { type HttpAnswer, HttpEdge, NoAnswerError } from '../client/http-edge.js';
import type { TokenSource } from '../client/token-source.js';
import { MalformedJsonError, parseJson } from '../json.js';
import type { Resource } from '../resource.js';
import type { PrudentialCalculation } from '../resources/prudential-calculation.js';
import type { SettlementCycleTimeline } from '../resources/settlement-cycle-timeline.js';
import type { SettlementStatementSummary } from '../resources/settlement-statement-summary.js';
import {
  InvoiceLoad,
  LoadAnswer,
  OPERATOR_PATHS,
  PrudentialLoad,
  StatementLoad,
  TimelineLoad,
} from './envelopes.js';

export interface OperatorClientOptions {
  readonly baseUrl: string;
  /** A client that holds `MARKETRECORDS|OPERATOR|C`. */
  readonly tokenSource: TokenSource;
  readonly ca?: string | Buffer | undefined;
  readonly timeoutMs?: number | undefined;
}

/**
 * Loads records through the operator's door of our own reporting service. Loading the same record again is harmless and answers
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

  loadStatement(statement: SettlementStatementSummary): Promise<LoadAnswer> {
    return this.load(OPERATOR_PATHS.statements, StatementLoad, { statement });
  }

  loadInvoice(load: InvoiceLoad): Promise<LoadAnswer> {
    return this.load(OPERATOR_PATHS.invoices, InvoiceLoad, load);
  }

  loadTimeline(timeline: SettlementCycleTimeline): Promise<LoadAnswer> {
    return this.load(OPERATOR_PATHS.timelines, TimelineLoad, { timeline });
  }

  /** Closes the connections; the token source is its owner's to close. */
  close(): Promise<void> {
    return this.edge.close();
  }

  private async load<T>(path: string, envelope: Resource<T>, value: T): Promise<LoadAnswer> {
    const answer = await this.post(path, envelope.serialise(value));
    if (answer.status === 429 || answer.status >= 500)
      throw new OperatorUnavailableError(path, answer.status);
    if (answer.status !== 200 && answer.status !== 201)
      throw new OperatorRefusedError(path, answer.status, answer.body);
    return readLoadAnswer(path, answer);
  }

  private async post(path: string, body: string): Promise<HttpAnswer> {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    try {
      return await exchangeWithBearer(this.edge, this.options.tokenSource, {
        method: 'POST',
        path,
        headers,
        body,
      });
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      throw new OperatorUnavailableError(path, undefined, { cause: error });
    }
  }
}

function readLoadAnswer(path: string, { status, body }: HttpAnswer): LoadAnswer {
  try {
    const reading = LoadAnswer.readTolerant(parseJson(body));
    if (reading.ok) return reading.value;
  } catch (error) {
    if (!(error instanceof MalformedJsonError)) throw error;
  }
  throw new OperatorUnavailableError(path, status, {
    cause: new Error(`not an answer of this door: ${body.slice(0, 200)}`),
  });
}
