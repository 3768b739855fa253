import { toInstant } from '@ssb/market';
import type { DetectionSettings } from '@ssb/config';
import { isOfTimeline } from '../detection/timeline/read-timeline.js';
import {
  estimationsDue,
  estimationsLeftOut,
  openEstimations,
  type EstimationRequest,
} from '../detection/schedule/estimations-due.js';
import type { Publication } from '../detection/schedule/publication.js';
import { requestsDue } from '../detection/schedule/requests-due.js';
import type { ScheduleSettings } from '../detection/schedule/schedule-settings.js';
import { timelineDue } from '../detection/schedule/timeline-due.js';
import { hasPassed, intervalAfter } from '../detection/schedule/intervals.js';
import { isDocumentFault } from '../documents/missing-documents.js';
import { earlierRun, runId, type SettlementRun } from '../detection/settlement/runs.js';
import { describeLeftOut, type PollResult, type UnusableDocument } from './responses.js';
import {
  estimationPart,
  isEstimation,
  invoicePart,
  runIdOf,
  statementPart,
  TIMELINE_PART,
  type SavedSettlement,
} from './saved-settlement.js';

/** A statement, invoice or estimation to request. An earlier invoice is compared with its adjustment, and causes no event of its own. */
export type SettlementRequest =
  | { readonly resource: 'statement' | 'invoice' | 'earlier-invoice'; readonly run: SettlementRun }
  | ({ readonly resource: 'estimation' } & EstimationRequest);

/** The part of the state that the response changes. The response for an earlier invoice changes none. */
export function partOf(request: SettlementRequest): string {
  const { resource, run } = request;
  switch (resource) {
    case 'statement':
      return statementPart(run);
    case 'invoice':
      return invoicePart(run);
    case 'earlier-invoice':
      return `earlier-${invoicePart(run)}`;
    case 'estimation':
      return estimationPart(run, request.tradingDay);
    default:
      return resource satisfies never;
  }
}

export interface SettlementRequestsOptions {
  readonly participant: string;
  readonly settings: () => DetectionSettings;
  readonly schedule: ScheduleSettings;
  /** Maximum number of statements, invoices and estimations in one poll. */
  readonly fetchesPerPoll: number;
  readonly now: () => Date;
}

type RunPublication = Publication & { readonly run: SettlementRun };

interface LastRequest {
  readonly at: Date;
  /** Requests in a row, up to this one, without a usable response. */
  readonly failures: number;
  readonly respondedAt?: Date | undefined;
  /** Documents of the latest response that could not be used. */
  readonly unusable?: readonly UnusableDocument[] | undefined;
  /** What the latest usable response had and a bound left out. */
  readonly leftOut?: readonly string[] | undefined;
}

/** Decides what is requested now, from the requests and responses in this term of the lease. */
export class SettlementRequests {
  private readonly last = new Map<string, LastRequest>();

  constructor(private readonly options: SettlementRequestsOptions) {}

  /** A new term: everything is due once. */
  forget(): void {
    this.last.clear();
  }

  forgetParts(parts: readonly string[]): void {
    for (const part of parts) this.last.delete(part);
  }

  /** Before a request is sent. */
  begin(part: string): void {
    const known = this.last.get(part);
    this.last.set(part, { ...known, at: this.now(), failures: (known?.failures ?? 0) + 1 });
  }

  /** Records what a request found. */
  complete(
    part: string,
    response: {
      /** Why the response, or a part of it, could not be used. */
      readonly unusable?: readonly UnusableDocument[];
      /** The document is requested again soon. */
      readonly mustRepeat?: boolean;
      /** Undefined when the response does not show it. */
      readonly leftOut?: readonly string[];
      /** Nothing of the response could be used. */
      readonly isRefused?: boolean;
    },
  ): void {
    const known = this.last.get(part);
    const { at = this.now(), failures = 1 } = known ?? {};
    const { mustRepeat = false, leftOut = known?.leftOut } = response;
    const unusable = response.unusable?.length === 0 ? undefined : response.unusable;
    const isFailure = unusable !== undefined || mustRepeat;
    const respondedAt = response.isRefused === true ? known?.respondedAt : at;
    this.last.set(part, { at, failures: isFailure ? failures : 0, unusable, leftOut, respondedAt });
  }

  /** When the operator last responded; undefined when that response could not be used. */
  respondedAt(part: string): Date | undefined {
    const { respondedAt, unusable } = this.last.get(part) ?? {};
    return unusable === undefined ? respondedAt : undefined;
  }

  /** Whether the last request was sent within this time and responded, usable or not. */
  hadResponse(part: string, withinMs: number): boolean {
    const { at, respondedAt } = this.last.get(part) ?? {};
    const hasResponse = at !== undefined && at.getTime() === respondedAt?.getTime();
    return hasResponse && !hasPassed(withinMs, at, this.now());
  }

  /** Whether the last request may be repeated. */
  mayRepeat(part: string, intervalMs = this.options.schedule.retryIntervalMs): boolean {
    const last = this.last.get(part);
    return last === undefined || hasPassed(intervalMs, last.at, this.now());
  }

  /** The unusable documents that are requested again, and a function that returns whether a document is usable or no longer requested. */
  usability(runs: readonly SettlementRun[]): Pick<PollResult, 'unusable' | 'isReadable'> {
    const isRequested = this.requestedBy(runs);
    const unusable = [...this.last].flatMap(([part, last]) =>
      last.unusable !== undefined && isRequested(part) ? last.unusable : [],
    );
    const isReadable = (document: string): boolean => {
      // Only with DOCUMENT_STORE=none, which ends the faults of documents.
      if (isDocumentFault(document)) return true;
      const part = isOfTimeline(document) ? TIMELINE_PART : document;
      return !isRequested(part) || this.last.get(part)?.respondedAt !== undefined;
    };
    return { unusable, isReadable };
  }

  /** What bounds leave out of the responses that are requested again. */
  leftOut(runs: readonly SettlementRun[]): readonly string[] {
    const isRequested = this.requestedBy(runs);
    const estimations = this.options.settings().settlement.estimations
      ? estimationsLeftOut(runs, this.now())
      : [];
    return [
      ...[...this.last].flatMap(([part, { leftOut = [] }]) => (isRequested(part) ? leftOut : [])),
      ...describeLeftOut('NSTEM estimations', estimations),
    ];
  }

  private requestedBy(runs: readonly SettlementRun[]): (part: string) => boolean {
    const open = new Set(openEstimations(runs, this.now()).map(partOfEstimation));
    const keys = new Set(runs.map(runId));
    return (part) =>
      part === TIMELINE_PART || (isEstimation(part) ? open.has(part) : keys.has(runIdOf(part)));
  }

  isTimelineDue(runs: readonly SettlementRun[]): boolean {
    const { participant, schedule: settings } = this.options;
    const { at, respondedAt, failures = 0 } = this.last.get(TIMELINE_PART) ?? {};
    const { timelineIntervalMs, retryIntervalMs } = settings;
    // A response that stays incomplete is requested less and less often; an operator who does not respond is not.
    const hasResponse = at !== undefined && at.getTime() === respondedAt?.getTime();
    const retryMs = hasResponse
      ? intervalAfter(failures, timelineIntervalMs, retryIntervalMs)
      : retryIntervalMs;
    if (failures > 0) return this.mayRepeat(TIMELINE_PART, retryMs);
    return timelineDue(at, { participant, settings }, runs, this.now());
  }

  /** The most urgent requests first. @param urgentInvoices runs whose invoices come before everything else */
  list(
    runs: readonly SettlementRun[],
    saved: SavedSettlement,
    urgentInvoices: readonly SettlementRun[] = [],
  ): SettlementRequest[] {
    const { participant, schedule, settings, fetchesPerPoll } = this.options;
    const now = this.now();
    const publications = runs.flatMap((run) => this.listPublications(run, saved, now));
    const due = requestsDue(publications, { participant, settings: schedule }, now).map(
      ({ resource, run }): SettlementRequest => ({ resource, run }),
    );
    const estimations = settings().settlement.estimations ? this.listEstimations(runs, saved, now) : [];
    const urgent = urgentInvoices.map((run): SettlementRequest => ({ resource: 'invoice', run }));
    const earlier = this.listEarlierInvoices(runs, saved);
    const all = [...urgent, ...due, ...estimations, ...earlier].map(
      (request) => [partOf(request), request] as const,
    );
    return [...new Map(all).values()].slice(0, fetchesPerPoll);
  }

  private listPublications(run: SettlementRun, saved: SavedSettlement, now: Date): RunPublication[] {
    const statement = saved.statement(run)?.current;
    const invoice = saved.invoice(run)?.current;
    const statementTimes = this.timesOf(statementPart(run));
    const invoiceTimes = this.timesOf(invoicePart(run));
    return [
      {
        resource: 'statement',
        run,
        seenSince:
          statement &&
          earlierOf(toInstant(statement.figures.publishedAt), statementTimes.lastRequestedAt ?? now),
        ...statementTimes,
      },
      {
        resource: 'invoice',
        run,
        seenSince: invoice && earlierOf(new Date(invoice.seenAt), invoiceTimes.lastRequestedAt ?? now),
        ...invoiceTimes,
      },
    ];
  }

  private listEstimations(
    runs: readonly SettlementRun[],
    saved: SavedSettlement,
    now: Date,
  ): SettlementRequest[] {
    const progressOf = (request: EstimationRequest) => {
      const last = this.last.get(partOfEstimation(request));
      const { run, tradingDay } = request;
      const isSeen = saved.estimation(run, tradingDay)?.current !== undefined;
      return { isSeen, lastRequestedAt: last?.at, failures: last?.failures ?? 0 };
    };
    const requests = estimationsDue(runs, progressOf, this.options.schedule, now);
    return requests.map((request) => ({ resource: 'estimation', ...request }));
  }

  /** Invoices that an adjustment names as its earlier ones, and that are neither saved nor in the timeline. Each has one response. */
  private listEarlierInvoices(runs: readonly SettlementRun[], saved: SavedSettlement): SettlementRequest[] {
    const listed = new Set(runs.map(runId));
    return runs.flatMap((run): SettlementRequest[] => {
      const earlier = earlierRun(run);
      if (earlier === undefined || listed.has(runId(earlier))) return [];
      const isAdjusted = saved.invoice(run)?.current !== undefined;
      if (!isAdjusted || saved.invoice(earlier)?.current !== undefined) return [];
      const request: SettlementRequest = { resource: 'earlier-invoice', run: earlier };
      const { failures } = this.last.get(partOf(request)) ?? {};
      const { earlyIntervalMs, retryIntervalMs } = this.options.schedule;
      const isOpen =
        failures === undefined ||
        (failures > 0 &&
          this.mayRepeat(partOf(request), intervalAfter(failures, earlyIntervalMs, retryIntervalMs)));
      return isOpen ? [request] : [];
    });
  }

  private timesOf(part: string): Pick<Publication, 'lastRequestedAt' | 'failures'> {
    const last = this.last.get(part);
    return { lastRequestedAt: last?.at, failures: last?.failures };
  }

  private now(): Date {
    return this.options.now();
  }
}

/** A time after the last request counts as that of the request, so that revisions are noticed before it. */
function earlierOf(since: Date, requestedAt: Date): Date {
  return since < requestedAt ? since : requestedAt;
}

function partOfEstimation({ run, tradingDay }: EstimationRequest): string {
  return estimationPart(run, tradingDay);
}
