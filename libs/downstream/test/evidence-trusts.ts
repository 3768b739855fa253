import type { TrustFile } from '../src/verify/trust.js';
import { GATEWAY_DID, ORIGIN_DID, trustFile } from './evidence-files.js';

/** A time, later by some milliseconds. */
export function shifted(time: string, ms: number): string {
  return new Date(Date.parse(time) + ms).toISOString();
}

/**
 * The trust files of the evidence vectors, by name.
 * @param at when the events were archived
 * @param formerAt when the event about a former participant was archived
 */
export function evidenceTrusts(
  at: string,
  formerAt: string,
  formerParticipant: string,
): Readonly<Record<string, TrustFile>> {
  const [before, after] = [shifted(at, -3_600_000), shifted(at, 3_600_000)];
  const otherBridge = { did: GATEWAY_DID, participants: [formerParticipant] };
  return {
    all: trustFile(),
    retired: trustFile({ from: before, until: after }, { until: after }),
    revoked: trustFile({}, { until: after, revoked: after }),
    'revoked-before': trustFile({ revoked: before }),
    'retired-before': trustFile({}, { until: before }),
    'trusted-later': trustFile({ from: after }),
    'other-gateway': trustFile({ did: ORIGIN_DID }),
    'other-origin': trustFile({}, { did: GATEWAY_DID }),
    'other-participant': trustFile({}, { participants: ['OTHER'] }),
    former: trustFile({}, { participants: ['OTHER'] }, [
      { ...otherBridge, until: shifted(formerAt, -3_600_000) },
    ]),
    'another-bridge': trustFile({}, { participants: ['OTHER'] }, [
      { ...otherBridge, until: shifted(formerAt, 3_600_000) },
    ]),
  };
}
