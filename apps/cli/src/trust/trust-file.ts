import { findTrustedSenders, listReadChannels, type OperatorConfig } from '@ssb/config';
import { isSameIdentity, type SignatureScheme } from '@ssb/identity';

/** A key of the trust file. Without `until` and `revoked` it is trusted at present. */
export interface TrustedKey {
  readonly did: string;
  readonly from?: string;
  readonly until?: string;
  readonly revoked?: string;
}

export interface TrustedOriginKey extends TrustedKey {
  /** Participants about which it may announce facts. */
  readonly participants: readonly string[];
}

export interface TrustedKeys {
  readonly gateways: readonly TrustedKey[];
  readonly origins: readonly TrustedOriginKey[];
}

/** The file that downstream systems verify with; `libs/downstream/trust.schema.json` describes it. */
export interface TrustFile {
  readonly version: 1;
  readonly signatureScheme: SignatureScheme;
  readonly channels: Readonly<Record<string, TrustedKeys>>;
}

/** The trusted senders of each channel that a subscriber reads. A DID that several entries name is there once. */
export function createTrustFile(config: OperatorConfig, signatureScheme: SignatureScheme): TrustFile {
  const channels = listReadChannels(config).map((channel): [string, TrustedKeys] => {
    const { gateways, origins } = findTrustedSenders(config, channel);
    return [
      channel,
      { gateways: withoutRepeats(gateways.map((did) => ({ did }))), origins: mergeParticipants(origins) },
    ];
  });
  return { version: 1, signatureScheme, channels: Object.fromEntries(channels) };
}

function withoutRepeats<Key extends TrustedKey>(keys: readonly Key[]): Key[] {
  return keys.filter(({ did }, at) => keys.findIndex((each) => isSameIdentity(each.did, did)) === at);
}

function mergeParticipants(origins: readonly TrustedOriginKey[]): TrustedOriginKey[] {
  return withoutRepeats(origins).map(({ did }) => {
    const same = origins.filter((each) => isSameIdentity(each.did, did));
    return { did, participants: [...new Set(same.flatMap(({ participants }) => participants))] };
  });
}
