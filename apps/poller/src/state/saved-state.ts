import { MARKET_INTERFACES, type DetectedEvent, type MarketInterface } from '@ssb/events';
import { z } from 'zod';
import { parseSaved } from './parse-saved.js';
import type { FencingToken } from './poller-keys.js';

/** A detection whose events are not on the queue yet. */
export interface PendingDetection {
  readonly events: readonly DetectedEvent[];
  /** The state of the part once the events are queued. */
  readonly state: string;
}

/** The saved state: the states of the parts by name, and detections that were interrupted before their events were queued. */
export interface SavedState {
  readonly parts: ReadonlyMap<string, string>;
  /** By name of the part. */
  readonly pending: ReadonlyMap<string, PendingDetection>;
  /** Parts that another client changed or deleted in Redis. Their states are what this process knows. */
  readonly altered: ReadonlySet<string>;
}

export const POSITION_PART = 'position';
export const accessPart = (name: MarketInterface): string => `access:${name}`;
/** Parts of the state that do not belong to settlement. */
export const OTHER_PARTS = [POSITION_PART, ...MARKET_INTERFACES.map(accessPart)];

const PENDING_PREFIX = 'pending:';

/** Each detector checks the content of its own part. */
export function isUsablePart(content: string, field: string): boolean {
  return !field.startsWith(PENDING_PREFIX) || parsePendingDetection(content) !== undefined;
}

/** The field of the pending detection of a part. */
export function pendingField(part: string): string {
  return `${PENDING_PREFIX}${part}`;
}

export function toSavedState(
  contents: readonly (readonly [field: string, content: string])[],
  altered: ReadonlySet<string> = new Set(),
): SavedState {
  const parts = new Map<string, string>();
  const pending = new Map<string, PendingDetection>();
  for (const [field, content] of contents) {
    const detection = field.startsWith(PENDING_PREFIX) ? parsePendingDetection(content) : undefined;
    if (detection === undefined) parts.set(field, content);
    else pending.set(field.slice(PENDING_PREFIX.length), detection);
  }
  return { parts, pending, altered };
}

// The publisher validates each whole event against its schema.
const pendingDetection = z.object({
  events: z
    .array(
      z.looseObject({
        id: z.string().min(1),
        type: z.string().startsWith('settlementbus.'),
        subject: z.string(),
        participant: z.string(),
        time: z.string(),
        detectedat: z.string(),
        data: z.looseObject({}),
      }),
    )
    .min(1),
  state: z.string(),
});

/** @returns undefined when the text is not a pending detection */
function parsePendingDetection(text: string): PendingDetection | undefined {
  return parseSaved(pendingDetection, text) as PendingDetection | undefined;
}

/** What this replica knows of a part of the saved state. It is valid for one term of the lease and one connection to Redis. */
export class TermMemory<Value> {
  private known: { readonly token: FencingToken; readonly server: number; readonly value: Value } | undefined;

  constructor(private readonly currentServer: () => number) {}

  get(token: FencingToken): Value | undefined {
    const { known } = this;
    return known?.token === token && known.server === this.currentServer() ? known.value : undefined;
  }

  /** @param server the connection in use before the value was read or written */
  set(token: FencingToken, server: number, value: Value): void {
    this.known = { token, server, value };
  }

  forget(): void {
    this.known = undefined;
  }
}
