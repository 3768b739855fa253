import { createHash } from 'node:crypto';
import { computeAddress, SigningKey } from 'ethers';

/** A gateway or a bridge with a fixed key, which is for tests only. */
export interface Party {
  readonly key: SigningKey;
  readonly address: string;
  readonly did: string;
}

/** The private key is the SHA-256 of the name. */
function party(name: string): Party {
  const key = new SigningKey(createHash('sha256').update(`settlement-bus-bridge vectors: ${name}`).digest());
  const address = computeAddress(key);
  return { key, address, did: `did:ethr:${address}` };
}

export const GATEWAY = party('gateway');
/** Trusted on the channel `settlement` only. */
export const OTHER_GATEWAY = party('other gateway');
export const RETIRED_GATEWAY = party('retired gateway');
export const REVOKED_GATEWAY = party('revoked gateway');
export const UNKNOWN_GATEWAY = party('unknown gateway');

export const BRIDGE = party('bridge');
/** Trusted on each channel, for the participant `BETA`. */
export const BETA_BRIDGE = party('bridge of BETA');
/** Trusted on the channel `settlement` only. */
export const OTHER_BRIDGE = party('other bridge');
export const RETIRED_BRIDGE = party('retired bridge');
export const REVOKED_BRIDGE = party('revoked bridge');
export const UNKNOWN_BRIDGE = party('unknown bridge');

export const channelOf = (name: string): string => `${name}.channels.bridge.apps.participant.iam.market`;
export const SETTLEMENT = channelOf('settlement');
export const PRUDENTIAL = channelOf('prudential');

/** Codes that a source URN must escape, and those that it must not. */
export const UNUSUAL_PARTICIPANTS = ['Zürich ключ', 'A:B/C?D#E%', "it's_(1)*!~.-", '😀 中'];
const PARTICIPANTS = ['ALPHA', ...UNUSUAL_PARTICIPANTS];
/** Only retired bridges were trusted for it. */
export const FORMER_PARTICIPANT = 'FORMER';
/** Trusted on the channel `prudential` only. */
export const PRUDENTIAL_PARTICIPANT = 'DELTA';

/** When the retired parties were retired, and since when the revoked ones are revoked. */
export const RETIRED_AT = '2026-01-31T16:00:00Z';
/** When the retired bridge was retired on the channel `settlement`. */
const RETIRED_EARLIER_AT = '2026-01-31T15:30:00Z';

function trustedOn(name: string) {
  const isSettlement = name === 'settlement';
  return {
    gateways: [
      { did: GATEWAY.did },
      ...(isSettlement ? [{ did: OTHER_GATEWAY.did }] : []),
      { did: RETIRED_GATEWAY.did, from: '2025-01-01T00:00:00Z', until: RETIRED_AT },
      { did: REVOKED_GATEWAY.did, revoked: RETIRED_AT },
    ],
    origins: [
      // Another case of the letters than that of the proofs.
      { did: BRIDGE.did.toLowerCase(), participants: PARTICIPANTS },
      {
        did: BETA_BRIDGE.did,
        participants: ['BETA', ...(name === 'prudential' ? [PRUDENTIAL_PARTICIPANT] : [])],
      },
      ...(isSettlement ? [{ did: OTHER_BRIDGE.did, participants: PARTICIPANTS }] : []),
      {
        did: RETIRED_BRIDGE.did,
        participants: [...PARTICIPANTS, FORMER_PARTICIPANT],
        until: isSettlement ? RETIRED_EARLIER_AT : RETIRED_AT,
      },
      { did: REVOKED_BRIDGE.did, participants: PARTICIPANTS, until: RETIRED_AT, revoked: RETIRED_AT },
    ],
  };
}

/** The trust file of the vectors. */
export function trustFile(signatureScheme: 'eip191' | 'keccak256'): object {
  const names = ['settlement', 'prudential', 'operations'];
  return {
    version: 1,
    signatureScheme,
    channels: Object.fromEntries(names.map((name) => [channelOf(name), trustedOn(name)])),
  };
}
