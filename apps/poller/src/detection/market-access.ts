import { MARKET_ACCESS_CAUSES, type Fact, type MarketAccessCause, type MarketInterface } from '@ssb/events';
import {
  ReportingForbiddenError,
  ReportingUnavailableError,
  TokenRefusedError,
  TokenUnavailableError,
} from '@ssb/market';
import { toPrintable } from '@ssb/net';
import { z } from 'zod';
import {
  classifyFailure,
  describeFailure,
  type ClassifiedFailure,
  type Connection,
  type FailureReason,
} from '../faults/failure-classification.js';
import { isUnusableResponse } from '../polls/poll-failures.js';
import { parseSaved } from '../state/parse-saved.js';
import type { Detected, DetectionContext } from './detection.js';

/** Longest `detail` of an event, characters. */
const MAX_DETAIL_LENGTH = 300;

/** Why a poll did not reach an interface of the operator. */
export interface AccessFailure {
  readonly cause: MarketAccessCause;
  /** One sentence, without payload and secrets. */
  readonly detail: string;
}

/** The result of a whole poll. A single statement or invoice that cannot be used does not make it fail. */
export type PollOutcome =
  | {
      readonly ok: true;
      /** Whether a response could be used. Without one, an announced outage lasts. */
      readonly isUsable: boolean;
    }
  | ({ readonly ok: false } & AccessFailure);

const stateSchema = z.object({
  version: z.literal(1),
  /** Present from the first failed poll to the next response. An announced outage lasts until a response can be used. */
  outage: z
    .object({
      /** Time of the first failed poll, UTC. */
      since: z.iso.datetime({ precision: 3 }),
      /** Cause and detail of the failure that first had this cause, or at which the outage was announced. */
      cause: z.enum(MARKET_ACCESS_CAUSES),
      detail: z.string().min(1).max(MAX_DETAIL_LENGTH),
      /** Present when the outage was announced: the allowed time in force then. */
      allowedSeconds: z.int().min(0).optional(),
    })
    .optional(),
});

/** The access to one interface. It changes only when an outage begins, is announced, ends, or changes its cause. */
export type MarketAccessState = Readonly<z.infer<typeof stateSchema>>;
type Outage = Readonly<NonNullable<MarketAccessState['outage']>>;

/** @returns undefined when the text is not a state of this release */
export function parseMarketAccessState(text: string): MarketAccessState | undefined {
  return parseSaved(stateSchema, text);
}

export function formatMarketAccessState(state: MarketAccessState): string {
  return JSON.stringify(state);
}

/** Announces an outage that lasts longer than allowed, and the end of an announced outage. An unchanged state is the same object. */
export function detectMarketAccess(
  previous: MarketAccessState | undefined,
  interfaceName: MarketInterface,
  outcome: PollOutcome,
  { settings, now }: DetectionContext,
): Detected<MarketAccessState> {
  if (outcome.ok) {
    const wasAnnounced = previous?.outage?.allowedSeconds !== undefined;
    return wasAnnounced && !outcome.isUsable
      ? detected(previous)
      : detectSuccess(previous, interfaceName, now);
  }
  const outage = continueOutage(previous?.outage, outcome, now);
  const { unreachableAfterMs } = settings.market;
  const isAnnounced = outage.allowedSeconds !== undefined;
  if (!isAnnounced && now.getTime() - Date.parse(outage.since) >= unreachableAfterMs) {
    const { cause, detail } = outcome;
    const allowedSeconds = Math.floor(unreachableAfterMs / 1_000);
    const data = { interface: interfaceName, since: outage.since, cause, detail, allowedSeconds };
    const state: MarketAccessState = { version: 1, outage: { ...outage, cause, detail, allowedSeconds } };
    return detected(state, { type: 'settlementbus.market.unreachable.v1', data });
  }
  return detected(previous?.outage === outage ? previous : { version: 1, outage });
}

/**
 * The cause and detail of one failure of `listFailures`. Undefined for a failure of the bridge itself, such as a wait for the request budget.
 *
 * @param fault the classification of the failure, where the poller made one with its certificates
 */
export function accessFailure(error: unknown, fault?: ClassifiedFailure): AccessFailure | undefined {
  const reason = (fault ?? classifyFailure(error, WITHOUT_CERTIFICATES))?.reason;
  const cause = causeOf(error, reason);
  const detail = toPrintable(fault?.detail ?? describeFailure(error), MAX_DETAIL_LENGTH);
  return cause && { cause, detail };
}

const UNKNOWN_CERTIFICATE: Connection = { secure: true, certificate: undefined };
/** TLS alerts and statuses show a refused certificate also when the certificates are not known. */
const WITHOUT_CERTIFICATES = {
  participant: '',
  reporting: UNKNOWN_CERTIFICATE,
  token: UNKNOWN_CERTIFICATE,
  closedConnections: 1,
  now: new Date(0),
};

function causeOf(error: unknown, reason: FailureReason | undefined): MarketAccessCause | undefined {
  if (reason === 'certificate-expired' || reason === 'certificate-refused') return 'certificate';
  if (error instanceof TokenRefusedError || error instanceof TokenUnavailableError) return 'token';
  if (error instanceof ReportingForbiddenError) return 'forbidden';
  if (isUnusableResponse(error)) return 'unusable-response';
  return error instanceof ReportingUnavailableError ? causeOfStatus(error.status) : undefined;
}

function causeOfStatus(status: number | undefined): MarketAccessCause {
  if (status === undefined) return 'no-response';
  if (status === 429) return 'rate-limited';
  // Document 000 defines no other status, such as a redirection.
  return status >= 500 ? 'server-error' : 'unusable-response';
}

function detectSuccess(
  previous: MarketAccessState | undefined,
  interfaceName: MarketInterface,
  now: Date,
): Detected<MarketAccessState> {
  if (previous !== undefined && previous.outage === undefined) return detected(previous);
  const state: MarketAccessState = { version: 1 };
  const outage = previous?.outage;
  if (outage?.allowedSeconds === undefined) return detected(state);
  const { allowedSeconds } = outage;
  const data = { interface: interfaceName, ...outage, allowedSeconds, recoveredAt: now.toISOString() };
  return detected(state, { type: 'settlementbus.market.recovered.v1', data });
}

/** The present outage after one more failure; the same object when nothing changed. */
function continueOutage(outage: Outage | undefined, { cause, detail }: AccessFailure, now: Date): Outage {
  const begun: Outage = { since: now.toISOString(), cause, detail };
  if (outage === undefined) return begun;
  // The clock was set back, and the outage would not be announced until it has caught up.
  if (outage.allowedSeconds === undefined && Date.parse(outage.since) > now.getTime()) return begun;
  return outage.cause === cause ? outage : { ...outage, cause, detail };
}

function detected(state: MarketAccessState, ...facts: Fact[]): Detected<MarketAccessState> {
  return { facts, state, unreadable: [] };
}
