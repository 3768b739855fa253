import type { Logger } from '@ssb/platform';
import type { ParticipantMetrics } from '../metrics/participant-metrics.js';
import { recordPart, type RecordPartDependencies } from '../polls/record-part.js';
import type { SavedSettlement } from '../polls/saved-settlement.js';
import type { FencingToken } from '../state/poller-keys.js';
import { givenUpState, type GivenUp, type GivenUpReason } from './document-state.js';
import { versionOf, type WantedDocument } from './missing-documents.js';

/** After this time since an invoice was seen, its missing document is left to a backfill. */
const GIVE_UP_AFTER_MS = 31 * 86_400_000;
const MAX_LOGGED = 20;

export interface GivenUpDocumentsDependencies extends RecordPartDependencies {
  readonly metrics: ParticipantMetrics;
  readonly log: Logger;
}

/** @returns the missing documents of old invoices */
export function listOld(wanted: readonly WantedDocument[], now: Date): GivenUp[] {
  return wanted.flatMap(({ part, current, state }) => {
    const isMissing = state === undefined || state.missing !== undefined;
    if (!isMissing || now.getTime() - Date.parse(current.seenAt) < GIVE_UP_AFTER_MS) return [];
    return [{ part, invoice: versionOf(current), reason: state?.missing?.reason ?? 'old' }];
  });
}

/** Saves, logs and counts what is given up. @throws as recordPart */
export async function giveUp(
  dependencies: GivenUpDocumentsDependencies,
  token: FencingToken,
  saved: SavedSettlement,
  documents: readonly GivenUp[],
): Promise<void> {
  const { metrics, log } = dependencies;
  const namesByReason = new Map<GivenUpReason, string[]>();
  for (const { part, invoice, reason } of documents) {
    const text = JSON.stringify(givenUpState(invoice, reason));
    await recordPart(dependencies, token, saved, { part, facts: [], text, requestedAt: new Date() });
    metrics.shared.documentsGivenUp.inc({ reason });
    namesByReason.set(reason, [...(namesByReason.get(reason) ?? []), `${part} ${invoice.id}`]);
  }
  for (const [reason, names] of namesByReason)
    log.warn({ reason, count: names.length, documents: names.slice(0, MAX_LOGGED) }, 'documents given up');
}
