import { findTrustedSenders, listReadChannels, type OperatorConfig } from '@ssb/config';
import { isSameIdentity, type SignatureScheme } from '@ssb/identity';
import type { ChannelTrust, OriginTrustEntry, TrustEntry, TrustFile } from 'settlement-bus-downstream';

/** The trusted senders of each channel that a subscriber reads. A DID that several entries name is there once. */
export function createTrustFile(config: OperatorConfig, signatureScheme: SignatureScheme): TrustFile {
  const channels = listReadChannels(config).map((channel): [string, ChannelTrust] => {
    const { gateways, origins } = findTrustedSenders(config, channel);
    return [
      channel,
      { gateways: withoutRepeats(gateways.map((did) => ({ did }))), origins: mergeParticipants(origins) },
    ];
  });
  return { version: 1, signatureScheme, channels: Object.fromEntries(channels) };
}

function withoutRepeats<Key extends TrustEntry>(keys: readonly Key[]): Key[] {
  return keys.filter(({ did }, at) => keys.findIndex((each) => isSameIdentity(each.did, did)) === at);
}

function mergeParticipants(origins: readonly OriginTrustEntry[]): OriginTrustEntry[] {
  return withoutRepeats(origins).map(({ did }) => {
    const same = origins.filter((each) => isSameIdentity(each.did, did));
    return { did, participants: [...new Set(same.flatMap(({ participants }) => participants))] };
  });
}
