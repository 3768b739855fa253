import type { DocumentStore } from '@ssb/documents';
import type { DetectedEvent } from '@ssb/events';
import {
  dateOf,
  toInstant,
  type MarketDate,
  type MarketDateTime,
  type ReportingClient,
  type SettlementCycleTimeline,
} from '@ssb/market';
import { createLogger, Metrics } from '@ssb/platform';
import type { OpenItem } from '../../src/detection/open-items.js';
import { DocumentFetcher } from '../../src/documents/document-fetcher.js';
import { DocumentFetches } from '../../src/documents/document-fetches.js';
import { DocumentTransfers } from '../../src/documents/document-transfers.js';
import { DEFAULT_SCHEDULE } from '../../src/detection/schedule/schedule-settings.js';
import type { SettlementRun } from '../../src/detection/settlement/runs.js';
import { SETTINGS, time } from './settlement.js';
import type { StatementVariable } from '@ssb/market';
import type { FencingToken } from '../../src/state/poller-keys.js';
import { ParticipantMetrics } from '../../src/metrics/participant-metrics.js';
import { PollerMetrics } from '../../src/metrics/poller-metrics.js';
import type { PendingDetection } from '../../src/state/saved-state.js';
import type { PollResult } from '../../src/polls/responses.js';
import { DetectionRecorder } from '../../src/polls/detection-recorder.js';
import { UnreadableLog } from '../../src/polls/unreadable-log.js';
import type { SettlementClient } from '../../src/polls/settlement-detections.js';
import { SettlementPoll } from '../../src/polls/settlement-poll.js';

const TOKEN = '1' as FencingToken;
const PARTICIPANT = 'ALPHA';
const MAX_BYTES = 16_777_216;

export const timelineOf = (...runs: SettlementRun[]): SettlementCycleTimeline => ({
  cycles: runs.map(({ marketService, period, periodFrom, periodTo, ...run }) => ({
    marketService,
    period,
    periodFrom,
    periodTo,
    runs: [run],
  })),
});

/** A settlement poll whose operator, Redis, queue and clock are in memory. */
export class PollBench {
  now: Date;
  /** By request, such as `invoice WEM 2026-03-01 INITIAL`. Without a response the timeline is empty, and another request gets 404; an error is thrown. */
  readonly responses = new Map<string, object>();
  readonly requests: string[] = [];
  readonly parts = new Map<string, string>();
  readonly pending = new Map<string, PendingDetection>();
  /** Saved variables by part. */
  readonly variables = new Map<string, { digest: string; variables: readonly StatementVariable[] }>();
  readonly events: DetectedEvent[] = [];
  /** As the last poll saved them. */
  openItems: readonly OpenItem[] = [];
  readonly lines: Record<string, unknown>[] = [];
  isQueueDown = false;
  /** Whether the request budget has room beside the polls. */
  hasSpareRequest = true;
  readonly metrics = new Metrics();
  settings = SETTINGS;
  private readonly poll: SettlementPoll;

  /**
   * @param marketTime when it starts
   * @param documents where the documents of invoices are stored; none are fetched without it
   * @param transfers of all participants
   * @param storeTimeoutMs longest wait for the store
   */
  constructor(
    marketTime: string,
    documents?: DocumentStore,
    transfers = new DocumentTransfers(1_000),
    storeTimeoutMs = 60_000,
  ) {
    this.now = toInstant(time(marketTime));
    const now = (): Date => new Date(this.now);
    const shared = new PollerMetrics(this.metrics);
    const metrics = new ParticipantMetrics(PARTICIPANT, shared);
    metrics.setLeader(true);
    const log = createLogger({
      name: 'poller',
      level: 'warn',
      format: 'json',
      stream: { write: (line) => void this.lines.push(JSON.parse(line) as Record<string, unknown>) },
    });
    const store = this.createStore();
    const enqueue = async (events: readonly DetectedEvent[]): Promise<void> => {
      if (this.isQueueDown) throw new Error('the queue is down');
      this.events.push(...events);
    };
    const recorder = new DetectionRecorder({
      participant: PARTICIPANT,
      now,
      store,
      queue: { enqueue },
      metrics,
      log,
    });
    const settings = () => this.settings;
    const unreadableLog = new UnreadableLog(metrics, log);
    const common = { participant: PARTICIPANT, settings, recorder, unreadableLog, store, metrics, now, log };
    const client = this.createClient();
    const market = {
      settlement: client,
      hasSpareRequest: () => Promise.resolve(this.hasSpareRequest),
    };
    const fetcher =
      documents &&
      new DocumentFetcher({
        ...common,
        metrics: shared,
        documents,
        transfers,
        maxBytes: MAX_BYTES,
        storeTimeoutMs,
        market,
        log,
      });
    this.poll = new SettlementPoll({
      ...common,
      documents:
        fetcher && new DocumentFetches({ ...common, fetcher, market, schedule: DEFAULT_SCHEDULE, log }),
      schedule: DEFAULT_SCHEDULE,
      fetchesPerPoll: 4,
      lookbackDays: 60,
      lookaheadDays: 60,
      market,
      largeStatements: { fit: (event) => Promise.resolve(event) },
      statementVariables: this.createVariables(),
    });
  }

  run(): Promise<PollResult> {
    return this.poll.run(TOKEN, () => true);
  }

  /** Polls at this interval until a market time. @returns the errors of the polls that failed */
  async runUntil(marketTime: string, everySeconds = 10): Promise<unknown[]> {
    const errors: unknown[] = [];
    const end = toInstant(time(marketTime));
    for (; this.now < end; this.now = new Date(this.now.getTime() + everySeconds * 1_000))
      await this.run().catch((error: unknown) => errors.push(error));
    return errors;
  }

  count(request: string): number {
    return this.requests.filter((each) => each === request).length;
  }

  /** Types of the queued events, such as `invoice.issued`. */
  types(): string[] {
    return this.events.map(({ type }) => type.slice('settlementbus.'.length, -'.v1'.length));
  }

  private createStore() {
    return {
      currentServer: () => 1,
      readSettlement: async () => ({
        parts: new Map(this.parts),
        pending: new Map(this.pending),
        altered: new Set<string>(),
      }),
      savePending: async (_: FencingToken, part: string, detection: PendingDetection) =>
        void this.pending.set(part, detection),
      savePart: async (_: FencingToken, part: string, text: string) => {
        this.parts.set(part, text);
        this.pending.delete(part);
      },
      deleteParts: async (_: FencingToken, parts: readonly string[]) => {
        for (const part of parts) this.parts.delete(part);
      },
      saveOpenItems: async (_: FencingToken, _name: string, items: readonly OpenItem[]) => {
        this.openItems = items;
      },
    };
  }

  private createVariables() {
    return {
      read: async (_: FencingToken, part: string, digest: string) => {
        const saved = this.variables.get(part);
        return saved?.digest === digest ? saved.variables : ('not-saved' as const);
      },
      save: async (
        _: FencingToken,
        part: string,
        digest: string,
        list: () => readonly StatementVariable[] | undefined,
      ) => {
        const variables = list();
        if (variables !== undefined) this.variables.set(part, { digest, variables });
      },
      keepOnly: async (_: FencingToken, parts: ReadonlySet<string>) => {
        for (const part of this.variables.keys()) if (!parts.has(part)) this.variables.delete(part);
      },
    };
  }

  private createClient(): SettlementClient & Pick<ReportingClient, 'invoiceFile'> {
    const respond = async <Response>(request: string): Promise<Response | undefined> => {
      this.requests.push(request);
      const found = this.responses.get(request);
      if (found instanceof Error) throw found;
      return found as Response | undefined;
    };
    const nameOf = (...names: (MarketDate | MarketDateTime)[]): string => names.map(dateOf).join(' ');
    return {
      timeline: async () => {
        const value = (await respond<SettlementCycleTimeline>('timeline')) ?? { cycles: [] };
        return { value, unreadable: [] };
      },
      statement: (market, from, designation) => respond(`statement ${market} ${nameOf(from)} ${designation}`),
      invoice: (market, from, designation) => respond(`invoice ${market} ${nameOf(from)} ${designation}`),
      invoiceFile: (market, from, designation) => respond(`file ${market} ${nameOf(from)} ${designation}`),
      statementEstimation: (from, designation, day) =>
        respond(`estimation ${nameOf(from)} ${designation} ${nameOf(day)}`),
    };
  }
}
